"""Nearest neighbours: all distances by exact arithmetic, sorted; cases, and a second source."""

import math
from fractions import Fraction

import mpmath

from reference.cases import disagreements, made_up
from reference.closest import haversine
from reference.dist import (METRIC_NAMES, METRICS, SIMILARITY, neighbors_note, options_for,
                            pair_metric)
from reference.numbers import INF, NAN, exact, rounded

# --- Definitions --------------------------------------------------------------------------------


def great_circle(a, b, radius):
    """The distance of two locations on a sphere."""
    if any(math.isnan(v) for v in (*a, *b)):
        return NAN
    return rounded(2 * exact(Fraction(radius)) * mpmath.asin(mpmath.sqrt(haversine(a, b))))


def metric_of(method, x, options):
    if method != "great-circle":
        return pair_metric(method, x, options)
    return lambda a, b: great_circle(a, b, options.get("sphere_radius", 6371008.8))


def neighbors(x, query, method, options):
    """For each point of the query, or of x and then without itself, all points of x as (distance,
    index), the nearest first, missing distances last, ties by index."""
    metric = metric_of(method, x, options)
    within = query is None
    lists = []
    for i, b in enumerate(x if within else query):
        # Within x a distance is that of the later point to the earlier one, as in a dist object.
        found = [(metric(a, b) if not within or j > i else metric(b, a), j)
                 for j, a in enumerate(x) if not within or j != i]
        lists.append(sorted(found, key=lambda f: (math.isnan(f[0]), f[0], f[1])
                            if not math.isnan(f[0]) else (True, 0.0, f[1])))
    return lists


def nearest(lists, k):
    """A row a point: k row numbers from 1, then k distances."""
    return [[j + 1 for _, j in found[:k]] + [d for d, _ in found[:k]] for found in lists]


def within_radius(lists, radius):
    """A row a neighbour: the point and its neighbour, from 1, and their distance."""
    return [[i + 1, j + 1, d] for i, found in enumerate(lists) for d, j in found if d <= radius]


def order_is_certain(lists, exact):
    """True if no rounding can change the order: they differ by much or are equal in any arithmetic."""
    for found in lists:
        values = [d for d, _ in found if math.isfinite(d)]
        for a, b in zip(values, values[1:]):
            if not (b - a > 1e-9 * max(abs(a), abs(b)) or (exact and a == b)):
                return False
    return True


# --- Cases --------------------------------------------------------------------------------------

# Sums of numbers of few digits, so that equal distances are equal in doubles too.
EXACT = ("euclidean", "sqeuclidean", "manhattan", "maximum", "binary", "hamming", "jaccard")


def inputs():
    """Matrices by name: short binary fractions and whole numbers."""
    blank = made_up(701, 6, 5)
    blank[1] = [NAN] * 5
    blank[4] = [NAN, 1.0, NAN, NAN, 2.5]
    gaps = made_up(702, 25, 6, step=2.0**-10, span=40000, missing=0.1)
    gaps[7] = [NAN, 2.0, NAN, NAN, NAN, NAN]  # one coordinate
    return {
        "n_plain": made_up(703, 30, 5, step=2.0**-10, span=40000),
        "n_other": made_up(704, 7, 5, step=2.0**-10, span=40000),
        "n_positive": made_up(711, 30, 5, step=2.0**-10, span=40000, least=1),
        "n_positive_other": made_up(712, 7, 5, step=2.0**-10, span=40000, least=1),
        "n_blank": blank,
        "n_gaps": gaps,
        "n_few_gaps": made_up(713, 25, 8, step=2.0**-10, span=40000, missing=0.06),
        "n_long": made_up(714, 12, 60, step=2.0**-10, span=40000),
        "n_long_gaps": made_up(715, 12, 60, step=2.0**-10, span=40000, missing=0.03),
        "n_tied": made_up(705, 24, 3, step=1, span=2),
        "n_lattice": [[float(i), float(j)] for i in range(5) for j in range(5)],
        "n_same": [[1.5, -2.0]] * 8,
        "n_counts": made_up(706, 20, 6, step=1, span=5, zeros=0.3, least=0),
        "n_logical": made_up(707, 20, 7, step=1, span=1, least=0),
        "n_far": [[2.0**30 + 2.0**-10 * v for v in row] for row in made_up(708, 20, 3, 1, 900)],
        "n_huge": [[v * 2.0**660 for v in row] for row in made_up(709, 12, 2, 1, 900)],
        "n_endless": [[1.0, INF], [INF, INF], [0.0, -INF], [2.0, 3.0], [2.5, 3.0]],
        "n_line": made_up(710, 40, 1, step=0.25, span=4000),
        "n_places": [[v[0] * 1.5, v[1] * 0.75] for v in made_up(716, 30, 2, 0.125, 960)],
        "n_towns": [[v[0] * 1.5, v[1] * 0.75] for v in made_up(717, 8, 2, 0.125, 960)],
        # The same town twice, beyond 180 degrees, on the date line, at the poles, and unknown.
        "n_edges": [[200.5, 10.25], [-159.5, 10.25], [180.0, 5.0], [-180.0, 5.0], [179.5, 4.0],
                    [-179.875, 7.5], [17.0, 90.0], [-33.0, 90.0], [40.0, 89.5], [0.0, -90.0],
                    [360.0, 1.0], [0.0, 1.0], [359.75, -2.0], [NAN, 3.0], [3.0, NAN]],
        "n_south": [[0.0, 0.0], [10.0, -90.5]],
        "n_east": [[0.0, 0.0], [361.0, 5.0]],
        "n_two": [[0.0, 0.0], [3.0, 4.0]],
        "n_one": [[1.0, 2.0]],
        "n_wide": [[1.0, 2.0, 3.0]],
    }


