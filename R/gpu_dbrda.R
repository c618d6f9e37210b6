#' Distance-based redundancy analysis
#'
#' `gpu_dbrda()` and `gpu_capscale()` do what `vegan::dbrda()` and `vegan::capscale()` do, without
#' package vegan: an ordination of distances that is constrained by variables, maybe after the
#' effects of others are removed. [anova()][anova.gpu_dbrda] tests it by permutations.
#'
#' @param formula A formula such as `d ~ A + B * C + Condition(Z)`. On its left side are distances,
#'   an object of class `"dist"`, a symmetric matrix, a [gpu_dist_file()] or a [gpu_dist_device]; or
#'   points in rows, as in [gpu_dist()]. On its right side are the constraints, factors and numeric
#'   variables, and in `Condition()` the variables whose effects are removed first. With `~ 1` the
#'   result is a principal coordinate analysis.
#' @param distance The metric of points: a name of `vegan::vegdist()`, see Names of metrics, or
#'   `method` of [gpu_dist()], see [gpu_metric()]. A name is not used for distances.
#' @param add How to correct distances, after `sqrt.dist`, that have negative eigenvalues:
#'   `"lingoes"` adds a constant to their squares, `"cailliez"` to themselves; `TRUE` stands for
#'   `"lingoes"`. The constant is that of [gpu_pcoa()] for the samples that are left.
#' @param na.action What to do with missing values in `data`: [stats::na.fail()], an error; or
#'   [stats::na.omit()] or [stats::na.exclude()], which leave out samples. vegan's methods show
#'   samples that `na.exclude()` left out as missing.
#' @param subset Which samples to keep: a logical value for each of them, or an expression of the
#'   variables of `data`.
#' @param axes The number of unconstrained axes; `NULL`: all of them, as in vegan. The first ones
#'   are found as in [gpu_pcoa()], which is 8 times as fast for 2,000 samples; `CA` then has only
#'   these, and its `rank` is their number.
#' @param comm Points whose columns get scores if the left side has distances; by default the points
#'   of the left side.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of the points, see [gpu_inputs].
#' @inheritParams gpu_adonis2
#' @inheritParams gpu_dist
#'
#' @return An object of class `c("gpu_dbrda", "dbrda", "rda", "cca")` or
#'   `c("gpu_capscale", "capscale", "rda", "cca")` with the elements that vegan's have, so vegan's
#'   `plot()`, `scores()`, `summary()`, `ordistep()` and other functions take it where vegan is
#'   installed. `print()` and [anova()][anova.gpu_dbrda] need no package vegan. Among the elements
#'   are
#' * `tot.chi`: the total inertia; `pCCA$tot.chi`, `CCA$tot.chi` and `CA$tot.chi`: the parts of the
#'   conditions, of the constraints and of the residuals;
#' * `CCA$eig`, `CA$eig`: the eigenvalues of constrained and of unconstrained axes;
#' * `CCA$u`, `CA$u`: the scores of samples, of length 1 on each axis: combinations of the
#'   constraints, and residuals; `CCA$wa`: samples on constrained axes by their distances;
#' * `CCA$biplot`, `CCA$centroids`: correlations of constraints with axes; means of the levels of
#'   factors on axes;
#' * `CCA$alias`: constraints that add nothing to those before them, which are left out.
#'
#'   Signs of axes are arbitrary, and may differ from those of vegan.
#'
#' @details Let A have the squares of the distances and G = -1/2 J A J, where J takes the mean from
#'   a vector (Gower 1966). Let Z be the conditions, X the constraints, both centred; H\eqn{_Z} the
#'   projection on the columns of Z, and H the one on the part of the columns of X that is
#'   orthogonal to Z, both from a QR decomposition that leaves out aliased columns.
#'
#'   `gpu_dbrda()` decomposes G itself (McArdle and Anderson 2001):
#' * conditions: the trace of H\eqn{_Z} G H\eqn{_Z};
#' * constrained axes: eigenvectors u and eigenvalues e of H G H, with `wa` = G u / e after the
#'   conditions are removed from G;
#' * unconstrained axes: those of (I - H\eqn{_Z} - H) G (I - H\eqn{_Z} - H).
#'
#'   Negative eigenvalues are kept: their axes are imaginary, named `idbRDA1` and `iMDS1`, and their
#'   scores are in `imaginary.u`. `gpu_capscale()` takes the principal coordinates of positive
#'   eigenvalues only (Legendre and Anderson 1999), which is the same with G without its imaginary
#'   part; the sum of the negative eigenvalues is `CA$imaginary.chi`. For Euclidean distances both
#'   are redundancy analysis. Eigenvalues that are smaller than the largest one by a factor of 1e-8
#'   count as 0.
#'
#'   As in vegan, distances are divided by sqrt(n - 1) if the largest is above 4, so inertia is a
#'   variance: of the corrected distances in `gpu_dbrda()`, before the correction in
#'   `gpu_capscale()`. `adjust` is the divisor.
#'
#'   With `axes = NULL`, unconstrained axes need all eigenvectors of a matrix of n x n by R's
#'   [eigen()]: `gpu_dbrda()` does this once, `gpu_capscale()` twice, or once with `axes`. Several
#'   matrices of 8 n^2 bytes are in memory.
#'
#'   In contrast to vegan, there are no arguments `dfun` and `metaMDSdist`.
#'
#' @inheritSection gpu_adonis2 Names of metrics
#' @inheritSection gpu_adonis2 Names in another order
#' @inheritSection gpu_dist Errors
#'
#' @references Gower, J. C. (1966) Some distance properties of latent root and vector methods used
#' in multivariate analysis. *Biometrika* **53**, 325-338.
#'
#' Legendre, P. and Anderson, M. J. (1999) Distance-based redundancy analysis: testing multispecies
#' responses in multifactorial ecological experiments. *Ecological Monographs* **69**, 1-24.
#'
#' McArdle, B. H. and Anderson, M. J. (2001) Fitting multivariate models to community data: a
#' comment on distance-based redundancy analysis. *Ecology* **82**, 290-297.
#'
#' @seealso [anova.gpu_dbrda()], [gpu_adonis2()], [gpu_pcoa()]
#'
#' @examples
#' d <- gpu_dist(iris[1:2], "manhattan")
#' found <- gpu_dbrda(d ~ Species + Petal.Length, iris)
#' found
#' found$CCA$biplot
#'
#' # After the effect of the species, from points.
#' gpu_capscale(iris[1:2] ~ Petal.Length + Condition(Species), iris, distance = "manhattan")
#' @export
gpu_dbrda <- function(formula, data, distance = "euclidean",
                      sqrt.dist = FALSE, # nolint: names of package vegan
                      add = FALSE, na.action = stats::na.fail, subset = NULL, ..., # nolint
                      axes = NULL, na.rm = FALSE, metric = NULL, backend = NULL, # nolint
                      threads = NULL, device = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  samples <- constrained_samples(match.call(expand.dots = FALSE), list(...), FALSE, call)
  gower <- gower_matrix(samples$d, samples$labels)
  found <- constrain(gower, samples, "dbRDA")
  found$Ybar <- structure(gower, METHOD = "DISTBASED")
  found$method <- "dbrda"
  found$colsum <- NA
  finish_constrained(found, match.call(), samples)
}

