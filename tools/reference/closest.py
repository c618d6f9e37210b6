"""Closest pairs: all pairs by exact arithmetic, cases, and a second source."""

import mpmath
from fractions import Fraction

from reference.cases import disagreements, made_up
from reference.numbers import exact, rounded

# --- Definitions --------------------------------------------------------------------------------


def image(difference, length):
    """The smallest of all images of a difference in a periodic column."""
    difference = abs(difference)
    if length == 0:
        return difference
    difference %= length
    return min(difference, length - difference)


def square(a, b, box):
    return sum(image(Fraction(p) - Fraction(q), Fraction(length)) ** 2
               for p, q, length in zip(a, b, box))


def haversine(a, b):
    """sin^2 of half the angle between two locations, as an exact number where the sines are; the
    differences of degrees are exact."""
    def sine(degrees):
        turned = abs(Fraction(degrees)) % 360
        turned = min(turned, 360 - turned)
        return mpmath.sin(exact(turned) * mpmath.pi / 180)

    def cosine(degrees):
        return mpmath.cos(exact(Fraction(degrees)) * mpmath.pi / 180) if abs(degrees) < 90 else 0

    east = image(Fraction(a[0]) - Fraction(b[0]), Fraction(360))
    north = Fraction(a[1]) - Fraction(b[1])
    return sine(north / 2) ** 2 + cosine(a[1]) * cosine(b[1]) * sine(east / 2) ** 2


def closest(x, y=None, k=1, distinct=False, box=None, radius=None):
    """Lines i, j, distance, ties of the k closest pairs, rows from 1. radius: great circles."""
    box = box or [0] * len(x[0])
    pairs = []
    for i, a in enumerate(x):
        for j, b in enumerate(x if y is None else y):
            if y is None and j <= i:
                continue
            size = square(a, b, box) if radius is None else haversine(a, b)
            if size > 0 or not distinct:
                pairs.append((size, i + 1, j + 1))
    pairs.sort()
    # Sines of 200 bits: what differs by less is equal.
    least = pairs[0][0] if pairs else 0
    ties = sum(1 for p in pairs if p[0] - least <= (0 if radius is None else mpmath.mpf(2)**-150))

    def distance(size):
        if radius is None:
            return rounded(mpmath.sqrt(exact(size)))
        return rounded(2 * exact(Fraction(radius)) * mpmath.asin(mpmath.sqrt(size)))

    return [[i, j, distance(size), ties] for size, i, j in pairs[:k]]


# --- Cases --------------------------------------------------------------------------------------

TRUE = {"distinct": "true"}
METHODS = ["grid", "sweep-v0", "sweep-v1", "sweep-v2", "divide-conquer"]


def inputs():
    """Matrices by name; all but the degrees are multiples of a power of two."""
    plain = made_up(401, 60, 2, step=2.0**-10, span=40000)
    nearly = [[2.0**30 + 2.0**-10 * v for v in row] for row in made_up(402, 40, 3, 1, 900)]
    largest = 2**31 - 1
    corners = [[s * largest, t * largest, u * largest]
               for s in (-1, 1) for t in (-1, 1) for u in (-1, 1)]
    corners = [[v - (1 if v > 0 else -1) * ((3 * i + c) % 3) for c, v in enumerate(row)]
               for i, row in enumerate(corners)]
    return {
        "c_plain": plain,
        "c_other": made_up(403, 25, 2, step=2.0**-10, span=40000),
        "c_line": made_up(404, 50, 1, step=0.25, span=4000),
        "c_space": made_up(405, 50, 3, step=0.5, span=60),
        "c_tied": made_up(406, 45, 2, step=1, span=3),
        "c_lattice": [[float(i), float(j)] for i in range(6) for j in range(5)],
        "c_same": [[1.5, -2.0]] * 12,
        "c_near": nearly,
        "c_huge": [[v * 2.0**660 for v in row] for row in made_up(407, 30, 2, 1, 900)],
        "c_minute": [[v * 2.0**-1060 for v in row] for row in made_up(408, 30, 2, 1, 900)],
        "c_wide": made_up(409, 30, 3, step=1, span=largest),
        "c_corners": [[float(v) for v in row] for row in corners],
        "c_box2": [[64.0, 0.0]],
        "c_box3": [[60.0, 50.5, 64.0]],
        "c_images": [[1e15], [1e15 + 0.125], [-1e15], [3e15 + 0.5], [-0.25]],
        "c_far_box": [[2.5]],
        "c_whole_box": [[7.0, 5.0]],
        "c_places": [[v[0] * 1.5, v[1] * 0.75] for v in made_up(410, 40, 2, 0.125, 960)],
        "c_names": [[180.0, 5.0], [-180.0, 5.0], [360.0, 1.0], [0.0, 1.0], [17.0, 90.0],
                    [-33.0, 90.0]],
        "c_degrees": [[10.0 * i, 60.0] for i in range(36)],
        "c_two": [[0.0, 0.0], [3.0, 4.0]],
        "c_one": [[1.0, 2.0]],
        "c_bad": [[0.0, 0.0], [1.0, 1.0], [float("inf"), 2.0]],
        "c_missing": [[0.0, 0.0], [1.0, 1.0], [1.0, float("nan")]],
        "c_south": [[0.0, 0.0], [10.0, -90.5]],
        "c_east": [[0.0, 0.0], [361.0, 5.0]],
        "c_four": [[0.0] * 4] * 3,
        "c_minus_box": [[-1.0, 1.0]],
        "c_huge_box": [[float("inf"), 1.0]],
    }


