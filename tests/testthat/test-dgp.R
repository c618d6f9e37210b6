algorithms <- c("auto", "branch-and-prune", "exhaustive", "meet-in-the-middle")

# All sums by the matrix M, exact where d is of short binary fractions.
sums_of <- function(d) {
  signs <- 2 * outer(seq_len(2^length(d)) - 1, seq_along(d) - 1, function(i, j) i %/% 2^j %% 2) - 1
  as.vector(signs %*% d)
}

# On the backends that have the algorithm.
method_backends <- function(algorithm) if (algorithm == "branch-and-prune") "cpu" else backends

short <- function(n) (1 + sample(2^14, n, TRUE)) / 2^14

test_that("counts and solutions are those of all sums", {
  set.seed(41)
  for (n in c(1, 2, 5, 11, 14)) {
    d <- short(n)
    sums <- sums_of(d)
    for (tol in c(0, 2^-8, 0.1, max(abs(sums)))) {
      best <- order(abs(sums))
      best <- head(best[abs(sums[best]) <= tol], 10)
      for (algorithm in algorithms) {
        for (backend in method_backends(algorithm)) {
          cycle <- gpu_dgp(d, tol, algorithm, backend = backend)
          expect_same(cycle$count, as.numeric(sum(abs(sums) <= tol)))
          expect_same(cycle$count_text, format(cycle$count))
          expect_same(cycle$rows, as.numeric(best))
          expect_same(cycle$residual, abs(sums[best]))
          expect_same(cycle$backend, backend)
        }
      }
    }
  }
})

test_that("a solution has its signs, positions and residual", {
  d <- gpu_dgp_instance(24, seed = 5)
  cycle <- gpu_dgp(d, tol = 1e-4, max_solutions = 7)
  expect_s3_class(cycle, "gpu_dgp")
  expect_identical(dim(cycle$signs), c(7L, 24L))
  expect_identical(dim(cycle$positions), c(7L, 25L))
  expect_true(all(abs(cycle$signs) == 1L))
  expect_identical(cycle$rows, 1 + as.vector((cycle$signs > 0) %*% 2^(0:23)))
  expect_equal(cycle$positions, cbind(0, t(apply(cycle$signs %*% diag(d), 1, cumsum))))
  expect_identical(cycle$positions[, 1], numeric(7))
  expect_identical(abs(cycle$positions[, 25]), cycle$residual)
  expect_identical(cycle$residual[1:2], c(0, 0)) # planted
  expect_equal(cycle$expected, 2^24 * 2e-4 / sqrt(2 * pi * sum(d^2)))
  expect_identical(cycle$n, 24L)
})

test_that("mirror images count once when asked", {
  d <- gpu_dgp_instance(20, seed = 6)
  both <- gpu_dgp(d, tol = 1e-3, max_solutions = 1000)
  for (algorithm in algorithms) {
    one <- gpu_dgp(d, tol = 1e-3, algorithm, max_solutions = 1000, symmetric = TRUE)
    expect_identical(2 * one$count, both$count)
    expect_identical(one$rows, both$rows[both$rows <= 2^19])
    expect_true(all(one$signs[, 20] == -1L))
  }
})

test_that("large counts and row numbers keep all digits", {
  coins <- gpu_dgp(rep(1, 100), tol = 0, max_solutions = 0)
  expect_identical(coins$count_text, "100891344545564193334812497256")
  expect_equal(coins$count, choose(100, 50))
  expect_identical(dim(coins$signs), c(0L, 100L))
  expect_length(coins$rows, 0)
  far <- gpu_dgp(2^(0:54), tol = 1, max_solutions = 1)
  expect_identical(far$rows, "18014398509481984")
  expect_identical(far$count, 2)
})

test_that("a sum at the tolerance counts, and one beyond does not", {
  for (algorithm in algorithms) {
    for (backend in method_backends(algorithm)) {
      count <- function(d, tol, ...) gpu_dgp(d, tol, algorithm, ..., backend = backend)$count
      gap <- 0.7 - 0.1 # exact: no bit of 0.7 is lost
      expect_identical(count(c(0.7, 0.1), gap), 2)
      expect_identical(count(c(0.7, 0.1), gap * (1 - 2^-53)), 0)
      expect_identical(count(c(1e300, 1e-300), 1e300), 2)
      expect_identical(count(c(1e300, 1e-300), 1e300, exact = FALSE), 4)
    }
  }
})

