x <- matrix(sin(seq_len(300)), 100)

test_that("more threads than the limit are refused", {
  message <- "threads must be a whole number between 1 and 1024, not "
  expect_error(gpu_dist(x, threads = 1e6), paste0(message, "1000000"), class = "gpugeo_error")
  expect_error(gpu_knn(x, 2, threads = 1025), paste0(message, "1025"), class = "gpugeo_error")
  old <- options(gpugeo.threads = 1e6)
  on.exit(options(old))
  expect_error(gpu_dist(x), paste0(message, "1000000"), class = "gpugeo_error")
  options(gpugeo.threads = NULL)
  old_variable <- Sys.getenv("GPUGEO_THREADS", unset = NA)
  on.exit(if (is.na(old_variable)) {
    Sys.unsetenv("GPUGEO_THREADS")
  } else {
    Sys.setenv(GPUGEO_THREADS = old_variable)
  }, add = TRUE)
  Sys.setenv(GPUGEO_THREADS = "1e5")
  expect_error(gpu_dist(x), message, class = "gpugeo_error")
  expect_type(gpu_info()$threads, "integer")
})

test_that("as many threads as the limit compute", {
  expect_identical(as.vector(gpu_dist(x, threads = 1024)), as.vector(gpu_dist(x, threads = 1)))
})

test_that("a graph that memory cannot hold is refused with its size", {
  skip_if_not(nzchar(Sys.which("Rscript")))
  code <- paste(
    "Sys.setenv(GPUGEO_MEMORY = '20')",
    "e <- tryCatch(gpugeo::gpu_layout(cbind(c(1, 1e9), c(2, 3))), gpugeo_error = identity)",
    "cat(class(e)[[1]], e$code, conditionMessage(e))",
    sep = "; "
  )
  expect_match(
    rscript(code),
    "gpugeo_error 3 the layout of 1000000000 vertices and 2 edges needs 44.7 GiB, more than the 20"
  )
})

# KiB of address space that R and gpugeo take.
size_of_r <- function() {
  pages <- "cat(scan('/proc/self/statm', quiet = TRUE)[1] * 4)"
  as.numeric(rscript(paste("suppressMessages(library(gpugeo));", pages)))
}

# Runs code in a new R process with so many KiB of address space, on more threads than can be started.
limited <- function(code, kib) {
  script <- tempfile(fileext = ".R")
  writeLines(code, script)
  on.exit(unlink(script))
  command <- sprintf(
    "ulimit -v %.0f && GPUGEO_THREADS=16 exec %s --vanilla %s 2>&1", kib,
    shQuote(file.path(R.home("bin"), "Rscript")), shQuote(script)
  )
  printed <- suppressWarnings(system2("/bin/sh", c("-c", shQuote(command)), stdout = TRUE))
  paste(printed, collapse = "\n")
}

test_that("calls fail with an error when memory runs out, and the session lives", {
  skip_on_os(c("windows", "mac", "solaris"))
  skip_if_not(file.exists("/proc/self/statm"))
  code <- c(
    sprintf(".libPaths(c(%s))", paste(encodeString(.libPaths(), quote = '"'), collapse = ", ")),
    "library(gpugeo)",
    "x <- matrix(sin(seq_len(3e4)), 1e4)",
    "edges <- cbind(1:1e5, 2:100001)",
    "calls <- list(",
    "  function() gpu_dist(x), function() gpu_cor(t(x[1:3000, ])), function() gpu_knn(x, 50),",
    "  function() gpu_closest_pair(x, k = 1e5), function() gpu_collisions(x, 0.5, what = 'pairs'),",
    "  function() gpu_dgp(sqrt(2:33), max_solutions = 1e6), function() gpu_dgp_sums(sqrt(2:26)),",
    "  function() gpu_layout(edges, iterations = 1),",
    "  function() gpu_layout_quality(edges[1:2e4, ], x[c(1:1e4, 1:1e4, 1), 1:2], pivots = 2)",
    ")",
    "outcomes <- vapply(calls, function(call) {",
    "  tryCatch({ call(); 'right' }, gpugeo_error = function(e) paste('code', e$code),",
    "    error = function(e) {",
    "      if (grepl('allocate', conditionMessage(e))) 'code R' else conditionMessage(e)",
    "    })",
    "}, '')",
    "cat('outcomes:', outcomes, sep = '|')",
    "cat('|lives:', sum(gpu_dist(matrix(1:4, 2))), '\\n', sep = '')"
  )
  size <- size_of_r()
  for (kib in c(40000, 80000, 160000)) {
    printed <- limited(code, size + kib)
    expect_match(printed, "lives:1.414", info = paste(kib, printed))
    outcomes <- sub(".*outcomes:\\|", "", sub("\\|lives.*", "", printed))
    outcomes <- strsplit(outcomes, "|", fixed = TRUE)[[1]]
    expect_true(all(outcomes %in% c("right", "code 3", "code R")), info = paste(kib, printed))
    expect_true(any(outcomes != "right"), info = paste(kib, printed))
  }
})

test_that("a layout's callback may call gpugeo", {
  edges <- cbind(1:50, 2:51)
  calls <- 0
  inner <- gpu_dist(diag(3))
  plain <- gpu_layout(edges, iterations = 4, seed = 1, backend = "cpu")
  callback <- function(...) {
    calls <<- calls + 1
    stopifnot(identical(gpu_dist(diag(3)), inner))
  }
  xy <- gpu_layout(
    edges, iterations = 4, seed = 1, backend = "cpu", callback_every = 1, callback = callback
  )
  expect_gt(calls, 0)
  expect_identical(xy, plain)
})

test_that("memory_limit holds for graphs", {
  message_of <- function(code) conditionMessage(tryCatch(code, gpugeo_error = identity))
  path <- cbind(1:9999, 2:10000, 1, 1)
  expect_identical(
    message_of(gpu_dgp_graph(path, max_solutions = 0, memory_limit = 2^20)),
    paste(
      "memory_limit must be at least 2739750 bytes for a graph of 10000 vertices and 9999 edges,",
      "not 1048576"
    )
  )
  expect_identical(
    gpu_dgp_graph(path, max_solutions = 0, memory_limit = 2739750)$count_text, "2^128 or more"
  )
  quality <- function(limit) {
    gpu_layout_quality(
      path[, 1:2], cbind(1:10000, 0), pivots = 1, crossings = 0, memory_limit = limit
    )
  }
  expect_identical(
    message_of(quality(2^20)),
    paste(
      "memory_limit must be at least 1339948 bytes for a layout of 10000 vertices and 9999 edges,",
      "not 1048576"
    )
  )
  expect_identical(quality(1339948)[["edge_variation"]], 0)
})
