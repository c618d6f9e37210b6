#' Nonmetric multidimensional scaling with many starts
#'
#' `gpu_metamds()` is nonmetric multidimensional scaling with the steps, arguments and results of
#' `vegan::metaMDS()` with its engine monoMDS. It searches from all starts at once, one on each
#' thread, and its search needs fewer iterations.
#'
#' @param comm Communities, sites in rows, as `x` of [gpu_vegdist()]; or distances, an object of
#'   class `"dist"`, a symmetric matrix, a [gpu_dist_file()] or a [gpu_dist_device]. Missing
#'   distances in memory are left out.
#' @param distance The index of communities: `method` of [gpu_vegdist()]. Not used for distances.
#' @param k The number of dimensions, 1 to n - 1 for n points, better less than (n - 1) / 2.
#' @param try,trymax The least and the most numbers of random starts.
#' @param autotransform Whether communities are transformed: by the square root if a value is above
#'   50, then by Wisconsin's double standardization (values are divided by the largest one of their
#'   species, then by the sum of their site) if a value was above 9.
#' @param wascores Whether scores of species are computed: averages of the scores of sites, weighted
#'   by the (transformed) values of the species.
#' @param expand Whether these are expanded to the weighted variance of the scores of sites.
#' @param previous.best What `gpu_metamds()` or `vegan::metaMDS()` returned, or its points, from
#'   which the first search starts. By default it starts from [gpu_pcoa()].
#' @param trace Whether the stress of each start is printed.
#' @param model `"global"`: monotone regression (Kruskal 1964). `"linear"`: linear regression.
#' @param weakties Whether equal dissimilarities may have different disparities (Kruskal's primary
#'   treatment of ties).
#' @param maxit The most iterations of a search.
#' @param smin,sfgrmin,sratmax A search ends if the stress is below `smin`, if its gradient, for
#'   points of mean square norm 1, is shorter than `sfgrmin` / sqrt(n), or if the ratio of the
#'   stress to that of the iteration before is above `sratmax` three times in a row.
#' @param pc,center Whether the result is rotated to principal components, and centred.
#' @param halfchange Whether the result is scaled to half-changes; otherwise its largest distance is
#'   that of the dissimilarities. By default it is, if the index has a largest value.
#' @param threshold,nthreshold Half-changes are found from dissimilarities below `threshold` times
#'   the largest value of the index, if there are at least `nthreshold` of them.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `comm`, see [gpu_inputs].
#' @inheritParams gpu_dist
#'
#' @return An object of class `c("metaMDS", "monoMDS")`, of which package vegan has methods of
#'   `plot()`, `scores()`, `stressplot()` and `goodness()`: a list with the elements of
#'   `vegan::metaMDS()`, among them
#' * `points`, the scores of sites, and `species`, those of species, or `NA`;
#' * `stress`: Kruskal's stress 1, sqrt(sum (d - dhat)^2 / sum d^2);
#' * `dist`, `dhat`, `diss`, `iidx`, `jidx`: distances d, disparities and dissimilarities of pairs
#'   of points, in the order of the dissimilarities;
#' * `converged`: how often the best solution was found again after it was first found; `tries`;
#'   `bestry`, the number of the start that found it, 0 for the first one;
#' * `iters`, `icause`: the iterations of the best search, and why it ended: 1 `maxit`, 2 `smin`, 3
#'   `sratmax`, 4 `sfgrmin` or no step that lowers the stress.
#'
#' @details The first search starts from principal coordinates, the others from `runif(n * k)` each,
#'   as in vegan: after the same `set.seed()` the starts are the same, and the results often, but
#'   not always, since searches from one start may end at different local minima. A search follows
#'   the gradient of the square of the stress by the limited-memory BFGS method (Liu and Nocedal
#'   1989). The best of all starts counts.
#'
#'   Starts are compared in their order, as in vegan. One with a smaller stress than the best so far
#'   becomes the best; one that has, by symmetric [gpu_procrustes()], a root mean square difference
#'   below 0.005 and a largest one below 0.01 from the best repeats it. After `try` starts, more
#'   follow, 20 at a time, until the best is repeated or there are `trymax`.
#'
#'   For half-changes dissimilarities below the threshold are regressed on distances: with the
#'   intercept a, the slope b and the largest value m of the index, one half-change is (m - a) / (2
#'   b).
#'
#'   Extended dissimilarities for sites that share no species (`noshare`), local and hybrid models
#'   and stress 2 are not available.
#'
#'   The result has the same bits for any number of threads. A search takes 72 bytes for each pair
#'   of points on each thread.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references Kruskal, J. B. (1964a) Multidimensional scaling by optimizing goodness of fit to a
#'   nonmetric hypothesis. *Psychometrika* **29**, 1-27.
#'
#' Kruskal, J. B. (1964b) Nonmetric multidimensional scaling: a numerical method. *Psychometrika*
#' **29**, 115-129.
#'
#' Liu, D. C. and Nocedal, J. (1989) On the limited memory BFGS method for large scale optimization.
#' *Mathematical Programming* **45**, 503-528.
#'
#' Minchin, P. R. (1987) An evaluation of the relative robustness of techniques for ecological
#' ordination. *Vegetatio* **69**, 89-107.
#'
#' @seealso [gpu_mds()] with `type = "ordinal"` minimizes the same stress from one start, also with
#'   weights; [gpu_vegdist()], [gpu_envfit()], [gpu_procrustes()]
#'
#' @examples
#' set.seed(1)
#' counts <- matrix(rpois(600, exp(-outer(1:30, seq(0, 30, length.out = 20), "-")^2 / 50) * 8), 30)
#' map <- gpu_metamds(counts, try = 10)
#' map$stress
#' map$converged
#' head(map$points)
#' @export
gpu_metamds <- function(comm, distance = "bray", k = 2, try = 20, trymax = 20,
                        autotransform = TRUE, wascores = TRUE, expand = TRUE,
                        previous.best = NULL, # nolint: names of package vegan
                        trace = FALSE, model = c("global", "linear"), weakties = TRUE, maxit = 200,
                        smin = 1e-4, sfgrmin = 1e-7, sratmax = 0.999999, pc = TRUE, center = TRUE,
                        halfchange = NULL, threshold = 0.8, nthreshold = 10, ..., backend = NULL,
                        threads = NULL, device = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  run <- run_arguments()
  dots <- match.call(expand.dots = FALSE)$...
  own <- nmds_options(environment(), call)
  name <- paste(deparse(substitute(comm)), collapse = " ")
  given <- nmds_distances(comm, own, name, dots, list(...), run, call)
  pairs <- nmds_pairs(given$d, own, call)
  bar <- progress_bar("Nonmetric scaling")
  on.exit(bar$close())
  own$settings <- run_settings(
    run$backend, run$threads, run$device, "double", run$progress, bar$update, run$memory_limit
  )
  first <- first_start(given$d, previous.best, own, run, call)
  found <- search_from_starts(pairs, first, own, call)
  made <- nmds_object(found, pairs, own, call)
  made <- scale_nmds(made, given$d, own, call)
  rownames(made$points) <- given$labels
  rest <- list(
    call = match.call(), model = own$model, distmethod = attr(given$d, "method"),
    distcall = given$words, data = given$name, distance = attr(given$d, "method"),
    converged = found$converged, tries = found$tries, bestry = found$number, engine = "monoMDS",
    species = NA
  )
  if (!is.null(given$comm) && own$wascores) {
    rest$species <- species_scores(made$points, given$comm, own$expand)
  }
  if (made$stress < own$smin) {
    warning(simpleWarning(
      "the stress is below smin, as it often is for few points in many dimensions", call
    ))
  }
  structure(c(made, rest), class = c("metaMDS", "monoMDS"))
}

