/*
 * Block Lanczos (Golub and Underwood 1977) with full reorthogonalization and thick restarts (Wu and
 * Simon 2000). The basis Q is orthonormal and H = Q' B Q. With the newest block W, whose products
 * are not known yet, B Q = Q H + W R E', where E has the last columns of the identity: the residual
 * of an approximate eigenvector Q s is |R (last elements of s)|.
 *
 * A block has more vectors than eigenvalues are wanted, so none of a multiple one is missed.
 */
#include "ordination/krylov.h"

#include <math.h>
#include <string.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/random.h"
#include "common/symmetric_eigen.h"

enum {
  SPARE = 6,         /* vectors of a block beyond those wanted: they speed up the last ones */
  KEPT_SMALLEST = 8, /* vectors of the smallest eigenvalues kept at a restart, if requested */
  TILE = GG_PANEL * GG_PANEL,
  ROUNDS = 4,      /* of orthogonalization of a panel: each lengthens a vector at most 10^6 times */
  EIGEN_COST = 64, /* the eigenvectors of H are computed when passes have taken so many products,
                      times its side cubed; on two threads they take as long as 12 (measured) */
};

/* What a search works with. Panels [0, known) have products, and the block after them has none. */
typedef struct search {
  gg_krylov *k;
  int64_t n, block, limit, kept; /* panels of a block, of the basis, and those after a restart */
  int64_t known, since;          /* since: passes since the eigenvectors of H were computed */
  int64_t drawn;                 /* random panels so far */
  double **panel;                /* limit + block, and those of a restart and a spare one */
  double *h, *a, *vector;        /* 16 limit squared; h is H, by rows */
  double *value, *work;          /* 16 limit, and 4 times as many */
  double *r;                     /* 16 block squared, by rows */
  double *product, *sum;         /* 16 by 16 (limit + block) */
  double *host;                  /* values of a panel, on the host */
  double worst;                  /* residual of the last check over that which is allowed */
  double first_worst;
} search;

int64_t gg_krylov_block(int64_t wanted) { return (wanted + SPARE + GG_PANEL - 1) / GG_PANEL; }

/* Returns the number of panels that a restart keeps. */
static int64_t kept_panels(int64_t block) { return block + 2; }

int64_t gg_krylov_limit(int64_t wanted) { return 4 * gg_krylov_block(wanted) + 8; }

/* Fills a panel with random numbers between -0.5 and 0.5, the same for the same `which`. */
static void fill_random(double *values, int64_t n, int64_t which) {
  for (int64_t i = 0; i < n * GG_PANEL; ++i)
    values[i] = gg_random_unit((uint64_t)which, (uint64_t)i) - 0.5;
}

/* Returns the progress of the call, by the logarithm of the worst residual. */
static double progress_of(const search *s) {
  const gg_krylov *k = s->k;
  if (!(s->worst > 1) || !(s->first_worst > s->worst)) return k->done;
  return k->done + k->share * log(s->first_worst / s->worst) / log(s->first_worst);
}

/* --- Orthonormal panels ----------------------------------------------------------------------- */

/* Takes from a panel what it has along the basis, and adds that to `along`. */
static void take_basis(search *s, int64_t basis, double *panel, double *along) {
  const gg_gower *gower = s->k->gower;
  gower->centre(gower, panel);
  gower->project(gower, s->panel, basis, panel, s->product);
  for (int64_t i = 0; i < basis * TILE; ++i) {
    if (along) along[i] += s->product[i];
    s->product[i] = -s->product[i];
  }
  gower->combine(gower, s->panel, basis, s->product, false, panel);
}

/* Factors the Gram matrix g = U' U, where diagonals of U are kept away from 0, and inverts U. A
   vector of length 0 has zeros in both. */
static void factor(const double *g, double *u, double *inverse) {
  const double least = 1e-12; /* of a square, so rounding of g has small effect */
  memset(u, 0, TILE * sizeof *u);
  memset(inverse, 0, TILE * sizeof *inverse);
  for (int l = 0; l < GG_PANEL; ++l) {
    const double square = g[l * GG_PANEL + l];
    if (!(square > 0)) continue;
    double pivot = square;
    for (int x = 0; x < l; ++x) {
      double sum = g[x * GG_PANEL + l];
      if (u[x * GG_PANEL + x] == 0) continue;
      for (int y = 0; y < x; ++y)
        sum -= u[y * GG_PANEL + x] * u[y * GG_PANEL + l];
      u[x * GG_PANEL + l] = sum / u[x * GG_PANEL + x];
      pivot -= u[x * GG_PANEL + l] * u[x * GG_PANEL + l];
    }
    u[l * GG_PANEL + l] = sqrt(pivot > least * square ? pivot : least * square);
    inverse[l * GG_PANEL + l] = 1 / u[l * GG_PANEL + l];
    for (int x = 0; x < l; ++x) {
      double sum = 0;
      for (int y = x; y < l; ++y)
        sum += inverse[x * GG_PANEL + y] * u[y * GG_PANEL + l];
      inverse[x * GG_PANEL + l] = -sum * inverse[l * GG_PANEL + l];
    }
  }
}

