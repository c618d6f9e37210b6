"""Multidimensional scaling of scikit-learn, timed for bench/ordination.R.

  python3 bench/scikit_learn.py FOLDER CLOCK ITERATIONS

FOLDER has condensed distances in x.bin and a start in two dimensions, column by column, in start.bin (doubles). CLOCK
is wall, or cpu for the processor's seconds of all threads. Prints two lines of CSV: names, and the seconds, the stress
as gpu_mds() defines it, and the version. The matrix is made before.
"""

import pathlib
import sys
import time

import numpy
import sklearn
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import smacof


def main(folder, clock, iterations):
    now = time.process_time if clock == "cpu" else time.perf_counter
    folder = pathlib.Path(folder)
    delta = numpy.fromfile(folder / "x.bin")
    start = numpy.fromfile(folder / "start.bin").reshape(2, -1).T
    square = squareform(delta)
    begun = now()
    points = smacof(square, n_components=2, init=start, n_init=1, max_iter=int(iterations), eps=0)[0]
    seconds = now() - begun
    d = pdist(points)
    d *= (d @ delta) / (d @ d)
    stress = numpy.sqrt(((delta - d) ** 2).sum() / (delta**2).sum())
    print(f"seconds,stress,version\n{seconds},{stress},{sklearn.__version__}")


if __name__ == "__main__":
    main(*sys.argv[1:])
