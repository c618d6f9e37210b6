"""Distances of aligned sequences, from the published formulas: counts are whole numbers, proportions
fractions, and logarithms have 200 bits.

A sequence is a list of codes, a byte a site: its bits are A, G, C, T (0x80 to 0x10), 0x08 if the
base is known, 0x04 for a gap and 0x02 for a missing site. The formulas are those of
  Jukes and Cantor 1969 (JC69), Kimura 1980 (K80), Felsenstein 1981 (F81), Kimura 1981 (K81),
  Felsenstein 1984 (F84), Tamura 1992 (T92), Tamura and Nei 1993 (TN93), Galtier and Gouy 1995
  (GG95), Lockhart et al. 1994 (LOGDET), Barry and Hartigan 1987 (BH87), Lake 1994 (PARALIN);
variances are by the delta method, as in these papers.
"""

import itertools
import random
import subprocess
from fractions import Fraction

import mpmath

from reference.cases import disagreements
from reference.numbers import NAN, exact, rounded

BASES = (0x88, 0x28, 0x48, 0x18)  # A, C, G, T
CODES = BASES + (0xC0, 0xA0, 0x90, 0x60, 0x50, 0x30, 0xE0, 0xB0, 0xD0, 0x70, 0xF0, 0x04, 0x02)
PURINES = (0x88, 0x48)
MODELS = "RAW JC69 K80 F81 K81 F84 T92 TN93 GG95 LOGDET BH87 PARALIN N TS TV INDEL INDELBLOCK SNP".split()
WITH_GAMMA = ("JC69", "K80", "F81", "TN93")
WITH_VARIANCE = ("JC69", "K80", "F81", "K81", "F84", "T92", "TN93", "GG95", "LOGDET", "PARALIN")
NO_MODEL = ("RAW", "N", "TS", "TV", "INDEL", "INDELBLOCK", "SNP")


class Undefined(Exception):
    """A distance that is no number."""


def over(a, b):
    if b == 0:
        raise Undefined
    return a / b


def log(value):
    """The logarithm; -Inf of 0."""
    value = exact(value)
    if value < 0:
        raise Undefined
    return mpmath.log(value) if value > 0 else -mpmath.inf


def power(value, exponent):
    value = exact(value)
    if value < 0:
        raise Undefined
    if value == 0 and exponent < 0:
        return mpmath.inf
    return value ** exact(exponent)


def known(a, b):
    return [(u, v) for u, v in zip(a, b) if u in BASES and v in BASES]


def table(a, b):
    """Counts of pairs of bases, first of a, then of b."""
    sites = known(a, b)
    return [[sites.count((u, v)) for v in BASES] for u in BASES]


def kinds(a, b):
    """The numbers of sites, of transitions between purines and between pyrimidines, and of
    transversions between A and C or G and T, and between A and T or C and G."""
    f = table(a, b)
    symmetric = [[f[i][j] + f[j][i] for j in range(4)] for i in range(4)]
    return (sum(map(sum, f)), symmetric[0][2], symmetric[1][3], symmetric[0][1] + symmetric[2][3],
            symmetric[0][3] + symmetric[1][2])


def shares(a, b):
    sites, purines, pyrimidines, first, second = kinds(a, b)
    return (sites, *(over(Fraction(k), sites) for k in (purines, pyrimidines, first, second)))


def spread(sites, *terms):
    """The variance of a sum of derivatives c of shares p."""
    mean = sum(c * exact(p) for c, p in terms)
    return (sum(c * c * exact(p) for c, p in terms) - mean * mean) / sites


def one_share(sites, p, most, gamma):
    """Distance and variance of JC69 and F81, where `most` is the share between unrelated sequences."""
    left = 1 - over(p, most)
    if gamma:
        return exact(most) * gamma * (power(left, -1 / gamma) - 1), lambda: spread(
            sites, (power(left, -(1 + 1 / gamma)), p))
    return -exact(most) * log(left), lambda: spread(sites, (inverse(left), p))


