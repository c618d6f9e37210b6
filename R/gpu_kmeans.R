#' k-means
#'
#' `gpu_kmeans()` divides points into k clusters whose sums of squared distances from their means
#' are small. It is a drop-in replacement for [stats::kmeans()], on all CPU cores: from the same
#' starts, and after the same [set.seed()], its clusters are the same.
#'
#' @param x Points in rows: a matrix or what [gpu_dist()] takes for one, whose values are finite
#'   numbers, or a vector of numbers.
#' @param centers The number of clusters k, or a matrix with a row for each of k different centres
#'   to begin with.
#' @param iter.max The largest number of iterations: a whole number of at least 1.
#' @param nstart How many times centres are drawn, if `centers` is a number. The first result with
#'   the smallest sum of squares is returned.
#' @param algorithm `"Hartigan-Wong"`, `"Lloyd"`, which is also called `"Forgy"`, or `"MacQueen"`,
#'   or the beginning of one, see Details.
#' @param trace `TRUE`: the iterations and the sum of squares of each start are printed.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `x`, see [gpu_inputs].
#' @param init How centres are drawn: `"sample"`, k rows of `x`, as [stats::kmeans()] draws them; or
#'   `"k-means++"`, one after the other, with probabilities in proportion to the squared distances
#'   from the nearest one before.
#' @inheritParams gpu_settings
#'
#' @return An object of class `"kmeans"`, see [stats::kmeans()], for which stats has the methods
#'   `print()` and `fitted()`: a list with the elements `cluster`, `centers`, `totss`, `withinss`,
#'   `tot.withinss`, `betweenss`, `size`, `iter` and `ifault`. `ifault` is 2 if `iter.max`
#'   iterations do not suffice, and 4 if a stage of `"Hartigan-Wong"` takes more than 50 n steps for
#'   n points, with a warning; else it is 0. With `"Lloyd"` and `"MacQueen"` a cluster may be empty,
#'   with a warning: its centre is `NaN`.
#'
#' @details `"Hartigan-Wong"` moves single points, if this makes the sum of squares smaller, and
#'   usually ends with the smallest one. `"Lloyd"` assigns all points to the nearest centres, and
#'   moves all centres then. It takes all threads, and leaves out most distances by the triangle
#'   inequality (Hamerly 2010), which does not change the result: it is the fastest one for many
#'   points. `"MacQueen"` moves the centres with each point. Of several centres that are equally
#'   near the first one is taken. The result has the same bits for any number of threads.
#'
#'   It differs from that of [stats::kmeans()] in two cases: `centers` may be the number of rows
#'   with `"Hartigan-Wong"`, too, and `ifault` is never `NULL`.
#'
#' @section Errors:
#' Errors have the class `"gpugeo_error"`, see [gpu_dist()]: for values that are missing or
#' infinite, of which the first is named; for more clusters than different rows; for centres that
#' are the same; and with `"Hartigan-Wong"`, if a centre is not the nearest one of any row.
#'
#' @references D. Arthur and S. Vassilvitskii (2007). k-means++: the advantages of careful seeding.
#' *Proceedings of the 18th ACM-SIAM Symposium on Discrete Algorithms*, 1027-1035.
#'
#' G. Hamerly (2010). Making k-means even faster. *Proceedings of the SIAM International Conference
#' on Data Mining*, 130-140. doi:10.1137/1.9781611972801.12
#'
#' J. A. Hartigan and M. A. Wong (1979). Algorithm AS 136: a k-means clustering algorithm. *Applied
#' Statistics* **28**, 100-108. doi:10.2307/2346830
#'
#' S. P. Lloyd (1982). Least squares quantization in PCM. *IEEE Transactions on Information Theory*
#' **28**, 129-137. doi:10.1109/TIT.1982.1056489
#'
#' J. MacQueen (1967). Some methods for classification and analysis of multivariate observations.
#' *Proceedings of the Fifth Berkeley Symposium on Mathematical Statistics and Probability* **1**,
#' 281-297.
#'
#' @seealso [gpu_pam()] for any metric, [gpu_silhouette()], [gpu_hclust()], [stats::kmeans()]
#'
#' @examples
#' set.seed(1)
#' parts <- gpu_kmeans(iris[, 1:4], 3, nstart = 5)
#' parts$size
#' table(parts$cluster, iris$Species)
#'
#' # From given centres.
#' gpu_kmeans(iris[, 1:4], iris[c(1, 51, 101), 1:4], algorithm = "Lloyd")$iter
#' gpu_kmeans(iris[, 1:4], 3, init = "k-means++")$tot.withinss
#' @export
gpu_kmeans <- function(x, centers, iter.max = 10, nstart = 1, # nolint: names of stats::kmeans()
                       algorithm = c("Hartigan-Wong", "Lloyd", "Forgy", "MacQueen"), trace = FALSE,
                       ..., init = c("sample", "k-means++"), backend = NULL, threads = NULL,
                       progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(match.call(expand.dots = FALSE)$..., list(...), list(x), memory_limit, call,
    mixed = FALSE
  )
  x <- as_doubles(points_of(x, "x", from))
  choices <- core_choices("kmeans", "algorithm")
  algorithm <- choose_one(algorithm, choices, "algorithm", call)
  init <- choose_one(init, c("sample", "k-means++"), "init", call)
  trace <- flag_of(trace, "trace", call)
  bar <- progress_bar("k-means")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, NULL, NULL, progress, bar$update, memory_limit)
  run <- function(start) {
    options <- c(start, list(algorithm = algorithm, iter.max = iter.max))
    made <- .Call(C_kmeans, list(x), options, settings, call)
    if (trace) {
      cat("gpu_kmeans: ", made$iter, " iterations, sum of squares ", sum(made$withinss), "\n",
        sep = ""
      )
    }
    made
  }
  made <- best_means(starts_of_kmeans(x, centers, nstart, init, call), run)
  warn_of_means(made, iter.max, call)
  as_kmeans(made, x)
}