/* Replaces r by u r, upper triangles. */
static void multiply_triangles(const double *u, double *r) {
  for (int x = 0; x < GG_PANEL; ++x)
    for (int l = x; l < GG_PANEL; ++l) {
      double sum = 0;
      for (int y = x; y <= l; ++y)
        sum += u[x * GG_PANEL + y] * r[y * GG_PANEL + l];
      r[x * GG_PANEL + l] = sum;
    }
}

/* Makes the vectors of panel `which` orthonormal among themselves, and replaces r by what the
   change leaves of them. */
static void take_panel(search *s, int64_t which, double *r) {
  const gg_gower *gower = s->k->gower;
  double u[TILE], inverse[TILE], **panel = &s->panel[which];
  double **spare = &s->panel[s->limit + s->block + s->kept], *before = *panel;
  gower->project(gower, panel, 1, *panel, s->product);
  factor(s->product, u, inverse);
  gower->combine(gower, panel, 1, inverse, true, *spare);
  *panel = *spare;
  *spare = before;
  multiply_triangles(u, r);
}

/* Writes random vectors over those without length, which are 0. Returns their number. */
static int replace_lost(search *s, int64_t which, const double *r) {
  const gg_gower *gower = s->k->gower;
  double **spare = &s->panel[s->limit + s->block + s->kept], taken[TILE] = {0};
  int lost = 0;
  for (int l = 0; l < GG_PANEL; ++l) {
    if (r[l * GG_PANEL + l] > 0) continue;
    taken[l * GG_PANEL + l] = 1;
    ++lost;
  }
  if (lost == 0) return 0;
  fill_random(s->host, s->n, ++s->drawn);
  gower->panel_write(gower, s->host, *spare);
  gower->combine(gower, spare, 1, taken, false, s->panel[which]);
  return lost;
}

/*
 * Makes panel `which` orthonormal, and orthogonal to all before it: afterwards, what it was is the
 * panels before it times `along`, and the panel times r, an upper triangle. Vectors of which only
 * rounding errors are left stay as such, lengthened.
 */
static void orthonormalize(search *s, int64_t which, double *along, double *r) {
  double unused[TILE];
  memset(along, 0, (size_t)(which * TILE) * sizeof *along);
  memset(r, 0, TILE * sizeof *r);
  for (int l = 0; l < GG_PANEL; ++l)
    r[l * GG_PANEL + l] = 1;
  take_basis(s, which, s->panel[which], along);
  for (int round = 0; round < ROUNDS; ++round) {
    take_basis(s, which, s->panel[which], round ? NULL : along);
    take_panel(s, which, r);
  }
  if (!replace_lost(s, which, r)) return;
  memset(unused, 0, sizeof unused);
  for (int round = 0; round <= ROUNDS; ++round) {
    take_basis(s, which, s->panel[which], NULL);
    take_panel(s, which, unused);
  }
}

/* --- Steps ------------------------------------------------------------------------------------ */

/* Writes what B has along the basis for the newest block, whose products follow it, and makes the
   next block of them. */
static void take_products(search *s) {
  const int64_t first = s->known, basis = first + s->block, side = s->limit * GG_PANEL;
  const int64_t width = s->block * GG_PANEL;
  memset(s->r, 0, (size_t)(width * width) * sizeof *s->r);
  for (int64_t t = 0; t < s->block; ++t) {
    double triangle[TILE];
    orthonormalize(s, basis + t, s->sum, triangle);
    for (int64_t y = 0; y < (basis + t) * GG_PANEL; ++y)
      for (int l = 0; l < GG_PANEL; ++l) {
        const int64_t column = (first + t) * GG_PANEL + l, row = y - basis * GG_PANEL;
        if (row < 0)
          s->h[y * side + column] = s->sum[y * GG_PANEL + l];
        else
          s->r[row * width + t * GG_PANEL + l] = s->sum[y * GG_PANEL + l];
      }
    for (int x = 0; x < GG_PANEL; ++x)
      memcpy(s->r + (t * GG_PANEL + x) * width + t * GG_PANEL, triangle + x * GG_PANEL,
             GG_PANEL * sizeof *triangle);
  }
  for (int64_t y = first * GG_PANEL; y < basis * GG_PANEL; ++y)
    for (int64_t x = 0; x < y; ++x) {
      const double above = s->h[x * side + y], below = s->h[y * side + x];
      const double both = x < first * GG_PANEL ? above : (above + below) / 2;
      s->h[x * side + y] = s->h[y * side + x] = both;
    }
  s->known = basis;
}

