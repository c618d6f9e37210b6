"""UniFrac distances from their definitions, by rational numbers and square roots of 200 bits; cases, with scikit-bio as a
second source."""

from fractions import Fraction

import mpmath

from reference.cases import disagreements, made_up
from reference.numbers import NAN, exact, rounded

# --- Definitions --------------------------------------------------------------------------------

# A tree is a list of [parent, child, length], nodes from 1: the tips first, then the root.


def tips_below(tree):
    """The length of each branch, and the set of tips below it."""
    below = {}
    for parent, child, _ in tree:
        below.setdefault(int(parent), []).append(int(child))
    sets = []
    for _, child, length in tree:
        stack, tips = [int(child)], set()
        while stack:
            node = stack.pop()
            if node in below:
                stack += below[node]
            else:
                tips.add(node - 1)
        sets.append((Fraction(length), tips))
    return sets


def branches_of(a, b, tree):
    """For each branch above individuals its length, those of a and of b below it."""
    for length, tips in tips_below(tree):
        below = [sum(Fraction(x[t]) for t in tips if t < len(x)) for x in (a, b)]
        if sum(below):
            yield length, below


def share(part, whole):
    return part / whole if whole else Fraction(0)


def unweighted(branches, _totals, _alpha):
    part = sum(length for length, (a, b) in branches if not (a and b))
    return part, sum(length for length, _ in branches)


def weighted(branches, totals, _alpha):
    return sum(length * abs(share(a, totals[0]) - share(b, totals[1])) for length, (a, b) in branches), 1


def normalized(branches, totals, alpha):
    part, _ = weighted(branches, totals, alpha)
    return part, sum(length * (share(a, totals[0]) + share(b, totals[1])) for length, (a, b) in branches)


def generalized(branches, totals, alpha):
    part = whole = mpmath.mpf(0)
    for length, (a, b) in branches:
        a, b = share(a, totals[0]), share(b, totals[1])
        weight = exact(length) * exact(a + b) ** mpmath.mpf(alpha)
        part += weight * exact(abs(a - b) / (a + b))
        whole += weight
    return part, whole


def variance(branches, totals, _alpha):
    part = whole = mpmath.mpf(0)
    for length, (a, b) in branches:
        rest = sum(totals) - a - b
        if rest:
            weight = exact(length) / mpmath.sqrt(exact((a + b) * rest))
            a, b = share(a, totals[0]), share(b, totals[1])
            part += weight * exact(abs(a - b))
            whole += weight * exact(a + b)
    return part, whole


TYPES = {"unweighted": unweighted, "weighted": weighted, "normalized": normalized, "generalized": generalized,
         "variance": variance}


def distance(a, b, tree, kind, alpha):
    totals = [sum(map(Fraction, x)) for x in (a, b)]
    if not any(totals):
        return NAN
    part, whole = TYPES[kind](list(branches_of(a, b, tree)), totals, alpha)
    return rounded(part / whole) if part else 0.0


def distances(x, tree, kind, alpha=0.5):
    return [[distance(x[i], x[j], tree, kind, alpha)] for j in range(len(x)) for i in range(j + 1, len(x))]


# --- Cases --------------------------------------------------------------------------------------


def random_tree(tips, seed):
    """A tree with polytomies and nodes of one child; lengths are multiples of 1/8, some 0."""
    draws = iter(row[0] for row in made_up(seed, 40 * tips, 1, 1.0, 999, least=0))
    open_nodes, edges, inner = list(range(1, tips + 1)), [], 2 * tips
    while len(open_nodes) > 2:
        inner += 1
        for _ in range(min(len(open_nodes) - 1, 1 + int(next(draws)) % 3)):
            child = open_nodes.pop(int(next(draws)) % len(open_nodes))
            edges.append([float(inner), float(child), int(next(draws)) % 17 / 8])
        open_nodes.append(inner)
    edges += [[float(tips + 1), float(child), 0.5] for child in open_nodes]
    used = sorted({int(edge[0]) for edge in edges} - {tips + 1})
    number = {node: tips + 2 + k for k, node in enumerate(used)}
    return [[float(number.get(int(a), int(a))), float(number.get(int(b), int(b))), c] for a, b, c in edges]


def inputs():
    return {
        "u_four": [[6.0, 1.0, 1.0], [6.0, 2.0, 2.0], [7.0, 3.0, 1.0], [7.0, 4.0, 3.0], [5.0, 6.0, 1.0], [5.0, 7.0, 2.0]],
        "u_star": [[4.0, 1.0, 1.0], [4.0, 2.0, 0.5], [4.0, 3.0, 0.25]],
        "u_chain": [[2.0, 3.0, 1.0], [3.0, 4.0, 2.0], [4.0, 1.0, 4.0]],
        "u_zero": [[3.0, 1.0, 0.0], [3.0, 2.0, 0.0]],
        "u_nineteen": random_tree(19, 411),
        "u_minus": [[3.0, 1.0, -1.0], [3.0, 2.0, 1.0]],
        "u_blank": [[3.0, 1.0, 1.0], [3.0, 2.0, NAN]],
        "u_x4": [[3.0, 0.0, 1.0, 0.0], [0.0, 5.0, 1.0, 0.0], [0.0, 0.0, 2.0, 7.0], [6.0, 0.0, 2.0, 0.0]],
        "u_x3": [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [2.0, 0.0, 0.0]],
        "u_x1": [[1.0], [3.0]],
        "u_x2": [[1.0, 1.0], [3.0, 0.0]],
        "u_x19": made_up(412, 11, 19, 1.0, 60, zeros=0.7, least=0),
        "u_shares": made_up(413, 5, 19, 0.125, 60, zeros=0.4, least=0),
        "u_one": [[1.0, 0.0, 2.0, 0.0]],
        "u_below": [[1.0, 1.0], [-3.0, 0.0]],
        "u_missing": [[1.0, 1.0], [NAN, 0.0]],
    }


