"""Clusters by density at all scales, from their definitions, in exact arithmetic: core distances, the tree of
mutual reachability, the condensed tree, clusters, memberships and outlier scores; cases, and a second source."""

import random
from fractions import Fraction

import mpmath

from reference.cases import disagreements, made_up
from reference.dist import METRIC_NAMES
from reference.numbers import rounded

# --- Definitions --------------------------------------------------------------------------------

# Of each metric: exact numbers that are in the order of its distances, and the distance of such a number.
EXACT = {
    "euclidean": (lambda d: sum(v * v for v in d), lambda key: mpmath.sqrt(ratio(key))),
    "manhattan": (lambda d: sum(map(abs, d)), lambda key: ratio(key)),
    "maximum": (lambda d: max(map(abs, d)), lambda key: ratio(key)),
    "sqeuclidean": (lambda d: sum(v * v for v in d), lambda key: ratio(key)),
}


def ratio(number):
    return mpmath.mpf(number.numerator) / number.denominator


def all_keys(x, method):
    points = [[Fraction(v) for v in row] for row in x]
    return [[EXACT[method][0]([a - b for a, b in zip(p, q)]) for q in points] for p in points]


def core_keys(keys, min_points):
    return [sorted(row)[min_points - 1] for row in keys]  # a point is the first of its own neighbours


def dendrogram(keys, core):
    """The merges of all pairs in the order of mutual reachability, distance, i, j: two clusters, numbered from 0
    with that of row k n + k, and the mutual reachability."""
    n = len(keys)
    pairs = sorted((max(keys[i][j], core[i], core[j]), keys[i][j], i, j) for i in range(n) for j in range(i + 1, n))
    label, merges = list(range(n)), []
    for reach, _, i, j in pairs:
        a, b = sorted((label[i], label[j]))
        if a != b:
            label = [n + len(merges) if c in (a, b) else c for c in label]
            merges.append((a, b, reach))
    return merges


class Node:
    """A node of the condensed tree that begins as a cluster of the dendrogram."""

    def __init__(self, tree, cluster, birth):
        self.leaves, self.children, self.death, self.divided = [], [], None, 0
        self.birth = birth
        parts = [(cluster, birth)]
        while parts:  # from the last merge down
            parts.sort(key=lambda part: part[0])
            part, height = parts.pop()
            if part < tree.n:
                self.leaves.append([part, height])
            else:
                a, b, at = tree.merges[part - tree.n]
                at = max(at, tree.least)
                if min(tree.size(a), tree.size(b)) < tree.min_points:
                    parts += [(a, at), (b, at)]
                else:
                    self.death, self.divided = at, tree.size(a) + tree.size(b)
                    self.children = [(a, at), (b, at)]
        if self.divided:  # the last point leaves where the node divides
            self.leaves = [[point, max(height, self.death)] for point, height in self.leaves]
        else:
            self.death = min(height for _, height in self.leaves)
        self.children = [Node(tree, *child) for child in self.children]
        self.stability = sum((tree.gain(height, birth) for _, height in self.leaves), mpmath.mpf(0))
        if self.divided:
            self.stability += self.divided * tree.gain(self.death, birth)

    def score(self):
        below = self.below()
        return self.stability if not self.children or self.stability > below else below

    def below(self):
        return sum(child.score() for child in self.children)

    def least_death(self):
        return min((child.least_death() for child in self.children), default=self.death)

    def points(self):
        return [point for point, _ in self.leaves] + [p for child in self.children for p in child.points()]

    def nodes(self):
        return [self] + [node for child in self.children for node in child.nodes()]


class Tree:
    def __init__(self, x, method, min_points, epsilon=0):
        keys = all_keys(x, method)
        self.epsilon = epsilon
        self.n, self.min_points, self.value = len(x), min_points, EXACT[method][1]
        self.core = core_keys(keys, min_points)
        self.merges = dendrogram(keys, self.core)
        # Coincident points have the density of the nearest others, not an infinite one.
        self.least = min((reach for _, _, reach in self.merges if reach), default=Fraction(0))
        self.root = Node(self, 2 * self.n - 2, max(self.merges[-1][2], self.least))

    def size(self, cluster):
        if cluster < self.n:
            return 1
        a, b, _ = self.merges[cluster - self.n]
        return self.size(a) + self.size(b)

    def gain(self, height, birth):
        if height == birth:
            return mpmath.mpf(0)
        return 1 / self.value(height) - 1 / self.value(birth)

    def clusters(self):
        """The points of each cluster, from the root down."""
        def below(node, is_root):
            gain = node.below()
            # No rounding changes the choice.
            assert not node.children or is_root or node.stability == gain == 0 or abs(node.stability - gain) > 1e-9 * gain
            joined = node.divided and self.value(node.death) < self.epsilon
            if not is_root and (not node.children or node.stability > gain or joined):
                return [node.points()]
            return [cluster for child in node.children for cluster in below(child, False)]
        return below(self.root, True)

    def rows(self):
        """A row for each point: its cluster, membership, outlier score and core distance; and for each merge but the
        last, of which there is none: the two clusters, numbered from 1, and the height."""
        cluster, member, outlier = [0] * self.n, [mpmath.mpf(0)] * self.n, [mpmath.mpf(0)] * self.n
        for number, points in enumerate(self.clusters(), 1):
            largest = self.value(max(self.core[p] for p in points))
            for p in points:
                cluster[p] = number
                member[p] = (largest - self.value(self.core[p])) / largest if self.core[p] else mpmath.mpf(1)
        for node in self.root.nodes():
            least = node.least_death()
            for point, height in node.leaves:
                if height != least:
                    outlier[point] = 1 - self.value(least) / self.value(height)
        merges = [(a + 1, b + 1, rounded(self.value(reach))) for a, b, reach in self.merges] + [(0, 0, 0)]
        return [[float(cluster[i]), rounded(member[i]), rounded(outlier[i]), rounded(self.value(self.core[i])),
                 *map(float, merges[i])] for i in range(self.n)]


