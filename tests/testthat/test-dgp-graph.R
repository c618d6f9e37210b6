clocks <- data.frame(
  u = c("A", "B", "C", "D", "A"), v = c("B", "C", "D", "A", "E"), distance = c(3, 4, 5, 2, 1)
)

# The positions along a spanning tree, edges with a side each in the order of the rows.
along_tree <- function(edges, side) {
  x <- c(0, rep(NA, max(edges[, 1:2]) - 1))
  while (anyNA(x)) {
    ends <- matrix(x[edges[, 1:2]], ncol = 2)
    forward <- which(is.na(ends[, 2]) & !is.na(ends[, 1]))
    backward <- which(is.na(ends[, 1]) & !is.na(ends[, 2]))
    x[edges[forward, 2]] <- ends[forward, 1] + (side * edges[, 3])[forward]
    x[edges[backward, 1]] <- ends[backward, 2] - (side * edges[, 3])[backward]
  }
  x
}

# How many orientations are possible: for exact distances of short binary fractions and tol = 0.
count_exact <- function(edges) {
  possible <- function(choice) {
    side <- 2 * (choice %/% 2^(seq_len(nrow(edges)) - 1) %% 2) - 1
    x <- along_tree(edges, side)
    all(x[edges[, 2]] - x[edges[, 1]] == side * edges[, 3])
  }
  as.numeric(sum(vapply(seq_len(2^nrow(edges)) - 1, possible, TRUE)))
}

# Are the distances of all realizations within their intervals?
within_bounds <- function(positions, edges, tol = 1e-12) {
  distance <- abs(positions[, edges[, 1], drop = FALSE] - positions[, edges[, 2], drop = FALSE])
  lower <- rep(edges[, 3], each = nrow(positions))
  upper <- rep(edges[, ncol(edges)], each = nrow(positions))
  all(distance >= lower - tol & distance <= upper + tol)
}

test_that("counts are those of all orientations", {
  set.seed(11)
  for (i in 1:20) {
    n <- sample(3:6, 1)
    x <- sample(0:24, n, TRUE) / 8 + seq_len(n) / 64 # no two at one position
    tree <- cbind(2:n, vapply(2:n, function(v) sample.int(v - 1, 1), 1L))
    further <- t(utils::combn(n, 2))[sample(choose(n, 2), 3), , drop = FALSE]
    pairs <- unique(t(apply(rbind(tree, further), 1, sort)))
    edges <- cbind(pairs, abs(x[pairs[, 1]] - x[pairs[, 2]]))
    graph <- gpu_dgp_graph(edges, tol = 0, max_solutions = 1000)
    expect_identical(graph$count, count_exact(edges))
    expect_identical(nrow(graph$positions), as.integer(graph$count))
    expect_identical(anyDuplicated(graph$positions), 0L)
    expect_true(within_bounds(graph$positions, edges))
  }
})

test_that("names are kept, in the order in which they appear", {
  graph <- gpu_dgp_graph(clocks, tol = 0)
  expect_s3_class(graph, "gpu_dgp_graph")
  expect_identical(graph$count, 4)
  expect_identical(graph$count_text, "4")
  expect_identical(graph$vertices, c("A", "B", "C", "D", "E"))
  expect_identical(colnames(graph$positions), graph$vertices)
  expect_setequal(graph$positions[, "C"], c(-7, 7))
  expect_identical(unname(graph$positions[, "A"]), numeric(4))
  expect_identical(c(graph$blocks, graph$bridges), c(2L, 1L))
  expect_identical(sort(graph$order$vertex), graph$vertices)
  expect_identical(is.na(graph$order$predecessor), c(TRUE, rep(FALSE, 4)))
  for (i in 2:5) {
    before <- graph$order$vertex[seq_len(i - 1)]
    expect_true(graph$order$predecessor[i] %in% before)
  }
  as_factors <- transform(clocks, u = factor(u), v = factor(v))
  expect_identical(gpu_dgp_graph(as_factors, tol = 0), graph)
  numbers <- clocks
  numbers$u <- match(clocks$u, graph$vertices)
  numbers$v <- match(clocks$v, graph$vertices)
  plain <- gpu_dgp_graph(numbers, tol = 0)
  expect_identical(plain$vertices, 1:5)
  expect_identical(plain$positions, unname(graph$positions))
  expect_identical(gpu_dgp_graph(as.matrix(numbers), tol = 0), plain)
})

test_that("intervals hold, and the first realizations are the first of all", {
  edges <- rbind(
    c(1, 2, 1, 2), c(2, 3, 0.5, 1), c(3, 4, 1, 1), c(4, 1, 0, 3), c(2, 4, 0.5, 2), c(4, 5, 0, 1)
  )
  all <- gpu_dgp_graph(edges, tol = 0, max_solutions = 1000)
  expect_identical(as.numeric(nrow(all$positions)), all$count)
  expect_true(within_bounds(all$positions, edges))
  for (threads in 1:3) {
    few <- gpu_dgp_graph(edges, tol = 0, max_solutions = 3, threads = threads)
    expect_identical(few$positions, all$positions[1:3, ])
    expect_identical(few$count, all$count)
  }
  none <- gpu_dgp_graph(edges, tol = 0, max_solutions = 0)
  expect_identical(dim(none$positions), c(0L, 5L))
  expect_identical(none$count, all$count)
})

