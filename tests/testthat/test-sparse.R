skip_if_not_installed("Matrix")

set.seed(30)
x <- Matrix::rsparsematrix(40, 25, 0.15, dimnames = list(paste0("point", 1:40), NULL))
dense <- as.matrix(x)
gaps <- x
gaps@x[c(2, 30, 31)] <- NA
named <- Matrix::rsparsematrix(12, 6, 0.4, dimnames = list(NULL, letters[1:6]))

# The call, which dist objects have, differs.
without_call <- function(d) {
  attr(d, "call") <- NULL
  d
}
expect_dist <- function(sparse, dense, ...) {
  expect_same(without_call(gpu_dist(sparse, ...)), without_call(gpu_dist(dense, ...)))
}

test_that("memory is checked before matrices are converted, and before it is taken", {
  before <- Sys.getenv("GPUGEO_MEMORY", NA)
  on.exit(if (is.na(before)) {
    Sys.unsetenv("GPUGEO_MEMORY")
  } else {
    Sys.setenv(GPUGEO_MEMORY = before)
  })
  Sys.setenv(GPUGEO_MEMORY = "2")
  made_of <- function(class, ...) {
    methods::new(
      methods::getClass(class, where = asNamespace("Matrix")),
      i = 0L, x = 1, Dim = c(.Machine$integer.max, 6L), ...
    )
  }
  triplets <- made_of("dgTMatrix", j = 0L)
  for (call in expression(
    gpu_knn(triplets, k = 3), gpu_radius(triplets, radius = 1), gpu_dist(triplets),
    gpu_neighbor_graph(triplets, k = 3), gpu_cor(triplets)
  )) {
    expect_error(
      eval(call), "x to be compressed by columns needs 32.0 GiB, more than the 2.0 GiB of memory",
      class = "gpugeo_error", label = deparse(call)
    )
  }
  expect_error(
    gpu_knn(triplets, k = 3, memory_limit = 1e8),
    "memory_limit must be at least 34359738400 bytes for x to be compressed by columns"
  )
  tall <- made_of("dgCMatrix", p = c(0L, rep(1L, 6)))
  expect_error(gpu_closest_pair(tall), "x as a dense matrix needs 96.0 GiB, more than the 2.0 GiB")
  for (call in expression(
    gpu_radius(tall, radius = 1), gpu_radius(named, tall, radius = 1)
  )) {
    expect_error(
      eval(call), "the neighbours of 2147483647 points and working memory need at least 16.2 GiB",
      label = deparse(call)
    )
  }
  expect_error(
    gpu_cor(tall),
    "tiles of [0-9]+ points of 2147483647 coordinates need .* GiB|cannot allocate .* on CUDA device"
  )
  expect_error(gpu_knn(tall, k = 3), "the result .* need 96.3 GiB, more than the 2.0 GiB")
})

test_that("distances of sparse points have the bits and labels of dense ones", {
  methods <- c(
    "euclidean", "sqeuclidean", "manhattan", "maximum", "canberra", "binary", "minkowski",
    "seuclidean", "cosine", "pearson", "spearman", "braycurtis", "hamming", "jaccard"
  )
  on_each_backend(function() {
    for (method in methods) {
      expect_dist(x, dense, method)
      expect_same(gpu_cdist(x, x[1:7, ], method), gpu_cdist(dense, dense[1:7, ], method))
    }
  })
  expect_dist(x[, 1:6], dense[, 1:6], "mahalanobis")
  expect_same(gpu_cdist(x, dense[1:7, ]), gpu_cdist(dense, dense[1:7, ]))
  expect_same(gpu_cdist(dense, x[1:7, ]), gpu_cdist(dense, dense[1:7, ]))
  expect_identical(attr(gpu_dist(x), "Labels"), rownames(x))
  expect_dist(x, dense, precision = "single")
})

test_that("they agree with stats::dist()", {
  for (method in c("euclidean", "manhattan", "maximum", "binary", "canberra")) {
    expect_equal(c(gpu_dist(x, method)), c(stats::dist(dense, method)), tolerance = 1e-14)
  }
})