test_that("all sums are those of M", {
  set.seed(42)
  d <- short(13)
  for (backend in backends) {
    expect_identical(gpu_dgp_sums(d, backend = backend), sums_of(d))
    expect_identical(gpu_dgp_sums(3L, backend = backend), c(-3, 3))
    expect_identical(gpu_info()$last$backend, backend)
  }
})

test_that("instances follow their seed, or R's generator", {
  d <- gpu_dgp_instance(30, seed = 1)
  expect_identical(gpu_dgp_instance(30, seed = 1), d)
  expect_false(identical(gpu_dgp_instance(30, seed = 2), d))
  expect_true(all(d > 0 & d < 1))
  expect_identical(d * 2^40, round(d * 2^40))
  set.seed(1)
  drawn <- gpu_dgp_instance(9)
  expect_false(identical(gpu_dgp_instance(9), drawn))
  set.seed(1)
  expect_identical(gpu_dgp_instance(9), drawn)
  expect_error(gpu_dgp_instance(1), "n must be between 2 and 127, not 1", class = "gpugeo_error")
  expect_error(gpu_dgp_instance(9, seed = -1), "seed must be", class = "gpugeo_error")
})

test_that("a cycle prints and plots", {
  cycle <- gpu_dgp(c(3, 4, 5, 2), tol = 0)
  expect_output(print(cycle), "2 of 2^4 choices of signs sum to at most 0;", fixed = TRUE)
  expect_output(print(cycle), "meet-in-the-middle on backend cpu")
  expect_output(print(gpu_dgp(c(1, 9))), "^0 of 2")
  picture <- tempfile(fileext = ".pdf")
  on.exit(unlink(picture))
  grDevices::pdf(picture)
  expect_identical(plot(cycle, main = "a cycle"), cycle)
  plot(gpu_dgp(c(1, 9)))
  grDevices::dev.off()
  expect_gt(file.size(picture), 1000)
})

test_that("wrong arguments are named", {
  expect_failure_text <- function(expression, text) {
    expect_error(expression, text, fixed = TRUE, class = "gpugeo_error")
  }
  expect_failure_text(gpu_dgp("text"), "d must be a numeric matrix, not text")
  expect_failure_text(gpu_dgp(factor(1:3)), "d must be")
  expect_failure_text(gpu_dgp(numeric()), "d must have between 1 and 127 distances, not 0")
  expect_failure_text(gpu_dgp(NULL), "d must have between 1 and 127 distances, not 0")
  expect_failure_text(
    gpu_dgp(c(1, NA)), "d must hold positive, finite distances, not NA (the one numbered 2)"
  )
  expect_failure_text(gpu_dgp(1:3, tol = "small"), 'tol must be at least 0 and finite, not "small"')
  expect_failure_text(gpu_dgp(1:3, max_solutions = 1.5), "max_solutions must be a whole number")
  expect_failure_text(gpu_dgp(1:3, algorithm = "guess"), "algorithm must be one of")
  expect_failure_text(gpu_dgp(1:3, symmetric = NA), "symmetric must be true or false, not NA")
  expect_failure_text(gpu_dgp(1:3, colour = 1), "unused argument colour")
  expect_failure_text(gpu_dgp(1 + stats::runif(90)), "d must have at most")
  expect_failure_text(
    gpu_dgp(1 + stats::runif(60), max_solutions = 2^50), "max_solutions = 1125899906842624 needs"
  )
  expect_failure_text(gpu_dgp_sums(1:31), "d must have between 1 and 30 distances, not 31")
})

test_that("an interrupt ends a long search", {
  skip_if_interrupts_are_ignored()
  told <- 0
  bar <- function(fraction) {
    told <<- told + 1
    tools::pskill(Sys.getpid(), tools::SIGINT)
  }
  settings <- run_settings(backend = "cpu", threads = 1, progress = TRUE, bar = bar)
  for (algorithm in algorithms[-1]) {
    options <- list(
      tol = 0, algorithm = algorithm, max_solutions = 0, exact = TRUE, symmetric = FALSE,
      prune = FALSE
    )
    d <- gpu_dgp_instance(if (algorithm == "meet-in-the-middle") 60 else 40, seed = 8)
    told <- 0
    value <- tryCatch(
      with_polls(.Call(gpugeo:::C_dgp, list(d), options, settings, quote(f()))),
      interrupt = function(condition) "interrupted"
    )
    expect_identical(value, "interrupted")
    expect_identical(told, 1)
  }
})
