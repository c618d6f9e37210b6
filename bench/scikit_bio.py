"""Permutation tests of scikit-bio, timed for bench/ordination.R.

  python3 bench/scikit_bio.py FOLDER CLOCK PERMUTATIONS

FOLDER has condensed distances in x.bin and y.bin (doubles) and groups in groups.bin (32-bit integers). CLOCK is wall,
or cpu for the processor's seconds of all threads. Prints a line of CSV for each test: its name, the seconds and the
version. The matrix is made before.
"""

import pathlib
import sys
import time

import numpy
import skbio
from scipy.spatial.distance import squareform
from skbio.stats.distance import DistanceMatrix, anosim, mantel, permanova


def main(folder, clock, permutations):
    now = time.process_time if clock == "cpu" else time.perf_counter
    folder = pathlib.Path(folder)
    x, y = (DistanceMatrix(squareform(numpy.fromfile(folder / name))) for name in ("x.bin", "y.bin"))
    groups = numpy.fromfile(folder / "groups.bin", dtype=numpy.int32).astype(str)
    count = int(permutations)
    tests = {
        "permanova": lambda: permanova(x, groups, permutations=count),
        "anosim": lambda: anosim(x, groups, permutations=count),
        "mantel": lambda: mantel(x, y, permutations=count),
        "mantel, spearman": lambda: mantel(x, y, "spearman", permutations=count),
    }
    print("test,seconds,version")
    for name, test in tests.items():
        start = now()
        test()
        print(f'"{name}",{now() - start},{skbio.__version__}')


if __name__ == "__main__":
    main(*sys.argv[1:])
