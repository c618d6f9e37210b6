proteins <- c(
  a = "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVVHSLAKWKR",
  b = "MKTAYVAKQRQLSFVKTHFSRQLEDRLGMIEVQAPILSRIGDGTQDNLSGCEKAVQVHVKQLPDAQFEVVHSLAKWKR",
  c = "MRSAFIGKQKNISYLKSHYARQ-EEKFGLVDVBAPLLTRVADXTZENLSGSERSVRVKIKAIPNASYDVIHTLSRWKK",
  d = "WNPGLCDKHYETRAWVGMSFQKIHEPTCWLNDRYMAGQVSFIKHEPTCWLNDRYMAGQVSFIKHEPTCWLNDRYMAGQ"
)

# Differences of phangorn::dist.hamming() 2.11.1, and sites.
differ <- list(
  none = c(9, 34, 75, 42, 76, 71), all = c(9, 33, 71, 41, 72, 70),
  pairwise = c(9, 33, 75, 41, 76, 70)
)
sites <- list(
  none = rep(78, 6), all = rep(74, 6), pairwise = c(78, 74, 78, 74, 78, 74)
)

test_that("counts and shares are those of phangorn", {
  for (exclude in names(differ)) {
    d <- differ[[exclude]]
    p <- d / sites[[exclude]]
    computed <- function(model) as.vector(gpu_dist_aa(proteins, model, exclude))
    expect_identical(computed("hamming"), d)
    expect_identical(computed("p"), p)
    expect_equal(computed("poisson"), -log(1 - p), tolerance = 1e-14)
    # The logarithms of negative numbers are NaN.
    expect_equal(
      computed("kimura"), suppressWarnings(log(1 / (1 - p - p^2 / 5))), tolerance = 1e-13
    )
  }
})

test_that("distances of maximum likelihood are those of independent computations", {
  # By matrix exponentials in Python from PAML's files.
  wanted <- list(
    JTT = c(0.122791315, 0.530012167, 10, 0.702788396, 10, 9.736263982),
    WAG = c(0.116312650, 0.504365023, 10, 0.663499592, 10, 8.349986066),
    LG = c(0.118659801, 0.522159602, 7.910511540, 0.682669947, 8.695021877, 7.156849331),
    Dayhoff = c(0.122210412, 0.525501931, 10, 0.698401240, 10, 10)
  )
  # phangorn::dist.ml() 2.11.1, which stops within 1e-3, with exclude = "all".
  stored <- list(
    JTT = c(0.1288014159, 0.5201631599, 10, 0.6947658995, 10, 10),
    WAG = c(0.1226553969, 0.4975287243, 10, 0.6602152045, 10, 9.3580745927),
    LG = c(0.1249672432, 0.5144500297, 9.1407145336, 0.6787915170, 10, 7.6646640832),
    Dayhoff = c(0.1285871780, 0.5176188242, 10, 0.6939862394, 10, 10)
  )
  for (model in names(wanted)) {
    d <- gpu_dist_aa(proteins, tolower(model))
    expect_equal(as.vector(d), wanted[[model]], tolerance = 1e-6)
    expect_identical(attr(d, "method"), model)
    expect_identical(as.vector(gpu_dist_aa(proteins, model, threads = 1)), as.vector(d))
    expect_equal(
      as.vector(gpu_dist_aa(proteins, model, "all")), stored[[model]], tolerance = 1e-3
    )
  }
})

test_that("rates may have a gamma distribution, as in phangorn", {
  # phangorn::dist.ml() 2.11.1 with exclude = "all", which stops within 1e-3.
  stored <- list(
    JTT = c(0.1422797411, 0.6051202712, 0.8653525565),
    WAG = c(0.1316993237, 0.5671433634, 0.8029978142),
    LG = c(0.1336361676, 0.5839655069, 0.8128287858),
    Dayhoff = c(0.1428730696, 0.6173618827, 0.8868918168)
  )
  for (model in names(stored)) {
    d <- gpu_dist_aa(proteins[1:3], model, "all", k = 4, shape = 0.5)
    expect_equal(as.vector(d), stored[[model]], tolerance = 2e-3)
    one <- gpu_dist_aa(proteins[1:3], model, "all", shape = 7)
    expect_identical(as.vector(one), as.vector(gpu_dist_aa(proteins[1:3], model, "all")))
  }
})