# Returns the checked options of the function whose frame is given.
nmds_options <- function(frame, call) {
  own <- mget(
    c(
      "distance", "k", "try", "trymax", "maxit", "smin", "sfgrmin", "sratmax", "threshold",
      "nthreshold", "halfchange"
    ), envir = frame
  )
  flags <- c("autotransform", "wascores", "expand", "trace", "weakties", "pc", "center")
  for (name in flags) own[[name]] <- flag_of(frame[[name]], name, call)
  own["halfchange"] <- list(
    if (!is.null(own$halfchange)) flag_of(own$halfchange, "halfchange", call)
  )
  for (name in c("try", "trymax", "maxit", "nthreshold")) check_count(own[[name]], name, call)
  for (name in c("smin", "sfgrmin", "sratmax", "threshold")) check_share(own[[name]], name, call)
  own$model <- choose_one(frame$model, c("global", "linear"), "model", call)
  own$trymax <- max(own$try, own$trymax)
  own
}

check_count <- function(value, name, call) {
  if (!is.numeric(value) || length(value) != 1L || !isTRUE(value >= 0 & value <= 1e9) ||
    value != round(value)) {
    stop_value(value, name, "a whole number between 0 and 1e9", call)
  }
}

check_share <- function(value, name, call) {
  if (!is.numeric(value) || length(value) != 1L || !isTRUE(value >= 0 & value <= 1)) {
    stop_value(value, name, "between 0 and 1", call)
  }
}