#' @rdname gpu_dbrda
#' @export
gpu_capscale <- function(formula, data, distance = "euclidean", sqrt.dist = FALSE, # nolint
                         comm = NULL, add = FALSE, na.action = stats::na.fail, # nolint
                         subset = NULL, ..., axes = NULL, na.rm = FALSE, metric = NULL, # nolint
                         backend = NULL, threads = NULL, device = NULL, progress = NULL,
                         memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  samples <- constrained_samples(matched, list(...), TRUE, call)
  species <- species_of(comm, samples, call)
  real <- real_coordinates(gower_matrix(samples$d, samples$labels))
  found <- constrain(tcrossprod(real$points), samples, "CAP")
  found$Ybar <- structure(
    real$points, `scaled:center` = colMeans(real$points), METHOD = "CAPSCALE"
  )
  found$method <- "capscale"
  found <- add_species(add_imaginary(found, real), species, samples)
  if (!is.null(species)) {
    found$vdata <- deparse1(if (is.null(comm)) samples$parts$left else matched$comm)
  }
  finish_constrained(found, match.call(), samples)
}

# --- Formulas and samples -----------------------------------------------------------------------

# Returns the parts of a formula: `terms`, with Condition() as it stands; `left`, the expression of
# the left side; `constraints` and `conditions`, terms without a response, or NULL for no
# conditions; `variables`, a formula with all of them; and `labels`, of the constraints.
split_formula <- function(formula, data, call) {
  check_formula(formula, call)
  found <- terms_of(formula, data, call)
  labels <- labels(found)
  special <- attr(found, "specials")$Condition
  is_condition <- rep(FALSE, length(labels))
  if (length(special)) {
    used <- attr(found, "factors")[special, , drop = FALSE] > 0
    is_condition <- colSums(used) > 0
    if (any(attr(found, "order")[is_condition] > 1L)) {
      stop_argument(
        "formula must have Condition() as terms of their own, not in interactions", "formula", call
      )
    }
  }
  inner <- unlist(lapply(special, function(k) as.list(attr(found, "variables")[[k + 1L]])[-1L]))
  outer <- lapply(labels[!is_condition], str2lang)
  side <- function(expressions) {
    sum <- if (length(expressions)) Reduce(function(a, b) call("+", a, b), expressions) else 1
    made <- stats::as.formula(call("~", sum), environment(formula))
    terms_of(made, NULL, call)
  }
  list(
    terms = found, left = formula[[2L]], constraints = side(outer),
    conditions = if (length(inner)) side(inner), variables = side(c(outer, inner)),
    labels = labels[!is_condition], environment = environment(formula)
  )
}

