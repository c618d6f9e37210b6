#include "distance/point_source.h"

#include "common/error.h"
#include "common/inspect.h"
#include "common/matrix.h"
#include "common/memory.h"
#include "common/sparse.h"

gg_point_source gg_point_source_of(const gpugeo_matrix *x, gpugeo_points points) {
  return (gg_point_source){.view = *x, .points = points};
}

gpugeo_status gg_point_source_open(const char *argument, const gpugeo_point_source *given,
                                   gpugeo_points points, gg_point_source *source,
                                   gpugeo_error *error) {
  if (!given || (!given->matrix && !given->file)) return gg_fail_matrix(error, argument, "NULL");
  *source = (gg_point_source){.points = points};
  if (given->matrix) {
    source->view = *given->matrix;
    return gg_check_any_matrix(argument, given->matrix, error);
  }
  return gg_h5_points_open(argument, given->file, given->name, &source->dataset, &source->view,
                           error);
}

void gg_point_source_close(gg_point_source *source) {
  gg_h5_points_close(source->dataset);
  source->dataset = NULL;
}

int64_t gg_point_source_count(const gg_point_source *source) {
  return gg_point_count(&source->view, source->points);
}

int64_t gg_point_source_coordinates(const gg_point_source *source) {
  return gg_point_size(&source->view, source->points);
}

/* True if parts of it are dense matrices only in room of their own. */
static bool needs_room(const gg_point_source *source) {
  return source->dataset || source->view.sparse;
}

int64_t gg_point_source_fit(const gg_point_source *source, int64_t all, int64_t length,
                            int64_t bytes) {
  if (!needs_room(source) || length == 0) return all;
  const int64_t fit = bytes / (length * (int64_t)sizeof(double));
  return fit < 1 ? 1 : fit < all ? fit : all;
}

int64_t gg_point_source_room(const gg_point_source *source, int64_t points, int64_t coordinates) {
  return needs_room(source) ? points * coordinates : 0;
}

gpugeo_status gg_point_source_make_room(const gg_point_source *source, int64_t points,
                                        int64_t coordinates, double **room, gpugeo_error *error) {
  const int64_t size = gg_point_source_room(source, points, coordinates);
  *room = size ? gg_allocate(size, sizeof **room) : NULL;
  if (size && !*room) return gg_fail_memory(error, size * (int64_t)sizeof **room);
  return GPUGEO_OK;
}

gpugeo_status gg_point_source_block(const gg_point_source *source, gg_block block, double *room,
                                    gpugeo_matrix *view, gpugeo_error *error) {
  const bool rows = source->points == GPUGEO_POINTS_ROWS;
  const int64_t row = rows ? block.point : block.coordinate;
  const int64_t column = rows ? block.coordinate : block.point;
  *view = source->view;
  view->nrow = rows ? block.points : block.coordinates;
  view->ncol = rows ? block.coordinates : block.points;
  if (source->view.sparse) {
    gg_sparse_load(&source->view, source->points, block, rows ? view->nrow : 1,
                   rows ? 1 : view->nrow, room);
    *view = (gpugeo_matrix){.data = room,
                            .type = GPUGEO_TYPE_DOUBLE,
                            .nrow = view->nrow,
                            .ncol = view->ncol,
                            .ld = view->nrow};
    return GPUGEO_OK;
  }
  if (source->dataset) {
    view->data = room;
    view->ld = view->nrow;
    return gg_h5_points_read(source->dataset, row, view->nrow, column, view->ncol, room, error);
  }
  if (view->data) {
    const int64_t size = view->type == GPUGEO_TYPE_DOUBLE ? 8 : 4;
    view->data = (const char *)view->data + (row + column * view->ld) * size;
  }
  return GPUGEO_OK;
}