def add_cases(cases):
    cases.inputs |= inputs()

    def add(name, x, tree, kind, alpha=None, root=False):
        # All but these are for CUDA, too.
        of_cpu = kind == "variance" or (kind == "generalized" and alpha != 1)
        options = ({"tree": tree} | ({"backend": "cpu"} if of_cpu else {}) | ({"root": "true"} if root else {})
                   | ({"alpha": alpha} if alpha is not None else {}))
        values = distances(cases.matrix(x), cases.matrix(tree), kind, 0.5 if alpha is None else alpha)
        cases.add(f"unifrac-{name}-{kind}" + (f"-{alpha}" if alpha is not None else ""), "unifrac", x, "", kind, options,
                  "double", (values, 1), 1e-13, 1e-14)

    for kind in TYPES:
        add("four", "u_x4", "u_four", kind)
        add("star", "u_x3", "u_star", kind, root=True)
        add("chain", "u_x1", "u_chain", kind)
        add("zero-lengths", "u_x2", "u_zero", kind)
        add("random", "u_x19", "u_nineteen", kind)
        add("fractions", "u_shares", "u_nineteen", kind)
        add("one", "u_one", "u_four", kind)
    for alpha in (0, 0.25, 0.5, 0.75, 1):
        add("random-alpha", "u_x19", "u_nineteen", "generalized", alpha)

    def fail(name, error, x, tree, options=None, kind="unweighted"):
        cases.add(f"unifrac-error-{name}", "unifrac", x, "", kind, {"tree": tree} | (options or {}), error=error)

    fail("root", "root must be true for a tree with 3 branches at its base, which then is the root; trees without a root "
         "have such a base", "u_x3", "u_star")
    fail("negative-length", "tree must have finite lengths of at least 0, but that of edge 1 is -1", "u_x2", "u_minus")
    fail("missing-length", "tree must have a length for each edge, but edge 2 has none", "u_x2", "u_blank")
    fail("negative", "x must be finite numbers of at least 0, but row 2, column 1 is -3", "u_below", "u_zero")
    fail("missing", "x must be finite numbers of at least 0, but row 2, column 1 is missing", "u_missing", "u_zero")
    fail("alpha", "alpha must be a number from 0 to 1, not 1.5", "u_x2", "u_zero", {"alpha": 1.5})
    fail("type", 'type must be one of "unweighted", "weighted", "normalized", "generalized", "variance", not "none"',
         "u_x2", "u_zero", kind="none")


# --- The second source --------------------------------------------------------------------------


def newick(tree, tips):
    """The tree as text with names t0, t1, ..."""
    below = {}
    for parent, child, length in tree:
        below.setdefault(int(parent), []).append((int(child), length))

    def text(node):
        if node not in below:
            return f"t{node - 1}"
        return "(" + ",".join(f"{text(child)}:{length}" for child, length in below[node]) + ")"

    return text(tips + 1) + ";"


def second(matrices, cases):
    """The number of cases of which scikit-bio, if it is installed, has other values."""
    try:
        from io import StringIO

        from skbio import TreeNode
        from skbio.diversity.beta import unweighted_unifrac, weighted_unifrac
    except ImportError:
        print("no scikit-bio: UniFrac has no second source")
        return 0
    own = {"unweighted": unweighted_unifrac, "weighted": weighted_unifrac,
           "normalized": lambda *given, **names: weighted_unifrac(*given, **names, normalized=True)}
    differences = 0
    for case in cases.values():
        options = dict(pair.split("=") for pair in case["options"].split(";")) if case["function"] == "unifrac" else {}
        if case["error"] or case["method"] not in own or "root" in options or options.get("tree") in (None, "u_zero"):
            continue  # its root has no third branch, and 0 / 0 is NaN
        x, tree = matrices[case["x"]], matrices[options["tree"]]
        if any(value != int(value) for row in x for value in row) or len(x[0]) < 2:
            continue  # it takes whole numbers only
        read = TreeNode.read(StringIO(newick(tree, len(x[0]))))
        taxa = [f"t{k}" for k in range(len(x[0]))]
        counts = [[int(value) for value in row] for row in x]
        got = [float(own[case["method"]](counts[i], counts[j], taxa=taxa, tree=read, validate=False))
               for j in range(len(x)) for i in range(j + 1, len(x))]
        differences += disagreements(case, matrices, got, "", "scikit-bio")
    return differences
