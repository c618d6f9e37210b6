"""Distance, correlation and covariance matrices: definitions of the metrics, cases, and second sources."""

import math
import pathlib
import shutil
import subprocess
import tempfile
from fractions import Fraction

import mpmath

from reference.cases import disagreements, made_up, manifest, matrix_lines, values_of
from reference.numbers import (INF, NAN, TINY, difference, exact, finite, present, root, rounded,
                               total)

# --- Metrics of one pair ------------------------------------------------------------------------


def present_differences(a, b):
    """Differences but for those that are NaN, as stats::dist takes them."""
    return [d for d in map(difference, a, b) if not (isinstance(d, float) and math.isnan(d))]


def scaled(terms, columns):
    """Sum over the coordinates that are left, scaled up to all of them; None where none is left."""
    if not terms:
        return None
    return total(terms) * Fraction(columns, len(terms)) if finite(total(terms)) else INF


def powers(differences, p):
    """|d|^p, exact where p is a whole number."""
    if p == int(p):
        return [abs(d) ** int(p) if finite(d) else INF for d in differences]
    terms = []
    for d in differences:
        term = exact(abs(d)) ** mpmath.mpf(p) if finite(d) else INF
        # mpmath numbers are dyadic: keep them as fractions, so that all sums are exact.
        terms.append(Fraction(*mpmath.libmp.to_rational(term._mpf_)) if finite(d) else INF)
    return terms


def minkowski(a, b, p):
    if p == INF:
        return maximum(a, b)
    value = scaled(powers(present_differences(a, b), p), len(a))
    return NAN if value is None else root(value, p)


def euclidean(a, b):
    return minkowski(a, b, 2)


def sqeuclidean(a, b):
    value = scaled(powers(present_differences(a, b), 2), len(a))
    return NAN if value is None else rounded(value)


def manhattan(a, b):
    value = scaled(powers(present_differences(a, b), 1), len(a))
    return NAN if value is None else rounded(value)


def maximum(a, b):
    differences = present_differences(a, b)
    return rounded(max(abs(d) for d in differences)) if differences else NAN


def canberra(a, b):
    """The conditions are those of stats::dist, in doubles; only the sum is exact."""
    terms = []
    for u, v in zip(a, b):
        if math.isnan(u) or math.isnan(v):
            continue
        size, apart = abs(u) + abs(v), abs(u - v)
        if not (size > TINY or apart > TINY):
            continue
        if math.isinf(size):
            if apart == INF:
                terms.append(Fraction(1))
            elif not math.isnan(apart):
                terms.append(Fraction(0))
            continue
        terms.append(abs(Fraction(u) - Fraction(v)) / (abs(Fraction(u)) + abs(Fraction(v))))
    value = scaled(terms, len(a))
    return NAN if value is None else rounded(value)


def binary(a, b):
    pairs = [(u != 0, v != 0) for u, v in zip(a, b) if math.isfinite(u) and math.isfinite(v)]
    if not pairs:
        return NAN
    nonzero = sum(u or v for u, v in pairs)
    return sum(u != v for u, v in pairs) / nonzero if nonzero else 0.0


def seuclidean(a, b, scale):
    terms = []
    for d, s in zip(map(difference, a, b), scale):
        if finite(d):
            terms.append((d / s) ** 2)
        elif not math.isnan(d):
            terms.append(INF)
    value = scaled(terms, len(a))
    return NAN if value is None else root(value, 2)


def solve(matrix, right):
    """The exact solution of a linear system, by elimination."""
    rows = [list(row) + [r] for row, r in zip(matrix, right)]
    n = len(rows)
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [u - factor * v for u, v in zip(rows[i], rows[k])]
    solution = [Fraction(0)] * n
    for k in reversed(range(n)):
        rest = sum((rows[k][j] * solution[j] for j in range(k + 1, n)), Fraction(0))
        solution[k] = (rows[k][n] - rest) / rows[k][k]
    return solution


def mahalanobis(a, b, cov):
    if not a or not all(map(math.isfinite, a + b)):
        return NAN
    d = list(map(difference, a, b))
    return root(total([u * v for u, v in zip(d, solve(cov, d))]), 2)


def correlation(a, b):
    """Pearson's correlation of finite values; NaN where one side is constant or both are one value."""
    n = len(a)
    if n < 2:
        return NAN
    a, b = list(map(Fraction, a)), list(map(Fraction, b))
    mean_a, mean_b = sum(a) / n, sum(b) / n
    aa = sum((u - mean_a) ** 2 for u in a)
    bb = sum((v - mean_b) ** 2 for v in b)
    ab = sum((u - mean_a) * (v - mean_b) for u, v in zip(a, b))
    if aa == 0 or bb == 0:
        return NAN
    return exact(ab) / mpmath.sqrt(exact(aa * bb))


def both_present(a, b):
    pairs = [(u, v) for u, v in zip(a, b) if not (math.isnan(u) or math.isnan(v))]
    return [u for u, _ in pairs], [v for _, v in pairs]


def pearson(a, b):
    a, b = both_present(a, b)
    if not all(map(math.isfinite, a + b)):
        return NAN
    return rounded(1 - correlation(a, b))


def cosine(a, b):
    a, b = both_present(a, b)
    if not all(map(math.isfinite, a + b)):
        return NAN
    aa, bb = (sum((Fraction(u) ** 2 for u in side), Fraction(0)) for side in (a, b))
    if aa == 0 or bb == 0:
        return NAN
    ab = sum(Fraction(u) * Fraction(v) for u, v in zip(a, b))
    return rounded(1 - exact(ab) / mpmath.sqrt(exact(aa * bb)))


def ranks(values):
    """Ranks from 1 with ties averaged; NaN stays NaN."""
    there = present(values)
    return [
        NAN if math.isnan(v) else sum(u < v for u in there) + (sum(u == v for u in there) + 1) / 2
        for v in values
    ]


def spearman(a, b):
    """Each point is ranked once, by itself."""
    return pearson(ranks(a), ranks(b))


def quotient(above, below):
    """Of two sums, as doubles divide."""
    as_doubles = rounded(above), rounded(below)
    if below != 0 and all(map(math.isfinite, as_doubles)):
        return rounded(above / below)
    above, below = as_doubles
    if math.isinf(above) and math.isinf(below):
        return NAN
    if below == 0:
        return NAN if above == 0 or math.isnan(above) else math.copysign(INF, above)
    return above / below


def braycurtis(a, b):
    pairs = [
        (d, u + v if not (math.isfinite(u) and math.isfinite(v)) else Fraction(u) + Fraction(v))
        for d, u, v in zip(map(difference, a, b), a, b)
        if finite(d) or not math.isnan(d)
    ]
    return quotient(total([abs(d) for d, _ in pairs]), total([s for _, s in pairs]))


def hamming(a, b):
    a, b = both_present(a, b)
    return sum(u != v for u, v in zip(a, b)) / len(a) if a else NAN


def jaccard(a, b):
    a, b = both_present(a, b)
    nonzero = sum(u != 0 or v != 0 for u, v in zip(a, b))
    return sum(u != v for u, v in zip(a, b)) / nonzero if nonzero else NAN


NUMERIC, NOMINAL, ASYMMETRIC = 0, 1, 2


def gower(a, b, ranges, types, weights):
    """The weighted mean of the dissimilarities of the columns that both points have."""
    above = below = Fraction(0)
    for u, v, span, kind, weight in zip(a, b, ranges, types, weights):
        d = difference(u, v)
        if (not finite(d) and math.isnan(d)) or (kind == ASYMMETRIC and u == v == 0):
            continue
        if kind == NUMERIC:
            apart = min(Fraction(1), abs(d) / span) if finite(d) else Fraction(1)
        else:
            apart = Fraction(int(u != v))
        above += Fraction(weight) * apart
        below += Fraction(weight)
    return rounded(above / below) if below else NAN