test_that("sparse matrices of every class are taken", {
  square <- x[1:25, ]
  classes <- list(
    methods::as(x, "RsparseMatrix"), methods::as(x, "TsparseMatrix"), x != 0,
    methods::as(x, "nMatrix"), methods::as(methods::as(x, "nMatrix"), "RsparseMatrix"),
    Matrix::forceSymmetric(square), Matrix::triu(square), Matrix::tril(square, -1),
    methods::as(Matrix::forceSymmetric(square), "TsparseMatrix"),
    Matrix::Diagonal(5), Matrix::Diagonal(5, 1:5), methods::as(5:1, "pMatrix"),
    x[0, ], x[, 0], x[1, , drop = FALSE], x[, 1, drop = FALSE]
  )
  for (matrix in classes) {
    expect_dist(matrix, as.matrix(matrix))
  }
  twice <- methods::new("dgTMatrix", i = c(0L, 0L, 2L), j = c(1L, 1L, 0L), x = 1:3 + 0.5, Dim = 3:2)
  expect_dist(twice, as.matrix(twice))
})

test_that("missing and infinite values are those of dense points", {
  odd <- gaps
  odd@x[c(7, 8)] <- c(Inf, -Inf)
  logical <- x != 0
  logical@x[3] <- NA
  for (method in c("euclidean", "cosine", "binary", "jaccard", "spearman", "braycurtis")) {
    expect_dist(gaps, as.matrix(gaps), method)
    expect_dist(logical, as.matrix(logical), method)
    expect_same(
      suppressWarnings(without_call(gpu_dist(odd, method))),
      suppressWarnings(without_call(gpu_dist(as.matrix(odd), method)))
    )
  }
  zero <- x
  zero[3, ] <- 0
  expect_warning(gpu_dist(zero, "cosine"), "39 distances are missing: row 3 is zero")
})

test_that("correlations of sparse columns are those of dense ones", {
  full <- as.matrix(named)
  for (method in c("pearson", "spearman")) {
    expect_same(gpu_cor(named, method = method), gpu_cor(full, method = method))
    expect_same(
      gpu_cor(named, full[, 1:2], method = method), gpu_cor(full, full[, 1:2], method = method)
    )
    expect_same(
      gpu_cor(full[, 1], named, method = method), gpu_cor(full[, 1], full, method = method)
    )
  }
  expect_equal(gpu_cor(named), stats::cor(full), tolerance = 1e-13)
  for (use in c("everything", "complete.obs", "na.or.complete", "pairwise.complete.obs")) {
    expect_same(gpu_cor(gaps, use = use), gpu_cor(as.matrix(gaps), use = use))
  }
  expect_error(
    gpu_cor(gaps, use = "all.obs"), "must have no missing values", class = "gpugeo_error"
  )
  expect_same(
    gpu_cor(gaps, use = "pairwise", method = "spearman"),
    gpu_cor(as.matrix(gaps), use = "pairwise", method = "spearman")
  )
})

test_that("p-values of sparse columns are those of dense ones", {
  few <- Matrix::rsparsematrix(30, 5, 0.5, rand.x = function(n) sample(3, n, TRUE))
  few[2:3, 1] <- NA
  few[3:9, 4] <- NA
  few[, 5] <- 0
  for (given in list(few, methods::as(few, "TsparseMatrix"), few[1:8, ])) {
    full <- as.matrix(given)
    for (method in c("pearson", "spearman", "kendall")) {
      for (use in c("everything", "complete.obs", "pairwise.complete.obs")) {
        p_values <- function(...) {
          suppressWarnings(gpu_cor(..., use = use, method = method, p_values = TRUE))
        }
        expect_same(p_values(given), p_values(full))
        expect_same(p_values(given, full[, 1:2]), p_values(full, full[, 1:2]))
        expect_same(p_values(full[, 1], given), p_values(full[, 1], full))
      }
    }
  }
  logical <- few[, 2:3] != 0
  expect_same(gpu_cor(logical, p_values = TRUE), gpu_cor(as.matrix(logical), p_values = TRUE))
})

