"""The manifest of golden cases, and the matrices that its rows name."""

import csv
import io
import math
import random

from reference.numbers import NAN

FIELDS = "case function x y method options storage expected tolerance absolute note error".split()


def number(value):
    """The shortest decimal that reads back as the same double."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


def made_up(seed, rows, columns, step=0.125, span=24, zeros=0.0, missing=0.0, least=None):
    """Random multiples of a power of two: exact in every decimal reader, and in float."""
    rng = random.Random(seed)
    least = -span if least is None else least
    matrix = [[rng.randint(least, span) * step for _ in range(columns)] for _ in range(rows)]
    for row in matrix:
        for k in range(columns):
            if rng.random() < zeros:
                row[k] = 0.0
            if rng.random() < missing:
                row[k] = NAN
    return matrix


class Cases:
    """Collects rows of the manifest and the matrices that they name."""

    def __init__(self):
        self.inputs = {}  # matrices by name, which a family adds before its cases
        self.matrices = {}
        self.rows = []
        self.names = {}  # of results, by their text

    def matrix(self, name):
        """An input by its name, and a note that it is wanted."""
        if not name:
            return None
        if name[0].isdigit():
            rows, columns = map(int, name.split("x"))
            return [[0.0] * columns for _ in range(rows)]
        added = self.matrices.setdefault(name, self.inputs[name])
        assert added is self.inputs[name] or matrix_lines(added) == matrix_lines(self.inputs[name]), \
            f"two families have a matrix {name}"
        return added

    def keep(self, name, result, columns):
        """The name of a result: its own, that of an equal result before, or of an empty one."""
        if not result or not columns:
            return f"{len(result)}x{columns}"
        kept = self.names.setdefault(matrix_lines(result), "e_" + name)
        self.matrices[kept] = result
        return kept

    def add(self, name, function, x, y="", method="", options=None, storage="double", expected=None,
            tolerance=1e-14, absolute=0.0, note="", error=""):
        """A row. The values of options may be names of inputs. `expected` is a list of rows and the
        number of columns; without it, `error` is the message."""
        options = options or {}
        for value in (x, y, *options.values()):
            if value in self.inputs:
                self.matrix(value)
        row = dict.fromkeys(FIELDS, "")
        row.update(case=name, function=function, x=x, y=y, method=method, storage=storage,
                   options=";".join(f"{k}={v}" for k, v in options.items()), note=note, error=error)
        if not error:
            row.update(expected=self.keep(name, *expected), tolerance=repr(tolerance),
                       absolute=repr(absolute))
        self.rows.append(row)


def manifest(rows):
    """Rows of cases as text."""
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def matrix_lines(matrix):
    """A matrix as text, a line a row."""
    return "".join(",".join(map(number, row)) + "\n" for row in matrix)


def values_of(case, matrices):
    """The expected numbers of a case, row by row."""
    return [value for row in matrices.get(case["expected"], []) for value in row]


def same(got, want, tolerance, absolute):
    if math.isnan(want) or math.isnan(got):
        return math.isnan(want) and math.isnan(got)
    if math.isinf(want) or math.isinf(got):
        return want == got
    return abs(got - want) <= absolute + tolerance * abs(want)


def disagreements(case, matrices, got, note, source):
    """Prints how a second source differs from the expected values; 1 if it does."""
    want = values_of(case, matrices)
    tolerance, absolute = float(case["tolerance"]), float(case["absolute"])
    # A double sum of denormal terms and a library's own order of operations cost a few more bits.
    same_note = note == case["note"] or (not note and " missing: " in case["note"])
    good = same_note and len(got) == len(want) and all(
        same(g, w, 10 * tolerance, max(absolute, 1e-15)) for g, w in zip(got, want))
    if not good:
        print(f"{case['case']}: {source} gives {note} {got}, expected {case['note']} {want}")
    return 0 if good else 1