METRICS = {
    "euclidean": euclidean,
    "sqeuclidean": sqeuclidean,
    "manhattan": manhattan,
    "maximum": maximum,
    "canberra": canberra,
    "binary": binary,
    "minkowski": minkowski,
    "seuclidean": seuclidean,
    "mahalanobis": mahalanobis,
    "cosine": cosine,
    "pearson": pearson,
    "spearman": spearman,
    "braycurtis": braycurtis,
    "hamming": hamming,
    "jaccard": jaccard,
    "gower": gower,
}


# --- Measures of communities, of values of at least 0 -----------------------------------------------


def of_present(measure):
    """The measure of the coordinates that both points have, as fractions; NaN without any."""
    def compute(a, b):
        a, b = both_present(a, b)
        return rounded(measure(list(map(Fraction, a)), list(map(Fraction, b)))) if a else NAN
    return compute


def ratio(above, below):
    return above / below if below else NAN


def kulczynski(a, b):
    shared = sum(map(min, a, b))
    return 1 - (shared / sum(a) + shared / sum(b)) / 2 if sum(a) and sum(b) else NAN


def of_species(a, b):
    """The pairs that are not 0 in both points."""
    return [(u, v) for u, v in zip(a, b) if u or v]


def clark(a, b):
    terms = [((u - v) / (u + v)) ** 2 for u, v in of_species(a, b)]
    return mpmath.sqrt(exact(sum(terms) / len(terms))) if terms else NAN


def altgower(a, b):
    terms = [abs(u - v) for u, v in of_species(a, b)]
    return ratio(sum(terms), len(terms))


def overlap(a, b, less):
    """Morisita's index (less = 1) or Horn's (0)."""
    shared, lambdas = sum(u * v for u, v in zip(a, b)), Fraction(0)
    for side in (a, b):
        if not sum(side) * (sum(side) - less):
            return NAN
        lambdas += sum(u * (u - less) for u in side) / (sum(side) * (sum(side) - less))
    if not lambdas:
        return 0 if shared else NAN
    return max(Fraction(0), 1 - 2 * shared / (lambdas * sum(a) * sum(b)))


def incidence(a, b):
    """The numbers of species of a, of b and of both."""
    return (sum(u > 0 for u in a), sum(v > 0 for v in b), sum(u > 0 and v > 0 for u, v in zip(a, b)))


def mountford(a, b):
    n, m, j = incidence(a, b)
    if not (n and m):
        return NAN
    if j in (n, m):
        return 0
    def excess(x):
        return mpmath.exp(-(m - j) * x) + mpmath.exp(-(n - j) * x) - mpmath.exp(-(n + m - j) * x) - 1
    low, high = mpmath.mpf(0), mpmath.log(2)
    if j:
        low = high
        while excess(low) <= 0:
            low /= 2
        for _ in range(180):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return mpmath.log(2) - low


def raup(a, b):
    n, m, j = incidence(a, b)
    ways = [math.comb(n, k) * math.comb(len(a) - n, m - k) for k in range(m + 1)]
    return Fraction(sum(ways[j:]), sum(ways))


def log_of(value):
    return mpmath.log(exact(Fraction(value)))


def binomial(a, b):
    total_of = mpmath.mpf(0)
    for u, v in of_species(a, b):
        n = u + v
        terms = [exact(w) * log_of(w / n) for w in (u, v) if w]
        total_of += (sum(terms) + exact(n) * mpmath.log(2)) / exact(n)
    return total_of


def chao_share(a, b):
    shared = [(u, v) for u, v in zip(a, b) if u and v]
    ones, twos = [u for u, v in shared if v == 1], [u for u, v in shared if v == 2]
    unseen = Fraction(len(ones), 2 * max(1, len(twos))) * (sum(b) - 1) / sum(b)
    return min(Fraction(1), (sum(u for u, _ in shared) + unseen * sum(ones)) / sum(a))


def chao(a, b):
    if not any(u and v for u, v in zip(a, b)):
        return 1
    u, v = chao_share(a, b), chao_share(b, a)
    return 1 - u * v / (u + v - u * v)


def cao(a, b):
    terms = []
    for pair in of_species(a, b):
        u, v = (max(w, Fraction(0.1)) for w in pair)
        terms.append(log_of((u + v) / 2) - (exact(u) * log_of(v) + exact(v) * log_of(u)) / exact(u + v))
    return sum(terms) / len(terms) if terms else NAN


def squared_chord(a, b):
    return sum(((mpmath.sqrt(exact(u)) - mpmath.sqrt(exact(v))) ** 2 for u, v in zip(a, b)), mpmath.mpf(0))


def topsoe(a, b):
    return sum((exact(w) * log_of(2 * w / (u + v)) for u, v in zip(a, b) for w in (u, v) if w), mpmath.mpf(0))


def jeffreys(a, b):
    if any(u != v and not (u and v) for u, v in zip(a, b)):
        return INF
    return sum((exact(u - v) * log_of(u / v) for u, v in zip(a, b) if u != v), mpmath.mpf(0))


def bhattacharyya(a, b):
    shared = sum((mpmath.sqrt(exact(u * v)) for u, v in zip(a, b)), mpmath.mpf(0))
    return -mpmath.log(shared) if shared else INF


def of_incidence(share):
    """One minus a share of the numbers of species."""
    def measure(a, b):
        n, m, j = incidence(a, b)
        below = share(n, m)
        return 1 - exact(Fraction(j)) / below if below else NAN
    return measure


COMMUNITIES = {name: of_present(measure) for name, measure in {
    "kulczynski": kulczynski,
    "clark": clark,
    "altgower": altgower,
    "morisita": lambda a, b: overlap(a, b, 1),
    "horn": lambda a, b: overlap(a, b, 0),
    "mountford": mountford,
    "raup": raup,
    "binomial": binomial,
    "chao": chao,
    "cao": cao,
    "squared-chord": squared_chord,
    "wave-hedges": lambda a, b: sum((abs(u - v) / max(u, v) for u, v in of_species(a, b)), Fraction(0)),
    "lorentzian": lambda a, b: sum((log_of(1 + abs(u - v)) for u, v in zip(a, b)), mpmath.mpf(0)),
    "soergel": lambda a, b: ratio(sum(abs(u - v) for u, v in zip(a, b)), sum(map(max, a, b))),
    "motyka": lambda a, b: ratio(sum(map(max, a, b)), sum(a) + sum(b)),
    "sorensen": of_incidence(lambda n, m: exact(Fraction(n + m, 2))),
    "ochiai": of_incidence(lambda n, m: mpmath.sqrt(n * m)),
    "simpson": of_incidence(lambda n, m: mpmath.mpf(min(n, m))),
    "topsoe": topsoe,
    "jsd": lambda a, b: topsoe(a, b) / 2,
    "js": lambda a, b: mpmath.sqrt(topsoe(a, b) / 2),
    "jeffreys": jeffreys,
    "bhattacharyya": bhattacharyya,
}.items()}


ALIASES = {
    "squaredeuclidean": "sqeuclidean",
    "cityblock": "manhattan",
    "chebychev": "maximum",
    "chebyshev": "maximum",
    "fasteuclidean": "euclidean",
    "fastsquaredeuclidean": "sqeuclidean",
    "correlation": "pearson",
    "euc": "euclidean",
    "mink": "minkowski",
    "Canberra": "canberra",
    "ruzicka": "soergel",
}


