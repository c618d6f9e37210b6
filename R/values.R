# Points as stats::dist() takes them: a vector is one column, a data frame a matrix. What is no data
# at all is left for the core to refuse.
as_points <- function(x) {
  if (is.object(x) || (is.atomic(x) && !is.null(x))) as.matrix(x) else x
}

# Numbers and truth values as doubles, all else as it is.
as_doubles <- function(x) {
  if (is.numeric(x) || is.logical(x)) {
    storage.mode(x) <- "double"
  }
  x
}

# An error of the same class as those of the core.
stop_argument <- function(message, argument, call) {
  stop(structure(
    list(message = message, call = call, argument = argument, code = 1L),
    class = c("gpugeo_error", "error", "condition")
  ))
}

# One of the values that an argument may have; all of them, its default, stand for the first.
choose_one <- function(value, choices, argument, call) {
  if (identical(value, choices)) {
    return(choices[1L])
  }
  if (!is.character(value) || length(value) != 1L || is.na(value)) {
    stop_argument(paste(argument, "must be a single string"), argument, call)
  }
  if (!value %in% choices) {
    quoted <- paste0("\"", choices, "\"", collapse = ", ")
    stop_argument(
      sprintf("%s must be one of %s, not \"%s\"", argument, quoted, value), argument, call
    )
  }
  value
}

# `dots`: the expressions of `...`, of which there should be none.
refuse_dots <- function(dots, call) {
  if (length(dots) > 0L) {
    name <- names(dots)[1L]
    if (is.null(name) || !nzchar(name)) {
      name <- paste(deparse(dots[[1L]], width.cutoff = 60L, nlines = 1L))
    }
    stop_argument(sprintf("unused argument %s", name), name, call)
  }
}

# Dimnames of a matrix, NULL where neither rows nor columns have names.
names_of <- function(rows, columns) {
  if (!is.null(rows) || !is.null(columns)) list(rows, columns)
}