test_that("neighbours of sparse points are those of dense ones", {
  for (method in c("euclidean", "cosine", "jaccard")) {
    expect_same(gpu_knn(x, 4, method = method), gpu_knn(dense, 4, method = method))
    expect_same(
      gpu_knn(x, 4, query = x[1:5, ], method = method),
      gpu_knn(dense, 4, query = dense[1:5, ], method = method)
    )
    expect_same(gpu_radius(x, 0.9, method = method), gpu_radius(dense, 0.9, method = method))
    expect_same(
      gpu_neighbor_graph(x, 4, method = method), gpu_neighbor_graph(dense, 4, method = method)
    )
  }
  few <- x[, 1:2]
  expect_same(gpu_knn(few, 4), gpu_knn(as.matrix(few), 4))
})

test_that("tiles and files of sparse points are those of dense ones", {
  plan <- gpu_tiles_plan(x, side = 16)
  expect_same(gpu_dist_tile(x, plan, 2), gpu_dist_tile(dense, plan, 2))
  skip_if_not(nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  distances <- gpu_dist(x, "manhattan", file = file)
  expect_identical(as.matrix(distances), as.matrix(gpu_dist(dense, "manhattan")))
})

test_that("damaged sparse matrices are refused", {
  damage <- list(
    list("i", c(99L, x@i[-1])), list("i", rev(x@i)), list("p", replace(x@p, 3, -5L)),
    list("p", replace(x@p, 26, 2^30L)), list("p", x@p[-1]), list("x", x@x[1:3]),
    list("Dim", c(40L, -25L))
  )
  for (d in damage) {
    bad <- x
    attr(bad, d[[1]]) <- if (d[[1]] == "x") d[[2]] else as.integer(d[[2]])
    # What is wrong with the slot is in the words of package Matrix.
    wrong <- paste0("x must be a valid object of class \"dgCMatrix\", but .*\\b", d[[1]], "\\b")
    expect_error(gpu_dist(bad), wrong, class = "gpugeo_error")
    expect_error(gpu_knn(bad, 2), wrong, class = "gpugeo_error")
  }
})

test_that("a sparse matrix is not expanded as a whole", {
  skip_if_not(file.exists("/proc/self/status"), "no /proc/self/status")
  peak <- rscript(c(
    "peak <- function() {",
    "  line <- grep('VmHWM', readLines('/proc/self/status'), value = TRUE)",
    "  as.numeric(gsub('[^0-9]', '', line))",
    "}",
    "x <- Matrix::sparseMatrix(rep(1:1000, 50), sample(5e4, 5e4, TRUE), x = 1, dims = c(1e3, 5e4))",
    "options(gpugeo.backend = 'cpu', gpugeo.threads = 1)", # else libraries of a device count, too
    "invisible(gpugeo::gpu_dist(1:2))",
    "before <- peak()",
    "d <- gpugeo::gpu_dist(x, 'cosine', memory_limit = 2^26)",
    "n <- gpugeo::gpu_knn(x, 3, memory_limit = 2^26)",
    "cat(peak() - before)"
  ))
  # The dense matrix would take 400 MB, and the points of two tiles 100 MB.
  expect_lt(as.numeric(peak), 200 * 1024)
})

test_that("p-values do not expand a sparse matrix as a whole", {
  skip_if_not(file.exists("/proc/self/status"), "no /proc/self/status")
  peak <- rscript(c(
    "peak <- function() {",
    "  line <- grep('VmHWM', readLines('/proc/self/status'), value = TRUE)",
    "  as.numeric(gsub('[^0-9]', '', line))",
    "}",
    "x <- Matrix::sparseMatrix(rep(1:1e5, 2), sample(600, 2e5, TRUE), x = 1, dims = c(1e5, 600))",
    "correlate <- function(use) {",
    "  r <- gpugeo::gpu_cor(x, x[, 1:2], use, p_values = TRUE, threads = 1, memory_limit = 2^26)",
    "}",
    "before <- peak()",
    "correlate('everything')",
    "x@x[5] <- NA",
    "correlate('complete.obs')",
    "correlate('pairwise.complete.obs')",
    "cat(peak() - before)"
  ))
  # The dense matrix would take 480 MB.
  expect_lt(as.numeric(peak), 240 * 1024)
})
