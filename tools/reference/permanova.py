"""Permutational analysis of variance by exact arithmetic: traces of projections of Gower's matrix; cases, and a
second source."""

from fractions import Fraction

from reference.cases import disagreements, made_up
from reference.numbers import rounded

# --- Definitions --------------------------------------------------------------------------------


def squared_distances(x, method):
    """Exact squares of Euclidean or Manhattan distances."""
    def square(a, b):
        gaps = [Fraction(u) - Fraction(v) for u, v in zip(a, b)]
        if method == "manhattan":
            return sum(map(abs, gaps), Fraction(0)) ** 2
        return sum((gap * gap for gap in gaps), Fraction(0))
    return [[square(a, b) for b in x] for a in x]


def gower(squares):
    """Minus half of the squares, centred by rows and columns."""
    n = len(squares)
    means = [sum(row) / n for row in squares]
    mean = sum(means) / n
    return [[-(squares[i][j] - means[i] - means[j] + mean) / 2 for j in range(n)] for i in range(n)]


def orthogonal(columns):
    """Gram and Schmidt without roots: what each column adds to those before it, but for those that add nothing."""
    kept = []
    for column in columns:
        for other in kept:
            share = sum(a * b for a, b in zip(column, other)) / sum(b * b for b in other)
            column = [a - share * b for a, b in zip(column, other)]
        if any(column):
            kept.append(column)
    return kept


def explained(g, columns):
    """The sum of squares along orthogonal columns."""
    total = Fraction(0)
    for q in columns:
        form = sum(q[i] * g[i][j] * q[j] for i in range(len(q)) for j in range(len(q)))
        total += form / sum(v * v for v in q)
    return total


def permanova(x, factors, method):
    """A row for each factor, after those before it: sum of squares, R2, F."""
    g = gower(squared_distances(x, method))
    n = len(x)
    total = sum(g[i][i] for i in range(n))
    columns, before, rows = [[Fraction(1)] * n], Fraction(0), []
    rank = 1
    for k in range(len(factors[0])):
        codes = [row[k] for row in factors]
        columns += [[Fraction(code == level) for code in codes] for level in sorted(set(codes))]
        columns = orthogonal(columns)
        so_far = explained(g, columns[1:])
        rows.append((so_far - before, len(columns) - rank))
        before, rank = so_far, len(columns)
    error = (total - before) / (n - rank)
    return [[rounded(ss), rounded(ss / total), rounded(ss / df / error)] for ss, df in rows]


# --- Cases --------------------------------------------------------------------------------------


def inputs():
    def factor(*columns):
        return [[float(v) for v in row] for row in zip(*columns)]
    thirty = range(30)
    return {
        "v_plain": made_up(901, 30, 4, span=40),
        "v_counts": made_up(902, 30, 7, step=1, span=9, zeros=0.4, least=0),
        "v_near": made_up(903, 30, 2, step=2.0**-10, span=3),
        "v_same": [[2.0, 1.0]] * 29 + [[3.0, 5.0]],
        "v_few": made_up(904, 5, 2, span=9),
        "v_two": factor([i % 2 for i in thirty]),
        "v_six": factor([i * 7 % 6 + 1 for i in thirty]),
        "v_uneven": factor([0] * 20 + [1] * 5 + [2] * 3 + [3, 4]),
        "v_crossed": factor([i % 2 for i in thirty], [i // 4 % 3 for i in thirty]),
        "v_nested": factor([i // 10 for i in thirty], [i // 5 for i in thirty]),
        "v_three": factor([i % 2 for i in thirty], [i % 3 for i in thirty], [i // 15 for i in thirty]),
        "v_five": factor([1, 1, 2, 2, 2]),
        "v_blank": [[0.0, 1.0], [float("nan"), 2.0], [1.0, 1.0], [3.0, 0.0], [2.0, 2.0]],
    }


def add_cases(cases):
    cases.inputs |= inputs()

    def add(x, y, method):
        expected = permanova(cases.matrix(x), cases.matrix(y), method), 3
        cases.add(f"permanova-{x[2:]}-{y[2:]}-{method}", "permanova", x, y, method, {},
                  expected=expected, tolerance=1e-10)

    for method in ("euclidean", "manhattan"):
        for x in ("v_plain", "v_counts", "v_near", "v_same"):
            for y in ("v_two", "v_six", "v_uneven", "v_crossed", "v_nested", "v_three"):
                if (x, y) != ("v_same", "v_uneven"):  # nothing would be left for the error
                    add(x, y, method)
        add("v_few", "v_five", method)

    def fail(name, error, x="v_few", method="euclidean", **options):
        cases.add(f"permanova-error-{name}", "permanova", x, "v_five", method, options, error=error)

    fail("threads", "threads must be a whole number between 1 and 1024, not 0", threads=0)


# --- The second source --------------------------------------------------------------------------


def second(matrices, cases):
    """How many tables numpy contradicts, from hat matrices by the pseudoinverse."""
    import numpy
    from scipy.spatial.distance import pdist, squareform

    done = differ = 0
    for case in cases.values():
        if case["function"] != "permanova" or case["error"]:
            continue
        x, factors = numpy.array(matrices[case["x"]]), numpy.array(matrices[case["y"]])
        metric = {"manhattan": "cityblock"}.get(case["method"], case["method"])
        squares, n = squareform(pdist(x, metric)) ** 2, len(x)
        centre = numpy.eye(n) - 1 / n
        g = -centre @ squares @ centre / 2
        columns, found = numpy.ones((n, 1)), [(0.0, 1)]
        for k in range(factors.shape[1]):
            codes = factors[:, k:k + 1]
            columns = numpy.hstack([columns, codes == numpy.unique(codes)])
            hat = columns @ numpy.linalg.pinv(columns)
            found.append((numpy.trace(hat @ g), numpy.linalg.matrix_rank(columns)))
        total, (whole, rank) = numpy.trace(g), found[-1]
        got = []
        for (ss, r), (ss0, r0) in zip(found[1:], found):
            got += [ss - ss0, (ss - ss0) / total, (ss - ss0) / (r - r0) / ((total - whole) / (n - rank))]
        done += 1
        differ += disagreements(case, matrices, got, "", "numpy")
    print(f"numpy, analyses of variance: {done} cases, {differ} differ")
    return differ