def inverse(value):
    return mpmath.inf if value == 0 else 1 / exact(value)


def jc69(pair, data, gamma):
    sites, *differences = shares(*pair)
    return one_share(sites, sum(differences), Fraction(3, 4), gamma)


def f81(pair, data, gamma):
    sites, *differences = shares(*pair)
    return one_share(sites, sum(differences), 1 - sum(f * f for f in data.freq), gamma)


def k80(pair, data, gamma):
    sites, ag, ct, v1, v2 = shares(*pair)
    p, q = ag + ct, v1 + v2
    a1, a2 = 1 - 2 * p - q, 1 - 2 * q
    if gamma:
        d = gamma / 2 * (power(a1, -1 / gamma) + power(a2, -1 / gamma) / 2 - mpmath.mpf(3) / 2)
        c1, c2 = power(a1, -(1 + 1 / gamma)), power(a2, -(1 + 1 / gamma))
    else:
        d = -(log(a1) + log(a2) / 2) / 2
        c1, c2 = inverse(a1), inverse(a2)
    return d, lambda: spread(sites, (c1, p), ((c1 + c2) / 2, q))


def k81(pair, data, gamma):
    sites, ag, ct, q, r = shares(*pair)
    p = ag + ct
    a = [1 - 2 * p - 2 * q, 1 - 2 * p - 2 * r, 1 - 2 * q - 2 * r]
    d = -sum(map(log, a)) / 4
    a = [inverse(value) for value in a]
    return d, lambda: spread(sites, ((a[0] + a[1]) / 2, p), ((a[0] + a[2]) / 2, q), ((a[1] + a[2]) / 2, r))


def f84(pair, data, gamma):
    sites, ag, ct, v1, v2 = shares(*pair)
    p, q = ag + ct, v1 + v2
    fa, fc, fg, ft = data.freq
    r, y = fa + fg, fc + ft
    a, b, c = over(fc * ft, y) + over(fa * fg, r), fc * ft + fa * fg, r * y
    w1 = 1 - over(p, 2 * a) - over((a - b) * q, 2 * a * c)
    w2 = 1 - over(q, 2 * c)
    d = -2 * exact(a) * log(w1) + 2 * exact(a - b - c) * log(w2)
    c1 = inverse(w1)
    c2 = exact(over(a - b, c)) * inverse(w1) - exact(over(a - b - c, c)) * inverse(w2)
    return d, lambda: spread(sites, (c1, p), (c2, q))


def t92(pair, data, gamma):
    sites, ag, ct, v1, v2 = shares(*pair)
    p, q = ag + ct, v1 + v2
    gc = data.freq[1] + data.freq[2]
    w = 2 * gc * (1 - gc)
    a1, a2 = 1 - over(p, w) - q, 1 - 2 * q
    d = -exact(w) * log(a1) - exact(1 - w) / 2 * log(a2)
    c1, c2 = inverse(a1), inverse(a2)
    return d, lambda: spread(sites, (c1, p), (exact(w) * (c1 - c2) + c2, q))


def tn93(pair, data, gamma):
    sites, p1, p2, v1, v2 = shares(*pair)
    q = v1 + v2
    fa, fc, fg, ft = data.freq
    r, y = fa + fg, fc + ft
    k1, k2 = over(2 * fa * fg, r), over(2 * ft * fc, y)
    k3 = 2 * (r * y - over(fa * fg * y, r) - over(ft * fc * r, y))
    w = [1 - over(p1, k1) - over(q, 2 * r), 1 - over(p2, k2) - over(q, 2 * y), 1 - over(q, 2 * r * y)]
    k = [exact(v) for v in (k1, k2, k3)]
    if gamma:
        k4 = exact(2 * (fa * fg + ft * fc + r * y))
        d = gamma * (sum(a * power(b, -1 / gamma) for a, b in zip(k, w)) - k4)
        c = [power(b, -(1 + 1 / gamma)) for b in w]
    else:
        d = -sum(a * log(b) for a, b in zip(k, w))
        c = [inverse(b) for b in w]
    both = k[0] * c[0] / exact(2 * r) + k[1] * c[1] / exact(2 * y) + k[2] * c[2] / exact(2 * r * y)
    return d, lambda: spread(sites, (c[0], p1), (c[1], p2), (both, q))


