/* Which way of summing repulsion is faster. */
#include "layout/layout.h"

gpugeo_layout_repulsion gg_layout_choose(const gg_backend *backend, int64_t vertices) {
  return vertices <= backend->can.exact_repulsion ? GPUGEO_LAYOUT_REPULSION_EXACT
                                                  : GPUGEO_LAYOUT_REPULSION_BARNES_HUT;
}