# Returns terms with an intercept, and with what `.` stands for.
terms_of <- function(formula, data, call) {
  found <- tryCatch(
    stats::terms(formula, "Condition", data = data),
    error = function(condition) {
      stop_argument(
        sprintf("formula must be one that terms() takes: %s", conditionMessage(condition)),
        "formula", call
      )
    }
  )
  attr(found, "intercept") <- 1L
  found
}

# Returns what the arguments of gpu_dbrda() or gpu_capscale() select: `d`, the distances of the
# samples that are kept, roots, corrected and scaled; `frame`, their variables, and `labels`;
# `kept`, their numbers among all `size` samples; `points`, of the left side, or NULL; `parts` of
# the formula; and what is known of the distances.
#
# matched  the call with the expressions of `...`, and
# given    the values of these
# late     whether distances are corrected after they are scaled, not before
# own      the environment of the arguments
constrained_samples <- function(matched, given, late, call, own = parent.frame()) {
  data <- if (!eval(quote(missing(data)), own)) frame_of_samples(own$data)
  parts <- split_formula(own$formula, data, call)
  axes <- own$axes
  if (!is.null(axes) && !(is_count(axes) && isTRUE(axes >= 1 && axes == round(axes)))) {
    stop_value(axes, "axes", "NULL or a whole number of at least 1", call)
  }
  asked <- list(
    axes = axes, root = flag_of(own$sqrt.dist, "sqrt.dist", call),
    correction = correction_of(own$add, call), late = late, run = run_arguments(own)
  )
  left <- eval(parts$left, parts$environment, globalenv())
  rename_message("method", "distance", rename_message(
    "x", "formula", words = "the left side of formula", {
      metric <- metric_of(
        own$distance, own$metric, eval(quote(missing(distance)), own), call
      )
      left <- as_distances(left, "x", call)
      d <- left_distances(left, metric, own$na.rm, matched, given, asked$run, call)
      about <- source_of(d, "x", call)
      warn_of_rows(left, data, NULL, parts$terms, call)
      chosen <- chosen_samples(matched$subset, data, about$size, parts$environment, call)
      frame <- constrained_frame(parts, data, own$na.action, chosen, about$size, call)
      kept <- chosen[setdiff(seq_along(chosen), attr(frame, "na.action"))]
      d <- distances_among(d, as.double(kept), asked$run$memory_limit, call)
      made <- corrected_samples(d, asked, call)
    }
  ))
  names <- about$labels
  names <- if (length(names)) as.character(names) else as.character(seq_len(about$size))
  name <- if (is_distances(left) || is.function(metric$method)) about$metric else metric$method
  c(made, asked, list(
    parts = parts, frame = frame, labels = names[kept], kept = kept, size = about$size,
    subset = if (!is.null(matched$subset)) seq_len(about$size) %in% chosen,
    points = if (!is_distances(left)) left, metric = name
  ))
}