def gc_of(sequence):
    counts = [sequence.count(b) for b in BASES]
    return over(Fraction(counts[1] + counts[2]), sum(counts))


def ratio(pair):
    """Transitions for each transversion, as rates of Kimura 1980; None if that is not finite."""
    try:
        _, ag, ct, v1, v2 = shares(*pair)
        p, q = ag + ct, v1 + v2
        b = -log(1 - 2 * q) / 2
        found = over(-log(1 - 2 * p - q) - b, b)
        return found if mpmath.isfinite(found) else None
    except Undefined:
        return None


def gg95(pair, data, gamma):
    sites, _, _, v1, v2 = shares(*pair)
    q, kappa = v1 + v2, data.kappa()
    a, b = map(gc_of, pair)
    k1 = 1 + kappa * exact(a * (1 - a) + b * (1 - b))
    k2 = kappa * exact((a - b) ** 2) / (kappa + 1)
    left, e = 1 - 2 * q, (kappa + 1) / 4
    d = -k1 / 2 * log(left) + k2 * (1 - power(left, e))
    return d, lambda: spread(sites, ((k1 + 2 * k2 * e * power(left, e)) * inverse(left), q))


def determinant(f):
    return sum((-1) ** sum(p[i] > p[j] for i in range(4) for j in range(i + 1, 4))
               * f[0][p[0]] * f[1][p[1]] * f[2][p[2]] * f[3][p[3]] for p in itertools.permutations(range(4)))


def inverse_of(f):
    """The inverse of a 4 by 4 matrix of fractions, by cofactors."""
    det = determinant(f)
    unit = [[Fraction(i == j) for j in range(4)] for i in range(4)]
    made = [[None] * 4 for _ in range(4)]
    for i in range(4):
        for j in range(4):
            made[j][i] = over(determinant([unit[j] if k == i else f[k] for k in range(4)]), det)
    return made


def joint(pair):
    f = table(*pair)
    sites = sum(map(sum, f))
    return sites, [[over(Fraction(v), sites) for v in row] for row in f]


def logdet(pair, data, gamma):
    sites, f = joint(pair)
    d = -log(determinant(f)) / 4 - mpmath.log(4)

    def variance():
        g = inverse_of(f)
        return exact(sum(g[j][i] ** 2 * f[i][j] for i in range(4) for j in range(4)) - 16) / (16 * sites)
    return d, variance


def paralin(pair, data, gamma):
    sites, f = joint(pair)
    a, b = [sum(row) for row in f], [sum(column) for column in zip(*f)]
    d = -(log(determinant(f)) - sum(map(log, a + b)) / 2) / 4

    def variance():
        g = inverse_of(f)
        return exact(sum(f[i][j] * (g[j][i] - over(Fraction(1), 2 * a[i]) - over(Fraction(1), 2 * b[j])) ** 2
                         for i in range(4) for j in range(4))) / (16 * sites)
    return d, variance


def bh87(pair, data, gamma):
    f = table(*pair)
    steps = [[over(Fraction(v), sum(row)) for v in row] for row in f]
    return -log(determinant(steps)) / 4, None


def raw(pair, data, gamma):
    sites, *differences = shares(*pair)
    return sum(differences), None


def count_n(pair, data, gamma):
    return Fraction(sum(kinds(*pair)[1:])), None


def count_ts(pair, data, gamma):
    return Fraction(sum(kinds(*pair)[1:3])), None


def count_tv(pair, data, gamma):
    return Fraction(sum(kinds(*pair)[3:])), None


