# Values are shown in messages as they were given.
x <- matrix(as.numeric(1:12), 4)
edges <- cbind(1:2, 2:3)

expect_refused <- function(call, message, argument) {
  condition <- tryCatch(call, error = identity)
  expect_s3_class(condition, c("gpugeo_error", "error", "condition"), exact = TRUE)
  expect_identical(conditionMessage(condition), message)
  expect_identical(condition$argument, argument)
}

test_that("NULL is refused where a value must be given", {
  expect_refused(gpu_knn(x, NULL), "k must be a whole number, not NULL", "k")
  expect_refused(gpu_radius(x, NULL), "radius must be a number of at least 0, not NULL", "radius")
  expect_refused(gpu_dist(x, p = NULL), "p must be a positive number, not NULL", "p")
  expect_refused(gpu_closest_pair(x, k = NULL), "k must be a whole number, not NULL", "k")
  expect_refused(gpu_metric("minkowski", NULL), "p must be a positive number, not NULL", "p")
  expect_refused(
    gpu_collisions(x, 1, exclude = NULL), "exclude must be a whole number, not NULL", "exclude"
  )
  expect_refused(gpu_layout(edges, dim = NULL), "dim must be a whole number, not NULL", "dim")
  expect_refused(
    gpu_layout(edges, tolerance = NULL), "tolerance must be at least 0 and finite, not NULL",
    "tolerance"
  )
  expect_refused(gpu_dgp(1:3, tol = NULL), "tol must be at least 0 and finite, not NULL", "tol")
  expect_refused(
    gpu_dgp_graph(cbind(1, 2, 1), max_solutions = NULL),
    "max_solutions must be a whole number, not NULL", "max_solutions"
  )
  expect_refused(gpu_dgp_instance(NULL), "n must be a whole number, not NULL", "n")
  expect_refused(
    gpu_dist_tile(x, gpu_tiles_plan(x, side = 2), NULL),
    "tile must be between 1 and 3 (the tiles there are), not NULL", "tile"
  )
})

test_that("what is no single number is shown as it was given", {
  given <- list(
    "c(1, 2)" = 1:2, "\"3\"" = "3", "TRUE" = TRUE, "NA" = NA, "NaN" = NaN, "1.5" = 1.5,
    "numeric(0)" = numeric(), "integer(0)" = integer(), "character(0)" = character(),
    "logical(0)" = logical(), "an environment" = new.env(), "a function" = sum,
    "a list" = list(1), "a data frame" = data.frame(1), "a factor" = factor(1),
    "a symbol" = quote(a), "a call" = quote(a + b), "a complex number" = 1i,
    "raw bytes" = as.raw(1), "a 2 x 2 matrix" = diag(2), "c(NA, 2, 3, 4, 5, ...)" = c(NA, 2:9),
    "c(\"a\", NA)" = c("a", NA), "c(TRUE, FALSE)" = c(TRUE, FALSE)
  )
  for (shown in names(given)) {
    expect_refused(
      gpu_knn(x, given[[shown]]), paste0("k must be a whole number, not ", shown), "k"
    )
    expect_refused(
      gpu_dist(x, threads = given[[shown]]),
      paste0("threads must be a whole number between 1 and 1024, not ", shown), "threads"
    )
  }
})

test_that("settings and seeds are shown as they were given", {
  expect_refused(
    gpu_dist(x, memory_limit = "4GB"),
    "memory_limit must be a whole number of at least 1048576, not \"4GB\"", "memory_limit"
  )
  expect_refused(
    gpu_layout(edges, seed = "a"), "seed must be a whole number of at least 0, not \"a\"", "seed"
  )
  expect_refused(
    gpu_layout(edges, fixed = c(TRUE, NA, TRUE)),
    paste(
      "fixed must be true or false for each vertex, or numbers of vertices from 1 to 3, not",
      "c(TRUE, NA, TRUE)"
    ), "fixed"
  )
  expect_refused(
    gpu_layout(edges, fixed = "a"),
    "fixed must be true or false for each vertex, or numbers of vertices from 1 to 3, not \"a\"",
    "fixed"
  )
})

