"""Values of x^p for the C test of the power function."""

import math
import random

import mpmath

from reference.cases import number
from reference.numbers import TINY


def power_points():
    """(x, p) all over the range of v_pow: near 1, at the ends, powers of two, usual exponents."""
    rng = random.Random(19)
    points = [(x, p) for x in (0.5, 1.0, 2.0, 3.0, 10.0, 1e-300, 1e300, 5e-324, 1.7976931348623157e308)
              for p in (1e-3, 0.25, 1 / 3, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 7.3)]
    for _ in range(100):
        points.append((math.ldexp(1 + rng.random(), rng.randint(-1074, 1023)), 2 ** rng.uniform(-8, 3)))
        points.append((rng.uniform(0, 10), rng.uniform(0, 10)))
        points.append((1 + math.ldexp(rng.uniform(-0.5, 0.5), -rng.randint(0, 40)), 2 ** rng.uniform(-10, 50)))
        points.append((1 + rng.random(), rng.uniform(-1022, -1022.9) and rng.uniform(500, 1074)))
    return points


def power_lines():
    """x, p, the double next to x^p, and what x^p has beyond it, where that is a normal number."""
    lines = ["x,p,high,low"]
    for x, p in power_points():
        value = mpmath.power(mpmath.mpf(x), mpmath.mpf(p))
        if TINY <= value < mpmath.mpf(2) ** 1023:
            high = float(value)
            lines.append(",".join(map(number, (x, p, high, float(value - high)))))
    return "\n".join(lines) + "\n"
