#!/usr/bin/python3
"""Independent reference of gpugeo: writes inst/extdata (see its README.md).

  tools/golden.py            write all golden cases anew
  tools/golden.py --check    say whether the files are up to date; exit status 1 if not
  tools/golden.py --second   hold the expected values against second sources, where installed

Nothing here comes from gpugeo. tools/reference has a file for each family, with its definitions in
exact arithmetic, its cases (add_cases) and its second sources (second).
"""

import pathlib
import sys

from reference import closest, collide, dgp, dgp_graph, dist, dist_file, knn, layout
from reference.cases import Cases, manifest, matrix_lines
from reference.power import power_lines

FAMILIES = (dist, dist_file, knn, closest, collide, dgp, dgp_graph, layout)
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "inst" / "extdata"


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


def main(arguments):
    cases = all_cases()
    if arguments == ["--second"]:
        rows = {row["case"]: row for row in cases.rows}
        return 1 if sum(family.second(cases.matrices, rows) for family in FAMILIES) else 0
    files = all_files(cases)
    if arguments == ["--check"]:
        return 1 if check(files) else 0
    if arguments:
        sys.exit(__doc__)
    for name, text in files.items():
        (FOLDER / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
