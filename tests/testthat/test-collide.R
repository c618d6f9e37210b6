# What a call gives, by direct loops; `reach` is the radius of each pair of all_pairs().
expected_collisions <- function(pairs, reach, exclude = 0) {
  pairs <- pairs[pairs$distance <= reach & (exclude == 0 | pairs$j - pairs$i > exclude), ]
  rownames(pairs) <- NULL
  pairs
}

# Every algorithm, with one and with two threads, on the points of all_pairs(x).
expect_collisions <- function(x, pairs, exclude) {
  expected <- expected_collisions(pairs, 0.75, exclude)
  for (algorithm in c("auto", "grid", "usual", "cyclic")) {
    for (threads in 1:2) {
      result <- function(what) {
        gpu_collisions(
          x, 0.75, exclude = exclude, what = what, algorithm = algorithm, threads = threads
        )
      }
      expect_same(result("count"), as.numeric(nrow(expected)))
      expect_same(result("per_point"), as.numeric(tabulate(c(expected$i, expected$j), nrow(x))))
      expect_same(result("pairs"), expected)
    }
  }
}

test_that("collisions are those of direct loops", {
  set.seed(1)
  on_each_backend(function() {
    for (columns in 1:3) {
      for (n in c(1, 2, 3, 4, 33, 150)) {
        x <- lattice_points(n, columns)
        pairs <- all_pairs(x)
        for (exclude in c(0, 1, 4, 1000)) expect_collisions(x, pairs, exclude)
      }
    }
  })
})

test_that("collisions between two sets are those of direct loops", {
  set.seed(2)
  on_each_backend(function() {
    for (columns in 1:3) {
      x <- lattice_points(60, columns)
      y <- lattice_points(45, columns)
      expected <- expected_collisions(all_pairs(x, y), 0.5)
      for (algorithm in c("auto", "grid", "usual")) {
        given <- list(x = x, y = y, radius = 0.5, algorithm = algorithm)
        expect_identical(
          do.call(gpu_collisions, c(given, what = "pairs")), expected
        )
        expect_identical(
          do.call(gpu_collisions, c(given, what = "per_point")),
          as.numeric(tabulate(expected$i, 60))
        )
        expect_identical(do.call(gpu_collisions, given), as.numeric(nrow(expected)))
      }
    }
  })
})

test_that("radii and boxes are those of direct loops", {
  set.seed(3)
  on_each_backend(function() {
    x <- lattice_points(80, 3)
    y <- lattice_points(50, 3)
    radii <- sample(4, 130, replace = TRUE) / 8
    within <- all_pairs(x)
    expect_identical(
      gpu_collisions(x, radii = radii[1:80], what = "pairs"),
      expected_collisions(within, radii[within$i] + radii[within$j])
    )
    between <- all_pairs(x, y)
    expect_identical(
      gpu_collisions(x, radii = radii, y = y, what = "pairs"),
      expected_collisions(between, radii[between$i] + radii[80 + between$j])
    )
    box <- c(2, 0, 1.75)
    inside <- cbind(x[, 1] %% 2, x[, 2], x[, 3] %% 1.75)
    expect_identical(
      gpu_collisions(inside, 0.5, box = box, what = "pairs"),
      expected_collisions(all_pairs(inside, box = box), 0.5)
    )
  })
})