# Returns the distances of the left side of a formula.
left_distances <- function(left, metric, na_rm, matched, given, run, call) {
  if (is_distances(left)) {
    refuse_dots(matched$..., call, metric = "distance")
    check_no_metric(matched, metric, call)
    return(left)
  }
  taken <- community_points(left, metric, na_rm, matched, given, run, call)
  if (is_distances(taken$x)) taken$x else distances_between(taken$x, taken$metric, run)
}

# Returns the numbers of the samples that `subset`, an expression, selects.
chosen_samples <- function(subset, data, n, environment, call) {
  chosen <- if (!is.null(subset)) eval(subset, data, environment)
  if (is.null(chosen)) {
    return(seq_len(n))
  }
  if (!is.logical(chosen) || length(chosen) != n) {
    stop_value(
      chosen, "subset", sprintf("true or false for each of the %d samples", as.integer(n)), call
    )
  }
  which(chosen)
}

# Returns the variables of the chosen ones of n samples as a data frame whose attribute `na.action`
# has the numbers, among these, of those that are left out.
constrained_frame <- function(parts, data, drop, chosen, n, call) {
  terms <- parts$variables
  if (length(attr(terms, "variables")) == 1L) { # none
    return(structure(data.frame(row.names = seq_along(chosen)), terms = terms))
  }
  all <- model_frame(terms, data, stats::na.pass, call, check = FALSE)
  check_left_side(list(size = n), nrow(all), call)
  frame <- droplevels(all[chosen, , drop = FALSE])
  if (!identical(drop, stats::na.fail)) frame <- drop(frame)
  for (name in names(frame)) {
    check_variable(frame[[name]], name, call)
    check_factor(frame[[name]], name, call)
  }
  structure(frame, terms = terms)
}

# Raises an error if distances are missing, infinite, or negative beyond rounding.
check_finite <- function(d, call) {
  bad <- sum(!is.finite(d))
  if (bad) {
    stop_argument(
      sprintf("x must have finite distances only, but %d of them are not", bad), "x", call
    )
  }
  check_range(d, "x", -sqrt(.Machine$double.eps), call)
}

# Returns list(d, adjust, constant): distances after roots and a correction, divided by `adjust`,
# which makes inertia a variance where the largest is above 4; and the constant of the correction.
# A correction is in the unit of the distances, so whether it comes late matters for two things:
# which distances are compared with 4, and the unit of the constant.
corrected_samples <- function(d, asked, call) {
  check_finite(d, call)
  if (asked$root) d <- sqrt(pmax(d, 0))
  constant <- constant_of(d, asked$correction, asked$run)
  corrected <- plus_constant(d, asked$correction, constant)
  compared <- if (asked$late) d else corrected
  adjust <- if (max(compared, 0) > 4) sqrt(attr(d, "Size") - 1) else 1
  unit <- switch(asked$correction, lingoes = adjust^2, adjust)
  list(
    d = corrected / adjust, adjust = adjust,
    constant = if (asked$late) constant / unit else constant
  )
}

# --- The decomposition --------------------------------------------------------------------------

# Returns Gower's matrix of distances, with names.
gower_matrix <- function(d, labels) {
  n <- attr(d, "Size")
  squares <- matrix(0, n, n)
  squares[lower.tri(squares)] <- d^2
  structure(-center_twice(squares + t(squares)) / 2, dimnames = list(labels, labels))
}

