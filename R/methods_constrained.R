#' Permutation tests of constrained ordinations
#'
#' `anova()` tests the results of [gpu_dbrda()] and [gpu_capscale()] by permutations, as
#' `vegan::anova.cca()` does, on all CPU cores or on a GPU and without package vegan.
#'
#' @param object What [gpu_dbrda()] or [gpu_capscale()] returned.
#' @param ... More such objects, to compare nested models, which needs package vegan. `alpha`,
#'   `trace` and `parallel`, which `vegan::ordistep()` passes on, are not used.
#' @param by What is tested: `NULL`, all constraints together; `"terms"`, each term after those
#'   before it; `"margin"`, each term after all others, but for those that are part of an
#'   interaction; `"onedf"`, each column of the constraints after those before it; `"axis"`, each
#'   constrained axis after those before it; or the beginning of such a name.
#' @param model What is permuted: `"reduced"`, residuals after the conditions; `"direct"`, the
#'   distances; `"full"`, residuals after conditions and constraints; or the beginning of such a
#'   name.
#' @param cutoff With `by = "axis"`: after an axis whose p-value is larger, axes are not tested.
#' @param scope With `by = "margin"`: the terms that are tested, as text, instead of all.
#' @inheritParams gpu_adonis2
#'
#' @return A data frame of class `"anova"` as `vegan::anova.cca()` returns it: `Df`, `SumOfSqs` (or
#'   `Variance`, if inertia is one), `F` and `Pr(>F)` of what is tested, and of the residuals. The
#'   attribute `F.perm` has the statistics of the permutations.
#'
#' @details Let G be Gower's matrix, see [gpu_dbrda()], of which with `model = "reduced"` the
#'   conditions Z are removed from both sides; or, with `"full"`, the constraints, too. A
#'   permutation changes the order of its rows and columns. Let P be the result, from which Z is
#'   removed (again).
#'   For a test with an orthonormal basis Q of k columns, that is orthogonal to Z and to what is
#'   before it,
#'
#'   F = (tr(Q' P Q) / k) / ((tr(P) - tr(H P)) / (n - 1 - r)),
#'
#'   where H projects on all constraints, and r is the rank of conditions and constraints (McArdle
#'   and Anderson 2001). With `by = "axis"`, the axes before the one that is tested are conditions,
#'   too, and the largest eigenvalue of Q' P Q is in the place of its trace, where Q is a basis of
#'   the constraints that are left (Legendre, Oksanen and ter Braak 2011).
#'
#'   All traces are sums over pairs of samples, as in [gpu_adonis2()], whose compiled code computes
#'   them for all permutations in one pass. F and p-values are those of vegan after the same
#'   `set.seed()`. A statistic that is smaller than the observed one by at most 2^-26 counts as
#'   equal, as in vegan.
#'
#'   In contrast to vegan, degrees of freedom of residuals of a model without constraints are n - 1
#'   less the rank of the conditions; and if there are fewer axes than independent constraints, as
#'   for points with few columns, the residual degrees of freedom of a test of axes are n - 1 - r,
#'   in observed and permuted statistics alike.
#'
#'   With `by = "margin"` and `model = "full"`, all terms permute the residuals of the whole model;
#'   in vegan, each takes those of two models.
#'
#'   `by = "axis"` is an error for negative eigenvalues of constraints, which [gpu_capscale()] and
#'   `add` avoid.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references McArdle, B. H. and Anderson, M. J. (2001) Fitting multivariate models to community
#' data: a comment on distance-based redundancy analysis. *Ecology* **82**, 290-297.
#'
#' Legendre, P., Oksanen, J. and ter Braak, C. J. F. (2011) Testing the significance of canonical
#' axes in redundancy analysis. *Methods in Ecology and Evolution* **2**, 269-277.
#'
#' @seealso [gpu_dbrda()], [gpu_adonis2()]; [test_classes] for `plot()`
#'
#' @examplesIf requireNamespace("permute", quietly = TRUE)
#' found <- gpu_dbrda(iris[1:2] ~ Petal.Length + Species, iris, distance = "manhattan")
#' set.seed(1)
#' anova(found, permutations = 99)
#' anova(found, by = "margin", permutations = 99)
#' @export
anova.gpu_dbrda <- function(object, ..., permutations = 999, by = NULL,
                            model = c("reduced", "direct", "full"), parallel = NULL,
                            strata = NULL, cutoff = 1, scope = NULL, backend = NULL,
                            threads = NULL, device = NULL, progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  if (...length() && all(vapply(list(...), inherits, NA, "cca"))) {
    return(compare_models(list(object, ...), match.call(), parent.frame(), call))
  }
  refuse_dots(match.call(expand.dots = FALSE)$..., call, step_arguments)
  model <- choose_one(model[1L], c("reduced", "direct", "full"), "model", call)
  if (!is.null(by)) {
    by <- choose_one(by, c("terms", "margin", "onedf", "axis"), "by", call)
  }
  design <- constrained_design(object)
  n <- nrow(design$conditions)
  permutations <- permutation_set(permutations, n, strata, call)
  freedom <- n - 1 - ncol(design$conditions) - ncol(design$constraints)
  if (ncol(design$constraints) == 0L || freedom == 0) {
    return(null_constrained(object, freedom, permutations))
  }
  bar <- progress_bar("Permutations")
  on.exit(bar$close())
  settings <- run_settings(backend, threads, device, "double", progress, bar$update, memory_limit)
  sums_of <- function(g, basis) permuted_traces(g, basis, permutations, settings, call)
  gower <- gower_of(object)
  tested <- if (identical(by, "axis")) {
    # Free permutations are drawn in each call of the core: all axes need the same ones.
    permutations[c("order", "rows")] <- list(permutation_rows(permutations, call), TRUE)
    test_axes(object, gower, design, model, sums_of, freedom, cutoff, call)
  } else {
    parts <- design_parts(constraint_terms(object), design, by, scope, call)
    test_parts_of(gower, design, parts, model, sums_of, freedom)
  }
  constrained_table(object, tested, by, model, freedom, permutations)
}

