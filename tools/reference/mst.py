"""Minimum spanning trees: all distances by exact arithmetic, sorted, and Kruskal's algorithm; cases, and a
second source."""

import math

from reference.cases import disagreements
from reference.dist import METRIC_NAMES, METRICS, SIMILARITY, options_for, pair_metric
from reference.knn import EXACT

# --- Definitions --------------------------------------------------------------------------------


def all_edges(x, method, options):
    """All pairs as (distance, i, j), i < j, in the order of the pairs."""
    metric = pair_metric(method, x, options)
    return [(metric(x[j], x[i]), i, j) for i in range(len(x)) for j in range(i + 1, len(x))]


def spanning_tree(edges, n):
    """The edges of the tree in the order of distance, i, j."""
    label, tree = list(range(n)), []
    for edge in sorted(edges):
        a, b = label[edge[1]], label[edge[2]]
        if a != b:
            label = [a if value == b else value for value in label]
            tree.append(edge)
    return tree


def order_is_certain(edges, exact):
    """True if no rounding can change the order: they differ by much or are equal in any arithmetic."""
    values = sorted(edge[0] for edge in edges)
    return all(b - a > 1e-11 * max(abs(a), abs(b)) or a == b == math.inf or (exact and a == b)
               for a, b in zip(values, values[1:]))


def missing_error(edges):
    """The message about missing distances, "" without them."""
    missing = [edge for edge in edges if math.isnan(edge[0])]
    if not missing:
        return ""
    return (f"x must have a distance between any two points, but {len(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing; the first is between points "
            f"{missing[0][1] + 1} and {missing[0][2] + 1}")


# --- Cases --------------------------------------------------------------------------------------


class TreeCases:
    """Adds cases with the trees that the reference finds."""

    def __init__(self, cases):
        self.cases = cases

    def add(self, name, x, method="euclidean", storage="double", **options):
        values = {key: self.cases.inputs.get(value, value) if isinstance(value, str) else value
                  for key, value in options.items()}
        points = self.cases.matrix(x)
        edges = all_edges(points, method, values)
        error = missing_error(edges)
        if error:
            self.cases.add(f"mst-{name}", "mst", x, "", method, options, storage, error=error)
            return
        whole = not any(math.isnan(v) for row in points for v in row)
        assert order_is_certain(edges, method in EXACT and whole), f"{name}: ties that rounding may break"
        tree = [[i + 1, j + 1, d] for d, i, j in spanning_tree(edges, len(points))]
        tolerance = 4e-14 if method == "minkowski" else 1e-14
        absolute = 4e-15 if method in SIMILARITY + ("gower",) else 0.0
        self.cases.add(f"mst-{name}", "mst", x, "", method, options, storage, (tree, 3), tolerance, absolute)


def add_cases(cases):
    own = TreeCases(cases)
    other_data = {"binary": "n_logical", "hamming": "n_counts", "jaccard": "n_counts",
                  "canberra": "n_positive", "spearman": "n_long"}
    for method in METRICS:
        data = other_data.get(method, "n_plain")
        own.add(f"{method}-plain", data, method, **options_for(method, len(cases.inputs[data][0])))
    for method in ("euclidean", "manhattan", "maximum"):
        for x in ("n_tied", "n_lattice", "n_same", "n_far", "n_line", "n_two"):
            own.add(f"{method}-{x[2:]}", x, method)
    for p in (0.5, 1, 1.5, 7.3):
        own.add(f"minkowski-p{p}", "n_plain", "minkowski", p=p)
    own.add("mahalanobis-default", "n_plain", "mahalanobis")
    own.add("seuclidean-default", "n_plain", "seuclidean")
    own.add("few-gaps", "n_few_gaps", "euclidean")
    own.add("long-gaps", "n_long_gaps", "pearson")
    own.add("blank", "n_blank")
    own.add("tied-integer", "n_tied", storage="integer")
    own.add("tied-single", "n_tied", storage="single")
    own.add("none", "0x2")
    own.add("no-columns", "4x0")

    def fail(name, error, method="euclidean", **options):
        cases.add(f"mst-error-{name}", "mst", "n_plain", "", method, options, error=error)

    fail("method", f'method must be one of {METRIC_NAMES}, not "hyperbolic"', "hyperbolic")
    fail("great-circle", 'method must not be "great-circle", which is for neighbours, DBSCAN, collisions and closest '
         'pairs', "great-circle")
    fail("p", "p must be a positive number, not 0", "minkowski", p=0)
    fail("scale", 'scale must be given with method "seuclidean" or "gower", not "euclidean"', scale="scale5")
    fail("threads", "threads must be a whole number between 1 and 1024, not 0", threads=0)


# --- The second source --------------------------------------------------------------------------

# Metrics of scipy's pdist that take no parameters and mean the same for negative coordinates.
SCIPY = {"euclidean": "euclidean", "sqeuclidean": "sqeuclidean", "manhattan": "cityblock", "maximum": "chebyshev",
         "canberra": "canberra", "cosine": "cosine", "pearson": "correlation"}


def second(matrices, cases):
    """How many trees have other distances than scipy.sparse.csgraph.minimum_spanning_tree finds. It takes any of
    several trees, so that only distances are compared, and leaves out edges of weight 0: it gets ranks from 1."""
    import numpy
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial.distance import pdist, squareform

    done = differ = 0
    for case in cases.values():
        if case["function"] != "mst" or case["error"] or case["method"] not in SCIPY:
            continue
        x = numpy.array(matrices.get(case["x"], []))
        if not x.size or len(x) < 2 or not numpy.isfinite(x).all():
            continue
        values, rank = numpy.unique(pdist(x, SCIPY[case["method"]]), return_inverse=True)
        tree = minimum_spanning_tree(squareform(rank.ravel() + 1.0))
        found = values[numpy.sort(tree.data).astype(int) - 1]
        expected = matrices[case["expected"]]
        got = [value for row, d in zip(expected, found) for value in (*row[:2], float(d))]
        done += 1
        differ += disagreements(case, matrices, got if len(found) == len(expected) else [], "", "scipy")
    print(f"scipy, spanning trees: {done} cases, {differ} differ")
    return differ
