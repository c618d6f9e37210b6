# Counts of 6 samples of 7 species, and the indices of ?gpu_vegdist written out for two rows.
counts <- rbind(
  a = c(3, 0, 1, 2, 0, 1, 0), b = c(0, 5, 1, 0, 2, 0, 0), c = c(1, 1, 0, 2, 0, 0, 2),
  d = c(1, 2, 1, 1, 0, 0, 0), e = c(1, 0, 0, 0, 0, 0, 4), f = c(2, 2, 7, 0, 1, 1, 3)
)
colnames(counts) <- LETTERS[1:7]
richness <- function(a, b) c(sum(a > 0), sum(b > 0), sum(a > 0 & b > 0))
either <- function(a, b) a != 0 | b != 0
simpson <- function(a, b, less) {
  lambda <- function(a) sum(a * (a - less)) / (sum(a) * (sum(a) - less))
  max(0, 1 - 2 * sum(a * b) / ((lambda(a) + lambda(b)) * sum(a) * sum(b)))
}
chao_share <- function(a, b) {
  shared <- a > 0 & b > 0
  f <- c(sum(shared & b == 1), max(1, sum(shared & b == 2)))
  seen <- sum(a[shared]) / sum(a)
  min(1, seen + (sum(b) - 1) / sum(b) * f[1] / (2 * f[2]) * sum(a[shared & b == 1]) / sum(a))
}
written <- list(
  manhattan = function(a, b) sum(abs(a - b)),
  euclidean = function(a, b) sqrt(sum((a - b)^2)),
  canberra = function(a, b) mean((abs(a - b) / (a + b))[either(a, b)]),
  clark = function(a, b) sqrt(mean((((a - b) / (a + b))^2)[either(a, b)])),
  bray = function(a, b) sum(abs(a - b)) / sum(a + b),
  kulczynski = function(a, b) 1 - sum(pmin(a, b)) * (1 / sum(a) + 1 / sum(b)) / 2,
  jaccard = function(a, b) 1 - sum(pmin(a, b)) / sum(pmax(a, b)),
  altGower = function(a, b) mean(abs(a - b)[either(a, b)]),
  morisita = function(a, b) simpson(a, b, 1),
  horn = function(a, b) simpson(a, b, 0),
  mountford = function(a, b) {
    s <- richness(a, b)
    if (s[3] == 0) return(log(2))
    if (s[3] %in% s[1:2]) return(0)
    part <- function(n, x) exp(-n * x)
    excess <- function(x) {
      part(s[2] - s[3], x) + part(s[1] - s[3], x) - part(s[1] + s[2] - s[3], x) - 1
    }
    log(2) - stats::uniroot(excess, c(1e-6, log(2)), tol = 1e-15)$root
  },
  raup = function(a, b) {
    s <- richness(a, b)
    stats::phyper(s[3] - 1, s[1], length(a) - s[1], s[2], lower.tail = FALSE)
  },
  binomial = function(a, b) {
    part <- function(x, n) ifelse(x > 0, x * log(x / n), 0)
    n <- a + b
    sum(((part(a, n) + part(b, n) - n * log(1 / 2)) / n)[n > 0])
  },
  chao = function(a, b) {
    if (!any(a > 0 & b > 0)) return(1)
    u <- chao_share(a, b)
    v <- chao_share(b, a)
    1 - u * v / (u + v - u * v)
  },
  cao = function(a, b) {
    used <- either(a, b)
    a <- pmax(a[used], 0.1)
    b <- pmax(b[used], 0.1)
    mean(log((a + b) / 2) - (a * log(b) + b * log(a)) / (a + b))
  },
  chord = function(a, b) sqrt(sum((a / sqrt(sum(a^2)) - b / sqrt(sum(b^2)))^2)),
  hellinger = function(a, b) sqrt(sum((sqrt(a / sum(a)) - sqrt(b / sum(b)))^2))
)
others <- list(
  "squared-chord" = function(a, b) sum((sqrt(a) - sqrt(b))^2),
  "wave-hedges" = function(a, b) sum((abs(a - b) / pmax(a, b))[either(a, b)]),
  lorentzian = function(a, b) sum(log(1 + abs(a - b))),
  soergel = function(a, b) sum(abs(a - b)) / sum(pmax(a, b)),
  ruzicka = function(a, b) 1 - sum(pmin(a, b)) / sum(pmax(a, b)),
  motyka = function(a, b) sum(pmax(a, b)) / sum(a + b),
  sorensen = function(a, b) 1 - 2 * richness(a, b)[3] / sum(richness(a, b)[1:2]),
  ochiai = function(a, b) 1 - richness(a, b)[3] / sqrt(prod(richness(a, b)[1:2])),
  simpson = function(a, b) 1 - richness(a, b)[3] / min(richness(a, b)[1:2]),
  topsoe = function(a, b) {
    part <- function(x) ifelse(x > 0, x * log(2 * x / (a + b)), 0)
    sum(part(a) + part(b))
  },
  jsd = function(a, b) others$topsoe(a, b) / 2,
  js = function(a, b) sqrt(others$topsoe(a, b) / 2),
  jeffreys = function(a, b) sum(((a - b) * log(a / b))[either(a, b)]),
  bhattacharyya = function(a, b) -log(sum(sqrt(a * b)))
)
by_definition <- function(x, distance) {
  apply(utils::combn(nrow(x), 2L), 2L, function(k) {
    there <- !is.na(x[k[1L], ]) & !is.na(x[k[2L], ])
    distance(x[k[1L], there], x[k[2L], there])
  })
}
gaps <- replace(counts, c(3, 17, 30), NA)

