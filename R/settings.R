# Returns the value of one of the common arguments: the argument itself, else the option
# gpugeo.<name>, else the environment variable GPUGEO_<NAME>, else the built-in one.
setting <- function(name, argument, builtin) {
  all <- structure(list(builtin), names = name)
  .Call(C_find_settings, all, list(argument), setting_of_text)[[1L]]
}

# Returns the value of a setting whose environment variable is `text`.
setting_of_text <- function(name, text) {
  switch(name,
    threads = ,
    memory_limit = ,
    device = as_number(text),
    progress = switch(tolower(text), "1" = , true = TRUE, "0" = , false = FALSE, text),
    text
  )
}

# Converts a string to a number; other strings are returned unchanged, which the core refuses.
as_number <- function(text) {
  number <- suppressWarnings(as.numeric(text))
  if (is.na(number)) text else number
}

# The arguments that all functions share.
common_settings <- c("backend", "threads", "device", "precision", "progress", "memory_limit")

known_options <- paste0("gpugeo.", c(common_settings, "cuda_lib"))

# Returns the built-in settings, without a bar, for a call of so few operations that a look at each
# setting would take longer; NULL for more, or where an option or a variable sets anything.
short_settings <- function(operations) {
  if (operations > 1e7 || !state$environment_checked || !is.null(state$cuda_lib) ||
    .Call(C_any_setting, .Options, common_settings)) {
    return(NULL)
  }
  list(backend = "auto", precision = "double", progress = FALSE, state = state)
}

# Warns, once in a session for each name, about an option with gpugeo's prefix that does not exist,
# and about an environment variable whose name resembles a setting.
warn_unknown_settings <- function() {
  for (name in .Call(C_unknown_options, .Options, known_options)) {
    if (!name %in% state$warned) {
      state$warned <- c(state$warned, name)
      known <- paste(known_options, collapse = ", ")
      warning(sprintf("option %s is not known; the options are %s", name, known), call. = FALSE)
    }
  }
  if (!state$environment_checked) {
    state$environment_checked <- TRUE
    text <- .Call(C_unknown_setting)
    if (!is.null(text)) {
      warning(text, call. = FALSE)
    }
  }
}

# Hands the option gpugeo.cuda_lib to the core if it has changed. Any value is taken for the name of
# a file, so that gpu_info() can show why it is not loaded.
name_cuda_library <- function() {
  file <- getOption("gpugeo.cuda_lib")
  if (!identical(file, state$cuda_lib)) {
    text <- if (is.null(file)) "" else if (is.character(file)) file else show_value(file)
    .Call(C_name_cuda_library, path.expand(enc2native(text[1L])))
    state$cuda_lib <- file
  }
}

# True in interactive sessions, except while knitr runs, which would put the bar into the document.
default_progress <- function(interactive = base::interactive()) {
  interactive && !isTRUE(getOption("knitr.in.progress"))
}

# The settings of a call, in the form that gg_r_settings() of src/r/call.c reads.
run_settings <- function(backend = NULL, threads = NULL, device = NULL, precision = NULL,
                         progress = NULL, bar = NULL, memory_limit = NULL) {
  warn_unknown_settings()
  name_cuda_library()
  builtin <- list(
    backend = "auto", threads = NULL, device = NULL, precision = "double",
    progress = default_progress(), memory_limit = NULL,
    bar = bar, state = state # gets the report
  )
  given <- list(backend, threads, device, precision, progress, memory_limit)
  .Call(C_find_settings, builtin, given, setting_of_text)
}