def indel(pair, data, gamma):
    return Fraction(sum((u == 4) != (v == 4) for u, v in zip(*pair))), None


def gaps(sequence):
    """The first site and length of each gap."""
    runs = itertools.groupby(enumerate(sequence), lambda site: site[1] == 4)
    sites = [[k for k, _ in run] for gap, run in runs if gap]
    return {(run[0], len(run)) for run in sites}


def indelblock(pair, data, gamma):
    return Fraction(len(gaps(pair[0]) ^ gaps(pair[1]))), None


FORMULAS = dict(RAW=raw, JC69=jc69, K80=k80, F81=f81, K81=k81, F84=f84, T92=t92, TN93=tn93, GG95=gg95, LOGDET=logdet,
                BH87=bh87, PARALIN=paralin, N=count_n, TS=count_ts, TV=count_tv, INDEL=indel,
                INDELBLOCK=indelblock, SNP=count_n)


def shares_of_bases(sequences):
    whole = [code for s in sequences for code in s if code in BASES]
    return [over(Fraction(whole.count(b)), len(whole)) if whole else Fraction(0) for b in BASES]


class Data:
    """What a distance depends on besides its two sequences. freq: "pair" for those of each pair at its sites."""

    def __init__(self, sequences, model, pairwise, freq=None):
        self.of_pair = freq == "pair"
        self.freq = freq or shares_of_bases(sequences)
        self.sequences = sequences
        if not pairwise and model not in ("INDEL", "INDELBLOCK", "SNP"):
            keep = [all(c in BASES for c in column) for column in zip(*sequences)]
            self.sequences = [[c for c, k in zip(s, keep) if k] for s in sequences]

    def kappa(self):
        """The mean ratio of all pairs that have one."""
        found = [r for r in map(ratio, itertools.combinations(self.sequences, 2)) if r is not None]
        return over(sum(found), len(found))


def all_pairs(n, model):
    """All (i, j), i < j, or with BH87 all i and j."""
    return itertools.product(range(n), repeat=2) if model == "BH87" else itertools.combinations(range(n), 2)


def counted(sequences, model, pairwise, all_letters):
    """The number of sites that count for each distance."""
    data = Data(sequences, model, pairwise)
    if all_letters or model in ("INDEL", "INDELBLOCK"):
        return [float(len(sequences[i])) for i, _ in all_pairs(len(sequences), model)]
    return [float(len(known(data.sequences[i], data.sequences[j]))) for i, j in all_pairs(len(sequences), model)]


def distances(sequences, model, pairwise=False, gamma=0, variance=False, freq=None):
    """Of all pairs."""
    data = Data(sequences, model, pairwise, freq)
    result = []
    for i, j in all_pairs(len(sequences), model):
        try:
            pair = data.sequences[i], data.sequences[j]
            if data.of_pair:
                data.freq = shares_of_bases(zip(*known(*pair)))
            value, variances = FORMULAS[model](pair, data, exact(gamma) if gamma else 0)
            if isinstance(value, mpmath.mpf) and mpmath.isnan(value):
                raise Undefined
            value = variances() if variance else value
            result.append(NAN if isinstance(value, mpmath.mpf) and mpmath.isnan(value) else rounded(value) + 0.0)
        except Undefined:
            result.append(NAN)
    return result


# --- Cases ---------------------------------------------------------------------------------------


def aligned(seed, count, sites, change, unknown):
    """Sequences that differ from a first one at more and more of the sites."""
    rng = random.Random(seed)
    first = rng.choices(BASES, (3, 2, 2, 3), k=sites)
    made = []
    for i in range(count):
        s = [rng.choice(BASES) if rng.random() < change * i / count else code for code in first]
        s = [rng.choice(CODES[4:]) if rng.random() < unknown else code for code in s]
        for _ in range(2 if unknown else 0):
            at = rng.randrange(sites)
            s[at:at + 5] = [0x04] * len(s[at:at + 5])
        made.append(s)
    return made


