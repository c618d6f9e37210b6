/* What is found out about points before their distances are computed: by the backend that computes
   these, if it can, and else on the host. */
#ifndef GG_POINT_FACTS_H
#define GG_POINT_FACTS_H

#include "common/backend.h"
#include "common/c_linkage.h"
#include "common/call.h"
#include "distance/missing_rows.h"
#include "gpugeo.h"

GG_C_BEGIN

/* What is found out of each coordinate. */
typedef enum gg_column_facts {
  GG_COLUMNS_NONE,
  GG_COLUMNS_MOMENTS, /* m numbers of values, and m standard deviations, see gg_deviations() */
  GG_COLUMNS_EXTENTS  /* what gg_gower_params_of() takes, 2 m, and gg_gower_check_found(), 2 m */
} gg_column_facts;

/* Points on a device: coordinate k of point i, a double, is at data[i + k * ld]. */
typedef struct gg_brought_points {
  void *data; /* NULL: none */
  int64_t ld;
  int32_t device;
} gg_brought_points;

struct gg_point_facts {
  int found;            /* which of GG_HAS_... hold */
  gg_missing_rows rows; /* points without any distance */
  double *columns;      /* room for what a backend finds; NULL where nothing was found */
  bool done;            /* by the backend; else nothing of this is there */
  gg_brought_points brought;
  const gg_backend *backend; /* that has brought them */
};

/* What a backend is to find out. */
struct gg_inspect_plan {
  gpugeo_matrix x; /* dense, with at least one point and one coordinate */
  gpugeo_points points;
  gpugeo_metric metric;
  gg_column_facts columns;
  const double *types; /* of Gower's columns; NULL: all are numeric */
  int32_t threads, device;
  int64_t work_bytes; /* 0: the backend's default */
};

/* Finds them out. backend may be NULL, the host's; device may be GPUGEO_DEVICE_ALL. The facts must
   be freed by gg_point_facts_free(), also after a failure. */
gpugeo_status gg_point_facts_find(const gpugeo_matrix *x, const gpugeo_dist_options *options,
                                  const gg_backend *backend, int32_t device, gg_point_facts *facts,
                                  gg_call *call);
void gg_point_facts_free(gg_point_facts *facts);

GG_C_END

#endif
