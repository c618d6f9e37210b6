"""Tiles of a distance matrix, and distances and points in files: where tiles are, what a file gives
back, and what is refused."""

import math

from reference.cases import disagreements
from reference.dist import METRIC_NAMES, dist

# --- Definitions --------------------------------------------------------------------------------


def tiles(nx, ny, side):
    """A row a tile: its first row, its rows, its first column, its columns; down one column of tiles
    after the other. ny None: within x, only those on and below the diagonal."""
    return [[row + 1, min(side, nx - row), column + 1, min(side, (ny or nx) - column)]
            for column in range(0, ny or nx, side)
            for row in range(0 if ny else column, nx, side)]


def square(x, method):
    """All distances within x, 0 from a point to itself."""
    n, values = len(x), iter(dist(x, method, {}))
    matrix = [[0.0] * n for _ in range(n)]
    for j in range(n):
        for i in range(j + 1, n):
            matrix[i][j] = matrix[j][i] = next(values)[0]
    return matrix


# --- Cases --------------------------------------------------------------------------------------


def add_tiles(cases):
    for x, y, side in (("plain", "", 4), ("plain", "", 3), ("plain", "", 1), ("plain", "", 9),
                       ("plain", "", 100), ("plain", "other", 4), ("other", "plain", 5),
                       ("0x5", "", 2), ("one_point", "", 7)):
        nx, ny = len(cases.matrix(x)), len(cases.matrix(y)) if y else None
        expected = [] if 0 in (nx, ny) else tiles(nx, ny, side)
        cases.add(f"tiles-{x}-{y or 'within'}-{side}", "tiles", x, y, "euclidean", {"side": side},
                  expected=(expected, 4), tolerance=0.0)


def add_files(cases):
    """A file that is new or that has the distances already."""
    def add(label, x="plain", method="euclidean", tolerance=1e-14, function="dist_file", **options):
        matrix = square(cases.matrix(x), method)
        cases.add(f"{function}-{label}", function, x, "", method, options,
                  expected=(matrix, len(matrix)), tolerance=tolerance)

    for shape in ("condensed", "square"):
        add(shape, file="new", file_shape=shape)
        add(f"{shape}-missing", "missing", "manhattan", file="new", file_shape=shape)
        add(f"{shape}-float", "near", "canberra", 6e-8, file="new", file_shape=shape,
            file_precision="float")
        add(f"{shape}-there", file=shape, file_shape=shape)
        add(shape, function="dist_open", file=shape)
    add("name", file="new", file_name="group/distances")
    add("name", function="dist_open", file="condensed", name="dist")
    add("read-only", file="read-only")
    add("read-only", function="dist_open", file="read-only")
    add("one-point", "one_point", file="new")


