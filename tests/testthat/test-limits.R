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

# Runs code in a new R process with so many KiB of address space, on more threads than can be
# started then. Returns what it printed.
limited <- function(code, kib) {
  script <- tempfile(fileext = ".R")
  writeLines(code, script)
  on.exit(unlink(script))
  command <- sprintf(
    "ulimit -v %s && GPUGEO_THREADS=16 exec %s --vanilla %s 2>&1",
    if (is.finite(kib)) sprintf("%.0f", kib) else "unlimited",
    shQuote(file.path(R.home("bin"), "Rscript")), shQuote(script)
  )
  printed <- suppressWarnings(system2("/bin/sh", c("-c", shQuote(command)), stdout = TRUE))
  paste(printed, collapse = "\n")
}

# What is done before the calls. R's stack grows to what they need, as R ends if it cannot grow: by
# lapply(), because R 4.5 takes no stack for other calls.
before_calls <- c(
  "library(gpugeo)",
  "loaded <- loadNamespace('permute')",
  "deep <- function(x) if (isTRUE(Cstack_info()[['current']] < 4e6)) lapply(1, deep)",
  "depth <- deep(1)",
  "x <- matrix(sin(seq_len(3e4)), 1e4)",
  "many <- sin(seq_len(6e5))",
  "dim(many) <- c(2e5, 3)",
  "edges <- cbind(1:1e5, 2:100001)",
  "group <- factor(rep(1:4, 2500))",
  "chain <- list(merge = cbind(-(2:1e4), c(-1, 1:9998)), height = as.numeric(1:9999))",
  "chain <- structure(c(chain, list(order = 1:1e4, method = 'single')), class = 'hclust')"
)

# A call of each family, none of which needs less than 8 MB.
calls <- c(
  "calls <- list(",
  "  dist = function() gpu_dist(x),",
  "  cdist = function() gpu_cdist(x, x),",
  "  tile = function() gpu_dist_tile(x, gpu_tiles_plan(x, side = 4000), 1),",
  "  cor = function() gpu_cor(t(x[1:3000, ])),",
  "  knn = function() gpu_knn(many, 20),",
  "  radius = function() gpu_radius(x, 1),",
  "  graph_of_neighbours = function() gpu_neighbor_graph(many, 20),",
  "  closest = function() gpu_closest_pair(x, k = 1e6),",
  "  collisions = function() gpu_collisions(x, 0.5, what = 'pairs'),",
  "  future = function() {",
  "    gpu_collisions_fetch(gpu_collisions_launch(x, 0.5, what = 'pairs'))",
  "  },",
  "  dgp = function() gpu_dgp(sqrt(2:33), max_solutions = 1e6),",
  "  dgp_sums = function() gpu_dgp_sums(sqrt(2:26)),",
  "  dgp_graph = function() gpu_dgp_graph(cbind(edges, 1), max_solutions = 1),",
  "  layout = function() gpu_layout(edges, iterations = 1),",
  "  quality = function() gpu_layout_quality(edges, many[1:100001, 1:2], pivots = 2),",
  "  hclust = function() gpu_hclust(x),",
  "  cophenetic = function() gpu_cophenetic(chain),",
  "  mst = function() gpu_mst(many),",
  "  dbscan = function() gpu_dbscan(many, 0.001),",
  "  hdbscan = function() gpu_hdbscan(many, 5),",
  "  silhouette = function() gpu_silhouette(many[1:20000, ], rep(1:200, 100), threads = 1),",
  "  pam = function() gpu_pam(x, 3),",
  "  nj = function() gpu_nj(x),",
  "  bionj = function() gpu_bionj(x),",
  "  upgma = function() gpu_upgma(x),",
  "  adonis2 = function() gpu_adonis2(x ~ group, method = 'euclidean'),",
  "  pairwise_adonis = function() gpu_pairwise_adonis(x, group),",
  "  anosim = function() gpu_anosim(x, group, permutations = 99, distance = 'euclidean'),",
  "  mrpp = function() gpu_mrpp(x, group),",
  "  betadisper = function() gpu_betadisper(x, group),",
  "  pcoa = function() gpu_pcoa(x, 2),",
  "  mds = function() gpu_mds(x, 2)",
  ")",
  "if (nzchar(file)) {",
  "  calls$file <- function() {",
  "    written <- tempfile(fileext = '.h5')",
  "    on.exit(unlink(written))",
  "    gpu_dist(x[1:4000, ], file = written)",
  "  }",
  "  calls$mantel <- function() {",
  "    opened <- gpu_dist_file(file)",
  "    gpu_mantel(opened, opened, permutations = 9)",
  "  }",
  "}",
  "outcome <- function(call) {",
  "  tryCatch({",
  "    call()",
  "    'right'",
  "  }, gpugeo_error = function(e) if (e$code == 3) 'memory' else conditionMessage(e),",
  "  error = function(e) {",
  "    if (grepl('allocate', conditionMessage(e))) 'memory' else conditionMessage(e)",
  "  })",
  "}",
  "for (name in names(calls)) cat('|', name, ': ', outcome(calls[[name]]), '\n', sep = '')",
  "cat('lives:', sum(gpu_dist(matrix(1:4, 2))), '\n')"
)

test_that("calls fail with an error when memory runs out, and the session lives", {
  skip_on_os(c("windows", "mac", "solaris"))
  skip_if_not(file.exists("/proc/self/statm"))
  skip_if_not_installed("permute")
  file <- ""
  if (nzchar(gpu_hdf5_version())) {
    file <- tempfile(fileext = ".h5")
    on.exit(unlink(file))
    gpu_dist(matrix(sin(seq_len(9000)), 3000), file = file)
  }
  before <- c(
    sprintf(".libPaths(c(%s))", paste(encodeString(.libPaths(), quote = '"'), collapse = ", ")),
    sprintf("file <- %s", encodeString(file, quote = '"')), before_calls
  )
  peak <- "cat(grep('VmPeak', readLines('/proc/self/status'), value = TRUE))"
  size <- as.numeric(gsub("\\D", "", limited(c(before, peak), Inf)))
  for (kib in c(8000, 100000)) {
    printed <- limited(c(before, calls), size + kib)
    expect_match(printed, "lives: 1.414", info = paste(kib, printed))
    outcomes <- grep("^\\|", strsplit(printed, "\n")[[1]], value = TRUE)
    expect_length(outcomes, sum(grepl("^  \\w+ = function\\(\\)", calls)) + 2 * nzchar(file))
    allowed <- if (kib == 8000) "memory" else c("right", "memory")
    expect_identical(outcomes[!sub(".*: ", "", outcomes) %in% allowed], character())
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
  distances <- function(limit) {
    gpu_graph_distances(path[, 1:2], 1, rep(1, 9999), memory_limit = limit)
  }
  expect_identical(
    message_of(distances(2^20)),
    paste(
      "memory_limit must be at least 1159936 bytes for the distances in a graph of 10000 vertices",
      "and 9999 edges, not 1048576"
    )
  )
  expect_identical(distances(1159936), matrix(0 + 0:9999, 1))
})