test_that("the indices follow their formulas, also in sparse matrices and without missing values", {
  on_each_backend(function() {
    for (method in names(written)) {
      expected <- by_definition(counts, written[[method]])
      expect_equal(c(gpu_vegdist(counts, method)), expected, tolerance = 1e-12)
      expect_equal(c(gpu_vegdist(as.data.frame(counts), method)), expected, tolerance = 1e-12)
      if (!method %in% c("chord", "hellinger")) {
        expect_equal(
          c(gpu_vegdist(gaps, method, na.rm = TRUE)), by_definition(gaps, written[[method]]),
          tolerance = 1e-12
        )
      }
      expect_equal(
        c(suppressWarnings(gpu_vegdist(counts, method, binary = TRUE))),
        suppressWarnings(by_definition((counts > 0) + 0, written[[method]])),
        tolerance = 1e-12
      )
    }
    ranges <- apply(counts, 2L, function(x) diff(range(x)))
    expect_equal(
      c(gpu_vegdist(counts, "gower")),
      by_definition(counts, function(a, b) mean(abs(a - b) / ranges)),
      tolerance = 1e-14
    )
    global <- rbind(counts, 9)
    expect_equal(
      c(gpu_vegdist(counts, "gower", range.global = global)),
      by_definition(counts, function(a, b) mean(abs(a - b) / (9 - apply(counts, 2L, min)))),
      tolerance = 1e-14
    )
    for (method in names(others)) {
      expect_equal(
        c(gpu_dist(counts, method)), by_definition(counts, others[[method]]),
        tolerance = 1e-13
      )
      expect_equal(
        c(gpu_dist(gaps, method)), by_definition(gaps, others[[method]]),
        tolerance = 1e-13
      )
    }
  })
  skip_if_not_installed("Matrix")
  sparse <- methods::as(Matrix::Matrix(counts, sparse = TRUE), "CsparseMatrix")
  for (method in names(written)) {
    expect_equal(
      c(gpu_vegdist(sparse, method)), c(gpu_vegdist(counts, method)),
      tolerance = 1e-14
    )
  }
  for (method in c("clark", "chao", "raup", "mountford", "cao", "binomial", "jsd")) {
    expect_identical(c(gpu_dist(sparse, method)), c(gpu_dist(counts, method)))
  }
})

test_that("other indices are Euclidean distances of standardized counts", {
  euclidean <- function(x) c(stats::dist(x))
  totals <- counts / rowSums(counts)
  expect_equal(
    c(gpu_vegdist(counts, "chisq")),
    euclidean(sqrt(sum(counts)) * t(t(totals) / sqrt(colSums(counts))))
  )
  logs <- log(counts + 1)
  expect_equal(c(gpu_vegdist(counts, "aitch", pseudocount = 1)), euclidean(logs - rowMeans(logs)))
  logs <- ifelse(counts > 0, log(counts), NA)
  logs <- logs - rowMeans(logs, na.rm = TRUE)
  expect_equal(c(gpu_vegdist(counts, "robust")), euclidean(replace(logs, is.na(logs), 0)))
  x <- matrix(cos((1:60)^2), 12)
  theirs <- apply(x, 1L, function(row) sqrt(stats::mahalanobis(x, row, stats::cov(x))))
  expect_equal(c(gpu_vegdist(x, "mahalanobis")), theirs[lower.tri(theirs)])
  expect_equal(unique(round(gpu_vegdist(t(x), "mahalanobis"), 8)), round(sqrt(8), 8)) # singular
})

