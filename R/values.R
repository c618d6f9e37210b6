# Converts points as stats::dist() does: a vector to one column, a data frame to a matrix, and an
# array of one dimension to a vector. Other values, and those that as.matrix() would convert to
# something else, are returned unchanged, and the core refuses them.
as_points <- function(x, argument, call) {
  if (is.data.frame(x)) {
    check_columns(x, argument, call)
  } else if (is.factor(x) || inherits(x, "integer64")) {
    return(x)
  }
  if (is.object(x) || (is.atomic(x) && !is.null(x))) as.matrix(x) else x
}

# Raises an error that names the first column of a data frame that is not numeric.
check_columns <- function(x, argument, call) {
  for (i in seq_along(x)) {
    column <- x[[i]]
    if (!(is.numeric(column) || is.logical(column)) || inherits(column, "integer64")) {
      stop_argument(sprintf(
        "%s must have numeric columns, but column \"%s\" is %s", argument, names(x)[i],
        describe(column)
      ), argument, call)
    }
  }
}

# Describes a vector that is not numeric.
describe <- function(column) {
  if (inherits(column, "integer64")) {
    "integer64; as.double() converts it"
  } else if (is.character(column)) {
    "text"
  } else if (is.object(column) && !is.factor(column)) {
    sprintf("an object of class \"%s\"", class(column)[1L])
  } else {
    show_value(column)
  }
}

# Returns a value as messages show it: "3", c(1, 2), NULL, an environment.
show_value <- function(value) .Call(C_show, value)

# Converts numbers and logical values to doubles, and returns others unchanged.
as_doubles <- function(x) {
  if (is.numeric(x) || is.logical(x)) {
    storage.mode(x) <- "double"
  }
  x
}

# Raises an error of the same class as those of the core.
stop_argument <- function(message, argument, call) {
  stop(structure(
    list(message = message, call = call, argument = argument, code = 1L),
    class = c("gpugeo_error", "error", "condition")
  ))
}

# Evaluates code. Errors that name the argument `from` name `to` instead, as the called function
# does.
rename_argument <- function(from, to, code) {
  tryCatch(code, gpugeo_error = function(condition) {
    if (condition$argument == from) {
      condition$argument <- to
    }
    stop(condition)
  })
}

# Returns one of the values that an argument may have; the vector of all of them, its default,
# stands for the first.
choose_one <- function(value, choices, argument, call) {
  if (identical(value, choices)) {
    return(choices[1L])
  }
  if (!is.character(value) || length(value) != 1L || is.na(value)) {
    stop_argument(
      sprintf("%s must be a single string, not %s", argument, show_value(value)), argument, call
    )
  }
  if (!value %in% choices) {
    quoted <- paste0("\"", choices, "\"", collapse = ", ")
    stop_argument(
      sprintf("%s must be one of %s, not \"%s\"", argument, quoted, value), argument, call
    )
  }
  value
}

# The metric, which users give as `method` or as `metric`.
metric_of <- function(method, metric, default, call) {
  if (is.null(metric)) {
    return(method)
  }
  if (!default) {
    stop_argument("metric must not be given with method, which means the same", "metric", call)
  }
  metric
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

# Returns the dimnames of a matrix, NULL if neither rows nor columns have names.
names_of <- function(rows, columns) {
  if (!is.null(rows) || !is.null(columns)) list(rows, columns)
}
