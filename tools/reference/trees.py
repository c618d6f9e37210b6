"""Neighbour joining and BIONJ by exact rational arithmetic, and UPGMA; supports of trees by those of given draws of
sites; cases, with trees that package ape made as a second source."""

import random
from fractions import Fraction

import mpmath

from reference.cases import made_up
from reference.hclust import manhattan, nearest_pairs
from reference.numbers import NAN, exact, rounded
from reference.sequences import BASES, Data, FORMULAS, as_rows

# --- Definitions --------------------------------------------------------------------------------


def preorder(edges, root):
    """The edges so that each is followed by those below it; children stay in their order."""
    below = {}
    for edge in edges:
        below.setdefault(edge[0], []).append(edge)
    ordered, stack = [], below[root][::-1]
    while stack:
        edge = stack.pop()
        ordered.append(edge)
        stack += below.get(edge[1], [])[::-1]
    return ordered


def pairs_of(count, bionj):
    """All pairs of positions in the order in which equal ones are preferred."""
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    return sorted(pairs, key=lambda pair: pair[::-1]) if bionj else pairs


def best_pair(d, bionj):
    """The first pair with the lowest (m - 2) d_ij - r_i - r_j, and how far the next higher criterion is from it."""
    m, sums = len(d), [sum(row) for row in d]
    criteria = [((m - 2) * d[i][j] - sums[i] - sums[j], i, j) for i, j in pairs_of(m, bionj)]
    lowest = min(c for c, _, _ in criteria)
    higher = [c for c, _, _ in criteria if c > lowest]
    _, i, j = next(c for c in criteria if c[0] == lowest)
    return i, j, (min(higher) - lowest) / (m - 2) if higher else None


def weight_of(variance, i, j):
    """The weight of node i in the distances of the new node, with which their variance is the lowest."""
    if variance[i][j] == 0:
        return Fraction(1, 2)
    m = len(variance)
    sums = sum(variance[j][k] - variance[i][k] for k in range(m) if k not in (i, j))
    return min(Fraction(1), max(Fraction(0), Fraction(1, 2) + sums / (2 * (m - 2) * variance[i][j])))


def without(matrix, position):
    return [row[:position] + row[position + 1:] for k, row in enumerate(matrix) if k != position]


def replace(matrix, i, j, new, in_front):
    """The matrix with a new node instead of i < j: in front of all others, or at the position of j."""
    matrix = [row[:] for row in matrix]
    for k, value in enumerate(new):
        matrix[j][k] = matrix[k][j] = value
    matrix[j][j] = Fraction(0)
    if in_front:
        order = [j] + [k for k in range(len(matrix)) if k not in (i, j)]
        return [[matrix[a][b] for b in order] for a in order]
    return without(matrix, i)


def join(d, bionj):
    """The edges (parent, child, length), nodes from 1, and the least gap between criteria of all joins but the last."""
    n = len(d)
    variance, nodes, edges, gaps = [row[:] for row in d], list(range(1, n + 1)), [], []
    node = 2 * n - 2
    while len(d) > 3:
        m, sums = len(d), [sum(row) for row in d]
        i, j, gap = best_pair(d, bionj)
        gaps += [gap] if gap is not None else []
        li = d[i][j] / 2 + (sums[i] - sums[j]) / (2 * (m - 2))
        lj = d[i][j] - li
        pair = [(node, nodes[i], li), (node, nodes[j], lj)]
        edges += pair[::-1] if bionj else pair
        weight = weight_of(variance, i, j) if bionj else Fraction(1, 2)
        new = [weight * (d[i][k] - li) + (1 - weight) * (d[j][k] - lj) for k in range(m)]
        spread = [weight * variance[i][k] + (1 - weight) * variance[j][k]
                  - weight * (1 - weight) * variance[i][j] for k in range(m)]
        variance = replace(variance, i, j, spread, not bionj)
        d = replace(d, i, j, new, not bionj)
        nodes = ([node] + [v for k, v in enumerate(nodes) if k not in (i, j)] if not bionj
                 else [node if k == j else v for k, v in enumerate(nodes) if k != i])
        node -= 1
    for k in (2, 1, 0):
        a, b = (v for v in range(3) if v != k)
        edges.append((n + 1, nodes[k], (d[k][a] + d[k][b] - d[a][b]) / 2))
    return preorder(edges, n + 1), gaps


