set.seed(20)
plain <- matrix(rnorm(60), 12, dimnames = list(paste0("row", 1:12), NULL))
gaps <- replace(plain, c(1, 5, 14, 15, 31, 60), NA)
counts <- matrix(rpois(60, 1), 12)
storage.mode(counts) <- "integer"

inputs <- list(
  plain = plain,
  gaps = gaps,
  empty_row = replace(gaps, cbind(3, 1:5), NA),
  infinite = replace(gaps, c(2, 3, 26, 40), c(Inf, Inf, -Inf, Inf)),
  overflow = 1e200 * plain,
  underflow = 1e-200 * plain,
  zeros = matrix(0, 4, 3),
  integers = replace(counts, c(7, 22), NA),
  truths = replace(counts > 0L, 9, NA),
  frame = data.frame(a = c(1.5, NA, 3), b = 1:3, c = c(TRUE, FALSE, NA)),
  vector = c(a = 1, b = 5, c = NA, d = 2),
  no_row = matrix(0, 0, 3),
  one_row = matrix(1, 1, 3),
  no_column = matrix(0, 3, 0)
)

# The same values and attributes as stats::dist() gives but for the name of the function called.
expect_same_dist <- function(ours, theirs) {
  expect_identical(as.list(attr(ours, "call"))[-1], as.list(attr(theirs, "call"))[-1])
  attr(ours, "call")[[1]] <- attr(theirs, "call")[[1]]
  expect_identical(attributes(ours), attributes(theirs))
  expect_identical(is.na(ours), is.na(theirs))
  expect_equal(ours, theirs, tolerance = 1e-14)
}

for (method in c("euclidean", "manhattan", "maximum", "canberra", "binary", "minkowski")) {
  test_that(paste(method, "distances are those of stats::dist()"), {
    on_each_backend(function() {
      for (x in inputs) {
        ours <- outcome(gpu_dist(x, method, p = 1.7))
        theirs <- outcome(dist(x, method, p = 1.7))
        expect_same_dist(ours$value, theirs$value)
        expect_identical(ours$warnings, theirs$warnings)
      }
    })
  })
}

test_that("the call, the p and the labels are kept as stats::dist() keeps them", {
  d <- gpu_dist(plain, "mink", TRUE, TRUE, 3L)
  expect_same_dist(d, dist(plain, "mink", TRUE, TRUE, 3L))
  expect_identical(attr(d, "p"), 3L)
  expect_identical(attr(d, "call")[[1]], quote(gpu_dist))
  expect_identical(names(attributes(d)), names(attributes(dist(plain, "mink", p = 3))))
  expect_identical(labels(d), rownames(plain))
})

test_that("names of metrics may be shortened, and misspelt as stats::dist() allows", {
  expect_identical(attr(gpu_dist(plain, "euclidian"), "method"), "euclidean")
  expect_identical(attr(gpu_dist(plain, "man"), "method"), "manhattan")
  expect_identical(attr(gpu_dist(plain, "cityblock"), "method"), "manhattan")
})

test_that("every beginning of a name that stats::dist() accepts means the same metric", {
  x <- gaps[1:3, ]
  for (name in c("euclidean", "maximum", "manhattan", "canberra", "binary", "minkowski")) {
    for (begin in substring(name, 1, seq_len(nchar(name)))) {
      theirs <- outcome(dist(x, begin))$value
      ours <- outcome(gpu_dist(x, begin))$value
      expect_identical(inherits(ours, "failed"), inherits(theirs, "failed"), info = begin)
      if (!inherits(theirs, "failed")) {
        expect_identical(attr(ours, "method"), attr(theirs, "method"))
        expect_identical(gpu_cdist(x, x, begin), gpu_cdist(x, x, name))
      }
    }
  }
  expect_error(gpu_dist(x, "m"), "not \"m\", which begins several of them")
  expect_error(gpu_dist(x, "s"), "not \"s\", which begins several of them")
  expect_identical(attr(gpu_dist(x, "B"), "method"), "binary")
  expect_identical(attr(suppressWarnings(gpu_dist(x, "pea")), "method"), "pearson")
  expect_identical(attr(suppressWarnings(gpu_dist(x, "cor")), "method"), "pearson")
  expect_identical(gpu_knn(plain, 2, method = "c"), gpu_knn(plain, 2, method = "canberra"))
})

test_that("what takes a dist takes the result", {
  ours <- gpu_dist(plain)
  theirs <- dist(plain)
  expect_equal(as.matrix(ours), as.matrix(theirs), tolerance = 1e-14)
  expect_identical(capture.output(print(ours)), capture.output(print(theirs)))
  expect_identical(format(ours), format(theirs))
  expect_identical(hclust(ours, "average")$merge, hclust(theirs, "average")$merge)
  expect_equal(cmdscale(ours), cmdscale(theirs), tolerance = 1e-10)
})

test_that("the input is left as it was", {
  x <- counts + 0L
  copy <- x + 0L
  gpu_dist(x)
  expect_identical(x, copy)
})

test_that("results with more than 2^31 elements work", {
  skip_if_not(nzchar(Sys.getenv("GPUGEO_TEST_LARGE")), "GPUGEO_TEST_LARGE is not set (18 GB)")
  n <- 65537L
  d <- gpu_dist(seq_len(n))
  expect_identical(length(d), n * (n - 1) / 2)
  expect_identical(attr(d, "Size"), n)
  expect_identical(d[c(1, n - 1, n, length(d))], c(1, n - 1, 1, 1))
})

test_that("calls with defaults only have all checks and attributes of others", {
  x <- matrix(c(3, 1, 4, 1, 5, 9, 2, 6, NA, 3, 5, 8), 4, dimnames = list(letters[1:4], NULL))
  without_call <- function(d) {
    attr(d, "call") <- NULL
    d
  }
  for (metric in c("euclidean", "maximum", "manhattan", "canberra", "binary")) {
    short <- gpu_dist(x, metric)
    expect_equal(without_call(short), without_call(stats::dist(x, metric)), tolerance = 1e-14)
    expect_identical(without_call(short), without_call(gpu_dist(x, metric, p = 2)))
    expect_identical(attr(short, "call"), quote(gpu_dist(x = x, method = metric)))
    expect_identical(gpu_info()$last$`function`, "gpu_dist")
  }
  expect_identical(without_call(gpu_dist(x)), without_call(gpu_dist(x, "euclidean")))
  old <- options(gpugeo.memory_limit = 10)
  on.exit(options(old))
  condition <- tryCatch(gpu_dist(x), gpugeo_error = identity)
  expect_match(conditionMessage(condition), "^memory_limit must be .*, not 10$")
  expect_identical(conditionCall(condition), quote(gpu_dist(x)))
  expect_error(gpu_dist(x, NA_character_), "^method must be", class = "gpugeo_error")
  expect_error(gpu_dist(x, "none"), "^method must be", class = "gpugeo_error")
  expect_error(gpu_dist(x, speed = 1), "unused argument speed", class = "gpugeo_error")
})

test_that("more than 2^31 coordinates of all pairs of points give no warning", {
  x <- matrix(0, 2000, 540)
  expect_silent(d <- gpu_dist(x))
  expect_identical(sum(d), 0)
})
