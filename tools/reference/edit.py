"""Edit distances of texts by their recurrences, and neighbours by all pairs; cases.

A text is a row of code points of Unicode, after whose end there are NaN.
"""

import math
import random

from reference.numbers import INF, NAN

METHODS = ("lv", "osa", "hamming")


def hamming(a, b):
    return float(sum(u != v for u, v in zip(a, b))) if len(a) == len(b) else INF


def edits(a, b, exchanges):
    """The matrix of all beginnings: Levenshtein, or optimal string alignment with exchanges."""
    d = [[i + j for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if exchanges and i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1)
    return float(d[-1][-1])


def distance(a, b, method, most=INF):
    d = hamming(a, b) if method == "hamming" else edits(a, b, method == "osa")
    return d if d <= most else INF


def all_pairs(x, y, method, most):
    """As dist() has them within x, or the matrix of x and y."""
    if y is None:
        return [[distance(x[i], x[j], method, most)] for j in range(len(x)) for i in range(j + 1, len(x))], 1
    return [[distance(a, b, method, most) for b in y] for a in x], len(y)


def neighbors(x, y, method, most):
    """Rows (text, neighbour, distance), numbered from 1, of each text the nearest first."""
    rows = []
    for i, a in enumerate(x):
        near = [(distance(a, b, method), j) for j, b in enumerate(y or x) if y is not None or i != j]
        rows += [[float(i + 1), float(j + 1), d] for d, j in sorted(near) if d <= most]
    return rows, 3


# --- Cases ---------------------------------------------------------------------------------------


def as_rows(texts):
    longest = max(map(len, texts))
    return [[float(ord(c)) for c in text] + [NAN] * (longest - len(text)) for text in texts]


def made_up(seed, count, letters, longest):
    """Texts, two in three of which are an earlier one after a few edits."""
    rng = random.Random(seed)
    made = []
    for i in range(count):
        text = [rng.choice(letters) for _ in range(rng.randint(longest // 2, longest))]
        if i % 3:
            text = list(rng.choice(made))
            for _ in range(rng.randint(0, 3)):
                k = rng.randrange(len(text) - 1)
                kind = rng.randrange(3)
                if kind == 0:
                    text[k] = rng.choice(letters)
                elif kind == 1:
                    text[k], text[k + 1] = text[k + 1], text[k]
                elif len(text) > 3:
                    del text[k]
        made.append("".join(text))
    return made


TEXTS = {
    "text_words": ["kitten", "sitting", "", "mitten", "ca", "abc", "acb", "caf\u00e9", "cafe", "\u03b1\u03b2\u03b3",
                   "abc"],
    "text_cdr3": made_up(1001, 24, "ACDEFGHIKLMNPQRSTVWY", 16),
    "text_long": made_up(1002, 7, "ab", 150),
    "text_few": ["CASS", "sitting", "abca", ""],
}


def add_cases(cases):
    for name, texts in TEXTS.items():
        cases.inputs[name] = as_rows(texts)

    def add(kind, x, method, most=INF, y=""):
        options = {"backend": "cpu"} | ({} if math.isinf(most) else {"max": most})
        made = (neighbors if kind == "edit_neighbors" else all_pairs)(TEXTS[x], TEXTS.get(y), method, most)
        settings = [f"max{most}"] * (not math.isinf(most)) + [y] * bool(y)
        cases.add("-".join([kind, x[5:], method, *settings]), kind, x, y, method, options, expected=made, tolerance=0.0)

    for method in METHODS:
        for x in ("text_words", "text_cdr3", "text_long"):
            add("dist_edit", x, method)
            add("dist_edit", x, method, 2)
        add("dist_edit", "text_words", method, y="text_few")
        for most in (0, 1, 2, 5):
            add("edit_neighbors", "text_cdr3", method, most)
        add("edit_neighbors", "text_words", method, 2, "text_few")
    none = {"backend": "cpu"}
    for kind in ("dist_edit", "edit_neighbors"):
        cases.add(f"{kind}-error-max", kind, "text_few", method="lv", options=none | {"max": -1},
                  error="max must be a number of at least 0, not -1")
        cases.add(f"{kind}-error-method", kind, "text_few", method="jw", options=none,
                  error='method must be one of "lv", "osa", "hamming", not "jw"')


def second(_matrices, _cases):
    """None: tests/testthat/test-dist-edit.R compares with R's adist() and package stringdist."""
    return 0
