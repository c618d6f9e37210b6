# cmdscale() names no axis and chooses no sign.
same_axes <- function(got, expected, tolerance = 1e-8) {
  expect_identical(dim(got), dim(expected))
  expect_identical(rownames(got), rownames(expected))
  signs <- rep(sign(colSums(got * expected)), each = nrow(got))
  expect_equal(unname(got), unname(expected) * signs, tolerance = tolerance)
}

# `whole`: all eigenvalues are known.
compare_cmdscale <- function(d, add, whole) {
  expected <- suppressWarnings(stats::cmdscale(d, 3, eig = TRUE, add = add))
  got <- gpu_pcoa(d, 3, add)
  same_axes(got$points, expected$points)
  expect_equal(got$eig, expected$eig[1:3], tolerance = 1e-10)
  expect_equal(got$ac, expected$ac, tolerance = 1e-10)
  expect_equal(got$trace, sum(expected$eig), tolerance = 1e-10)
  # One eigenvalue of the corrected matrix is 0 up to rounding, of either sign.
  difference <- (got$negative - sum(pmin(expected$eig, 0))) / expected$eig[1L]
  expect_identical(is.na(difference), !whole)
  expect_true(!whole || abs(difference) < 1e-10)
  expect_equal(got$GOF, if (whole) expected$GOF else c(NA_real_, NA_real_), tolerance = 1e-10)
  expect_true(got$converged && all(got$residual <= 1e-10))
}

test_that("results are those of cmdscale()", {
  set.seed(1)
  compare_cmdscale(eurodist, FALSE, TRUE)
  compare_cmdscale(eurodist, TRUE, TRUE)
  compare_cmdscale(stats::dist(USArrests, "canberra"), FALSE, TRUE)
  compare_cmdscale(stats::dist(USArrests, "canberra"), TRUE, TRUE)
  compare_cmdscale(stats::dist(iris[1:4]), FALSE, TRUE)
  compare_cmdscale(stats::dist(matrix(rexp(400 * 7), 400), "manhattan"), FALSE, FALSE)
  compare_cmdscale(stats::dist(matrix(rexp(260 * 3), 260), "manhattan"), TRUE, TRUE)
  axes <- c("points", "eig")
  expect_equal(gpu_pcoa(as.matrix(eurodist), 3)[axes], gpu_pcoa(eurodist, 3)[axes])
})

test_that("negative distances have cmdscale()'s axes", {
  d <- stats::dist(as.matrix(iris[seq(1, 150, 5), 1:4]))
  for (negative in c(-1e-17, -1e-7, -1)) {
    d[c(2, 40, 77)] <- negative
    for (add in c(FALSE, TRUE)) {
      expected <- stats::cmdscale(d, 2, eig = TRUE, add = add)
      got <- gpu_pcoa(d, 2, add)
      same_axes(got$points, expected$points)
      expect_equal(got$eig, expected$eig[1:2], tolerance = 1e-10)
      expect_equal(got$ac, expected$ac, tolerance = 1e-10)
    }
  }
})

test_that("corrections and shares are those of ape::pcoa()", {
  skip_if_not_installed("ape")
  d <- stats::dist(USArrests, "canberra")^1.5
  for (correction in c("none", "lingoes", "cailliez")) {
    expected <- ape::pcoa(d, correction)
    got <- gpu_pcoa(d, 4, correction = correction)
    corrected <- correction != "none"
    expect_equal(
      got$eig, expected$values[1:4, if (corrected) "Corr_eig" else "Eigenvalues"],
      tolerance = 1e-10
    )
    share <- if (corrected) "Rel_corr_eig" else "Relative_eig"
    expect_equal(got$relative, expected$values[1:4, share], tolerance = 1e-10)
    axes <- if (corrected) expected$vectors.cor else expected$vectors
    same_axes(got$points, axes[, 1:4])
    expect_equal(got$trace, if (corrected) expected$trace.cor else expected$trace)
  }
})

# Compares all eigenvalues of `d` with those of cmdscale().
compare_spectrum <- function(d, add) {
  expected <- suppressWarnings(stats::cmdscale(d, 3, eig = TRUE, add = add))
  got <- gpu_pcoa(d, 3, add, eig = TRUE)
  few <- gpu_pcoa(d, 3, add)
  expect_lt(max(abs(got$eig - expected$eig)), 1e-9 * max(expected$eig))
  expect_identical(got$eig[1:3], few$eig)
  expect_identical(got$points, few$points)
  expect_equal(got$relative, got$eig / got$trace)
  expect_equal(got$GOF, expected$GOF, tolerance = 1e-9)
  negative <- if (add) 0 else sum(pmin(expected$eig, 0))
  expect_equal(got$negative, negative, tolerance = 1e-9)
  expect_equal(got$negative_share, -negative / sum(abs(expected$eig)), tolerance = 1e-9)
  if (!add) {
    expect_equal(got$smallest, min(expected$eig), tolerance = 1e-9)
  }
  output <- utils::capture.output(print(got))
  expect_match(output[4], "Axis 1 +Axis 2 +Axis 3$")
}

