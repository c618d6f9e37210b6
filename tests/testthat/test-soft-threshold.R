set.seed(43)
genes <- matrix(rnorm(20 * 150), 20) + outer(rnorm(20), rnorm(150))
flawed <- replace(replace(genes, 61:80, 1), c(3, 44, 105), NA)
powers <- c(1, 2, 3, 6, 12, 30, 0.5, 2.5)

# Connectivities by their definition.
connectivities <- function(x, type, powers, cor_of) {
  r <- suppressWarnings(cor_of(x))
  s <- switch(type, unsigned = abs(r), signed = (1 + r) / 2, r * (r > 0))
  s[is.na(s)] <- 0
  diag(s) <- 0
  vapply(powers, function(power) colSums(s^power), numeric(ncol(x)))
}
connectivities_of_gpugeo <- function(x, type, powers, method = "pearson", ...) {
  options <- list(
    use = "pairwise", method = method, powerVector = powers,
    networkType = type
  )
  suppressWarnings(
    .Call(
      gpugeo:::C_connectivity, list(x, NULL), options, gpugeo:::run_settings(...), NULL
    )$connectivity
  )
}

test_that("connectivities of all powers are sums of weights", {
  of_cor <- function(x) cor(x, use = "pairwise")
  of_bicor <- function(x) gpu_cor(x, use = "pairwise", method = "bicor")
  for (type in c("unsigned", "signed", "signed hybrid")) {
    for (x in list(genes, flawed)) {
      expect_equal(
        connectivities_of_gpugeo(x, type, powers), connectivities(x, type, powers, of_cor),
        tolerance = 1e-12
      )
      expect_equal(
        connectivities_of_gpugeo(x, type, powers, "bicor"),
        connectivities(x, type, powers, of_bicor),
        tolerance = 1e-12
      )
    }
  }
})

test_that("connectivities depend neither on threads nor on panels nor on other powers", {
  x <- cbind(genes, genes^2, genes^3, exp(genes))
  all <- connectivities_of_gpugeo(x, "unsigned", powers, threads = 1)
  for (threads in 2:3) {
    expect_identical(connectivities_of_gpugeo(x, "unsigned", powers, threads = threads), all)
  }
  expect_identical(connectivities_of_gpugeo(x, "unsigned", powers, memory_limit = 2^20), all)
  expect_identical(connectivities_of_gpugeo(x, "unsigned", c(3, 0.5, 3))[, 1:2], all[, c(3, 7)])
})

# Expected values are those of WGCNA 1.72-1.
test_that("fits are those of WGCNA", {
  x <- outer(1:12, 1:15, function(i, j) (i * i * j + 7 * i * j * j) %% 31)
  fit <- gpu_soft_threshold(
    x, c(1, 2, 5.5), 0.3, nBreaks = 4, moreNetworkConcepts = TRUE
  )
  expect_identical(fit$powerEstimate, 1)
  expect_equal(
    unname(as.matrix(fit$fitIndices)), rbind(
      c(
        1, 0.318368452663028, -1.17379728998982, 0.314652346626618, 3.35258996818564,
        3.23659975011334, 4.44655003750774, 0.23947071201326, 0.0901615441748984, 0.157272913147708
      ), c(
        2, 0.0992114751971921, -0.372329537093749, 0.96943888207747, 1.16010905002435,
        1.17028446899244, 1.8710837097768, 0.0828649321445963, 0.0585968126169602,
        0.293335874704914
      ), c(
        5.5, 0.313976476951072, -0.506868703498947, -1.02602785952074, 0.0744972183324719,
        0.0603878550443873, 0.176426786771378, 0.00532122988089085, 0.00840078860760214,
        0.691087136173748
      )
    ),
    tolerance = 1e-11
  )
  hybrid <- gpu_soft_threshold(x, c(1, 2, 5.5), 0.3, nBreaks = 4, networkType = "signed h")
  expect_identical(hybrid$powerEstimate, 5.5)
  expect_equal(
    unlist(hybrid$fitIndices[3L, ], use.names = FALSE),
    c(
      5.5, 0.965610663999297, -0.885444431756884, 0.995940980680756, 0.0350020786759482,
      0.0268827233062705, 0.116854524304737
    ),
    tolerance = 1e-11
  )
})

test_that("fits are those of the installed WGCNA", {
  skip_if_not_installed("WGCNA")
  for (type in c("unsigned", "signed", "signed hybrid")) {
    for (first in c(TRUE, FALSE)) {
      for (x in list(genes, flawed)) {
        given <- list(
          x, powerVector = sort(powers), networkType = type, removeFirst = first, nBreaks = 7,
          moreNetworkConcepts = TRUE
        )
        utils::capture.output(theirs <- suppressWarnings(suppressMessages(
          do.call(WGCNA::pickSoftThreshold, c(given, verbose = 0))
        )))
        ours <- suppressWarnings(do.call(gpu_soft_threshold, given))
        expect_equal(ours, theirs, tolerance = 1e-10, ignore_attr = TRUE)
      }
    }
  }
})

test_that("powers are sorted, and few genes have no fit", {
  expect_identical(gpu_soft_threshold(genes, c(6, 1)), gpu_soft_threshold(genes, c(1, 6)))
  expect_true(is.na(gpu_soft_threshold(genes, 1:2, RsquaredCut = 1)$powerEstimate))
  alone <- gpu_soft_threshold(genes[, 1, drop = FALSE], 2)
  expect_identical(alone$fitIndices$mean.k., 0)
  expect_true(is.na(alone$fitIndices$SFT.R.sq))
  expect_identical(gpu_info()$last$`function`, "gpu_soft_threshold")
})

test_that("arguments of soft thresholds are checked", {
  expect_error(gpu_soft_threshold(genes, 0), "powerVector must be a positive finite number, not 0")
  expect_error(gpu_soft_threshold(genes, "a"), "powerVector must be")
  expect_error(
    gpu_soft_threshold(genes, nBreaks = 2),
    "nBreaks must be a whole number between 3 and 1000000, not 2"
  )
  expect_error(
    gpu_soft_threshold(genes, RsquaredCut = 2),
    "RsquaredCut must be a number between 0 and 1, not 2"
  )
  expect_error(
    gpu_soft_threshold(genes, networkType = "none"),
    'networkType must be one of "unsigned", "signed", "signed hybrid", not "none"'
  )
})
