#' Environmental vectors and factors of an ordination
#'
#' `gpu_envfit()` finds the directions in an ordination in which variables change most, and the
#' averages of the levels of factors, with permutation tests. Arguments and results are those of
#' `vegan::envfit()`.
#'
#' @param ord An ordination as `X` of [gpu_procrustes()]; or a formula, whose left side is one, and
#'   whose right side has variables of `env`. Only their main effects are fitted.
#' @param env A data frame of numbers and factors; text and logical values are factors. Or a matrix
#'   or a vector of numbers. With a formula, the data frame of its variables.
#' @param permutations As in [gpu_adonis2()]; the rows of `env` are permuted. 0: no test.
#' @param choices The numbers of the axes.
#' @param display Which scores are taken of an object: an argument of `vegan::scores()`.
#' @param w The weights of the points, at least 0; `NULL`: all are 1. By default those that the
#'   object has, by [stats::weights()], as ordinations by `vegan::cca()` do.
#' @param na.rm Whether points with missing scores or variables are left out; otherwise missing
#'   values are an error.
#' @param data The same as `env`, for a formula.
#' @param ... Arguments of `vegan::scores()`, for objects of which it has the scores.
#' @inheritParams gpu_adonis2
#'
#' @return An object of class `"envfit"` as `vegan::envfit()` returns it, a list with the elements
#' * `vectors`: of class `"vectorfit"`, or `NULL`: a list with `arrows` (directions of length 1),
#'   `r` (the shares of variance), `permutations`, `pvals` and `control`;
#' * `factors`: of class `"factorfit"`, or `NULL`: a list with `centroids`, `r`, `permutations`,
#'   `pvals`, `var.id` (the variable of each centroid) and `control`;
#' * `na.action`: `NULL`, or the points that were left out.
#'
#'   Package vegan has methods of `plot()` and `scores()` for it.
#'
#' @details An arrow has the direction of the coefficients of the linear regression of a variable on
#'   the scores, and `r` is its coefficient of determination; with weights, as in vegan, the square
#'   of the correlation of both sides of the regression, each multiplied by sqrt(w). For a factor
#'   `r` is 1 - w / t with the sums of squares of the scores within levels, w, and of all, t. Both
#'   are 0 for a constant variable.
#'
#'   After the same `set.seed()` p-values are those of `vegan::envfit()` 2.6-4; see [gpu_adonis2()]
#'   for what counts as equal. As there, a set of permutations is drawn that is not used, then one
#'   for the vectors and one for the factors; a matrix of permutations is used for both.
#'
#' @inheritSection gpu_adonis2 Names in another order
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_pcoa()], [gpu_mds()], [gpu_adonis2()], `vegan::envfit()`
#'
#' @examplesIf requireNamespace("permute", quietly = TRUE)
#' map <- gpu_pcoa(gpu_dist(iris[3:4]))
#' set.seed(1)
#' gpu_envfit(map, iris[c("Sepal.Length", "Species")], permutations = 99)
#' gpu_envfit(map ~ log(Sepal.Width), iris, permutations = 0)
#' @export
gpu_envfit <- function(ord, env, permutations = 999, strata = NULL, choices = c(1, 2),
                       display = "sites", w, na.rm = FALSE, ..., # nolint: names of package vegan
                       data) {
  call <- sys.call()
  if (!missing(data)) {
    if (!missing(env)) stop_message("same argument", "data", call, "data", "env")
    env <- data
  }
  map <- ord
  if (inherits(ord, "formula")) {
    map <- eval(left_of(ord, call), environment(ord), globalenv())
    env <- formula_variables(ord, if (missing(env)) environment(ord) else env, call)
  }
  scores <- scores_of(map, "ord", display, match.call(expand.dots = FALSE)$..., list(...), call)
  weights <- if (missing(w)) own_weights(map, display) else w
  x <- choose_axes(scores, choices, call)
  fit <- list(x = x, env = environment_of(env, nrow(x), call))
  fit$w <- fit_weights(weights, nrow(x), call)
  warn_of_order(
    rownames(scores), own_rownames(env), c("ord", "env"), "env[rownames(vegan::scores(ord)), ]",
    call
  )
  fit <- complete_points(fit, strata, flag_of(na.rm, "na.rm", call), call)
  draw <- function() permutation_set(permutations, nrow(fit$x), fit$strata, call)
  permuted_values(draw(), nrow(fit$x), call, function(order) NULL) # as vegan
  numeric <- vapply(fit$env, is.numeric, NA)
  structure(list(
    vectors = if (any(numeric)) fit_vectors(fit, as.matrix(fit$env[numeric]), draw(), call),
    factors = if (any(!numeric)) fit_factors(fit, fit$env[!numeric], draw(), call),
    na.action = fit$omitted
  ), class = "envfit")
}

left_of <- function(formula, call) {
  if (length(formula) != 3L) {
    stop_argument(
      sprintf("ord must have a left and a right side, not be %s", show_value(formula)), "ord", call
    )
  }
  formula[[2L]]
}