class NeighborCases:
    """Adds cases with the neighbours that the reference finds."""

    def __init__(self, cases):
        self.cases = cases

    def add(self, name, x, y="", method="euclidean", k=None, radius=None, storage="double",
            **options):
        values = {key: self.cases.inputs.get(value, value) if isinstance(value, str) else value
                  for key, value in options.items()}
        query = self.cases.matrix(y)
        points = self.cases.matrix(x)
        lists = neighbors(points, query, method, values)
        whole = not any(math.isnan(v) for row in points + (query or []) for v in row)
        # Great circles from the same location are equal in doubles too.
        exact = method in EXACT and whole or method == "great-circle"
        assert order_is_certain(lists, exact), f"{name}: ties that rounding may break"
        note = "nonfinite" if method == "binary" and x == "n_endless" else ""
        tolerance = 4e-14 if method == "minkowski" else 1e-14
        absolute = 4e-15 if method in SIMILARITY + ("gower",) else 0.0
        if radius is None:
            expected = nearest(lists, k), 2 * k
            note = note or neighbors_note(points, query, method, k)
            self.cases.add(f"knn-{name}-k{k}", "knn", x, y, method, {**options, "k": k}, storage,
                           expected, tolerance, absolute, note)
        else:
            expected = within_radius(lists, float(radius)), 3
            self.cases.add(f"radius-{name}", "radius", x, y, method, {**options, "radius": radius},
                           storage, expected, tolerance, absolute, note)


def add_metrics(cases):
    """Each metric within plain points, with a query, and with missing values where the order of
    neighbours does not hang on rounding."""
    other_data = {"binary": "n_logical", "hamming": "n_counts", "jaccard": "n_counts",
                  "canberra": "n_positive",  # between opposite signs its terms are all 1
                  "spearman": "n_long"}  # few coordinates have few ranks
    for method in METRICS:
        data = other_data.get(method, "n_plain")
        columns = len(cases.cases.inputs[data][0])
        options = options_for(method, columns)
        n = len(cases.cases.inputs[data])
        cases.add(f"{method}-plain", data, method=method, k=4, **options)
        cases.add(f"{method}-plain", data, method=method, k=n - 1, **options)
        if data in ("n_plain", "n_positive"):
            query = "n_other" if data == "n_plain" else "n_positive_other"
            cases.add(f"{method}-query", data, query, method, k=3, **options)
        if method in ("seuclidean", "mahalanobis"):
            cases.add(f"{method}-default", data, "n_other", method, k=2)
        if method in METRICS.keys() - {"mahalanobis", *other_data}:
            gaps = "n_few_gaps" if method in SIMILARITY else "n_gaps"
            cases.add(f"{method}-gaps", gaps, method=method, k=24, **options_for(method, 6))
    cases.add("spearman-gaps", "n_long_gaps", method="spearman", k=11)
    for p in (0.5, 1, 1.5, 7.3):
        cases.add(f"minkowski-p{p}", "n_plain", method="minkowski", k=5, p=p)