ALIGNMENTS = {
    "dna": aligned(1, 6, 150, 0.4, 0),
    "dna_gaps": aligned(2, 7, 131, 0.5, 0.06),
    "dna_far": aligned(3, 5, 24, 1.0, 0.02),
    "dna_same": [aligned(4, 1, 64, 0, 0)[0]] * 3,
    "dna_none": [*aligned(5, 2, 20, 0.5, 0), [0x04] * 20],
    "dna_ambiguous": [[code] * len(CODES) for code in CODES[:8]] + [list(CODES)],
    "dna_two_bases": [[0x88, 0x48, 0x88, 0x48] * 8, [0x88, 0x48, 0x48, 0x48] * 8],
}
FREQUENCIES = [0.25, 0.125, 0.5, 0.125]


def as_rows(codes):
    return [[float(code) for code in s] for s in codes]


def expected_of(alignment, model, pairwise, gamma, variance, freq, all_letters, sites):
    n = len(alignment)
    if sites:
        found = counted(alignment, model, pairwise, all_letters)
    elif all_letters:
        found = [float(sum(a != b for a, b in zip(*pair))) for pair in itertools.combinations(alignment, 2)]
    else:
        found = distances(alignment, model, pairwise, gamma, variance, freq)
    if model == "BH87":
        return [found[i * n:(i + 1) * n] for i in range(n)], n
    return [[d] for d in found], 1


def add_case(cases, name, model, pairwise=False, gamma=0, variance=False, freq=None, all_letters=False, sites=False):
    options = {"backend": "cpu"}
    if pairwise:
        options["pairwise"] = "true"
    if gamma:
        options["gamma"] = gamma
    if freq and freq != "pair":
        options["base_freq"] = "dna_freq"
    flags = {"pair_freq": freq == "pair", "variance": variance, "all_letters": all_letters, "sites": sites}
    options |= {flag: "true" for flag, wanted in flags.items() if wanted}
    settings = (k + str(v).replace("true", "") for k, v in options.items() if k != "backend")
    case = "-".join(["dist_dna", name, model, *settings])
    shares = freq if freq in (None, "pair") else [Fraction(f) for f in freq]
    expected = expected_of(ALIGNMENTS[name], model, pairwise, gamma, variance, shares, all_letters, sites)
    cases.add(case, "dist_dna", name, method=model, options=options, expected=expected,
              tolerance=1e-13 if variance else 1e-14, absolute=1e-15)


def add_errors(cases):
    none = {"backend": "cpu"}
    for model in ("RAW", "F84", "BH87"):
        cases.add(f"dist_dna-error-gamma-{model}", "dist_dna", "dna", method=model, options=none | {"gamma": 1},
                  error=f'gamma must be false for model "{model}", which has none')
    for model in ("RAW", "BH87", "INDEL", "SNP"):
        cases.add(f"dist_dna-error-variance-{model}", "dist_dna", "dna", method=model,
                  options=none | {"variance": "true"},
                  error=f'variance must be false for model "{model}", which has none')
    cases.add("dist_dna-error-gamma", "dist_dna", "dna", method="K80", options=none | {"gamma": -1},
              error="gamma must be false, true or a positive number, not -1")
    for which in ("few", "negative"):
        cases.add(f"dist_dna-error-freq-{which}", "dist_dna", "dna", method="F81",
                  options=none | {"base_freq": f"dna_freq_{which}"},
                  error="base_freq must be the shares of A, C, G and T, four numbers of at least 0 whose sum is 1, "
                        'or "pair"')
    names = ", ".join(f'"{m}"' for m in MODELS)
    cases.add("dist_dna-error-model", "dist_dna", "dna", method="HKY85", options=none,
              error=f'model must be one of {names}, not "HKY85"')