#' @export
anova.gpu_capscale <- anova.gpu_dbrda

# Arguments of vegan::ordistep() that it passes on to the test.
step_arguments <- c("alpha", "trace")

# Compares nested models by vegan, whose method takes objects without our class.
compare_models <- function(models, matched, frame, call) {
  if (!requireNamespace("vegan", quietly = TRUE)) {
    stop_argument("... must be empty unless package vegan is installed", "...", call)
  }
  for (k in seq_along(models)) {
    class(models[[k]]) <- setdiff(class(models[[k]]), c("gpu_dbrda", "gpu_capscale"))
  }
  named <- intersect(names(matched), c("permutations", "by", "model", "strata"))
  given <- lapply(as.list(matched)[named], eval, frame)
  do.call(stats::anova, c(models, given))
}

# Returns Gower's matrix of an object, which in gpu_capscale() has real axes only.
gower_of <- function(object) {
  if (object$method == "capscale") tcrossprod(object$Ybar) else unclass(object$Ybar)
}

# Returns list(conditions, constraints, columns, assign, decomposition): orthonormal bases of both,
# and for each column of the second its column and term of the constraints.
constrained_design <- function(object) {
  if (is.null(object$CCA)) {
    n <- nrow(object$Ybar)
    inner <- object$pCCA$QR
    conditions <- if (is.null(inner)) matrix(0, n, 0L) else qr_basis(inner)
    return(list(conditions = conditions, constraints = matrix(0, n, 0L)))
  }
  decomposition <- object$CCA$QR
  before <- if (is.null(object$pCCA)) 0L else object$pCCA$rank
  basis <- qr_basis(decomposition)
  own <- seq_len(ncol(basis)) > before
  inner <- ncol(decomposition$qr) - length(object$terminfo$assign)
  columns <- decomposition$pivot[seq_len(ncol(basis))][own]
  list(
    conditions = basis[, !own, drop = FALSE], constraints = basis[, own, drop = FALSE],
    columns = columns, assign = object$terminfo$assign[columns - inner],
    all = c(rep(0L, inner), object$terminfo$assign), decomposition = decomposition
  )
}

