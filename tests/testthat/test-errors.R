# Texts that depend on R's own types. Those that both languages share are golden cases.
x <- matrix(as.numeric(1:6), 3)

# The condition of class "gpugeo_error" that a call raises.
failure <- function(call) tryCatch(call, gpugeo_error = identity)

expect_failure_text <- function(call, message, argument) {
  condition <- failure(call)
  expect_s3_class(condition, c("gpugeo_error", "error", "condition"), exact = TRUE)
  expect_identical(conditionMessage(condition), message)
  expect_identical(condition$argument, argument)
}

test_that("data that are no numbers are refused", {
  for (compute in list(gpu_dist, gpu_cor, function(x) gpu_cdist(x, 1))) {
    expect_failure_text(compute(matrix("a")), "x must be a numeric matrix, not text", "x")
    expect_failure_text(
      compute(matrix(1i)), "x must be a numeric matrix, not complex numbers", "x"
    )
    expect_failure_text(compute(list(1, 2)), "x must be a numeric matrix, not a list", "x")
    expect_failure_text(compute(NULL), "x must be a numeric matrix, not NULL", "x")
    expect_failure_text(compute(sum), "x must be a numeric matrix, not a function", "x")
    hint <- if (identical(compute, gpu_cor)) {
      "; model.matrix() makes numbers of factors"
    } else {
      "; method = \"gower\" takes factors, and model.matrix() makes numbers of them"
    }
    expect_failure_text(
      compute(data.frame(a = 1:2, b = c("u", "v"))),
      paste0("x must have numeric columns, but column \"b\" is text", hint), "x"
    )
    expect_failure_text(
      compute(iris),
      paste0("x must have numeric columns, but column \"Species\" is a factor", hint), "x"
    )
    expect_failure_text(
      compute(data.frame(day = Sys.Date())),
      "x must have numeric columns, but column \"day\" is an object of class \"Date\"", "x"
    )
  }
  expect_failure_text(gpu_cdist(x, "a"), "y must be a numeric matrix, not text", "y")
  expect_failure_text(gpu_cdist(x, NULL), "y must be a numeric matrix, not NULL", "y")
  expect_failure_text(gpu_cor(x, "a"), "y must be a numeric matrix, not text", "y")
  expect_failure_text(
    gpu_cor(factor(1:3), 1:3), "x must be a numeric matrix, not a factor", "x"
  )
  expect_failure_text(
    gpu_dist(x, gpu_metric("mahalanobis", cov = "a")),
    "cov must be a numeric matrix, not text", "cov"
  )
})

test_that("strings are single strings", {
  expect_text <- function(call, argument, given) {
    message <- sprintf("%s must be a single string, not %s", argument, given)
    expect_failure_text(call, message, argument)
  }
  expect_text(gpu_dist(x, 1), "method", "1")
  expect_text(gpu_dist(x, NA_character_), "method", "NA")
  expect_text(gpu_dist(x, c("euclidean", "maximum")), "method", "c(\"euclidean\", \"maximum\")")
  expect_text(gpu_dist(x, NULL), "method", "NULL")
  expect_text(gpu_dist(x, backend = 1), "backend", "1")
  expect_text(gpu_dist(x, precision = NA), "precision", "NA")
  expect_text(gpu_cor(x, use = 1), "use", "1")
})

test_that("progress is true or false", {
  given <- list("NA" = NA, "\"yes\"" = "yes", "1" = 1, "c(TRUE, FALSE)" = c(TRUE, FALSE))
  for (shown in names(given)) {
    expect_failure_text(
      gpu_dist(x, progress = given[[shown]]), paste("progress must be true or false, not", shown),
      "progress"
    )
  }
})

test_that("a device has a number, or they are all taken", {
  given <- list(
    "-1" = -1, "1.5" = 1.5, "NA" = NA, "NA" = NA_character_, "NaN" = NaN, "\"x\"" = "x",
    "c(\"all\", \"all\")" = c("all", "all"), "\"0\"" = "0"
  )
  for (i in seq_along(given)) {
    shown <- names(given)[i]
    expect_failure_text(
      gpu_dist(x, device = given[[i]]),
      paste0('device must be "all" or a whole number of at least 0, not ', shown), "device"
    )
  }
  expect_identical(gpu_dist(x, device = "all"), gpu_dist(x), ignore_attr = "call")
  text <- if ("cuda" %in% backends) "device must be between 0 and .*, not 99" else "cannot be used"
  expect_error(
    gpu_knn(x, 1, device = 99, backend = "cuda"), text, class = "gpugeo_error"
  )
})

