/* The options of a metric: what families of distances share. */
#ifndef GPUGEO_OCTAVE_METRIC_H
#define GPUGEO_OCTAVE_METRIC_H

#include "value.h"

#include "common/error.h" /* not Octave's header of that name */

namespace gpugeo_octave {

gpugeo_metric find_metric(const octave_value &name); /* dist.cc */

/* The fields method, p, scale and cov, for the life of this object. */
class metric_options {
public:
  /* Throws gpugeo:argument on a value that is not allowed. */
  explicit metric_options(const octave_scalar_map &options)
      : metric_(find_metric(options.getfield("method"))), cov_value_(option(options, "cov")),
        scale_(option(options, "scale"), "scale"), cov_(cov_value_, "cov") {
    read_number(options, "p", GG_POSITIVE, &p_);
  }

  /* Gives them to options of the core. */
  template <typename Options> void give(Options *options) const {
    options->metric = metric_;
    options->p = p_;
    options->scale = scale_.data();
    options->scale_length = scale_.length();
    if (cov_value_.is_defined())
      options->cov = {cov_.data(), GPUGEO_DOUBLE, cov_value_.rows(), cov_value_.columns(),
                      cov_value_.rows()};
  }

private:
  gpugeo_metric metric_;
  double p_ = 2;
  octave_value cov_value_;
  doubles scale_, cov_;
};

} // namespace gpugeo_octave

#endif
