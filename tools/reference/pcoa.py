"""Principal coordinates: Gower's matrix in exact arithmetic, its eigenvectors by rotations (Jacobi) with 60 digits,
Cailliez' constant by bisection; cases, and a second source."""

from decimal import Decimal, localcontext
from fractions import Fraction

from reference.cases import disagreements, made_up

DIGITS = 60

# --- Definitions --------------------------------------------------------------------------------


def distances(x, method):
    """Exact Manhattan or maximum distances."""
    gaps = [[[abs(Fraction(u) - Fraction(v)) for u, v in zip(a, b)] for b in x] for a in x]
    return [[{"manhattan": sum, "maximum": max}[method](g) for g in row] for row in gaps]


def squared_euclidean(x):
    return [[sum((Fraction(u) - Fraction(v)) ** 2 for u, v in zip(a, b)) for b in x] for a in x]


def gower(squares):
    """Minus half of a symmetric matrix, centred by rows and columns."""
    n = len(squares)
    means = [sum(row) / n for row in squares]
    mean = sum(means) / n
    return [[-(squares[i][j] - means[i] - means[j] + mean) / 2 for j in range(n)] for i in range(n)]


def decimals(matrix):
    return [[Decimal(v.numerator) / Decimal(v.denominator) for v in row] for row in matrix]


def eigen(a):
    """Eigenvalues in decreasing order, and eigenvectors of length 1 as rows."""
    n = len(a)
    a = [row[:] for row in a]
    v = [[Decimal(i == j) for j in range(n)] for i in range(n)]
    small = max(abs(e) for row in a for e in row) * Decimal(10) ** (5 - DIGITS)
    while max(abs(a[i][j]) for i in range(n) for j in range(i)) > small:
        for p in range(n):
            for q in range(p):
                if abs(a[p][q]) <= small / 10:
                    continue
                ratio = (a[q][q] - a[p][p]) / (2 * a[p][q])
                t = 1 / (abs(ratio) + (ratio * ratio + 1).sqrt())
                t = -t if ratio < 0 else t
                c = 1 / (t * t + 1).sqrt()
                s = t * c
                for rows in (a, v):
                    for row in rows:
                        row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
                a[p], a[q] = ([c * e - s * f for e, f in zip(a[p], a[q])],
                              [s * e + c * f for e, f in zip(a[p], a[q])])
    pairs = sorted(((a[k][k], [row[k] for row in v]) for k in range(n)), key=lambda pair: -pair[0])
    return [value for value, _ in pairs], [vector for _, vector in pairs]


def is_definite(a):
    """True if a symmetric matrix is positive definite, by elimination."""
    n = len(a)
    a = [row[:] for row in a]
    for k in range(n):
        if a[k][k] <= 0:
            return False
        for i in range(k + 1, n):
            factor = a[i][k] / a[k][k]
            a[i] = [e - factor * f for e, f in zip(a[i], a[k])]
    return True


def shifted(d, c):
    """Gower's matrix of d + c, with 1 for the constant instead of 0."""
    n = len(d)
    b = gower([[(d[i][j] + c) ** 2 if i != j else Decimal(0) for j in range(n)] for i in range(n)])
    return [[e + Decimal(1) / n for e in row] for row in b]


def cailliez(d):
    """The smallest c for which d + c has no negative eigenvalue."""
    low, high = Decimal(0), 10 * max(max(row) for row in d)
    for _ in range(180):
        middle = (low + high) / 2
        low, high = (low, middle) if is_definite(shifted(d, middle)) else (middle, high)
    return high


def pcoa(x, method, k, correction):
    """The k largest eigenvalues, and below them the coordinates."""
    with localcontext() as context:
        context.prec = DIGITS
        n = len(x)
        if method == "euclidean":
            b = decimals(gower(squared_euclidean(x)))
        else:
            d = distances(x, method)
            b = decimals(gower([[e * e for e in row] for row in d]))
            if correction == "cailliez":
                d = decimals(d)
                c = cailliez(d)
                b = [[e - Decimal(1) / n for e in row] for row in shifted(d, c)]
        values, vectors = eigen(b)
        if correction == "lingoes":
            values = [value - values[-1] for value in values]
        columns = []
        for value, vector in zip(values[:k], vectors):
            largest = max(vector, key=abs)
            assert value > 0 and sorted(abs(v) for v in vector)[-2] < abs(largest) * (1 - Decimal(10) ** -9)
            length = value.sqrt().copy_sign(largest)
            columns.append([v * length for v in vector])
        return [[float(value) for value in values[:k]]] + [[float(c[i]) for c in columns] for i in range(n)]


