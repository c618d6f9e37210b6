/* The loops of reference.c for one real type: the including file defines T, TINY (its smallest
   normal number) and LOOP, the function's name. Functions of <tgmath.h> follow the type. */

static T LOOP(const reference *r, const double *x, const double *y, int64_t m) {
  T sum = 0, other = 0, largest = -1;
  int64_t left = 0; /* coordinates that count */
  for (int64_t k = 0; k < m; ++k) {
    const T a = (T)x[k], b = (T)y[k];
    T d = a - b;
    switch (r->metric) {
    case GPUGEO_METRIC_SEUCLIDEAN:
      d *= (T)(1 / r->scale[k]);
      /* fall through */
    case GPUGEO_METRIC_EUCLIDEAN:
    case GPUGEO_METRIC_SQEUCLIDEAN:
      if (isnan(d)) break;
      sum = fma(d, d, sum);
      ++left;
      break;
    case GPUGEO_METRIC_MANHATTAN:
      if (isnan(d)) break;
      sum += fabs(d);
      ++left;
      break;
    case GPUGEO_METRIC_MAXIMUM:
      if (fabs(d) > largest) largest = fabs(d);
      break;
    case GPUGEO_METRIC_CANBERRA: {
      const T size = fabs(a) + fabs(b);
      T term = fabs(d) / size;
      if (!(size > TINY) && !(fabs(d) > TINY)) break;
      if (isinf(d) && isinf(size)) term = 1; /* the limit */
      if (isnan(term)) break;
      sum += term;
      ++left;
      break;
    }
    case GPUGEO_METRIC_BINARY:
      if (!isfinite(a) || !isfinite(b)) break;
      ++left;
      if (a != 0 || b != 0) ++other;
      if ((a != 0) != (b != 0)) ++sum;
      break;
    case GPUGEO_METRIC_MINKOWSKI:
      if (isnan(d)) break;
      sum = r->p == 1 ? sum + fabs(d) : r->p == 2 ? fma(d, d, sum) : sum + pow(fabs(d), (T)r->p);
      ++left;
      break;
    case GPUGEO_METRIC_BRAYCURTIS:
      if (isnan(d)) break;
      sum += fabs(d);
      other += a + b;
      break;
    case GPUGEO_METRIC_HAMMING:
      if (isnan(a) || isnan(b)) break;
      ++left;
      if (a != b) ++sum;
      break;
    case GPUGEO_METRIC_JACCARD:
      if (isnan(a) || isnan(b)) break;
      if (a != 0 || b != 0) ++other;
      if (a != b) ++sum;
      break;
    default:
      break; /* not a sum over coordinates */
    }
  }
  switch (r->metric) {
  case GPUGEO_METRIC_MAXIMUM:
    return largest < 0 ? (T)NAN : largest;
  case GPUGEO_METRIC_BINARY:
    return left == 0 ? (T)NAN : other == 0 ? 0 : sum / other;
  case GPUGEO_METRIC_BRAYCURTIS:
    return sum / other;
  case GPUGEO_METRIC_HAMMING:
    return sum / (T)left;
  case GPUGEO_METRIC_JACCARD:
    return sum / other;
  default:
    break;
  }
  if (left == 0) return (T)NAN;
  if (left != m) sum /= (T)left / (T)m;
  switch (r->metric) {
  case GPUGEO_METRIC_EUCLIDEAN:
  case GPUGEO_METRIC_SEUCLIDEAN:
    return sqrt(sum);
  case GPUGEO_METRIC_MINKOWSKI:
    if ((double)sum == 0 || isinf((double)sum)) return (T)(double)sum; /* as a sum of doubles */
    return r->p == 1 ? sum : r->p == 2 ? sqrt(sum) : pow(sum, 1 / (T)r->p);
  default:
    return sum;
  }
}
