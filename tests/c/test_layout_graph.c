/* What layouts make of a graph before there are positions: rows, components, pairs of vertices and
   coarser graphs; each is held to the plainest way there is, on several numbers of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "data.h"
#include "layout/components.h"
#include "layout/contraction.h"
#include "layout/matching.h"

static const int32_t threads[] = {1, 2, 5};
enum { THREADS = sizeof threads / sizeof *threads };

/* A list of edges from 1, by columns, in the storage asked for. */
typedef struct list {
  int64_t vertices, edges;
  int32_t *ends;
  double *numbers, *weights;
} list;

typedef enum kind { SPARSE, DENSE, STAR, CLUSTERS, LOOPS, NONE, KINDS } kind;

/* Weights are multiples of 1/8, so that their sums are exact. */
static list make_list(kind kind, bool weighted, uint64_t seed) {
  static const int64_t vertices[] = {15000, 200, 20000, 12000, 5, 4};
  static const int64_t edges[] = {25000, 20000, 19999, 12000, 20, 0};
  list l = {.vertices = vertices[kind], .edges = edges[kind]};
  dice d = {seed};
  l.ends = malloc(sizeof *l.ends * (size_t)(2 * l.edges + 1));
  l.numbers = malloc(sizeof *l.numbers * (size_t)(2 * l.edges + 1));
  if (weighted) l.weights = malloc(sizeof *l.weights * (size_t)(l.edges + 1));
  for (int64_t e = 0; e < l.edges; ++e) {
    int64_t u = dice_whole(&d, l.vertices - 1), v = dice_whole(&d, l.vertices - 1);
    if (kind == STAR) u = 7, v = e + (e >= 7);
    if (kind == CLUSTERS) v = u - u % 9 + v % 9 < l.vertices ? u - u % 9 + v % 9 : u;
    if (kind == LOOPS) v = u;
    l.ends[e] = (int32_t)u + 1;
    l.ends[e + l.edges] = (int32_t)v + 1;
    if (weighted) l.weights[e] = (double)dice_whole(&d, 40) / 8;
  }
  for (int64_t i = 0; i < 2 * l.edges; ++i)
    l.numbers[i] = l.ends[i];
  return l;
}

static gpugeo_graph view(const list *l, bool doubles) {
  return (gpugeo_graph){.vertices = l->vertices,
                        .first = 1,
                        .edges = {doubles ? (void *)l->numbers : (void *)l->ends,
                                  doubles ? GPUGEO_TYPE_DOUBLE : GPUGEO_TYPE_INT32, l->edges, 2,
                                  l->edges, NULL},
                        .weights = l->weights,
                        .weights_length = l->weights ? l->edges : 0};
}

static void list_free(list *l) {
  free(l->ends);
  free(l->numbers);
  free(l->weights);
}

/* --- Rows ------------------------------------------------------------------------------------- */

typedef struct arc {
  int64_t row, neighbor;
  double weight;
} arc;

static int compare_arcs(const void *left, const void *right) {
  const arc *a = left, *b = right;
  if (a->row != b->row) return a->row < b->row ? -1 : 1;
  return a->neighbor < b->neighbor ? -1 : a->neighbor > b->neighbor;
}

/* Sorts arcs, drops loops, and adds up equal ones. Returns how many are left. */
static int64_t merge_arcs(arc *arcs, int64_t count) {
  int64_t left = 0;
  qsort(arcs, (size_t)count, sizeof *arcs, compare_arcs);
  for (int64_t i = 0; i < count; ++i) {
    if (arcs[i].row == arcs[i].neighbor) continue;
    if (left > 0 && compare_arcs(&arcs[left - 1], &arcs[i]) == 0)
      arcs[left - 1].weight += arcs[i].weight;
    else
      arcs[left++] = arcs[i];
  }
  return left;
}

/* The arcs of rows, in order. */
static arc *arcs_of(const gg_layout_graph *rows) {
  arc *arcs = malloc(sizeof *arcs * (size_t)(rows->start[rows->vertices] + 1));
  for (int64_t v = 0; v < rows->vertices; ++v)
    for (int64_t at = rows->start[v]; at < rows->start[v + 1]; ++at)
      arcs[at] = (arc){v, rows->neighbor[at], rows->weight ? (double)rows->weight[at] : 1};
  return arcs;
}

/* True if the rows are these arcs, each once, in any order within a row. */
static bool rows_are(const gg_layout_graph *rows, const arc *want, int64_t count) {
  const int64_t arcs = rows->start[rows->vertices];
  bool same = arcs == count, ones = true;
  arc *got = arcs_of(rows);
  qsort(got, (size_t)arcs, sizeof *got, compare_arcs);
  for (int64_t i = 0; same && i < count; ++i) {
    same = compare_arcs(&got[i], &want[i]) == 0 && got[i].weight == want[i].weight;
    ones = ones && want[i].weight == 1;
  }
  free(got);
  return same && ones == !rows->weight;
}