test_that("all eigenvalues are those of cmdscale()", {
  set.seed(1)
  compare_spectrum(eurodist, FALSE)
  compare_spectrum(eurodist, TRUE)
  compare_spectrum(stats::dist(matrix(rexp(400 * 7), 400), "manhattan"), FALSE)
  compare_spectrum(stats::dist(matrix(rexp(300 * 3), 300), "manhattan"), TRUE)
})

test_that("all eigenvalues are those of ape::pcoa()", {
  skip_if_not_installed("ape")
  set.seed(1)
  d <- stats::dist(matrix(rexp(300 * 4), 300), "manhattan")
  for (correction in c("none", "lingoes", "cailliez")) {
    values <- ape::pcoa(d, correction)$values
    corrected <- correction != "none"
    expected <- values[[if (corrected) "Corr_eig" else "Eigenvalues"]]
    expect_lt(max(abs(gpu_pcoa(d, correction = correction, eig = TRUE)$eig - expected)), 1e-7)
  }
})

test_that("all eigenvalues are the same for all kinds of distances", {
  set.seed(1)
  x <- matrix(rexp(300 * 4), 300)
  elements <- c("points", "eig", "GOF", "negative", "smallest")
  expected <- gpu_pcoa(gpu_dist(x, "manhattan"), eig = TRUE)[elements]
  expect_identical(gpu_pcoa(x, method = "manhattan", eig = TRUE)[elements], expected)
  expect_identical(gpu_info()$last$`function`, "gpu_pcoa")
  manhattan <- function(a, b) sum(abs(a - b))
  expect_equal(gpu_pcoa(x, method = manhattan, eig = TRUE)[elements], expected)
  expect_error(gpu_pcoa(eurodist, eig = 1:2), "eig must be true or false, not c\\(1, 2\\)")
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  in_file <- gpu_dist(x, "manhattan", file = file)
  expect_identical(gpu_pcoa(in_file, eig = TRUE)[elements], expected)
  unlink(file)
})

test_that("weighted scaling of vegan has the same axes", {
  skip_if_not_installed("vegan")
  d <- vegan::vegdist(vegan_data("varespec"))
  expected <- vegan::wcmdscale(d, 2, eig = TRUE)
  got <- gpu_pcoa(d, 2)
  same_axes(got$points, unclass(expected$points))
  expect_equal(got$eig, expected$eig[1:2], tolerance = 1e-10)
  expect_equal(gpu_pcoa(vegan_data("varespec"), 2, method = "bray")$eig, got$eig)
})

test_that("all sources, threads and memory give the same bits", {
  x <- cbind(sin(1:600), cos(1:600 * 2), (1:600) %% 7) # their distances take more than 1 MiB
  results <- function(...) {
    unclass(gpu_pcoa(...))[c("points", "eig", "ac", "residual", "passes", "trace")]
  }
  for (correction in c("none", "lingoes", "cailliez")) {
    expected <- results(gpu_dist(x, "manhattan"), correction = correction, threads = 1)
    expect_identical(results(x, 2, FALSE, correction, "manhattan", threads = 3), expected)
    expect_identical(
      results(x, 2, FALSE, correction, "manhattan", memory_limit = 2^20), expected
    )
  }
  expect_identical(gpu_info()$last$`function`, "gpu_pcoa")
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  gpu_dist(x, "manhattan", file = file)
  expect_identical(results(gpu_dist_file(file), correction = "cailliez"), expected)
  expect_identical(
    results(gpu_dist_file(file), correction = "cailliez", memory_limit = 2^20), expected
  )
})

test_that("few positive eigenvalues give fewer axes, with cmdscale()'s warning", {
  expect_warning(
    same <- gpu_pcoa(stats::dist(rep(1, 5))), "only 0 of the first 2 eigenvalues are > 0"
  )
  expect_identical(dim(same$points), c(5L, 0L))
  expect_identical(same$eig, c(0, 0))
  expect_warning(
    line <- gpu_pcoa(stats::dist(c(a = 1, b = 2, c = 4)), 2),
    "only 1 of the first 2 eigenvalues are > 0"
  )
  expect_equal(line$points, matrix(c(-4, -1, 5) / 3, 3, 1, dimnames = list(letters[1:3], NULL)))
  expect_equal(line$GOF, c(1, 1))
  expect_equal(gpu_pcoa(stats::dist(c(1, 3)), 1)$points, matrix(c(1, -1)))
})

