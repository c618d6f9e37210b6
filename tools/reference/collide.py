"""Collisions: all pairs by exact arithmetic, cases, and a second source."""

import random
from fractions import Fraction

from reference.cases import disagreements, made_up
from reference.closest import square

# --- Definitions --------------------------------------------------------------------------------


def collisions(x, y=None, radius=1.0, radii=None, exclude=0, box=None):
    """Pairs (i, j) in order, from 0. Coordinates are such that no double's square is rounded near a
    square of a radius: then the exact rule is gpugeo's."""
    box = box or [0] * len(x[0]) if x else []
    others = x if y is None else y
    offset = 0 if y is None else len(x)
    found = []
    for i, a in enumerate(x):
        for j, b in enumerate(others):
            if y is None and j - i <= exclude:
                continue
            reach = Fraction(radii[i] + radii[offset + j] if radii else radius)
            if square(a, b, box) <= reach**2:
                found.append((i, j))
    return found


def per_point(pairs, n, within):
    counts = [0] * n
    for i, j in pairs:
        counts[i] += 1
        if within:
            counts[j] += 1
    return [[float(c)] for c in counts]


def table(pairs, group, offset):
    """Counts by groups, numbered from 1; within x (offset 0) a pair of two groups in both elements."""
    size = max(group)
    counts = [[0.0] * size for _ in range(size)]
    for i, j in pairs:
        a, b = group[i] - 1, group[offset + j] - 1
        counts[a][b] += 1
        if offset == 0 and a != b:
            counts[b][a] += 1
    return counts


# --- Cases --------------------------------------------------------------------------------------


def column(values):
    return [[float(v)] for v in values]


