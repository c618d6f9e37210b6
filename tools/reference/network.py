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


def weights_of(x, kind, power):
    columns = list(zip(*x))

    def weight(i, j):
        u, v = both_present(columns[i], columns[j])
        r = correlation(u, v)
        return NAN if r != r else SIMILARITIES[kind](mpmath.mpf(r)) ** mpmath.mpf(power)

    return [[weight(i, j) for j in range(len(columns))] for i in range(len(columns))]


def adjacency(x, kind, power):
    return [[rounded(w) for w in row] for row in weights_of(x, kind, power)]


def r_squared(y, predictors):
    """R squared of a regression, and its coefficients; the first is the intercept."""
    a = mpmath.matrix([[1, *row] for row in zip(*predictors)])
    b = mpmath.lu_solve(a, mpmath.matrix(y))
    mean = sum(y) / len(y)
    residuals = mpmath.matrix(y) - a * b
    return 1 - sum(r**2 for r in residuals) / sum((v - mean) ** 2 for v in y), b


def scale_free(x, kind, power, bins, no_first):
    """The row of a power of gpu_soft_threshold()."""
    weights = weights_of(x, kind, power)
    n = len(weights)
    k = sorted(sum(w for j, w in enumerate(row) if j != i and w == w) for i, row in enumerate(weights))
    width = (k[-1] - k[0]) / bins
    edges = [k[0] + width * b for b in range(bins + 1)]
    assert all(abs(v - edge) > 1e-9 for v in k[1:-1] for edge in edges), "in a bin whatever is rounded"
    members = [[v for v in k[:-1] if low <= v < high] for low, high in zip(edges, edges[1:])]
    members[-1].append(k[-1])
    means = [sum(m) / len(m) if m else (low + high) / 2 for m, low, high in zip(members, edges, edges[1:])][no_first:]
    y = [mpmath.log10(mpmath.mpf(len(m)) / n + mpmath.mpf(1e-9)) for m in members][no_first:]
    logs = [mpmath.log10(mean) for mean in means]
    line, b = r_squared(y, [logs])
    curve = NAN if len(y) < 4 else 1 - (1 - r_squared(y, [logs, means])[0]) * (len(y) - 1) / (len(y) - 3)
    mean, density = sum(k) / n, sum(k) / n / (n - 1)
    return [rounded(v) for v in (mpmath.mpf(power), line, b[1], curve, mean, (k[(n - 1) // 2] + k[n // 2]) / 2, k[-1],
                                 density, (k[-1] / (n - 1) - density) * n / (n - 2),
                                 mpmath.sqrt(n * sum(v**2 for v in k) / sum(k) ** 2 - 1))]


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
                     "net_x": made_up(705, 9, 5, zeros=0.1), "net_x_missing": made_up(706, 12, 5, missing=0.08),
                     "net_genes": made_up(707, 8, 17), "net_genes_missing": made_up(708, 12, 16, missing=0.05)}
    for kind in SIMILARITIES:
        for power in (1, 2.5, 6):
            for x in ("net_x", "net_x_missing"):
                values = adjacency(cases.matrix(x), kind, power)
                cases.add(f"adjacency-{kind}-{power}-{x}", "adjacency", x, "", kind, {"power": power}, "double",
                          (values, len(values)), 1e-13, 1e-14)
        for power, bins, no_first in ((1, 10, 0), (6, 10, 1), (2.5, 4, 0), (3, 4, 1), (4, 3, 0)):
            for x in ("net_genes", "net_genes_missing"):
                row = scale_free(cases.matrix(x), kind, power, bins, no_first)
                cases.add(f"scale_free-{kind}-{power}-{bins}-{no_first}-{x}", "scale_free", x, "", kind,
                          {"power": power, "bins": bins} | ({"no_first": "true"} if no_first else {}), "double",
                          ([row], len(row)), 1e-11, 1e-11)
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
