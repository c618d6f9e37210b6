#' Backends, devices, defaults, and the last call
#'
#' Returns what this build of gpugeo can use on this machine, and how the last call was computed.
#'
#' @param x What `gpu_info()` returned.
#' @param ... Not used.
#'
#' @return A list of class `"gpugeo_info"`:
#' * `version`: the version of the core library.
#' * `simd`: the vector instructions in use, `"avx512"`, `"avx2"` or `"sse2"` (x86-64), `"neon"`
#'   (64-bit ARM) or `"generic"` (plain C).
#' * `threads`: the number of CPU threads that a call uses by default.
#' * `backends`: a data frame with a row for each backend: `backend`, `available`, and the `reason`
#'   if it is not available, else `""`.
#' * `devices`: a data frame with a row for each CUDA device: `device` (its number, from 0), `name`,
#'   `capability` (compute capability), `multiprocessors`, `total_bytes` and `free_bytes` of memory.
#' * `cuda_library`: a list with the `file` of the CUDA library that was loaded, the `version` of
#'   gpugeo that it belongs to, and the `architectures` that it has code for, separated by `+`; or
#'   the `reason` why none was loaded, with a line for each file that was tried.
#' * `defaults`: the defaults in force of the arguments `backend`, `threads`, `device`, `precision`,
#'   `progress` and `memory_limit`, see [gpugeo-package]; `NULL` for all CUDA devices and for the
#'   built-in limit of memory.
#' * `invalid`: the error message of each default that is not valid, named by its argument, and of
#'   the environment variable `GPUGEO_MEMORY`, named by it;
#'   empty if all are valid.
#' * `last`: of the last call that succeeded: its `function`, the `backend` that made the result,
#'   the CUDA `device` (`NA` on the CPU, and if several computed), CPU `threads`, wall time in
#'   `seconds`, the part of it in kernels in `device_seconds` (of the device with the longest time),
#'   and the number of `devices` that computed. `NULL` before the first call.
#'
#' @section The CUDA library:
#' The code for NVIDIA GPUs is in a file of its own, `libgpugeo_cuda.so`, which is loaded when CUDA
#' is first needed. The option `gpugeo.cuda_lib` or else the environment variable `GPUGEO_CUDA_LIB`
#' names the file. Without them it is the first of these that exists and belongs to this version of
#' gpugeo:
#' 1. the one in the folder of the package's compiled code, where the installation puts it if it
#'    finds the CUDA compiler `nvcc`;
#' 2. the one in the folder `tools::R_user_dir("gpugeo", "cache")`, where each installation that
#'    builds the file leaves a copy for later ones, of R and Octave, and where [gpu_install()]
#'    puts a file that was built elsewhere;
#' 3. the one in the folders of the system's loader, for example in `LD_LIBRARY_PATH`.
#'
#' A file that is loaded remains until R ends; an option that is set later has no effect.
#'
#' @seealso [gpu_install()]
#'
#' @examples
#' gpu_info()
#' d <- gpu_dist(iris[, 1:4])
#' gpu_info()$last$backend
#' @export
gpu_info <- function() {
  name_cuda_library()
  info <- .Call(C_info)
  info$backends <- as.data.frame(info$backends)
  info$devices <- as.data.frame(info$devices)
  defaults <- run_settings()[common_settings]
  if (is.null(defaults$threads)) {
    defaults["threads"] <- info["threads"]
  }
  info$defaults <- defaults
  info$invalid <- invalid_settings(defaults)
  info["last"] <- list(state$last)
  structure(info, class = "gpugeo_info")
}

#' @rdname gpu_info
#' @export
print.gpugeo_info <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  cat("gpugeo ", x$version, "\n", sep = "")
  cat("CPU:  ", x$simd, " instructions, ", plural(x$threads, "thread"), " by default\n", sep = "")
  cuda <- x$backends[x$backends$backend == "cuda", ]
  if (!cuda$available) {
    cat("CUDA: not used, ", cuda$reason, "\n", sep = "")
  }
  library <- x$cuda_library
  if (nzchar(library$file)) {
    cat("CUDA: ", library$file, " (", library$architectures, ")\n", sep = "")
  }
  for (i in seq_len(nrow(x$devices))) {
    device <- x$devices[i, ]
    cat(sprintf(
      "CUDA: device %d, %s, compute capability %s, %.1f of %.1f GiB free\n",
      device$device, device$name, device$capability,
      device$free_bytes / 2^30, device$total_bytes / 2^30
    ))
  }
  builtin <- c(device = "all", memory_limit = "automatic")
  shown <- function(name) {
    value <- x$defaults[[name]]
    text <- if (is.null(value)) {
      builtin[[name]]
    } else if (is.character(value)) {
      value[1L]
    } else {
      show_value(value)
    }
    if (name %in% names(x$invalid)) paste(text, "(not valid)") else text
  }
  defaults <- vapply(names(x$defaults), shown, "")
  defaults <- paste(names(defaults), defaults, collapse = ", ")
  writeLines(strwrap(paste("Defaults:", defaults), exdent = 10))
  cat(sprintf("Not valid: %s\n", x$invalid), sep = "")
  last <- x$last
  if (!is.null(last)) {
    where <- if (last$devices == 0L) {
      plural(last$threads, "thread")
    } else if (last$devices == 1L) {
      paste("device", last$device)
    } else {
      plural(last$devices, "device")
    }
    cat(sprintf(
      "Last call: %s on %s, %s, %.3g s\n",
      last$`function`, last$backend, where, last$seconds
    ))
  }
  invisible(x)
}

# Returns the messages of the defaults and environment variables that are not valid, by their names.
invalid_settings <- function(defaults) {
  problem <- function(name) {
    setting <- utils::modifyList(list(progress = FALSE), defaults[name])
    tryCatch(
      {
        .Call(C_check_settings, setting, NULL)
        NA_character_
      },
      gpugeo_error = conditionMessage
    )
  }
  problems <- vapply(names(defaults), problem, "")
  c(problems[!is.na(problems)], .Call(C_invalid_variables))
}

plural <- function(count, noun) {
  paste0(count, " ", noun, if (count != 1L) "s")
}