test_that("a table counts pairs of groups", {
  set.seed(4)
  x <- lattice_points(90, 2)
  y <- lattice_points(40, 2)
  group <- sample(c("c", "a", "b"), 130, replace = TRUE)
  expected_table <- function(pairs, from, to, levels) {
    unclass(table(factor(from[pairs[, 1]], levels), factor(to[pairs[, 2]], levels), dnn = NULL)) + 0
  }
  levels <- c("a", "b", "c")
  on_each_backend(function() {
    pairs <- expected_collisions(all_pairs(x), 0.75)
    half <- expected_table(pairs, group, group, levels)
    expected <- half + t(half)
    diag(expected) <- diag(half)
    expect_identical(gpu_collisions(x, 0.75, group = group[1:90], what = "table"), expected)
    # The levels of a factor keep their order, and those without a point are kept.
    order <- c("c", "none", "a", "b")
    found <- gpu_collisions(x, 0.75, group = factor(group[1:90], order), what = "table")
    expect_identical(dimnames(found), list(order, order))
    expect_identical(found[levels, levels], expected)
    expect_identical(sum(found["none", ]), 0)

    pairs <- expected_collisions(all_pairs(x, y), 0.75)
    expect_identical(
      gpu_collisions(x, 0.75, y = y, group = group, what = "table"),
      expected_table(pairs, group[1:90], group[91:130], levels)
    )
  })
  numbers <- gpu_collisions(c(1, 2, 4), 1, group = c(10, 9, 10), what = "table")
  expect_identical(numbers, matrix(c(0, 1, 1, 0), 2, dimnames = list(c("9", "10"), c("9", "10"))))
})

test_that("names, data frames and storage", {
  x <- data.frame(u = c(1, 1.5, 9), v = c(2L, 2L, 7L), row.names = c("a", "b", "c"))
  expect_identical(gpu_collisions(x, 1, what = "per_point"), c(a = 1, b = 1, c = 0))
  expect_null(names(gpu_collisions(data.frame(u = 1:3), 1, what = "per_point")))
  expect_identical(
    gpu_collisions(x, 1, what = "pairs"), data.frame(i = 1L, j = 2L, distance = 0.5)
  )
  expect_identical(gpu_collisions(c(FALSE, TRUE, TRUE), 1), 3)
  expect_identical(
    gpu_collisions(matrix(0, 0, 2), 1, what = "pairs"),
    data.frame(i = integer(), j = integer(), distance = numeric())
  )
  expect_identical(gpu_collisions(matrix(0, 0, 2), 1, what = "per_point"), numeric())
  expect_identical(gpu_collisions(numeric(), 1), 0)
  expect_identical(gpu_collisions(1, 1), 0)
})

test_that("distances of pairs are those of gpu_closest_pair()", {
  set.seed(8)
  x <- matrix(rnorm(300), 100)
  y <- matrix(rnorm(60), 20)
  cells <- matrix(sample(-9:9, 90, replace = TRUE), 30) * 200000000L # squares above 2^53
  storage.mode(cells) <- "integer"
  calls <- list(
    list(x, 0.8), list(x, 0.8, y = y), list(x, 0.8, box = c(4, 0, 3)), list(1e200 * x, 8e199),
    list(cells, 1e9)
  )
  on_each_backend(function() {
    for (call in calls) {
      pairs <- do.call(gpu_collisions, c(call, what = "pairs"))
      closest <- do.call(gpu_closest_pair, c(call[-2], k = nrow(pairs)))
      closest <- closest[order(closest$i, closest$j), ]
      attributes(closest) <- attributes(pairs)
      expect_gt(nrow(pairs), 10)
      expect_identical(pairs, closest)
      launched <- do.call(gpu_collisions_launch, c(call, what = "pairs"))
      expect_identical(gpu_collisions_fetch(launched), pairs)
    }
  })
})

test_that("integers collide at their rounded distance", {
  # 94906267^2 is above 2^53: sqrt(94906267^2 + 1) is 94906267 and 5e-9, as a double 94906267.
  x <- cbind(c(0L, 94906267L), c(0L, 1L))
  on_each_backend(function() {
    expect_identical(gpu_closest_pair(x)$distance, 94906267)
    expect_identical(gpu_collisions(x, 94906266.99), 0)
    expect_identical(gpu_collisions(x, 94906267), 1)
    expect_identical(gpu_collisions(x[, 1], 94906267), 1)
  })
})

