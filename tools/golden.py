#!/usr/bin/python3
"""Independent reference of gpugeo: writes inst/extdata (see its README.md).

  tools/golden.py            write all golden cases anew
  tools/golden.py --check    say whether the files are up to date; exit status 1 if not
  tools/golden.py --second   hold the expected values against second sources, where installed

Nothing here comes from gpugeo. tools/reference has a file for each family, with its definitions in
exact arithmetic, its cases (add_cases) and its second sources (second).
"""

import csv
import io
import pathlib
import sys

from reference import closest, collide, dgp, dgp_graph, dist
from reference.cases import FIELDS, Cases, number
from reference.power import power_lines

FAMILIES = (dist, closest, collide, dgp, dgp_graph)
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "inst" / "extdata"


def all_files():
    """Every file of the folder that this script writes, as text."""
    cases = Cases()
    for family in FAMILIES:
        family.add_cases(cases)
    names = [row["case"] for row in cases.rows]
    assert len(set(names)) == len(names), "case names must be unique"
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(cases.rows)
    files = {"cases.csv": text.getvalue(), "power.csv": power_lines()}
    for name, matrix in cases.matrices.items():
        files[f"matrices/{name}.csv"] = "".join(",".join(map(number, row)) + "\n" for row in matrix)
    return files


def check(files):
    """Prints which files differ; the number of them."""
    there = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.csv")}
    differ = sorted(
        name for name in there | set(files)
        if name not in there or files.get(name) != (FOLDER / name).read_text()
    )
    for name in differ:
        print(f"{FOLDER / name}: not up to date")
    return len(differ)


def main(arguments):
    files = all_files()
    if arguments == ["--check"]:
        return 1 if check(files) else 0
    if arguments == ["--second"]:
        cases = {row["case"]: row for row in csv.DictReader(io.StringIO(files["cases.csv"]))}
        return 1 if sum(family.second(files, cases) for family in FAMILIES) else 0
    if arguments:
        sys.exit(__doc__)
    (FOLDER / "matrices").mkdir(parents=True, exist_ok=True)
    for path in FOLDER.rglob("*.csv"):
        if str(path.relative_to(FOLDER)) not in files:
            path.unlink()
    for name, text in files.items():
        (FOLDER / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
