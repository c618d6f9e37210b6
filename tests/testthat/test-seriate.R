# Optimal orders of leaves.

# Returns all orders of a tree in which branches do not cross, one in each row.
all_orders <- function(hc) {
  found <- list()
  of <- function(cluster) if (cluster < 0) matrix(-cluster) else found[[cluster]]
  for (k in seq_len(nrow(hc$merge))) {
    a <- of(hc$merge[k, 1L])
    b <- of(hc$merge[k, 2L])
    pairs <- expand.grid(seq_len(nrow(a)), seq_len(nrow(b)))
    left <- a[pairs[[1L]], , drop = FALSE]
    right <- b[pairs[[2L]], , drop = FALSE]
    found[[k]] <- rbind(cbind(left, right), cbind(right, left))
  }
  found[[nrow(hc$merge)]]
}

# Returns what each merge joins: a list of the points of both clusters.
both_sides <- function(hc) {
  members <- list()
  of <- function(cluster) if (cluster < 0) -cluster else unlist(members[[cluster]])
  for (k in seq_len(nrow(hc$merge))) {
    members[[k]] <- lapply(hc$merge[k, ], of)
  }
  members
}

# Returns what an order makes the smallest.
sum_of <- function(order, hc, d, criterion) {
  d <- as.matrix(d)
  pairs <- cbind(order[-1L], order[-length(order)])
  if (criterion == "adjacent") {
    return(sum(d[pairs]))
  }
  sides <- both_sides(hc)
  total <- 0
  for (p in seq_len(nrow(pairs))) {
    k <- which(vapply(sides, function(s) all(pairs[p, ] %in% unlist(s)), NA))[1L]
    own <- if (pairs[p, 1L] %in% sides[[k]][[1L]]) 1:2 else 2:1
    total <- total + sum(d[pairs[p, 1L], sides[[k]][[own[2L]]]]) +
      sum(d[sides[[k]][[own[1L]]], pairs[p, 2L]])
  }
  total
}

# Expects that a tree is another one with branches turned, and that its order is that of its merges.
expect_turned <- function(tree, hc) {
  expect_s3_class(tree, "hclust")
  expect_identical(t(apply(tree$merge, 1L, sort)), t(apply(hc$merge, 1L, sort)))
  others <- setdiff(names(hc), c("merge", "order"))
  expect_identical(unclass(tree)[others], unclass(hc)[others])
  expect_identical(stats::order.dendrogram(stats::as.dendrogram(tree)), tree$order)
  expect_identical(stats::cutree(tree, 2), stats::cutree(hc, 2))
}

test_that("no order of a small tree has a smaller sum", {
  set.seed(1)
  for (n in c(2:7, 9)) {
    d <- stats::dist(matrix(stats::rnorm(3 * n), n))
    for (linkage in c("average", "single")) {
      hc <- stats::hclust(d, linkage)
      orders <- all_orders(hc)
      for (criterion in c("adjacent", "group")) {
        tree <- gpu_seriate(hc, d, criterion = criterion)
        sums <- apply(orders, 1L, sum_of, hc, d, criterion)
        expect_turned(tree, hc)
        expect_equal(sum_of(tree$order, hc, d, criterion), min(sums), tolerance = 1e-12)
      }
    }
  }
})

test_that("of orders with the same sum that of the tree is taken", {
  hc <- stats::hclust(structure(rep(1, 10), class = "dist", Size = 5L), "average")
  d <- structure(rep(1, 10), class = "dist", Size = 5L)
  expect_identical(gpu_seriate(hc, d)[c("merge", "order")], unclass(hc)[c("merge", "order")])
})

test_that("all kinds of distances and any number of threads give the same tree", {
  set.seed(2)
  x <- matrix(stats::rnorm(600), 200, dimnames = list(paste0("p", 1:200), NULL))
  d <- gpu_dist(x, "manhattan")
  hc <- gpu_hclust(d, "average")
  tree <- gpu_seriate(hc, d)
  expect_turned(tree, hc)
  expect_lt(sum_of(tree$order, hc, d, "adjacent"), sum_of(hc$order, hc, d, "adjacent"))
  for (threads in c(1, 3)) {
    expect_identical(gpu_seriate(hc, d, threads = threads), tree)
    expect_identical(gpu_seriate(hc, x, "manhattan", threads = threads), tree)
  }
  expect_identical(gpu_seriate(hc, x, metric = "manhattan", memory_limit = 2^20), tree)
  expect_identical(gpu_seriate(hc, x, function(a, b) sum(abs(a - b))), tree)
  expect_identical(gpu_seriate(stats::as.dendrogram(hc), d)$order, tree$order)
  skip_if(is.null(gpu_hdf5_version()))
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  gpu_dist(x, "manhattan", file = file)
  expect_identical(gpu_seriate(hc, gpu_dist_file(file)), tree)
})

test_that("points in another order than the leaves are warned of", {
  x <- matrix(c(1, 5, 2, 9), 4, dimnames = list(letters[1:4], NULL))
  hc <- stats::hclust(stats::dist(x))
  expect_silent(gpu_seriate(hc, x))
  expect_silent(gpu_seriate(hc, unname(x)))
  expect_warning(
    gpu_seriate(hc, x[4:1, , drop = FALSE]), "hc and d have the same names in another order",
    class = "gpugeo_order_warning"
  )
  expect_warning(
    gpu_seriate(hc, stats::dist(x[4:1, ])), "as.matrix(d)[hc$labels, hc$labels]", fixed = TRUE
  )
})

test_that("what is no tree and what are not its distances is refused", {
  d <- stats::dist(c(1, 5, 2, 9))
  hc <- stats::hclust(d)
  fail <- function(code, message) {
    expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  }
  fail(gpu_seriate(hc, stats::dist(1:3)), "d must have the 4 leaves of the tree, not 3 points")
  fail(gpu_seriate(hc, 1:5), "d must have the 4 leaves of the tree, not 5 points")
  fail(gpu_seriate(hc, d, "manhattan"), "method must be given with points, not with distances")
  fail(gpu_seriate(hc, d, criterion = "best"), "criterion must be one of \"adjacent\", \"group\"")
  fail(gpu_seriate(hc, d * NA), "d must have finite distances only, but 6 of them are not")
  hc$merge[3, 1] <- hc$merge[2, 1]
  fail(gpu_seriate(hc, d), "merge must have each point and each earlier merge once, but row 3")
  hc$merge <- 1
  fail(gpu_seriate(hc, d), "merge must be a matrix of two columns with a row for each merge")
})

test_that("memory for all pairs is needed", {
  chain <- list(merge = cbind(-(1:999) - 1L, c(-1L, 1:998)), height = 1:999, order = 1:1000)
  chain <- structure(chain, class = "hclust")
  expect_error(
    gpu_seriate(chain, matrix(1:1000), memory_limit = 2^20),
    "memory_limit must be at least [0-9]+ bytes for the optimal order of 1000 leaves"
  )
  expect_identical(gpu_seriate(chain, matrix(1:1000))$order, 1000:1)
})
