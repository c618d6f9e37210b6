#' Settings of a computation
#'
#' All functions that compute have some of these arguments, with the same meaning. They do not
#' change a result, except `precision`, and `backend` that of [gpu_layout()]. `NULL` stands for the
#' default, an option or an environment variable, see [gpugeo-package]; [gpu_info()] shows all of
#' them.
#'
#' @param backend `"auto"`, `"cpu"` or `"cuda"`. `"auto"` uses a GPU if there is one and the
#'   estimated time on it, copies included, is shorter than on the CPU.
#' @param threads CPU threads, a whole number of at least 1.
#' @param device CUDA device, a whole number counted from 0 as CUDA does, see [gpu_info()]; or
#'   `"all"`, the default: distances, correlations and neighbours are computed on all devices at the
#'   same time, see [Several devices][gpu_dist()], and everything else on the current device.
#' @param precision `"double"`, or `"single"` to round the input to single precision and to compute
#'   in it, for which consumer GPUs have more arithmetic units than for double precision. The result
#'   is still stored in doubles.
#' @param progress `TRUE` or `FALSE`: show a progress bar if the call takes longer than two seconds.
#' @param memory_limit The maximum working memory in bytes, at least 2^20, in addition to input and
#'   output, on the host and on each device. The default is 256 MiB on the host, and the free memory
#'   of a device.
#'
#' @seealso [gpugeo-package] for the defaults, [gpu_info()]
#'
#' @examples
#' x <- as.matrix(iris[, 1:4])
#' d <- gpu_dist(x, backend = "cpu", threads = 2)
#' gpu_info()$last
#'
#' # For all calls of a session.
#' old <- options(gpugeo.threads = 1)
#' identical(c(gpu_dist(x)), c(d))
#' options(old)
#' @name gpu_settings
NULL

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
    progress = switch(lower_case(text), "1" = , true = TRUE, "0" = , false = FALSE, text),
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
  list(progress = FALSE, state = state)
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
# a file, so gpu_info() can show why it is not loaded.
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
