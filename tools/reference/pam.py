"""k-medoids: PAM and FasterPAM by their definitions, with distances that were rounded once and exact sums; cases."""

from fractions import Fraction

from reference.cases import made_up
from reference.dist import options_for, pair_metric
from reference.numbers import NAN

# --- Definitions --------------------------------------------------------------------------------


def total(d, medoids):
    """The sum of the distances of all points from the nearest medoids."""
    return sum(min(row[m] for m in medoids) for row in d)


def build(d, k):
    """Each medoid makes the sum the smallest; of several the last one."""
    medoids = []
    for _ in range(k):
        rest = [c for c in range(len(d)) if c not in medoids]
        medoids.append(min(rest, key=lambda c: (total(d, medoids + [c]), -c)))
    return medoids


def best_swap(d, medoids, c):
    """The smallest sum with c instead of a medoid, and which of them, the first of several."""
    return min((total(d, medoids[:m] + [c] + medoids[m + 1:]), m) for m in range(len(medoids)))


def swap_eagerly(d, medoids):
    """Points in their order, each swapped at once if that makes the sum smaller."""
    since, c = 0, 0
    while since < len(d):
        since += 1
        if c not in medoids:
            new, m = best_swap(d, medoids, c)
            if new < total(d, medoids):
                medoids[m], since = c, 0
        c = (c + 1) % len(d)
    return medoids


def swap_best(d, medoids):
    """The best of all swaps, the first point and medoid of several, until none is better."""
    while True:
        rest = [c for c in range(len(d)) if c not in medoids]
        if not rest:
            return medoids
        (new, m), c = min((best_swap(d, medoids, c), c) for c in rest)
        if new >= total(d, medoids):
            return medoids
        medoids[m] = c


def partition(d, medoids):
    """A row a point: its cluster, numbered in the order of the points, its medoid and the distance."""
    numbers, rows = {}, []
    for i, row in enumerate(d):
        own = i if i in medoids else min(medoids, key=lambda m: (row[m], m))
        rows.append([float(numbers.setdefault(own, len(numbers) + 1)), own + 1.0, float(row[own])])
    return rows


# --- Cases --------------------------------------------------------------------------------------


def inputs():
    return {
        "p_plain": made_up(921, 40, 3, step=2.0**-10, span=40000, least=1),
        "p_tied": made_up(922, 30, 2, step=1, span=3),
        "p_same": [[1.5, -2.0]] * 6,
        "p_line": [[1.0], [2.0], [4.0], [10.0], [11.0], [12.0]],
        "p_blank": [[0.0], [NAN], [1.0], [3.0]],
        "p_from": [[3.0], [1.0]],
        "p_outside": [[3.0], [41.0]],
        "p_twice": [[3.0], [3.0]],
    }


def add_cases(cases):
    cases.inputs |= inputs()

    def add(name, x, method, k, variant, **options):
        values = options_for(method, len(cases.inputs[x][0]))
        metric = pair_metric(method, cases.matrix(x), values)
        d = [[Fraction(metric(p, q)) for q in cases.inputs[x]] for p in cases.inputs[x]]
        given = options.get("medoids")
        medoids = [int(row[0]) - 1 for row in cases.inputs[given]] if given else build(d, k)
        if options.get("swap") != "false":
            medoids = swap_eagerly(d, medoids) if variant == "faster" else swap_best(d, medoids)
        cases.add(f"pam-{name}-{variant}", "pam", x, "", method, values | options | {"k": k, "variant": variant},
                  "double", (partition(d, medoids), 3), 1e-13)

    for variant in ("faster", "original"):
        for method in ("euclidean", "sqeuclidean", "manhattan", "minkowski", "canberra"):
            add(f"plain-{method}", "p_plain", method, 4, variant)
        for k in (1, 2, 9, 40):
            add(f"plain-{k}", "p_plain", "manhattan", k, variant)
        for k in (3, 5):
            add(f"tied-{k}", "p_tied", "manhattan", k, variant)
        add("same", "p_same", "manhattan", 3, variant)
        add("line", "p_line", "manhattan", 2, variant)
        add("from", "p_plain", "manhattan", 2, variant, medoids="p_from")
    add("still", "p_plain", "manhattan", 2, "original", medoids="p_from", swap="false")

    def fail(name, error, x, k, **options):
        cases.add(f"pam-error-{name}", "pam", x, "", "manhattan", options | {"k": k}, error=error)

    fail("missing", "x must have finite distances only, but 3 of them are not; the first is missing, between "
         "points 1 and 2", "p_blank", 2)
    fail("k", "k must be between 1 and 40, the number of points, not 41", "p_plain", 41)
    fail("medoids", "medoids must be 3 points, as many as k, not 2", "p_plain", 3, medoids="p_from")
    fail("outside", "medoids must be different points between 1 and 40, but value 2 is 41", "p_plain", 2,
         medoids="p_outside")
    fail("twice", "medoids must be different points between 1 and 40, but value 2 is 3", "p_plain", 2,
         medoids="p_twice")


def second(matrices, cases):
    """No other package is known to break ties as this; R's tests compare with cluster::pam()."""
    return 0
