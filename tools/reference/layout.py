"""Force-directed layouts: iterations of Fruchterman and Reingold from a given start, all pairs.

Positions and forces in 200 bits. In each iteration a vertex moves along the sum of 1 / d away from
every other vertex and w d^2 towards each neighbour, as far as that sum is long but at most the
temperature, which falls linearly from start_temp to 0.
"""

import math
import random

from mpmath import mpf, sqrt

from reference.cases import disagreements
from reference.numbers import NAN

INF = float("inf")

# Repulsion is summed in single precision between positions rounded to 2^-23 of the drawing's size:
# some 1e-6 of a move, and more where vertices come near each other. The largest error seen is 3e-5.
ABSOLUTE = 1e-4


def merged(edges, n):
    """Weights by pairs of vertices from 0; loops are left out."""
    weights = {}
    for u, v, *w in edges:
        if u != v:
            pair = tuple(sorted((int(u) - 1, int(v) - 1)))
            weights[pair] = weights.get(pair, mpf(0)) + (mpf(w[0]) if w else 1)
    assert all(0 <= a < b < n for a, b in weights)
    return weights


def forces(positions, weights):
    """The force on each vertex."""
    n, dim = len(positions), len(positions[0]) if positions else 0
    force = [[mpf(0)] * dim for _ in range(n)]
    for i in range(n):
        for j in range(i):
            d = [a - b for a, b in zip(positions[i], positions[j])]
            square = sum(x * x for x in d)
            factor = 1 / square - weights.get((j, i), 0) * sqrt(square)
            for k in range(dim):
                force[i][k] += factor * d[k]
                force[j][k] -= factor * d[k]
    return force


def lists_edges(matrix):
    """True if a matrix has a row for each edge. The vertices count from 1, so that no edge has 0."""
    columns = len(matrix[0])
    if columns not in (2, 3):
        return False
    if any(row != list(column) for row, column in zip(matrix, zip(*matrix))) or len(matrix) != columns:
        return True
    return columns == 2 and any(matrix[i][i] != 0 for i in range(2))


def edges_of(matrix):
    """The edges, with weights, of a matrix that lists them or is a symmetric adjacency matrix."""
    if lists_edges(matrix):
        return matrix
    return [[i + 1, j + 1, value] for i, row in enumerate(matrix) for j, value in enumerate(row)
            if i < j and value != 0]


def inside(value, low, high):
    return min(max(value, mpf(low)), mpf(high))


def layout(edges, init, iterations, start_temp, tolerance=0, fixed=None, lower=None, upper=None):
    """Positions after at most so many iterations, rounded."""
    n, dim = len(init), len(init[0]) if init else 0
    fixed = [row[0] != 0 for row in fixed] if fixed else [False] * n
    lower = lower or [[-INF] * dim] * n
    upper = upper or [[INF] * dim] * n
    weights = merged(edges, n)
    at = [[mpf(x) if fixed[i] else inside(mpf(x), lower[i][k], upper[i][k])
           for k, x in enumerate(row)] for i, row in enumerate(init)]
    for iteration in range(iterations):
        temperature = mpf(start_temp) * (iterations - iteration) / iterations
        longest = mpf(0)
        moved = [list(row) for row in at]
        for i, force in enumerate(forces(at, weights)):
            length = sqrt(sum(f * f for f in force))
            if fixed[i] or length == 0:
                continue
            step = min(length, temperature) / length
            for k in range(dim):
                moved[i][k] = inside(at[i][k] + step * force[k], lower[i][k], upper[i][k])
            longest = max(longest, sqrt(sum((a - b) ** 2 for a, b in zip(moved[i], at[i]))))
        at = moved
        if longest <= tolerance:
            break
    return [[float(x) for x in row] for row in at]


# --- Cases --------------------------------------------------------------------------------------


def start(seed, n, dim, least=0.5):
    """Points on a grid of eighths, none nearer to another than `least`."""
    rng = random.Random(seed)
    half = math.ceil(8 * max(1.5, n ** (1 / dim)))
    points = []
    while len(points) < n:
        point = [rng.randint(-half, half) / 8 for _ in range(dim)]
        if all(math.dist(point, other) >= least for other in points):
            points.append(point)
    return points


def grid(side):
    edges = [[i * side + j + 1, i * side + j + 2] for i in range(side) for j in range(side - 1)]
    return edges + [[i * side + j + 1, (i + 1) * side + j + 1]
                    for i in range(side - 1) for j in range(side)]


def random_graph(seed, n, m, weights=None):
    rng = random.Random(seed)
    return [rng.sample(range(1, n + 1), 2) + ([rng.choice(weights)] if weights else [])
            for _ in range(m)]


