# Returns the permutations that C code draws or takes, in columns, and the seed after them.
permutations_of <- function(order, rows = FALSE, inverse = FALSE, settings = run_settings()) {
  options <- list(order = order, rows = rows, inverse = inverse)
  made <- .Call(gpugeo:::C_order, list(), options, settings, quote(f()))
  list(order = made + 1L, seed = .Random.seed)
}

# Returns the same by R's own function.
sampled <- function(n, count) {
  made <- vapply(seq_len(count), function(k) sample.int(n), integer(n))
  list(order = made, seed = .Random.seed)
}

# Compares both after the same seed and so many random numbers.
expect_sampled <- function(n, count, before = 0) {
  set.seed(11)
  stats::runif(before)
  expected <- sampled(n, count)
  set.seed(11)
  stats::runif(before)
  expect_true(identical(permutations_of(c(as.integer(n), as.integer(count))), expected))
}

# Runs code with a generator of random numbers, whose kinds are those of RNGkind().
with_kind <- function(kind, sampling, code) {
  old <- RNGkind()
  on.exit(suppressWarnings(RNGkind(old[1L], old[2L], old[3L])))
  suppressWarnings(RNGkind(kind, sample.kind = sampling)) # of sampling by rounding
  code
}

test_that("free permutations are those of sample.int() for each generator", {
  kinds <- c(
    "Wichmann-Hill", "Marsaglia-Multicarry", "Super-Duper", "Mersenne-Twister", "Knuth-TAOCP",
    "Knuth-TAOCP-2002", "L'Ecuyer-CMRG"
  )
  for (kind in kinds) {
    for (sampling in c("Rejection", "Rounding")) {
      with_kind(kind, sampling, {
        for (n in c(13, 100)) expect_sampled(n, 20)
        for (n in c(65536, 65537, 70000)) expect_sampled(n, 2)
      })
    }
  }
})

test_that("numbers of one half and of two are drawn from any place of the generator's state", {
  for (n in c(2, 3, 16, 17, 32767, 32768, 32769, 65535, 65536, 65537, 131073)) {
    for (before in c(0, 1, 2, 622, 623, 624)) expect_sampled(n, 3, before)
  }
  expect_sampled(13, 0)
  expect_sampled(70000, 40) # several batches
})