def add_results(cases):
    def add(name, x, y="", algorithm="", storage="double", k=1, distinct=False, box=None,
            radius=None):
        options = {"k": k} if k != 1 else {}
        if distinct:
            options["distinct"] = "true"
        if radius is not None:
            options |= {"metric": "great-circle", "sphere_radius": radius}
        if box:
            options["box"] = box
        result = closest(cases.inputs[x], cases.inputs[y] if y else None, k, distinct,
                         cases.inputs[box][0] if box else None, radius)
        if algorithm == "divide-conquer":
            options["backend"] = "cpu"  # there is no other
        cases.add("closest-" + name, "closest", x, y, algorithm, options, storage,
                  expected=(result, 4), tolerance=1e-15 if radius is None else 1e-13)

    for x in ("plain", "line", "space", "tied", "lattice", "same", "near", "huge", "minute"):
        add(f"{x}", f"c_{x}")
        add(f"{x}-k9", f"c_{x}", k=9)
        if x in ("tied", "same"):
            add(f"{x}-distinct", f"c_{x}", k=30, distinct=True)
        for algorithm in METHODS:
            add(f"{x}-{algorithm}", f"c_{x}", algorithm=algorithm, k=5)
    add("tied-all", "c_tied", k=45 * 44 // 2)
    add("between", "c_plain", "c_other", k=7)
    add("between-tied", "c_tied", "c_lattice", k=40)
    add("between-distinct", "c_tied", "c_lattice", k=40, distinct=True)
    for x in ("tied", "lattice", "wide", "corners"):
        add(f"{x}-integer", f"c_{x}", storage="integer", k=6)
        add(f"{x}-integer-sweep", f"c_{x}", storage="integer", k=6, algorithm="sweep-v2")
    add("plain-single", "c_plain", storage="single", k=4)
    add("plain-box", "c_plain", k=5, box="c_box2")
    add("space-box", "c_space", k=5, box="c_box3")
    add("images-box", "c_images", k=10, box="c_far_box")
    add("tied-box-integer", "c_tied", storage="integer", k=50, box="c_whole_box", distinct=True)
    add("places", "c_places", k=8, radius=6371)
    add("names", "c_names", k=3, radius=1)
    add("names-distinct", "c_names", k=1, radius=1, distinct=True)
    add("degrees", "c_degrees", k=36, radius=1)
    add("two", "c_two")


def add_errors(cases):
    def fail(name, error, x, y="", algorithm="", storage="double", **options):
        cases.add("closest-error-" + name, "closest", x, y, algorithm, options, storage, error=error)

    fail("k-0", "k must be between 1 and 1 (the pairs there are), not 0", "c_two", k=0)
    fail("k-text", 'k must be a whole number, not "1"', "c_two", k='"1"')
    fail("k-large", "k must be between 1 and 66 (the pairs there are), not 67", "c_same", k=67)
    fail("k-between", "k must be between 1 and 2 (the pairs there are), not 3", "c_one", "c_two", k=3)
    fail("empty", "x must have at least 2 rows to make a pair, not 0", "0x2")
    fail("single", "x must have at least 2 rows to make a pair, not 1", "c_one")
    fail("between-empty", "x and y must have at least 1 row each to make a pair, not 2 and 0",
         "c_two", "0x2")
    fail("columns", "x must have 1, 2 or 3 columns, not 4", "c_four")
    fail("columns-between", "y must have 2 columns, as x has, not 3", "c_two", "c_space")
    fail("infinite", "x must have no missing or infinite coordinates, but row 3 has Inf", "c_bad")
    fail("missing", "x must have no missing or infinite coordinates, but row 3 has NaN", "c_missing")
    fail("missing-integer", "x must have no missing or infinite coordinates, but row 3 has NaN",
         "c_missing", storage="integer")
    fail("missing-y", "y must have no missing or infinite coordinates, but row 3 has NaN",
         "c_two", "c_missing")
    circle = {"metric": "great-circle"}
    fail("south", "x must have latitudes between -90 and 90 degrees, but row 2 has -90.5",
         "c_south", **circle)
    fail("east", "x must have longitudes between -180 and 360 degrees, but row 2 has 361",
         "c_east", **circle)
    fail("sphere-radius", "sphere_radius must be a positive finite number, not 0", "c_two", sphere_radius=0, **circle)
    fail("circle-columns", "x must have 2 columns, longitude and latitude, with metric "
         '"great-circle", not 3', "c_space", **circle)
    fail("circle-box", 'box must be given with metric "euclidean", not "great-circle"', "c_two",
         box="c_box2", **circle)
    fail("box-length", "box must have a length for each of the 2 columns of x, not 3 values",
         "c_two", box="c_box3")
    fail("box-negative", "box must be positive and finite, or 0 where a column is not periodic, "
         "but value 1 is -1", "c_two", box="c_minus_box")
    fail("box-infinite", "box must be positive and finite, or 0 where a column is not periodic, "
         "but value 1 is Inf", "c_two", box="c_huge_box")
    fail("sweep-between", 'algorithm must be "auto" or "grid" with y, not "sweep-v1"',
         "c_two", "c_two", algorithm="sweep-v1")
    fail("sweep-box", 'algorithm must be "auto" or "grid" with box, not "divide-conquer"',
         "c_two", algorithm="divide-conquer", box="c_box2")
    fail("sweep-circle", 'algorithm must be "auto" or "grid" with metric "great-circle", not "sweep-v0"',
         "c_two", algorithm="sweep-v0", **circle)
    fail("algorithm", 'algorithm must be one of "auto", "grid", "sweep-v0", "sweep-v1", "sweep-v2", '
         '"divide-conquer", not "fast"', "c_two", algorithm="fast")
    fail("metric", 'metric must be one of "euclidean", "great-circle", not "manhattan"', "c_two",
         metric="manhattan")


def add_cases(cases):
    cases.inputs |= inputs()
    add_results(cases)
    add_errors(cases)


# --- The second source --------------------------------------------------------------------------


def second(matrices, cases):
    """How many expected values scipy.spatial.cKDTree contradicts: distances of points in the plane
    and in space, periodic or not, to their nearest neighbours."""
    import numpy
    from scipy.spatial import cKDTree

    done = differ = 0
    for case in cases.values():
        options = dict(pair.split("=") for pair in case["options"].split(";") if pair)
        if case["function"] != "closest" or case["error"] or options.keys() - {"k", "box"}:
            continue
        if case["x"] in ("c_huge", "c_minute", "c_corners", "c_wide"):
            continue  # squares that a double can't hold
        x = numpy.array(matrices[case["x"]])
        y = numpy.array(matrices[case["y"]]) if case["y"] else x
        box = numpy.array(matrices[options["box"]][0]) if "box" in options else None
        if box is not None:
            x, y = (numpy.where(box > 0, numpy.mod(v, numpy.where(box > 0, box, 1)), v)
                    for v in (x, y))
            # cKDTree takes 0 for a column that is not periodic, and then wants it from 0 on.
            low = numpy.minimum(x.min(0), y.min(0))
            x, y = (numpy.where(box > 0, v, v - low) for v in (x, y))
        tree = cKDTree(y, boxsize=box)
        distances, neighbours = tree.query(x, k=len(y))
        if case["y"]:
            found = distances.ravel()
        else:
            rows = numpy.arange(len(x))[:, None]
            found = distances[neighbours > rows]
        found = numpy.sort(found)
        k = int(options.get("k", 1))
        expected = matrices[case["expected"]]
        ties = int(numpy.sum(found <= found[0] * (1 + 1e-12)))
        got = [value for line, d in zip(expected, found[:k])
               for value in (line[0], line[1], float(d), float(ties))]
        done += 1
        differ += disagreements(case, matrices, got, case["note"], "cKDTree")
    print(f"cKDTree: {done} cases, {differ} differ")
    return differ