static bool increasing(const gg_layout_graph *rows) {
  for (int64_t v = 0; v < rows->vertices; ++v)
    for (int64_t at = rows->start[v] + 1; at < rows->start[v + 1]; ++at)
      if (rows->neighbor[at] <= rows->neighbor[at - 1]) return false;
  return true;
}

static void check_rows(const list *l, const gg_layout_graph *rows, const char *name) {
  arc *arcs = malloc(sizeof *arcs * (size_t)(2 * l->edges + 1));
  for (int64_t e = 0; e < l->edges; ++e) {
    const int64_t u = l->ends[e] - 1, v = l->ends[e + l->edges] - 1;
    const double weight = l->weights ? l->weights[e] : 1;
    arcs[2 * e] = (arc){u, v, weight};
    arcs[2 * e + 1] = (arc){v, u, weight};
  }
  const int64_t count = merge_arcs(arcs, 2 * l->edges);
  CHECK(rows_are(rows, arcs, count) && increasing(rows), "%s: rows are not those of the edges",
        name);
  free(arcs);
}

/* --- Components ------------------------------------------------------------------------------- */

static void check_components(const gg_layout_graph *rows, const gg_layout_components *found,
                             const char *name) {
  const int64_t n = rows->vertices;
  int64_t *least = malloc(sizeof *least * (size_t)n), *number = calloc((size_t)n, sizeof *number);
  int64_t count = 0, wrong = 0;
  for (int64_t v = 0; v < n; ++v)
    least[v] = v;
  for (bool changed = true; changed;) {
    changed = false;
    for (int64_t v = 0; v < n; ++v)
      for (int64_t at = rows->start[v]; at < rows->start[v + 1]; ++at)
        if (least[rows->neighbor[at]] < least[v]) {
          least[v] = least[rows->neighbor[at]];
          changed = true;
        }
  }
  for (int64_t v = 0; v < n; ++v)
    if (least[v] == v) number[v] = count++;
  int64_t *place = calloc((size_t)count, sizeof *place);
  for (int64_t v = 0; v < n; ++v) {
    const int64_t c = number[least[v]];
    wrong += found->rank[v] != place[c] || found->member[found->start[c] + place[c]] != v;
    ++place[c];
  }
  CHECK(count == found->count && wrong == 0, "%s: %lld components, expected %lld; %lld are wrong",
        name, (long long)found->count, (long long)count, (long long)wrong);
  free(least);
  free(number);
  free(place);
}

/* --- Pairs ------------------------------------------------------------------------------------ */

static int64_t length_of(const gg_layout_graph *rows, int64_t v) {
  const int64_t length = rows->start[v + 1] - rows->start[v];
  return length < 1024 ? length : 1024;
}

/* The neighbour of most weight per mass, free or not; the smallest of equals. -1: none. */
static int32_t best(const gg_layout_graph *rows, const float *mass, const int32_t *partner,
                    int64_t v, bool free_only) {
  int32_t found = -1;
  float most = -1;
  for (int64_t at = rows->start[v]; at < rows->start[v + 1]; ++at) {
    const int32_t w = rows->neighbor[at];
    const float rate = (rows->weight ? rows->weight[at] : 1) / (mass ? mass[w] : 1);
    if ((free_only && partner[w] >= 0) || rate < most || (rate == most && w > found)) continue;
    most = rate;
    found = w;
  }
  return found;
}

/* One vertex after the other, those with the shortest rows first. */
static int32_t *match_plainly(const gg_layout_graph *rows, const float *mass) {
  const int64_t n = rows->vertices;
  int32_t *partner = malloc(sizeof *partner * (size_t)n);
  int32_t *waiting = malloc(sizeof *waiting * (size_t)n);
  int64_t longest = 0;
  for (int64_t v = 0; v < n; ++v) {
    partner[v] = waiting[v] = -1;
    if (length_of(rows, v) > longest) longest = length_of(rows, v);
  }
  for (int pass = 0; pass < 2; ++pass)
    for (int64_t length = 0; length <= longest; ++length)
      for (int64_t v = 0; v < n; ++v) {
        if (length_of(rows, v) != length || partner[v] >= 0) continue;
        int32_t w = best(rows, mass, partner, v, pass == 0);
        if (w < 0) continue;
        if (pass == 1) {
          const int32_t other = waiting[w];
          waiting[w] = other < 0 ? (int32_t)v : -1;
          w = other;
        }
        if (w < 0) continue;
        partner[v] = w;
        partner[w] = (int32_t)v;
      }
  free(waiting);
  return partner;
}

static void check_match(const gg_layout_graph *rows, const float *mass, const int32_t *got,
                        const char *name) {
  int32_t *want = match_plainly(rows, mass);
  CHECK(memcmp(got, want, sizeof *want * (size_t)rows->vertices) == 0, "%s: other pairs", name);
  free(want);
}