def add_errors(cases):
    def fail(label, error, x="plain", method="euclidean", function="dist_file", y="", **options):
        cases.add(f"{function}-error-{label}", function, x, y, method, options, error=error)

    other = 'file must be a new one or one of the same distances: "{file}" holds those of another '
    no_distances = 'file must be one of distances, but "{file}" '
    fail("text", no_distances + "is no HDF5 file", file="text")
    fail("empty", no_distances + "is no HDF5 file", file="empty")
    irregular = 'file "{file}" cannot be read: it must be a regular file, not a '
    fail("folder", irregular + "folder", file="folder")
    fail("pipe", irregular + "pipe", file="pipe")
    fail("block", no_distances + "has a user block", file="block", file_shape="square")
    fail("no-folder", 'file "{file}" cannot be created: No such file or directory', file="no-folder")
    fail("no-name", "file must be the name of a file", file="nameless")
    fail("points", other + "number of points", x="tied", file="condensed")
    fail("metric", other + "metric", method="maximum", file="condensed")
    fail("precision", other + "precision", file="condensed", file_precision="float")
    fail("shape", other + "shape", file="condensed", file_shape="square", file_name="dist")
    fail("data", other + "data or parameters", x="plain_moved", file="condensed")
    fail("read-only", other + "metric", method="maximum", file="read-only")
    fail("dataset", no_distances + 'holds something else, or not "matrix"', file="condensed",
         file_shape="square")
    fail("file_shape", 'file_shape must be "condensed" or "square", not "round"', file="new",
         file_shape="round")
    fail("file_precision", 'file_precision must be "double" or "float", not "half"', file="new",
         file_precision="half")
    fail("file_name", "file_name must have at most 127 characters, not 130", file="new",
         file_name="n" * 130)
    fail("memory_limit", "memory_limit must be a whole number of at least 1048576, not 1000",
         file="new", memory_limit=1000)
    fail("method", f'method must be one of {METRIC_NAMES}, not "none"', method="none", file="new")

    fail("missing", 'file "{file}" cannot be read: No such file or directory', function="dist_open",
         file="new")
    fail("text", no_distances + "is no HDF5 file", function="dist_open", file="text")
    fail("empty", no_distances + "is no HDF5 file", function="dist_open", file="empty")
    fail("folder", irregular + "folder", function="dist_open", file="folder")
    fail("pipe", irregular + "pipe", function="dist_open", file="pipe")
    fail("block", no_distances + "has a user block", function="dist_open", file="block")
    fail("dataset", no_distances + 'holds something else, or not "matrix"', function="dist_open",
         file="condensed", name="matrix")
    fail("counter", no_distances + 'holds something else, or not "tiles_done"',
         function="dist_open", file="condensed", name="tiles_done")

    def fail_points(label, error, **options):
        fail(label, error, function="dist_points", **options)

    fail_points("missing", 'file "{file}" cannot be read: No such file or directory', file="new",
                name="x")
    fail_points("folder", irregular + "folder", file="folder", name="x")
    fail_points("pipe", irregular + "pipe", file="pipe", name="x")
    fail_points("text", 'x must be in an HDF5 file, which "{file}" is not', file="text", name="x")
    fail_points("empty", 'x must be in an HDF5 file, which "{file}" is not', file="empty", name="x")
    fail_points("dataset", 'x must be a dataset of its file: "{file}" has no dataset "x"',
                file="square", name="x")
    fail_points("group", 'x must be a dataset of its file: "{file}" has no dataset "/"',
                file="square", name="/")
    fail_points("dimensions", 'x must be a dataset of numbers in 2 dimensions: "{file}", "dist" has '
                "1 dimension", file="condensed", name="dist")
    fail_points("method", f'method must be one of {METRIC_NAMES}, not "none"', method="none",
                file="square", name="matrix")
    fail_points("cov", "cov must be 9 x 9, as x has 9 columns, not 3 x 3", method="mahalanobis",
                file="square", name="matrix", cov="cov3")

    whole = "must be a whole number of at least"
    for side in (0, -1, 1.5, "NaN"):
        fail(f"side-{side}", f"side {whole} 1, not {side}", function="tiles", side=side)
    fail("memory_limit", f"memory_limit {whole} 1048576, not 1000", function="tiles",
         memory_limit=1000)
    fail("columns", "y must have 5 columns, as x has, not 3", function="tiles", y="near", side=2)
    fail("p", "p must be a positive number, not 0", function="tiles", method="minkowski",
         side=2, p=0)
    fail("method", f'method must be one of {METRIC_NAMES}, not "none"', function="tiles",
         method="none", side=2)


def add_cases(cases):
    plain = cases.inputs["plain"]
    cases.inputs["one_point"] = [[1.0, 2.0]]
    cases.inputs["plain_moved"] = plain[:-1] + [[v + 0.125 for v in plain[-1]]]
    add_tiles(cases)
    add_files(cases)
    add_errors(cases)


# --- The second source --------------------------------------------------------------------------


def second(matrices, cases):
    """How many expected values scipy.spatial.distance contradicts, of points without missing
    coordinates."""
    import numpy
    from scipy.spatial.distance import pdist, squareform

    done = differ = 0
    for case in cases.values():
        if case["function"] not in ("dist_file", "dist_open") or case["error"]:
            continue
        x = numpy.array(matrices.get(case["x"], []))
        if not x.size or not all(map(math.isfinite, x.ravel())):
            continue
        got = list(map(float, squareform(pdist(x, case["method"])).ravel()))
        done += 1
        differ += disagreements(case, matrices, got, case["note"], "scipy")
    print(f"scipy, files: {done} cases, {differ} differ")
    return differ
