"""Spanning trees of quitefastmst, clusterings of genieclust and linkages of scipy, timed for bench/cluster.R.

  python3 bench/python_clusters.py FILE COLUMNS CLOCK WORK

FILE has points row by row (doubles) or, for COLUMNS 0, condensed distances. CLOCK is wall, or cpu for the processor's
seconds of all threads. WORK is a linkage; "leaves", the optimal order of leaves of average linkage; or a number: of
the neighbours without the point itself up to which its core distance reaches; 0 is for Euclidean distances. "genie"
and such a number is genieclust's clustering of mutual reachability, which takes the tree of quitefastmst; genieclust
has no HDBSCAN. Prints two lines of CSV: names, and the version and the seconds, the median of five runs after two, or
those of the first run if it takes longer than two seconds.
"""

import importlib.metadata
import statistics
import sys
import time

import numpy


def main(file, columns, clock, work):
    values = numpy.fromfile(file)
    if work.isdigit():
        import quitefastmst as package

        points = values.reshape(-1, int(columns))

        def job():
            package.mst_euclid(points, int(work))
    elif work.startswith("genie"):
        import genieclust as package

        points = values.reshape(-1, int(columns))

        def job():
            package.Genie(M=int(work.removeprefix("genie"))).fit(points)
    elif work == "leaves":
        import scipy as package
        from scipy.cluster.hierarchy import linkage, optimal_leaf_ordering

        tree = linkage(values, "average")

        def job():
            optimal_leaf_ordering(tree, values)
    else:
        import scipy as package
        from scipy.cluster.hierarchy import linkage

        def job():
            linkage(values, work)

    now = time.process_time if clock == "cpu" else time.perf_counter

    def once():
        begun = now()
        job()
        return now() - begun

    seconds = once()
    if seconds <= 2:
        once()
        seconds = statistics.median(once() for _ in range(5))
    print(f"version,seconds\n{importlib.metadata.version(package.__name__)},{seconds}")


if __name__ == "__main__":
    main(*sys.argv[1:])