# Returns list(points, imaginary, negative): the coordinates on real and on imaginary axes, and the
# sum and number of the eigenvalues of the latter.
real_coordinates <- function(gower) {
  found <- axes_of(gower, 0)
  coordinates <- found$vectors * rep(sqrt(abs(found$eig)), each = nrow(gower))
  real <- found$eig > 0
  dimnames(coordinates) <- list(rownames(gower), NULL)
  points <- coordinates[, real, drop = FALSE]
  if (any(real)) colnames(points) <- paste0("Dim", seq_len(sum(real)))
  list(
    points = points, imaginary = coordinates[, !real, drop = FALSE],
    negative = found$eig[!real]
  )
}

# Returns list(eig, vectors) of a symmetric matrix: eigenvalues that are not 0 within rounding, in
# decreasing order. least: a scale that the largest one may be below.
axes_of <- function(matrix, least) {
  if (nrow(matrix) == 0L) {
    return(list(eig = numeric(), vectors = matrix))
  }
  found <- eigen(matrix, symmetric = TRUE)
  kept <- abs(found$values) > 1e-8 * max(abs(found$values), least)
  list(eig = found$values[kept], vectors = found$vectors[, kept, drop = FALSE])
}

# Returns the centred columns of terms, without the intercept.
centred_design <- function(terms, frame, labels) {
  x <- if (length(labels(terms))) {
    stats::model.matrix(terms, frame)
  } else {
    structure(matrix(0, length(labels), 1L), assign = 0L)
  }
  assign <- attr(x, "assign")[-1L]
  x <- x[, -1L, drop = FALSE]
  center <- colMeans(x)
  x <- x - rep(center, each = nrow(x))
  rownames(x) <- labels
  structure(x, assign = assign, `scaled:center` = center)
}

# Returns the elements tot.chi, pCCA, CCA and CA of an object of vegan.
constrain <- function(gower, samples, name) {
  parts <- samples$parts
  x <- centred_design(parts$constraints, samples$frame, samples$labels)
  z <- if (!is.null(parts$conditions)) {
    structure(centred_design(parts$conditions, samples$frame, samples$labels), assign = NULL)
  }
  first <- if (!is.null(z)) qr(z)
  both <- qr(if (is.null(z)) x else join_designs(z, x))
  before <- if (is.null(z)) 0L else first$rank
  basis <- qr.Q(both)[, seq_len(both$rank), drop = FALSE]
  is_condition <- seq_len(both$rank) <= before
  inside <- basis[, is_condition, drop = FALSE]
  own <- basis[, !is_condition, drop = FALSE]
  total <- sum(diag(gower))
  least <- abs(total) / nrow(gower)
  partial <- without_basis(gower, inside)
  of_conditions <- trace_within(gower, inside)
  of_constraints <- trace_within(partial, own)
  found <- list(tot.chi = total)
  found["pCCA"] <- list(if (before > 0L) {
    list(rank = before, tot.chi = of_conditions, QR = first, envcentre = attr(z, "scaled:center"))
  })
  found["CCA"] <- list(if (ncol(own) > 0L) {
    constrained_axes(partial, own, both, x, samples, name, least, of_constraints)
  })
  found$CA <- residual_axes(
    without_basis(partial, own), total - of_conditions - of_constraints,
    nrow(gower) - 1L - both$rank, name, least, samples
  )
  found$assign <- attr(x, "assign")
  found
}

# Returns both designs next to each other.
join_designs <- function(z, x) {
  structure(
    cbind(z, x), `scaled:center` = c(attr(z, "scaled:center"), attr(x, "scaled:center"))
  )
}

# Returns the symmetric matrix (I - Q Q') G (I - Q Q').
without_basis <- function(g, q) {
  if (ncol(q) == 0L) {
    return(g)
  }
  product <- g %*% q
  product <- product - q %*% (crossprod(q, product) / 2)
  change <- tcrossprod(product, q)
  g - change - t(change)
}

trace_within <- function(g, q) sum(q * (g %*% q))

