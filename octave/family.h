/* The entry points behind __gpugeo__, one for each of its commands. */
#ifndef GPUGEO_OCTAVE_FAMILY_H
#define GPUGEO_OCTAVE_FAMILY_H

#include <memory>

#include "value.h"

namespace gpugeo_octave {

/* The inputs of a family that takes one matrix or two. */
struct inputs {
  octave_scalar_map options;
  matrix x;
  std::unique_ptr<matrix> y; /* null: within x */
  bool interactive;

  const gpugeo_matrix *y_view() const { return y ? y->view() : nullptr; }
  /* The result is single when an input is. */
  bool single() const { return x.single() || (y && y->single()); }
  gpugeo_type type() const { return single() ? GPUGEO_FLOAT : GPUGEO_DOUBLE; }
};

/* Each returns the result and the report. */
octave_value_list dist(const inputs &in); /* dist.cc */
octave_value_list cor(const inputs &in);  /* cor.cc */

std::string metric_name(const octave_value &metric); /* dist.cc: R's name of a metric */
octave_scalar_map info();                            /* info.cc */

} // namespace gpugeo_octave

#endif
