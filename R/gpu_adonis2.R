#' Permutational analysis of variance (PERMANOVA)
#'
#' `gpu_adonis2()` is a drop-in replacement for `vegan::adonis2()`, on all CPU cores or on a GPU,
#' for distances in memory, in a file or on a device, or for points.
#'
#' @param formula A formula such as `d ~ A + B * C`. On its left side are distances, an object of
#'   class `"dist"`, a symmetric matrix, a [gpu_dist_file()] or a [gpu_dist_device]; or points in
#'   rows, as in [gpu_dist()]; or aligned sequences, see Sequences in [gpu_metric()]. On its right
#'   side are factors and numeric variables.
#'   With `Condition(Z)` on the right side, the effects of Z are removed first, see Details.
#' @param data A data frame with the variables of the right side, also a `DataFrame` or phyloseq's
#'   `sample_data`. If it is missing, they are taken from the environment of the formula.
#' @param permutations The number of permutations; or what `permute::how()` returns; or a matrix
#'   with a permutation of the numbers 1 to n in each row.
#' @param method The metric of points: a name of `vegan::vegdist()`, see Names of metrics, or
#'   `method` of [gpu_dist()], see [gpu_metric()]. A name is not used for distances.
#' @param sqrt.dist Whether to take the square roots of the distances.
#' @param add How to correct distances, after `sqrt.dist`, if principal coordinates have negative
#'   eigenvalues: `"lingoes"` adds a constant to their squares, `"cailliez"` to
#'   themselves; `TRUE` stands for `"lingoes"`. The constant is that of [gpu_pcoa()], which is 0
#'   for Euclidean distances; rounding may leave 1e-8 for `"cailliez"` in vegan.
#' @param by What is tested: `NULL`, all terms together, the default, as in vegan since 2.6-8;
#'   `"terms"`, each term after those before it; `"margin"`, each term after all others, but for
#'   those that are part of an interaction; `"onedf"`, each contrast after those before it; or the
#'   beginning of such a name.
#' @param parallel Not used: `threads` is the number of threads. The argument keeps the positions of
#'   the others as in package vegan.
#' @param na.action What to do with missing values in `data`: [stats::na.fail()], or
#'   [stats::na.omit()], which leaves out samples. As in vegan, distances are computed and corrected
#'   with all samples before some are left out.
#' @param strata A factor: points are permuted within its levels. It is not used if `permutations`
#'   is a matrix or has blocks.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of the points, see [gpu_inputs].
#' @param na.rm What to do with missing values in points: `FALSE`, they are an error; `TRUE`, they
#'   are left out of each distance, as in `vegan::vegdist()`.
#' @inheritParams gpu_dist
#'
#' @return A data frame of class `"anova"` as `vegan::adonis2()` returns it: `Df`, `SumOfSqs`, `R2`,
#'   `F` and `Pr(>F)` of each term, of the residuals and of the total. The attribute `F.perm` has
#'   the statistics of the permutations.
#'
#' @details For the same permutations, `F`, `R2` and sums of squares are those of `vegan::adonis2()`
#'   but for rounding, and p-values are the same: after the same `set.seed()`, package permute,
#'   which is needed unless `permutations` is a matrix, makes the same permutations. A statistic
#'   that is smaller than the observed one by at most 2^-26 counts as equal, as in vegan.
#'
#'   The matrix of n x n sums of products (Gower 1966) is never made. A term is an orthonormal
#'   basis, whose sum of squares is a sum over pairs of points, and all permutations are computed
#'   from one pass over the distances, if 8 n bytes for each column of the basis and permutation fit
#'   into `memory_limit`. A single factor with four or more levels takes sums within groups, whose
#'   time does not grow with the number of levels. The result has the same bits for any number of
#'   threads, for any `memory_limit`, on the CPU and on a GPU, and for every kind of distances.
#'
#'   A GPU has the distances in its memory, 8 bytes for each pair, and needs at most 1 GiB more.
#'
#'   With `add`, or if `na.action` leaves out samples, the distances are copied to memory, 8 bytes
#'   for each pair of points: with `add` those of all points, otherwise of the points that are left.
#'   For a file and for distances on a device this is an error if `memory_limit` is given and they
#'   take more; a file with such distances, or `as.dist()` of a part, can be given instead.
#'
#'   A term in `by = "margin"` that adds nothing to the others has no degrees of freedom, and `F` is
#'   `NaN`, 0 / 0; in vegan it may be `Inf` or `-Inf`, since there the sum of squares is not exactly
#'   0.
#'
#'   With `Condition(Z)`, the test is that of `anova()` of `vegan::dbrda()` and of [gpu_dbrda()]
#'   with the same formula, `model = "reduced"`: Z is removed from both sides of Gower's matrix,
#'   this residual is permuted, and Z is removed again. `F` compares what terms add to Z with what
#'   Z and all terms leave. `R2` is the share of the total, which includes the part of Z, so the
#'   shares of terms and residuals are less than 1 together. The distances and Gower's matrix are
#'   in memory. Permutations of residuals are exact only if Z and the terms are orthogonal. vegan
#'   2.6-4 has no conditions in `adonis2()`.
#'
#'   Distances must be finite and not negative, but for rounding: at least -1e-7. With `add` they
#'   may have any sign, unless `sqrt.dist` takes roots. They need not be metric: sums of squares
#'   of semimetric ones may be negative.
#'
#' @section Names of metrics: As in `vegan::vegdist()`, `"jaccard"` is 2 b / (1 + b) for distances b
#'   of Bray and Curtis, and `"canberra"` is divided by the number of columns that are not 0 in both
#'   points; [gpu_dist()] and MATLAB have other meanings. `"chisq"`, `"chord"`, `"hellinger"`,
#'   `"aitchison"` and `"robust.aitchison"` are Euclidean distances of points that
#'   [gpu_decostand()] changes. The distances of these names are then stored, 8 bytes for each pair.
#'   The other names of [gpu_vegdist()] are the same in both. A text that begins names of vegan
#'   stands for one of these; other names are those of [gpu_dist()].
#'
#'   Points with negative values and rows without values other than 0 are warnings where they are in
#'   vegan.
#'
#' @section Names in another order: Points and values are matched by position. If both have the same
#'   names in another order, a warning of class `"gpugeo_order_warning"` gives the code that puts
#'   them in the same order.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references Anderson, M. J. (2001) A new method for non-parametric multivariate analysis of
#'   variance. *Austral Ecology* **26**, 32-46.
#'
#' Gower, J. C. (1966) Some distance properties of latent root and vector methods used in
#' multivariate analysis. *Biometrika* **53**, 325-338.
#'
#' McArdle, B. H. and Anderson, M. J. (2001) Fitting multivariate models to community data: a
#' comment on distance-based redundancy analysis. *Ecology* **82**, 290-297.
#'
#' @seealso [gpu_points_or_distances] says what a matrix means.
#'
#'   [gpu_dist()], `vegan::adonis2()`
#'
#' @examplesIf requireNamespace("permute", quietly = TRUE)
#' set.seed(1)
#' d <- gpu_dist(iris[1:4])
#' gpu_adonis2(d ~ Species, iris)
#'
#' # From points; the distances are not returned.
#' gpu_adonis2(warpbreaks["breaks"] ~ wool * tension, warpbreaks, method = "euclidean")
#' @export
gpu_adonis2 <- function(formula, data, permutations = 999, method = "braycurtis",
                        sqrt.dist = FALSE, # nolint: names of package vegan
                        add = FALSE, by = NULL, parallel = NULL,
                        na.action = stats::na.fail, # nolint
                        strata = NULL, ..., na.rm = FALSE, # nolint
                        metric = NULL, backend = NULL, threads = NULL, device = NULL,
                        progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  matched <- match.call(expand.dots = FALSE)
  changes <- list(
    root = flag_of(sqrt.dist, "sqrt.dist", call), correction = correction_of(add, call)
  )
  metric <- metric_of(method, metric, missing(method), call)
  run <- run_arguments()
  if (!is.null(by)) {
    by <- choose_one(by, c("terms", "margin", "onedf"), "by", call)
  }
  check_formula(formula, call)
  left <- eval(formula[[2L]], environment(formula), globalenv())
  data <- if (!missing(data)) frame_of_samples(data)
  parts <- if ("Condition" %in% all.names(formula[[3L]])) split_formula(formula, data, call)
  right <- if (is.null(parts)) formula else parts$variables
  frame <- model_frame(right, data, na.action, call)
  changes$left_out <- as.integer(attr(frame, "na.action"))
  changed <- changes$correction != "none" || length(changes$left_out) || !is.null(parts)
  for (name in names(frame)) check_factor(frame[[name]], name, call)
  model <- if (is.null(parts)) model_of(frame, by) else list(n = nrow(frame))
  bar <- progress_bar("Permutations")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  matched$method <- NULL # vegan::adonis2() does not use it with distances either
  rename_message("x", "formula", words = "the left side of formula", {
    left <- as_distances(left, "x", call)
    taken <- community_points(left, metric, na.rm, matched, list(...), run, call)
    left <- taken$x
    warn_of_rows(left, data, strata, formula, call)
    if (changed) {
      if (!is_distances(left)) {
        left <- distances_between(left, taken$metric, run)
      }
      check_left_side(left, model$n + length(changes$left_out), call)
      left <- changed_distances(left, changes, run, call)
    }
    source <- distances_from_any(
      left, taken$metric, taken$matched, taken$given, settings, memory_limit, call
    )
    check_left_side(source, model$n, call)
    permutations <- permutation_set(permutations, model$n, strata, call)
    if (!is.null(parts)) {
      check_finite(left, call)
      model <- partial_model(left, parts, frame, by, call)
      source$sums <- permuted_traces(model$partial, model$basis, permutations, settings, call)
    } else {
      source$sums <- .Call(
        C_permanova, source$inputs,
        c(
          source$options, model$design, list(root = changes$root && !changed),
          permutations[c("order", "rows")]
        ),
        settings, call
      )
    }
  })
  permanova_table(model, source$sums, permutations, by, match.call())
}