def inputs():
    chain = [[float(i), 0.0, 0.0] for i in range(30)]
    paired = [[float(i // 2), 0.0, 0.0] for i in range(30)]
    wide = made_up(54, 14, 3, step=1.0, span=2**31 - 1)
    wide[3], wide[4] = [-(2.0**31) + 1] * 3, [2.0**31 - 1] * 3
    return {
        "beads_paper": [[0.0] * 3, [0.0] * 3, [1.0] * 3, [1.0] * 3],
        "beads_chain": chain,
        "beads_paired": paired,
        "beads_line": made_up(41, 40, 1, span=60),
        "beads_plane": made_up(42, 40, 2, span=40),
        "beads_space": made_up(43, 40, 3, span=20),
        "beads_others": made_up(44, 25, 3, span=20),
        "beads_lattice": made_up(45, 60, 3, step=1.0, span=2),
        "beads_sites": made_up(46, 20, 3, step=1.0, span=2),
        "beads_far": [[1e9 + v for v in row] for row in made_up(47, 30, 3, span=20)],
        "beads_equal": [[2.5, -1.25, 7.0]] * 12,
        "beads_wide": wide,
        "beads_one": [[1.0, 2.0, 3.0]],
        "beads_missing": [[0.0, 0.0], [1.0, float("nan")], [2.0, 2.0]],
        "beads_endless": [[0.0, 0.0], [1.0, 1.0], [float("-inf"), 2.0]],
        "beads_four": [[0.0] * 4, [1.0] * 4],
        "beads_radii": column(v[0] for v in made_up(48, 40, 1, span=12, least=1)),
        "beads_radii_xy": column(v[0] for v in made_up(49, 65, 1, span=12, least=1)),
        "beads_radii_small": column([0.375] * 60),
        "beads_radii_wrong": column([1.0] * 7 + [-0.5] + [1.0] * 32),
        "beads_group": column(v[0] for v in made_up(50, 40, 1, step=1.0, span=4, least=1)),
        "beads_group_xy": column(v[0] for v in made_up(51, 65, 1, step=1.0, span=3, least=1)),
        "beads_group_lattice": column(v[0] for v in made_up(52, 60, 1, step=1.0, span=3, least=1)),
        "beads_box": [[5.0, 0.0, 4.5]],
        "beads_box_line": [[7.25]],
        "beads_box_lattice": [[4.0, 3.0, 0.0]],
        "beads_box_far": [[2.5]],
        "beads_box_away": [[0.7, 1.1]],
        "beads_images": [[1e15], [1e15 + 0.125], [-1e15]],
        "beads_away": images(60),
        "beads_box_small": [[5.0, 1.5, 5.0]],
    }


def images(count):
    """Points up to 1e14 boxes of 0.7 x 1.1 away, whose differences doubles round."""
    rng = random.Random(53)
    return [[rng.choice((-1, 1)) * rng.random() * 10.0**rng.randint(0, 14) for _ in range(2)]
            for _ in range(count)]


# x, y, options, storage: with all four results, by all algorithms that apply.
RESULTS = {
    "paper": ("beads_paper", "", {"radius": 1}, "double"),
    "paper_integer": ("beads_paper", "", {"radius": 1}, "integer"),
    "chain": ("beads_chain", "", {"radius": 0.5}, "double"),
    "chain_neighbours": ("beads_chain", "", {"radius": 1}, "integer"),
    "chain_apart": ("beads_chain", "", {"radius": 2, "exclude": 1}, "integer"),
    "paired": ("beads_paired", "", {"radius": 0.5}, "integer"),
    "line": ("beads_line", "", {"radius": 0.75}, "double"),
    "line_single": ("beads_line", "", {"radius": 0.75}, "single"),
    "line_box": ("beads_line", "", {"radius": 1.5, "box": "beads_box_line"}, "double"),
    "plane": ("beads_plane", "", {"radius": 1.25}, "double"),
    "plane_apart": ("beads_plane", "", {"radius": 2.5, "exclude": 12}, "double"),
    "space": ("beads_space", "", {"radius": 1.5}, "double"),
    "space_all": ("beads_space", "", {"radius": 100}, "double"),
    "space_radii": ("beads_space", "", {"radii": "beads_radii"}, "double"),
    "space_group": ("beads_space", "", {"radius": 2, "group": "beads_group"}, "double"),
    "space_box": ("beads_space", "", {"radius": 2.25, "box": "beads_box"}, "double"),
    "box_images": ("beads_images", "", {"radius": 1e-3, "box": "beads_box_far"}, "double"),
    "box_away": ("beads_away", "", {"radius": 0.0625, "box": "beads_box_away"}, "double"),
    "space_y": ("beads_space", "beads_others", {"radius": 1.5, "group": "beads_group_xy"}, "double"),
    "space_y_radii": ("beads_space", "beads_others", {"radii": "beads_radii_xy"}, "double"),
    "space_y_box": ("beads_space", "beads_others", {"radius": 2, "box": "beads_box"}, "single"),
    "lattice": ("beads_lattice", "", {"radius": 0.5, "group": "beads_group_lattice"}, "integer"),
    "lattice_real": ("beads_lattice", "", {"radius": 0.5}, "double"),
    "lattice_radii": ("beads_lattice", "", {"radii": "beads_radii_small"}, "integer"),
    "lattice_box": ("beads_lattice", "", {"radius": 0.5, "box": "beads_box_lattice"}, "integer"),
    "lattice_apart": ("beads_lattice", "", {"radius": 0.5, "exclude": 20}, "integer"),
    "lattice_y": ("beads_lattice", "beads_sites", {"radius": 0.75}, "integer"),
    # The square of the double next to sqrt(5) is above 5, that of the one before it below.
    "root_above": ("beads_lattice", "", {"radius": 2.23606797749979}, "integer"),
    "root_below": ("beads_lattice", "", {"radius": 2.2360679774997894}, "integer"),
    "far": ("beads_far", "", {"radius": 1.5}, "double"),
    "equal": ("beads_equal", "", {"radius": 1e-9}, "double"),
    "wide": ("beads_wide", "", {"radius": 3000000000}, "integer"),
    "wide_most": ("beads_wide", "", {"radius": 8e9}, "integer"),
    "one": ("beads_one", "", {"radius": 1}, "double"),
}

ERRORS = {
    "columns": ("beads_four", "", {"radius": 1}, "", "x must have 1, 2 or 3 columns, not 4"),
    "y_columns": ("beads_space", "beads_plane", {"radius": 1}, "", "y must have 3 columns, as x has, not 2"),
    "missing": ("beads_missing", "", {"radius": 1}, "",
                "x must have no missing or infinite coordinates, but row 2 has NaN"),
    "endless": ("beads_endless", "", {"radius": 1}, "",
                "x must have no missing or infinite coordinates, but row 3 has -Inf"),
    "radius_none": ("beads_space", "", {}, "",
                    "radius must be given, or radii: the largest distance at which points collide"),
    "radius_zero": ("beads_space", "", {"radius": 0}, "",
                    "radius must be a positive finite number, not 0"),
    "radius_negative": ("beads_space", "", {"radius": -1}, "",
                        "radius must be a positive finite number, not -1"),
    "radii_length": ("beads_space", "", {"radii": "beads_radii_xy"}, "",
                     "radii must have a value for each of the 40 points, not 65 values"),
    "radii_wrong": ("beads_space", "", {"radii": "beads_radii_wrong"}, "",
                    "radii must be positive and finite, but value 8 is -0.5"),
    "exclude_y": ("beads_space", "beads_others", {"radius": 1, "exclude": 2}, "",
                  "exclude must be 0 with y, not 2"),
    "box_small": ("beads_space", "", {"radius": 1, "box": "beads_box_small"}, "",
                  "box must be at least 2, twice the radius of 1, but value 2 is 1.5"),
    "box_length": ("beads_space", "", {"radius": 1, "box": "beads_box_line"}, "",
                   "box must have a length for each of the 3 columns of x, not 1 values"),
    "cyclic_y": ("beads_space", "beads_others", {"radius": 1}, "cyclic",
                 'algorithm must not be "cyclic" with y'),
    "lattice_real": ("beads_space", "", {"radius": 0.5}, "lattice",
                     'x must have whole coordinates with algorithm "lattice", but row 1 has '),
    "lattice_radius": ("beads_lattice", "", {"radius": 1}, "lattice",
                       'radius must be below 1 with algorithm "lattice", not 1'),
    "algorithm": ("beads_space", "", {"radius": 1}, "linear",
               'algorithm must be one of "auto", "grid", "usual", "cyclic", "lattice", not "linear"'),
}

FUNCTIONS = ("collide_count", "collide_per_point", "collide_pairs", "collide_table")


def methods(name, y, options):
    yield ""
    yield "grid"
    yield "usual"
    if not y:
        yield "cyclic"
    if name.startswith(("lattice", "paired")) or name == "chain":
        yield "lattice"


def expected(function, pairs, x, y, group):
    if function == "collide_count":
        return [[float(len(pairs))]], 1
    if function == "collide_per_point":
        return per_point(pairs, len(x), y is None), 1
    if function == "collide_pairs":
        return [[i + 1.0, j + 1.0] for i, j in pairs], 2
    return table(pairs, group, 0 if y is None else len(x)), max(group)


def add_results(cases):
    for name, (x, y, options, storage) in RESULTS.items():
        points, others = cases.inputs[x], cases.inputs[y] if y else None
        values = {key: [v[0] for v in cases.inputs[value]] if key == "radii"
                  else cases.inputs[value][0] if key == "box" else value
                  for key, value in options.items() if key != "group"}
        pairs = collisions(points, others, **values)
        group = None
        if "group" in options:
            group = [int(v[0]) for v in cases.inputs[options["group"]]]
        for function in FUNCTIONS:
            if function == "collide_table" and group is None:
                continue
            given = {k: v for k, v in options.items()
                     if k != "group" or function == "collide_table"}
            for algorithm in methods(name, y, options):
                cases.add(f"{function}_{name}" + (f"_{algorithm}" if algorithm else ""), function, x, y,
                          algorithm, given, storage, expected(function, pairs, points, others, group),
                          tolerance=0.0)


def add_errors(cases):
    for name, (x, y, options, algorithm, message) in ERRORS.items():
        if message.endswith("row 1 has "):
            message += repr(cases.inputs[x][0][0])
        cases.add(f"collide_error_{name}", "collide_count", x, y, algorithm, options, error=message)


def add_cases(cases):
    cases.inputs |= inputs()
    add_results(cases)
    add_errors(cases)
    for function, columns in (("collide_count", 1), ("collide_per_point", 1), ("collide_pairs", 2)):
        for size in ("0x1", "0x3"):
            result = [[0.0]] if function == "collide_count" else []
            cases.add(f"{function}_{size}", function, size, options={"radius": 1},
                      expected=(result, columns), tolerance=0.0)


# --- The second source --------------------------------------------------------------------------


def second(matrices, cases):
    """How many counts scipy.spatial.cKDTree contradicts, where distances are not at the radius."""
    import numpy
    from scipy.spatial import cKDTree

    done = differ = 0
    for case in cases.values():
        options = dict(pair.split("=") for pair in case["options"].split(";") if pair)
        if case["function"] != "collide_count" or case["error"] or case["method"]:
            continue
        if options.keys() - {"radius"} or case["x"][0].isdigit() or "root" in case["case"]:
            continue
        x = numpy.array(matrices[case["x"]])
        radius = float(options.get("radius", 1))
        if case["y"]:
            found = cKDTree(x).count_neighbors(cKDTree(numpy.array(matrices[case["y"]])), radius)
        else:
            found = (cKDTree(x).count_neighbors(cKDTree(x), radius) - len(x)) // 2
        done += 1
        differ += disagreements(case, matrices, [float(found)], case["note"], "cKDTree")
    print(f"cKDTree: {done} counts of collisions, {differ} differ")
    return differ
