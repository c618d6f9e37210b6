"""Weights of networks of correlations and their topological overlaps (Zhang and Horvath 2005), by roots of 200 bits and
fractions; cases."""

from fractions import Fraction

import mpmath

from reference.cases import made_up
from reference.dist import both_present, correlation
from reference.numbers import NAN, rounded

SIMILARITIES = {
    "unsigned": abs,
    "signed": lambda r: (1 + r) / 2,
    "signed hybrid": lambda r: max(r, mpmath.mpf(0)),
}


def adjacency(x, kind, power):
    columns = list(zip(*x))

    def weight(i, j):
        u, v = both_present(columns[i], columns[j])
        r = correlation(u, v)
        return NAN if r != r else rounded(SIMILARITIES[kind](mpmath.mpf(r)) ** mpmath.mpf(power))

    return [[weight(i, j) for j in range(len(columns))] for i in range(len(columns))]


def overlap(weights, kind, mean, no_zero, no_negative):
    """The overlap of each two genes; missing weights are 0."""
    n = len(weights)
    a = [[Fraction(0 if w != w else w) for w in row] for row in weights]
    k = [sum(abs(a[i][m]) for m in range(n) if m != i) for i in range(n)]

    def of_pair(i, j):
        if i == j:
            return 1.0
        own, shared = a[i][j], sum(a[i][m] * a[m][j] for m in range(n) if m not in (i, j))
        f = (k[i] + k[j]) / 2 if mean else min(k[i], k[j])
        if kind == "none":
            value = own
        elif kind.endswith("2"):
            value = (own + (shared / (f - abs(own)) if f != abs(own) else 0)) / 2
        else:
            value = (shared + own) / (f + 1 - abs(own))
        if kind in ("signed", "signed 2"):
            value = abs(value)
        return 0.0 if (no_zero and own == 0) or (no_negative and value < 0) else rounded(value)

    return [[of_pair(i, j) for j in range(n)] for i in range(n)]


TYPES = ("none", "unsigned", "signed", "signed Nowick", "unsigned 2", "signed 2", "signed Nowick 2")


def network(seed, n, signs):
    """Weights of n genes: eighths, some of which are 0."""
    made = made_up(seed, n, n, 0.125, 8, zeros=0.3, least=-8 if signs else 0)
    return [[1.0 if i == j else made[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]


def add_cases(cases):
    missing = network(704, 5, False)
    missing[3][1] = missing[1][3] = NAN
    cases.inputs |= {"net_plain": network(701, 7, False), "net_signs": network(702, 7, True), "net_missing": missing,
                     "net_two": [[1.0, 0.5], [0.5, 1.0]], "net_alone": [[1.0, 0.0], [0.0, 1.0]], "net_one": [[1.0]],
                     "net_x": made_up(705, 9, 5, zeros=0.1), "net_x_missing": made_up(706, 12, 5, missing=0.08)}
    for kind in SIMILARITIES:
        for power in (1, 2.5, 6):
            for x in ("net_x", "net_x_missing"):
                values = adjacency(cases.matrix(x), kind, power)
                cases.add(f"adjacency-{kind}-{power}-{x}", "adjacency", x, "", kind, {"power": power}, "double",
                          (values, len(values)), 1e-13, 1e-14)
    for kind in TYPES:
        for x in ("net_plain", "net_signs", "net_missing", "net_two", "net_alone", "net_one"):
            if x == "net_signs" and kind.startswith("unsigned"):
                continue
            for flags in ((), ("mean",), ("no_zero",), ("no_negative",)) if x in ("net_plain", "net_signs") else ((),):
                values = overlap(cases.matrix(x), kind, *(name in flags for name in ("mean", "no_zero", "no_negative")))
                cases.add("-".join(("overlap", kind, x, *flags)), "overlap", x, "", kind,
                          {name: "true" for name in flags}, "double", (values, len(values)), 1e-14, 1e-14)


def second(_matrices, _cases):
    return 0
