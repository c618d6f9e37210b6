# Points of the functions that are named after vegan's: names of metrics, missing values and
# warnings have the meaning that they have in vegan::vegdist().

# The indices of vegan::vegdist(), in its order, with their largest values for points that share no
# species.
vegan_metrics <- c(
  manhattan = NA, euclidean = NA, canberra = 1, clark = 1, bray = 1, kulczynski = 1, jaccard = 1,
  gower = NA, altGower = NA, morisita = 1, horn = 1, mountford = log(2), raup = 1, binomial = NA,
  chao = 1, cao = NA, mahalanobis = NA, chisq = NA, chord = sqrt(2), hellinger = sqrt(2),
  aitchison = NA, robust.aitchison = NA
)

# Those that have a meaning for points with negative values, for points without any value above 0,
# and for values that are not whole numbers.
vegan_signed <- c(
  "manhattan", "euclidean", "canberra", "gower", "mahalanobis", "chord", "hellinger"
)
vegan_empty <- c("manhattan", "euclidean", "gower", "mahalanobis", "chisq")
vegan_fractions <- setdiff(names(vegan_metrics), c("morisita", "chao", "cao"))

# Those that are Euclidean distances of points that gpu_decostand() changes, by these methods.
vegan_transforms <- c(
  chisq = "chi.square", chord = "normalize", hellinger = "hellinger", aitchison = "clr",
  robust.aitchison = "rclr"
)

# Returns the full name of a metric: vegan's if it begins one of these, otherwise unchanged.
vegan_method <- function(method, call) {
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
  if (length(found)) found else method
}