# Returns the element CCA: constrained axes.
#
# g       Gower's matrix without the conditions
# q       an orthonormal basis of the constraints without the conditions
# design  the QR decomposition of conditions and constraints
# x       the constraints
constrained_axes <- function(g, q, design, x, samples, name, least, inertia) {
  found <- axes_of(crossprod(q, g %*% q), least)
  u <- q %*% found$vectors
  wa <- (g %*% u) * rep(1 / found$eig, each = nrow(u))
  names <- axis_names(found$eig, name)
  dimnames(u) <- dimnames(wa) <- list(samples$labels, names)
  real <- found$eig > 0
  columns <- ncol(design$qr) - ncol(x)
  kept <- setdiff(design$pivot[seq_len(design$rank)], seq_len(columns)) - columns
  cca <- list(
    eig = stats::setNames(found$eig, names), poseig = if (name == "dbRDA") sum(real),
    u = u[, real, drop = FALSE], v = matrix(NA, 0L, sum(real)), wa = wa[, real, drop = FALSE],
    alias = if (design$rank < ncol(design$qr)) colnames(design$qr)[-seq_len(design$rank)],
    biplot = correlations(x[, kept, drop = FALSE], u[, real, drop = FALSE]),
    rank = length(found$eig), qrank = ncol(q), tot.chi = inertia, QR = design,
    envcentre = attr(x, "scaled:center")
  )
  if (!all(real)) cca$imaginary.u <- u[, !real, drop = FALSE]
  of_samples <- if (name == "dbRDA") cca$u else cca$wa
  cca$centroids <- level_means(of_samples, samples$frame, samples$parts$constraints)
  if (!is.null(cca$alias)) cca$centroids <- unique(cca$centroids) # of levels with the same samples
  cca
}

# Returns the correlations of columns with axes, which are centred and have length 1.
correlations <- function(x, u) {
  crossprod(x, u) / sqrt(colSums(x^2))
}

# Returns the names of axes, whose eigenvalues decrease.
axis_names <- function(eig, name) {
  imaginary <- eig < 0
  number <- ifelse(imaginary, cumsum(imaginary), seq_along(eig))
  if (length(eig)) paste0(ifelse(imaginary, "i", ""), name, number)
}

# Returns the means of axes in the levels of the factors among the variables of terms, or NULL.
level_means <- function(axes, frame, terms) {
  variables <- frame[vapply(as.list(attr(terms, "variables"))[-1L], deparse1, "")]
  factors <- lapply(Filter(function(v) is.factor(v) || is.character(v), variables), factor)
  rows <- unlist(lapply(factors, function(f) split(seq_along(f), f)), FALSE, FALSE)
  means <- do.call(rbind, lapply(rows, function(i) colMeans(axes[i, , drop = FALSE])))
  names <- rep(names(factors), lengths(lapply(factors, levels)))
  if (!is.null(means)) rownames(means) <- paste0(names, unlist(lapply(factors, levels)))
  means
}

# Returns the element CA: unconstrained axes. freedom: the largest number of axes.
residual_axes <- function(g, inertia, freedom, name, least, samples) {
  found <- if (freedom <= 0L) {
    list(eig = numeric(), vectors = matrix(0, nrow(g), 0L))
  } else if (isTRUE(samples$axes < freedom)) {
    first_axes(g, samples$axes, least, samples$run)
  } else {
    axes_of(g, least)
  }
  u <- found$vectors
  real <- found$eig > 0
  names <- axis_names(found$eig, "MDS")
  dimnames(u) <- list(rownames(g), names)
  ca <- list(
    eig = stats::setNames(found$eig, names), poseig = if (name == "dbRDA") sum(real),
    u = u[, real, drop = FALSE], v = matrix(NA, 0L, sum(real)), rank = length(found$eig),
    tot.chi = if (freedom > 0L) inertia else 0
  )
  if (!all(real)) ca$imaginary.u <- u[, !real, drop = FALSE]
  ca
}

