/*
 * Near pairs of step product, which are computed again from the differences of their coordinates
 * (see metric_step.h). Included within a namespace after metric_step.h, with `real` defined.
 */

/* True if a value of step product must be computed again. */
static __device__ __forceinline__ bool has_lost_digits(real value, int finish) {
  return !(finish & GG_FINISH_SIMILARITY) && is_near(value);
}
