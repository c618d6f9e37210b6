"""Hierarchical clustering by exact arithmetic: always the nearest pair; cases, and a second source."""

from fractions import Fraction

import mpmath

from reference.cases import disagreements, made_up
from reference.numbers import rounded

# --- Definitions --------------------------------------------------------------------------------

LINKAGES = ("single", "complete", "average", "mcquitty", "ward.D", "ward.D2", "centroid", "median")


def joined(method, di, dj, dij, ni, nj, nk):
    """The distance of cluster k from the union of i and j (Lance and Williams 1967)."""
    if method == "single":
        return min(di, dj)
    if method == "complete":
        return max(di, dj)
    if method == "average":
        return (ni * di + nj * dj) / (ni + nj)
    if method == "mcquitty":
        return (di + dj) / 2
    if method in ("ward.D", "ward.D2"):
        return ((ni + nk) * di + (nj + nk) * dj - nk * dij) / (ni + nj + nk)
    if method == "centroid":
        return (ni * di + nj * dj) / (ni + nj) - ni * nj * dij / (ni + nj) ** 2
    return (di + dj) / 2 - dij / 4


def kruskal(distances, n):
    """The minimum spanning tree: pairs of points by distance, then by their numbers."""
    cluster = list(range(n))
    merges = []
    for d, i, j in sorted((distances[i][j], i, j) for i in range(n) for j in range(i + 1, n)):
        a, b = cluster[i], cluster[j]
        if a != b:
            merges.append((min(a, b), max(a, b), d))
            cluster = [n + len(merges) - 1 if c in (a, b) else c for c in cluster]
    return merges


def nearest_pairs(distances, n, method, sizes):
    """The nearest pair of clusters, n - 1 times: of several the one with the lowest points."""
    between = {frozenset((i, j)): distances[i][j] for i in range(n) for j in range(i + 1, n)}
    alive = {i: (i, sizes[i]) for i in range(n)}  # cluster: its lowest point and size
    merges = []
    while len(alive) > 1:
        def rank(pair):
            points = sorted(alive[c][0] for c in pair)
            return [between[pair]] + points
        i, j = sorted(min(between, key=rank), key=lambda c: alive[c][0])
        dij = between.pop(frozenset((i, j)))
        merges.append((min(i, j), max(i, j), dij))
        (low, ni), (_, nj) = alive.pop(i), alive.pop(j)
        new = n + len(merges) - 1
        for k, (_, nk) in alive.items():
            di, dj = between.pop(frozenset((i, k))), between.pop(frozenset((j, k)))
            between[frozenset((new, k))] = joined(method, di, dj, dij, ni, nj, nk)
        alive[new] = (low, ni + nj)
    return merges


def manhattan(x):
    return [[sum((abs(Fraction(a) - Fraction(b)) for a, b in zip(p, q)), Fraction(0)) for q in x]
            for p in x]


def cluster(x, method, members=None):
    """A row a merge: the two clusters, numbered from 1 as MATLAB does, and the height."""
    n = len(x)
    distances = manhattan(x)
    squared = method == "ward.D2"
    if squared:
        distances = [[d * d for d in row] for row in distances]
    sizes = [Fraction(m) for m in members] if members else [Fraction(1)] * n
    merges = (kruskal(distances, n) if method == "single"
              else nearest_pairs(distances, n, method, sizes))

    def height(d):
        return rounded(mpmath.sqrt(mpmath.mpf(d.numerator) / d.denominator)) if squared else rounded(d)
    return [[a + 1, b + 1, height(d)] for a, b, d in merges]


# --- Cases --------------------------------------------------------------------------------------