def upgma(d):
    """The edges of the dendrogram by average linkage; inner nodes are numbered from the last merge on."""
    n = len(d)
    merges = nearest_pairs(d, n, "average", [Fraction(1)] * n)
    node, following, edges = {len(merges) - 1: n + 1}, n + 2, []
    for k in range(len(merges) - 1, -1, -1):
        # As stats::hclust() has them: points before merges, each in their order.
        for cluster in merges[k][:2]:
            below = merges[cluster - n][2] if cluster >= n else Fraction(0)
            if cluster >= n:
                node[cluster - n] = following
                following += 1
            child = node[cluster - n] if cluster >= n else cluster + 1
            edges.append((node[k], child, (merges[k][2] - below) / 2))
    return preorder(edges, n + 1)


# --- The bootstrap ------------------------------------------------------------------------------


def fraction_of(value):
    """A number of 200 bits as a fraction."""
    if isinstance(value, Fraction):
        return value
    mantissa, exponent = mpmath.frexp(value)
    return Fraction(int(mpmath.ldexp(mantissa, 400)), 2**400) * Fraction(2)**int(exponent)


def distances_of(sequences, model):
    """The square matrix of distances, of all sites at which both have a base."""
    data = Data(sequences, model, True)
    return [[Fraction(0) if i == j else fraction_of(FORMULAS[model]((a, b), data, 0)[0])
             for j, b in enumerate(sequences)] for i, a in enumerate(sequences)]


def tree_of(d, method):
    """The edges, whose choices must not depend on rounding errors."""
    if method == "upgma":
        rng = random.Random(1)
        edges = upgma(d)
        for _ in range(3):
            near = [row[:] for row in d]
            for i in range(len(d)):
                for j in range(i):
                    near[i][j] = near[j][i] = d[i][j] * (1 + Fraction(rng.randint(-9, 9), 2**40))
            assert clades(upgma(near), len(d)) == clades(edges, len(d)), "nearly equal distances"
        return edges
    edges, gaps = join(d, method == "bionj")
    assert all(gap > scale_of(d) * Fraction(1, 2**30) for gap in gaps), "nearly equal criteria"
    return edges


def clades(edges, n):
    """The tips below each node."""
    below = {tip: {tip} for tip in range(1, n + 1)}
    for parent, child, _ in reversed(edges):
        below.setdefault(parent, set()).update(below[child])
    return below


def split(tips, n, rooted):
    """A clade, or the side of a bipartition without tip 1; None if all trees have it."""
    if not rooted and not 1 < len(tips) < n - 1:
        return None
    return frozenset(tips if rooted or 1 not in tips else set(range(1, n + 1)) - tips)


def bootstrap(sequences, draws, orders, model, method, rooted):
    """A row for each edge of the tree: both nodes, the length, and how many trees of drawn sites have the clade or
    bipartition of the lower node, NaN for tips and for a bipartition that all trees have."""
    n, edges = len(sequences), tree_of(distances_of(sequences, model), method)
    found = []
    for b, sites in enumerate(draws):
        order = orders[b] if orders else range(n)
        drawn = tree_of(distances_of([[sequences[i][k] for k in sites] for i in order], model), method)
        found.append({split({order[tip - 1] + 1 for tip in tips}, n, rooted)
                      for tips in clades(drawn, n).values() if len(tips) > 1})
    own = clades(edges, n)

    def support(node):
        wanted = split(own[node], n, rooted) if node > n else None
        return NAN if wanted is None else float(sum(wanted in one for one in found))
    return [[a, b, rounded(length), support(b)] for a, b, length in edges], 4


def evolved(seed, n, sites):
    """Sequences, each of which is an earlier one with a tenth of its sites drawn anew."""
    rng = random.Random(seed)
    made = [rng.choices(BASES, k=sites)]
    while len(made) < n:
        made.append([rng.choice(BASES) if rng.random() < 0.1 else c for c in rng.choice(made)])
    made[-1][3] = 0x04
    return made