# Returns list(d, name, words, labels, comm): the distances as an object of class "dist", what they
# are called, and the communities, if they are known, transformed.
nmds_distances <- function(x, own, name, dots, given, run, call) {
  d <- as_distances(x, "comm", call)
  if (is_distances(d)) {
    refuse_dots(dots, call)
    if (inherits(d, stored_distances)) d <- stats::as.dist(d)
    words <- if (is.null(attr(d, "call"))) "" else deparse_call(attr(d, "call"))
    if (is.null(attr(d, "method"))) attr(d, "method") <- "user supplied"
    return(list(d = d, name = name, words = words, labels = labels_of_dist(d)))
  }
  from <- input_reader(dots, given, list(x), run$memory_limit, call, metric = "distance")
  x <- community_matrix(x, from)
  transformed <- list(x = x, name = name)
  if (any(count_per_row(x < 0) > 0)) {
    warning(simpleWarning(
      "comm has negative values: autotransform and wascores are taken as FALSE", call
    ))
    own$wascores <- FALSE
  } else if (own$autotransform) {
    transformed <- transform_community(x, name)
  }
  method <- rename_message("method", "distance", vegan_index(own$distance, call))
  rename_message("x", "comm", check_community(transformed$x, method, FALSE, call))
  d <- vegan_distances(transformed$x, method, run)
  if (anyNA(d)) warn_message("no distances", call)
  attributes(d) <- list(
    maxdist = vegan_metrics[[method]], Size = nrow(x), Diag = FALSE, Upper = FALSE, method = method,
    class = "dist"
  )
  list(
    d = d, name = transformed$name, words = "gpu_vegdist(x = comm, method = distance)",
    labels = rownames(x), comm = if (own$wascores) transformed$x
  )
}

# Returns names of points, their numbers if they have none.
labels_of_dist <- function(d) if (is.null(attr(d, "Labels"))) NULL else labels(d)

# Returns list(x, name): communities by the rules of `autotransform`.
transform_community <- function(x, name) {
  largest <- max(x, 0, na.rm = TRUE)
  if (largest > 50) {
    x <- sqrt(x)
    name <- sprintf("sqrt(%s)", name)
  }
  if (largest > 9) {
    x <- gpu_decostand(plain_matrix(gpu_decostand(x, "max", 2)), "total", 1)
    name <- sprintf("wisconsin(%s)", name)
  }
  list(x = plain_matrix(x), name = name)
}

# Returns list(n, row, column, delta): the pairs of points whose dissimilarity is not missing, in
# the order of it, but in their own order for the linear model, as in vegan.
nmds_pairs <- function(d, own, call) {
  check_dist(d, "comm", call)
  n <- attr(d, "Size")
  if (!is_dimension(own$k, n)) {
    stop_value(own$k, "k", sprintf("a whole number between 1 and %d", as.integer(n) - 1L), call)
  }
  check_range(d, "comm", 0, call)
  numbers <- seq_len(n - 1L)
  column <- rep(numbers, n - numbers)
  row <- sequence(n - numbers) + column
  kept <- which(!is.na(d))
  if (length(kept) < 2L) {
    stop_argument("comm must have at least two distances that are not missing", "comm", call)
  }
  if (own$model == "global") kept <- kept[order(d[kept])]
  list(n = n, row = row[kept], column = column[kept], delta = as.double(d[kept]))
}

# --- Starts -------------------------------------------------------------------------------------