test_that("p is checked where no metric uses it", {
  message <- "p must be a positive number, not -2"
  expect_refused(gpu_dist(x, p = -2), message, "p")
  expect_refused(gpu_cdist(x, x, "maximum", p = -2), message, "p")
  expect_refused(gpu_metric("euclidean", p = -2), message, "p")
})

test_that("NA is not called NaN", {
  expect_refused(
    gpu_dist(x, gpu_metric("seuclidean", scale = c(1, NA, 1))),
    "scale must be positive and finite, but value 2 is NA", "scale"
  )
  skip_if_not_installed("igraph")
  ring <- igraph::make_ring(3)
  ring <- igraph::set_edge_attr(ring, "weight", value = c(1, NA, 2))
  expect_refused(
    gpu_layout(ring), "edge 2 (2, 3): weight must be between 0 and 1000000000, not NA", "weights"
  )
})

test_that("messages are valid UTF-8 wherever they are cut", {
  for (before in 0:3) {
    method <- paste0(strrep("a", before), strrep("\u00e9", 100), strrep("\U1F600", 100))
    text <- tryCatch(gpu_dist(x, method), error = conditionMessage)
    expect_true(validUTF8(text))
    expect_match(text, "\u00e9", fixed = TRUE)
    expect_true(validUTF8(tryCatch(gpu_knn(x, method), error = conditionMessage)))
    path <- file.path(tempdir(), paste0(method, strrep(method, 2)))
    expect_true(validUTF8(tryCatch(gpu_read_edges(path), error = conditionMessage)))
  }
  latin <- "caf\xe9"
  Encoding(latin) <- "latin1"
  text <- tryCatch(gpu_dist(x, latin), error = conditionMessage)
  expect_match(text, "not \"caf\u00e9\"", fixed = TRUE)
})

test_that("integer64 is refused", {
  i <- structure(c(1, 2), class = "integer64")
  message <- "x must be a numeric matrix, not integer64; as.double() converts it"
  expect_refused(gpu_dist(i), message, "x")
  expect_refused(gpu_cor(i, i), message, "x")
  expect_refused(gpu_collisions(i, 1), message, "x")
  columns <- structure(list(a = c(1, 2), i = i), class = "data.frame", row.names = 1:2)
  message <- "x must have numeric columns, but column \"i\" is integer64; as.double() converts it"
  expect_refused(gpu_dist(columns), message, "x")
  message <- paste(
    "graph must have columns of numbers or names, but column \"i\" is integer64;",
    "as.double() converts it"
  )
  expect_refused(gpu_layout(columns), message, "graph")
  k <- structure(2, class = "integer64")
  expect_refused(gpu_knn(x, k), "k must be a whole number, not integer64", "k")
  expect_refused(
    gpu_dist(x, threads = k), "threads must be a whole number between 1 and 1024, not integer64",
    "threads"
  )
})

test_that("arrays of one dimension are vectors", {
  one <- as.array(c(a = 1, b = 2))
  expect_identical(gpu_cor(one, cbind(1:2)), cor(one, cbind(1:2)))
  expect_identical(gpu_cor(cbind(u = 1:2), one), cor(cbind(u = 1:2), one))
  means <- tapply(iris$Sepal.Length, iris$Species, mean)
  counts <- table(cut(iris$Sepal.Length, 3))
  for (values in list(means, counts)) {
    expect_identical(gpu_dist(values), dist(values), ignore_attr = "call")
    expect_equal(gpu_cor(values, c(1, 3, 4)), cor(values, c(1, 3, 4)))
    expect_identical(gpu_cdist(values, 2), as.matrix(abs(c(values) - 2)))
    plain <- as.vector(values)
    nearest <- gpu_knn(plain, 1)$index[, 1]
    expect_identical(gpu_knn(values, 1)$index[, 1], setNames(nearest, names(values)))
    expect_identical(gpu_closest_pair(values), gpu_closest_pair(plain))
    expect_identical(gpu_collisions(values, 0.7), gpu_collisions(plain, 0.7))
    expect_identical(gpu_neighbor_graph(values, 1), gpu_neighbor_graph(plain, 1))
  }
  expect_identical(gpu_dgp(table(c(1, 1, 2)))$count, gpu_dgp(c(2, 1))$count)
})