/* Returns the number of the i-th eigenvalue that is wanted, of all of H. */
static int64_t wanted_at(const search *s, int64_t i) {
  return i < s->k->top ? i : s->known * GG_PANEL - 1;
}

/* Returns the residual of the eigenvector `which` of H: |R y|, y its part of the newest block. */
static double residual_of(const search *s, int64_t which) {
  const int64_t width = s->block * GG_PANEL, side = s->known * GG_PANEL;
  const double *last = s->vector + which * side + side - width;
  double squares = 0;
  for (int64_t x = 0; x < width; ++x) {
    double sum = 0;
    for (int64_t y = 0; y < width; ++y)
      sum += s->r[x * width + y] * last[y];
    squares += sum * sum;
  }
  return sqrt(squares);
}

/* Computes the eigenvectors of H, and whether those wanted have small residuals. */
static gpugeo_status check_residuals(search *s, gpugeo_error *error) {
  gg_krylov *k = s->k;
  const int64_t side = s->known * GG_PANEL, all = s->limit * GG_PANEL;
  for (int64_t i = 0; i < side; ++i)
    memcpy(s->a + i * side, s->h + i * all, (size_t)side * sizeof *s->a);
  if (!gg_symmetric_eigen(s->a, side, s->value, s->vector, s->work, k->gower->clock,
                          progress_of(s)))
    return gg_fail_interrupt(error);
  const double largest = fmax(fabs(s->value[0]), fabs(s->value[side - 1]));
  const double allowed = fmax(k->tolerance * largest, k->noise);
  s->worst = 0;
  for (int64_t i = 0; i < k->top + k->bottom; ++i) {
    k->value[i] = s->value[wanted_at(s, i)];
    k->residual[i] = residual_of(s, wanted_at(s, i));
    if (!(k->residual[i] <= allowed)) s->worst = fmax(s->worst, k->residual[i] / allowed);
  }
  if (s->first_worst == 0) s->first_worst = s->worst;
  k->converged = s->worst == 0;
  s->since = 0;
  return GPUGEO_OK;
}

/* Writes approximate eigenvectors to panels: `count` of them, the last `low` from the lower end of
   the spectrum. */
static void combine_vectors(search *s, double *const *to, int64_t count, int64_t low,
                            double *value) {
  const gg_gower *gower = s->k->gower;
  const int64_t side = s->known * GG_PANEL;
  for (int64_t first = 0; first < count; first += GG_PANEL) {
    memset(s->sum, 0, (size_t)(side * GG_PANEL) * sizeof *s->sum);
    for (int64_t l = 0; l < GG_PANEL && first + l < count; ++l) {
      const int64_t i = first + l, which = i < count - low ? i : side - count + i;
      if (value) value[i] = s->value[which];
      for (int64_t y = 0; y < side; ++y)
        s->sum[y * GG_PANEL + l] = s->vector[which * side + y];
    }
    gower->combine(gower, s->panel, s->known, s->sum, true, to[first / GG_PANEL]);
  }
}

/* Makes the best approximate eigenvectors the basis, before the newest block. */
static void restart_basis(search *s) {
  const int64_t count = s->kept * GG_PANEL, side = s->limit * GG_PANEL;
  const int64_t low = !s->k->bottom ? 0 : s->k->top ? KEPT_SMALLEST : count;
  double **made = s->panel + s->limit + s->block;
  combine_vectors(s, made, count, low, s->work);
  memset(s->h, 0, (size_t)(side * side) * sizeof *s->h);
  for (int64_t i = 0; i < count; ++i)
    s->h[i * side + i] = s->work[i];
  for (int64_t t = 0; t < s->kept + s->block; ++t) { /* swaps, so each panel stays one */
    double **from = t < s->kept ? &made[t] : &s->panel[s->known + t - s->kept];
    double *before = s->panel[t];
    s->panel[t] = *from;
    *from = before;
  }
  s->known = s->kept;
}

/* Writes the eigenvectors that are wanted as columns. */
static void write_vectors(search *s) {
  gg_krylov *k = s->k;
  const int64_t count = k->top + k->bottom;
  double **made = s->panel + s->limit + s->block;
  combine_vectors(s, made, count, k->bottom, NULL);
  for (int64_t c = 0; c < count; ++c) {
    if (c % GG_PANEL == 0) k->gower->panel_read(k->gower, made[c / GG_PANEL], s->host);
    for (int64_t i = 0; i < s->n; ++i)
      k->vector[i + c * s->n] = s->host[i * GG_PANEL + c % GG_PANEL];
  }
}

/* True if it is time to compute the eigenvectors of H. */
static bool check_is_due(const search *s, bool full, bool last) {
  const double side = (double)(s->known * GG_PANEL), n = (double)s->n;
  const double passes = (double)s->since * n * n * (double)(s->block * GG_PANEL);
  return full || last || (s->since > 1 && passes > EIGEN_COST * side * side * side);
}

