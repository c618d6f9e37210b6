"""Multidimensional scaling by stress majorization: Guttman transforms of a given start in arithmetic with 40 digits,
the linear systems of weights by elimination; cases, and a second source."""

from decimal import Decimal, localcontext
from fractions import Fraction

from reference.cases import disagreements, made_up

DIGITS = 40
PLAIN = 3  # first iterations, which are never relaxed

# --- Definitions --------------------------------------------------------------------------------


def decimal(value):
    value = Fraction(value)
    return Decimal(value.numerator) / Decimal(value.denominator)


def euclidean(x):
    return [[sum((u - v) ** 2 for u, v in zip(a, b)).sqrt() for b in x] for a in x]


def distances(x, method):
    """Distances of rows of decimals."""
    if method == "euclidean":
        return euclidean(x)
    gather = {"manhattan": sum, "maximum": max}[method]
    return [[gather([abs(u - v) for u, v in zip(a, b)]) for b in x] for a in x]


def solve(a, b):
    """a^-1 b by elimination; a is positive definite."""
    rows = [list(left) + list(right) for left, right in zip(a, b)]
    n = len(rows)
    for k in range(n):
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [v - rows[i][k] * u for v, u in zip(rows[i], rows[k])]
    return [row[n:] for row in rows]


def guttman(delta, weights, x):
    """V^+ B(x) x for a configuration x whose mean is 0."""
    n, d = len(x), euclidean(x)
    moved = [[sum(weights[i][j] * delta[i][j] / d[i][j] * (x[i][c] - x[j][c]) for j in range(n) if d[i][j])
              for c in range(len(x[0]))] for i in range(n)]
    v = [[Decimal(1) / n + (sum(weights[i][m] for m in range(n) if m != i) if i == j else -weights[i][j])
          for j in range(n)] for i in range(n)]
    return solve(v, moved)


def scaled(delta, weights, x):
    """x at its best scale, and its stress there."""
    d, n = euclidean(x), len(x)
    pairs = [(weights[i][j], delta[i][j], d[i][j]) for i in range(n) for j in range(i)]
    factor = sum(w * u * v for w, u, v in pairs) / sum(w * v * v for w, _, v in pairs)
    stress = (sum(w * (u - factor * v) ** 2 for w, u, v in pairs) / sum(w * u * u for w, u, _ in pairs)).sqrt()
    return [[factor * v for v in row] for row in x], stress


def mds(x, method, start, weights, iterations, relax):
    """The configuration after so many iterations, and above it a row that begins with the stress."""
    with localcontext() as context:
        context.prec = DIGITS
        delta = distances([[decimal(v) for v in row] for row in x], method)
        n, k = len(x), len(start[0])
        weights = ([[decimal(v) for v in row] for row in weights] if weights else
                   [[Decimal(i != j) for j in range(n)] for i in range(n)])
        means = [sum(decimal(row[c]) for row in start) / n for c in range(k)]
        at, stress = scaled(delta, weights, [[decimal(v) - m for v, m in zip(row, means)] for row in start])
        for done in range(iterations):
            moved = guttman(delta, weights, at)
            if relax and done >= PLAIN:
                moved = [[2 * u - v for u, v in zip(a, b)] for a, b in zip(moved, at)]
            before = stress
            at, stress = scaled(delta, weights, moved)
            assert stress < before
        return [[float(stress)] + [0.0] * (k - 1)] + [[float(v) for v in row] for row in at]


# --- Cases --------------------------------------------------------------------------------------


def symmetric(seed, n, zeros=0.0):
    """Weights of pairs."""
    half = made_up(seed, n, n, step=0.25, span=12, least=1, zeros=zeros)
    return [[0.0 if i == j else half[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]


def inputs():
    return {
        "y_plain": made_up(961, 11, 4, span=40),
        "y_start": made_up(962, 11, 2, span=40),
        "y_start_3": made_up(963, 11, 3, span=40),
        "y_weights": symmetric(964, 11),
        "y_sparse": symmetric(965, 11, zeros=0.4),
        "y_line": [[float(i * i)] for i in range(10)],
        "y_line_start": [[float((7 * i) % 10)] for i in range(10)],
        "y_few": made_up(966, 5, 2, span=9),
    }


def add_cases(cases):
    cases.inputs |= inputs()

    def add(x, method, start, iterations, relax, weights=""):
        result = mds(cases.matrix(x), method, cases.matrix(start), cases.matrix(weights), iterations, relax)
        options = {"k": len(result[0]), "start": start, "tolerance": 0,
                   "max_iterations": iterations, "relax": "true" if relax else "false"}
        options |= {"weights": weights} if weights else {}
        largest = max(abs(value) for row in result for value in row)
        name = f"mds-{x[2:]}-{method}-{start[2:]}-{iterations}{'-relaxed' if relax else ''}"
        cases.add(name + (f"-{weights[2:]}" if weights else ""), "mds", x, method=method, options=options,
                  expected=(result, len(result[0])), tolerance=1e-9 if weights else 1e-12,
                  absolute=(1e-9 if weights else 1e-13) * largest)

    for method in ("euclidean", "manhattan", "maximum"):
        add("y_plain", method, "y_start", 1, False)
        add("y_plain", method, "y_start_3", 8, True)
    add("y_plain", "manhattan", "y_start", 0, True)
    add("y_plain", "manhattan", "y_start", 7, False)
    for weights in ("y_weights", "y_sparse"):
        add("y_plain", "euclidean", "y_start", 5, False, weights)
        add("y_plain", "manhattan", "y_start_3", 6, True, weights)

    def fail(name, error, x="y_few", method="euclidean", **options):
        cases.add(f"mds-error-{name}", "mds", x, method=method, options={"k": 2} | options, error=error)

    fail("threads", "threads must be a whole number between 1 and 1024, not 0", threads=0)


# --- The second source --------------------------------------------------------------------------


def second(matrices, cases):
    """How many results numpy contradicts, by the Moore-Penrose inverse of V in doubles."""
    import numpy
    from scipy.spatial.distance import pdist, squareform

    done = differ = 0
    for case in cases.values():
        if case["function"] != "mds" or case["error"]:
            continue
        options = dict(pair.split("=") for pair in case["options"].split(";"))
        metric = {"manhattan": "cityblock", "maximum": "chebyshev"}.get(case["method"], case["method"])
        delta = squareform(pdist(numpy.array(matrices[case["x"]]), metric))
        weights = numpy.array(matrices[options["weights"]]) if "weights" in options else 1 - numpy.eye(len(delta))
        inverse = numpy.linalg.pinv(numpy.diag(weights.sum(0)) - weights)
        x = numpy.array(matrices[options["start"]])
        x = x - x.mean(0)
        for step in range(int(options["max_iterations"]) + 1):
            d = squareform(pdist(x))
            x = x * ((weights * delta * d).sum() / (weights * d * d).sum())
            d = squareform(pdist(x))
            stress = numpy.sqrt((weights * (delta - d) ** 2).sum() / (weights * delta**2).sum())
            if step == int(options["max_iterations"]):
                break
            ratio = weights * delta / (d + numpy.eye(len(d)))
            moved = inverse @ (numpy.diag(ratio.sum(0)) - ratio) @ x
            x = 2 * moved - x if options["relax"] == "true" and step >= PLAIN else moved
        got = [stress] + [0.0] * (x.shape[1] - 1) + list(x.ravel())
        done += 1
        differ += disagreements(case, matrices, got, "", "numpy")
    print(f"numpy, multidimensional scaling: {done} cases, {differ} differ")
    return differ