# Returns the first configuration, NULL for a random one.
first_start <- function(d, previous, own, run, call) {
  if (!is.null(previous)) {
    start <- unname(scores_of(previous, "previous.best", "sites", NULL, list(), call))
    if (!identical(dim(start), as.integer(c(attr(d, "Size"), own$k)))) {
      stop_value(start, "previous.best", sprintf(
        "a configuration of %d points in %d dimensions", as.integer(attr(d, "Size")),
        as.integer(own$k)
      ), call)
    }
    check_scores(start, "previous.best", call)
    return(start)
  }
  if (anyNA(d)) {
    return(NULL)
  }
  start <- gpu_pcoa(
    d, own$k, backend = run$backend, threads = run$threads, device = run$device, progress = FALSE,
    memory_limit = run$memory_limit
  )$points
  flat <- colSums(start^2) <= 1e-12 * sum(start^2) # along which no gradient leads away
  start[, flat] <- 1e-3 * max(abs(start), 1e-3) * (-1)^seq_len(nrow(start))
  unname(start)
}

# Searches from the first configuration and from random ones until the best is repeated. Returns
# list(points, stress, iterations, cause, xinit, number, tries, converged) of the best.
search_from_starts <- function(pairs, first, own, call) {
  best <- list(stress = Inf, converged = 0, tries = 0)
  batch <- own$try
  repeat {
    if (is.null(first) && best$tries == 0 && batch == 0) batch <- 1
    values <- stats::runif(pairs$n * own$k * batch)
    starts <- array(c(first, values), c(pairs$n, own$k, batch + !is.null(first)))
    best <- keep_best(best, search_starts(pairs, starts, own, own$maxit, call), starts, own)
    best$tries <- best$tries + batch
    first <- NULL
    batch <- min(20, own$trymax - best$tries)
    if (best$converged > 0 || batch <= 0) {
      return(best)
    }
  }
}

# Returns the searches of the core from an array of starts.
search_starts <- function(pairs, starts, own, most, call) {
  found <- .Call(C_nmds, list(), list(
    row = pairs$row - 1L, column = pairs$column - 1L, delta = pairs$delta, starts = starts,
    linear = own$model == "linear", strong = !own$weakties, maxit = as.double(most),
    smin = as.double(own$smin), sfgrmin = as.double(own$sfgrmin), sratmax = as.double(own$sratmax)
  ), own$settings, call)
  dim(found$points) <- dim(starts)
  found
}

# Compares searches, in their order, with the best one before them. The first of all has the number
# 0 if there is one more than tries.
keep_best <- function(best, found, starts, own) {
  first <- best$tries - (is.infinite(best$stress) && length(found$stress) > own$try)
  for (r in seq_along(found$stress)) {
    stress <- found$stress[r]
    points <- matrix(found$points[, , r], dim(starts)[1L])
    same <- is.finite(best$stress) && is_repeated(best$points, points)
    better <- stress < best$stress
    if (own$trace) {
      cat(sprintf(
        "start %d: stress %s%s%s\n", first + r, format(stress), if (better) ", the best" else "",
        if (same) ", similar to the best before" else ""
      ))
    }
    if (better) {
      best[c("stress", "points", "xinit", "number", "iterations", "cause", "converged")] <- list(
        stress, points, as.vector(starts[, , r]), first + r, found$iterations[r], found$cause[r], 0
      )
    }
    best$converged <- best$converged + same
  }
  best
}

# True if two configurations are the same but for rotation and scale.
is_repeated <- function(x, y) {
  fit <- fit_procrustes(list(x = x, y = y), TRUE, TRUE, NULL)
  apart <- sqrt(rowSums((fit$X - fit$Yrot)^2))
  isTRUE(sqrt(mean(apart^2)) < 0.005 && max(apart) < 0.01)
}

# --- Results ------------------------------------------------------------------------------------

# Returns the elements that vegan::monoMDS() has.
nmds_object <- function(found, pairs, own, call) {
  fit <- search_starts(pairs, array(found$points, c(dim(found$points), 1L)), own, 0, call)
  list(
    nobj = as.integer(pairs$n), nfix = 0L, ndim = as.integer(own$k), ndis = length(pairs$delta),
    ngrp = 1L, diss = pairs$delta, iidx = pairs$row, jidx = pairs$column, xinit = found$xinit,
    istart = 1L, isform = 1L, ities = if (own$weakties) 1L else 2L,
    iregn = if (own$model == "linear") 2L else 1L, iscal = 1L, maxits = as.integer(own$maxit),
    sratmx = own$sratmax, strmin = own$smin, sfgrmn = own$sfgrmin, dist = fit$distance,
    dhat = fit$fitted, points = found$points, stress = found$stress, grstress = found$stress,
    iters = found$iterations, icause = found$cause
  )
}