test_that("columns of an edge table are found by name", {
  from <- c("a", "b", "c")
  to <- c("b", "c", "a")
  weight <- c(1, 2, 3)
  plain <- gpu_layout(data.frame(from, to, weight), seed = 1)
  tables <- list(
    data.frame(type = "x", Weight = weight, id = 1:3, From = from, To = to),
    data.frame(id = 1:3, source = from, target = to, weight, label = from),
    data.frame(weight, i = from, j = to), data.frame(from, to, value = weight),
    data.frame(u = from, v = to, weight, colour = "red")
  )
  for (table in tables) {
    expect_identical(gpu_layout(table, seed = 1), plain)
  }
  expect_identical(
    gpu_layout(data.frame(from, to, length = weight, kind = "x"), seed = 1),
    gpu_layout(data.frame(from, to), seed = 1)
  )
  expect_refused(
    gpu_layout(data.frame(a = 1, b = 2, c = 3, d = 4)),
    paste(
      "graph must have 2 or 3 columns, the vertices and perhaps a weight of each edge, or columns",
      "named from and to (or source and target, i and j, u and v), not",
      "c(\"a\", \"b\", \"c\", \"d\")"
    ), "graph"
  )
})

test_that("weights of a graph of neighbours are a function that returns numbers", {
  expect_refused(
    gpu_neighbor_graph(x, 1, weights = "exp"),
    paste(
      "weights must be a function of the distances, \"rank\", \"number\", \"jaccard\",",
      "\"fuzzy\" or NULL, not \"exp\""
    ),
    "weights"
  )
  expect_refused(
    gpu_neighbor_graph(x, 1, weights = function(d) "a"),
    "weights must return a number for each of the 3 distances, not \"a\"", "weights"
  )
})