own_shares <- (1:20) / 210
own_rates <- (0:189 * 37) %% 101 + 1

test_that("own shares and rates give the distances of phangorn", {
  # phangorn::dist.ml(x, model, "all", bf, Q) 2.11.1, which stops within 1e-2.
  both <- c(0.1312987809, 0.6750969121, 0.9136307720)
  check <- function(wanted, ...) {
    d <- gpu_dist_aa(proteins[1:3], exclude = "all", ...)
    expect_equal(as.vector(d), wanted, tolerance = 5e-3)
    d
  }
  check(c(0.1226166366, 0.4978640902, 0.6638808884), "JTT", bf = own_shares)
  check(c(0.1315114522, 0.5402306619, 0.7129615975), "LG", bf = own_shares)
  check(c(0.1355072269, 0.7010277785, 0.9562291077), "JTT", Q = own_rates)
  check(c(0.1353932210, 0.7010253715, 0.9554521091), "LG", Q = own_rates)
  d <- check(both, "JTT", bf = own_shares, Q = own_rates)
  expect_identical(as.vector(check(both, "LG", bf = own_shares, Q = own_rates)), as.vector(d))
  # The scale of rates has no effect, nor have names.
  named <- check(both, bf = stats::setNames(own_shares, letters[1:20]), Q = 16L * own_rates)
  expect_equal(as.vector(named), as.vector(d), tolerance = 1e-9)
})

# The distance of maximum likelihood of two texts of known amino acids, by matrix exponentials.
define_distance <- function(x, y, shares, rates) {
  amino_acids <- strsplit("ARNDCQEGHILKMFPSTWYV", "")[[1]]
  m <- matrix(0, 20, 20)
  m[lower.tri(m)] <- rates
  m <- (m + t(m)) * rep(shares, each = 20)
  diag(m) <- -rowSums(m)
  m <- m / -sum(shares * diag(m))
  counts <- table(factor(x, amino_acids), factor(y, amino_acids))
  log_likelihood <- function(t) {
    p <- term <- diag(20)
    for (k in 1:14) {
      term <- term %*% (m * t / 2^10) / k
      p <- p + term
    }
    for (k in 1:10) p <- p %*% p
    sum(counts * log(shares * p))
  }
  stats::optimize(log_likelihood, c(1e-4, 4), maximum = TRUE, tol = 1e-9)$maximum
}

test_that("own shares and rates give the maximum of the likelihood of their definition", {
  letters <- do.call(rbind, strsplit(proteins[1:3], ""))
  letters <- letters[, !apply(letters, 2, function(site) any(site %in% c("-", "B", "X", "Z")))]
  wanted <- c(
    define_distance(letters[1, ], letters[2, ], own_shares, own_rates),
    define_distance(letters[1, ], letters[3, ], own_shares, own_rates),
    define_distance(letters[2, ], letters[3, ], own_shares, own_rates)
  )
  d <- gpu_dist_aa(letters, bf = own_shares, Q = own_rates)
  expect_equal(as.vector(d), wanted, tolerance = 1e-6)
  # Equal shares and rates have a formula.
  d <- gpu_dist_aa(letters, bf = rep(0.05, 20), Q = rep(3, 190))
  p <- gpu_dist_aa(letters, "p")
  expect_equal(as.vector(d), as.vector(-19 / 20 * log(1 - 20 / 19 * p)), tolerance = 1e-9)
})

