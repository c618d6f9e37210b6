# Distances that stay on a device. Expected are those that gpu_dist() returns on the CPU.

has_device <- "cuda" %in% backends

test_that("keep is checked, and a device is needed", {
  x <- matrix(1:6, 3)
  expect_error(
    gpu_dist(x, keep = "host"), "keep must be \"device\" or NULL, not \"host\"",
    fixed = TRUE, class = "gpugeo_error"
  )
  expect_error(gpu_dist(x, keep = TRUE), "keep must be \"device\" or NULL, not TRUE", fixed = TRUE)
  expect_error(
    gpu_dist(x, keep = "device", backend = "cpu"),
    "backend must be \"auto\" or \"cuda\" for distances that stay on a device, not \"cpu\"",
    fixed = TRUE
  )
  expect_error(
    gpu_dist(x, keep = "device", file = "d.h5"), "file must be NULL with keep = \"device\"",
    fixed = TRUE
  )
  expect_error(
    gpu_dist(x, function(a, b) 1, keep = "device"),
    "method must not be a function with keep = \"device\"",
    fixed = TRUE
  )
  expect_error(
    gpu_dist(x[1, , drop = FALSE], keep = "device"),
    "x must have at least 2 points and 1 column for distances that stay on a device, not 1 and 2",
    fixed = TRUE
  )
  if (!has_device) {
    expect_error(gpu_dist(x, keep = "device"), "backend \"cuda\" cannot be used: ", fixed = TRUE)
  }
})

test_that("distances on a device are those in memory", {
  skip_if_not(has_device, "there is no CUDA device")
  x <- as.matrix(iris[c(1:70, 90:140), 1:4])
  x[5, 2] <- NA
  rownames(x) <- paste0("p", seq_len(nrow(x)))
  for (precision in c("double", "single")) {
    for (metric in c("euclidean", "spearman", "minkowski")) {
      plain <- gpu_dist(x, metric, p = 3, precision = precision, backend = "cpu")
      d <- gpu_dist(x, metric, p = 3, precision = precision, keep = "device")
      back <- as.dist(d)
      for (name in c("Size", "Labels", "Diag", "Upper", "method", "p", "class")) {
        expect_identical(attr(back, name), attr(plain, name))
      }
      expect_identical(c(back), c(plain))
      expect_identical(as.matrix(d), as.matrix(plain))
    }
  }
  expect_s3_class(d, "gpu_dist_device")
  expect_identical(dim(d), c(121, 121))
  expect_identical(length(d), 7260L)
  expect_identical(labels(d), rownames(x))
  expect_identical(d[3:1, c("p7", "p9")], as.matrix(plain)[3:1, c("p7", "p9")])
  expect_identical(d[4, ], as.matrix(plain)[4, ])
  expect_identical(d[c(1, 200, 7260)], c(plain)[c(1, 200, 7260)])
  expect_error(d[122, 1], "i must be points between 1 and 121, or their labels", fixed = TRUE)
  text <- "Distances \\(minkowski\\) of 121 points on CUDA device [0-9]+\ncondensed"
  expect_output(print(d), text)
})