some <- rbind(c(1, 2, 4), c(5, 5, 5), c(2, 9, 1), c(NA, NA, NA), c(3, 3, NA))
warnings_of <- function(call) {
  texts <- character()
  withCallingHandlers(call, warning = function(w) {
    texts <<- c(texts, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  texts
}

test_that("missing distances give one warning, but not with the metrics of stats::dist", {
  for (method in c("euclidean", "maximum", "manhattan", "canberra", "binary", "minkowski")) {
    expect_identical(warnings_of(gpu_dist(some, method)), character())
    expect_identical(warnings_of(dist(some, method)), character())
    expect_identical(is.na(gpu_dist(some, method)), is.na(dist(some, method)))
    expect_false(any(is.nan(gpu_dist(some, method))))
  }
  # Pairs of rows 1 and 3 alone have a distance.
  expect_identical(
    warnings_of(gpu_dist(some, "pearson")),
    "9 distances are missing: rows 2, 4, 5 are constant or have no values"
  )
  expect_identical(sum(is.na(suppressWarnings(gpu_dist(some, "pearson")))), 9L)
  expect_identical(
    warnings_of(gpu_dist(some, "sqeuclidean")), "4 distances are missing: row 4 has no values"
  )
  expect_identical(
    warnings_of(gpu_dist(rbind(0, some[, 1:2]), "cosine")),
    "9 distances are missing: rows 1, 5 are zero or have no values"
  )
  expect_identical(
    warnings_of(gpu_cdist(some[1:3, ], some[4:5, ], "spearman")),
    "6 distances are missing: row 2 of x and rows 1, 2 of y are constant or have no values"
  )
  expect_identical(
    warnings_of(gpu_knn(some, 1, method = "pearson")),
    "3 distances are missing: rows 2, 4, 5 are constant or have no values"
  )
  expect_identical(
    warnings_of(gpu_knn(some, 1, query = some[2:3, ], method = "pearson")),
    "1 distance is missing: row 1 of query is constant"
  )
  expect_identical(
    warnings_of(gpu_dist(some, gpu_metric("mahalanobis", cov = diag(3)))),
    "7 distances are missing: rows 4, 5 have missing or infinite values"
  )
})

test_that("tiles warn of their own missing distances, all tiles together once", {
  tile_warnings <- function(x, plan, ...) {
    lapply(plan$tile, function(tile) warnings_of(gpu_dist_tile(x, plan, tile, ...)))
  }
  # Pairs in all tiles: 1 + 3 + 2 + 1 + 2 are the 9 of the whole matrix.
  expect_identical(tile_warnings(some, gpu_tiles_plan(some, method = "pearson", side = 2)), list(
    "1 distance is missing: row 2 is constant",
    "3 distances are missing: rows 2, 4 are constant or have no values",
    "2 distances are missing: rows 2, 5 are constant",
    "1 distance is missing: row 4 has no values",
    "2 distances are missing: rows 4, 5 are constant or have no values",
    character()
  ))
  plan <- gpu_tiles_plan(some[1:3, ], some[4:5, ], method = "spearman", side = 2)
  expect_identical(tile_warnings(some[1:3, ], plan, y = some[4:5, ]), list(
    "4 distances are missing: row 2 of x and rows 1, 2 of y are constant or have no values",
    "2 distances are missing: rows 1, 2 of y are constant or have no values"
  ))
  whole <- "9 distances are missing: rows 2, 4, 5 are constant or have no values"
  nothing <- function(...) NULL
  expect_identical(warnings_of(gpu_dist_tiles(some, nothing, method = "pearson", side = 2)), whole)
  expect_identical(warnings_of(gpu_tiles_plan(some, method = "pearson", side = 2)), character())
  expect_identical(warnings_of(gpu_dist_tiles(some, nothing, side = 2)), character())
})

test_that("files of distances, and points in a file, give the same warning", {
  skip_if_not(nzchar(gpu_hdf5_version()), "built without HDF5")
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  whole <- "9 distances are missing: rows 2, 4, 5 are constant or have no values"
  write <- function() gpu_dist(some, "pearson", file = file, file_shape = "square")
  expect_identical(warnings_of(write()), whole)
  expect_identical(warnings_of(write()), whole) # when all is in the file already
  # Rows 2, 4 and 5 of this square matrix are missing, so that it is an example of points.
  points <- gpu_hdf5(file, "matrix")
  whole <- "9 distances are missing: rows 2, 4, 5 have no values"
  expect_identical(warnings_of(gpu_dist(points, "sqeuclidean")), whole)
  expect_identical(
    warnings_of(gpu_cdist(points, points, "sqeuclidean")),
    "21 distances are missing: rows 2, 4, 5 of x and rows 2, 4, 5 of y have no values"
  )
  expect_identical(
    warnings_of(gpu_dist_tile(points, gpu_tiles_plan(points, method = "sqeuclidean", side = 3), 2)),
    "6 distances are missing: rows 2, 4, 5 have no values"
  )
  other <- tempfile(fileext = ".h5")
  on.exit(unlink(other), add = TRUE)
  expect_identical(warnings_of(gpu_dist(points, "sqeuclidean", file = other)), whole)
})

test_that("a radius finds no missing distances, a graph of k neighbours counts those it lacks", {
  expect_identical(warnings_of(gpu_radius(some, 9, method = "pearson")), character())
  expect_identical(gpu_radius(some, 9, method = "pearson")$count, c(1L, 0L, 1L, 0L, 0L))
  expect_identical(
    warnings_of(gpu_neighbor_graph(some, 1, method = "pearson")),
    "3 distances are missing: rows 2, 4, 5 are constant or have no values"
  )
})

test_that("distances with missing values are those of stats::dist, up to rounding of sums", {
  set.seed(5)
  x <- matrix(rnorm(600), 40)
  x[sample(length(x), 90)] <- NA
  x[sample(length(x), 40)] <- 0
  for (method in c("maximum", "manhattan", "binary")) {
    expect_identical(c(gpu_dist(x, method)), c(dist(x, method)))
  }
  # Each of 15 terms, and their sum, is rounded by at most half a unit on either side.
  for (method in c("euclidean", "canberra", "minkowski")) {
    expect_equal(c(gpu_dist(x, method)), c(dist(x, method)), tolerance = 15 * .Machine$double.eps)
  }
})
