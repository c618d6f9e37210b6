"""Multiresponse permutation procedures: mean distances within groups, of exact distances; cases, and a second
source."""

import mpmath

from reference.cases import disagreements, made_up
from reference.numbers import NAN, exact, rounded
from reference.permanova import squared_distances

# --- Definitions --------------------------------------------------------------------------------


def mean(values):
    return sum(values, mpmath.mpf(0)) / len(values)


def mrpp(x, groups, method, weight_type):
    """delta, the mean of all distances, and the mean within each group, NaN for a group of one point."""
    distances = [[mpmath.sqrt(exact(square)) for square in row] for row in squared_distances(x, method)]
    n, within, weights = len(x), [], []
    for number in sorted(set(groups)):
        members = [i for i in range(n) if groups[i] == number]
        pairs = [distances[i][j] for i in members for j in members if i > j]
        size = len(members)
        within.append(mean(pairs) if pairs else None)
        weights.append(mpmath.mpf({1: size, 2: size - 1, 3: size * (size - 1) // 2}[weight_type] if pairs else 0))
    delta = sum(w * m for w, m in zip(weights, within) if m is not None) / sum(weights)
    overall = mean([distances[i][j] for i in range(n) for j in range(i)])
    return [[rounded(delta)], [rounded(overall)]] + [[NAN if m is None else rounded(m)] for m in within]


# --- Cases --------------------------------------------------------------------------------------


def inputs():
    thirty = range(30)

    def groups(codes):
        return [[float(code)] for code in codes]
    return {
        "r_plain": made_up(911, 30, 4, span=40),
        "r_counts": made_up(912, 30, 7, step=1, span=9, zeros=0.4, least=0),
        "r_same": [[2.0, 1.0]] * 29 + [[3.0, 5.0]],
        "r_few": made_up(913, 5, 2, span=9),
        "r_blank": [[0.0, 1.0], [NAN, 2.0], [1.0, 1.0], [3.0, 0.0], [2.0, 2.0]],
        "r_one": groups([7] * 30),
        "r_two": groups(i % 2 for i in thirty),
        "r_six": groups(i * 7 % 6 + 1 for i in thirty),
        "r_uneven": groups([4] * 20 + [1] * 5 + [2] * 3 + [3, 9]),
        "r_five": groups([1, 1, 2, 2, 2]),
    }


def add_cases(cases):
    cases.inputs |= inputs()

    def add(x, y, method, weight_type):
        numbers = [row[0] for row in cases.matrix(y)]
        cases.add(f"mrpp-{x[2:]}-{y[2:]}-{method}-{weight_type}", "mrpp", x, y, method,
                  {"weight_type": weight_type},
                  expected=(mrpp(cases.matrix(x), numbers, method, weight_type), 1))

    for method in ("euclidean", "manhattan"):
        for x in ("r_plain", "r_counts", "r_same"):
            for y in ("r_one", "r_two", "r_six", "r_uneven"):
                for weight_type in (1, 2, 3):
                    add(x, y, method, weight_type)
        add("r_few", "r_five", method, 1)

    def fail(name, error, x="r_few", **options):
        cases.add(f"mrpp-error-{name}", "mrpp", x, "r_five", "euclidean", options, error=error)

    fail("weight", "weight_type must be a whole number between 1 and 3, not 4", weight_type=4)
    fail("fraction", "weight_type must be a whole number between 1 and 3, not 1.5", weight_type=1.5)
    fail("threads", "threads must be a whole number between 1 and 1024, not 0", threads=0)


# --- The second source --------------------------------------------------------------------------


def second(matrices, cases):
    """How many cases scipy contradicts."""
    import numpy
    from scipy.spatial.distance import pdist, squareform

    done = differ = 0
    for case in cases.values():
        if case["function"] != "mrpp" or case["error"]:
            continue
        weight_type = int(case["options"].split(";")[0].split("=")[1])
        groups = numpy.array(matrices[case["y"]])[:, 0]
        metric = {"manhattan": "cityblock"}.get(case["method"], case["method"])
        condensed = pdist(numpy.array(matrices[case["x"]]), metric)
        square = squareform(condensed)
        within, sizes = [], []
        for number in numpy.unique(groups):
            own = groups == number
            size = int(own.sum())
            sizes.append(size)
            within.append(square[numpy.ix_(own, own)].sum() / (size * (size - 1)) if size > 1 else NAN)
        sizes, within = numpy.array(sizes), numpy.array(within)
        weights = {1: sizes, 2: sizes - 1, 3: sizes * (sizes - 1) / 2}[weight_type]
        kept = sizes > 1
        delta = numpy.average(within[kept], weights=weights[kept])
        done += 1
        differ += disagreements(case, matrices, [delta, condensed.mean(), *within], "", "scipy")
    print(f"scipy, multiresponse permutation procedures: {done} cases, {differ} differ")
    return differ