# Raises an error if an argument is no formula with two sides.
check_formula <- function(formula, call) {
  if (!inherits(formula, "formula") || length(formula) != 3L) {
    stop_argument(
      sprintf("formula must have a left and a right side, not be %s", show_value(formula)),
      "formula", call
    )
  }
}

# Returns data on samples as a data frame, if they are of a class of S4 that holds one.
frame_of_samples <- function(data) {
  if (inherits(data, "sample_data")) {
    methods::as(data, "data.frame")
  } else if (inherits(data, "DataFrame")) {
    as.data.frame(data, optional = TRUE)
  } else {
    data
  }
}

# Returns the model frame of the right side of a formula.
model_frame <- function(formula, data, drop, call = NULL, check = TRUE) {
  if (identical(drop, stats::na.fail)) {
    drop <- stats::na.pass # check_variable() names the first missing value
  }
  frame <- tryCatch(
    if (is.null(data)) {
      stats::model.frame(stats::delete.response(stats::terms(formula)), na.action = drop)
    } else {
      terms <- stats::delete.response(stats::terms(formula, data = data))
      stats::model.frame(terms, data, na.action = drop)
    },
    error = function(condition) {
      stop_argument(paste(
        "formula must have variables with one value for each point:", conditionMessage(condition)
      ), "formula", call)
    }
  )
  for (name in names(frame)[check]) check_variable(frame[[name]], name, call)
  frame
}

