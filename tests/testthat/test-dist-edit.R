texts <- c("abc", "acb", "", NA, "caf\u00e9", "cafe", "kitten", "sitting", "ca", "abc")

# Texts of letters of amino acids, many of which differ by a few edits.
made_up <- function(n, seed) {
  set.seed(seed)
  letters <- strsplit("ACDEFGHIKLMNPQRSTVWY", "")[[1]]
  made <- character(n)
  for (i in seq_len(n)) {
    made[i] <- if (i > 2 && i %% 3 == 0) {
      sub(sample(letters, 1), sample(letters, 1), made[sample.int(i - 1, 1)])
    } else {
      paste(sample(letters, sample(8:12, 1), TRUE), collapse = "")
    }
  }
  made
}

test_that("distances are those of their definitions", {
  # By hand; with missing and empty texts.
  x <- c(a = "kitten", b = "sitting", c = NA)
  d <- gpu_dist_edit(x)
  expect_s3_class(d, "dist")
  expect_identical(as.vector(d), c(3, NA, NA))
  expect_identical(attr(d, "Labels"), c("a", "b", "c"))
  expect_identical(attr(d, "method"), "lv")
  expect_identical(as.vector(gpu_dist_edit(c("ab", "ba"), method = "osa")), 1)
  expect_identical(as.vector(gpu_dist_edit(c("ab", "ba"))), 2)
  expect_identical(as.vector(gpu_dist_edit(c("ab", "ba", "b"), method = "hamming")), c(2, Inf, Inf))
  expect_identical(as.vector(gpu_dist_edit(c("caf\u00e9", "cafe"))), 1)
  expect_identical(as.vector(gpu_dist_edit(c("caf\u00e9", "cafe"), useBytes = TRUE)), 2)
  expect_identical(as.vector(gpu_dist_edit(iconv(c("caf\u00e9", "cafe"), "UTF-8", "latin1"))), 1)
  expect_identical(as.vector(gpu_dist_edit(factor(c("ab", "abcd")), max = 1)), Inf)
  expect_identical(
    gpu_dist_edit(x, c("kitten", x = "")), matrix(c(0, 3, NA, 6, 7, NA), 3, dimnames = list(
      names(x), c("", "x")
    ))
  )
  expect_length(gpu_dist_edit(character()), 0)
  # utils::adist() computes the same for characters.
  made <- made_up(60, 1)
  expect_identical(unname(as.matrix(gpu_dist_edit(made))), unname(utils::adist(made)))
})

test_that("distances are those of package stringdist", {
  skip_if_not_installed("stringdist")
  long <- vapply(1:30, function(i) strrep(made_up(1, i), 1 + i %% 12), "")
  for (method in c("lv", "osa", "hamming")) {
    for (x in list(texts, made_up(50, 2), long)) {
      expect_identical(
        as.vector(gpu_dist_edit(x, method = method)),
        as.vector(stringdist::stringdistmatrix(x, method = method))
      )
      expect_identical(
        gpu_dist_edit(x, rev(x)[-1], method), stringdist::stringdistmatrix(x, rev(x)[-1], method)
      )
    }
  }
})

test_that("neighbours are all texts within the distance, on any number of threads", {
  x <- made_up(900, 3)
  for (max in c(1, 2, 6)) {
    d <- utils::adist(x)
    diag(d) <- Inf
    wanted <- lapply(seq_along(x), function(i) {
      near <- which(d[i, ] <= max)
      near[order(d[i, near], near)]
    })
    for (threads in c(1, 3)) {
      near <- gpu_dist_edit(x, max = max, neighbors = TRUE, threads = threads)
      expect_identical(near$count, lengths(wanted))
      expect_identical(near$index, unlist(wanted))
      expect_identical(near$distance, d[cbind(rep(seq_along(x), near$count), near$index)])
    }
  }
  near <- gpu_dist_edit(c(a = "CASS", b = NA), c("CAS", "CASS", "W"), max = 1, neighbors = TRUE)
  expect_identical(near, list(count = c(a = 2L, b = 0L), index = 2:1, distance = c(0, 1)))
  expect_identical(gpu_info()$last$`function`, "gpu_dist_edit")
})

test_that("what are no texts is refused", {
  refused <- function(message, ...) {
    expect_error(gpu_dist_edit(...), message, fixed = TRUE, class = "gpugeo_error")
  }
  refused("x must be a character vector, not 1", 1)
  refused("y must be a character vector, not 1", "a", 1)
  refused("method must be one of \"lv\", \"osa\", \"hamming\", not \"jw\"", "a", method = "jw")
  refused("max must be a number of at least 0, not -1", "a", max = -1)
  refused("max must be a number of at least 0, not NA", "a", max = NA_real_)
  refused("useBytes must be true or false, not 2", "a", useBytes = 2)
  refused("neighbors must be true or false, not \"yes\"", "a", neighbors = "yes")
  refused("colour", "a", colour = 1)
  expect_error(gpu_dist_edit("a", backend = "cuda"), "backend must be", class = "gpugeo_error")
})