/* Makes the first block: random vectors, and the one that is given. */
static void make_first_block(search *s) {
  const gg_krylov *k = s->k;
  for (int64_t t = 0; t < s->block; ++t) {
    double triangle[TILE];
    fill_random(s->host, s->n, t);
    for (int64_t i = 0; k->first && t == 0 && i < s->n; ++i)
      s->host[i * GG_PANEL] = k->first[i];
    k->gower->panel_write(k->gower, s->host, s->panel[t]);
    orthonormalize(s, t, s->sum, triangle);
  }
}

/* Adds blocks to the subspace until the search has converged or passes are used up. */
static gpugeo_status search_vectors(search *s, gpugeo_error *error) {
  gg_krylov *k = s->k;
  const gg_gower *gower = k->gower;
  gpugeo_status status = GPUGEO_OK;
  make_first_block(s);
  for (int64_t pass = 1; !status; ++pass) {
    double **newest = s->panel + s->known;
    status = gower->multiply(gower, &k->matrix, newest, s->block, newest + s->block, progress_of(s),
                             error);
    if (status) break;
    ++k->passes;
    ++s->since;
    take_products(s);
    const bool full = s->known + s->block > s->limit, last = pass >= k->most;
    if (!check_is_due(s, full, last)) continue;
    status = check_residuals(s, error);
    if (status || k->converged || last) break;
    if (full) restart_basis(s);
  }
  if (!status) write_vectors(s);
  return status;
}

/* --- Memory ----------------------------------------------------------------------------------- */

void gg_panels_free(const gg_gower *gower, double **panel, int64_t count) {
  for (int64_t t = 0; panel && t < count; ++t)
    if (panel[t]) gower->panel_free(gower, panel[t]);
  gg_free(panel);
}

double **gg_panels_make(const gg_gower *gower, int64_t count, gpugeo_error *error) {
  double **panel = gg_allocate_zeros(count, sizeof *panel);
  bool there = panel;
  for (int64_t t = 0; there && t < count; ++t)
    there = (panel[t] = gower->panel_make(gower));
  if (there) return panel;
  gg_panels_free(gower, panel, count);
  (void)gg_fail_memory(error, count * gower->n * GG_PANEL * (int64_t)sizeof **panel);
  return NULL;
}

/* Returns the number of panels that the search has. */
static int64_t panels_of(const search *s) { return s->limit + s->block + s->kept + 1; }

/* Allocates the panels and arrays of the search; fails without memory. */
static gpugeo_status allocate_search(search *s, gpugeo_error *error) {
  const int64_t side = s->limit * GG_PANEL, width = s->block * GG_PANEL;
  const int64_t products = (s->limit + s->block) * TILE;
  s->h = gg_allocate_zeros(side * side, sizeof *s->h);
  s->a = gg_allocate(side * side, sizeof *s->a);
  s->vector = gg_allocate(side * side, sizeof *s->vector);
  s->value = gg_allocate(side, sizeof *s->value);
  s->work = gg_allocate(4 * side, sizeof *s->work);
  s->r = gg_allocate(width * width, sizeof *s->r);
  s->product = gg_allocate(products, sizeof *s->product);
  s->sum = gg_allocate(products, sizeof *s->sum);
  s->host = gg_allocate_large(s->n * GG_PANEL, sizeof *s->host);
  if (!(s->h && s->a && s->vector && s->value && s->work && s->r && s->product && s->sum &&
        s->host))
    return gg_fail_memory(error, (3 * side * side + s->n * GG_PANEL) * (int64_t)sizeof(double));
  s->panel = gg_panels_make(s->k->gower, panels_of(s), error);
  return s->panel ? GPUGEO_OK : GPUGEO_ERROR_MEMORY;
}

/* Frees what the search has allocated. */
static void free_search(search *s) {
  gg_panels_free(s->k->gower, s->panel, panels_of(s));
  gg_free(s->h);
  gg_free(s->a);
  gg_free(s->vector);
  gg_free(s->value);
  gg_free(s->work);
  gg_free(s->r);
  gg_free(s->product);
  gg_free(s->sum);
  gg_free(s->host);
}

gpugeo_status gg_krylov_search(gg_krylov *krylov, gpugeo_error *error) {
  const int64_t wanted = krylov->top + krylov->bottom;
  search s = {.k = krylov,
              .n = krylov->gower->n,
              .block = gg_krylov_block(wanted),
              .limit = gg_krylov_limit(wanted),
              .drawn = gg_krylov_block(wanted)};
  s.kept = kept_panels(s.block);
  krylov->converged = false;
  gpugeo_status status = allocate_search(&s, error);
  if (!status) status = search_vectors(&s, error);
  free_search(&s);
  return status;
}