test_that("two points collide at the distance of gpu_closest_pair(), and not below it", {
  set.seed(21)
  on_each_backend(function() {
    for (trial in 1:300) {
      x <- matrix(runif(2 * (1 + trial %% 3)), 2)
      box <- if (trial %% 2) rep(1, ncol(x))
      r <- gpu_closest_pair(x, box = box)$distance
      if (!is.null(box) && r > 0.5) next
      expect_identical(gpu_collisions(x, r, box = box), 1)
      expect_identical(gpu_collisions(x, radii = c(r, r) / 2, box = box), 1)
      expect_identical(gpu_collisions(x, r * (1 - 2^-53), box = box), 0)
      if (!is.null(box)) next
      expect_identical(gpu_dist(x)[1], r)
      expect_identical(gpu_radius(x, r)$count, c(1L, 1L))
      expect_identical(gpu_radius(x, r * (1 - 2^-53))$count, c(0L, 0L))
    }
  })
})

test_that("a lattice needs no array", {
  set.seed(5)
  x <- matrix(sample(-4:4, 900, replace = TRUE), 300) * 200000000L
  storage.mode(x) <- "integer"
  expected <- expected_collisions(all_pairs(x), 0)
  on_each_backend(function() {
    expect_identical(gpu_collisions(x, 0.5, algorithm = "lattice", what = "pairs"),
                     expected)
    expect_identical(gpu_collisions(x, 0.5, algorithm = "lattice"), as.numeric(nrow(expected)))
    expect_identical(gpu_collisions(x + 0, 0.5, algorithm = "lattice"), as.numeric(nrow(expected)))
  })
})

test_that("the generators of ElfColCnt have the collisions they should", {
  on_each_backend(function() {
    for (n in c(220, 221, 16384, 16385, 16604, 16605)) {
      # Consecutive beads, 2 apart on a line: none. Paired neighbours: one for each pair.
      line <- cbind(2 * seq_len(n), 0, 0)
      paired <- cbind(2 * ((seq_len(n) - 1) %/% 2), 0, 0)
      for (algorithm in c("auto", "grid", "usual", "cyclic")) {
        expect_identical(gpu_collisions(line, 1, algorithm = algorithm), 0)
        expect_identical(gpu_collisions(paired, 1, algorithm = algorithm), as.numeric(n %/% 2))
      }
      expect_identical(gpu_collisions(line, 0.5, algorithm = "lattice"), 0)
      expect_identical(gpu_collisions(paired, 0.5, algorithm = "lattice"), as.numeric(n %/% 2))
    }
  })
})

test_that("a cell of coincident points is counted, not walked through", {
  x <- matrix(1.5, 1e5, 3)
  on_each_backend(function() expect_identical(gpu_collisions(x, 0.01), 4999950000))
})

test_that("dbscan and spatstat find the same pairs", {
  set.seed(6)
  x <- matrix(runif(3e4), 1e4)
  found <- gpu_collisions(x, 0.03, what = "pairs")
  expect_gt(nrow(found), 1000)
  skip_if_not_installed("dbscan")
  ids <- dbscan::frNN(x, 0.03, sort = FALSE)$id
  expect_identical(gpu_collisions(x, 0.03, what = "per_point"), as.numeric(lengths(ids)))
  pairs <- cbind(i = rep(seq_along(ids), lengths(ids)), j = unlist(ids))
  pairs <- pairs[pairs[, 1] < pairs[, 2], ]
  expect_identical(as.matrix(found[c("i", "j")]), pairs[order(pairs[, 1], pairs[, 2]), ])
  skip_if_not_installed("spatstat.geom")
  box <- spatstat.geom::box3(c(0, 1), c(0, 1), c(0, 1))
  points <- spatstat.geom::pp3(x[, 1], x[, 2], x[, 3], box)
  pairs <- spatstat.geom::closepairs(points, 0.03, twice = FALSE, what = "indices")
  pairs <- cbind(i = pmin(pairs$i, pairs$j), j = pmax(pairs$i, pairs$j))
  expect_identical(as.matrix(found[c("i", "j")]), pairs[order(pairs[, 1], pairs[, 2]), ])
})

