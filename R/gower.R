# Columns of mixed types for method "gower": their types, and codes for the values of columns of
# groups and of ranks.

# The types in the order of gpugeo_column of gpugeo.h.
column_types <- c("numeric", "nominal", "asymmetric")

# Returns how the columns of x are coded: `types`, the core's types, and `columns`, for each column
# a list that code_column() reads; without it no column needs a code. x is not converted yet, and
# `argument` is its name in errors.
column_coding <- function(x, metric, from, argument = "x") {
  if (!is_gower(metric$method)) {
    return(list())
  }
  types <- metric$types
  if (!is_table(x)) {
    x <- if (is_listed(types)) points_of(x, argument, dense_reader(from))
    if (!is.matrix(x)) {
      return(list(types = type_codes(types, from$call)))
    }
  }
  columns <- columns_of(x)
  lapply(columns, check_factor, argument, from$call)
  columns <- lapply(columns, column_default)
  if (is_listed(types)) {
    columns <- take_list(columns, types, colnames(x), from$call)
    types <- NULL
  } else if (!is.null(types)) {
    types <- type_codes(types, from$call)
    columns <- take_codes(columns, types)
  }
  columns <- lapply(columns, function(column) column[names(column) != "values"])
  if (is.null(types)) {
    types <- vapply(columns, function(column) column$type, 0)
  }
  list(types = types, columns = columns)
}

# Changes what input_reader() returned: inputs become dense matrices without codes.
dense_reader <- function(from) {
  replace(from, c("coding", "sparse", "panels"), list(NULL, FALSE, FALSE))
}

is_table <- function(x) is.data.frame(x) || inherits(x, "DataFrame")
is_listed <- function(types) is.list(types) && !is.null(names(types))

# Changes the types of columns to those of the core, of which there may be too few or too many.
take_codes <- function(columns, types) {
  given <- seq_len(min(length(columns), length(types)))
  columns[given] <- Map(set_type, columns[given], c("numeric", "symm", "asymm")[types[given] + 1])
  columns
}

# Changes the types of columns to those of a list as in cluster::daisy().
take_list <- function(columns, types, names, call) {
  for (type in names(types)) {
    columns <- set_types(columns, types[[type]], type, names, call)
  }
  columns
}

gower_names <- substring("gower", 1L, 2:5)

# True for "gower" and its beginnings, in which no other metric begins.
is_gower <- function(method) {
  is.character(method) && length(method) == 1L && !method %in% first_metrics &&
    lower_case(method) %in% gower_names
}

columns_of <- function(x) {
  if (is.matrix(x)) lapply(seq_len(ncol(x)), function(k) x[, k]) else as.list(x)
}

# Returns the types of columns as numbers.
type_codes <- function(types, call) {
  if (!is.character(types)) {
    return(as_doubles(types))
  }
  codes <- match(types, column_types)
  if (anyNA(codes)) {
    stop_argument(sprintf(
      "types must be %s for each column, or a list as in cluster::daisy(), not %s",
      paste0("\"", column_types, "\"", collapse = ", "), show_value(types[is.na(codes)][1L])
    ), "types", call)
  }
  codes - 1
}

# Returns how a column is taken by its class, as cluster::daisy() takes it.
column_default <- function(column) {
  if (is.ordered(column)) {
    list(type = 0, levels = levels(column), closed = TRUE)
  } else if (is.factor(column)) {
    list(type = 1, levels = levels(column))
  } else if (is.logical(column)) {
    list(type = 2)
  } else {
    list(type = 0, values = column)
  }
}

# Changes the type of a column to one of those of cluster::daisy().
set_type <- function(column, type) {
  sorted <- function() sort(unique(column$values))
  switch(type,
    symm = list(type = 1, levels = if (is.null(column$values)) column$levels else sorted()),
    asymm = list(type = 2, levels = column$levels),
    ordratio = if (is.null(column$values)) {
      column
    } else {
      list(type = 0, levels = sorted(), closed = TRUE)
    },
    logratio = c(column, log = TRUE),
    numeric = column
  )
}

set_types <- function(columns, which, type, names, call) {
  allowed <- c("asymm", "symm", "ordratio", "logratio")
  if (!type %in% allowed) {
    stop_argument(sprintf(
      "types must have elements named %s, not \"%s\"",
      paste0("\"", allowed, "\"", collapse = ", "), type
    ), "types", call)
  }
  for (one in which) {
    k <- if (is.character(one)) match(one, names) else match(one, seq_along(columns))
    if (is.na(k)) {
      stop_argument(sprintf(
        "types must name columns of x, or their numbers from 1 to %d, not %s", length(columns),
        show_value(one)
      ), "types", call)
    }
    columns[[k]] <- set_type(columns[[k]], type)
  }
  columns
}

# Returns a matrix of the codes of a table's columns, those of x or of other points with the same
# columns.
code_columns <- function(x, argument, from) {
  columns <- columns_of(x)
  if (length(columns) != length(from$coding$columns)) {
    return(as.matrix(as.data.frame(lapply(columns, as.numeric)))) # the core refuses it
  }
  names <- colnames(x)
  coded <- lapply(seq_along(columns), function(k) {
    code_column(columns[[k]], from$coding$columns[[k]], names[k], argument, from)
  })
  rows <- if (!is.data.frame(x)) rownames(x) else if (.row_names_info(x) > 0L) row.names(x)
  matrix(
    unlist(coded, use.names = FALSE), nrow(x), length(columns),
    dimnames = if (!is.null(rows) || !is.null(names)) list(rows, names)
  )
}

code_column <- function(column, how, name, argument, from) {
  values <- if (is.factor(column)) as.character(column) else column
  number <- (is.numeric(values) || is.logical(values)) && !inherits(values, "integer64")
  if (is.null(how$levels)) {
    if (!number) {
      stop_argument(sprintf(
        "%s must have columns of numbers, logical values or factors, but column \"%s\" is %s%s",
        argument, name, describe(column), if (is.character(column)) "; see factor()" else ""
      ), argument, from$call)
    }
    values <- as.double(values)
    return(if (isTRUE(how$log)) log10(values) else values)
  }
  levels <- how$levels
  codes <- match(values, levels)
  new <- is.na(codes) & !is.na(values)
  if (any(new) && !isTRUE(how$closed)) {
    levels <- c(levels, unique(values[new]))
    codes <- match(values, levels)
  } else if (any(new)) {
    stop_argument(sprintf(
      "%s must have the levels of x in column \"%s\", not %s", argument, name,
      show_value(values[new][1L])
    ), argument, from$call)
  }
  codes - 1
}