# Raises an error for a variable of which model.matrix() makes no numbers or missing ones.
check_variable <- function(variable, name, call) {
  problem <- if (inherits(variable, "integer64")) {
    "numbers that R knows, not integer64; as.double() converts it"
  } else if (anyNA(variable)) {
    sprintf(
      "no missing values, but value %d is missing; na.action = na.omit leaves out samples",
      which(rowSums(as.matrix(is.na(variable))) > 0)[1L]
    )
  } else if (is.numeric(variable) && !all(is.finite(variable))) {
    "finite values only"
  }
  if (!is.null(problem)) {
    stop_argument(sprintf("variable %s of formula must have %s", name, problem), "formula", call)
  }
}

# Warns if the names of points are those of the rows of data, or of strata, in another order.
warn_of_rows <- function(left, data, strata, formula, call) {
  side <- deparse_call(formula[[2L]])
  if (is.data.frame(data) && .row_names_info(data) > 0L) {
    line <- sprintf("data[%s, ]", labels_code(left, side))
    warn_of_order(labels_of(left), row.names(data), c(side, "data"), line, call)
  }
  warn_of_labels(left, labels_of(left), strata, c(side, "strata"), call)
}

# Raises an error if distances, or what distances_from_any() returned, are not those of n points.
check_left_side <- function(left, n, call) {
  size <- if (is_distances(left)) source_of(left, "x", call)$size else left$size
  if (size != n) {
    stop_argument(sprintf(
      "x must have the %d points of the right side, not %d%s", n, as.integer(size),
      vector_hint(size, n)
    ), "x", call)
  }
}

# Returns what to do if `size` points are perhaps the distances among n points as a vector.
vector_hint <- function(size, n) {
  if (n < 3 || size != n * (n - 1) / 2) {
    return("")
  }
  sprintf(paste0(
    "; a vector of the distances among %d points must be given as structure(v, class = \"dist\", ",
    "Size = %d)"
  ), as.integer(n), as.integer(n))
}