test_that("the tolerance counts for each distance", {
  triangle <- rbind(c(1, 2, 1), c(2, 3, 1), c(3, 1, 2.25))
  expect_identical(gpu_dgp_graph(triangle, tol = 0)$count, 0)
  expect_identical(gpu_dgp_graph(triangle, tol = 1 / 16)$count, 0)
  expect_identical(gpu_dgp_graph(triangle, tol = 1 / 8)$count, 2)
  expect_true(within_bounds(gpu_dgp_graph(triangle, tol = 1 / 8)$positions, triangle, 1 / 8))
})

test_that("a cycle of exact distances is that of gpu_dgp()", {
  d <- gpu_dgp_instance(40, seed = 3)
  graph <- gpu_dgp_graph(cbind(1:40, c(2:40, 1), d), tol = 2^-40, max_solutions = 20)
  cycle <- gpu_dgp(d, tol = 40 * 2^-40, max_solutions = 20)
  expect_identical(graph$count, cycle$count)
  sorted <- function(x) x[order(x[, 2], x[, 3], x[, 4], x[, 5], x[, 6]), ]
  expect_equal(sorted(graph$positions), sorted(cycle$positions[, 1:40]), tolerance = 1e-9)
})

test_that("counts go beyond 2^53 and 2^128", {
  path <- function(n) cbind(seq_len(n), seq_len(n) + 1, 1)
  graph <- gpu_dgp_graph(path(100), max_solutions = 0)
  expect_identical(graph$count_text, "1267650600228229401496703205376")
  expect_identical(graph$count, 2^100)
  graph <- gpu_dgp_graph(path(128), max_solutions = 1)
  expect_identical(graph$count, Inf)
  expect_identical(graph$count_text, "2^128 or more")
  expect_identical(graph$positions[1, ], as.numeric(0:128))
})

test_that("files of MDjeep are read", {
  file <- tempfile()
  on.exit(unlink(file))
  old <- c(
    "    5    6   1.0383535043519623   1.0383535043519623  H1   N     GLU  GLU ", "", "# remark",
    "    7    5    1.0410619578103881   1.1  H2   N     GLU  GLU ", "6\t7 0.0 0.5 H2 H1 GLU GLU\r"
  )
  writeLines(old, file)
  graph <- gpu_dgp_graph(file)
  expect_identical(graph$vertices, as.numeric(5:7))
  expect_identical(colnames(graph$positions), c("5", "6", "7"))
  edges <- rbind(
    c(1, 2, 1.0383535043519623, 1.0383535043519623), c(3, 1, 1.0410619578103881, 1.1),
    c(2, 3, 0, 0.5)
  )
  expect_identical(unname(graph$positions), gpu_dgp_graph(edges)$positions)
  expect_identical(gpu_dgp_graph(file, format = "Id1 Id2 lb ub Name1 Name2 ignore"), graph)

  writeLines(c("2 1 1 1 1.5 2.0 H1 N LYS LYS", "3 1 1 1 1.0 1.0 H2 N LYS LYS"), file)
  graph <- gpu_dgp_graph(file)
  expect_identical(graph$positions[1, ], c(`1` = 0, `2` = 1.75, `3` = 1))
  writeLines(c("2 1 1 1 1.5 2.0"), file)
  expect_identical(gpu_dgp_graph(file)$positions[1, ], c(`1` = 0, `2` = 1.75))
  writeLines(c("0 1 1 1"), file)
  expect_identical(gpu_dgp_graph(file)$vertices, c(0, 1))
})

test_that("MDfiles are read", {
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  md <- file.path(folder, "one.mdf")
  writeLines("1,a,2,0.5,1.5", file.path(folder, "list.nmr"))
  writeLines(c(
    "", "# a remark", "instance: one", "with file: nowhere.nmr", "with file: list.nmr ",
    "#with file: other.nmr", "with format: Id1 ignore Id2 lb ub", "with separator: ','", "",
    "algorithm: bp", "with resolution: 5.0"
  ), md)
  expect_identical(unname(gpu_dgp_graph(md)$positions), rbind(c(0, 1), c(0, -1)))
  writeLines(c("with file: nowhere.nmr", "with format: Id1 Id2 lb ub"), md)
  expect_error(gpu_dgp_graph(md), "nowhere.nmr\" cannot be read", fixed = TRUE)
  writeLines("instance: one", md)
  expect_error(
    gpu_dgp_graph(md), "must have the lines \"with file:\" and \"with format:\"",
    fixed = TRUE
  )
})