qr_basis <- function(q) qr.Q(q)[, seq_len(q$rank), drop = FALSE]

# Returns a list of orthonormal bases, with names, of what is tested of the terms of constraints.
# Those that are columns of the constraints are given by their numbers.
design_parts <- function(terms, design, by, scope, call) {
  if (is.null(by)) {
    return(list(Model = seq_len(ncol(design$constraints))))
  }
  if (by == "onedf") {
    names <- colnames(qr.X(design$decomposition))[design$columns]
    return(stats::setNames(as.list(seq_along(names)), names))
  }
  labels <- labels(terms)
  if (by == "terms") {
    used <- unique(design$assign)
    parts <- split(seq_along(design$assign), factor(design$assign, used))
    return(stats::setNames(parts, labels[used]))
  }
  tested <- margin_terms(terms)
  if (!is.null(scope)) {
    tested <- match(chosen_terms(scope, labels[tested], call), labels)
  }
  x <- qr.X(design$decomposition, ncol = ncol(design$decomposition$qr))
  bases <- lapply(tested, margin_basis, x = x, assign = design$all)
  stats::setNames(bases, labels[tested])
}

# Returns the terms of the constraints, without Condition().
constraint_terms <- function(object) {
  split_formula(stats::formula(object$terms), NULL, NULL)$constraints
}

# Returns terms that are among the marginal ones.
chosen_terms <- function(scope, margins, call) {
  terms <- if (is.character(scope)) scope else labels(stats::terms(stats::formula(scope)))
  terms <- terms[!startsWith(terms, "Condition(")] # vegan::drop1() lists conditions, too
  if (!length(terms) || !all(terms %in% margins)) {
    stop_value(scope, "scope", paste("some of the terms", paste(margins, collapse = ", ")), call)
  }
  terms
}

# Returns list(sums, total): the traces Q' P Q of each column of a basis (columns) for the samples
# as they are and for each permutation (rows), and the trace of P.
permuted_traces <- function(g, basis, permutations, settings, call) {
  n <- nrow(g)
  pairs <- squares_of(g)
  made <- .Call(
    C_permanova, list(pairs$squares, as.double(n)),
    c(list(source = "dist", basis = basis, root = TRUE), permutations[c("order", "rows")]),
    settings, call
  )
  list(sums = made$sums - pairs$added / 2, total = made$total - pairs$added * (n - 1) / 2)
}

# Returns Gower's matrix without what a model removes before it is permuted.
reduced_gower <- function(gower, conditions, constraints, model) {
  switch(model,
    direct = gower,
    reduced = without_basis(gower, conditions),
    full = without_basis(gower, cbind(conditions, constraints))
  )
}

# Returns list(name, df, squares, f, permuted, residual) of parts of the constraints.
test_parts_of <- function(gower, design, parts, model, sums_of, freedom) {
  found <- basis_of_parts(design, parts)
  basis <- found$basis
  columns <- found$columns
  own <- found$all
  df <- lengths(columns)
  statistics <- function(made, rows) {
    sums <- made$sums[rows, , drop = FALSE]
    add <- function(at) rowSums(sums[, at, drop = FALSE])
    tested <- matrix(as.double(unlist(lapply(columns, add))), length(rows), length(columns))
    list(tested = tested, residual = made$total - add(c(found$before, own)))
  }
  f_of <- function(found) sweep(found$tested, 2L, df, "/") / (found$residual / freedom)
  made <- sums_of(reduced_gower(gower, design$conditions, design$constraints, model), basis)
  permuted <- f_of(statistics(made, seq_len(nrow(made$sums))[-1L]))
  found <- if (model == "full") {
    observed_parts(without_basis(gower, design$conditions), basis, columns, own)
  } else {
    statistics(made, 1L)
  }
  list(
    name = names(parts), df = df, squares = found$tested[1L, ], residual = found$residual,
    f = f_of(found)[1L, ], permuted = permuted
  )
}

