"""One-dimensional distance geometry of a cycle: all sums of +d and -d as fractions, one by one."""

import functools
import math
from fractions import Fraction

import mpmath

from reference.cases import made_up
from reference.numbers import INF, NAN, rounded

MANY = 22  # distances of which all sums are made


@functools.cache
def all_sums(d):
    """The sums of all rows, as whole numbers of one unit; bit j of a row is 1 where d[j] is added."""
    fractions = [Fraction(value) for value in d]
    unit = Fraction(1, max(value.denominator for value in fractions))
    sums = [0]
    for value in fractions:
        units = int(value / unit)
        sums = [s - units for s in sums] + [s + units for s in sums]
    return sums, unit


def expected_count(d, tol, symmetric):
    squares = sum(Fraction(value) ** 2 for value in d)
    root = mpmath.sqrt(2 * mpmath.pi * mpmath.mpf(squares.numerator) / squares.denominator)
    return float(2 ** len(d) * (1 if symmetric else 2) * mpmath.mpf(tol) / root)


def solve(d, tol=1e-4, max_solutions=10, symmetric=False):
    """Lines of row (from 1), residual, count, expected: those of smallest residual, ties by row."""
    assert len(d) <= MANY
    sums, unit = all_sums(tuple(d))
    if symmetric:
        sums = sums[:len(sums) // 2]  # the mirror image of a row has the other highest bit
    limit = Fraction(tol) // unit
    found = sorted((abs(s), row) for row, s in enumerate(sums) if abs(s) <= limit)
    beside = [float(len(found)), expected_count(d, tol, symmetric)]
    if max_solutions == 0:
        return [[0.0, 0.0, *beside]]
    return [[row + 1.0, rounded(s * unit), *beside] for s, row in found[:max_solutions]]


def equal(n, distance, tol, max_solutions=0, symmetric=False):
    """The count for n equal distances, where the tolerance lets through the smallest sums alone."""
    count = math.comb(n, n // 2) * (1 + n % 2)
    count = count // 2 if symmetric else count
    assert max_solutions == 0 and (n % 2) * distance <= tol < (2 - n % 2 + n % 2) * distance
    return [[0.0, 0.0, float(count), expected_count([distance] * n, tol, symmetric)]]


def inputs():
    """Distances as columns."""
    column = lambda values: [[float(value)] for value in values]
    positive = lambda seed, n, step: [abs(v[0]) + step for v in made_up(seed, n, 1, step, 2**20)]
    coarse = positive(31, 14, 2.0**-21)
    return {
        "y_one": column([0.75]),
        "y_two": column([0.5, 0.5]),
        "y_three": column([3, 5, 8]),
        "y_14": column(coarse),
        "y_18": column(positive(32, 18, 2.0**-21)),
        "y_22": column(positive(33, MANY, 2.0**-20)),
        "y_equal": column([0.1] * 16),
        "y_60": column([0.1] * 60),
        "y_61": column([0.1] * 61),
        "y_whole": column([7, 3, 5, 11, 2, 8, 4, 1, 9, 6, 10, 13, 12, 15, 14, 17]),
        # Units of the last place of very different sizes: no one word holds them.
        "y_wild": column([1.0, 1.0, 2.0**-70, 2.0**-70, 3 * 2.0**-71, 0.5, 0.5, 2.0**-60]),
        "y_fine": column([math.exp(math.sin(7 * j)) for j in range(11)]),
        "y_tiny": column([2.0**-1074, 2.0**-1073, 3 * 2.0**-1074, 2.0**-1030]),
        "y_large": column([1e308, 1.5e308, 1.75e308, 1e300]),
        "y_zero": column([1, 0, 2]),
        "y_negative": column([1, 2, -3]),
        "y_nan": column([NAN, 2, 3]),
        "y_infinite": column([1, INF, 3]),
        "y_128": column([1] * 128),
    }


def add_cases(cases):
    matrices = inputs()
    cases.inputs.update(matrices)
    values = {name: [row[0] for row in matrix] for name, matrix in matrices.items()}
    algorithms = ("auto", "branch-and-prune", "exhaustive", "meet-in-the-middle")

    def add(name, x, algorithm="", **options):
        options = {key: value for key, value in options.items() if value is not None}
        named = {k: str(v).lower() if isinstance(v, bool) else repr(v) for k, v in options.items()}
        if algorithm == "branch-and-prune":
            named["backend"] = "cpu"  # there is no other
        lines = (equal(len(values[x]), values[x][0], **options) if len(values[x]) > MANY
                 else solve(values[x], **options))
        cases.add("dgp_" + name, "dgp", x, method=algorithm, options=named, expected=(lines, 4))

    for x, tol in (("y_one", 0.75), ("y_one", 0.5), ("y_two", None), ("y_three", 0.0),
                   ("y_14", 0.01), ("y_equal", 0.0), ("y_equal", 0.2), ("y_whole", 0.0),
                   ("y_whole", 3.0), ("y_wild", 2.0**-70), ("y_wild", 2.0**-71), ("y_fine", 0.05),
                   ("y_tiny", 2.0**-1073), ("y_large", 1e308)):
        for algorithm in algorithms:
            name = f"{x[2:]}_{'default' if tol is None else tol}_{algorithm}"
            add(name, x, algorithm, tol=tol)
            add(name + "_symmetric", x, algorithm, tol=tol, symmetric=True, max_solutions=3)
    for algorithm in algorithms:
        add(f"18_{algorithm}", "y_18", algorithm, tol=1e-3, max_solutions=1000)
        add(f"22_{algorithm}", "y_22", algorithm, tol=1e-3)
        add(f"22_count_{algorithm}", "y_22", algorithm, tol=0.25, max_solutions=0)

    # A sum that is the tolerance exactly, and one unit of the last place to either side.
    for x in ("y_14", "y_fine"):
        sums, unit = all_sums(tuple(values[x]))
        ordered = sorted(s for s in sums if s > 0 and rounded(s * unit) == s * unit)
        edge = rounded(ordered[len(ordered) // 50] * unit)
        for what, tol in (("at", edge), ("under", math.nextafter(edge, 0)),
                          ("over", math.nextafter(edge, INF))):
            add(f"{x[2:]}_{what}", x, tol=tol, max_solutions=5)

    add("60", "y_60", tol=0.0, max_solutions=0)
    add("60_symmetric", "y_60", tol=0.0, max_solutions=0, symmetric=True)
    add("61", "y_61", tol=0.1, max_solutions=0)

    for x in ("y_one", "y_two", "y_three", "y_wild", "y_fine", "y_tiny", "y_large"):
        sums, unit = all_sums(tuple(values[x]))
        cases.add("dgp_sums_" + x[2:], "dgp_sums", x,
                  expected=([[rounded(s * unit)] for s in sums], 1), tolerance=0.0)

    def fail(name, x, error, function="dgp", algorithm="", **options):
        cases.add("dgp_error_" + name, function, x, method=algorithm,
                  options=options, error=error)

    sign = "d must hold positive, finite distances, not {} (the one numbered {})"
    fail("zero", "y_zero", sign.format("0", 2))
    fail("negative", "y_negative", sign.format("-3", 3))
    fail("nan", "y_nan", sign.format("NaN", 1))
    fail("infinite", "y_infinite", sign.format("Inf", 2))
    fail("too_many", "y_128", "d must have between 1 and 127 distances, not 128")
    fail("tol_text", "y_three", 'tol must be at least 0 and finite, not "small"', tol='"small"')
    fail("most_text", "y_three", 'max_solutions must be a whole number, not "all"',
         max_solutions='"all"')
    fail("tol", "y_three", "tol must be at least 0 and finite, not -1", tol=-1)
    fail("algorithm", "y_three", 'algorithm must be one of "auto", "branch-and-prune", "exhaustive", '
         '"meet-in-the-middle", not "guess"', algorithm="guess")
    fail("exhaustive", "y_60", 'd must have at most 50 distances for algorithm "exhaustive" on this '
         'machine, not 60: that would take about 2^60 steps of at most 2^50; algorithm '
         '"meet-in-the-middle" takes more', algorithm="exhaustive", backend="cpu")
    fail("rows", "y_60", "d must have between 1 and 30 distances, not 60", function="dgp_sums")
    fail("rows_zero", "y_zero", sign.format("0", 2), function="dgp_sums")


def second(matrices, cases):
    """How many counts and sums numpy contradicts, by the matrix M of all signs times d."""
    import numpy

    done = differ = 0
    for case in cases.values():
        d = numpy.array([row[0] for row in matrices.get(case["x"], [])])
        if not case["function"] in ("dgp", "dgp_sums") or case["error"] or len(d) > 18:
            continue
        if case["x"] in ("y_wild", "y_tiny", "y_large"):
            continue  # sums that a double can't hold
        rows = numpy.arange(2 ** len(d))[:, None]
        sums = (2 * (rows >> numpy.arange(len(d)) & 1) - 1) @ d
        got = matrices.get(case["expected"], [])
        done += 1
        if case["function"] == "dgp_sums":
            differ += not numpy.allclose(sums, [line[0] for line in got], rtol=0, atol=1e-12)
            continue
        options = dict(pair.split("=") for pair in case["options"].split(";") if pair)
        tol = float(options.get("tol", 1e-4))
        if numpy.any(numpy.abs(numpy.abs(sums) - tol) < 1e-12):
            done -= 1
            continue  # too close for doubles
        count = numpy.sum(numpy.abs(sums) <= tol) // (2 if "symmetric" in options else 1)
        differ += bool(got[0][2] != count if got else count != 0)
    print(f"numpy: {done} cases of cycles, {differ} differ")
    return differ