# True if text is the full name of a metric that vegan does not have.
is_own_metric <- function(text) {
  own <- setdiff(core_choices("metric", "method"), lower_case(names(vegan_metrics)))
  lower_case(text) %in% own
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
  if (is_changed(metric$method, x)) {
    x <- structure(vegan_distances(x, metric$method, run), method = metric$method)
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
check_community <- function(x, method, na_rm, call) {
  if (!na_rm && has_missing(x)) {
    at <- which(as.matrix(is.na(if (is_table(x)) as.data.frame(x) else x)), arr.ind = TRUE)
    stop_message("elements missing", "x", call, at[1L, 1L], at[1L, 2L], "na.rm = TRUE")
  }
  index <- if (identical(method, "braycurtis")) "bray" else method
  if (is.character(index) && length(index) == 1L && index %in% names(vegan_metrics)) {
    warn_of_community(x, index, method, call)
  }
}

# Warns of values for which an index of vegan, called `method`, has no meaning.
warn_of_community <- function(x, index, method, call, is_negative = any_below_zero(x)) {
  empty <- if (!index %in% vegan_empty) {
    which((if (is_negative) count_per_row(x != 0) else count_per_row(x)) == 0)
  }
  if (length(empty)) {
    warn_message("without values", call, rows_of(empty, "the points"), method)
  }
  if (!index %in% vegan_signed && is_negative) {
    warn_message("negative values", call, "points have", method)
  }
  if (!index %in% vegan_fractions && any(count_per_row(x != round(x)) > 0)) {
    warn_message("not whole", call, method)
  }
}

# Returns "row 3 of x has" or "rows 1, 3 of x have", with the first ten numbers.
rows_of <- function(rows, of = "x") {
  several <- length(rows) > 1L
  paste0(
    "row", if (several) "s", " ", paste(utils::head(rows, 10L), collapse = ", "),
    if (length(rows) > 10L) ", ...", " of ", of, if (several) " have" else " has"
  )
}

# True if a value of a matrix, maybe a sparse one, is negative. Makes no copy of the matrix.
any_below_zero <- function(x) isTRUE(suppressWarnings(min(x, na.rm = TRUE)) < 0)

# Returns the sum of each row of a matrix, maybe a sparse one, without missing values: of logical
# ones, how many are true.
count_per_row <- function(x) {
  if (isS4(x)) Matrix::rowSums(x, na.rm = TRUE) else rowSums(x, na.rm = TRUE)
}

# True if vegan defines the metric otherwise than gpu_dist(), for these points, or spells its name
# otherwise.
is_changed <- function(method, x) {
  is.character(method) && length(method) == 1L &&
    (method %in% c("jaccard", "canberra", "altGower", names(vegan_transforms)) ||
      method %in% c("euclidean", "manhattan") && has_missing(x))
}

# Returns the distances of vegan::vegdist() between the rows of a matrix, maybe a sparse one.
#
# method  one of vegan_metrics
# extra   a list that may have range.global and pseudocount
# binary  whether the points that a method makes become 0 and 1
vegan_distances <- function(x, method, run, extra = list(), binary = FALSE) {
  between <- function(x, ...) distances_between(x, list(...), run)
  switch(method,
    jaccard = as_jaccard(between(x, method = "braycurtis")),
    canberra = between(x, method = "canberra") / ncol(x), # gpu_dist() scales up to all columns
    euclidean = unscaled(between(x, method = "euclidean"), x, sqrt),
    manhattan = unscaled(between(x, method = "manhattan"), x, identity),
    gower = if (is.null(extra$range.global) && !binary) {
      between(x, method = "gower")
    } else {
      standardized_distances(x, method, "manhattan", run, extra, binary) / ncol(x)
    },
    mahalanobis = if (binary) {
      standardized_distances(x, method, "euclidean", run, extra, binary)
    } else {
      between(x, method = "mahalanobis", singular = "pinv")
    },
    chord = chords(x, run),
    hellinger = chords(suppressWarnings(sqrt(x)), run), # NaN of negative values
    chisq = ,
    aitchison = ,
    robust.aitchison = standardized_distances(x, method, "euclidean", run, extra, binary),
    between(x, method = if (method == "bray") "braycurtis" else lower_case(method))
  )
}

as_jaccard <- function(d) 2 * d / (1 + d)

# Undoes what gpu_dist() scales sums up by where coordinates are missing.
unscaled <- function(d, x, root) if (has_missing(x)) d * root(share_of_shared(x)) else d

# Returns the lengths of chords between points on the unit sphere, from their cosines. Points of
# zeros have none, of which gpu_vegdist() warns.
chords <- function(x, run) {
  sqrt(2 * suppressWarnings(distances_between(x, list(method = "cosine"), run)))
}

# Returns the distances of points that a method of vegan changes before, and of which it may make
# presences afterwards.
standardized_distances <- function(x, method, metric, run, extra, binary) {
  changed <- withCallingHandlers(
    standardized_points(x, method, extra),
    gpugeo_decostand_warning = function(condition) invokeRestart("muffleWarning")
  )
  if (binary) {
    changed <- presences(changed)
  }
  if (metric == "manhattan") { # a mean of the columns that are not missing
    return(distances_between(changed, list(method = metric), run))
  }
  d <- vegan_distances(changed, metric, run)
  empty <- method == "robust.aitchison" & count_per_row(x != 0) == 0
  if (any(empty)) {
    pairs <- outer(empty, empty, "|")
    d[pairs[lower.tri(pairs)]] <- NaN
  }
  d
}

standardized_points <- function(x, method, extra) {
  omit <- has_missing(x)
  plain_matrix(switch(method,
    gower = {
      range <- extra$range.global
      gpu_decostand(x, "range", range.global = range, na.rm = omit)
    },
    mahalanobis = whitened(x),
    aitchison = {
      added <- if (is.null(extra$pseudocount)) 0 else extra$pseudocount
      gpu_decostand(x, "clr", pseudocount = added)
    },
    gpu_decostand(x, vegan_transforms[[method]], na.rm = omit)
  ))
}

# Returns centred points whose columns are uncorrelated and have variance 1, in the directions of
# the columns: multiplied by the symmetric root of the inverse of their covariance.
whitened <- function(x) {
  x <- scale(as.matrix(x), scale = FALSE)
  parts <- svd(x, nu = 0)
  kept <- parts$d > parts$d[1L] * sqrt(.Machine$double.eps)
  turn <- parts$v[, kept, drop = FALSE]
  x %*% turn %*% (t(turn) * sqrt(nrow(x) - 1) / parts$d[kept])
}

# Returns 1 for values above 0 of a matrix, maybe a sparse one, else 0.
presences <- function(x) set_values(x, (values_in(x) > 0) + 0)

# Returns a matrix without the attributes of gpu_decostand().
plain_matrix <- function(x) {
  if (isS4(x)) x else matrix(x, nrow(x), ncol(x), dimnames = dimnames(x))
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
