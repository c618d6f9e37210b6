# Gower's coefficient against cluster::daisy(), which R installations have.
mixed <- function(n = 40) {
  set.seed(8)
  size <- factor(sample(c("s", "m", "l"), n, TRUE), c("s", "m", "l"), ordered = TRUE)
  x <- data.frame(
    weight = rexp(n), count = sample(9L, n, TRUE), size,
    color = factor(sample(c("red", "green", "blue"), n, TRUE)),
    rare = rbinom(n, 1, 0.3), flag = runif(n) < 0.4, rank = sample(c(1, 10, 100), n, TRUE)
  )
  x$weight[3] <- x$size[5] <- x$color[7] <- x$rare[9] <- x$flag[11] <- NA
  x[13, 1:6] <- NA
  x
}

by_daisy <- function(...) {
  c(suppressWarnings(cluster::daisy(..., metric = "gower")))
}

test_that("mixed columns have the distances of daisy()", {
  skip_if_not_installed("cluster")
  x <- mixed()
  expect_equal(c(gpu_dist(x, "gower")), by_daisy(x), tolerance = 1e-14)
  weights <- c(1, 0.5, 2, 3, 0, 0.25, 1.5)
  expect_equal(
    c(gpu_dist(x, gpu_metric("gower", column_weights = weights))), by_daisy(x, weights = weights),
    tolerance = 1e-14
  )
  for (types in list(
    list(asymm = "rare"), list(symm = c("rare", "flag")), list(asymm = 5:6, ordratio = "rank"),
    list(logratio = "weight", symm = 5), list(ordratio = "count", asymm = "rare")
  )) {
    expect_equal(
      c(gpu_dist(x, gpu_metric("gower", types = types, column_weights = weights))),
      by_daisy(x, type = types, weights = weights),
      tolerance = 1e-14
    )
  }
  expect_equal(
    attributes(gpu_dist(x, "gower"))[c("Size", "method")], list(Size = 40L, method = "gower"),
    ignore_attr = TRUE
  )
})

test_that("matrices of numbers have the distances of daisy()", {
  skip_if_not_installed("cluster")
  set.seed(9)
  x <- cbind(matrix(rnorm(120), 30), rbinom(30, 1, 0.4), rbinom(30, 1, 0.6), constant = 3)
  x[2, 3] <- x[4, 5] <- NA
  expect_equal(c(gpu_dist(x, "gower")), by_daisy(x), tolerance = 1e-14)
  x <- cbind(abs(x[, 1:4]), x[, 5:7])
  colnames(x) <- letters[1:7]
  types <- list(asymm = "e", symm = 6, logratio = "a", ordratio = "b")
  expect_equal(
    c(gpu_dist(x, gpu_metric("gower", types = types))), by_daisy(x, type = types),
    tolerance = 1e-14
  )
  words <- c(rep("numeric", 4), "asymmetric", "nominal", "numeric")
  expected <- gpu_dist(x, gpu_metric("gower", types = list(asymm = 5, symm = 6)))
  expect_identical(c(gpu_dist(x, gpu_metric("gower", types = words))), c(expected))
  expect_identical(
    c(gpu_dist(x, metric = gpu_metric("gow", types = c(0, 0, 0, 0, 2, 1, 0)))), c(expected)
  )
  # Pairs of zeros alone have no distance.
  zeros <- cbind(c(0, 0, 1), c(1, 1, 1))
  expect_equal(
    c(gpu_dist(zeros, gpu_metric("gower", types = c("asymmetric", "numeric")))), c(0, 0.5, 0.5)
  )
  only <- gpu_dist(zeros[, 1], gpu_metric("gower", types = "asymmetric"))
  expect_identical(c(only), c(NA, 1, 1))
})