# Returns list(basis, before, all, columns): the columns of conditions, of constraints and of parts
# of their own, next to each other, and which of them these are; columns: those of each part.
basis_of_parts <- function(design, parts) {
  given <- vapply(parts, is.matrix, NA)
  before <- ncol(design$conditions)
  last <- before + ncol(design$constraints)
  columns <- lapply(parts, function(part) {
    if (!is.matrix(part)) {
      return(before + part)
    }
    last <<- last + ncol(part)
    last - ncol(part) + seq_len(ncol(part))
  })
  list(
    basis = do.call(cbind, c(list(design$conditions, design$constraints), unname(parts[given]))),
    before = seq_len(before), all = before + seq_len(ncol(design$constraints)), columns = columns
  )
}

# Returns the model of gpu_adonis2() with conditions, as model_of() does, with the columns of the
# conditions (before), the trace of Gower's matrix (total), and `partial`, this matrix without the
# conditions, which are no longer in it when it is permuted.
partial_model <- function(d, parts, frame, by, call) {
  names <- as.character(seq_len(nrow(frame)))
  x <- centred_design(parts$constraints, frame, names)
  z <- centred_design(parts$conditions, frame, names)
  first <- qr(z)
  both <- qr(join_designs(z, x))
  design <- constrained_design(list(
    CCA = if (both$rank > first$rank) list(QR = both), Ybar = z, terms = parts$terms,
    pCCA = if (first$rank > 0L) list(rank = first$rank, QR = first),
    terminfo = list(assign = attr(x, "assign"))
  ))
  found <- basis_of_parts(design, list(Model = integer()))
  if (ncol(design$constraints)) {
    found <- basis_of_parts(design, design_parts(parts$constraints, design, by, NULL, call))
  }
  gower <- gower_matrix(d, NULL)
  c(found, list(
    n = nrow(frame), rank = ncol(design$constraints), df = lengths(found$columns),
    total = sum(diag(gower)), partial = without_basis(gower, design$conditions)
  ))
}

# Returns list(tested, residual) of the samples as they are.
observed_parts <- function(g, basis, columns, own) {
  traces <- colSums(basis * (g %*% basis))
  tested <- vapply(columns, function(at) sum(traces[at]), 0)
  list(tested = matrix(tested, 1L), residual = sum(diag(g)) - sum(traces[own]))
}

# Does the same for axes.
test_axes <- function(object, gower, design, model, sums_of, freedom, cutoff, call) {
  eig <- object$CCA$eig
  if (any(eig < 0)) {
    stop_argument(paste(
      "by must not be \"axis\" if constraints have negative eigenvalues;",
      "gpu_capscale() and the argument add avoid them"
    ), "by", call)
  }
  if (!is.numeric(cutoff) || length(cutoff) != 1L || is.na(cutoff)) {
    stop_value(cutoff, "cutoff", "a number", call)
  }
  residual <- object$CA$tot.chi
  f <- unname(eig) / (residual / freedom)
  permuted <- list()
  for (k in seq_along(eig)) {
    permuted[[k]] <- permuted_axis(gower, object$CCA$u, k, design, model, sums_of, freedom)
    if (permutation_p(permuted[[k]], f[k]) > cutoff) break
  }
  permuted <- do.call(cbind, permuted)
  tested <- seq_along(eig) <= ncol(permuted)
  list(
    name = names(eig), df = rep(1, length(eig)), squares = unname(eig), residual = residual,
    f = replace(f, !tested, NA), permuted = permuted, tested = tested
  )
}

