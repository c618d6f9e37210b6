# Points of the functions that are named after vegan's: names of metrics, missing values and
# warnings have the meaning that they have in vegan::vegdist().

# The metrics of vegan::vegdist(). Of those with TRUE, gpugeo has the distances.
vegan_metrics <- c(
  manhattan = TRUE, euclidean = TRUE, canberra = TRUE, clark = FALSE, bray = TRUE,
  kulczynski = FALSE, jaccard = TRUE, gower = TRUE, altGower = FALSE, morisita = FALSE,
  horn = FALSE, mountford = FALSE, raup = FALSE, binomial = FALSE, chao = FALSE, cao = FALSE,
  mahalanobis = TRUE, chisq = FALSE, chord = FALSE, hellinger = FALSE, aitchison = FALSE,
  robust.aitchison = FALSE
)

# Returns the full name of a metric: vegan's if it begins one of these, otherwise unchanged.
vegan_method <- function(method, call) { # nolint: cyclocomp_linter.
  if (!is.character(method) || length(method) != 1L || is.na(method) || is_own_metric(method)) {
    return(method)
  }
  found <- begun_by(method, names(vegan_metrics))
  if (length(found) > 1L) {
    stop_argument(sprintf(
      "method must be one metric of package vegan, not \"%s\", which begins %s", method,
      paste0("\"", found, "\"", collapse = ", ")
    ), "method", call)
  }
  if (length(found) && !vegan_metrics[[found]]) {
    stop_argument(sprintf(
      paste(
        "method must be a metric that gpugeo computes, not \"%s\";",
        "vegan::vegdist(x, \"%s\") gives distances to take in place of points x"
      ), found, found
    ), "method", call)
  }
  if (length(found)) found else method
}

# True if text is the full name of a metric that vegan does not have.
is_own_metric <- function(text) {
  lower_case(text) %in% setdiff(core_choices("metric", "method"), names(vegan_metrics))
}

# Returns list(x, metric, matched, given) for distances_from_any(), where x is points as a matrix or
# data frame, checked; or their distances, an object of class "dist", if vegan defines the metric
# otherwise than gpu_dist(). Distances are returned unchanged.
#
# metric   what metric_of() returned
# na_rm    whether missing values are left out pair by pair
# matched  the call with the expressions of `...`, and
# given    the values of these
# nolint start: cyclocomp_linter.
community_points <- function(x, metric, na_rm, matched, given, run, call) {
  na_rm <- flag_of(na_rm, "na.rm", call)
  if (is_distances(x) || is_sequences(x, metric$method)) {
    return(list(x = x, metric = metric, matched = matched, given = given))
  }
  from <- input_reader(matched$..., given, list(x), run$memory_limit, call)
  metric$method <- vegan_method(metric$method, call)
  if (!is_table(x) || is_plain_table(x, metric)) {
    x <- points_of(x, "x", from)
  }
  if (is.matrix(x) && is.numeric(x) || is_sparse(x) || is_table(x)) {
    check_community(x, metric$method, na_rm, call)
  }
  change <- vegan_change(metric$method, x)
  if (!is.null(change)) {
    x <- change(distances_between(x, computed_metric(metric), run))
    attr(x, "method") <- metric$method
  }
  list(x = x, metric = metric, matched = NULL, given = list())
}
# nolint end

# True if the columns of a table are numbers to any metric: as in vegan, logical values are so, too,
# unless `types` gives types.
is_plain_table <- function(x, metric) {
  is_plain <- function(column) !is.object(column) && (is.numeric(column) || is.logical(column))
  !is_gower(metric$method) || is.null(metric$types) && all(vapply(x, is_plain, NA))
}

# Raises an error if values are missing, unless they are left out. Warns of what has no meaning in a
# metric.
check_community <- function(x, method, na_rm, call) { # nolint: cyclocomp_linter.
  if (!na_rm && has_missing(x)) {
    at <- which(as.matrix(is.na(if (is_table(x)) as.data.frame(x) else x)), arr.ind = TRUE)
    stop_argument(sprintf(
      paste(
        "x must have no missing values, but row %d, column %d is missing;",
        "na.rm = TRUE leaves out missing values"
      ), at[1L, 1L], at[1L, 2L]
    ), "x", call)
  }
  if (!is.character(method) || !method %in% c("bray", "jaccard", "canberra", "braycurtis")) {
    return()
  }
  empty <- which(count_per_row(x != 0) == 0)
  warn <- function(...) warning(simpleWarning(paste0(...), call))
  if (length(empty)) {
    warn(
      "row", if (length(empty) > 1L) "s", " ", paste(utils::head(empty, 10L), collapse = ", "),
      if (length(empty) > 10L) ", ...", " of the points ",
      if (length(empty) > 1L) "have" else "has", " no value other than 0; \"", method,
      "\" may have no meaning there"
    )
  }
  if (method != "canberra" && any(count_per_row(x < 0) > 0)) {
    warn("points have negative values, for which \"", method, "\" may have no meaning")
  }
}

# Returns how many elements of each row of a matrix, maybe a sparse one, are true and not missing.
count_per_row <- function(x) {
  if (isS4(x)) Matrix::rowSums(x, na.rm = TRUE) else rowSums(x, na.rm = TRUE)
}

# Returns a function that changes distances of gpu_dist() to those of vegan, or NULL if they are the
# same.
vegan_change <- function(method, x) {
  if (!is.character(method) || length(method) != 1L) {
    return(NULL)
  }
  switch(method,
    jaccard = function(d) 2 * d / (1 + d),
    canberra = function(d) d / ncol(x), # gpu_dist() scales means up to the number of columns
    euclidean = if (has_missing(x)) function(d) d * sqrt(share_of_shared(x)),
    manhattan = if (has_missing(x)) function(d) d * share_of_shared(x)
  )
}

# True if a value of a matrix, maybe a sparse one, or of a table is missing.
has_missing <- function(x) {
  if (is_sparse(x)) {
    x <- if (methods::.hasSlot(x, "x")) x@x
  }
  anyNA(x, recursive = is_table(x))
}

# Returns for each pair of rows the share of columns that are missing in neither.
share_of_shared <- function(x) {
  present <- tcrossprod(!is.na(as.matrix(x)))
  present[lower.tri(present)] / ncol(x)
}

# Returns the metric with which distances are computed: Bray-Curtis for vegan's Jaccard.
computed_metric <- function(metric) {
  replace(metric, "method", if (identical(metric$method, "jaccard")) "bray" else metric$method)
}