test_that("functions of distances take them", {
  skip_if_not(has_device, "there is no CUDA device")
  x <- as.matrix(quakes[1:300, 1:4])
  plain <- gpu_dist(x, "manhattan", backend = "cpu")
  d <- gpu_dist(x, "manhattan", keep = "device")
  same <- function(compute, ...) {
    without <- function(value) {
      value[setdiff(names(value), "call")]
    }
    expect_identical(without(compute(d, ...)), without(compute(plain, ...)))
  }
  for (backend in c("cpu", "cuda")) {
    same(gpu_hclust, "average", backend = backend)
    same(gpu_hclust, "single", backend = backend)
  }
  expect_identical(gpu_mst(d), gpu_mst(plain))
  same(gpu_dbscan, eps = 30)
  same(function(d) {
    found <- gpu_hdbscan(d, minPts = 5)
    found$hc$call <- NULL # which names the argument
    found
  })
  same(gpu_pam, 5)
  group <- factor(quakes$stations[1:300] %% 5)
  expect_identical(
    c(gpu_silhouette(d, as.integer(group))), c(gpu_silhouette(plain, as.integer(group)))
  )
  order <- rbind(300:1, c(2:300, 1))
  x <- quakes[1:300, 1:4]
  for (backend in c("cpu", "cuda")) {
    for (formula in list(~group, ~ group * quakes$mag[1:300])) {
      tables <- lapply(list(d, plain, x), function(left) {
        formula <- stats::update(formula, left ~ .)
        environment(formula) <- environment()
        gpu_adonis2(
          formula,
          permutations = order, method = "manhattan",
          backend = if (identical(left, plain)) "cpu" else backend
        )
      })
      expect_identical(as.list(tables[[1]]), as.list(tables[[2]]))
      expect_identical(as.list(tables[[3]]), as.list(tables[[2]]))
    }
    expect_identical(
      gpu_anosim(d, group, order, backend = backend)$perm,
      gpu_anosim(plain, group, order, backend = "cpu")$perm
    )
    expect_identical(
      gpu_mrpp(d, factor(group), order, backend = backend)$boot.deltas,
      gpu_mrpp(plain, factor(group), order, backend = "cpu")$boot.deltas
    )
    expect_identical(
      gpu_mantel(d, plain, permutations = order, backend = backend)$perm,
      gpu_mantel(plain, plain, permutations = order, backend = "cpu")$perm
    )
  }
  group <- factor(group)
  same(gpu_mrpp, group, order)
  for (backend in c("cpu", "cuda")) {
    expect_identical(
      gpu_pcoa(d, 3, backend = backend)[c("points", "eig", "trace")],
      gpu_pcoa(plain, 3, backend = "cpu")[c("points", "eig", "trace")]
    )
  }
  same(function(...) gpu_mds(...)[c("conf", "stress", "niter")], 3)
  same(function(...) {
    expect_warning(
      found <- gpu_betadisper(...), "some squared distances from centers are negative"
    )
    found
  }, group)
  skip_if_not_installed("permute")
  pairwise <- function(d) {
    set.seed(1)
    gpu_pairwise_adonis(d, group, 19, backend = "cpu")
  }
  expect_identical(pairwise(d), pairwise(plain))
  expect_error(
    gpu_hclust(d, metric = "euclidean"), "metric must be given with points, not with distances"
  )
})

test_that("distances end with the object, the process, the session and gpu_release()", {
  skip_if_not(has_device, "there is no CUDA device")
  x <- as.matrix(quakes[1:100, 1:3])
  d <- gpu_dist(x, keep = "device")
  file <- tempfile(fileext = ".rds")
  saveRDS(d, file)
  other <- readRDS(file)
  unlink(file)
  message <- "x must be distances that this session has on a device, not those of another session"
  expect_error(as.dist(other), message, fixed = TRUE, class = "gpugeo_error")
  expect_error(other[1, 2], message, fixed = TRUE)
  expect_error(gpu_hclust(other), sub("x", "d", message), fixed = TRUE)
  expect_output(print(other), "of another session")
  if (.Platform$OS.type == "unix") {
    child <- parallel::mcparallel({
      said <- tryCatch(as.dist(d), error = conditionMessage)
      rm(d)
      gc()
      said
    })
    said <- parallel::mccollect(child)[[1L]]
    expect_identical(said, paste(
      "x must be computed in this process: it was forked from the one that has the distances on a",
      "device"
    ))
  }
  expect_identical(c(as.dist(d)), c(gpu_dist(x, backend = "cpu")))
  gpu_release()
  message <- "must have its distances on the device, but they were released"
  expect_error(as.dist(d), paste("x", message), fixed = TRUE, class = "gpugeo_error")
  expect_error(gpu_hclust(d), paste("d", message), fixed = TRUE)
  expect_output(print(d), "\nreleased$")
  d <- gpu_dist(x, keep = "device")
  expect_identical(length(as.dist(d)), 4950L)
  rm(d)
  gc()
})