# Returns the statistics of the k-th axis in the permutations, a column.
permuted_axis <- function(gower, u, k, design, model, sums_of, freedom) {
  earlier <- u[, seq_len(k - 1L), drop = FALSE]
  conditions <- cbind(design$conditions, earlier)
  left <- qr.Q(qr(cbind(earlier, design$constraints)))
  left <- left[, seq_len(ncol(design$constraints)) >= k, drop = FALSE]
  pairs <- which(upper.tri(diag(ncol(left))), arr.ind = TRUE)
  mixed <- (left[, pairs[, 1L], drop = FALSE] + left[, pairs[, 2L], drop = FALSE]) / sqrt(2)
  g <- reduced_gower(gower, conditions, left, model)
  made <- sums_of(g, cbind(conditions, left, mixed))
  sums <- made$sums[-1L, , drop = FALSE]
  before <- ncol(conditions)
  all <- before + ncol(left)
  residual <- made$total - rowSums(sums[, seq_len(all), drop = FALSE])
  own <- sums[, before + seq_len(ncol(left)), drop = FALSE]
  others <- sums[, all + seq_len(ncol(mixed)), drop = FALSE]
  largest <- vapply(seq_len(nrow(sums)), function(row) {
    largest_eigenvalue(own[row, ], others[row, ], pairs)
  }, 0)
  matrix(largest / (residual / freedom))
}

# Returns the largest eigenvalue of the symmetric matrix with this diagonal, where `mixed` has the
# forms of (e_i + e_j) / sqrt(2) for pairs of unit vectors.
largest_eigenvalue <- function(diagonal, mixed, pairs) {
  s <- diag(diagonal, length(diagonal))
  value <- mixed - (diagonal[pairs[, 1L]] + diagonal[pairs[, 2L]]) / 2
  s[pairs] <- value
  s[pairs[, 2:1, drop = FALSE]] <- value
  eigen(s, symmetric = TRUE, only.values = TRUE)$values[1L]
}

# Returns the table of vegan::anova.cca().
constrained_table <- function(object, tested, by, model, freedom, permutations) {
  observed <- tested$f
  p <- rep(NA_real_, length(observed))
  used <- seq_len(ncol(tested$permuted))
  p[used] <- permutation_p(tested$permuted, observed[used])
  table <- data.frame(
    c(tested$df, freedom), c(tested$squares, tested$residual), c(observed, NA), c(p, NA)
  )
  head <- paste0(
    "Permutation test for ", object$method, " under ", model, " model\n", heading_of(by),
    permutation_heading(permutations$control)
  )
  missing <- length(observed) - length(used)
  rows <- nrow(tested$permuted)
  finish_table(
    table, c(tested$name, "Residual"), c(head, model_line(object)), permutations,
    list(
      F.perm = cbind(tested$permuted, matrix(NA_real_, rows, missing)),
      control = permutations$control
    ), constrained_columns(object)
  )
}

model_line <- function(object) paste("Model:", deparse_call(object$call))

constrained_columns <- function(object) {
  c("Df", if (startsWith(object$inertia, "mean")) "Variance" else "SumOfSqs", "F", "Pr(>F)")
}

# Returns the table of a model that explains nothing, or everything.
null_constrained <- function(object, freedom, permutations) {
  empty <- is.null(object$CCA)
  parts <- c(if (empty) 0 else object$CCA$tot.chi, if (empty) object$CA$tot.chi else 0)
  df <- c(if (empty) 0 else object$CCA$qrank, freedom)
  table <- data.frame(df, parts, c(if (empty) 0 else NA_real_, NA), NA_real_)
  head <- if (empty) "No constrained component\n" else "No residual component\n"
  finish_table(
    table, c("Model", "Residual"), c(head, model_line(object)), permutations, list(),
    constrained_columns(object)
  )
}