test_that("numbers are the same with any vector instructions, from any place of the state", {
  sizes <- c(2, 100, 1023, 1025, 2000, 16385, 25145, 32768, 32769, 65536, 65537, 131073)
  code <- sprintf("
    made <- list()
    for (n in c(%s)) {
      for (before in c(0, 1, 607, 609, 623)) {
        set.seed(8)
        stats::runif(before)
        options <- list(order = c(as.integer(n), 3L), rows = FALSE, inverse = FALSE)
        order <- .Call(gpugeo:::C_order, list(), options, gpugeo:::run_settings(), quote(f()))
        drawn <- .Random.seed
        set.seed(8)
        stats::runif(before)
        expected <- vapply(1:3, function(k) sample.int(n), integer(n))
        made <- c(made, identical(order + 1L, expected) && identical(drawn, .Random.seed))
      }
    }
    cat(gpugeo::gpu_info()$simd, sum(unlist(made)), length(made))
  ", paste(sizes, collapse = ", "))
  for (simd in c("generic", "avx512")) {
    used <- strsplit(rscript(code, paste0("GPUGEO_SIMD=", simd)), " ")[[1L]]
    # Instructions that this machine does not have leave the widest ones in use.
    expect_true(used[1L] %in% c(simd, if (simd != "generic") gpu_info()$simd))
    expect_identical(used[2:3], c("60", "60"))
  }
})

test_that("free permutations are those of package permute", {
  skip_if_not_installed("permute")
  for (n in c(13, 100, 1000)) {
    set.seed(5)
    expected <- permute::shuffleSet(n, 30)
    set.seed(5)
    request <- permutation_set(30, n, NULL, quote(f()))
    expect_identical(request$seed, attr(expected, "seed"))
    made <- permutations_of(request$order, request$rows)
    expect_true(all(made$order == t(expected)))
  }
})

test_that("threads do not change permutations", {
  of_threads <- function(threads) {
    set.seed(2)
    permutations_of(c(3000L, 50L), settings = run_settings(threads = threads))
  }
  expect_identical(of_threads(3), of_threads(1))
})

test_that("permutations are inverted, drawn ones and those of a matrix", {
  set.seed(3)
  drawn <- sampled(50, 70)$order
  inverse <- apply(drawn, 2L, order)
  set.seed(3)
  expect_identical(permutations_of(c(50L, 70L), inverse = TRUE)$order, inverse)
  expect_identical(permutations_of(drawn, inverse = TRUE)$order, inverse)
  expect_identical(permutations_of(t(drawn), rows = TRUE, inverse = TRUE)$order, inverse)
  expect_identical(permutations_of(t(drawn), rows = TRUE)$order, drawn)
})

test_that("a session without a seed gets one", {
  set.seed(1)
  rm(".Random.seed", envir = globalenv())
  made <- permutations_of(c(40L, 5L))$order
  expect_identical(apply(made, 2L, sort), matrix(1:40, 40, 5))
  expect_true(exists(".Random.seed", globalenv()))
})

test_that("errors of the generator are those of R", {
  on.exit(rm(".Random.seed", envir = globalenv()))
  assign(".Random.seed", c(10403L, 5L), globalenv())
  expect_error(permutations_of(c(40L, 5L)), ".Random.seed", fixed = TRUE)
})

test_that("an interrupt leaves the state after what was drawn", {
  skip_if_interrupts_are_ignored()
  states <- function() {
    polls <- 0
    bar <- function(fraction) {
      polls <<- polls + 1
      if (polls == 2) tools::pskill(Sys.getpid(), tools::SIGINT)
    }
    settings <- run_settings(threads = 1, progress = TRUE, bar = bar)
    set.seed(4)
    value <- tryCatch(
      with_polls(permutations_of(c(70000L, 40L), settings = settings)),
      interrupt = function(condition) "interrupted"
    )
    expect_identical(value, "interrupted")
    left <- .Random.seed
    set.seed(4)
    after <- vapply(1:39, function(k) {
      sample.int(70000)
      identical(.Random.seed, left)
    }, NA)
    expect_identical(sum(after), 1L)
  }
  with_kind("Mersenne-Twister", "Rejection", states())
  with_kind("L'Ecuyer-CMRG", "Rejection", states())
})

test_that("strata and designs that do not fit are errors in our words", {
  skip_if_not_installed("permute")
  d <- stats::dist(c(1, 4, 9, 11, 3, 8))
  g <- gl(2, 3)
  wrong <- function(code, message) {
    expect_error(suppressMessages(code), message, fixed = TRUE, class = "gpugeo_error")
  }
  missing <- "strata must have no missing values, but value 3 is missing"
  strata <- c(1, 1, NA, 2, 2, 2)
  wrong(gpu_adonis2(d ~ g, permutations = 9, strata = strata), missing)
  wrong(gpu_anosim(d, g, 9, strata = strata), missing)
  wrong(gpu_mantel(d, d, permutations = 9, strata = strata), missing)
  wrong(gpu_pairwise_adonis(d, g, 9, strata = strata), missing)
  four <- permute::how(nperm = 9, blocks = gl(2, 2))
  wrong(gpu_mrpp(d, g, four), "permutations must have blocks of the 6 points, not of 4")
  plots <- permute::how(nperm = 9, plots = permute::Plots(gl(2, 2)))
  wrong(gpu_mrpp(d, g, plots), "permutations must have plots of the 6 points, not of 4")
  nine <- stats::dist(sin(1:9))
  wrong(
    gpu_pairwise_adonis(nine, gl(3, 3), permute::how(nperm = 9, blocks = gl(3, 3))),
    paste(
      "permutations must be a number or a design without blocks and plots, not one of 9 points:",
      "a pair of groups has 6; strata are blocks of the points of each pair"
    )
  )
  wrong(
    gpu_pairwise_adonis(nine, gl(3, 3), matrix(9:1, 1)),
    "permutations must be a number or a design without blocks and plots, not one of 9 points"
  )
})
