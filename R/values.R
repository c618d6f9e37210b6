# Returns a value as messages show it: "3", c(1, 2), NULL, an environment.
show_value <- function(value) .Call(C_show, value)

# Converts numbers and logical values to doubles, and returns others unchanged.
as_doubles <- function(x) {
  if (is.numeric(x) || is.logical(x)) {
    storage.mode(x) <- "double"
  }
  x
}

# Returns a vector of numbers as doubles. Text and others are an error, and NULL stays NULL.
numbers_of <- function(value, argument, call) {
  if (is.character(value) || is.list(value) || is.factor(value)) {
    stop_value(value, argument, "numbers", call)
  }
  as_doubles(value)
}

# Returns strings of which those that are not UTF-8 are taken for Latin-1.
repair_text <- function(text) {
  other <- !validUTF8(text)
  if (any(other)) {
    latin <- text[other]
    Encoding(latin) <- "latin1"
    text[other] <- enc2utf8(latin)
  }
  text
}

# Raises an error of the same class as those of the core, whose codes are those of gpugeo.h.
stop_argument <- function(message, argument, call, code = 1L) {
  stop(structure(
    list(message = message, call = call, argument = argument, code = code),
    class = c("gpugeo_error", "error", "condition")
  ))
}

# Returns a message that the core has for both languages (src/common/messages.c), with its values.
message_of <- function(name, ...) sprintf(.Call(C_message, name, sys.call()), ...)

# Raises an error with such a message.
stop_message <- function(name, argument, call, ...) {
  stop_argument(message_of(name, ...), argument, call)
}

# Warns with such a message.
warn_message <- function(name, call, ...) {
  warning(simpleWarning(message_of(name, ...), call))
}

# Raises an error if an argument has not a value for each of n points.
check_values <- function(values, argument, n, call, hint = "") {
  if (length(values) != n) {
    message <- message_of("values", argument, n, length(values))
    stop_argument(paste0(message, hint), argument, call)
  }
}

# Raises such an error about a value, in the words of the core: "<argument> must be <allowed>, not
# <value>".
stop_value <- function(value, argument, allowed, call) {
  .Call(C_fail_given, value, argument, allowed, call)
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

# Does the same, also where a message begins with the name, by the words `words`, and after "must be
# given with", "points as" and "of a metric:".
rename_message <- function(from, to, code, words = to) {
  tryCatch(rename_argument(from, to, code), gpugeo_error = function(condition) {
    condition$message <- sub(paste0("^", from, " "), paste0(words, " "), condition$message)
    condition$message <- sub(
      sprintf("( must be given with | points as | of a metric: )%s\\b", from), paste0("\\1", to),
      condition$message
    )
    stop(condition)
  })
}

# Returns a value that must be TRUE or FALSE.
flag_of <- function(value, argument, call) .Call(C_check_flag, value, argument, call)

# Returns one of the values that an argument may have, which is given by its name or the beginning
# of it in any case, as the core's names are; the vector of all of them, its default, stands for the
# first.
choose_one <- function(value, choices, argument, call) {
  if (identical(value, choices)) {
    return(choices[1L])
  }
  choices[.Call(C_choose, value, choices, argument, call)]
}

# Returns the names that an option of a family of the core may have.
core_choices <- function(family, option) .Call(C_options)[[family]][[option]]$choices

# Converts text to lower case. tolower() follows the locale: in Turkish, "I" becomes a letter that
# is in no name.
lower_case <- function(text) {
  chartr("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", text)
}

# Returns the names that text is or, if it is none of them, that it begins, in any case.
begun_by <- function(text, names) {
  if (is.na(text)) {
    return(character())
  }
  text <- lower_case(text)
  exact <- names[lower_case(names) == text]
  if (length(exact)) exact[1L] else names[nzchar(text) & startsWith(lower_case(names), text)]
}

# Completes the beginning of the name of a metric of stats::dist() as that does; the core completes
# those of others.
full_method <- function(method) {
  if (!is.character(method) || length(method) != 1L || method %in% first_metrics) {
    return(method)
  }
  number <- pmatch(lower_case(method), first_metrics)
  if (is.na(number)) method else first_metrics[number]
}

first_metrics <- c("euclidean", "maximum", "manhattan", "canberra", "binary", "minkowski")

# The arguments about the computation as they were given to the function that calls this one:
# list(backend, threads, device, progress, memory_limit).
run_arguments <- function(given = parent.frame()) {
  mget(c("backend", "threads", "device", "progress", "memory_limit"), envir = given)
}

# Raises an error that names the first of `dots`, the expressions of `...`, whose name is not among
# `allowed`.
#
# metric  the name of the function's argument for metrics; NULL: it has none
refuse_dots <- function(dots, call, allowed = character(), metric = NULL) {
  dots <- dots[!argument_names(dots) %in% allowed]
  if (length(dots) > 0L) {
    name <- names(dots)[1L]
    if (!is.null(metric) && isTRUE(name %in% names(parameter_owners))) {
      refuse_parameter(name, metric, call)
    }
    if (is.null(name) || !nzchar(name)) {
      name <- paste(deparse(dots[[1L]], width.cutoff = 60L, nlines = 1L))
    }
    stop_argument(sprintf("unused argument %s", name), name, call)
  }
}

# Returns the names of arguments, "" for those without one.
argument_names <- function(dots) if (is.null(names(dots))) character(length(dots)) else names(dots)

# The arguments of print.default(), which ignores others.
print_arguments <- c(
  "digits", "quote", "na.print", "print.gap", "right", "max", "width", "useSource"
)

# Returns the dimnames of a matrix, NULL if neither rows nor columns have names.
names_of <- function(rows, columns) {
  if (!is.null(rows) || !is.null(columns)) list(rows, columns)
}

# Raises an error if a value is of class "factor" and its codes are not those of its levels, which
# functions of other packages would meet later.
check_factor <- function(x, name, call) {
  if (is.factor(x)) {
    codes <- unclass(x)
    wrong <- which(!is.na(codes) & !(codes %in% seq_along(levels(x))))
    if (length(wrong)) {
      stop_argument(sprintf(
        "%s must be a factor with a level for each code, but value %d has the code %s of %s", name,
        wrong[1L], codes[wrong[1L]], plural(nlevels(x), "level")
      ), name, call)
    }
  }
}