def inputs():
    """Points by name: their Manhattan distances are exact in doubles."""
    chain, at = [], 0.0
    for step in range(30):  # gaps grow: the chain of nearest neighbours is as long as the line
        at += 1 + step / 16
        chain.append([at])
    return {
        "h_plain": made_up(801, 40, 3, step=2.0**-10, span=40000),
        "h_large": made_up(802, 90, 2, step=2.0**-10, span=400000),
        "h_chain": chain,
        "h_reversed": chain[::-1],
        "h_grid": [[float(i), float(j)] for i in range(5) for j in range(4)],
        "h_tied": made_up(803, 30, 2, step=1, span=3),
        "h_same": [[1.5, -2.0]] * 9,
        "h_pairs": [[v] for v in (0.0, 1.0, 10.0, 11.0, 20.0, 21.0, 30.0, 31.0)],
        "h_two": [[0.0, 0.0], [3.0, 4.0]],
        "h_three": [[0.0], [4.0], [6.0]],
        "h_blank": [[0.0], [float("nan")], [1.0], [3.0]],
        "h_members": [[float(1 + i % 4)] for i in range(40)],
        "h_halves": [[0.5 * (1 + i % 3)] for i in range(40)],
        "h_zero": [[float(i)] for i in range(40)],
    }


def add_cases(cases):
    cases.inputs |= inputs()

    def add(name, x, method, **options):
        members = [row[0] for row in cases.inputs[options["members"]]] if options else None
        if method in ("centroid", "median"):
            options["backend"] = "cpu"  # no other one has them
        expected = cluster(cases.matrix(x), method, members), 3
        cases.add(f"hclust-{name}-{method}", "hclust", x, "", method, options, "double", expected,
                  1e-12)

    for method in LINKAGES:
        for x in ("h_plain", "h_large", "h_chain", "h_reversed", "h_pairs", "h_same", "h_two",
                  "h_three"):
            add(x[2:], x, method)
        for members in ("members", "halves"):
            add(f"plain-{members}", "h_plain", method, members=f"h_{members}")
    for method in ("single", "complete", "mcquitty"):  # ties that no rounding breaks
        add("grid", "h_grid", method)
        add("tied", "h_tied", method)

    def fail(name, error, x, method="average", **options):
        cases.add(f"hclust-error-{name}", "hclust", x, "", method, options, error=error)

    fail("none", "d must have 2 to 1073741824 points to cluster, not 0", "0x2")
    fail("missing", "d must have finite distances only, but 3 of them are not; the first is missing, "
         "between points 1 and 2", "h_blank")
    fail("missing-single", "d must have finite distances only, but 3 of them are not; the first is "
         "missing, between points 1 and 2", "h_blank", "single")
    fail("members", "members must have a value for each of the 2 points, not 40 values", "h_two",
         members="h_members")
    fail("members-zero", "members must be positive and finite, but value 1 is 0", "h_plain",
         members="h_zero")
    for method in ("centroid", "median"):
        fail(f"backend-{method}", f'backend must be "auto" or "cpu" for the method "{method}", not "cuda"',
             "h_two", method, backend="cuda")
    fail("threads", "threads must be a whole number between 1 and 1024, not 0", "h_two", threads=0)


# --- The second source --------------------------------------------------------------------------

# scipy's names. Its centroid, median and ward square the distances; ward is ward.D2.
SCIPY = {"single": "single", "complete": "complete", "average": "average", "mcquitty": "weighted",
         "ward.D2": "ward"}


def second(matrices, cases):
    """How many expected trees scipy.cluster.hierarchy contradicts, where there are no ties."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import pdist

    done = differ = 0
    for case in cases.values():
        if case["function"] != "hclust" or case["error"] or case["options"]:
            continue
        if case["method"] not in SCIPY or case["x"] not in ("h_plain", "h_large"):
            continue
        z = linkage(pdist(matrices[case["x"]], "cityblock"), SCIPY[case["method"]])
        got = [v for a, b, d, _ in z for v in (min(a, b) + 1, max(a, b) + 1, float(d))]
        done += 1
        differ += disagreements(case, matrices, got, case["note"], "scipy")
    print(f"scipy, clusters: {done} cases, {differ} differ")
    return differ
