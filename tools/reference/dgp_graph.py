"""Distance geometry of graphs on the line, by trying all orientations of the edges.

Which end of each edge is to the left makes a system of difference constraints; it has a solution
where the graph of its bounds has no negative cycle (Bellman and Ford). All in fractions.
"""

import itertools
import random
from fractions import Fraction

from reference.numbers import rounded


def merge(edges):
    """One edge for each two vertices, with what the intervals have in common."""
    merged = {}
    for u, v, lower, upper in edges:
        key = (min(u, v), max(u, v))
        least, most = merged.get(key, (lower, upper))
        merged[key] = (max(least, lower), min(most, upper))
    return merged


def farthest(vertices, bounds):
    """The most that each x_v - x_1 can be where x_b - x_a <= most for all (a, b, most); None where
    the bounds contradict each other."""
    distance = {v: None for v in vertices}
    distance[1] = Fraction(0)
    for _ in range(len(vertices) + 1):
        changed = False
        for a, b, most in bounds:
            if distance[a] is None:
                continue
            if distance[b] is None or distance[a] + most < distance[b]:
                distance[b] = distance[a] + most
                changed = True
        if not changed:
            return distance
    return None


def realizations(edges, tol):
    """Positions of the vertices from 1 on, vertex 1 at 0: for each orientation that is possible the
    middle of what is left to each of them. Sorted."""
    edges = [(int(u), int(v), Fraction(low), Fraction(high)) for u, v, low, high in edges]
    vertices = range(1, max(max(u, v) for u, v, *_ in edges) + 1)
    merged, tol = merge(edges), Fraction(tol)
    sides = [(1,) if bounds == (0, 0) else (1, -1) for bounds in merged.values()]
    found = []
    for chosen in itertools.product(*sides):
        bounds = []
        for ((u, v), (lower, upper)), side in zip(merged.items(), chosen):
            left, right = (u, v) if side > 0 else (v, u)
            bounds.append((left, right, upper + tol))
            bounds.append((right, left, tol - lower))
        most = farthest(vertices, bounds)
        if most is None:
            continue
        least = farthest(vertices, [(b, a, bound) for a, b, bound in bounds])
        found.append([rounded((most[v] - least[v]) / 2) + 0.0 for v in vertices])
    return sorted(found)


def exact(*edges):
    """Rows u, v, lower, upper from rows u, v, distance."""
    return [[u, v, d, d] for u, v, d in edges]


def made_up(seed, vertices, further, wide):
    """A connected graph with distances of made-up positions, or intervals around them."""
    rng = random.Random(seed)
    x = [rng.randint(0, 40) / 8 for _ in range(vertices)]
    pairs = [(rng.randint(1, v - 1), v) for v in range(2, vertices + 1)]
    pairs += [tuple(rng.sample(range(1, vertices + 1), 2)) for _ in range(further)]
    rows = []
    for u, v in pairs:
        d = abs(x[u - 1] - x[v - 1])
        rows.append([u, v, max(0.0, d - rng.randint(0, wide) / 8), d + rng.randint(0, wide) / 8])
    return rows


GRAPHS = {
    "pair": exact((1, 2, 3)),
    "path": exact((1, 2, 1), (2, 3, 2.5), (3, 4, 0.75)),
    "star": exact((3, 1, 1), (3, 2, 2), (3, 4, 4), (3, 5, 8)),
    "triangle": exact((1, 2, 3), (2, 3, 4), (1, 3, 7)),
    "no_triangle": exact((1, 2, 1), (2, 3, 1), (1, 3, 1)),
    "square": exact((1, 2, 1), (2, 3, 1), (3, 4, 1), (4, 1, 1)),
    "cycle": exact((1, 2, 3), (2, 3, 5), (3, 4, 2), (4, 5, 7), (5, 6, 1), (6, 1, 4)),
    "k4": exact((1, 2, 1), (1, 3, 3), (1, 4, 2), (2, 3, 2), (2, 4, 1), (3, 4, 1)),
    "two_blocks": exact((1, 2, 1), (2, 3, 2), (3, 1, 3), (3, 4, 5), (4, 5, 2), (5, 6, 2), (6, 4, 4)),
    "at_one_vertex": exact((2, 1, 1), (1, 3, 2), (2, 3, 3), (1, 4, 1), (4, 5, 1), (5, 1, 2)),
    "coincident": exact((1, 2, 0), (2, 3, 1), (3, 1, 1), (3, 4, 0)),
    "all_in_one": exact((1, 2, 0), (2, 3, 0), (3, 1, 0)),
    "flat_cycle": exact((1, 2, 0), (2, 3, 1), (3, 4, 2), (4, 1, 3)),
    "theta": exact((1, 2, 1), (2, 6, 2), (1, 3, 2), (3, 6, 1), (1, 4, 1), (4, 5, 1), (5, 6, 1)),
    "intervals": [[1, 2, 1, 2], [2, 3, 0.5, 1], [3, 1, 1, 4], [3, 4, 0, 1]],
    "from_zero": [[1, 2, 0, 1], [2, 3, 0, 1], [3, 1, 0, 0.5]],
    "mixed": [[1, 2, 1, 1], [2, 3, 1, 1], [3, 4, 1, 1.5], [4, 1, 0, 0.25]],
    "repeated": [[1, 2, 1, 3], [2, 1, 2, 5], [2, 3, 1, 1], [3, 2, 1, 1], [1, 3, 0, 2]],
    "repeated_apart": [[1, 2, 1, 1], [2, 1, 2, 2]],
}