# Returns the variables of the right side of a formula, with missing values.
formula_variables <- function(formula, data, call) {
  formula[[2L]] <- NULL
  tryCatch(
    stats::model.frame(formula, data, na.action = stats::na.pass),
    error = function(condition) {
      stop_argument(sprintf(
        "ord must be a formula of variables that there are: %s", conditionMessage(condition)
      ), "ord", call)
    }
  )
}

# Returns the names of the rows of a table that has other ones than their numbers.
own_rownames <- function(x) {
  if (is.data.frame(x) && .row_names_info(x) < 0L) NULL else rownames(x)
}

# Returns the weights of an ordination of package vegan, NULL if it has none.
own_weights <- function(x, display) {
  if (is.null(own_scores(x))) stats::weights(x, display = display)
}

choose_axes <- function(x, choices, call) {
  if (identical(as.numeric(choices), c(1, 2)) && ncol(x) == 1L) choices <- 1L
  if (!is.numeric(choices) || !length(choices) || !all(choices %in% seq_len(ncol(x)))) {
    stop_value(choices, "choices", sprintf("numbers of axes, 1 to %d", ncol(x)), call)
  }
  x[, choices, drop = FALSE]
}

# Returns a data frame of n rows, of numbers and factors.
environment_of <- function(env, n, call) {
  if (is.numeric(env) || is.logical(env)) env <- as_doubles(as.matrix(env))
  if (!is.data.frame(env) && !is.numeric(env)) {
    stop_value(env, "env", "a data frame, or a matrix or a vector of numbers", call)
  }
  if (nrow(env) != n) {
    stop_argument(sprintf(
      "env must have a row for each of the %d points, not %d rows", n, nrow(env)
    ), "env", call)
  }
  names <- colnames(env)
  env <- as.data.frame(env)
  env[] <- Map(function(column, name) number_or_factor(column, name, call), env, names(env))
  structure(env, given = names)
}

number_or_factor <- function(column, name, call) {
  check_factor(column, name, call)
  if (is.character(column) || is.logical(column) || is.factor(column)) {
    return(as.factor(column))
  }
  if (!is.numeric(column)) {
    stop_value(column, name, "numbers, text, logical values or a factor", call)
  }
  column
}

fit_weights <- function(w, n, call) {
  if (is.null(w)) {
    return(rep(1, n))
  }
  w <- numbers_of(w, "w", call)
  check_values(w, "w", n, call)
  if (!all(is.finite(w) & w >= 0) || sum(w) == 0) {
    stop_value(w, "w", "finite, at least 0 and not all 0", call)
  }
  w
}

# Leaves out points with missing scores or variables, or raises an error. Adds strata and, if some
# points were left out, `omitted` to a list of scores, variables and weights.
complete_points <- function(fit, strata, omit, call) {
  complete <- stats::complete.cases(fit$x, fit$env)
  fit$strata <- strata
  if (!all(complete)) {
    first <- which(!complete)[1L]
    if (!omit) {
      stop_argument(sprintf(
        "%s must have no missing values, but row %d has; na.rm = TRUE leaves out such points",
        if (anyNA(fit$x[first, ])) "ord" else "env", first
      ), if (anyNA(fit$x[first, ])) "ord" else "env", call)
    }
    if (sum(complete) < 2L) stop_value(sum(complete), "env", "complete for two points", call)
    if (length(strata) == nrow(fit$x)) fit$strata <- strata[complete]
    fit$omitted <- structure(which(!complete), class = "omit")
    names <- attr(fit$env, "given")
    fit$env <- structure(fit$env[complete, , drop = FALSE], given = names)
    fit$x <- fit$x[complete, , drop = FALSE]
    fit$w <- fit$w[complete]
  }
  check_scores(fit$x, "ord", call)
  numbers <- vapply(fit$env, is.numeric, NA)
  check_scores(as.matrix(fit$env[numbers]), "env", call)
  fit
}

# --- Vectors and factors ------------------------------------------------------------------------

# Returns the object of class "vectorfit" of the columns of `variables`.
fit_vectors <- function(fit, variables, set, call) {
  given <- attr(fit$env, "given")
  root <- sqrt(fit$w)
  weighted_mean <- function(x) rep(colSums(fit$w * x) / sum(fit$w), each = nrow(x))
  centred <- unname(variables - weighted_mean(variables)) # names would be permuted, too
  basis <- qr(root * (fit$x - weighted_mean(fit$x)))
  heads <- qr.coef(basis, root * centred)
  heads[is.na(heads)] <- 0 # of an axis that depends on others
  constant <- apply(variables, 2L, function(v) min(v) == max(v))
  heads[, constant] <- 0
  length <- pmax(sqrt(colSums(heads^2)), .Machine$double.eps)
  space <- qr.Q(basis)[, seq_len(basis$rank), drop = FALSE]
  centred[, constant] <- 0
  observed <- determination(space, fit$w, centred)
  permuted <- permuted_values(set, nrow(variables), call, function(order) {
    vapply(seq_len(ncol(centred)), function(k) {
      determination(space, fit$w, matrix(centred[, k][order], nrow(centred)))
    }, numeric(ncol(order)))
  })
  names <- if (!is.null(given)) colnames(variables)
  fitted <- list(
    arrows = structure(
      t(heads) / length, dimnames = list(names, colnames(fit$x)),
      parameters = list(norm = unname(length), margin = 2), decostand = "normalize"
    ),
    r = stats::setNames(observed, names)
  )
  structure(c(fitted, test_of(permuted, fitted$r, set)), class = "vectorfit")
}