def add_bootstraps(cases):
    draws_of = {}
    for name, seed, n, sites, count in (("boot_seven", 911, 7, 90, 6), ("boot_twelve", 912, 12, 200, 9)):
        rng = random.Random(seed + 10)
        sequences = evolved(seed, n, sites)
        draws = [[rng.randrange(sites) for _ in range(sites)] for _ in range(count)]
        orders = [rng.sample(range(n), n) for _ in range(count)]
        cases.inputs[name] = as_rows(sequences)
        cases.inputs[name + "_sites"] = [[float(d[k] + 1) for d in draws] for k in range(sites)]
        cases.inputs[name + "_order"] = [[float(o[k] + 1) for o in orders] for k in range(n)]
        draws_of[name] = sequences, draws, orders

    def add(name, method, model, rooted, ordered=False):
        sequences, draws, orders = draws_of[name]
        made = bootstrap(sequences, draws, ordered and orders, model, method, rooted)
        options = {"backend": "cpu", "model": model, "rooted": str(rooted).lower()}
        options |= {"order": name + "_order"} if ordered else {}
        cases.add("-".join(["boot_phylo", name[5:], method, model, *(["rooted"] * rooted + ["order"] * ordered)]),
                  "boot_phylo", name, name + "_sites", method, options, expected=made, tolerance=1e-12, absolute=1e-13)

    for name in ("boot_seven", "boot_twelve"):
        for method in ("nj", "bionj"):
            for rooted in (False, True):
                add(name, method, "N", rooted)
                add(name, method, "JC69", rooted, True)
        for rooted in (False, True):
            add(name, "upgma", "TN93", rooted)


# --- Cases --------------------------------------------------------------------------------------


def inputs():
    """Points by name: their Manhattan distances are exact in doubles. Manhattan distances on a line, and on two lines
    that meet, are those of a tree."""
    return {
        "t_plain": made_up(901, 40, 3, step=2.0**-10, span=40000),
        "t_small": made_up(902, 9, 4, step=2.0**-4, span=100),  # digits of BIONJ's weights double with each join
        "t_three": [[0.0], [4.0], [6.0]],
        "t_four": [[0.0, 1.0], [4.0, 2.0], [6.0, 8.0], [5.0, -3.0]],
        "t_star": [[float((k + 1) * (k == c)) for c in range(8)] for k in range(7)],
        "t_line": [[float(k * k)] for k in range(12)],
        "t_same": [[1.5, -2.0]] * 9,
        "t_tied": made_up(903, 14, 2, step=1, span=3),
        "t_twice": [row for row in made_up(904, 10, 3, step=2.0**-10, span=40000) for _ in range(2)],
        "t_two": [[0.0], [3.0]],
        "t_blank": [[0.0], [float("nan")], [1.0], [3.0]],
        "t_large_values": [[v * 1e300] for v in (0.0, 1.0, 0.25, 0.5)],
    }


def scale_of(d):
    return max(abs(v) for row in d for v in row)


def add_cases(cases):
    cases.inputs |= inputs()

    def add(name, x, method):
        d = manhattan(cases.matrix(x))
        if method == "upgma":
            edges = upgma(d)
        else:
            edges, gaps = join(d, method == "bionj")
            # Below 2^-36 of the largest distance criteria may count as equal.
            assert all(gap > scale_of(d) * Fraction(1, 2**30) for gap in gaps), f"{name}: nearly equal criteria"
        rows = [[a, b, rounded(length)] for a, b, length in edges]
        exact = x in ("t_three", "t_star", "t_line", "t_same") and method != "upgma"
        scale = float(scale_of(d))
        cases.add(f"trees-{name}-{method}", "trees", x, "", method, {}, "double", (rows, 3),
                  0.0 if exact else 1e-13, 0.0 if exact else 2e-14 * scale)

    for method in ("nj", "bionj", "upgma"):
        for x in ("t_three", "t_four", "t_star", "t_line", "t_same", "t_small"):
            add(x[2:], x, method)
    for method in ("nj", "upgma"):
        for x in ("t_plain", "t_twice"):
            add(x[2:], x, method)
    for method in ("nj", "bionj"):
        add("tied", "t_tied", method)
        add("large-values", "t_large_values", method)
    add("two", "t_two", "upgma")

    def fail(name, error, x, method):
        cases.add(f"trees-error-{name}-{method}", "trees", x, "", method, {}, error=error)

    for method in ("nj", "bionj"):
        fail("two", "d must have 3 to 1073741824 points to join, not 2", "t_two", method)
    for method in ("nj", "bionj", "upgma"):
        fail("missing", "d must have finite distances only, but 3 of them are not; the first is missing, "
             "between points 1 and 2", "t_blank", method)
    add_bootstraps(cases)


# --- The second source --------------------------------------------------------------------------


def second(_matrices, _cases):
    """None: tests/testthat/test-trees.R has trees of package ape."""
    return 0