def column_scale(x):
    """Standard deviations of the columns, missing values left out."""
    scale = []
    for column in zip(*x):
        values = list(map(Fraction, present(column)))
        mean = sum(values) / len(values)
        scale.append(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
    return [Fraction(*mpmath.libmp.to_rational(mpmath.sqrt(exact(v))._mpf_)) for v in scale]


def column_ranges(x):
    """Ranges of the finite values of the columns; 1 where there is none."""
    ranges = []
    for column in zip(*x):
        values = [Fraction(v) for v in column if math.isfinite(v)]
        ranges.append((max(values) - min(values) if values else 0) or Fraction(1))
    return ranges


def column_covariance(x):
    """Covariance of the columns over the rows without a missing value."""
    rows = [list(map(Fraction, row)) for row in x if all(map(math.isfinite, row))]
    n, means = len(rows), [sum(column) / len(rows) for column in zip(*rows)]
    rows = [[v - mean for v, mean in zip(row, means)] for row in rows]
    columns = list(zip(*rows))
    return [[sum(u * v for u, v in zip(a, b)) / (n - 1) for b in columns] for a in columns]


def pair_metric(method, x, options):
    """A function of two points, with the parameters that come from x or from the options."""
    method = ALIASES.get(method, method)
    metric = METRICS.get(method) or COMMUNITIES[method]
    if method == "minkowski":
        return lambda a, b: metric(a, b, float(options.get("p", 2)))
    if method == "seuclidean":
        scale = options.get("scale")
        scale = column_scale(x) if scale is None else [Fraction(v) for row in scale for v in row]
        return lambda a, b: metric(a, b, scale)
    if method == "gower":
        def given(name, default):
            return [v for row in options[name] for v in row] if name in options else default
        columns = len(x[0]) if x else 0
        ranges = list(map(Fraction, given("scale", column_ranges(x))))
        types, weights = given("types", [NUMERIC] * columns), given("column_weights", [1] * columns)
        return lambda a, b: metric(a, b, ranges, types, weights)
    if method == "mahalanobis":
        cov = options.get("cov")
        cov = column_covariance(x) if cov is None else [list(map(Fraction, row)) for row in cov]
        return lambda a, b: metric(a, b, cov)
    return metric


def dist(x, method, options):
    """One column, in the order of a dist object."""
    metric = pair_metric(method, x, options)
    return [[metric(x[i], x[j])] for j in range(len(x)) for i in range(j + 1, len(x))]


def cdist(x, y, method, options):
    metric = pair_metric(method, x, options)
    return [[metric(a, b) for b in y] for a in x]


# --- Correlation matrices -------------------------------------------------------------------------


def signs(values):
    """The sign of the difference of each two values."""
    return [(a > b) - (a < b) for k, a in enumerate(values) for b in values[:k]]


def tau_b(a, b):
    """Kendall's correlation of columns that are not constant: whole numbers, and a root at the end."""
    u, v = signs(a), signs(b)
    score = sum(p * q for p, q in zip(u, v))
    squared = Fraction(score * score, sum(p * p for p in u) * sum(q * q for q in v))
    return math.copysign(root(squared, 2), score)


def columns_in_use(x, y, use):
    """The columns of x and of y, or of x twice, without the rows that `use` leaves out for all."""
    a = [list(column) for column in zip(*x)]
    b = a if y is None else [list(column) for column in zip(*y)]
    if use in ("complete.obs", "na.or.complete"):
        every = a + b
        kept = [k for k in range(len(x)) if not any(math.isnan(column[k]) for column in every)]
        a, b = ([[column[k] for k in kept] for column in side] for side in (a, b))
    return a, b


def median(values):
    """The mean of the two middle ones."""
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def quantile(values, p):
    """Type 7 of R's quantile()."""
    at = (len(values) - 1) * p
    low = math.floor(at)
    values = sorted(values)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def biweight(values, most, cosine):
    """The deviations from the median, weighted (Langfelder and Horvath 2012), or the values. With `most` below 1, u of
    a side is divided until its quantile is 1/2."""
    middle = median(values)
    width = 9 * median([abs(v - middle) for v in values])
    u = [(v - middle) / width for v in values]
    sides = max(1, -2 * quantile(u, most)), max(1, 2 * quantile(u, 1 - most))
    u = [w / sides[w > 0] for w in u]
    return [(1 - w * w) ** 2 * (v if cosine else v - middle) if abs(w) < 1 else Fraction(0) for v, w in zip(values, u)]


def weighed(values, weights, cosine):
    """The deviations from the weighted mean, or the values, times the weights."""
    if not any(weights):
        return list(weights)
    mean = 0 if cosine else sum(w * v for v, w in zip(values, weights)) / sum(weights)
    return [w * (v - mean) for v, w in zip(values, weights)]


def angle(a, b):
    """The cosine of the angle between two columns; NaN if one is 0."""
    aa, bb = sum(u * u for u in a), sum(v * v for v in b)
    return exact(sum(u * v for u, v in zip(a, b))) / mpmath.sqrt(exact(aa * bb)) if aa and bb else NAN


def distance_covariance(a, b):
    """Of V-statistics (Szekely and others 2007), by its definition: centred matrices of distances."""
    n = len(a)

    def centred(values):
        d = [[abs(u - v) for v in values] for u in values]
        means = [sum(row) / n for row in d]
        return [[d[k][i] - means[k] - means[i] + sum(means) / n for i in range(n)] for k in range(n)]

    return sum(u * v for p, q in zip(centred(a), centred(b)) for u, v in zip(p, q)) / n**2


def distance_correlation(a, b):
    """The square root of the covariance over the root of both variances; 0 for a constant column."""
    divisor = distance_covariance(a, a) * distance_covariance(b, b)
    return mpmath.sqrt(exact(distance_covariance(a, b)) / mpmath.sqrt(exact(divisor))) if divisor else 0.0


def robust(x, y, method, options, weights):
    """Biweight midcorrelations, distance correlations, and Pearson's with weights of x or without means; also whether a
    column had no deviation."""
    use, most, cosine = options.get("use", "everything"), Fraction(options.get("maxPOutliers", 1)), "cosine" in options
    ones = [[1.0] * len(row) for row in y or x]
    if weights is None:
        weights = [[1.0] * len(row) for row in x]
    joined = [a + w for a, w in zip(x, weights)], [a + w for a, w in zip(y or x, ones if y else weights)]
    a, b = columns_in_use(*joined, use)
    half = len(a) // 2, len(b) // 2
    flat = False
    result = [[NAN] * half[1] for _ in range(half[0])]
    for i in range(half[0]):
        for j in range(half[1]):
            rows = list(zip(a[i], b[j], a[half[0] + i], b[half[1] + j]))
            kept = [row for row in rows if not any(map(math.isnan, row))]
            if len(kept) < 2 or (len(kept) < len(rows) and use != "pairwise.complete.obs"):
                continue
            u, v, p, q = ([Fraction(value) for value in side] for side in zip(*kept))
            if method == "dcor":
                result[i][j] = rounded(distance_correlation(u, v))
                continue
            if method == "bicor":
                u, v = (biweight(side, most, cosine) for side in (u, v))
            else:
                u, v = weighed(u, p, cosine), weighed(v, q, cosine)
            flat = flat or not (cosine or (any(u) and any(v)))
            result[i][j] = rounded(angle(u, v))
    return result, flat


def cor(x, y, method, use):
    """What stats::cor gives, for columns of x and y; also whether one of them had no deviation."""
    within = y is None
    a, b = columns_in_use(x, y, use)
    pairwise = use == "pairwise.complete.obs"
    if method == "spearman" and not pairwise:
        a, b = ([ranks(column) for column in side] for side in (a, b))
    flat = False
    result = [[NAN] * len(b) for _ in a]
    for i, u in enumerate(a):
        for j, v in enumerate(b):
            if pairwise:
                u_here, v_here = both_present(u, v)
                if method == "spearman":
                    u_here, v_here = ranks(u_here), ranks(v_here)
            else:
                u_here, v_here = u, v
            if len(u_here) < 2:
                continue
            if within and i == j and not pairwise:
                result[i][j] = 1.0
                continue
            if any(map(math.isnan, u_here + v_here)):
                continue
            if len(set(u_here)) == 1 or len(set(v_here)) == 1:
                flat = True
                continue
            if method == "kendall":
                result[i][j] = tau_b(u_here, v_here)
            elif all(map(math.isfinite, u_here + v_here)):
                result[i][j] = rounded(correlation(u_here, v_here))
    return result, flat


# --- Covariance matrices --------------------------------------------------------------------------


def divisor(n, opt):
    """Of a sum of n products: that of stats::cov without opt, else that of Octave's cov; 0 for none."""
    return n - 1 if opt is None else n if opt == 1 else min(n, max(n - 1, 1))


def covariance(u, v, method, opt):
    """Of two columns: a fraction, or NaN."""
    n = len(u)
    if divisor(n, opt) <= 0 or any(map(math.isnan, u + v)):
        return NAN
    if method == "kendall":
        return Fraction(2 * sum(p * q for p, q in zip(signs(u), signs(v))))
    if method == "spearman":
        u, v = ranks(u), ranks(v)
    if not all(map(math.isfinite, u + v)):
        return NAN
    u, v = list(map(Fraction, u)), list(map(Fraction, v))
    mean_u, mean_v = sum(u) / n, sum(v) / n
    return sum((a - mean_u) * (b - mean_v) for a, b in zip(u, v)) / divisor(n, opt)


def cov(x, y, method, use, opt):
    """What stats::cov gives, for columns of x and y; with opt, what Octave's cov does."""
    a, b = columns_in_use(x, y, use)
    in_use = both_present if use == "pairwise.complete.obs" else lambda u, v: (u, v)
    return [[rounded(covariance(*in_use(u, v), method, opt)) for v in b] for u in a]


# --- Inputs -----------------------------------------------------------------------------------------


def mapped(matrix, function):
    return [[function(v) for v in row] for row in matrix]


def inputs():
    plain = made_up(1, 9, 5, zeros=0.2)
    tied = made_up(2, 7, 4, step=1.0, span=2)
    tied[3] = list(tied[0])
    tied[5] = list(tied[0])
    tied[6] = list(tied[1])
    missing = made_up(3, 8, 6, zeros=0.15, missing=0.25)
    missing[2] = [1.0, NAN, 2.0, NAN, NAN, NAN]
    missing[6] = [NAN, 1.5, NAN, NAN, 0.5, NAN]  # nothing in common with the third point
    missing[7] = [1.0, 2.0, NAN, 0.0, NAN, NAN]
    return {
        "plain": plain,
        "other": made_up(4, 4, 5, zeros=0.2),
        "missing": missing,
        "other_missing": made_up(5, 3, 6, zeros=0.15, missing=0.2),
        "infinite": [
            [1.0, INF, 2.0, 0.0],
            [INF, INF, 3.0, 1.0],
            [-INF, 2.0, NAN, 1.0],
            [0.0, 0.0, 0.0, 0.0],
            [1.0, -INF, 4.0, 2.5],
            [NAN, INF, INF, NAN],
            [2.0, 1.0, -1.0, 0.5],
        ],
        "tied": tied,
        "constant": [
            [2.0, 5.0, 2.0, 2.0],
            [2.0, 2.0, 2.0, 2.0],
            [2.0, 0.0, 1.0, 3.0],
            [2.0, 2.0, 2.0, 2.0],
            [2.0, 1.0, 4.0, -2.5],
        ],
        "gaps": made_up(18, 14, 4, missing=0.06),
        "near": mapped(made_up(6, 6, 3, step=2.0**-10, span=40), lambda v: 1e9 + v),
        "huge": mapped(made_up(7, 5, 3, step=1.0, span=9), lambda v: v * 1e200),
        "minute": mapped(made_up(8, 5, 3, step=1.0, span=9), lambda v: v * 1e-200),
        "denormal": mapped(made_up(9, 5, 3, step=1.0, span=50), lambda v: v * 5e-324),
        "largest": [[1.5e308, 1e308], [-1.5e308, 1e308], [1.7e308, -1e308], [0.0, 1.0]],
        "whole": made_up(10, 7, 5, step=1.0, span=4, zeros=0.2, missing=0.15, least=0),
        "counts": made_up(11, 8, 6, step=1.0, span=6, zeros=0.4, least=0),
        "communities": [[0.0] * 9, [NAN] * 9, [1.0] + [0.0] * 8,
                        *made_up(40, 8, 9, step=1.0, span=5, zeros=0.4, least=0, missing=0.08)],
        "shares": mapped(made_up(41, 5, 9, step=2.0**-6, span=90, zeros=0.3, least=0), abs),
        "logical": made_up(12, 6, 7, step=1.0, span=1, least=0, missing=0.1),
        "column": [[3.0], [1.5], [3.0], [-2.0], [0.0], [NAN]],
        "pair": [[0.0, 1.0, 3.0], [2.0, 1.0, 0.5]],
        "row": [[1.0, 2.0, 3.0, 4.0]],
        "void": [[NAN, NAN, NAN], [1.0, 2.0, 3.5], [NAN, NAN, NAN], [2.0, 0.0, 1.0], [NAN, 1.0, 2.0]],
        "scale5": [[0.5, 1.0, 2.0, 4.0, 3.0]],
        "scale6": [[0.5, 1.0, 2.0, 4.0, 3.0, 8.0]],
        "scale4": [[0.5, 1.0, 2.0, 4.0]],
        "scale3": [[0.5, 1.0, 2.0]],
        "scale2": [[0.5, 2.0]],
        "scale1": [[0.5]],
        "cov5": [
            [4.0, 1.0, 0.0, 0.5, 0.0],
            [1.0, 3.0, 0.5, 0.0, 0.0],
            [0.0, 0.5, 2.0, -1.0, 0.25],
            [0.5, 0.0, -1.0, 5.0, 0.0],
            [0.0, 0.0, 0.25, 0.0, 1.0],
        ],
        "cov4": [
            [4.0, 1.0, 0.0, 0.5],
            [1.0, 3.0, 0.5, 0.0],
            [0.0, 0.5, 2.0, -1.0],
            [0.5, 0.0, -1.0, 5.0],
        ],
        "cov3": [[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]],
        "cov1": [[4.0]],
        "cov_skew": [[4.0, 1.0, 0.0], [2.0, 3.0, 0.5], [0.0, 0.5, 2.0]],
        "cov_singular": [[4.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 2.0]],
        "cov_wide": [[4.0, 2.0, 0.0], [2.0, 1.0, 0.0]],
        "scale_zero": [[0.5, 0.0, 2.0]],
        "types5": [[1.0, 0.0, 1.0, 0.0, 1.0]],
        "weights5": [[0.5, 1.0, 0.0, 4.0, 3.0]],
        "types7": [[2.0, 1.0, 0.0, 2.0, 2.0, 1.0, 0.0]],
        "types7_asymmetric": [[2.0] * 7],
        "types3": [[0.0, 1.5, 0.0]],
        "types3_last": [[0.0, 0.0, 1.0]],
        "types3_asymmetric": [[0.0, 0.0, 2.0]],
        "scale_minus": [[0.5, 1.0, -2.0]],
        "scale_missing": [[NAN, 1.0, 2.0]],
        "scale_endless": [[INF, 1.0, 2.0]],
        "parallel": parallel(made_up(18, 1, 12)[0]),
        "study": made_up(13, 9, 5, zeros=0.1),
        "study_other": made_up(14, 9, 3),
        "cor_weights": made_up(18, 12, 5, step=0.5, span=6, zeros=0.2, least=0),
        "cor_weights_missing": made_up(19, 12, 5, step=0.5, span=6, missing=0.1, least=0),
        "cor_weights_flat": [[1.0, 1.0, 2.0], [0.5, 2.0, 1.0], [3.0, 1.0, 1.0], [0.0, 1.0, 1.0]],
        "cor_weights_none": [[1.0, 1.0, 0.0], [0.5, 2.0, 0.0], [3.0, 1.0, 1.0], [0.0, 1.0, 0.0]],
        "study_missing": made_up(15, 12, 5, missing=0.08),
        "study_flat": [[1.0, 7.0, 2.0], [2.0, 7.0, 4.5], [0.5, 7.0, NAN], [4.0, 7.0, 1.0]],
        "study_flat_pair": [[1.0, 2.0, NAN], [2.0, 2.0, 5.0], [3.0, 4.0, 5.0], [NAN, 6.0, 5.0], [NAN, 1.0, 2.0]],
        "study_gaps": [[1.0, NAN, 2.0], [NAN, 2.0, 1.0], [3.0, NAN, 0.5], [NAN, 1.0, 2.5]],
        "study_one_complete": [[1.0, NAN, 2.0], [NAN, 2.0, 1.0], [3.0, 4.0, 0.5]],
        "study_infinite": [[1.0, INF, 0.5], [2.0, 1.0, 1.5], [4.0, 2.0, -1.0], [3.0, 0.0, 2.0]],
        "study_single_row": [[1.0, 2.0, 3.0]],
        "study_whole": made_up(16, 8, 4, step=1.0, span=3, missing=0.1),
        "study_other_missing": made_up(17, 12, 2, missing=0.1),
    }


def parallel(row):
    """A row, its copy, three times it, and rows that differ by about 1e-3, 1e-2 and 0.1 of it."""
    others = [[v * (1 + e * math.sin(7 * k + 1)) for k, v in enumerate(row)] for e in (1e-3, 1e-2, 0.1)]
    return [row, list(row), [3 * v for v in row], *others]


# --- Cases --------------------------------------------------------------------------------------------

SIMILARITY = ("cosine", "pearson", "spearman")


# Metrics of stats::dist, which gives missing distances without a warning.
SILENT = ("euclidean", "maximum", "manhattan", "canberra", "binary", "minkowski")


def why_no_distance(row, method):
    """What leaves a point without any distance: a plural predicate, or "" where it has some."""
    there = [v for v in row if not math.isnan(v)]
    if not row or method in SILENT:
        return ""
    if method in ("mahalanobis", "great-circle"):
        return "" if all(map(math.isfinite, row)) else "have missing or infinite values"
    if not there:
        return "have no values"
    if method in ("pearson", "spearman") and len(set(there)) == 1:
        return "are constant"
    return "are zero" if method == "cosine" and not any(there) else ""


def missing_warning(count, why_x, why_y=(), y_name="y"):
    """The warning of so many missing distances; why_no_distance() of all rows of x and of y."""
    def listed(why, of):
        rows = [str(i + 1) for i, reason in enumerate(why) if reason]
        more = [", ..."] if len(rows) > 3 else []
        noun = "row " if len(rows) == 1 else "rows "
        return [noun + ", ".join(rows[:3]) + "".join(more) + of] if rows else []
    if count == 0:
        return ""
    rows = " and ".join(listed(why_x, " of x" if why_y else "") + listed(why_y, f" of {y_name}"))
    reasons = sorted({reason for reason in [*why_x, *why_y] if reason})
    if sum(map(bool, [*why_x, *why_y])) == 1:
        reasons = [reasons[0].replace("are ", "is ").replace("have ", "has ")]
    distances = "1 distance is" if count == 1 else f"{count} distances are"
    return f"{distances} missing: {rows} {' or '.join(reasons)}"


def distances_note(a, b, method):
    """The warning of a distance matrix within a, or between a and b, or ""."""
    why_a = [why_no_distance(row, method) for row in a]
    if b is None:
        count = sum(bool(why_a[i] or why_a[j]) for i in range(len(a)) for j in range(i))
        return missing_warning(count, why_a)
    why_b = [why_no_distance(row, method) for row in b]
    count = sum(bool(p or q) for p in why_a for q in why_b)
    return missing_warning(count, why_a, why_b)


def neighbors_note(points, query, method, k):
    """The warning of the k nearest points of each point, or of each of the query, or ""."""
    why = [why_no_distance(row, method) for row in points]
    why_query = [why_no_distance(row, method) for row in query] if query else []
    good = sum(not reason for reason in why) - (0 if query else 1)
    lacking = max(0, k - max(0, good))
    count = sum(k if reason else lacking for reason in (why_query if query else why))
    if query and not lacking:
        why = [""] * len(why)
    return missing_warning(count, why, why_query, "query")


MATRIX_OPTIONS = ("scale", "cov", "types", "column_weights")


def compute(cases, function, x, y, method, options):
    """The expected matrix with its number of columns, and the note."""
    a, b = cases.matrix(x), cases.matrix(y)
    if function == "cor" and (method in ("bicor", "dcor") or {"weights", "cosine"} & set(options)):
        result, flat = robust(a, b, method, options, cases.matrix(options.get("weights", "")))
        return (result, len((a if b is None else b)[0])), "deviation" if flat else ""
    if function == "cor":
        result, flat = cor(a, b, method, options.get("use", "everything"))
        return (result, len((a if b is None else b)[0]) if a else 0), "deviation" if flat else ""
    if function == "cov":
        result = cov(a, b, method, options.get("use", "everything"), options.get("opt"))
        return (result, len((a if b is None else b)[0])), ""
    values = {k: cases.matrix(v) if k in MATRIX_OPTIONS else v for k, v in options.items()}
    note = ""
    if method == "binary" and any(math.isinf(v) for m in (a, b or []) for row in m for v in row):
        note = "nonfinite"
    note = note or distances_note(a, b if function == "cdist" else None, ALIASES.get(method, method))
    if function == "dist":
        return (dist(a, method, values), 1), note
    return (cdist(a, b, method, values), len(b)), note


class DistanceCases:
    """Adds cases with the values that compute() expects."""

    def __init__(self, cases):
        self.cases = cases
        self.inputs = cases.inputs

    def add(self, name, function, x, y, method, options=None, storage="double", tolerance=1e-14,
            absolute=0.0, error=""):
        expected, note = None, ""
        if not error:
            expected, note = compute(self.cases, function, x, y, method, options or {})
        self.cases.add(name, function, x, y, method, options, storage, expected, tolerance, absolute,
                       note, error)


def options_for(method, columns):
    """Parameters that any data of so many columns allow."""
    if method == "seuclidean":
        return {"scale": f"scale{columns}"}
    if method == "mahalanobis":
        return {"cov": f"cov{columns}"}
    if method == "minkowski":
        return {"p": 3}
    return {}


def add_distances(cases):
    data = ["plain", "missing", "infinite", "tied", "constant", "near", "huge", "minute", "denormal",
            "largest", "whole", "counts", "logical", "column", "row", "void", "0x3", "4x0"]
    for method in METRICS:
        for x in data:
            columns = len(cases.inputs[x][0]) if x in cases.inputs else int(x.split("x")[1])
            options = options_for(method, columns)
            if any(v.startswith(("scale", "cov")) and v not in cases.inputs for v in map(str, options.values())):
                continue
            if method == "mahalanobis" and x in ("huge", "minute", "denormal", "largest"):
                continue
            if method == "gower" and x == "largest":  # ranges are larger than any number
                continue
            storage = "integer" if x in ("whole", "logical") else "double"
            absolute = 4e-15 if method in SIMILARITY + ("gower",) else 0.0
            cases.add(f"dist-{method}-{x}", "dist", x, "", method, options, storage, absolute=absolute)
        single = {**options_for(method, 5), "precision": "single"}
        cases.add(f"dist-{method}-plain-single", "dist", "plain", "", method, single, "double",
                  tolerance=2e-6, absolute=1e-6)
        cases.add(f"dist-{method}-plain-float", "dist", "plain", "", method, options_for(method, 5),
                  "single", tolerance=2e-6, absolute=1e-6)
        absolute = 4e-15 if method in SIMILARITY + ("gower",) else 0.0
        cases.add(f"cdist-{method}-plain", "cdist", "plain", "other", method, options_for(method, 5),
                  absolute=absolute)
        if method != "mahalanobis":
            cases.add(f"cdist-{method}-missing", "cdist", "missing", "other_missing", method,
                      options_for(method, 6), absolute=absolute)
    for p in (0.5, 1, 1.5, 2, 2.5, 7.3, "Inf"):
        for x in ("plain", "missing"):
            cases.add(f"dist-minkowski-{x}-p{p}", "dist", x, "", "minkowski", {"p": p}, tolerance=4e-14)
    cases.add("cdist-euclidean-no-rows", "cdist", "plain", "0x5", "euclidean")
    cases.add("cdist-euclidean-no-points", "cdist", "0x5", "plain", "euclidean")
    cases.add("cdist-euclidean-no-columns", "cdist", "2x0", "3x0", "euclidean")
    cases.add("dist-seuclidean-plain-default", "dist", "plain", "", "seuclidean")
    cases.add("cdist-seuclidean-plain-default", "cdist", "plain", "other", "seuclidean")
    cases.add("dist-mahalanobis-plain-default", "dist", "plain", "", "mahalanobis", tolerance=1e-12)
    cases.add("cdist-mahalanobis-plain-default", "cdist", "plain", "other", "mahalanobis", tolerance=1e-12)
    cases.add("dist-seuclidean-gaps-default", "dist", "gaps", "", "seuclidean")
    cases.add("dist-mahalanobis-gaps-default", "dist", "gaps", "", "mahalanobis", tolerance=1e-12)
    cases.add("dist-seuclidean-near-default", "dist", "near", "", "seuclidean", tolerance=1e-13)
    cases.add("dist-mahalanobis-near-default", "dist", "near", "", "mahalanobis", tolerance=1e-12)
    def add_gower(name, function, x, y="", storage="double", **options):
        cases.add(f"{function}-gower-{name}", function, x, y, "gower", options, storage, absolute=4e-15)
    add_gower("whole-types", "dist", "whole", types="types5")
    add_gower("whole-weights", "dist", "whole", column_weights="weights5", storage="integer")
    add_gower("whole-both", "cdist", "whole", "whole", types="types5", column_weights="weights5")
    add_gower("logical-types", "dist", "logical", types="types7", storage="integer")
    add_gower("asymmetric", "dist", "logical", types="types7_asymmetric")
    add_gower("ranges", "cdist", "plain", "other", scale="scale5")
    cases.add("dist-default-p", "dist", "plain", "", "minkowski")
    for method in SIMILARITY:
        cases.add(f"dist-{method}-parallel", "dist", "parallel", "", method, tolerance=1e-12, absolute=1e-30)
    for alias in ALIASES:
        cases.add(f"dist-alias-{alias}", "dist", "plain", "", alias, absolute=4e-15)


def add_communities(cases):
    for method in COMMUNITIES:
        exact_zero = 1e-7 if method == "js" else 4e-14  # the root of what rounding leaves of 0
        for x in ("counts", "communities", "shares", "0x3", "4x0"):
            cases.add(f"dist-{method}-{x}", "dist", x, "", method, {}, tolerance=4e-14, absolute=exact_zero)
        cases.add(f"cdist-{method}-communities", "cdist", "shares", "communities", method, {},
                  tolerance=4e-14, absolute=exact_zero)


USES = ("everything", "all.obs", "complete.obs", "na.or.complete", "pairwise.complete.obs")


def add_correlations(cases):
    for method in ("pearson", "spearman", "kendall"):
        backend = {"backend": "cpu"} if method == "kendall" else {}  # the only one that has it
        for use in USES:
            def add(name, x, y="", storage="double"):
                cases.add(f"cor-{method}-{use}-{name}", "cor", x, y, method, {"use": use, **backend},
                          storage, tolerance=1e-14, absolute=4e-15)
            add("plain", "study")
            add("two", "study", "study_other")
            add("near", "near")
            add("huge", "huge")
            add("minute", "minute")
            add("tied", "tied")
            add("constant", "constant")
            if method != "spearman" and use == "everything":
                add("infinite", "study_infinite")
            if use == "all.obs":
                continue
            add("missing", "study_missing")
            add("two-missing", "study_missing", "study_other_missing")
            add("flat", "study_flat")
            add("whole", "study_whole", storage="integer")
            add("row", "study_single_row")
            if use != "complete.obs":
                add("gaps", "study_gaps")
            if use == "pairwise.complete.obs":
                add("flat-pair", "study_flat_pair")
        cases.add(f"cor-{method}-default", "cor", "study", "", method, backend, absolute=4e-15)
        cases.add(f"cor-{method}-single", "cor", "study", "", method,
                  {"precision": "single", **backend}, tolerance=2e-6, absolute=1e-6)
        cases.add(f"cor-{method}-float", "cor", "study", "", method, backend, "single",
                  tolerance=2e-6, absolute=1e-6)


def add_robust(cases):
    def add(name, x, y="", method="bicor", storage="double", tolerance=1e-14, absolute=1e-14, **options):
        given = {"use": "pairwise.complete.obs"} | options | ({"backend": "cpu"} if method == "dcor" else {})
        cases.add(f"cor-{name}", "cor", x, y, method, given, storage, tolerance, absolute)

    for use in USES[:1] + USES[2:]:
        for method in ("bicor", "dcor"):
            add(f"{method}-{use}-missing", "study_missing", "", method, use=use)
            add(f"{method}-{use}-two", "study_missing", "study_other_missing", method, use=use)
        add(f"weights-{use}-missing", "study_missing", "", "pearson", use=use, weights="cor_weights")
        add(f"weights-{use}-two", "study_missing", "study_other_missing", "pearson", use=use, weights="cor_weights")
        add(f"weights-{use}-gaps", "study_missing", "", "pearson", use=use, weights="cor_weights_missing")
        add(f"cosine-{use}-missing", "study_missing", "", "pearson", use=use, cosine="true")
        add(f"weights-{use}-cosine", "study_missing", "", "pearson", use=use, cosine="true", weights="cor_weights")
    for method in ("bicor", "dcor"):
        add(f"{method}-plain", "study", "", method, use="all.obs")
        add(f"{method}-float", "study", "", method, "single", 2e-6, 1e-6, use="all.obs")
    add("dcor-constant", "constant", "", "dcor", use="all.obs", absolute=1e-13)
    add("dcor-tied", "tied", "", "dcor", use="all.obs", absolute=1e-13)
    add("dcor-flat", "study_flat", "", "dcor")
    for most in (0.25, 0):
        add(f"bicor-outliers-{most}", "study_missing", "", "bicor", maxPOutliers=most)
    add("weights-constant", "study_flat", "", "pearson", weights="cor_weights_flat")
    add("weights-none", "study_flat", "", "pearson", weights="cor_weights_none")


def deviation(x, method):
    """The largest difference of a value, or of a rank, from the mean of its column."""
    if method == "spearman":
        return Fraction(len(x), 2)
    columns = [[Fraction(v) for v in column if math.isfinite(v)] for column in zip(*x)]
    return max(abs(v - sum(column) / len(column)) for column in columns for v in column)


def add_covariances(cases):
    def add(name, x, y="", method="pearson", storage="double", bound=4e-15, **options):
        """Errors are relative to the deviations; sums of signs have none."""
        scale = rounded(deviation(cases.inputs[x], method) * deviation(cases.inputs[y or x], method))
        bound = 0.0 if method == "kendall" else bound
        cases.add("cov-" + name, "cov", x, y, method, options, storage, tolerance=bound,
                  absolute=bound * scale if math.isfinite(scale) else 0.0)

    for method in ("pearson", "spearman", "kendall"):
        for use in USES[:-1] if method != "pearson" else USES:
            def given(name, x, y="", **more):
                add(f"{method}-{use}-{name}", x, y, method, use=use, **more)
            given("plain", "study")
            given("two", "study", "study_other")
            given("near", "near")
            given("tied", "tied")
            given("constant", "constant")
            given("infinite", "study_infinite")
            given("row", "study_single_row")
            if use in ("everything", "pairwise.complete.obs"):
                given("huge", "huge")
                given("minute", "minute")
                given("huge-minute", "huge", "minute")
            if use == "all.obs":
                continue
            given("missing", "study_missing")
            given("two-missing", "study_missing", "study_other_missing")
            given("flat", "study_flat")
            given("whole", "study_whole", storage="integer")
            given("one-complete", "study_one_complete")
            if use != "complete.obs":
                given("gaps", "study_gaps")
        add(f"{method}-default", "study", method=method)
        add(f"{method}-single", "study", method=method, bound=2e-6, precision="single")
        add(f"{method}-float", "study", method=method, storage="single", bound=2e-6)
    for opt in (0, 1):
        for use in ("everything", "na.or.complete", "pairwise.complete.obs"):
            for x in ("study", "near", "huge", "minute", "constant", "study_infinite", "study_missing", "study_flat",
                      "study_flat_pair", "study_one_complete", "study_gaps"):
                add(f"opt{opt}-{use}-{x}", x, use=use, opt=opt)
            add(f"opt{opt}-{use}-float", "study_missing", storage="single", bound=2e-6, use=use, opt=opt)


def add_errors(cases):
    """Wrong arguments: (case, function, x, y, method, options, message)."""
    for name, function, x, y, method, options, error in ERRORS:
        cases.add("error-" + name, function, x, y, method, options, error=error)


METRIC_NAMES = ", ".join(f'"{name}"' for name in [*METRICS, "great-circle"]) + " or a measure of communities"
USE_NAMES = ", ".join(f'"{name}"' for name in USES)
ERRORS = [
    ("method-unknown", "dist", "plain", "", "euclid2", {},
     f'method must be one of {METRIC_NAMES}, not "euclid2"'),
    ("method-ambiguous", "dist", "plain", "", "m", {},
     f'method must be one of {METRIC_NAMES}, not "m", which begins several of them'),
    ("method-empty", "dist", "plain", "", "", {}, f'method must be one of {METRIC_NAMES}, not ""'),
    ("method-cdist", "cdist", "plain", "other", "ward", {},
     f'method must be one of {METRIC_NAMES}, not "ward"'),
    ("p-zero", "dist", "plain", "", "minkowski", {"p": 0},
     "p must be a positive number, not 0"),
    ("p-negative", "dist", "plain", "", "minkowski", {"p": -1},
     "p must be a positive number, not -1"),
    ("p-infinite", "dist", "plain", "", "minkowski", {"p": "-Inf"},
     "p must be a positive number, not -Inf"),
    ("p-missing", "dist", "plain", "", "minkowski", {"p": "NaN"},
     "p must be a positive number, not NaN"),
    ("p-cdist", "cdist", "plain", "other", "minkowski", {"p": -2.5},
     "p must be a positive number, not -2.5"),
    ("y-columns", "cdist", "plain", "near", "euclidean", {},
     "y must have 5 columns, as x has, not 3"),
    ("y-no-columns", "cdist", "plain", "2x0", "euclidean", {},
     "y must have 5 columns, as x has, not 0"),
    ("cov-shape", "dist", "plain", "", "mahalanobis", {"cov": "cov3"},
     "cov must be 5 x 5, as x has 5 columns, not 3 x 3"),
    ("cov-not-square", "dist", "near", "", "mahalanobis", {"cov": "cov_wide"},
     "cov must be 3 x 3, as x has 3 columns, not 2 x 3"),
    ("cov-not-symmetric", "dist", "near", "", "mahalanobis", {"cov": "cov_skew"},
     "cov must be symmetric, but element (2, 1) is 2 and (1, 2) is 1"),
    ("cov-singular", "dist", "near", "", "mahalanobis", {"cov": "cov_singular"},
     "cov must be positive definite, but it is singular: column 2 depends on those before it or is "
     "constant"),
    ("cov-default-singular", "dist", "constant", "", "mahalanobis", {},
     "cov must be given: the covariance of x is singular: column 1 depends on those before it or is "
     "constant"),
    ("cov-default-few", "dist", "void", "", "mahalanobis", {},
     "cov must be given: the covariance of x is singular: column 2 depends on those before it or is "
     "constant"),
    ("cov-default-infinite", "dist", "study_infinite", "", "mahalanobis", {},
     "cov must be finite, but element (2, 1) is NaN"),
    ("cov-other-method", "dist", "near", "", "euclidean", {"cov": "cov3"},
     'cov must be given with method "mahalanobis", not "euclidean"'),
    ("scale-length", "dist", "plain", "", "seuclidean", {"scale": "scale3"},
     "scale must have a value for each of the 5 columns of x, not 3 values"),
    ("scale-zero", "dist", "near", "", "seuclidean", {"scale": "scale_zero"},
     "scale must be positive and finite, but value 2 is 0"),
    ("scale-negative", "dist", "near", "", "seuclidean", {"scale": "scale_minus"},
     "scale must be positive and finite, but value 3 is -2"),
    ("scale-missing", "dist", "near", "", "seuclidean", {"scale": "scale_missing"},
     "scale must be positive and finite, but value 1 is NaN"),
    ("scale-infinite", "dist", "near", "", "seuclidean", {"scale": "scale_endless"},
     "scale must be positive and finite, but value 1 is Inf"),
    ("scale-default-constant", "dist", "constant", "", "seuclidean", {},
     "scale must be given: column 1 of x has standard deviation 0, and it must be positive and "
     "finite"),
    ("scale-default-infinite", "dist", "study_infinite", "", "seuclidean", {},
     "scale must be given: column 2 of x has standard deviation NaN, and it must be positive and "
     "finite"),
    ("scale-default-one-row", "cdist", "study_single_row", "near", "seuclidean", {},
     "scale must be given: column 1 of x has 1 values, too few for a standard deviation"),
    ("scale-other-method", "dist", "near", "", "manhattan", {"scale": "scale3"},
     'scale must be given with method "seuclidean" or "gower", not "manhattan"'),
    ("types-length", "dist", "plain", "", "gower", {"types": "types3"},
     "types must have a value for each of the 5 columns of x, not 3 values"),
    ("types-other", "dist", "near", "", "gower", {"types": "types3"},
     "types must be 0 (numeric), 1 (nominal) or 2 (asymmetric), but value 2 is 1.5"),
    ("types-nominal", "dist", "pair", "", "gower", {"types": "types3_last"},
     "types must be numeric for column 3, which has the value 0.5: nominal columns have whole numbers"),
    ("types-asymmetric", "dist", "pair", "", "gower", {"types": "types3_asymmetric"},
     "types must be numeric for column 3, which has the value 3: asymmetric columns have 0 and 1"),
    ("types-other-method", "dist", "near", "", "manhattan", {"types": "types3"},
     'types must be given with method "gower", not "manhattan"'),
    ("weights-length", "dist", "near", "", "gower", {"column_weights": "scale2"},
     "column_weights must have a value for each of the 3 columns of x, not 2 values"),
    ("weights-negative", "dist", "near", "", "gower", {"column_weights": "scale_minus"},
     "column_weights must be at least 0 and finite, but value 3 is -2"),
    ("weights-other-method", "dist", "near", "", "euclidean", {"column_weights": "scale3"},
     'column_weights must be given with method "gower", not "euclidean"'),
    ("range-infinite", "dist", "largest", "", "gower", {},
     "scale must be given: column 1 of x has range Inf, and it must be finite"),
    ("threads-zero", "dist", "plain", "", "euclidean", {"threads": 0},
     "threads must be a whole number between 1 and 1024, not 0"),
    ("threads-fraction", "dist", "plain", "", "euclidean", {"threads": 1.5},
     "threads must be a whole number between 1 and 1024, not 1.5"),
    ("threads-missing", "cor", "study", "", "pearson", {"threads": "NaN"},
     "threads must be a whole number between 1 and 1024, not NaN"),
    ("threads-text", "dist", "plain", "", "euclidean", {"threads": '"2"'},
     'threads must be a whole number between 1 and 1024, not "2"'),
    ("memory-limit-text", "cor", "study", "", "pearson", {"memory_limit": '"4GB"'},
     'memory_limit must be a whole number of at least 1048576, not "4GB"'),
    ("memory-limit-small", "cdist", "plain", "other", "euclidean", {"memory_limit": 1000},
     "memory_limit must be a whole number of at least 1048576, not 1000"),
    ("p-unused", "dist", "plain", "", "euclidean", {"p": -2},
     "p must be a positive number, not -2"),
    ("p-text", "cdist", "plain", "other", "maximum", {"p": '"2"'},
     'p must be a positive number, not "2"'),
    ("precision", "dist", "plain", "", "euclidean", {"precision": "half"},
     'precision must be one of "double", "single", not "half"'),
    ("backend", "dist", "plain", "", "euclidean", {"backend": "gpu"},
     'backend must be one of "auto", "cpu", "cuda", not "gpu"'),
    ("cor-method", "cor", "study", "", "tau", {},
     'method must be one of "pearson", "spearman", "kendall", "bicor", "dcor", not "tau"'),
    ("cor-use", "cor", "study", "", "pearson", {"use": "some"},
     f'use must be one of {USE_NAMES}, not "some"'),
    ("cor-y-rows", "cor", "study", "study_missing", "pearson", {},
     "y must have 9 rows, as x has, not 12"),
    ("cor-all-obs", "cor", "study_missing", "", "pearson", {"use": "all.obs"},
     'x must have no missing values with use = "all.obs"'),
    ("cor-no-complete-row", "cor", "study_gaps", "", "pearson", {"use": "complete.obs"},
     'x must have a complete row with use = "complete.obs"'),
    ("covariances-method", "cov", "study", "", "tau", {},
     'method must be one of "pearson", "spearman", "kendall", "bicor", "dcor", not "tau"'),
    ("covariances-use", "cov", "study", "", "pearson", {"use": "some"},
     f'use must be one of {USE_NAMES}, not "some"'),
    *[(f"covariances-{method}-pairwise", "cov", "study", "", method, {"use": "pairwise.complete.obs"},
       f'use must be "everything", "all.obs", "complete.obs" or "na.or.complete" for covariances of method "{method}", '
       'not "pairwise.complete.obs"') for method in ("spearman", "kendall")],
    ("covariances-y-rows", "cov", "study", "study_missing", "pearson", {},
     "y must have 9 rows, as x has, not 12"),
    ("covariances-all-obs", "cov", "study_missing", "", "pearson", {"use": "all.obs"},
     'x must have no missing values with use = "all.obs"'),
    ("covariances-no-complete-row", "cov", "study_gaps", "", "kendall", {"use": "complete.obs"},
     'x must have a complete row with use = "complete.obs"'),
    ("covariances-threads", "cov", "study", "", "pearson", {"threads": 0},
     "threads must be a whole number between 1 and 1024, not 0"),
    ("covariances-opt-threads", "cov", "study", "", "pearson", {"opt": 1, "threads": 1.5},
     "threads must be a whole number between 1 and 1024, not 1.5"),
    ("covariances-opt-memory-limit", "cov", "study", "", "pearson", {"opt": 0, "memory_limit": 7},
     "memory_limit must be a whole number of at least 1048576, not 7"),
]


def add_cases(cases):
    cases.inputs.update(inputs())
    distances = DistanceCases(cases)
    add_distances(distances)
    add_communities(distances)
    add_correlations(distances)
    add_robust(distances)
    add_covariances(distances)
    add_errors(distances)


# --- Second sources -------------------------------------------------------------------------------------

R_SCRIPT = r"""
folder <- commandArgs(TRUE)[1]
cases <- read.csv(file.path(folder, "cases.csv"), colClasses = "character")
matrix_of <- function(name) {
  if (name == "") return(NULL)
  if (grepl("^[0-9]+x[0-9]+$", name)) {
    size <- as.integer(strsplit(name, "x")[[1]])
    return(matrix(0, size[1], size[2]))
  }
  as.matrix(read.csv(file.path(folder, paste0(name, ".csv")), header = FALSE))
}
option <- function(case, name, default) {
  pairs <- strsplit(strsplit(case$options, ";")[[1]], "=")
  found <- Filter(function(pair) pair[1] == name, pairs)
  if (length(found)) found[[1]][2] else default
}
known <- c("euclidean", "maximum", "manhattan", "canberra", "binary", "minkowski")
for (i in seq_len(nrow(cases))) {
  case <- cases[i, ]
  if (case$error != "" || option(case, "precision", "") != "" || option(case, "opt", "") != "") next
  if (case$method %in% c("bicor", "dcor") || grepl("weights=|cosine=", case$options)) next
  x <- matrix_of(case$x)
  y <- matrix_of(case$y)
  note <- ""
  result <- withCallingHandlers({
    if (case$`function` == "cor") {
      cor(x, y, use = option(case, "use", "everything"), method = case$method)
    } else if (case$`function` == "cov") {
      cov(x, y, use = option(case, "use", "everything"), method = case$method)
    } else if (case$`function` == "dist" && case$method %in% known) {
      p <- as.numeric(option(case, "p", "2"))
      if (is.infinite(p)) dist(x, "maximum") else dist(x, case$method, p = p)
    } else if (case$method == "braycurtis" && case$x == "counts") {
      if (requireNamespace("vegan", quietly = TRUE)) vegan::vegdist(x, "bray")
    }
  }, warning = function(w) {
    note <<- if (grepl("deviation", conditionMessage(w))) "deviation" else "nonfinite"
    invokeRestart("muffleWarning")
  })
  if (is.null(result)) next
  cat(case$case, note, sprintf("%.17g", t(as.matrix(if (inherits(result, "dist")) c(result) else result))), sep = ",")
  cat("\n")
}
"""


# Pearson's correlations and covariances that stats gets wrong for all `use` but pairwise: it rounds the means to
# doubles and forms squares in doubles, which loses digits, overflows and underflows.
R_IS_WEAKER = {
    f"{name}-{use}-{data}"
    for use in ("everything", "all.obs", "complete.obs", "na.or.complete")
    for name, data in (("cor-pearson", "near"), ("cor-pearson", "huge"), ("cor-pearson", "minute"),
                       ("cov-pearson", "near"))
}


def hold_against_r(matrices, cases):
    if not shutil.which("Rscript"):
        print("R: not installed, nothing held against it")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        for name, matrix in matrices.items():
            (pathlib.Path(folder) / f"{name}.csv").write_text(matrix_lines(matrix))
        (pathlib.Path(folder) / "cases.csv").write_text(manifest(cases.values()))
        script = pathlib.Path(folder) / "second.R"
        script.write_text(R_SCRIPT)
        run = subprocess.run(["Rscript", "--vanilla", script, folder], capture_output=True,
                             text=True, check=True)
    differ, lines = 0, run.stdout.splitlines()
    for line in lines:
        name, note, *got = line.split(",")
        if name in R_IS_WEAKER:
            continue
        got = [NAN if v in ("NA", "") else float(v) for v in got]
        got = [] if not values_of(cases[name], matrices) else got
        differ += disagreements(cases[name], matrices, got, note, "R")
    print(f"R: {len(lines)} cases, {differ} differ")
    return differ


SCIPY = {
    "euclidean": "euclidean", "sqeuclidean": "sqeuclidean", "manhattan": "cityblock",
    "maximum": "chebyshev", "minkowski": "minkowski", "seuclidean": "seuclidean",
    "mahalanobis": "mahalanobis", "cosine": "cosine", "pearson": "correlation", "braycurtis": "braycurtis", "hamming": "hamming",
}


def hold_against_scipy(matrices, cases):
    """Data without missing values or special ones, where scipy has the same definition."""
    import numpy
    from scipy.spatial.distance import cdist as scipy_cdist

    done = differ = 0
    for case in cases.values():
        if case["function"] in ("cor", "cov", "tiles") or case["method"] not in SCIPY or case["error"]:
            continue
        data = "counts" if case["method"] in ("braycurtis", "hamming") else "plain"
        if case["x"] != data or case["y"] not in ("", "other"):
            continue
        if "precision" in case["options"] or case["storage"] != "double":
            continue
        x = numpy.array(matrices[case["x"]])
        y = numpy.array(matrices[case["y"]]) if case["y"] else x
        options = dict(pair.split("=") for pair in case["options"].split(";") if pair)
        extra = {}
        if case["method"] == "minkowski":
            extra["p"] = float(options.get("p", 2))
        if case["method"] == "seuclidean":
            scale = numpy.array(matrices[options["scale"]][0]) if options else x.std(0, ddof=1)
            extra["V"] = scale**2
        if case["method"] == "mahalanobis":
            cov = numpy.array(matrices[options["cov"]]) if options else numpy.cov(x.T)
            extra["VI"] = numpy.linalg.inv(cov)
        result = scipy_cdist(x, y, SCIPY[case["method"]], **extra)
        if case["function"] == "dist":
            result = result.T[numpy.triu_indices(len(x), 1)]
        done += 1
        differ += disagreements(case, matrices, list(map(float, result.ravel())), case["note"], "scipy")
    print(f"scipy: {done} cases, {differ} differ")
    return differ


def second(matrices, cases):
    """How many expected values scipy or R contradict."""
    return hold_against_scipy(matrices, cases) + hold_against_r(matrices, cases)