# Does what axes_of() does for the first k axes with positive eigenvalues, by gpu_pcoa() of the
# distances that belong to Gower's matrix. A constant that makes them real adds to the eigenvalues.
first_axes <- function(g, k, least, run) {
  made <- squares_of(g)
  d <- structure(sqrt(made$squares), Size = nrow(g), class = "dist")
  if (all(d == 0)) {
    return(list(eig = numeric(), vectors = matrix(0, nrow(g), 0L)))
  }
  found <- withCallingHandlers(
    gpu_pcoa(
      d, k, backend = run$backend, threads = run$threads, device = run$device,
      progress = run$progress, memory_limit = run$memory_limit
    ),
    warning = function(condition) {
      if (grepl("eigenvalues are > 0", conditionMessage(condition))) invokeRestart("muffleWarning")
    }
  )
  eig <- found$eig[seq_len(ncol(found$points))]
  vectors <- found$points / rep(sqrt(eig), each = nrow(g))
  eig <- eig - made$added / 2
  kept <- eig > 1e-8 * max(eig, least)
  list(eig = eig[kept], vectors = unname(vectors[, kept, drop = FALSE]))
}

# Returns list(squares, added): the squared distances of Gower's matrix, and the least constant
# that was added to all of them so that none is negative. Half of it is added to all eigenvalues
# thereby (Lingoes).
squares_of <- function(g) {
  length <- diag(g)
  squares <- (outer(length, length, "+") - 2 * g)[lower.tri(g)]
  added <- max(0, -min(squares))
  list(squares = squares + added, added = added)
}

# --- Species and the object ---------------------------------------------------------------------

# Returns the points whose columns get scores, or NULL.
species_of <- function(comm, samples, call) {
  comm <- if (is.null(comm)) samples$points else comm
  comm <- if (is.matrix(comm) || is.data.frame(comm) || is_sparse(comm)) as.matrix(comm)
  if (!is.null(comm) && nrow(comm) != samples$size) {
    stop_value(
      comm, "comm", sprintf("points of the %d samples of formula", as.integer(samples$size)), call
    )
  }
  if (is.numeric(comm)) comm
}

# Adds what is known of imaginary axes.
add_imaginary <- function(found, real) {
  if (length(real$negative)) {
    found$CA$imaginary.chi <- sum(real$negative)
    found$CA$imaginary.rank <- length(real$negative)
    found$CA$imaginary.u.eig <- real$imaginary
    found$tot.chi <- found$tot.chi + found$CA$imaginary.chi
  }
  found
}

# Adds scores of species: their covariances with the axes, of length 1 on each axis, after the
# effects of conditions, and for unconstrained axes of constraints, are removed.
add_species <- function(found, species, samples) {
  found$colsum <- if (is.null(species)) NA else apply(species, 2L, stats::sd)
  centred <- if (!is.null(species)) {
    scale(species, scale = FALSE)[samples$kept, , drop = FALSE]
  }
  for (part in c("CCA", "CA")) {
    if (is.null(found[[part]])) next
    u <- found[[part]]$u
    found[[part]]$v <- if (is.null(species)) {
      names <- list(colnames(found$Ybar), colnames(u))
      matrix(NA_real_, ncol(found$Ybar), ncol(u), dimnames = names)
    } else {
      v <- crossprod(centred, u) # axes are orthogonal to what is removed
      v / rep(sqrt(colSums(v^2)), each = nrow(v))
    }
  }
  found
}

# Returns the object with its elements in the order of vegan, and its class.
finish_constrained <- function(found, call, samples) {
  parts <- samples$parts
  call$formula <- stats::formula(parts$terms)
  attributes(call$formula) <- list(class = "formula", .Environment = parts$environment)
  frame <- samples$frame
  found$call <- call
  found$terms <- parts$terms
  found$terminfo <- list(
    terms = parts$variables, assign = found$assign,
    xlev = stats::.getXlevels(parts$variables, frame), ordered = vapply(frame, is.ordered, NA)
  )
  found$assign <- NULL
  found$sqrt.dist <- samples$root
  if (samples$constant > 0) {
    found$ac <- samples$constant
    found$add <- samples$correction
  }
  found$adjust <- samples$adjust
  found$inertia <- inertia_text(samples, found$method)
  found$subset <- samples$subset
  left_out <- attr(frame, "na.action")
  if (length(left_out)) {
    found$na.action <- left_out
    found$residuals.zombie <- rep(TRUE, length(samples$kept))
  }
  order <- c("tot.chi", "Ybar", "method", "call", "pCCA", "CCA", "CA", "vdata", "colsum")
  found <- found[c(intersect(order, names(found)), setdiff(names(found), order))]
  structure(found, class = c(paste0("gpu_", found$method), found$method, "rda", "cca"))
}

