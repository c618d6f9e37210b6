# Returns the value of one of the common arguments: the argument itself, else the option
# gpugeo.<name>, else the environment variable GPUGEO_<NAME>, else the built-in one.
setting <- function(name, argument, builtin) {
  if (!is.null(argument)) {
    return(argument)
  }
  option <- getOption(paste0("gpugeo.", name))
  if (!is.null(option)) {
    return(option)
  }
  text <- Sys.getenv(paste0("GPUGEO_", toupper(name)))
  if (!nzchar(text)) {
    return(builtin)
  }
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

# Warns, once in a session for each name, about an option with gpugeo's prefix that does not exist,
# and about an environment variable whose name resembles a setting. `.Options` takes 5 microseconds
# where names() of options() takes 100.
warn_unknown_settings <- function() {
  options <- names(.Options)
  found <- options[startsWith(options, "gpugeo.")]
  known <- paste0("gpugeo.", c(common_settings, "cuda_lib"))
  for (name in setdiff(found, c(known, state$warned))) {
    state$warned <- c(state$warned, name)
    known <- paste(known, collapse = ", ")
    warning(sprintf("option %s is not known; the options are %s", name, known), call. = FALSE)
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
  list(
    backend = setting("backend", backend, "auto"),
    threads = setting("threads", threads, NULL),
    device = setting("device", device, NULL),
    precision = setting("precision", precision, "double"),
    progress = setting("progress", progress, default_progress()),
    bar = bar,
    memory_limit = setting("memory_limit", memory_limit, NULL),
    state = state # gets the report
  )
}