test_that("arguments that are not there are named", {
  expect_failure_text(gpu_dist(x, bakend = "cpu"), "unused argument bakend", "bakend")
  expect_failure_text(gpu_dist(x, "max", FALSE, FALSE, 2, 7), "unused argument 7", "7")
  expect_failure_text(gpu_cdist(x, x, thread = 2), "unused argument thread", "thread")
  expect_failure_text(gpu_cor(x, metod = "pearson"), "unused argument metod", "metod")
})

test_that("an error tells the call and a code", {
  condition <- failure(gpu_dist(x, "minkowski", p = 0))
  expect_identical(conditionCall(condition), quote(gpu_dist(x, "minkowski", p = 0)))
  expect_identical(condition$code, 1L)
  expect_identical(failure(gpu_dist(x, gpu_metric("mahalanobis", cov = matrix(1, 2, 2))))$code, 2L)
})

test_that("a result beyond the memory is refused with its size", {
  condition <- failure(gpu_dist(seq_len(2e7)))
  expect_identical(condition$code, 3L)
  expect_match(
    conditionMessage(condition),
    "^the result \\(199999990000000 values\\) and working memory need 1490116\\.[12] GiB"
  )
})

test_that("CUDA without a device is an error that says why", {
  skip_if("cuda" %in% backends, "a CUDA device is here")
  reason <- with(gpu_info()$backends, reason[backend == "cuda"])
  expect_true(nzchar(reason))
  expect_failure_text(
    gpu_dist(x, backend = "cuda"), paste("backend \"cuda\" cannot be used:", reason), "backend"
  )
  expect_identical(failure(gpu_dist(x, backend = "cuda"))$code, 4L)
})

test_that("errors name an argument of the called function", {
  none <- tempfile()
  edges <- cbind(1:2, 2:3)
  plan <- gpu_tiles_plan(1:2)
  calls <- expression(
    gpu_hdf5(none, "d"), gpu_hdf5(1, "d"), gpu_hdf5(none, 1), gpu_dist_file(none),
    gpu_layout(none), gpu_layout(list()), gpu_layout(edges, init = "a"), gpu_read_edges(none),
    gpu_layout_quality(edges, "a"), gpu_layout_quality(none, 1), gpu_dgp_graph(none),
    gpu_dgp_graph(edges), gpu_dgp("a"), gpu_dgp_sums("a"), gpu_dgp_instance(-1),
    gpu_tiles_plan(-1), gpu_dist_tile("a", plan, 1), gpu_dist_tile(1:2, plan, 7),
    gpu_dist_tile(1:2, 3, 1), gpu_dist_tiles(1:2, 3), gpu_install(1), gpu_collisions_fetch(1),
    gpu_collisions(x), gpu_collisions_launch(x), gpu_closest_pair(x, k = 0), gpu_knn(x, 9),
    gpu_knn(x, 1, query = "a"), gpu_knn(x, 1, 1:2), gpu_radius(x, -1), gpu_radius(x, 1, 1:2),
    gpu_knn(x, 1, method = "none"), gpu_neighbor_graph(x), gpu_neighbor_graph(x, 9),
    gpu_neighbor_graph(x, radius = -1), gpu_cor(1), gpu_cor(x, 1:2), gpu_cor(x, use = "some"),
    gpu_dist(x, "none"), gpu_dist(x, metric = "none"), gpu_cdist(x, 1:5), gpu_dist(x, p = 0),
    gpu_dist(x, file = 1), gpu_dist(x, file = none, file_shape = "a"), gpu_dist(x, threads = 0)
  )
  if (!nzchar(gpu_hdf5_version())) {
    calls <- Filter(function(call) !grepl("hdf5|file", deparse(call)[1]), calls)
  }
  for (call in calls) {
    condition <- failure(eval(call))
    expect_s3_class(condition, "gpugeo_error")
    arguments <- names(formals(get(as.character(call[[1]]))))
    expect_true(condition$argument %in% arguments, label = deparse(call)[1])
  }
})
