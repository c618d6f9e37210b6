/* Golden cases of collisions. */
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "golden.h"

/* The options of a case and what they refer to. */
typedef struct collide_case {
  gpugeo_collisions_options options;
  table radii, group, box;
  int32_t *groups;
} collide_case;

static int64_t length(const table *t) { return t->rows * t->columns; }

/* Groups from 1 to groups from 0. */
static void take_groups(collide_case *c) {
  c->groups = malloc((size_t)length(&c->group) * sizeof *c->groups + 1);
  for (int64_t i = 0; i < length(&c->group); ++i) {
    c->groups[i] = (int32_t)c->group.values[i] - 1;
    if (c->groups[i] >= c->options.groups) c->options.groups = c->groups[i] + 1;
  }
  c->options.group = c->groups;
  c->options.group_length = length(&c->group);
}

static gpugeo_status take_option(golden *g, const char *name, const char *value) {
  collide_case *c = g->own;
  if (strcmp(name, "radius") == 0) {
    return golden_number(g, name, GG_POSITIVE, value, &c->options.radius);
  } else if (strcmp(name, "exclude") == 0) {
    return golden_whole(g, name, value, &c->options.exclude);
  } else if (strcmp(name, "radii") == 0) {
    c->radii = golden_table(value);
    c->options.radii = c->radii.values;
    c->options.radii_length = length(&c->radii);
  } else if (strcmp(name, "box") == 0) {
    c->box = golden_table(value);
    c->options.box = c->box.values;
    c->options.box_length = length(&c->box);
  } else if (strcmp(name, "group") == 0) {
    c->group = golden_table(value);
    take_groups(c);
  } else {
    return golden_unknown(g, name);
  }
  return GPUGEO_OK;
}

/* The result that the case's function names, rows from 1. */
static gpugeo_status write_result(golden *g, const collide_case *c, gpugeo_collisions *found,
                                  golden_result *result) {
  int64_t count = 0;
  gpugeo_status status = gpugeo_collisions_wait(found, NULL, &count, &result->report, &g->error);
  if (status) return status;
  const int64_t groups = c->options.groups;
  double *values = NULL;
  switch (c->options.what) {
  case GPUGEO_COLLISIONS_WHAT_PER_POINT:
    result->rows = g->x.nrow;
    result->columns = 1;
    values = result->values = malloc((size_t)g->x.nrow * sizeof *values + 1);
    return gpugeo_collisions_per_point(found, values, &g->error);
  case GPUGEO_COLLISIONS_WHAT_PAIRS:
    result->rows = count;
    result->columns = 2;
    values = result->values = malloc((size_t)count * 2 * sizeof *values + 1);
    status = gpugeo_collisions_pairs(found, GPUGEO_TYPE_DOUBLE, values, &g->error);
    for (int64_t e = 0; !status && e < 2 * count; ++e)
      ++values[e];
    return status;
  case GPUGEO_COLLISIONS_WHAT_TABLE:
    result->rows = result->columns = groups;
    values = result->values = malloc((size_t)(groups * groups) * sizeof *values + 1);
    return gpugeo_collisions_table(found, values, &g->error);
  default:
    result->rows = result->columns = 1;
    values = result->values = malloc(sizeof *values);
    *values = (double)count;
    return GPUGEO_OK;
  }
}

static gpugeo_status find(golden *g, collide_case *c, golden_result *result) {
  const char *algorithm = g->field[GOLDEN_METHOD];
  gpugeo_status status =
      gpugeo_find(GPUGEO_ENUM_COLLISIONS_WHAT, g->field[GOLDEN_FUNCTION] + strlen("collide_"),
                  (int32_t *)&c->options.what, &g->error);
  if (!status) status = golden_options(g, take_option);
  if (!status && algorithm[0])
    status = gpugeo_find(GPUGEO_ENUM_COLLISIONS_ALGORITHM, algorithm,
                         (int32_t *)&c->options.algorithm, &g->error);
  c->options.run = g->run;
  gpugeo_collisions *found = NULL;
  if (!status) status = gpugeo_collisions_launch(&g->x, g->y, &c->options, &found, &g->error);
  if (!status) status = write_result(g, c, found, result);
  gpugeo_collisions_free(found);
  return status;
}

static gpugeo_status compute(golden *g, golden_result *result) {
  collide_case c = {0};
  gpugeo_collisions_options_init(&c.options, sizeof c.options);
  g->own = &c;
  g->type = GPUGEO_TYPE_DOUBLE; /* numbers and rows, whatever the coordinates are */
  gpugeo_status status = find(g, &c, result);
  table_free(&c.radii);
  table_free(&c.group);
  table_free(&c.box);
  free(c.groups);
  return status;
}

int main(int argc, char **argv) {
  static const golden_family family = {
      .functions = {"collide_count", "collide_per_point", "collide_pairs", "collide_table"},
      .least = 250,
      .compute = compute,
  };
  return golden_main(argc, argv, &family);
}
