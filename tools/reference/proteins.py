"""Distances of aligned proteins from their definitions: counts are whole numbers, and distances of maximum likelihood
are zeros of the derivative of the likelihood with 200 bits.

A protein is a row of letters, by their codes in ASCII. The rates and shares of amino acids are the published tables
that src/sequences/aa_model.c has as numbers (PAML's files jones.dat, wag.dat, lg.dat and dayhoff.dat).
"""

import functools
import pathlib
import random
import re
from fractions import Fraction

import mpmath

from reference.numbers import INF, NAN, exact, rounded

AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"
TWO = {"B": "ND", "Z": "QE", "J": "IL"}
COUNTED = ("hamming", "p", "poisson", "kimura")
LIKELIHOOD = ("JTT", "WAG", "LG", "Dayhoff")
MOST = 10  # the largest distance
SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src" / "sequences" / "aa_model.c"


def stands_for(letter):
    letter = letter.upper()
    return TWO.get(letter, letter if letter in AMINO_ACIDS else AMINO_ACIDS)


def counted_sites(sequences, i, j, exclude):
    """The pairs of letters of the sites that count."""
    known = [[c.upper() in AMINO_ACIDS for c in s] for s in sequences]
    sites = range(len(sequences[i]))
    if exclude == "all":
        sites = [k for k in sites if all(row[k] for row in known)]
    elif exclude == "pairwise":
        sites = [k for k in sites if known[i][k] and known[j][k]]
    return [(sequences[i][k], sequences[j][k]) for k in sites]


def by_counts(sites, model):
    differ = sum(not set(stands_for(a)) & set(stands_for(b)) for a, b in sites)
    if model == "hamming":
        return float(differ)
    if not sites:
        return NAN
    p = Fraction(differ, len(sites))
    left = {"p": None, "poisson": 1 - p, "kimura": 1 - p - p * p / 5}[model]
    if left is None:
        return rounded(p)
    return NAN if left < 0 else INF if left == 0 else rounded(-mpmath.log(exact(left))) + 0.0


# --- Maximum likelihood ---------------------------------------------------------------------------


@functools.cache
def published(model):
    """The rates below the diagonal by rows, and the shares, as fractions."""
    text = SOURCE.read_text()
    lists = [re.search(rf"double {model.lower()}_{part}\[\w+\] = {{([^}}]*)}}", text).group(1)
             for part in ("rates", "shares")]
    rates, shares = ([Fraction(v.strip()) for v in numbers.split(",") if v.strip()] for numbers in lists)
    assert len(rates) == 190 and len(shares) == 20
    return rates, [share / sum(shares) for share in shares]