GRAPHS = {  # edges, vertices
    "pair": ([[1, 2]], 2),
    "path": ([[i, i + 1] for i in range(1, 6)], 6),
    "cycle": ([[i, i % 7 + 1] for i in range(1, 8)], 7),
    "hub": ([[4, i] for i in range(1, 13) if i != 4], 12),
    "complete": ([[i, j] for j in range(1, 7) for i in range(1, j)], 6),
    "grid": (grid(4), 16),
    "tree": ([[i // 2, i] for i in range(2, 16)], 15),
    "petersen": ([[i, i % 5 + 1] for i in range(1, 6)] + [[i, i + 5] for i in range(1, 6)] +
                 [[i + 5, (i + 1) % 5 + 6] for i in range(1, 6)], 10),
    "components": ([[1, 2], [2, 3], [3, 1], [5, 6], [8, 7], [7, 9]], 11),
    "repeated": ([[1, 2], [2, 1], [1, 1], [2, 3], [3, 3], [2, 3], [2, 3], [4, 1], [4, 3]], 4),
    "weights": ([[1, 2, 0.5], [2, 3, 0], [3, 4, 2.25], [4, 1, 7], [1, 3, 0.125], [5, 5, 3]], 5),
    "weights_repeated": ([[1, 2, 0.5], [2, 1, 0.25], [2, 3, 0], [3, 2, 1.5], [3, 4, 0]], 4),
    "weightless": ([[1, 2, 0], [2, 3, 0], [3, 1, 0]], 3),
    "random": (random_graph(1, 24, 50), 24),
    "random_weights": (random_graph(2, 24, 50, [0, 0.25, 0.5, 1, 1.5, 4]), 24),
    "thirty_seven": (random_graph(3, 37, 60), 37),  # no whole number of vectors
}
TEMPERATURES = (0.25, 2, 100)


def add_runs(cases):
    """Every graph in the plane and in space, by 1, 3 and 5 iterations of falling temperature."""
    for name, (edges, n) in GRAPHS.items():
        cases.inputs["l_" + name] = [[float(x) for x in row] for row in edges]
        for dim in (2, 3):
            init = f"l_init_{name}_{dim}"
            cases.inputs[init] = start(dim + n, n, dim)
            for iterations, start_temp in zip((1, 3, 5), TEMPERATURES[n % 3:] + TEMPERATURES):
                add(cases, f"layout-{name}-{dim}-{iterations}", "l_" + name, init, dim=dim,
                    iterations=iterations, start_temp=start_temp)


def add(cases, name, edges, init, dim=2, function="layout", **options):
    matrices = {key: cases.inputs[value] if isinstance(value, str) else value
                for key, value in options.items()}
    begin = cases.inputs[init] if init in cases.inputs else []
    columns = cases.inputs[edges] if edges in cases.inputs else []
    expected = layout(edges_of(columns) if function == "layout_matrix" else columns, begin, **matrices)
    cases.add(name, function, edges, init, options={"dim": dim, "repulsion": "exact", **options},
              expected=(expected, dim), tolerance=0.0, absolute=ABSOLUTE)


MATRICES = {  # a matrix, vertices
    "adjacency_2": ([[0, 3], [3, 0]], 2),
    "adjacency_2_empty": ([[0, 0], [0, 0]], 2),
    "list_2_symmetric": ([[1, 2], [2, 1]], 2),
    "list_2_loop": ([[1, 2], [2, 3]], 3),
    "list_2_wide": ([[1, 2], [3, 1]], 3),
    "adjacency_3": ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], 3),
    "adjacency_3_loops": ([[1, 2, 0.5], [2, 3, 0], [0.5, 0, 1]], 3),
    "list_3": ([[1, 2, 1], [2, 3, 4], [3, 1, 1]], 3),
    "list_3_long": ([[1, 2, 1], [2, 3, 4], [3, 1, 1], [4, 2, 0.5]], 4),
    "list_3_short": ([[1, 2, 0.25], [2, 3, 1]], 3),
    "adjacency_4": ([[7, 0.5, 0, 2], [0.5, 0, 0, 1], [0, 0, 3, 0], [2, 1, 0, 0]], 4),
    "adjacency_6": ([[float(abs(i - j) in (1, 3)) * (i + j) for j in range(6)] for i in range(6)], 6),
}


def add_matrices(cases):
    """Matrices that list edges, and adjacency matrices."""
    for name, (matrix, n) in MATRICES.items():
        cases.inputs["l_" + name] = [[float(x) for x in row] for row in matrix]
        init = f"l_init_matrix_{n}"
        cases.inputs[init] = start(50 + n, n, 2)
        add(cases, f"layout-matrix-{name}", "l_" + name, init, function="layout_matrix", iterations=3,
            start_temp=2)
    bad = {
        "wide": ([[0, 1, 0, 1, 0], [1, 0, 0, 1, 0]], "graph must have 2 columns, or 3 with weights, or be square as "
                 "an adjacency matrix is, not 2 x 5", 2),
        "missing": ([[0, 0, 0, 1], [NAN, 0, 0, 0], [0, 0, 0, NAN], [1, 0, NAN, 0]],
                    "graph must have no missing values, but row 2 and column 1 has one", 4),
        "missing_3": ([[0, 1, NAN], [1, 0, 2], [NAN, 2, 0]], "edge 1: the first vertex must be a whole number between "
                      "1 and 2 (the vertices), not 0", 2),
        "one_way": ([[0, 1], [0, 0]], "edge 1: the first vertex must be a whole number between 1 and 1 (the vertices), "
                    "not 0", 1),
    }
    for name, (matrix, message, n) in bad.items():
        cases.inputs["l_bad_" + name] = [[float(x) for x in row] for row in matrix]
        init = f"l_init_bad_{n}"
        cases.inputs[init] = start(60 + n, n, 2)
        cases.add(f"layout-error-matrix-{name}", "layout_matrix", "l_bad_" + name, init, error=message)


def add_limits(cases):
    """Fixed vertices, bounds, both, and the end by tolerance."""
    edges, n = GRAPHS["grid"]
    cases.inputs["l_fixed"] = [[float(i % 3 == 0)] for i in range(n)]
    cases.inputs["l_all_fixed"] = [[1.0]] * n
    for dim in (2, 3):
        init = f"l_init_grid_{dim}"
        begin = cases.inputs[init]
        cases.inputs[f"l_lower_{dim}"] = [[-1.0 + i % 2] + [-INF] * (dim - 1) for i in range(n)]
        cases.inputs[f"l_upper_{dim}"] = [[INF] * (dim - 1) + [1.5 - i % 2] for i in range(n)]
        # A line and its like: one coordinate can't change.
        cases.inputs[f"l_flat_low_{dim}"] = [[row[0]] + [-INF] * (dim - 1) for row in begin]
        cases.inputs[f"l_flat_high_{dim}"] = [[row[0]] + [INF] * (dim - 1) for row in begin]
        for name, options in (
                ("fixed", {"fixed": "l_fixed"}),
                ("all-fixed", {"fixed": "l_all_fixed"}),
                ("lower", {"lower": f"l_lower_{dim}"}),
                ("upper", {"upper": f"l_upper_{dim}"}),
                ("bounds", {"lower": f"l_lower_{dim}", "upper": f"l_upper_{dim}"}),
                ("flat", {"lower": f"l_flat_low_{dim}", "upper": f"l_flat_high_{dim}"}),
                ("fixed-bounds", {"fixed": "l_fixed", "lower": f"l_lower_{dim}",
                                  "upper": f"l_upper_{dim}"})):
            for iterations in (0, 1, 4):
                add(cases, f"layout-{name}-{dim}-{iterations}", "l_grid", init, dim=dim,
                    iterations=iterations, start_temp=1.5, **options)
        for tolerance in (0.375, 2):
            add(cases, f"layout-tolerance-{dim}-{tolerance}", "l_grid", init, dim=dim, iterations=5,
                start_temp=0.5, tolerance=tolerance)
    cases.inputs["l_one"] = [[0.25, -3.0]]
    for name, edges, init in (("one", "0x2", "l_one"), ("none", "0x2", "0x2"),
                              ("no-edges", "0x2", "l_init_grid_2")):
        add(cases, "layout-" + name, edges, init, iterations=3, start_temp=1)


def add_errors(cases):
    """Every argument with a value that is not allowed."""
    bad = {
        "high": ([[1, 2], [2, 4]], "edge 2: the second vertex must be a whole number between 1 and 3 (the vertices), not 4"),
        "zero": ([[0, 2]], "edge 1: the first vertex must be a whole number between 1 and 3 (the vertices), not 0"),
        "half": ([[1, 2], [1.5, 2]],
                 "edge 2: the first vertex must be a whole number between 1 and 3 (the vertices), not 1.5"),
        "negative": ([[1, 2, 1], [2, 3, -0.5]],
                     "edge 2 (2, 3): weight must be between 0 and 1000000000, not -0.5"),
        "heavy": ([[1, 2, 2e9]], "edge 1 (1, 2): weight must be between 0 and 1000000000, not 2000000000"),
        "infinite": ([[3, 2, INF]], "edge 1 (3, 2): weight must be between 0 and 1000000000, not Inf"),
    }
    cases.inputs["l_three"] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    for name, (edges, message) in bad.items():
        cases.inputs["l_bad_" + name] = [[float(x) for x in row] for row in edges]
        cases.add(f"layout-error-{name}", "layout", "l_bad_" + name, "l_three", error=message)
    cases.inputs["l_triangle"] = [[1.0, 2.0], [2.0, 3.0], [3.0, 1.0]]
    cases.inputs["l_nan"] = [[0.0, 0.0], [1.0, 0.0], [0.0, NAN]]
    cases.inputs["l_inf"] = [[0.0, 0.0], [INF, 0.0], [0.0, 1.0]]
    cases.inputs["l_above"] = [[2.0, -INF], [-INF, -INF], [-INF, -INF]]
    cases.inputs["l_below"] = [[1.0, INF], [INF, INF], [INF, INF]]
    cases.add("layout-error-nan", "layout", "l_triangle", "l_nan",
              error="init must be finite, but in row 3 and column 2 it is NaN")
    cases.add("layout-error-inf", "layout", "l_triangle", "l_inf",
              error="init must be finite, but in row 2 and column 1 it is Inf")
    for name, message, options in (
            ("lower-nan", "lower must be numbers, but in row 3 and column 2 it is NaN",
             {"lower": "l_nan"}),
            ("bounds", "lower must be at most upper, and room between them, but in row 1 and column 1 "
             "they are 2 and 1", {"lower": "l_above", "upper": "l_below"}),
            ("dim", "dim must be 2 or 3, not 4", {"dim": 4}),
            ("dim-text", 'dim must be a whole number, not "3d"', {"dim": '"3d"'}),
            ("start-temp-text", 'start_temp must be a positive finite number, not "hot"',
             {"start_temp": '"hot"'}),
            ("iterations", "iterations must be a whole number of at least 0, not -2",
             {"iterations": -2}),
            ("start-temp", "start_temp must be a positive finite number, not 0", {"start_temp": 0}),
            ("tolerance", "tolerance must be at least 0 and finite, not -1", {"tolerance": -1}),
            ("repulsion", 'repulsion must be one of "auto", "exact", "barnes-hut", not "fast"',
             {"repulsion": "fast"}),
            ("theta", "theta must be between 0 and 2, not 2.5", {"theta": 2.5}),
            ("expansion-order", "expansion_order must be 0, 2 or 4 in the plane, not 3",
             {"expansion_order": 3})):
        cases.add(f"layout-error-{name}", "layout", "l_triangle", "l_three", options=options,
                  error=message)


def add_cases(cases):
    add_runs(cases)
    add_matrices(cases)
    add_limits(cases)
    add_errors(cases)


# --- The second source --------------------------------------------------------------------------


def numpy_layout(numpy, edges, init, options):
    """The same by matrices of doubles."""
    n, dim = init.shape
    weights = numpy.zeros((n, n))
    for u, v, *w in edges:
        weights[int(u) - 1, int(v) - 1] += w[0] if w else 1
    weights = weights + weights.T
    numpy.fill_diagonal(weights, 0)
    low, high = options.get("lower", -INF), options.get("upper", INF)
    fixed = options.get("fixed", numpy.zeros((n, 1))) != 0
    at = numpy.where(fixed, init, numpy.clip(init, low, high))
    iterations = int(options["iterations"])
    for temperature in numpy.linspace(options["start_temp"], 0, iterations + 1)[:-1]:
        difference = at[:, None, :] - at[None, :, :]
        distance = numpy.linalg.norm(difference, axis=2)
        factor = 1 / (distance**2 + numpy.eye(n)) - weights * distance
        force = (factor[:, :, None] * difference).sum(1)
        norm = numpy.linalg.norm(force, axis=1, keepdims=True)
        step = force * numpy.minimum(1, temperature / numpy.where(norm > 0, norm, 1))
        moved = numpy.where(fixed, at, numpy.clip(at + step, low, high))
        longest = numpy.linalg.norm(moved - at, axis=1).max(initial=0)
        at = moved
        if longest <= options.get("tolerance", 0):
            break
    return at


def second(matrices, cases):
    """How many expected layouts numpy contradicts."""
    import numpy

    done = differ = 0
    for case in cases.values():
        if case["function"] not in ("layout", "layout_matrix") or case["error"]:
            continue
        options = dict(pair.split("=") for pair in case["options"].split(";"))
        dim = int(options["dim"])
        options = {key: numpy.array(matrices[value]) if value in matrices else float(value)
                   for key, value in options.items() if key != "repulsion"}
        init = numpy.array(matrices.get(case["y"], [])).reshape(-1, dim)
        edges = matrices.get(case["x"], [])
        if case["function"] == "layout_matrix":
            edges = edges_of(edges)
        got = numpy_layout(numpy, edges, init, options)
        done += 1
        differ += disagreements(case, matrices, list(got.ravel()), case["note"], "numpy")
    print(f"numpy: {done} layouts, {differ} differ")
    return differ