test_that("a list of types is taken for every object that holds a matrix", {
  skip_if_not_installed("cluster")
  set.seed(10)
  x <- cbind(
    a = rpois(20, 1) + 1, b = rbinom(20, 1, 0.4), c = rpois(20, 1), d = rbinom(20, 1, 0.6)
  )
  types <- list(asymm = "b", symm = 4, logratio = "a", ordratio = 3)
  expected <- by_daisy(x, type = types)
  expect_types <- function(given) {
    expect_equal(
      c(suppressMessages(gpu_dist(given, gpu_metric("gower", types = types)))), expected,
      tolerance = 1e-14
    )
  }
  expect_types(x)
  forms <- list()
  if (requireNamespace("Matrix", quietly = TRUE)) {
    forms$sparse <- Matrix::Matrix(x, sparse = TRUE)
    forms$by_rows <- methods::as(forms$sparse, "RsparseMatrix")
  }
  if (requireNamespace("DelayedArray", quietly = TRUE)) {
    forms$delayed <- DelayedArray::DelayedArray(x)
    forms$shifted <- DelayedArray::DelayedArray(x - 1) + 1
  }
  for (form in forms) {
    expect_types(form)
    # Ranks, levels and codes are those of x for other points, too.
    expect_identical(
      gpu_cdist(form, x[1:4, ], gpu_metric("gower", types = types)),
      gpu_cdist(x, x[1:4, ], gpu_metric("gower", types = types))
    )
    expect_identical(
      gpu_cdist(x, form[1:4, ], gpu_metric("gower", types = types)),
      gpu_cdist(x, x[1:4, ], gpu_metric("gower", types = types))
    )
    expect_identical(
      gpu_knn(form, 2, method = gpu_metric("gower", types = types)),
      gpu_knn(x, 2, method = gpu_metric("gower", types = types))
    )
    expect_identical(
      gpu_hclust(form, metric = gpu_metric("gower", types = types))$height,
      gpu_hclust(x, metric = gpu_metric("gower", types = types))$height
    )
  }
  skip_if_not_installed("SingleCellExperiment")
  cells <- SingleCellExperiment::SingleCellExperiment(list(counts = t(x)))
  expect_types(cells)
  SingleCellExperiment::reducedDims(cells) <- list(PCA = x)
  expect_equal(
    c(gpu_dist(cells, gpu_metric("gower", types = types), reducedDim = "PCA")), expected,
    tolerance = 1e-14
  )
  tiles <- gpu_tiles_plan(x, method = gpu_metric("gower", types = types))
  expect_equal(
    gpu_dist_tile(cells, tiles, 1), gpu_dist_tile(x, tiles, 1)
  )
})

test_that("other functions have the distances of gpu_dist()", {
  x <- mixed()
  weights <- c(1, 0.5, 2, 3, 1, 0.25, 1.5)
  types <- list(asymm = "rare", ordratio = "rank")
  metric <- gpu_metric("gower", types = types, column_weights = weights)
  whole <- as.matrix(gpu_dist(x, metric))
  dimnames(whole) <- NULL
  compute <- function(f, ...) unname(f(x, ..., method = metric))
  expect_identical(compute(gpu_cdist, x), whole)
  # Ranges and levels are those of x, also where y lacks some of them.
  expect_identical(compute(gpu_cdist, x[20:23, ]), whole[, 20:23])
  nearest <- suppressWarnings(compute(gpu_knn, 3))
  diag(whole) <- Inf
  expect_identical(nearest[[2]][1, ], sort(whole[1, ])[1:3])
  near <- compute(gpu_radius, 0.2)
  expect_identical(sum(near[[1]]), sum(whole <= 0.2, na.rm = TRUE))
  diag(whole) <- 0
  plan <- gpu_tiles_plan(x, method = metric, side = 30)
  coded <- gpu_dist_tile(x, plan, 2)
  expect_identical(unname(coded), whole[31:40, 1:30])
  seen <- NULL
  suppressWarnings(gpu_dist_tiles(
    x, function(d, i, j) if (i == 31 && j == 1) seen <<- unname(d),
    method = metric, side = 30
  ))
  expect_identical(seen, whole[31:40, 1:30])
  graph <- suppressWarnings(gpu_neighbor_graph(x, k = 2, method = "gower", weights = identity))
  expect_identical(graph$weight[1], as.matrix(gpu_dist(x, "gower"))[graph$from[1], graph$to[1]])
})

test_that("files have the distances of gpu_dist()", {
  skip_if(!nzchar(gpu_hdf5_version()), "gpugeo was built without HDF5")
  x <- mixed()
  types <- list(asymm = "rare")
  whole <- gpu_dist(x, gpu_metric("gower", types = types))
  file <- tempfile(fileext = ".h5")
  written <- gpu_dist(x, gpu_metric("gower", types = types), file = file)
  expect_identical(unname(written[5, ]), unname(as.matrix(whole)[5, ]))
  expect_error(
    gpu_dist(x, gpu_metric("gower", types = types, column_weights = 1:7), file = file),
    "holds those of other points or settings|same distances",
    class = "gpugeo_error"
  )
  skip_if_not_installed("rhdf5")
  points <- tempfile(fileext = ".h5")
  rhdf5::h5createFile(points)
  coded <- cbind(c(1, 4, 2, 9), c(0, 1, 1, 0), c(3, 3, 1, NA))
  rhdf5::h5write(coded, points, "x")
  types <- c("numeric", "asymmetric", "nominal")
  expect_identical(
    c(gpu_dist(gpu_hdf5(points, "x"), gpu_metric("gower", types = types))),
    c(gpu_dist(coded, gpu_metric("gower", types = types)))
  )
  expect_identical(
    gpu_cdist(gpu_hdf5(points, "x"), coded, gpu_metric("gower", types = types)),
    gpu_cdist(coded, coded, gpu_metric("gower", types = types))
  )
})