def add_data(cases):
    for method in ("euclidean", "manhattan", "maximum"):
        for x in ("n_tied", "n_lattice", "n_same"):
            n = len(cases.cases.inputs[x])
            for k in (1, 3, n - 1):
                cases.add(f"{method}-{x[2:]}", x, method=method, k=k)
        cases.add(f"{method}-tied-query", "n_lattice", "n_same", method, k=25)
        cases.add(f"{method}-endless", "n_endless", method=method, k=4)
        cases.add(f"{method}-far", "n_far", method=method, k=4)
    cases.add("binary-endless", "n_endless", method="binary", k=2)
    cases.add("tied-integer", "n_tied", k=6, storage="integer")
    cases.add("counts-integer", "n_counts", k=5, storage="integer", method="hamming")
    cases.add("tied-single", "n_tied", k=6, storage="single")
    cases.add("huge", "n_huge", method="maximum", k=5)
    cases.add("line", "n_line", k=3)
    cases.add("two", "n_two", k=1)
    cases.add("one-query", "n_one", "n_two", k=1)
    cases.add("blank-query", "n_plain", "n_blank", k=30)
    cases.add("blank-within", "n_blank", k=5)
    cases.add("self-query", "n_tied", "n_tied", k=2)
    cases.add("no-query", "n_plain", "0x5", k=2)
    cases.add("no-columns", "4x0", k=3)
    cases.add("no-columns-query", "4x0", "2x0", k=4)


def add_radii(cases):
    cases.add("lattice", "n_lattice", radius=1)
    cases.add("lattice-wide", "n_lattice", radius=2.5)
    cases.add("lattice-manhattan", "n_lattice", method="manhattan", radius=2)
    cases.add("tied-0", "n_tied", radius=0)
    cases.add("same", "n_same", radius=0)
    cases.add("tied-query", "n_lattice", "n_same", "maximum", radius=3)
    cases.add("tied-integer", "n_tied", radius=2, storage="integer")
    cases.add("plain", "n_plain", radius=40)
    cases.add("plain-query", "n_plain", "n_other", radius=45)
    cases.add("all", "n_positive", "n_positive_other", "canberra", radius="Inf")
    cases.add("blank", "n_plain", "n_blank", radius="Inf")
    cases.add("endless", "n_endless", radius="Inf")
    cases.add("gaps", "n_few_gaps", method="pearson", radius=0.5)
    cases.add("none", "n_plain", radius=0.001)
    cases.add("one", "n_one", radius=1)
    cases.add("no-columns", "4x0", radius="Inf")
    cases.add("mahalanobis", "n_plain", method="mahalanobis", radius=15, cov="cov5")


def add_circles(cases):
    circle = {"method": "great-circle"}
    for k in (1, 4, 29):
        cases.add("great-circle", "n_places", k=k, **circle)
    cases.add("great-circle-query", "n_places", "n_towns", k=6, sphere_radius=1, **circle)
    cases.add("great-circle-edges", "n_edges", k=1, sphere_radius=6371, **circle)
    cases.add("great-circle-edges-query", "n_edges", "n_towns", k=1, **circle)
    cases.add("great-circle", "n_places", radius=4e6, **circle)
    cases.add("great-circle-all", "n_places", "n_towns", radius="Inf", **circle)
    cases.add("great-circle-none", "n_edges", radius=0, **circle)
    cases.add("great-circle-near", "n_edges", radius=4, sphere_radius=57.25, **circle)