@functools.cache
def spectrum(model):
    """The eigenvalues of the rates, for one substitution a site and unit of time, and by amino acid the root of its
    share times each eigenvector of the symmetrized rates."""
    rates, shares = published(model)
    s = [[Fraction(0)] * 20 for _ in range(20)]
    for i in range(20):
        for j in range(i):
            s[i][j] = s[j][i] = rates[i * (i - 1) // 2 + j]
    total = sum(shares[i] * shares[j] * s[i][j] for i in range(20) for j in range(20))
    roots = [mpmath.sqrt(exact(share)) for share in shares]
    q = mpmath.matrix(20, 20)
    for i in range(20):
        for j in range(20):
            q[i, j] = (-exact(sum(s[i][k] * shares[k] for k in range(20)) / total) if i == j
                       else exact(s[i][j] / total) * roots[i] * roots[j])
    values, vectors = mpmath.eigsy(q)
    return list(values), {c: [roots[i] * vectors[i, k] for k in range(20)] for i, c in enumerate(AMINO_ACIDS)}


@functools.cache
def rates_of(categories, shape):
    """The mean rates of equal shares of a gamma distribution of mean 1 (Yang 1994)."""
    a = mpmath.mpf(shape)

    def below(x, order):
        return mpmath.gammainc(order, 0, x, regularized=True)

    def quantile(p):
        low, high = mpmath.mpf(0), mpmath.mpf(1)
        while below(high, a) < p:
            high *= 2
        for _ in range(220):
            middle = (low + high) / 2
            low, high = (middle, high) if below(middle, a) < p else (low, middle)
        return low

    bounds = [mpmath.mpf(0)] + [quantile(mpmath.mpf(k) / categories) for k in range(1, categories)]
    parts = [below(b, a + 1) for b in bounds] + [mpmath.mpf(1)]
    return [categories * (parts[k + 1] - parts[k]) for k in range(categories)]


def slope_of(sites, values, rates, t):
    """The derivative of the log likelihood at a distance."""
    terms = [[(v * r, mpmath.exp(v * r * t)) for r in rates] for v in values]
    chances = [sum(e for _, e in row) for row in terms]
    slopes = [sum(w * e for w, e in row) for row in terms]
    return sum(count * mpmath.fdot(factors, slopes) / mpmath.fdot(factors, chances) for count, factors in sites)


def log_likelihood(sites, values, rates, t):
    chances = [sum(mpmath.exp(v * r * t) for r in rates) / len(rates) for v in values]
    return sum(count * mpmath.log(mpmath.fdot(factors, chances)) for count, factors in sites)


def most_likely(pairs, model, categories, shape):
    """The distance of maximum likelihood: all zeros of the derivative between 40 distances are tried, and the end."""
    values, factors = spectrum(model)
    rates = rates_of(categories, shape)
    kinds = {}
    for a, b in pairs:
        kind = tuple(sorted((stands_for(a), stands_for(b))))
        if AMINO_ACIDS not in kind:
            kinds[kind] = kinds.get(kind, 0) + 1
    if not pairs:
        return NAN
    if all(set(a) & set(b) for a, b in kinds):
        return 0.0
    sums = {c: [sum(factors[x][k] for x in c) for k in range(20)] for kind in kinds for c in kind}
    sites = [(n, [x * y for x, y in zip(sums[a], sums[b])]) for (a, b), n in kinds.items()]
    slope = functools.partial(slope_of, sites, values, rates)
    grid = [mpmath.mpf(10) ** -9] + [mpmath.mpf(MOST) * k * k / 1600 for k in range(1, 41)]
    signs = [slope(t) > 0 for t in grid]
    found = [mpmath.findroot(slope, (grid[k], grid[k + 1]), solver="anderson", tol=1e-60, maxsteps=200, verify=False)
             for k in range(40) if signs[k] and not signs[k + 1]]
    ends = [mpmath.mpf(MOST)] * signs[-1]
    return rounded(max(found + ends, key=lambda t: log_likelihood(sites, values, rates, t)))


def distances(sequences, model, exclude="none", categories=1, shape=1):
    made = []
    for j in range(len(sequences)):
        for i in range(j + 1, len(sequences)):
            pairs = counted_sites(sequences, i, j, exclude)
            made.append([by_counts(pairs, model) if model in COUNTED else most_likely(pairs, model, categories, shape)])
    return made, 1


# --- Cases ---------------------------------------------------------------------------------------


def made_up_proteins(seed, count, sites):
    """Proteins that differ from a first one at more and more of the sites, and a few other letters."""
    rng = random.Random(seed)
    first = rng.choices(AMINO_ACIDS, k=sites)
    made = []
    for i in range(count):
        s = [rng.choice(AMINO_ACIDS) if rng.random() < 0.7 * i / count else c for c in first]
        made.append("".join(rng.choice("BZJXUO*-?.bzjx") if rng.random() < 0.05 else c for c in s))
    return made


PROTEINS = {
    "aa": made_up_proteins(1101, 5, 90),
    "aa_edges": ["ARNDARND", "arndARND", "A--XBZJ?", "????----", "WWWWWWWW"],
}


def add_cases(cases):
    for name, proteins in PROTEINS.items():
        cases.inputs[name] = [[float(ord(c)) for c in s] for s in proteins]

    def add(x, model, exclude="none", categories=1, shape=1):
        options = {"backend": "cpu"} | ({"exclude": exclude} if exclude != "none" else {})
        options |= {"k": categories, "shape": shape} if categories > 1 else {}
        settings = [exclude] * (exclude != "none") + [f"k{categories}-shape{shape}"] * (categories > 1)
        cases.add("-".join(["dist_aa", x, model, *settings]), "dist_aa", x, "", model, options,
                  expected=distances(PROTEINS[x], model, exclude, categories, shape),
                  tolerance=1e-14 if model in COUNTED else 1e-9, absolute=1e-15)

    for x in PROTEINS:
        for exclude in ("none", "all", "pairwise"):
            for model in (*COUNTED, "JTT"):
                add(x, model, exclude)
        for model in LIKELIHOOD[1:]:
            add(x, model)
            add(x, model, categories=4, shape=0.5)
    for categories, shape in ((2, 1), (4, 2.5), (8, 0.3), (3, 20)):
        add("aa", "JTT", "pairwise", categories, shape)
    none = {"backend": "cpu"}
    cases.add("dist_aa-error-model", "dist_aa", "aa", method="K80", options=none,
              error='model must be one of "hamming", "p", "poisson", "kimura", "JTT", "WAG", "LG", "Dayhoff", '
                    'not "K80"')
    cases.add("dist_aa-error-exclude", "dist_aa", "aa", method="p", options=none | {"exclude": "some"},
              error='exclude must be one of "none", "all", "pairwise", not "some"')
    cases.add("dist_aa-error-k", "dist_aa", "aa", method="LG", options=none | {"k": 0},
              error="k must be a whole number between 1 and 64, not 0")
    cases.add("dist_aa-error-k-p", "dist_aa", "aa", method="p", options=none | {"k": 4},
              error='k must be 1 for model "p", which has one rate, not 4')
    cases.add("dist_aa-error-shape", "dist_aa", "aa", method="LG", options=none | {"k": 4, "shape": 0},
              error="shape must be a number between 0.001 and 1000, not 0")


def second(_matrices, _cases):
    """None: tests/testthat/test-dist-aa.R has distances of package phangorn."""
    return 0