# Returns the name of inertia: "mean Lingoes adjusted squared Bray distance".
inertia_text <- function(samples, method) {
  metric <- if (is.character(samples$metric)) vegan_method(samples$metric, NULL) else "unknown"
  mean <- if (samples$adjust > 1) "mean"
  corrected <- if (samples$constant > sqrt(.Machine$double.eps)) {
    paste0(toupper(substring(samples$correction, 1L, 1L)), substring(samples$correction, 2L))
  }
  corrected <- if (!is.null(corrected)) paste(corrected, "adjusted")
  paste(c(
    if (method == "dbrda") c(mean, corrected) else c(corrected, mean),
    if (!samples$root) "squared", paste0(toupper(substring(metric, 1L, 1L)), substring(metric, 2L)),
    "distance"
  ), collapse = " ")
}

# --- Printing -----------------------------------------------------------------------------------

#' @rdname gpu_dbrda
#' @param x What one of these functions returned.
#' @param digits The number of digits.
#' @export
print.gpu_dbrda <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Call: ", deparse_call(x$call), "\n\n", sep = "")
  stats::printCoefmat(
    inertia_table(x), digits = digits, cs.ind = NULL, tst.ind = 1:2, na.print = ""
  )
  cat("Inertia is ", x$inertia, "\n", sep = "")
  if (!is.null(x$vdata)) cat("Species scores projected from ", x$vdata, "\n", sep = "")
  if (!is.null(x$CCA$alias)) {
    cat("Constraints that add nothing to others: ", paste(x$CCA$alias, collapse = ", "), "\n",
      sep = ""
    )
  }
  if (length(x$na.action)) {
    cat(counted(length(x$na.action), "sample", "samples"), "left out for missing values\n")
  }
  print_eigenvalues(x$CCA$eig, "constrained", Inf, digits)
  print_eigenvalues(x$CA$eig, "unconstrained", 8L, digits)
  if (!is.null(x$ac)) {
    cat("\nConstant added to distances:", format(x$ac, digits = digits), "\n")
  }
  invisible(x)
}

#' @export
print.gpu_capscale <- print.gpu_dbrda

# Prints the first `most` eigenvalues.
print_eigenvalues <- function(eig, kind, most, digits) {
  shown <- utils::head(eig, most)
  if (length(shown)) {
    cat("\nEigenvalues of ", kind, " axes:\n", sep = "")
    print(round(shown, max(0L, digits - floor(log10(max(abs(shown)))) - 1L)))
    if (length(eig) > length(shown)) cat("(the first", most, "of", length(eig), "axes)\n")
  }
}

# Returns the parts of inertia as a matrix.
inertia_table <- function(x) {
  imaginary <- x$CA[["imaginary.chi"]]
  inertia <- c(
    Total = x$tot.chi, Conditional = x$pCCA$tot.chi, Constrained = x$CCA$tot.chi,
    Unconstrained = x$CA$tot.chi, Imaginary = imaginary
  )
  rank <- c(NA, x$pCCA$rank, x$CCA$rank, x$CA$rank, x$CA$imaginary.rank)
  table <- cbind(
    Inertia = inertia, Proportion = if (length(inertia) > 2L) inertia / x$tot.chi, Rank = rank
  )
  if (isTRUE(x$CCA$poseig < x$CCA$rank) || isTRUE(x$CA$poseig < x$CA$rank)) {
    real <- c(NA, if (!is.null(x$pCCA)) NA, x$CCA$poseig, x$CA$poseig)
    table <- cbind(table, RealDims = real)
  }
  table
}
