#!/usr/bin/env python3
"""Records clusterings of other packages in tests/peers (see its README.md): tools/peers.py

Takes scipy with its tests (python3), the statistics package (octave-cli) and package dbscan (Rscript). No value comes
from gpugeo. Inputs and some expected linkages are those of scipy's own tests; the others are computed here by
the package that the row names.
"""

import csv
import importlib.metadata
import pathlib
import subprocess
import tempfile

import numpy
from scipy.cluster import hierarchy
from scipy.cluster.tests import hierarchy_test_data as scipy_data
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "peers"
SCIPY = "scipy " + importlib.metadata.version("scipy")
METHODS = ["single", "complete", "average", "weighted", "centroid", "median", "ward"]

matrices = {}
cases = []


def matrix(name, values):
    """Keeps a matrix under its name, which it returns."""
    values = numpy.atleast_2d(numpy.asarray(values, dtype=float))
    assert name not in matrices or (matrices[name] == values).all()
    matrices[name] = values
    return name


def add(peer, function, x, method, options, expected, tolerance, compare="all"):
    """Adds a case; its name is that of the matrix with the expected values."""
    words = [peer.split()[0], function, x, method, options.replace("=", "_").replace(";", "_").replace(".", "p")]
    name = "_".join(word for word in words if word)
    matrix(name, expected)
    cases.append([name, peer, function, x, method, options, name, tolerance, compare])


def steps(z):
    """The two clusters, counted from 1, and the height of each merge of scipy."""
    return numpy.column_stack([z[:, :2] + 1, z[:, 2]])


def run(program, code, x):
    """Runs code of R or Octave with the files `from` and `to` of CSV, and returns what it writes."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = f"{folder}/x.csv", f"{folder}/y.csv"
        numpy.savetxt(source, x, "%.17g", ",")
        subprocess.run([*program, code.replace("@x", source).replace("@y", result)], check=True)
        return numpy.loadtxt(result, delimiter=",", ndmin=2)


def octave(code, x):
    code = f"pkg load statistics; x = csvread ('@x'); y = {code}; dlmwrite ('@y', y, 'precision', '%.17g');"
    return run(["octave-cli", "--norc", "--quiet", "--eval"], code, x)


def r(code, x):
    code = (f"x <- as.matrix(read.csv('@x', header = FALSE)); y <- {code};"
            "write.table(format(y, digits = 17), '@y', sep = ',', quote = FALSE, row.names = FALSE, col.names = FALSE)")
    return run(["Rscript", "-e"], code, x)


def scipy_tests():
    """The cases of scipy's own tests: its inputs, and the values in its file, of nine digits."""
    h, peer = scipy_data, SCIPY + ", its tests"
    matrix("ytdist", h.ytdist)
    for method in ["single", "complete", "average", "weighted"]:
        add(peer, "linkage", "ytdist", method, "", steps(getattr(h, "linkage_ytdist_" + method)), 1e-8)
    matrix("X", h.X)
    for method in ["centroid", "median", "ward"]:
        add(peer, "linkage", "X", method, "", steps(getattr(h, "linkage_X_" + method)), 1e-8)
    matrix("Q_X", h.Q_X)
    for height, labels in h.fcluster_distance.items():
        add(peer, "cluster", "Q_X", "single", f"height={height}", labels[:, None], 0, "partition")
    for count, labels in h.fcluster_maxclust.items():
        add(peer, "cluster", "Q_X", "single", f"count={count:.0f}", labels[:, None], 0, "partition")
    for depth, table in h.inconsistent_ytdist.items():
        add(peer, "inconsistent", "ytdist", "single", f"depth={depth}", table, 1e-8)


def random_points():
    """Points as fastcluster's tests draw them: of several sizes, and of whole numbers with ties and duplicates."""
    draw = numpy.random.default_rng(1)
    for n in [2, 3, 20, 50]:
        name = matrix(f"random{n}", draw.normal(size=(n, 3)).round(4))
        d = pdist(matrices[name])
        for method in METHODS:
            add(SCIPY, "linkage", name, method, "", steps(hierarchy.linkage(d, method)), 1e-12)
        tree = minimum_spanning_tree(squareform(d)).tocoo()
        i, j = numpy.minimum(tree.row, tree.col), numpy.maximum(tree.row, tree.col)
        order = numpy.argsort(tree.data)
        add(SCIPY, "mst", name, "", "", numpy.column_stack([i + 1, j + 1, tree.data])[order], 1e-15)
    whole = draw.integers(0, 5, size=(40, 2))
    name = matrix("whole40", numpy.vstack([whole, whole[:10]]))
    z = hierarchy.linkage(pdist(matrices[name]), "single")
    add(SCIPY, "linkage", name, "single", "", steps(z), 1e-15, "cophenetic")


def statistics_tests():
    """The input of the tests of Octave's statistics, whose linkages have ties."""
    magic = octave("reshape (mod (magic (6), 5), [], 3)", numpy.zeros((1, 1)))
    name = matrix("magic", magic)
    version = octave("str2double (strrep (pkg ('list', 'statistics'){1}.version, '.', ''))", magic)[0, 0]
    peer = "statistics " + ".".join(f"{version:.0f}")
    add(peer, "linkage", name, "single", "", octave("linkage (pdist (x))", magic), 1e-15, "cophenetic")
    for method in METHODS:
        z = octave(f"linkage (pdist (x), '{method}')", matrices["random20"])
        add(peer, "linkage", "random20", method, "", z, 1e-12)


def dbscan():
    """Clusters by density of package dbscan: groups and noise without ties."""
    draw = numpy.random.default_rng(2)
    groups = [draw.normal(centre, 0.3, size=(25, 2)) for centre in ([0, 0], [3, 0], [1, 4])]
    name = matrix("groups", numpy.vstack([*groups, draw.uniform(-2, 6, size=(15, 2))]).round(4))
    x = matrices[name]
    peer = "dbscan " + ".".join(f"{part:.0f}" for part in r("unlist(packageVersion('dbscan'))", x)[:, 0])
    for eps in [0.25, 0.5]:
        for border in ["TRUE", "FALSE"]:
            found = r(f"dbscan::dbscan(x, {eps}, 4, borderPoints = {border})$cluster", x)
            add(peer, "dbscan", name, "", f"eps={eps};min_points=4;border={border.lower()}", found, 0)
    for points in [4, 8]:
        code = "with(dbscan::hdbscan(x, %d), cbind(cluster, coredist, membership_prob, c(hc$height, 0)))"
        add(peer, "hdbscan", name, "", f"min_points={points}", r(code % points, x), 1e-12)


def number(value):
    """The shortest decimals of a double."""
    return repr(int(value)) if value == int(value) else repr(float(value))


def main():
    for job in [scipy_tests, random_points, statistics_tests, dbscan]:
        job()
    with open(FOLDER / "matrices.txt", "w", encoding="utf-8") as out:
        blocks = ["\n".join([name, *(",".join(map(number, row)) for row in rows)]) for name, rows in matrices.items()]
        out.write("\n\n".join(blocks) + "\n")
    with open(FOLDER / "cases.csv", "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow("case peer function x method options expected tolerance compare".split())
        writer.writerows(cases)


if __name__ == "__main__":
    main()