# --- Cases --------------------------------------------------------------------------------------


def inputs():
    return {
        "o_plain": made_up(951, 12, 4, span=40),
        "o_counts": made_up(952, 14, 6, step=1, span=9, zeros=0.3, least=0),
        "o_line": [[float(i * i)] for i in range(8)],
        "o_few": made_up(953, 5, 2, span=9),
    }


def add_cases(cases):
    cases.inputs |= inputs()

    def add(x, method, k, correction="none"):
        expected = pcoa(cases.matrix(x), method, k, correction), k
        options = {"k": k} | ({"correction": correction} if correction != "none" else {})
        largest = max(abs(value) for row in expected[0] for value in row)
        cases.add(f"pcoa-{x[2:]}-{method}-{k}-{correction}", "pcoa", x, method=method, options=options,
                  expected=expected, tolerance=1e-11, absolute=2.0**-40 * largest)

    for method in ("euclidean", "manhattan", "maximum"):
        for x, k in (("o_plain", 3), ("o_counts", 4), ("o_line", 1)):
            add(x, method, k)
    add("o_few", "manhattan", 2)
    for correction in ("lingoes", "cailliez"):
        for x in ("o_plain", "o_counts"):
            for method in ("manhattan", "maximum"):
                add(x, method, 4, correction)

    def fail(name, error, x="o_few", method="euclidean", **options):
        cases.add(f"pcoa-error-{name}", "pcoa", x, method=method, options={"k": 2} | options, error=error)

    fail("threads", "threads must be a whole number between 1 and 1024, not 0", threads=0)
    fail("tolerance", "tolerance must be between 0 and 1, not 2", tolerance=2)
    fail("max_passes", "max_passes must be a whole number of at least 1, not 0", max_passes=0)


# --- The second source --------------------------------------------------------------------------


def second(matrices, cases):
    """How many results numpy contradicts, from LAPACK's eigenvalues."""
    import numpy
    from scipy.spatial.distance import pdist, squareform

    def matrix(d):
        centre = numpy.eye(len(d)) - 1 / len(d)
        return -centre @ d**2 @ centre / 2

    done = differ = 0
    for case in cases.values():
        if case["function"] != "pcoa" or case["error"]:
            continue
        options = dict(pair.split("=") for pair in case["options"].split(";"))
        metric = {"manhattan": "cityblock", "maximum": "chebyshev"}.get(case["method"], case["method"])
        d, k = squareform(pdist(numpy.array(matrices[case["x"]]), metric)), int(options["k"])
        n = len(d)
        if options.get("correction") == "lingoes":
            d = numpy.sqrt(d**2 - 2 * numpy.linalg.eigvalsh(matrix(d))[0] * (1 - numpy.eye(n)))
        if options.get("correction") == "cailliez":
            roots = matrix(numpy.sqrt(d))
            both = numpy.block([[numpy.zeros((n, n)), 2 * matrix(d)], [-numpy.eye(n), -4 * roots]])
            d = d + numpy.linalg.eigvals(both).real.max() * (1 - numpy.eye(n))
        values, vectors = numpy.linalg.eigh(matrix(d))
        values, vectors = values[::-1][:k], vectors[:, ::-1][:, :k]
        signs = numpy.sign(vectors[numpy.abs(vectors).argmax(0), range(k)])
        got = numpy.vstack([values, vectors * signs * numpy.sqrt(values)])
        done += 1
        differ += disagreements(case, matrices, list(got.ravel()), "", "numpy")
    print(f"numpy, principal coordinates: {done} cases, {differ} differ")
    return differ