# Centres, rotates and scales points, and scales distances and disparities by the same factor.
scale_nmds <- function(made, d, own, call) {
  points <- made$points
  attributes <- list(dim = dim(points), dimnames = list(NULL, paste0("MDS", seq_len(own$k))))
  if (own$center) {
    points <- scale(points, scale = FALSE)
    attributes$centre <- TRUE
  }
  if (own$pc) {
    turn <- svd(scale(points, scale = FALSE), nu = 0)$v
    points <- points %*% turn
    attributes$pc <- TRUE
  }
  scale <- half_change(made, d, own, call)
  attributes$halfchange <- !is.null(scale)
  if (is.null(scale)) {
    largest <- max(made$dist)
    scale <- if (largest > 0) largest / max(d, na.rm = TRUE) else 1
  }
  attributes$internalscaling <- scale
  made$points <- points / scale
  attributes(made$points) <- attributes
  made[c("dist", "dhat")] <- list(made$dist / scale, made$dhat / scale)
  made
}

# Returns the distance that is one half-change, NULL if the scale is another one.
half_change <- function(made, d, own, call) {
  largest <- attr(d, "maxdist")
  known <- is.numeric(largest) && length(largest) == 1L && isTRUE(is.finite(largest))
  wanted <- if (is.null(own$halfchange)) known else own$halfchange
  if (!wanted) {
    return(NULL)
  }
  if (!known) largest <- max(d, na.rm = TRUE)
  near <- made$diss < own$threshold * largest
  line <- if (sum(near) >= max(2, own$nthreshold)) {
    stats::coef(stats::lm.fit(cbind(1, made$dist[near]), made$diss[near]))
  }
  if (is.null(line) || !isTRUE(line[2L] > 0)) {
    warning(simpleWarning("there are too few dissimilarities below threshold for halfchange", call))
    return(NULL)
  }
  unname((largest - line[1L]) / (2 * line[2L]))
}

# Returns averages of scores of sites, weighted by the values of species.
species_scores <- function(points, comm, expand) {
  points <- matrix(points, nrow(points), dimnames = dimnames(points))
  sites <- if (isS4(comm)) Matrix::rowSums(comm) else rowSums(comm)
  species <- if (isS4(comm)) Matrix::colSums(comm) else colSums(comm)
  product <- if (isS4(comm)) Matrix::crossprod else crossprod
  scores <- as.matrix(product(comm, points)) / species
  dimnames(scores) <- list(colnames(comm), colnames(points))
  if (!expand) {
    return(scores)
  }
  seen <- species > 0
  moments <- function(x, w) {
    mean <- colSums(w * x) / sum(w)
    list(mean = mean, variance = colSums(w * (x - rep(mean, each = nrow(x)))^2) / sum(w))
  }
  outer <- moments(points, sites)
  inner <- moments(scores[seen, , drop = FALSE], species[seen])
  shrinkage <- inner$variance / outer$variance
  centre <- rep(inner$mean, each = nrow(scores))
  structure(
    (scores - centre) / rep(sqrt(shrinkage), each = nrow(scores)) + centre,
    shrinkage = shrinkage, centre = inner$mean
  )
}

fallback_print.metaMDS <- function(x, digits = max(3L, getOption("digits") - 3L), ...) { # nolint
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  cat(if (x$model == "linear") "Linear" else "Nonmetric", " multidimensional scaling of ", sep = "")
  cat(x$nobj, "points in", x$ndim, if (x$ndim == 1L) "dimension\n" else "dimensions\n")
  cat("Call: ", deparse_call(x$call), "\n\n", sep = "")
  cat("Data: ", x$data, ", distance: ", x$distance, "\n", sep = "")
  cat("Stress: ", format(x$stress, digits = digits), "\n", sep = "")
  cat("Best of ", x$tries, " random starts: number ", x$bestry, ", repeated ", x$converged,
    if (x$converged == 1) " time\n" else " times\n", sep = "")
  invisible(x)
}