test_that("vegan has the same values, attributes and missing distances", {
  skip_if_not_installed("vegan")
  odd <- rbind(counts, empty = 0, g = c(2, 0, 0, 0, 0, 0, 1))
  run <- function(code) suppressWarnings(code)
  # From 2.7 on, vegan replaces the zeros of rclr by estimates.
  imputes <- utils::packageVersion("vegan") >= "2.7"
  for (method in setdiff(names(vegan_metrics), if (imputes) "robust.aitchison")) {
    for (x in list(counts, odd, unname(odd) + 0.25 * (odd > 3))) {
      for (binary in c(FALSE, TRUE)) {
        theirs <- run(vegan::vegdist(x, method, binary, pseudocount = 1))
        ours <- run(gpu_vegdist(x, method, binary, pseudocount = 1))
        expect_equal(c(ours), c(theirs), tolerance = 1e-8)
        expect_identical(
          attributes(ours)[setdiff(names(attributes(ours)), "call")],
          attributes(theirs)[setdiff(names(attributes(theirs)), "call")]
        )
      }
    }
  }
})

test_that("attributes are those of a dist, with the largest index", {
  d <- gpu_vegdist(counts, "mount", binary = TRUE, diag = TRUE, upper = TRUE)
  expect_identical(
    attributes(d)[-7L],
    list(
      maxdist = log(2), Size = 6L, Labels = letters[1:6], Diag = TRUE, Upper = TRUE,
      method = "binary mountford", class = "dist"
    )
  )
  expect_identical(attr(gpu_vegdist(counts, "cao"), "maxdist"), NA)
  expect_identical(as.character(attr(d, "call")[[1L]]), "gpu_vegdist")
})

test_that("values without a meaning are warned of", {
  empty <- rbind(counts, 0)
  expect_warning(gpu_vegdist(empty), "row 7 of the points has no value other than 0; \"bray\" may")
  expect_silent(gpu_vegdist(empty, "gower"))
  expect_warning(
    expect_warning(gpu_vegdist(empty, "chord"), "no value other than 0"),
    "some distances are missing"
  )
  expect_warning(gpu_vegdist(counts - 0.5 * (counts > 6), "chao"), "values that are not whole")
  expect_warning(gpu_vegdist(-counts, "clark"), "points have negative values, for which \"clark\"")
  expect_silent(gpu_vegdist(-counts, "canberra"))
  expect_error(gpu_vegdist(gaps), "x must have no missing values, but row", class = "gpugeo_error")
  expect_error(gpu_vegdist(counts, "c"), 'not "c", which begins "canberra"', class = "gpugeo_error")
  expect_error(gpu_vegdist(counts, "soergel"), 'not "soergel"', class = "gpugeo_error")
  expect_error(gpu_vegdist(counts, 3), "method must be one of", class = "gpugeo_error")
  expect_error(gpu_vegdist("a"), "x must be a numeric matrix, not", class = "gpugeo_error")
  expect_error(gpu_vegdist(counts, "aitchison"), "x must be above 0 for", class = "gpugeo_error")
})

test_that("neighbours, trees and files take the measures", {
  for (method in c("chao", "raup", "jsd")) {
    d <- as.matrix(gpu_dist(counts, method))
    diag(d) <- Inf
    nearest <- gpu_knn(counts, 1, method = method)$index[, 1L]
    expect_identical(unname(nearest), unname(apply(d, 1L, which.min)))
    file <- tempfile(fileext = ".h5")
    expect_identical(c(as.dist(gpu_dist(counts, method, file = file))), c(gpu_dist(counts, method)))
    unlink(file)
    expect_identical(
      gpu_hclust(counts, "average", metric = method)$height,
      gpu_hclust(gpu_dist(counts, method), "average")$height
    )
  }
})