test_that("what is wrong with a file is said with its line", {
  file <- tempfile()
  on.exit(unlink(file))
  fails <- function(lines, message, ...) {
    writeLines(lines, file)
    expect_error(gpu_dgp_graph(file, ...), message, fixed = TRUE, class = "gpugeo_error")
  }
  fails(c("1 2 1 1", "1 x 1 1"), "line 2: Id2 must be a whole number of at least 0, not \"x\"")
  fails("1 -2 1 1", "line 1: Id2 must be a whole number of at least 0, not \"-2\"")
  fails("1 2 1 one", "line 1: ub must be a number, not \"one\"")
  fails(c("1 2 1 1", "1 2 1"), "line 2: there must be 4 fields, not 3")
  fails("", "must hold a distance")
  fails("5 6 2 1", "edge 1 (5, 6): lower must be at most upper, which is 1, not 2")
  fails(c("5 6 1 1", "8 9 1 1"), "it has 3 components: {5, 6}, {7}, {8, 9}")
  fails("1 2 1 1", "format must have each of Id1, Id2, lb and ub once", format = "Id1 Id2 lb")
  fails("1 2 1 1", "format must consist of Id1,", format = "Id1 Id2 lb upper")
  fails("1 2 1 1", "format must be a single string, not 1", format = 1)
  expect_error(gpu_dgp_graph(tempfile()), "cannot be read: No such file", class = "gpugeo_error")
})

test_that("wrong arguments are named", {
  fails <- function(message, ...) {
    expect_error(gpu_dgp_graph(...), message, fixed = TRUE, class = "gpugeo_error")
  }
  edges <- rbind(c(1, 2, 1))
  fails("edges must be a numeric matrix, not NULL", NULL)
  fails("edges must be a numeric matrix, not text", matrix("a", 2, 3))
  fails("edges must be a numeric matrix, not text", data.frame(u = "a", v = "b", d = "c"))
  fails("edges must have 3 or 4 columns (u, v, lower, upper), not 2", cbind(1, 2))
  fails("edges must have 3 or 4 columns", data.frame(u = "a", v = "b"))
  fails("the graph must have a vertex", matrix(0, 0, 3))
  fails("edge 2 must have two names, not NA", data.frame(u = c("a", "b"), v = c("b", NA), d = 1))
  fails("edge 2 must join two vertices, not B with itself", rbind(
    clocks, data.frame(u = "B", v = "B", distance = 1)
  )[c(1, 6), ])
  fails("edge 1 (A, B): lower must be a finite", data.frame(u = "A", v = "B", d = NA_real_))
  fails("it has 2 components: {A, B}, {C, D}", clocks[c(1, 3), ])
  fails('tol must be at least 0 and finite, not "small"', edges, tol = "small")
  fails("max_solutions must be a whole number, not 0.5", edges, max_solutions = 0.5)
  fails("max_solutions = 1000000000000000 needs", edges, max_solutions = 1e15)
  fails("format is for files only", edges, format = "Id1 Id2 lb ub")
  fails("backend must be \"auto\" or \"cpu\" for graphs", edges, backend = "cuda")
  fails("unused argument extra", edges, extra = 1)
})

test_that("it prints and plots", {
  graph <- gpu_dgp_graph(clocks)
  text <- capture.output(value <- print(graph))
  expect_identical(value, graph)
  first <- "4 realizations of a graph of 5 vertices within 1e-06 of its distances."
  expect_identical(text[1], first)
  expect_identical(text[2], "2 blocks, 1 bridge")
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit(unlink(file))
  expect_identical(plot(graph, main = "title"), graph)
  expect_silent(plot(gpu_dgp_graph(clocks, max_solutions = 0)))
  grDevices::dev.off()
  expect_gt(file.size(file), 1000)
})

test_that("gpu_info() tells of it", {
  gpu_dgp_graph(clocks, threads = 1)
  last <- gpu_info()$last
  expect_identical(last$`function`, "gpu_dgp_graph")
  expect_identical(last$backend, "cpu")
  expect_identical(last$threads, 1L)
})

test_that("an interrupt ends a long search", {
  skip_if_interrupts_are_ignored()
  # Three equally long paths between two vertices.
  arm <- 20 # hours
  inner <- function(path) 2 + (path - 1) * (arm - 1) + seq_len(arm - 1)
  paths <- lapply(1:3, function(path) {
    cbind(c(1, inner(path)), c(inner(path), 2), 1 + (seq_len(arm) + path) %% arm %% 7)
  })
  edges <- do.call(rbind, paths)
  for (threads in 1:2) {
    told <- 0
    bar <- function(fraction) {
      told <<- told + 1
      tools::pskill(Sys.getpid(), tools::SIGINT)
    }
    settings <- run_settings(backend = "cpu", threads = threads, progress = TRUE, bar = bar)
    options <- list(tol = 0, max_solutions = 0)
    value <- tryCatch(
      with_polls(.Call(gpugeo:::C_dgp_graph, list(edges), options, settings, quote(f()))),
      interrupt = function(condition) "interrupted"
    )
    expect_identical(value, "interrupted")
    expect_identical(told, 1)
  }
})