# Returns for each column of v the square of its correlation with its regression on the scores; 0 if
# it is constant. Both sides are multiplied by sqrt(w), and, as in vegan, centred without weights
# before they are correlated.
#
# space  an orthonormal basis of sqrt(w) times scores without their weighted means
# v      columns without weighted means, or permutations of such columns
determination <- function(space, w, v) {
  root <- sqrt(w)
  n <- length(w)
  mean <- colSums(w * v) / sum(w)
  products <- crossprod(space, root * v)
  fitted <- colSums(products^2)
  fitted_mean <- colSums(products * colSums(space)) / n
  own_mean <- (colSums(root * v) - mean * sum(root)) / n
  own <- colSums(w * v^2) - mean^2 * sum(w) - n * own_mean^2
  both <- fitted - n * own_mean * fitted_mean
  ifelse(fitted > 0 & own > 0, both^2 / (own * (fitted - n * fitted_mean^2)), 0)
}

# Returns the elements of a fit that a test gives. One p-value has a name only if `named`, as in
# vegan.
test_of <- function(permuted, observed, set, named = FALSE) {
  permuted <- matrix(permuted, ncol = length(observed))
  p <- if (nrow(permuted)) permutation_p(permuted, observed)
  if (length(p) > 1L || length(p) && named) names(p) <- names(observed)
  list(permutations = nrow(permuted), pvals = p, control = set$control)
}

# Returns the object of class "factorfit" of a data frame of factors.
fit_factors <- function(fit, factors, set, call) {
  factors <- lapply(factors, droplevels)
  codes <- unname(vapply(factors, as.integer, integer(nrow(fit$x))))
  counts <- vapply(factors, nlevels, 0L)
  x <- fit$x - rep(colSums(fit$w * fit$x) / sum(fit$w), each = nrow(fit$x))
  observed <- vapply(seq_along(factors), function(k) {
    between_levels(x, fit$w, codes[, k, drop = FALSE], counts[k])
  }, 0)
  permuted <- permuted_values(set, nrow(x), call, function(order) {
    vapply(seq_along(factors), function(k) {
      between_levels(x, fit$w, matrix(codes[, k][order], nrow(x)), counts[k])
    }, numeric(ncol(order)))
  })
  centroid <- function(code) {
    rowsum(fit$w * fit$x, code) / as.vector(rowsum(fit$w, code))
  }
  centroids <- do.call(rbind, lapply(seq_along(factors), function(k) centroid(codes[, k])))
  id <- rep(names(factors), counts)
  levels <- unlist(lapply(factors, levels), use.names = FALSE)
  dimnames(centroids) <- list(paste0(id, levels), colnames(fit$x))
  r <- stats::setNames(observed, names(factors))
  test <- test_of(permuted, r, set, named = TRUE)
  structure(
    c(
      list(centroids = centroids, r = r), test[c("permutations", "pvals")],
      list(var.id = id), test["control"]
    ),
    class = "factorfit"
  )
}

# Returns the share of the weighted sum of squares of centred scores between levels, for each column
# of codes from 1 to `levels`; 0 if all scores are equal,
# or there is one level.
between_levels <- function(x, w, codes, levels) {
  total <- sum(w * x^2)
  if (total == 0 || levels == 1L) {
    return(numeric(ncol(codes)))
  }
  id <- as.vector(codes + rep(levels * (seq_len(ncol(codes)) - 1), each = nrow(codes)))
  sums <- rowsum(cbind(w, w * x)[rep(seq_len(nrow(x)), ncol(codes)), , drop = FALSE], id)
  squares <- rowSums(sums[, -1L, drop = FALSE]^2) / sums[, 1L]
  squares[sums[, 1L] == 0] <- 0
  colSums(matrix(squares, levels)) / total
}

fallback_print.envfit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) { # nolint
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  table <- function(part) {
    found <- cbind(r2 = part$r, `Pr(>r)` = part$pvals)
    print(found, digits = digits)
  }
  if (!is.null(x$vectors)) {
    cat("Vectors\n")
    print(cbind(x$vectors$arrows, r2 = x$vectors$r, `Pr(>r)` = x$vectors$pvals), digits = digits)
  }
  if (!is.null(x$factors)) {
    cat("Centroids of factors\n")
    print(x$factors$centroids, digits = digits)
    table(x$factors)
  }
  test <- if (is.null(x$vectors)) x$factors else x$vectors
  if (test$permutations > 0L) cat(permutation_heading(test$control))
  if (length(x$na.action)) cat(length(x$na.action), "points with missing values are left out\n")
  invisible(x)
}
