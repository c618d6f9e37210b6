# Warnings of names that are in another order than they are used in.

# Warns, by a condition of class "gpugeo_order_warning", if two sides have the same names, each
# once, in another order.
#
# sides  the names of both sides in messages
# line   code that puts the second side into the order of the first
warn_of_order <- function(names, others, sides, line, call) {
  if (length(names) != length(others) || length(names) == 0L || identical(names, others)) {
    return(invisible())
  }
  names <- as.character(names)
  others <- as.character(others)
  if (any(names != others) && !anyDuplicated(names) && setequal(names, others)) {
    order_warning(sprintf(
      paste(
        "%s and %s have the same names in another order; they are matched by position,",
        "not by name: %s has the order of %s"
      ), sides[1L], sides[2L], line, sides[1L]
    ), call)
  }
  invisible()
}

order_warning <- function(message, call) {
  warning(structure(
    list(message = message, call = call), class = c("gpugeo_order_warning", "warning", "condition")
  ))
}

# Warns if two inputs have the same columns in another order, or if the columns of one are latitude
# and longitude where "great-circle" takes longitude and latitude. y: the name of the second input.
warn_of_columns <- function(inputs, y, method, call) {
  columns <- lapply(inputs, function(x) if (length(dim(x)) == 2L) dimnames(x)[[2L]])
  names <- c("x", y)
  warn_of_order(
    columns[[1L]], if (length(inputs) > 1L) columns[[2L]], names,
    sprintf("%s[, colnames(x)]", names[2L]), call
  )
  if (!is_great_circle(method)) {
    return(invisible())
  }
  for (k in which(vapply(columns, starts_with_latitude, NA))) {
    order_warning(sprintf(
      paste(
        "%s has the columns \"%s\" and \"%s\", but \"great-circle\" takes longitude,",
        "then latitude: %s[, 2:1] has this order"
      ), names[k], columns[[k]][1L], columns[[k]][2L], names[k]
    ), call)
  }
  invisible()
}

# Warns if the names of columns are those of values for each column, or of a matrix between columns,
# in another order. values: a named list of these; NULL: not given.
warn_of_column_values <- function(x, values, points, call) {
  columns <- if (length(dim(x)) == 2L) dimnames(x)[[2L]]
  code <- sprintf("colnames(%s)", points)
  for (name in names(values)) {
    value <- values[[name]]
    is_square <- length(dim(value)) == 2L
    warn_of_order(
      columns, if (is_square) rownames(value) else names(value), c(points, name),
      sprintf("%s[%s]", name, if (is_square) paste0(code, ", ", code) else code), call
    )
  }
}

is_great_circle <- function(method) {
  is.character(method) && length(method) == 1L && !is.na(method) && nchar(method) > 1L &&
    startsWith("great-circle", lower_case(method))
}

starts_with_latitude <- function(columns) {
  columns <- lower_case(columns)
  length(columns) == 2L && columns[1L] %in% c("lat", "latitude") &&
    columns[2L] %in% c("lon", "long", "lng", "longitude")
}

# Warns if the names of points are those of a vector with a value for each of them in another order.
#
# x, values  the points or distances, and the vector; their names in messages are `sides`
warn_of_labels <- function(x, labels, values, sides, call) {
  line <- sprintf("%s[%s]", sides[2L], labels_code(x, sides[1L]))
  warn_of_order(labels, if (is.null(dim(values))) names(values), sides, line, call)
}

# Returns the code of the names of points, or of those that distances are between.
labels_code <- function(x, name) {
  square <- identical(attr(x, "method"), "user supplied square matrix")
  sprintf(if (is_distances(x) && !square) "labels(%s)" else "rownames(%s)", name)
}

# Returns these names.
labels_of <- function(x) {
  if (is_distances(x)) labels(x) else dimnames(x)[[1L]]
}