test_that("levels that only the other points have are other levels", {
  x <- data.frame(a = factor(c("u", "v")), b = c(0, 1))
  y <- data.frame(a = factor(c("w", "v", "u"), c("w", "v", "u")), b = c(0, 3, 1))
  # 3 is two ranges of x away from 1, which counts as one.
  expect_identical(gpu_cdist(x, y, "gower"), rbind(c(0.5, 1, 0.5), c(1, 0.5, 0.5)))
  expect_identical(
    gpu_cdist(x, y, gpu_metric("gower", scale = c(1, 3))),
    rbind(c(0.5, 1, 1 / 6), c(2 / 3, (1 - 1 / 3) / 2, 0.5))
  )
})

test_that("wrong types and weights are errors", {
  x <- mixed()[1:6, ]
  message_of <- function(...) conditionMessage(tryCatch(gpu_dist(...), gpugeo_error = identity))
  expect_identical(
    message_of(x[1:2], gpu_metric("euclidean", types = 0)),
    "types must be given with method \"gower\", not \"euclidean\""
  )
  expect_identical(
    message_of(x[1:2], gpu_metric("euclidean", column_weights = 1:2)),
    "column_weights must be given with method \"gower\", not \"euclidean\""
  )
  expect_identical(
    message_of(x, gpu_metric("gower", column_weights = 1)),
    "column_weights must have a value for each of the 7 columns of x, not 1 values"
  )
  expect_identical(
    message_of(x[1:2], gpu_metric("gower", column_weights = c(1, -1))),
    "column_weights must be at least 0 and finite, but value 2 is -1"
  )
  expect_identical(
    message_of(x[1:2], gpu_metric("gower", types = c("numeric", "text"))), paste(
      "types must be \"numeric\", \"nominal\", \"asymmetric\" for each column, or a list as in",
      "cluster::daisy(), not \"text\""
    )
  )
  expect_identical(
    message_of(x, gpu_metric("gower", types = list(asym = 1))),
    "types must have elements named \"asymm\", \"symm\", \"ordratio\", \"logratio\", not \"asym\""
  )
  expect_identical(
    message_of(x, gpu_metric("gower", types = list(asymm = "rares"))),
    "types must name columns of x, or their numbers from 1 to 7, not \"rares\""
  )
  expect_identical(
    message_of(cbind(c(0, 2), 1:2), gpu_metric("gower", types = 2:1)),
    "types must be numeric for column 1, which has the value 2: asymmetric columns have 0 and 1"
  )
  expect_identical(
    message_of(cbind(c(0, 0.5), 1:2), gpu_metric("gower", types = c(1, 0))),
    paste(
      "types must be numeric for column 1, which has the value 0.5:",
      "nominal columns have whole numbers"
    )
  )
  expect_identical(
    message_of(data.frame(a = c("u", "v")), "gower"), paste(
      "x must have columns of numbers, logical values or factors, but column \"a\" is text;",
      "see factor()"
    )
  )
  ordered <- data.frame(a = factor(1:2, ordered = TRUE))
  expect_error(
    gpu_cdist(ordered, data.frame(a = factor(3)), "gower"),
    "y must have the levels of x in column \"a\", not \"3\"",
    class = "gpugeo_error"
  )
})

test_that("errors of columns are those of the first one, of its first value, on any threads", {
  set.seed(3)
  x <- matrix(rbinom(4e5, 1, 0.5), 2000)
  x[5, 2] <- x[7, 2] <- x[3, 190] <- 0.5
  x[1500, 2] <- NA
  x[900, 100] <- 9
  ranges <- x
  ranges[1:2, 3] <- ranges[1:2, 180] <- c(-1e308, 1e308)
  for (threads in c(1, 2, 5)) {
    expect_error(
      gpu_dist(x, gpu_metric("gower", types = rep(2, 200)), threads = threads),
      "column 2, which has the value 0.5: asymmetric columns have 0 and 1",
      fixed = TRUE
    )
    expect_error(
      gpu_dist(x, gpu_metric("gower", types = c(0, 0, rep(1, 198))), threads = threads),
      "column 190, which has the value 0.5: nominal columns have whole numbers",
      fixed = TRUE
    )
    expect_error(
      gpu_dist(ranges, "gower", threads = threads), "column 3 of x has range Inf",
      fixed = TRUE
    )
  }
})