/* --- Coarser graphs --------------------------------------------------------------------------- */

static void check_coarse(const gg_layout_graph *fine, const float *mass, const int32_t *partner,
                         const gg_layout_coarse *coarse, const char *name) {
  const int64_t n = fine->vertices, arcs = fine->start[n];
  int64_t count = 0, wrong = 0;
  double *sums = calloc((size_t)n, sizeof *sums);
  arc *want = arcs_of(fine);
  for (int64_t v = 0; v < n; ++v) {
    const bool second = partner[v] >= 0 && partner[v] < v;
    wrong += coarse->parent[v] != (second ? coarse->parent[partner[v]] : count);
    count += !second;
    sums[coarse->parent[v]] += mass ? (double)mass[v] : 1;
  }
  for (int64_t c = 0; c < count; ++c)
    wrong += (double)coarse->mass[c] != sums[c];
  CHECK(wrong == 0 && coarse->graph.vertices == count, "%s: %lld parents or masses are wrong", name,
        (long long)wrong);
  for (int64_t i = 0; i < arcs; ++i)
    want[i] = (arc){coarse->parent[want[i].row], coarse->parent[want[i].neighbor], want[i].weight};
  CHECK(rows_are(&coarse->graph, want, merge_arcs(want, arcs)), "%s: other rows", name);
  free(want);
  free(sums);
}

static bool same_rows(const gg_layout_graph *a, const gg_layout_graph *b) {
  const size_t n = (size_t)a->vertices, arcs = (size_t)a->start[n];
  return a->vertices == b->vertices && !a->weight == !b->weight &&
         memcmp(a->start, b->start, (n + 1) * sizeof *a->start) == 0 &&
         memcmp(a->neighbor, b->neighbor, arcs * sizeof *a->neighbor) == 0 &&
         (!a->weight || memcmp(a->weight, b->weight, arcs * sizeof *a->weight) == 0);
}

/* Three levels of coarser graphs. */
static void check_levels(const gg_layout_graph *rows, const char *name) {
  gg_layout_coarse level[4] = {{.graph = *rows}};
  for (int i = 0; i < 3; ++i) {
    const gg_layout_graph *fine = &level[i].graph;
    int32_t *partner = malloc(sizeof *partner * (size_t)fine->vertices);
    for (int t = 0; t < THREADS; ++t) {
      gg_layout_coarse coarse;
      CHECK(!gg_layout_matching(fine, level[i].mass, threads[t], partner, NULL) &&
                !gg_layout_coarsen(fine, level[i].mass, threads[t], &coarse, NULL),
            "%s: no memory", name);
      if (t == 0) {
        check_match(fine, level[i].mass, partner, name);
        check_coarse(fine, level[i].mass, partner, &coarse, name);
        level[i + 1] = coarse;
        continue;
      }
      CHECK(same_rows(&coarse.graph, &level[i + 1].graph), "%s, level %d: other bits on %d threads",
            name, i, threads[t]);
      gg_layout_coarse_free(&coarse);
    }
    free(partner);
  }
  for (int i = 1; i < 4; ++i)
    gg_layout_coarse_free(&level[i]);
}

static void test_graphs(void) {
  static const char *const names[] = {"sparse", "dense", "star", "clusters", "loops", "no edges"};
  for (int kind = 0; kind < KINDS; ++kind)
    for (int choice = 0; choice < 2; ++choice) {
      list l = make_list((enum kind)kind, choice, 3);
      for (int t = 0; t < THREADS; ++t) {
        const gpugeo_graph graph = view(&l, choice);
        gg_layout_graph rows;
        gg_layout_components components;
        CHECK(!gg_layout_graph_check(&graph, threads[t], NULL) &&
                  !gg_layout_graph_make(&graph, threads[t], &rows, NULL) &&
                  !gg_layout_components_find(&rows, threads[t], &components, NULL),
              "%s: no memory", names[kind]);
        check_rows(&l, &rows, names[kind]);
        check_components(&rows, &components, names[kind]);
        if (t == 0) check_levels(&rows, names[kind]);
        gg_layout_components_free(&components);
        gg_layout_graph_free(&rows);
      }
      list_free(&l);
    }
}

/* The first of several wrong edges is named, on any number of threads. */
static void test_wrong_edges(void) {
  list l = make_list(SPARSE, true, 4);
  gpugeo_error error;
  l.ends[24000] = 0;
  l.ends[21000 + l.edges] = 15001;
  l.weights[23000] = -1;
  for (int t = 0; t < THREADS; ++t) {
    const gpugeo_graph graph = view(&l, false);
    CHECK(
        gg_layout_graph_check(&graph, threads[t], &error) == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message,
                   "edge 21001: the second vertex must be a whole number between 1 and 15000 (the "
                   "vertices), not 15001") == 0,
        "\"%s\"", error.message);
  }
  list_free(&l);
}

int main(void) {
  test_graphs();
  test_wrong_edges();
  return check_end();
}