test_that("CUDA gives the bits of the CPU from all sources", {
  skip_if_not("cuda" %in% backends, "there is no CUDA device")
  set.seed(3)
  x <- matrix(rexp(700 * 6), 700)
  d <- gpu_dist(x, "manhattan")
  results <- function(d, backend, ...) {
    axes <- gpu_pcoa(d, 3, ..., backend = backend)
    unclass(axes)[c("points", "eig", "ac", "residual", "passes", "trace")]
  }
  for (correction in c("none", "lingoes", "cailliez")) {
    expected <- results(d, "cpu", correction = correction)
    expect_identical(results(d, "cuda", correction = correction), expected)
    expect_identical(
      results(x, "cuda", correction = correction, method = "manhattan"), expected
    )
  }
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  gpu_dist(x, "manhattan", file = file)
  expect_identical(results(gpu_dist_file(file), "cuda", correction = "cailliez"), expected)
})

test_that("a search that ends early says so", {
  x <- matrix(sin(seq_len(400 * 40)^1.7), 400)
  expect_warning(
    axes <- gpu_pcoa(x, 3, max_passes = 2),
    "max_passes = 2 was not enough: the largest residual is "
  )
  expect_false(axes$converged)
  expect_output(print(axes), "Not converged: residuals up to ")
})

test_that("objects are printed, plotted and taken as a matrix", {
  axes <- gpu_pcoa(eurodist)
  expect_output(print(axes), paste0(
    "Principal coordinates of 21 points\nCall: gpu_pcoa\\(d = eurodist\\)\n\n",
    " +Axis 1 +Axis 2\nEigenvalue .*\nShare .*\nCumulative .*\n\nSum of all eigenvalues: .*\n",
    "Sum of the negative ones: -.*, .* % of all magnitudes"
  ))
  expect_output(print(gpu_pcoa(eurodist, add = TRUE)), "Correction: cailliez, c = 2133")
  expect_identical(as.matrix(axes), axes$points)
  expect_identical(rownames(axes$points), attr(eurodist, "Labels"))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(axes), axes)
  expect_error(plot(axes, c(1, 3)), "axes must be two numbers of axes, 1 to 2, not c(1, 3)",
    fixed = TRUE, class = "gpugeo_error"
  )
})

test_that("bad arguments are errors", {
  d <- stats::dist(c(1, 4, 9, 11))
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(gpu_pcoa(d, 4), "k must be a whole number between 1 and 3, not 4")
  wrong(gpu_pcoa(d, 0), "k must be a whole number between 1 and 3, not 0")
  wrong(gpu_pcoa(d, "3"), "k must be a whole number")
  wrong(gpu_pcoa(d, 1.5), "k must be a whole number")
  wrong(gpu_pcoa(stats::dist(c(1, 3))), "k must be a whole number between 1 and 1, not 2")
  wrong(gpu_pcoa(matrix(1, 1, 3), 1), "d must have 2 to 2147483647 points, not 1")
  wrong(gpu_pcoa(matrix(0, 0, 3), 1), "d must have 2 to 2147483647 points, not 0")
  wrong(gpu_pcoa(d, add = NA), "add must be true or false, not NA")
  wrong(
    gpu_pcoa(d, correction = "both"),
    'correction must be one of "none", "lingoes", "cailliez", not "both"'
  )
  wrong(
    gpu_pcoa(d, add = TRUE, correction = "lingoes"),
    'correction must be "cailliez" with add = TRUE, not "lingoes"'
  )
  wrong(gpu_pcoa(d, tolerance = 2), "tolerance must be between 0 and 1, not 2")
  wrong(gpu_pcoa(d, max_passes = 0), "max_passes must be a whole number of at least 1, not 0")
  wrong(gpu_pcoa(d, method = "manhattan"), "method must be given with points, not with distances")
  wrong(
    gpu_pcoa(stats::dist(c(1, NA, 3, 4))),
    "d must have finite distances only, but 3 of them are not; the first is missing"
  )
  wrong(gpu_pcoa(d, backend = "gpu"), "backend must be one of ")
})

test_that("without list. the coordinates are returned, as by stats::cmdscale()", {
  expected <- stats::cmdscale(eurodist, 3)
  got <- gpu_pcoa(eurodist, 3, list. = FALSE)
  expect_identical(dim(got), dim(expected))
  expect_identical(rownames(got), rownames(expected))
  expect_equal(abs(unname(got)), abs(unname(expected)), tolerance = 1e-8)
  expect_error(
    gpu_pcoa(eurodist, list. = NA), "list. must be true or false", class = "gpugeo_error"
  )
})
