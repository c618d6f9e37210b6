#!/usr/bin/python3
"""Independent reference of gpugeo: writes tests/golden (see its README.md).

  tools/golden.py            write all golden cases anew
  tools/golden.py --check    say whether the files are up to date; exit status 1 if not
  tools/golden.py --second   hold the expected values against second sources, where installed
  tools/golden.py --check --second   both, which takes less time than one after the other

Nothing here comes from gpugeo. tools/reference has a file for each family, with its definitions in
exact arithmetic, its cases (add_cases) and its second sources (second).
"""

import multiprocessing
import pathlib
import sys

from reference import (closest, collide, communities, dgp, dgp_graph, dist, dist_file, edit, hclust, hdbscan, knn,
                       layout, mds, mrpp, mst, network, pam, pcoa, permanova, proteins, sequences, silhouette, trees)
from reference.cases import Cases, manifest, matrix_lines
from reference.power import power_lines

FAMILIES = (dist, dist_file, knn, mst, closest, collide, dgp, dgp_graph, sequences, edit, proteins, layout, hclust,
            hdbscan, silhouette, pam, permanova, mrpp, pcoa, mds, trees, communities,
            network)
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "golden"


def all_cases():
    cases = Cases()
    for family in FAMILIES:
        family.add_cases(cases)
    names = [row["case"] for row in cases.rows]
    assert len(set(names)) == len(names), "case names must be unique"
    return cases


def all_files(cases):
    """Every file of the folder that this script writes, as text."""
    matrices = (f"{name}\n{matrix_lines(matrix)}" for name, matrix in cases.matrices.items())
    return {"cases.csv": manifest(cases.rows), "matrices.txt": "\n".join(matrices),
            "power.csv": power_lines()}


def check(files):
    """Prints which files differ; the number of them."""
    differ = [name for name, text in files.items() if text != (FOLDER / name).read_text()]
    for name in differ:
        print(f"{FOLDER / name}: not up to date")
    return len(differ)


def second_of(number, matrices, rows):
    """Differences of one family from its second sources."""
    differences = FAMILIES[number].second(matrices, rows)
    sys.stdout.flush()
    return differences


def second(cases):
    """The same for all families, as many at a time as there are processors."""
    rows = {row["case"]: row for row in cases.rows}
    jobs = [(number, cases.matrices, rows) for number in range(len(FAMILIES))]
    with multiprocessing.get_context("fork").Pool() as pool:
        return sum(pool.starmap(second_of, jobs, chunksize=1))


def main(arguments):
    if not set(arguments) <= {"--check", "--second"}:
        sys.exit(__doc__)
    cases = all_cases()
    differences = second(cases) if "--second" in arguments else 0
    if "--check" in arguments:
        differences += check(all_files(cases))
    if not arguments:
        for name, text in all_files(cases).items():
            (FOLDER / name).write_text(text)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
