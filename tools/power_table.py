#!/usr/bin/env python3
"""Writes src/dist/power_table.h, the table of logarithms of src/dist/power_many.h.

    tools/power_table.py            # writes the file
    tools/power_table.py --check    # compares it

Needs mpmath.
"""
import struct
import sys

import mpmath

mpmath.mp.prec = 300
PATH = "src/dist/power_table.h"
FIRST, ROWS, STEP = 0x3FE6A09E667F3BCD, 256, 1 << 44  # the bits of sqrt(1/2); 2^52 / ROWS
K = 1 / mpmath.log(2)


def from_bits(bits):
    return mpmath.mpf(struct.unpack("<d", struct.pack("<Q", bits))[0])


def rounding(*values):
    """Returns the largest relative error of numbers between the values, rounded to 53 bits: half a unit in the last
    place is largest, relative to the number, at a power of two."""
    low, high = sorted(abs(value) for value in values)
    exponents = range(int(mpmath.floor(mpmath.log(low, 2))), int(mpmath.floor(mpmath.log(high, 2))) + 1)
    return max(mpmath.mpf(2) ** (e - 53) / max(low, mpmath.mpf(2) ** e) for e in exponents)


def formula_error(low, high):
    """Returns a bound of the error of pow_log2() for m between low and high: s, z, z^2 and w = z^2 q are rounded, q has
    an error below 2^-54 (2.4 times 2^-53 q), and log2(m) has the term 2 / ln 2 s w."""
    if low <= 1 <= high:
        return mpmath.mpf(0)  # s < 2^-9: see `error`
    s = [(m - 1) / (m + 1) for m in (low, high)]
    of_d = max(mpmath.mpf(2) ** -53 / (low + 1) if high <= 1 else mpmath.mpf(2) ** -52 / (low + 1), 0)
    of_s = of_d + rounding(1 / (low + 1), 1 / (high + 1)) + rounding(*s)
    of_z2 = 2 * (2 * of_s + rounding(*(v**2 for v in s))) + rounding(*(v**4 for v in s))
    q = mpmath.mpf(1) / 5
    of_w = of_z2 * mpmath.mpf(1.01) + rounding(*(v**4 * q for v in s)) + mpmath.mpf(2) ** -53 * mpmath.mpf(2.4)
    return 2 * K * max(abs(v) for v in s) ** 5 * mpmath.mpf(0.2043) * of_w


def row(index):
    """Returns the factor c, the error bound, and log2(1/c) in two numbers for an interval of m."""
    low, high = from_bits(FIRST + index * STEP), from_bits(FIRST + (index + 1) * STEP)
    middle = int(mpmath.nint(2048 / (low + high)))
    best = None
    for whole in [1024] if low <= 1 <= high else range(middle - 4, middle + 5):
        c = mpmath.mpf(whole) / 1024
        most = max(abs(low * c - 1), abs(high * c - 1))
        log = -mpmath.log(c, 2)
        # The sum of the logarithms of 1 / c and of 1 + r is taken as that of a larger and a smaller number.
        if (log == 0 or abs(log) > 1.01 * K * most) and (best is None or most < best[0]):
            best = most, c, log
    most, c, log = best
    two = mpmath.mpf(2)
    error = formula_error(low, high) + most**2 * two**-50 + K / 8 * most**8 * 1.01 + two**-70
    upper = mpmath.nint(log * 2**40) / 2**40
    assert most < mpmath.mpf(2) ** -8
    return [float(c), float(error * (1 + mpmath.mpf(2) ** -40)), float(upper), float(log - upper)]


def table():
    rows = "\n".join("    {%s}," % ", ".join(value.hex() for value in row(index)) for index in range(ROWS))
    return f"""/* Made by tools/power_table.py: for {ROWS} intervals of m in [sqrt(1/2), sqrt(2)), by the leading
   bits of m, a factor c near 1 / m, a bound of errors, and log2(1 / c) in two numbers. See
   power_many.h. */
/* clang-format off */
static const double power_table[{ROWS}][4] __attribute__((aligned(32))) = {{
{rows}
}};
/* clang-format on */
"""


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if open(PATH, encoding="ascii").read() == table() else f"{PATH} is not what {sys.argv[0]} writes")
    with open(PATH, "w", encoding="ascii") as file:
        file.write(table())
