"""Silhouettes: sums of distances that were rounded once, in exact arithmetic; cases, and a second source."""

from fractions import Fraction

from reference.cases import disagreements, made_up
from reference.dist import options_for, pair_metric
from reference.numbers import NAN

# --- Definitions --------------------------------------------------------------------------------


def silhouettes(distances, clusters):
    """A row a point: its neighbour, 0 for none, and its width."""
    members = {c: [i for i, own in enumerate(clusters) if own == c] for c in sorted(set(clusters))}
    rows = []
    for i, own in enumerate(clusters):
        means = {c: sum(distances[i][j] for j in points if j != i) / (len(points) - (c == own))
                 for c, points in members.items() if points != [i]}
        others = {c: mean for c, mean in means.items() if c != own}
        if not others:
            rows.append([0.0, NAN])
            continue
        neighbour = min(others, key=lambda c: (others[c], c))
        a, b = means.get(own), others[neighbour]
        rows.append([float(neighbour), 0.0 if a is None or a == b else float((b - a) / max(a, b))])
        nearly = [c for c, mean in others.items() if mean != b and mean < b * (1 + Fraction(1, 10**11))]
        assert not nearly, "neighbours that rounding may change"
    return rows


# --- Cases --------------------------------------------------------------------------------------


def inputs():
    rng = made_up(911, 60, 1, step=1, span=4, least=0)
    return {
        "s_plain": made_up(901, 60, 3, step=2.0**-10, span=40000, least=1),
        "s_tied": made_up(902, 40, 2, step=1, span=3),
        "s_same": [[1.5, -2.0]] * 6,
        "s_blank": [[0.0], [NAN], [1.0], [3.0]],
        "s_huge": [[0.0], [2.0**1022], [-(2.0**1022)], [2.0**1020], [2.0**1021], [3.0]],
        "s_five": [[v[0] + 1] for v in rng],
        "s_gaps": [[2 * v[0] + 3] for v in rng],  # numbers that are left out
        "s_forty": [[1.0 + i * i % 7] for i in range(40)],
        "s_alone": [[1.0], [1.0], [1.0], [1.0], [2.0], [3.0]],
        "s_halves": [[1.0], [1.0], [2.0], [2.0]],
        "s_six": [[1.0 + i % 2] for i in range(6)],
        "s_zero": [[float(i)] for i in range(60)],
    }


def add_cases(cases):
    cases.inputs |= inputs()

    def add(name, x, method, clusters, storage="double"):
        options = options_for(method, len(cases.inputs[x][0]))
        metric = pair_metric(method, cases.matrix(x), {k: cases.inputs.get(v, v) if isinstance(v, str) else v
                                                       for k, v in options.items()})
        points = cases.inputs[x]
        distances = [[Fraction(metric(p, q)) for q in points] for p in points]
        numbers = [int(row[0]) for row in cases.inputs[clusters]]
        expected = silhouettes(distances, numbers), 2
        cases.add(f"silhouette-{name}", "silhouette", x, "", method, options | {"clusters": clusters}, storage,
                  expected, 1e-12, 1e-13)

    for method in ("euclidean", "sqeuclidean", "manhattan", "maximum", "canberra", "minkowski", "cosine", "pearson"):
        add(f"plain-{method}", "s_plain", method, "s_five")
    add("gaps", "s_plain", "euclidean", "s_gaps")
    add("tied", "s_tied", "manhattan", "s_forty")
    add("tied-integer", "s_tied", "manhattan", "s_forty", "integer")
    add("same", "s_same", "euclidean", "s_six")
    add("alone", "s_same", "euclidean", "s_alone")
    add("huge", "s_huge", "manhattan", "s_six")
    add("huge-alone", "s_huge", "manhattan", "s_alone")

    def fail(name, error, x, clusters, method="euclidean", **options):
        cases.add(f"silhouette-error-{name}", "silhouette", x, "", method, options | {"clusters": clusters},
                  error=error)

    fail("missing", "x must have finite distances only, but 3 of them are not; the first is missing, between "
         "points 1 and 2", "s_blank", "s_halves")
    fail("length", "clusters must have a number for each of the 60 points, not 6 numbers", "s_plain", "s_six")
    fail("p", "p must be a positive number, not 0", "s_plain", "s_five", "minkowski", p=0)
    fail("threads", "threads must be a whole number between 1 and 1024, not 0", "s_plain", "s_five", threads=0)


# --- The second source --------------------------------------------------------------------------


def second(matrices, cases):
    """How many widths scikit-learn contradicts, where it is installed."""
    try:
        from sklearn.metrics import silhouette_samples
    except ImportError:
        print("silhouettes: scikit-learn is not installed")
        return 0
    names = {"euclidean": "euclidean", "sqeuclidean": "sqeuclidean", "manhattan": "manhattan"}
    done = differ = 0
    for case in cases.values():
        if case["function"] != "silhouette" or case["error"] or case["method"] not in names:
            continue
        if case["x"] not in ("s_plain", "s_tied"):
            continue
        clusters = [int(row[0]) for row in matrices[case["options"].split("clusters=")[1]]]
        widths = silhouette_samples(matrices[case["x"]], clusters, metric=names[case["method"]])
        expected = matrices[case["expected"]]
        got = [v for row, width in zip(expected, widths) for v in (row[0], float(width))]
        done += 1
        differ += disagreements(case, matrices, got, case["note"], "scikit-learn")
    print(f"scikit-learn, silhouettes: {done} cases, {differ} differ")
    return differ