# Returns distances in memory, changed.
#
# changes  list(root, correction, left_out): whether to take roots, the correction, which is that of
#          all points, and the points that are left out then
changed_distances <- function(d, changes, run, call) {
  all <- seq_len(source_of(d, "x", call)$size)
  kept <- setdiff(all, changes$left_out)
  corrected <- changes$correction != "none"
  d <- distances_among(d, if (corrected) all else kept, run$memory_limit, call)
  if (changes$root || corrected) {
    # A correction may make negative distances positive; the core checks what it makes of them.
    check_range(d, "x", if (changes$root) 0 else -Inf, call)
    d <- add_constant(if (changes$root) sqrt(d) else d, changes$correction, run)
  }
  if (attr(d, "Size") > length(kept)) distances_among(d, kept, run$memory_limit, call) else d
}

# Corrects distances by the constant of gpu_pcoa().
add_constant <- function(d, correction, run) {
  plus_constant(d, correction, constant_of(d, correction, run))
}

# Returns the constant, which is 0 for two points and if all distances are 0.
constant_of <- function(d, correction, run) {
  if (correction == "none" || attr(d, "Size") < 3 || isTRUE(all(d == 0))) {
    return(0)
  }
  rename_message("d", "x", gpu_pcoa(
    d, 1, correction = correction, backend = run$backend, threads = run$threads,
    device = run$device, progress = run$progress, memory_limit = run$memory_limit
  ))$ac
}

plus_constant <- function(d, correction, constant) {
  switch(correction, none = d, lingoes = sqrt(d^2 + 2 * constant), cailliez = d + constant)
}

# Returns the model of a right side: n, the degrees of freedom of what is tested (df), its labels,
# the columns of the design that belong to each of them (columns), those of the whole model (all),
# the rank, and the design as the core takes it.
model_of <- function(frame, by) {
  terms <- stats::terms(frame)
  attr(terms, "intercept") <- 1L
  model <- factor_model(frame, terms, by)
  if (!is.null(model)) {
    return(model)
  }
  x <- stats::model.matrix(terms, frame)
  assign <- attr(x, "assign")[-1L]
  rownames(x) <- NULL # columns with names take match() five times as long
  x <- x[, -1L, drop = FALSE]
  x <- x - rep(colMeans(x), each = nrow(x)) # as scale() does, in a fourth of its time
  q <- qr(x)
  rank <- q$rank
  kept <- q$pivot[seq_len(rank)]
  model <- list(n = nrow(x), rank = rank, all = seq_len(rank))
  margins <- NULL
  if (is.null(by)) {
    model$columns <- list(Model = model$all)
  } else if (by == "onedf") {
    model$columns <- stats::setNames(as.list(model$all), colnames(q$qr)[model$all])
  } else if (by == "terms") {
    model$columns <- split(model$all, factor(assign[kept], unique(assign[kept])))
    names(model$columns) <- labels(terms)[unique(assign[kept])]
  } else {
    margins <- lapply(margin_terms(terms), margin_basis, x = x, assign = assign)
    first <- rank + cumsum(c(0, vapply(margins, ncol, 0L)))
    model$columns <- Map(
      function(at, margin) at + seq_len(ncol(margin)), first[-length(first)], margins
    )
    names(model$columns) <- labels(terms)[margin_terms(terms)]
  }
  model$df <- lengths(model$columns)
  if (rank >= 3L && length(model$columns) == 1L && sum(model$df) == rank) {
    model <- use_groups(model, x)
  }
  if (is.null(model$design)) {
    model$design <- list(
      basis = do.call(cbind, c(list(qr.Q(q)[, seq_len(rank), drop = FALSE]), margins))
    )
  }
  model
}

# The numbers of the terms that are part of no other one.
margin_terms <- function(terms) {
  match(stats::drop.scope(terms), labels(terms))
}

# Returns an orthonormal basis of what a term adds to all others.
margin_basis <- function(term, x, assign) {
  others <- x[, assign != term, drop = FALSE]
  own <- x[, assign == term, drop = FALSE]
  without <- qr(others)$rank
  q <- qr(cbind(others, own))
  qr.Q(q)[, seq_len(q$rank)[seq_len(q$rank) > without], drop = FALSE]
}