# Bounds that mean "none", next to exact distances.
for name, most in (("1", 1), ("1e36", 1e36), ("1e38", 1e38), ("1e100", 1e100), ("1e308", 1e308)):
    GRAPHS["upper_" + name] = [[1, 2, 0, 0], [2, 3, 0, 0], [2, 4, 4, 4], [3, 1, 0, most]]
    GRAPHS["uppers_" + name] = [[1, 2, 1, 1], [2, 3, 2, 2.5], [3, 1, 0, most], [3, 4, 0.25, 0.25],
                                [4, 1, 0, 1.7e308], [4, 2, 0, most]]
GRAPHS["lower_beyond"] = [[1, 2, 1, 1], [2, 3, 2, 2.5], [3, 1, 1e300, 1e301]]

# What is wrong, and how it is said.
ERRORS = {
    "loop": ([[1, 2, 1, 1], [2, 2, 1, 1]], "edge 2 must join two vertices, not 2 with itself"),
    "negative": ([[1, 2, -1, 1]], "edge 1 (1, 2): lower must be a finite number of at least 0, not -1"),
    "nan": ([[1, 2, 1, float("nan")]],
            "edge 1 (1, 2): upper must be a finite number of at least 0, not NaN"),
    "infinite": ([[1, 2, 1, float("inf")]],
                 "edge 1 (1, 2): upper must be a finite number of at least 0, not Inf"),
    "order": ([[1, 2, 1, 1], [3, 1, 2, 1.5]],
              "edge 2 (3, 1): lower must be at most upper, which is 1.5, not 2"),
    "half": ([[1, 2.5, 1, 1]], "edge 1: the second vertex must be a whole number of at least 1, not 2.5"),
    "zero": ([[0, 2, 1, 1]], "edge 1: the first vertex must be a whole number of at least 1, not 0"),
    "components": ([[1, 2, 1, 1], [4, 5, 1, 1], [5, 6, 1, 1]],
                   "the graph must be connected; it has 3 components: {1, 2}, {3}, {4, 5, 6}"),
    "unit": ([[1, 2, 0, 0], [2, 4, 4, 4], [3, 1, 0, 1e38]],
             "edges must have bounds that are multiples of 2^8, to be added to the largest ones "
             "exactly, but lower of the edge between 2 and 4 is 4"),
    "columns": ([[1, 2]], "edges must have 3 or 4 columns (u, v, lower, upper), not 2"),
}


def add_cases(cases):
    graphs = dict(GRAPHS)
    for seed in range(6):
        graphs[f"exact{seed}"] = made_up(seed, 6, 3, 0)
        graphs[f"wide{seed}"] = made_up(seed + 50, 5, 3, 6)
    for name, rows in graphs.items():
        cases.inputs["graph_" + name] = [list(map(float, row)) for row in rows]
        columns = int(max(max(row[0], row[1]) for row in rows)) + 1
        for tol in (0, 0.125, 0.5):
            found = realizations(rows, tol)
            if "upper" in name and tol > 0:
                continue
            cases.add(f"dgp_graph-{name}-{tol}", "dgp_graph", "graph_" + name,
                      options={"tol": tol, "max_solutions": 1000, "backend": "cpu"},
                      expected=([[float(len(found))] + row for row in found], columns), tolerance=0.0)
    cases.inputs["graph_three_columns"] = [[1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [3.0, 1.0, 7.0]]
    found = realizations(GRAPHS["triangle"], 0)
    cases.add("dgp_graph-three-columns", "dgp_graph", "graph_three_columns",
              options={"tol": 0, "max_solutions": 1000, "backend": "cpu"},
              expected=([[float(len(found))] + row for row in found], 4), tolerance=0.0)
    for name, (rows, message) in ERRORS.items():
        cases.inputs["graph_bad_" + name] = [list(map(float, row)) for row in rows]
        cases.add(f"dgp_graph-error-{name}", "dgp_graph", "graph_bad_" + name,
                  options={"backend": "cpu"}, error=message)
    for name, options, message in (
            ("tol", {"tol": -1}, "tol must be at least 0 and finite, not -1"),
            ("tol-text", {"tol": '"small"'}, 'tol must be at least 0 and finite, not "small"'),
            ("most", {"max_solutions": -1}, "max_solutions must be at least 0, not -1"),
            ("most-half", {"max_solutions": 1.5}, "max_solutions must be a whole number, not 1.5"),
            ("backend", {"backend": "cuda"},
             "backend must be \"auto\" or \"cpu\" for graphs, not \"cuda\"")):
        cases.add(f"dgp_graph-error-{name}", "dgp_graph", "graph_pair",
                  options={"backend": "cpu", **options}, error=message)


def second(matrices, cases):
    """No other program is known to count all orientations."""
    return 0