test_that("wrong arguments are refused", {
  x <- matrix(as.numeric(1:8), 4)
  without <- "^radius must be given, or radii: the largest distance at which points collide$"
  expect_error(gpu_collisions(x), without)
  expect_error(gpu_collisions(x, y = x, what = "pairs"), without)
  expect_error(gpu_collisions_launch(x), without)
  expect_identical(tryCatch(gpu_collisions(x), gpugeo_error = identity)$argument, "radius")
  for (radius in list(0, -1, NA, "one", 1:2, Inf)) {
    expect_error(gpu_collisions(x, radius), "^radius must be a positive finite number, not ")
  }
  expect_error(
    gpu_collisions(x, radii = 1:3),
    "radii must have a value for each of the 4 points, not 3 values", fixed = TRUE
  )
  expect_error(gpu_collisions(x, radii = c(1, 2, 0, 1)), "^radii must be positive .*value 3 is 0")
  expect_error(gpu_collisions(x, radii = "a"), "radii must be a numeric matrix, not text")
  expect_error(gpu_collisions(x, radii = 1:4, y = x), "each of the 8 points, not 4 values")
  expect_error(gpu_collisions(x, 1, exclude = 0.5), "exclude must be a whole number, not 0.5")
  expect_error(gpu_collisions(x, 1, exclude = -1), "^exclude must ")
  expect_error(gpu_collisions(x, 1, exclude = 1, y = x), "^exclude must ")
  expect_error(gpu_collisions(x, 1, what = "table"), "group must be given with what = \"table\"")
  expect_error(gpu_collisions(x, 1, what = "table", group = 1:3), "of the 4 points, not 3 values")
  expect_error(
    gpu_collisions(x, 1, what = "table", group = c("a", NA, "b", "b")),
    "group must have no missing values, but value 2 is missing", fixed = TRUE
  )
  expect_error(
    gpu_collisions(x, 1, what = "table", group = factor(c("a", "b", NA, "b"))), "value 3 is missing"
  )
  expect_error(
    gpu_collisions(x, 1, what = "table", group = as.list(1:4)),
    "group must be a vector with a value for each point"
  )
  expect_error(gpu_collisions(x, 1, what = "some"), "what must be one of \"count\"")
  expect_error(gpu_collisions(x, 1, what = 1), "what must be a single string")
  expect_error(gpu_collisions(x, 1, algorithm = "guess"), "algorithm must be one of \"auto\"")
  expect_error(gpu_collisions(x, 1, algorithm = "lattice"), "radius must be below 1 with algorithm")
  expect_error(gpu_collisions(x, 1, box = c(1, 10)), "^box must ")
  expect_error(gpu_collisions(x, 1, box = 1:3), "^box must ")
  expect_error(gpu_collisions(x, 1, box = "a"), "box must be a numeric matrix, not text")
  expect_error(gpu_collisions("a", 1), "x must be a numeric matrix, not text")
  expect_error(gpu_collisions(x, 1, y = "a"), "y must be a numeric matrix, not text")
  expect_error(gpu_collisions(x, 1, y = 1:3), "^y must have 2 columns")
  expect_error(gpu_collisions(matrix(1, 3, 4), 1), "^x must ")
  expect_error(gpu_collisions(rbind(x, NA), 1), "row 5")
  expect_error(gpu_collisions(c(1L, NA), 1), "row 2")
  expect_error(gpu_collisions(c(1, 2, -Inf), 1), "row 3")
  expect_error(gpu_collisions(x, radus = 1), "unused argument radus")
  condition <- tryCatch(gpu_collisions(x, -1), gpugeo_error = identity)
  expect_identical(condition$argument, "radius")
  expect_identical(conditionCall(condition), quote(gpu_collisions(x, -1)))
  condition <- tryCatch(gpu_collisions_launch(x, -1), gpugeo_error = identity)
  expect_identical(conditionCall(condition), quote(gpu_collisions_launch(x, -1)))
})

test_that("the report names the function", {
  gpu_collisions(1:3, 1, backend = "cpu")
  expect_identical(gpu_info()$last$`function`, "gpu_collisions")
  expect_identical(gpu_info()$last$backend, "cpu")
})
