#!/usr/bin/python3
"""Checks octave/gpugeo.yaml, the entry for Octave's index of packages, against the schema of that index
(github.com/gnu-octave/packages, CONTRIBUTING.md) and against octave/DESCRIPTION. Prints what is wrong."""

import re
import sys

import yaml

KEYS = ["layout", "permalink", "description", "icon", "links", "maintainers", "versions"]
ITEMS = {
    "links": ["icon", "label", "url"],
    "maintainers": ["name", "contact"],
    "versions": ["id", "date", "sha256", "url", "depends"],
}


def field(name):
    """Returns a field of octave/DESCRIPTION."""
    with open("octave/DESCRIPTION", encoding="utf-8") as file:
        return re.search(rf"^{name}: *(.*)$", file.read(), re.M).group(1)


def text_errors(text):
    """Yields errors of form: the lines that frame the entry, long lines, strings without quotes."""
    lines = text.split("\n")
    if lines[0] != "---" or lines[-2:] != ["---", ""]:
        yield "the first and the last line must be ---"
    folded = False
    for number, line in enumerate(lines, 1):
        if len(line) > 80 and " " in line.strip().split(": ", 1)[-1]:
            yield f"line {number} has more than 80 characters"
        folded = line.endswith(">-") or (folded and line.startswith("  "))
        if not folded and not re.fullmatch(r'---|(- |  )*(\w+: )?".*"|(- |  )*\w+:|', line):
            yield f"line {number} has a string without double quotes, or is no entry"


def entry_errors(entry):
    """Yields errors of keys and of types."""
    if list(entry) != KEYS:
        yield f"the keys must be {KEYS}, not {list(entry)}"
        return
    for key, keys in ITEMS.items():
        for item in entry[key]:
            if list(item)[: len(keys)] != keys:
                yield f"the keys in {key} must begin with {keys}, not {list(item)}"
    if entry["layout"] != "package" or entry["permalink"] != field("Name") + "/":
        yield "layout must be package, and permalink the package's name and a slash"


def version_errors(version):
    """Yields what differs from octave/DESCRIPTION."""
    if version["id"] != field("Version") or version["date"] != field("Date"):
        yield "the first version must have the number and the date of octave/DESCRIPTION"
    if sorted(version["depends"]) != sorted([*field("Depends").split(", "), "pkg"]):
        yield "depends must list pkg and the Depends of octave/DESCRIPTION"
    if not re.fullmatch(r"([0-9a-f]{64})?", version["sha256"]):
        yield "sha256 must be 64 hexadecimal digits, or empty before a release"


with open("octave/gpugeo.yaml", encoding="utf-8") as file:
    text = file.read()
entry = next(yaml.safe_load_all(text))
errors = [*text_errors(text), *entry_errors(entry)]
errors += [] if errors else version_errors(entry["versions"][0])
for error in errors:
    print(f"octave/gpugeo.yaml: {error}")
sys.exit(bool(errors))
