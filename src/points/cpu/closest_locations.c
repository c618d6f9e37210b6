#include "points/cpu/closest_locations.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "points/points.h"

/* A point of a cell. */
typedef struct member {
  double at[GG_POINT_COLUMNS]; /* what makes a location */
  int64_t position;            /* in the grid, which has the order of rows in a cell */
} member;

/* True if two points are at the same location. */
static bool equal(const member *a, const member *b) {
  return a->at[0] == b->at[0] && a->at[1] == b->at[1] && a->at[2] == b->at[2];
}

/* Compares points by location, then by position, for qsort(). */
static int in_order(const void *left, const void *right) {
  const member *a = left, *b = right;
  for (int c = 0; c < GG_POINT_COLUMNS; ++c)
    if (a->at[c] != b->at[c]) return a->at[c] < b->at[c] ? -1 : 1;
  return a->position < b->position ? -1 : a->position > b->position;
}

/* Moves members that equal the first one to the front, through the scratch `others`, and keeps
   the order of both groups. Returns how many are equal. */
static int64_t gather_equal(member *m, int64_t count, member *others) {
  int64_t same = 0, rest = 0;
  const member first = m[0];
  for (int64_t i = 0; i < count; ++i)
    if (equal(&m[i], &first))
      m[same++] = m[i];
    else
      others[rest++] = m[i];
  memcpy(m + same, others, (size_t)rest * sizeof *m);
  return same;
}

/* Groups equal members, rows ascending. Gathers location by location in cells with few locations,
   and sorts in others. */
static void group(member *m, int64_t count, member *scratch) {
  const int most = 8;
  for (int locations = 0; count > 1; ++locations) {
    if (locations == most) {
      qsort(m, (size_t)count, sizeof *m, in_order);
      return;
    }
    const int64_t same = gather_equal(m, count, scratch);
    m += same;
    count -= same;
  }
}

/* Loads the point at a position of the grid. */
static void load_member(const gg_grid *grid, const gg_point_rule *rule, const gpugeo_matrix *raw,
                        int64_t position, member *m) {
  m->position = position;
  if (rule->kind == GG_POINT_SPHERE) {
    gg_point_load(rule, raw, grid->row[position], m->at);
    return;
  }
  for (int c = 0; c < GG_POINT_COLUMNS; ++c)
    m->at[c] = c < rule->columns ? grid->at[c][position] : 0;
}

/* Returns the number of points in the fullest cell. */
static int64_t largest_cell(const gg_grid *grid) {
  int64_t largest = 1;
  for (int64_t p = 0, end; p < grid->n; p = end) {
    end = gg_grid_cell_end(grid, p);
    if (end - p > largest) largest = end - p;
  }
  return largest;
}

/* Stores the location of a member as a point of the grid. */
static void put_location(gg_grid *grid, const gg_point_rule *rule, const member *m, uint64_t key,
                         int64_t location) {
  double unit[GG_POINT_COLUMNS];
  const bool sphere = rule->kind == GG_POINT_SPHERE;
  if (sphere) gg_sphere_unit(m->at, unit);
  grid->key[location] = key;
  for (int c = 0; c < grid->shape.columns; ++c)
    grid->at[c][location] = sphere ? unit[c] : m->at[c];
}

/* Points of a grid that are joined to locations. */
typedef struct joining {
  gg_grid *grid;
  const gg_point_rule *rule;
  const gpugeo_matrix *raw;
  member *members; /* room for twice the largest cell */
  gg_locations *locations;
} joining;

/* Groups the cell at [p, end): writes its members' rows to locations->row, and its locations to the
   grid from `location` on. Returns the number of locations so far. */
static int64_t group_cell(const joining *j, int64_t p, int64_t end, int64_t location) {
  gg_grid *grid = j->grid;
  member *members = j->members;
  gg_locations *locations = j->locations;
  const int64_t count = end - p;
  const uint64_t key = grid->key[p];
  for (int64_t i = 0; i < count; ++i)
    load_member(grid, j->rule, j->raw, p + i, &members[i]);
  group(members, count, members + count);
  /* Rows first: locations overwrite positions of this cell. */
  for (int64_t i = 0; i < count; ++i)
    locations->row[p + i] = grid->row[members[i].position];
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0 && equal(&members[i], &members[i - 1])) continue;
    locations->first[location] = (int32_t)(p + i);
    put_location(grid, j->rule, &members[i], key, location++);
  }
  return location;
}

gpugeo_status gg_locations_make(gg_grid *grid, const gg_point_rule *rule, const gpugeo_matrix *raw,
                                double progress, gg_locations *locations, gg_call *call) {
  *locations = (gg_locations){0};
  if (call->status) return call->status;
  const int64_t n = grid->n, largest = largest_cell(grid);
  *locations = (gg_locations){gg_allocate(n, sizeof(int32_t)), gg_allocate(n + 1, sizeof(int32_t))};
  member *members = gg_allocate(2 * largest, sizeof *members);
  if (!locations->row || !locations->first || !members)
    call->status = gg_fail_memory(call->error, (2 * n + 1) * (int64_t)sizeof(int32_t) +
                                                   2 * largest * (int64_t)sizeof *members);
  const joining j = {grid, rule, raw, members, locations};
  int64_t location = 0;
  for (int64_t p = 0, end; !call->status && p < n; p = end) {
    end = gg_grid_cell_end(grid, p);
    location = group_cell(&j, p, end, location);
    gg_call_poll(call, progress);
  }
  gg_free(members);
  if (call->status) return call->status;
  locations->first[location] = (int32_t)n;
  for (int64_t i = 0; i < location; ++i)
    grid->row[i] = (int32_t)i;
  grid->n = location;
  return GPUGEO_OK;
}

void gg_locations_free(gg_locations *locations) {
  gg_free(locations->row);
  gg_free(locations->first);
  *locations = (gg_locations){0};
}