def add_cases(cases):
    """All models by both rules of deletion, with variances, and with gamma where there is one."""
    for name, alignment in ALIGNMENTS.items():
        cases.inputs[name] = as_rows(alignment)
    cases.inputs["dna_freq"] = [[f] for f in FREQUENCIES]
    cases.inputs["dna_freq_few"] = [[0.5], [0.25], [0.25]]
    cases.inputs["dna_freq_negative"] = [[0.5], [0.75], [0.25], [-0.5]]
    for model in MODELS:
        for name in ALIGNMENTS:
            for pairwise in (False, True):
                add_case(cases, name, model, pairwise)
                if model in WITH_VARIANCE and name in ("dna", "dna_gaps"):
                    add_case(cases, name, model, pairwise, variance=True)
    for model in WITH_GAMMA:
        for gamma in (1, 0.5):
            for variance in (False, True):
                add_case(cases, "dna_gaps", model, True, gamma, variance)
            add_case(cases, "dna_far", model, False, gamma)
    for model in ("F81", "F84", "T92", "TN93"):
        add_case(cases, "dna_gaps", model, True, freq=FREQUENCIES)
        for pairwise in (False, True):
            for variance in (False, True):
                add_case(cases, "dna_gaps", model, pairwise, variance=variance, freq="pair")
        add_case(cases, "dna_none", model, True, freq="pair")
    for model in ("F81", "TN93"):
        add_case(cases, "dna_gaps", model, True, gamma=0.5, freq="pair")
    for name in ("dna_gaps", "dna_ambiguous", "dna_none", "dna_same"):
        for sites in (False, True):
            add_case(cases, name, "SNP", all_letters=True, sites=sites)
        for model in ("K80", "SNP", "INDEL"):
            for pairwise in (False, True):
                add_case(cases, name, model, pairwise, sites=True)
    add_errors(cases)


# --- A second source -----------------------------------------------------------------------------

APE = """
suppressMessages(library(ape))
for (line in readLines(file("stdin"))) {
  f <- strsplit(line, " ")[[1]]
  x <- matrix(as.raw(as.numeric(f[-(1:5)])), nrow = as.numeric(f[5]), byrow = TRUE)
  class(x) <- "DNAbin"
  gamma <- as.numeric(f[4])
  d <- dist.dna(x, f[2], gamma = if (gamma) gamma else FALSE, pairwise.deletion = f[3] == "true")
  if (f[2] == "BH87") d <- t(d)
  cat(f[1], sprintf("%.17g", d), "\\n")
}
"""


def is_apes(row):
    """True for what package ape computes by the same definition: not variances, some of which have
    other formulas there, nor with given frequencies; BH87 and PARALIN count bases there that the
    other sequence lacks; a gamma distribution is there defined also for saturated distances, and K81
    where two logarithms are of negative numbers."""
    options = row["options"]
    return (row["function"] == "dist_dna" and not row["error"] and row["method"] not in ("SNP", "BH87")
            and not any(word in options for word in ("variance", "freq", "all_letters", "sites"))
            and not (row["method"] == "PARALIN" and "pairwise" in options and row["x"] != "dna")
            and not ("gamma" in options and row["x"] == "dna_far")
            and not (row["method"] == "K81" and row["x"] == "dna_ambiguous"))


def second(matrices, rows):
    """Compares with R package ape, if it is installed; the number of differences."""
    chosen = [row for row in rows.values() if is_apes(row)]
    lines = []
    for row in chosen:
        options = dict(o.split("=") for o in row["options"].split(";"))
        x = matrices[row["x"]]
        lines.append(" ".join([row["case"], row["method"], options.get("pairwise", "false"), options.get("gamma", "0"),
                               str(len(x)), *(str(int(c)) for s in x for c in s)]))
    try:
        run = subprocess.run(["Rscript", "-e", APE], input="\n".join(lines), capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        print("skipped: R package ape is not installed")
        return 0
    found = {fields[0]: [NAN if f in ("NA", "NaN") else float(f) for f in fields[1:]]
             for fields in map(str.split, run.stdout.splitlines())}
    return sum(disagreements(row, matrices, found[row["case"]], "", "ape") for row in chosen)