def add_errors(cases):
    def fail(name, error, x, y="", method="euclidean", function="knn", **options):
        cases.add(f"{function}-error-{name}", function, x, y, method, options, error=error)

    fail("k-0", "k must be between 1 and 29 (the other points), not 0", "n_plain", k=0)
    fail("k-negative", "k must be between 1 and 29 (the other points), not -3", "n_plain", k=-3)
    fail("k-n", "k must be between 1 and 29 (the other points), not 30", "n_plain", k=30)
    fail("k-text", 'k must be a whole number, not "3"', "n_plain", k='"3"')
    fail("radius-text", 'radius must be a number of at least 0, not "far"', "n_plain",
         function="radius", radius='"far"')
    fail("k-query", "k must be between 1 and 30 (the points of x), not 31", "n_plain", "n_other",
         k=31)
    fail("k-no-query", "k must be between 1 and 30 (the points of x), not 0", "n_plain", "0x5", k=0)
    fail("one", "x must have at least 2 points for there to be a neighbour, not 1", "n_one", k=1)
    fail("none", "x must have at least 1 point for there to be a neighbour, not 0", "0x2", "n_two",
         k=1)
    fail("columns", "query must have 5 columns, as x has, not 3", "n_plain", "n_wide", k=1)
    fail("method", f'method must be one of {METRIC_NAMES}, not "hyperbolic"', "n_plain",
         method="hyperbolic", k=1)
    circle = {"method": "great-circle", "k": 1}
    fail("circle-columns", 'x must have 2 columns, longitude and latitude, with method "great-circle", '
         "not 5", "n_plain", **circle)
    fail("circle-south", "x must have latitudes between -90 and 90 degrees, but row 2 has -90.5",
         "n_south", **circle)
    fail("circle-east", "query must have longitudes between -180 and 360 degrees, but row 2 has 361",
         "n_two", "n_east", **circle)
    fail("circle-radius", "sphere_radius must be a positive finite number, not -1", "n_two",
         sphere_radius=-1, **circle)
    cases.add("dist-error-great-circle", "dist", "n_two", "", "great-circle", {},
              error='method must not be "great-circle", which is for neighbours, DBSCAN, collisions and closest pairs')
    fail("p", "p must be a positive number, not 0", "n_plain", method="minkowski", k=1, p=0)
    fail("scale", 'scale must be given with method "seuclidean" or "gower", not "euclidean"', "n_plain", k=1,
         scale="scale5")
    fail("cov", "cov must be 5 x 5, as x has 5 columns, not 3 x 3", "n_plain",
         method="mahalanobis", k=1, cov="cov3")
    fail("threads", "threads must be a whole number between 1 and 1024, not 0", "n_plain", k=1,
         threads=0)
    fail("negative", "radius must be a number of at least 0, not -1", "n_plain",
         function="radius", radius=-1)
    fail("missing", "radius must be a number of at least 0, not NaN", "n_plain",
         function="radius", radius="NaN")
    fail("columns", "query must have 5 columns, as x has, not 3", "n_plain", "n_wide",
         function="radius", radius=1)
    fail("method", f'method must be one of {METRIC_NAMES}, not "sqare"', "n_plain",
         method="sqare", function="radius", radius=1)


def add_cases(cases):
    cases.inputs |= inputs()
    own = NeighborCases(cases)
    add_metrics(own)
    add_data(own)
    add_radii(own)
    add_circles(own)
    add_errors(cases)


# --- The second source --------------------------------------------------------------------------

# The p of cKDTree for the metrics it has.
TREE = {"euclidean": 2, "manhattan": 1, "maximum": INF, "minkowski": None}


def second(matrices, cases):
    """How many expected distances scipy.spatial.cKDTree contradicts, of points without missing or
    infinite coordinates. Among ties it takes any, so only distances are compared."""
    import numpy
    from scipy.spatial import cKDTree

    done = differ = 0
    for case in cases.values():
        if case["function"] not in ("knn", "radius") or case["error"]:
            continue
        x, y = (numpy.array(matrices.get(case[name], [])) for name in ("x", "y"))
        if case["method"] not in TREE or not x.size or case["expected"] not in matrices:
            continue
        if (case["y"] and not y.size) or not (numpy.isfinite(x).all() and numpy.isfinite(y).all()):
            continue
        options = dict(pair.split("=") for pair in case["options"].split(";") if pair)
        p = TREE[case["method"]] or float(options.get("p", 2))
        if p < 1:
            continue
        within = not case["y"]
        query = x if within else y
        tree, expected = cKDTree(x), matrices[case["expected"]]
        got = []
        if case["function"] == "knn":
            k = int(options["k"])
            lines = tree.query(query, k=list(range(1, k + within + 1)), p=p)[0][:, within:]
            for line, distances in zip(expected, lines):
                got += line[:k] + list(map(float, distances))
        else:
            radius = min(float(options["radius"]), 1e300)
            found = cKDTree(query).sparse_distance_matrix(tree, radius, p=p, output_type="ndarray")
            if within:
                found = found[found["i"] != found["j"]]
            found = found[numpy.lexsort((found["j"], found["v"].round(9), found["i"]))]
            for i, j, v in zip(found["i"], found["j"], found["v"]):
                got += [float(i + 1), float(j + 1), float(v)]
        done += 1
        differ += disagreements(case, matrices, got, case["note"], "cKDTree")
    print(f"cKDTree, neighbours: {done} cases, {differ} differ")
    return differ