# --- Cases --------------------------------------------------------------------------------------


def blobs(seed, sizes, spreads, columns, noise):
    """Clusters of some sizes, the first of them nested, and points between them; in no order."""
    rng = random.Random(seed)
    points = []
    for number, (size, spread) in enumerate(zip(sizes, spreads)):
        at = [(number * (3 + k) % 5) * 8 + number for k in range(columns)]
        points += [[at[k] + round(rng.gauss(0, spread) * 1024) / 1024 for k in range(columns)] for _ in range(size)]
    points += [[rng.randint(-4096, 40960) / 1024 for _ in range(columns)] for _ in range(noise)]
    rng.shuffle(points)
    return points


def rounded_clouds(seed, size):
    """Two round clouds, rounded so that many points coincide."""
    rng = random.Random(seed)
    return [[at + round(rng.gauss(0, 1)) for at in (0.0, center)] for center in (0, 12) for _ in range(size)]


def inputs():
    return {
        "w_plain": made_up(901, 60, 2, step=2.0**-10, span=40000),
        "w_blobs": blobs(902, (30, 25, 20), (1, 0.5, 0.25), 2, 15),
        "w_nested": blobs(903, (20, 20, 20, 20), (0.25, 2, 0.25, 4), 3, 10),
        "w_line": blobs(904, (25, 25), (0.5, 2), 1, 5),
        "w_tied": made_up(905, 45, 2, step=1, span=3),
        "w_rounded": rounded_clouds(906, 60),
        "w_same": [[1.5, -2.0]] * 9,
        "w_groups": [[float(group), 0.0] for group in (0, 10, 30) for _ in range(6)] + [[5.0, 1.0], [20.0, 2.0]],
        "w_two": [[0.0, 0.0], [3.0, 4.0]],
        "w_blank": [[0.0], [float("nan")], [1.0], [3.0]],
    }


def add_cases(cases):
    cases.inputs |= inputs()

    def add(x, method, min_points, epsilon=0):
        tree = Tree(cases.matrix(x), method, min_points, epsilon)
        options = {"min_points": min_points} | ({"cluster_selection_epsilon": epsilon} if epsilon else {})
        name = f"hdbscan-{x[2:]}-{method}-{min_points}" + (f"-from-{epsilon}" if epsilon else "")
        cases.add(name, "hdbscan", x, "", method, options, expected=(tree.rows(), 7), tolerance=1e-13,
                  absolute=4e-15)

    for min_points in (2, 5, 12, 30):
        for x in ("w_plain", "w_blobs", "w_nested", "w_line"):
            add(x, "euclidean", min_points)
    for method in ("manhattan", "maximum", "sqeuclidean"):
        add("w_blobs", method, 5)
        add("w_nested", method, 12)
    for method in ("manhattan", "maximum"):  # ties that no rounding breaks
        for x in ("w_tied", "w_same", "w_groups"):
            for min_points in (2, 4):
                add(x, method, min_points)
    for min_points in (5, 12):  # coincident points in clusters
        add("w_rounded", "manhattan", min_points)
    for epsilon in (0.5, 2, 4):
        add("w_blobs", "euclidean", 5, epsilon)
        add("w_nested", "euclidean", 5, epsilon)
    add("w_two", "euclidean", 2)

    def fail(name, error, x="w_two", method="euclidean", **options):
        options = {"min_points": 2} | options
        cases.add(f"hdbscan-error-{name}", "hdbscan", x, "", method, options, error=error)

    fail("few", "min_points must be at most the number of points, 2, not 3", min_points=3)
    fail("none", "min_points must be at most the number of points, 0, not 2", "0x2")
    fail("one", "min_points must be a whole number of at least 2, not 1", min_points=1)
    fail("epsilon", "cluster_selection_epsilon must be a number of at least 0, not -1", cluster_selection_epsilon=-1)
    fail("missing", "x must have a distance between any two points, but 3 are missing; the first is between points 1 "
         "and 2", "w_blank")
    fail("method", f'method must be one of {METRIC_NAMES}, not "hyperbolic"', method="hyperbolic")
    fail("threads", "threads must be a whole number between 1 and 1024, not 0", threads=0)


# --- The second source --------------------------------------------------------------------------


def second(matrices, cases):
    """How many heights differ from those of scipy's single linkage of mutual reachability, of which it takes any of
    several trees."""
    import numpy
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import pdist, squareform

    done = differ = 0
    names = {"euclidean": "euclidean", "manhattan": "cityblock", "maximum": "chebyshev", "sqeuclidean": "sqeuclidean"}
    for case in cases.values():
        if case["function"] != "hdbscan" or case["error"]:
            continue
        square = squareform(pdist(numpy.array(matrices[case["x"]]), names[case["method"]]))
        core = numpy.sort(square, axis=1)[:, int(case["options"].split("=")[1].split(";")[0]) - 1]
        reach = numpy.maximum(square, numpy.maximum.outer(core, core))
        numpy.fill_diagonal(reach, 0)
        heights = [*linkage(squareform(reach, checks=False), "single")[:, 2], 0.0]
        got = [value for row, c, h in zip(matrices[case["expected"]], core, heights)
               for value in (*row[:3], float(c), *row[4:6], float(h))]
        done += 1
        differ += disagreements(case, matrices, got, "", "scipy")
    print(f"scipy, clusters by density: {done} cases, {differ} differ")
    return differ
