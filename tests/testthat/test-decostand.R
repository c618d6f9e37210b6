x <- rbind(a = c(3, 0, 1, 2), b = c(0, 5, 1, 0), c = c(4, 1, 0, 2))
colnames(x) <- LETTERS[1:4]
plain <- function(x) matrix(x, nrow(x), dimnames = dimnames(x))
logs <- log(x + 1)
standards <- gpugeo:::core_choices("decostand", "method")

test_that("methods follow their formulas", {
  expected <- list(
    total = x / c(6, 6, 7),
    max = t(t(x) / c(4, 5, 1, 2)),
    frequency = t(t(x) * c(2, 2, 2, 2) / c(7, 6, 2, 4)),
    normalize = x / sqrt(c(14, 26, 21)),
    range = t(t(x) / c(4, 5, 1, 2)),
    rank = rbind(a = c(3, 0, 1, 2), b = c(0, 2, 1, 0), c = c(3, 1, 0, 2)),
    rrank = rbind(a = c(3, 0, 1, 2) / 3, b = c(0, 2, 1, 0) / 2, c = c(3, 1, 0, 2) / 3),
    standardize = scale(x),
    pa = (x > 0) + 0,
    chi.square = sqrt(19) * t(t(x / c(6, 6, 7)) / sqrt(c(7, 6, 2, 4))),
    hellinger = sqrt(x / c(6, 6, 7)),
    log = ifelse(x > 0, log2(x) + 1, 0),
    rclr = ifelse(x > 0, log(x) - log(c(6, 5, 8)) / c(3, 2, 3), 0)
  )
  for (method in names(expected)) {
    made <- gpu_decostand(x, method)
    written <- `dimnames<-`(plain(expected[[method]]), dimnames(x))
    expect_equal(plain(made), written, tolerance = 1e-14)
    expect_identical(attr(made, "decostand"), method)
    expect_s3_class(gpu_decostand(as.data.frame(x), method), "data.frame")
  }
  expect_equal(plain(gpu_decostand(x, "clr", pseudocount = 1)), logs - rowMeans(logs))
  expect_equal(
    plain(gpu_decostand(x, "alr", pseudocount = 1, reference = "b")),
    t(t(logs[-2, ]) - logs[2, ])
  )
  expect_equal(plain(gpu_decostand(x, "alr", 2, pseudocount = 1)), logs[, -1] - logs[, 1])
  expect_identical(gpu_decostand(rbind(c(2, 2, 1)), "rank")[1, ], c(2.5, 2.5, 1))
  expect_identical(
    attr(gpu_decostand(x, "total"), "parameters"), list(total = c(6, 6, 7), margin = 1)
  )
})

test_that("sparse matrices remain sparse where zeros remain zeros", {
  skip_if_not_installed("Matrix")
  sparse <- methods::as(Matrix::Matrix(x, sparse = TRUE), "CsparseMatrix")
  for (method in setdiff(standards, c("range", "standardize", "clr", "alr"))) {
    for (margin in 1:2) {
      made <- gpu_decostand(sparse, method, margin)
      expect_s4_class(made, "dgCMatrix")
      dense <- plain(gpu_decostand(x, method, margin))
      expect_equal(unname(as.matrix(made)), unname(dense), tolerance = 1e-14)
    }
  }
  expect_equal(plain(gpu_decostand(sparse, "range")), plain(gpu_decostand(x, "range")))
})

# Data for a method: with a missing value, unless versions of vegan differ in what they make of it.
odd_data <- function(method) {
  odd <- rbind(x, d = 0, e = c(1, 1, 1, 0))
  ranks_or_logarithms <- method %in% c("rank", "rrank", "clr", "rclr", "alr")
  list(x, odd, if (ranks_or_logarithms) x else replace(odd, 3, NA))
}

test_that("vegan has the same values and attributes", {
  skip_if_not_installed("vegan")
  run <- function(code) suppressWarnings(code)
  for (method in standards) {
    for (data in odd_data(method)) {
      for (margin in 1:2) {
        added <- if (method %in% c("clr", "alr")) list(pseudocount = 1)
        arguments <- c(list(data, method, margin, na.rm = TRUE), added)
        if (method == "rclr" && utils::packageVersion("vegan") >= "2.7") arguments$impute <- FALSE
        theirs <- run(do.call(vegan::decostand, arguments))
        ours <- run(do.call(gpu_decostand, arguments[names(arguments) != "impute"]))
        expect_equal(ours, theirs, tolerance = 1e-12)
      }
    }
  }
})

test_that("other values are errors or warnings", {
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(gpu_decostand(x, "foo"), 'method must be one of "total"')
  wrong(gpu_decostand(x, "total", 3), "MARGIN must be 1 or 2, not 3")
  wrong(gpu_decostand(x, "clr"), "row 2, column 1 is 0 with the pseudocount 0")
  wrong(gpu_decostand(x, "clr", pseudocount = -1), "pseudocount must be a number of at least 0")
  wrong(gpu_decostand(x, "log", logbase = 1), "logbase must be a number above 1, not 1")
  wrong(
    gpu_decostand(x, "alr", reference = 4, pseudocount = 1),
    "must be the number of a row of x, from 1 to 3, not 4"
  )
  wrong(
    gpu_decostand(x, "range", range.global = x[, 1:2]),
    "range.global must have 4 columns, as x has, not 2"
  )
  wrong(
    suppressWarnings(gpu_decostand(-x, "rclr")),
    "x must be numbers of at least 0 for \"rclr\", but row 1, column 1 is -3"
  )
  wrong(gpu_decostand(x + 1, "alr", reference = NULL), "reference must be a whole number")
  wrong(gpu_decostand("a", "total"), "x must be a numeric matrix, not")
  wrong(gpu_decostand(x, "total", na.rm = 2), "na.rm must be true or false, not 2")
  expect_warning(gpu_decostand(-x, "total"), "x has negative values, for which \"total\"")
  expect_warning(gpu_decostand(x / 4, "log"), "x has values below 1")
  expect_warning(gpu_decostand(rbind(x, 0), "rrank"), "some results are NaN")
})

test_that("functions without the argument backend compute with any that options() names", {
  old <- options(gpugeo.backend = "cuda")
  on.exit(options(old))
  expect_equal(unname(c(gpu_decostand(rbind(c(1, 3)), "total"))), c(0.25, 0.75))
  expect_equal(gpu_diversity(c(1, 1), "invsimpson"), 2)
  expect_equal(unname(c(gpu_rarefy(rbind(c(1, 2)), 1))), 1)
  expect_error(gpu_decostand(rbind(c(1, 3)), "total", backend = "cuda"), "unused argument backend")
  expect_error(gpu_diversity(c(1, 1), backend = "cuda"), "unused argument backend")
  expect_error(gpu_rarefy(rbind(c(1, 2)), 1, backend = "cuda"), "unused argument backend")
})