# Returns the model of one factor with at least four levels whose contrasts distinguish all of them,
# NULL for other frames. Its rank is that of the levels' rows of the design, each times the root of
# its number of points, so no matrix of all points is needed.
factor_model <- function(frame, terms, by) {
  if (length(frame) != 1L || !is.factor(frame[[1L]]) || identical(by, "onedf")) {
    return(NULL)
  }
  x <- frame[[1L]]
  code <- as.integer(x)
  first <- which(!duplicated(code))
  group <- match(code, code[first])
  levels <- frame[first, , drop = FALSE]
  attr(levels, "terms") <- attr(frame, "terms")
  points <- tabulate(group, length(first))
  rows <- stats::model.matrix(terms, levels)[, -1L, drop = FALSE]
  centre <- colSums(points * rows) / length(x)
  rank <- qr(sqrt(points) * (rows - rep(centre, each = nrow(rows))))$rank
  if (rank < 3L || rank != length(first) - 1L) {
    return(NULL)
  }
  name <- if (is.null(by)) "Model" else labels(terms)
  list(
    n = length(x), rank = rank, all = 1L, columns = stats::setNames(list(1L), name),
    df = stats::setNames(rank, name), design = list(group = group - 1L, groups = length(first))
  )
}

# Takes groups instead of a basis if the model is that of one factor: as many different rows as
# its rank and 1.
use_groups <- function(model, x) {
  group <- rep(0, nrow(x))
  n <- as.double(nrow(x)) # n^2 is exact up to 9e7 points
  for (k in seq_len(ncol(x))) {
    group <- group * n + match(x[, k], unique(x[, k]))
    group <- match(group, unique(group))
    if (max(group) > model$rank + 1L) {
      return(model)
    }
  }
  if (max(group) == model$rank + 1L) {
    model$design <- list(group = group - 1L, groups = max(group))
    model$all <- 1L
    model$columns[[1L]] <- 1L
  }
  model
}

# Returns the table of vegan::adonis2().
#
# sums  list(sums, total), the first row of sums being the points as they are
permanova_table <- function(model, sums, permutations, by, call) {
  add <- function(columns) rowSums(sums$sums[, columns, drop = FALSE])
  whole <- add(model$all)
  residual <- sums$total - whole - add(model$before)
  freedom <- model$n - model$rank - 1 - length(model$before)
  total <- if (is.null(model$total)) sums$total else model$total
  tested <- vapply(model$columns, add, numeric(nrow(sums$sums)))
  dim(tested) <- c(nrow(sums$sums), length(model$columns))
  f <- sweep(tested, 2L, model$df, "/") / (residual / freedom)
  observed <- f[1L, ]
  permuted <- f[-1L, , drop = FALSE]
  p <- permutation_p(permuted, observed)
  if (model$rank == 0L || freedom == 0) {
    left <- sums$total - add(model$before)[1L] # after conditions
    return(null_table(model, model$n - 1 - length(model$before), left, total, permutations, call))
  }
  squares <- c(tested[1L, ], residual[1L], total)
  table <- data.frame(
    c(model$df, freedom, model$n - 1), squares, squares / total, c(observed, NA, NA),
    c(p, NA, NA)
  )
  control <- permutations$control
  head <- paste0(
    "Permutation test for adonis under reduced model\n", heading_of(by),
    permutation_heading(control)
  )
  finish_table(
    table, c(names(model$columns), "Residual", "Total"), c(head, deparse_call(call)), permutations,
    list(F.perm = permuted, control = control)
  )
}

# Returns the line about what a test of terms tests, as in vegan.
heading_of <- function(by) {
  switch(c(by, "all")[1L],
    terms = "Terms added sequentially (first to last)\n",
    margin = "Marginal effects of terms\n",
    onedf = "Sequential test for contrasts\n",
    axis = "Forward tests for axes\n",
    all = ""
  )
}

# A model that explains nothing, or everything: `left`, of `freedom` degrees, of the total.
null_table <- function(model, freedom, left, total, permutations, call) {
  empty <- model$rank == 0L
  squares <- c(if (empty) 0 else left, if (empty) left else 0, total)
  table <- data.frame(
    c(if (empty) 0 else model$rank, if (empty) freedom else 0, model$n - 1), squares,
    if (total == 0) c(!empty, empty, 1) + 0 else squares / total,
    c(if (empty) 0 else NA_real_, NA, NA), NA_real_
  )
  head <- if (empty) "No constrained component\n" else "No residual component\n"
  finish_table(
    table, c("Model", "Residual", "Total"), c(head, deparse_call(call)), permutations, list()
  )
}

deparse_call <- function(call) paste(deparse(call, width.cutoff = 500L), collapse = "\n")

finish_table <- function(table, rows, heading, permutations, more,
                         columns = c("Df", "SumOfSqs", "R2", "F", "Pr(>F)")) {
  dimnames(table) <- list(rows, columns)
  attributes(table) <- c(
    attributes(table), list(heading = heading, Random.seed = permutations$seed), more
  )
  class(table) <- c("anova.cca", "anova", "data.frame")
  table
}