test_that("classes of sequences are the same, and results have labels", {
  d <- gpu_dist_aa(proteins)
  expect_s3_class(d, "dist")
  expect_identical(attr(d, "Size"), 4L)
  expect_identical(attr(d, "Labels"), letters[1:4])
  expect_identical(attr(d, "call"), quote(gpu_dist_aa(x = proteins)))
  expect_identical(gpu_info()$last$`function`, "gpu_dist_aa")
  split <- strsplit(proteins, "")
  same <- function(x) expect_identical(gpu_dist_aa(x)[1:6], d[1:6])
  same(tolower(proteins))
  same(split)
  same(do.call(rbind, split))
  # Class AAbin of package ape has the bytes of letters.
  raws <- lapply(proteins, charToRaw)
  same(structure(raws, class = "AAbin"))
  same(structure(do.call(rbind, raws), class = "AAbin"))
  expect_length(gpu_dist_aa(structure(raws[[1]], class = "AAbin")), 0)
  expect_length(gpu_dist_aa(character()), 0)
  expect_identical(as.vector(gpu_dist_aa(c("A", "W", "A", "-"))), c(10, 0, 0, 10, 0, 0))
  expect_identical(as.vector(gpu_dist_aa(c("A-", "-A"), exclude = "pairwise")), NaN)
})

test_that("objects of phangorn and Biostrings are taken", {
  # These packages are not loaded, because their methods would stay for other tests.
  assign("as.character.test_proteins", function(x, ...) attr(x, "text"), envir = globalenv())
  on.exit(rm("as.character.test_proteins", envir = globalenv()))
  object <- function(text, ..., type = NULL) {
    structure(list(), text = text, class = c("test_proteins", ...), type = type)
  }
  d <- c(gpu_dist_aa(proteins))
  rows <- do.call(rbind, strsplit(proteins, ""))
  expect_identical(c(gpu_dist_aa(object(rows, "phyDat", type = "AA"))), d)
  expect_identical(c(gpu_dist_aa(object(proteins, "AAStringSet", "XStringSet"))), d)
  expect_identical(attr(gpu_dist_aa(object(rows, "phyDat", type = "AA")), "Labels"), letters[1:4])
  for (x in list(object(rows, "phyDat", type = "DNA"), object("A", "DNAStringSet", "XStringSet"))) {
    expect_error(gpu_dist_aa(x), "x must be proteins", class = "gpugeo_error")
  }
})

test_that("what are no proteins is refused", {
  refused <- function(message, ...) {
    expect_error(gpu_dist_aa(...), message, fixed = TRUE, class = "gpugeo_error")
  }
  refused("x must be proteins: of class AAbin, ", 1)
  refused("x must be proteins: of class AAbin, ", c("A", NA))
  refused("x must be proteins", structure(list(codes = raw()), class = "gpu_sequences"))
  refused("x must have one letter in each element, as it is a matrix", matrix(c("A", "AR"), 2))
  refused("but sequence 2 has 3 sites and sequence 1 has 2", c("AR", "ARN"))
  refused("x must be one of ARNDCQEGHILKMFPSTWYVBZJXUO*-?., but letter 2 of sequence 2 is \"1\"",
    c("AR", "A1"))
  refused("model must be one of \"hamming\", \"p\"", "A", "K80")
  refused("exclude must be one of \"none\", \"all\", \"pairwise\", not \"some\"", "A", "p", "some")
  refused("k must be a whole number between 1 and 64, not 65", "A", k = 65)
  refused("k must be a whole number between 1 and 64, not 1.5", "A", k = 1.5)
  refused("k must be 1 for model \"p\", which has one rate, not 4", "A", "p", k = 4)
  refused("shape must be a number between 0.001 and 1000, not -1", "A", shape = -1)
  refused("shape must be a number between 0.001 and 1000, not \"a\"", "A", shape = "a")
  refused("bf must be left out for model \"p\", which has no rates", "A", "p", bf = own_shares)
  refused("Q must be left out for model \"kimura\"", "A", "kimura", Q = own_rates)
  for (bf in list(own_shares[-1], 2 * own_shares, c(0, own_shares[-1]), rep(NA_real_, 20))) {
    refused("bf must be the shares of the amino acids ARNDCQEGHILKMFPSTWYV, 20", "A", bf = bf)
  }
  for (rates in list(own_rates[-1], -own_rates, 0 * own_rates, c(own_rates[-1], Inf))) {
    refused("Q must be the lower triangle of a matrix of rates, 190 finite numbers", "A", Q = rates)
  }
  refused("bf must be", "A", bf = "JTT")
  refused("Q must be", "A", Q = "JTT")
  refused("colour", "A", colour = 1)
  expect_error(gpu_dist_aa("A", backend = "cuda"), "backend must be", class = "gpugeo_error")
})
