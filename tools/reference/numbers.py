"""Exact numbers: every finite double is a fraction, and a result is rounded once."""

import math
from fractions import Fraction

import mpmath

mpmath.mp.prec = 200

NAN, INF = math.nan, math.inf
TINY = 2.0**-1022  # smallest normal double


def rounded(value):
    """The double next to a fraction or mpmath number, with overflow to infinity."""
    if isinstance(value, (float, int)):
        return float(value)
    try:
        if isinstance(value, Fraction):
            return value.numerator / value.denominator
        return float(value)
    except OverflowError:
        return INF if value > 0 else -INF


def exact(value):
    """A fraction as an mpmath number of 200 bits."""
    if isinstance(value, Fraction):
        return mpmath.mpf(value.numerator) / value.denominator
    return mpmath.mpf(value)


def finite(value):
    return isinstance(value, Fraction) or math.isfinite(value)


def difference(a, b):
    """a - b: a fraction where it is finite as a double, else the double."""
    if math.isfinite(a) and math.isfinite(b) and math.isfinite(a - b):
        return Fraction(a) - Fraction(b)
    return a - b


def total(terms):
    """Sum of fractions and infinities."""
    special = [t for t in terms if not finite(t)]
    return float(sum(special)) if special else sum(terms, Fraction(0))


def root(value, degree):
    """The degree-th root of a sum, after the overflow or underflow of the sum itself."""
    as_double = rounded(value)
    if as_double == 0 or not math.isfinite(as_double):
        return as_double
    return rounded(exact(value) ** (1 / mpmath.mpf(degree)))


def present(values):
    return [v for v in values if not math.isnan(v)]