# Returns functions that each return the options of a start: its number of clusters k, and centers
# or uniform. They are called in this order, so that random numbers are drawn as by stats::kmeans().
starts_of_kmeans <- function(x, centers, nstart, init, call) {
  if (!is_whole_to(nstart, .Machine$integer.max)) {
    stop_value(nstart, "nstart", "a whole number of at least 1", call)
  }
  rows <- if (is.matrix(x)) nrow(x) else 1
  if (length(centers) != 1L || is.matrix(centers) || is.data.frame(centers)) {
    centers <- as_doubles(as_points(centers, "centers", call))
    k <- if (is.matrix(centers)) nrow(centers) else 1
    if (k > rows) {
      stop_argument(sprintf(
        "centers must have at most %d rows, as many as x, not %d", rows, k
      ), "centers", call)
    }
    return(list(function() list(k = k, centers = centers)))
  }
  if (!is_whole_to(centers, rows)) {
    allowed <- sprintf("a matrix, or a whole number from 1 to %d, the number of rows of x", rows)
    stop_value(centers, "centers", allowed, call)
  }
  if (init == "k-means++") {
    return(rep(list(function() list(k = centers, uniform = stats::runif(centers))), nstart))
  }
  sampled_starts(x, centers, nstart, call)
}

# Returns the functions that draw rows: of all, or if there are several starts or two of the rows
# drawn are the same, of the different ones.
sampled_starts <- function(x, k, nstart, call) {
  different <- NULL
  draw <- function() {
    if (is.null(different)) {
      different <<- unique(x)
    }
    if (nrow(different) < k) {
      stop_message("different rows", "x", call, as.double(k), as.double(nrow(different)))
    }
    different[sample.int(nrow(different), k), , drop = FALSE]
  }
  first <- function() {
    drawn <- if (nstart == 1) x[sample.int(nrow(x), k), , drop = FALSE]
    if (is.null(drawn) || anyDuplicated(drawn)) draw() else drawn
  }
  lapply(seq_len(nstart), function(start) {
    function() list(k = k, centers = if (start == 1L) first() else draw())
  })
}

# Returns the first result with the smallest sum of squares.
best_means <- function(starts, run) {
  best <- NULL
  for (start in starts) {
    made <- run(start())
    if (is.null(best) || sum(made$withinss) < sum(best$withinss)) {
      best <- made
    }
  }
  best
}

# Warns of iterations that do not suffice, and of empty clusters.
warn_of_means <- function(made, most, call) {
  if (made$ifault == 2L) {
    warn_message("k-means iterations", call, as.double(most))
  } else if (made$ifault == 4L) {
    warn_message("k-means steps", call, 50 * length(made$cluster))
  }
  empty <- which(made$size == 0L)
  if (length(empty)) {
    warn_message("k-means empty", call, as.double(empty[1L]))
  }
}

# Returns the object of class "kmeans".
as_kmeans <- function(made, x) {
  within <- sum(made$withinss)
  names(made$cluster) <- rownames(x)
  dimnames(made$centers) <- list(seq_len(nrow(made$centers)), colnames(x))
  structure(list(
    cluster = made$cluster, centers = made$centers, totss = made$totss, withinss = made$withinss,
    tot.withinss = within, betweenss = made$totss - within, size = made$size, iter = made$iter,
    ifault = made$ifault
  ), class = "kmeans")
}
