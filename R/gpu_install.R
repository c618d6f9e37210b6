#' Install the CUDA library for GPUs
#'
#' Copies or downloads the file `libgpugeo_cuda.so`, with which gpugeo computes on NVIDIA GPUs, into
#' the user's cache, or removes it there. It is for machines that have an NVIDIA GPU and its driver,
#' but no CUDA compiler: where `nvcc` is, the installation of gpugeo has built the file already, see
#' [gpu_info()].
#'
#' The file is written to the folder of the cache under another name, checked, and then renamed.
#' What was installed before remains if a check fails. The checks are its SHA-256, that it is
#' complete and was built from the sources of this gpugeo, and that the distances it computes on the
#' default CUDA device have the same bits as those of the CPU. Without such a device it is only
#' loaded, and the result has the reason. gpugeo never installs anything without this call.
#'
#' @param from The path of a file, or an address that begins with `file://`, `http://` or
#'   `https://`. It has no default, because there is no release of gpugeo yet; `make cuda-library`
#'   in its sources builds such a file on any machine with the CUDA compiler.
#' @param sha256 The SHA-256 of the file, 64 hexadecimal digits. An address of `http` or `https`
#'   must have one; other files are checked if it is given.
#' @param remove `TRUE` removes what was installed.
#'
#' @return Invisibly, a list:
#' * `file`: the path of the file that was installed, `libgpugeo_cuda.so` in the folder
#'   `tools::R_user_dir("gpugeo", "cache")`.
#' * `sha256`: its SHA-256.
#' * `version`: the version of gpugeo that it belongs to.
#' * `architectures`: the GPU architectures that it has code for, separated by `+`.
#' * `device`: the name of the CUDA device that has computed distances in the test, or `""`.
#' * `reason`: why there was no test, or `""`.
#'
#' With `remove = TRUE`, invisibly whether there was a file to remove. A message describes what was
#' done. A session that has loaded a CUDA library keeps it: the message then says that the new one
#' is used from the next session on.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_info()], which describes where the CUDA library is sought.
#'
#' @examples
#' try(gpu_install("libgpugeo_cuda.txt"))
#' \dontrun{
#' gpu_install("/media/usb/libgpugeo_cuda.so")
#' gpu_install(
#'   "https://example.org/libgpugeo_cuda.so",
#'   sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#' )
#' gpu_install(remove = TRUE)
#' }
#' @export
gpu_install <- function(from = NULL, sha256 = NULL, remove = FALSE) {
  call <- sys.call()
  name_cuda_library()
  options <- list(sha256 = sha256, remove = remove)
  done <- .Call(C_cuda_install, list(from, NULL), options, NULL, call)
  if (is.null(done)) {
    file <- tempfile("gpugeo", fileext = ".so")
    on.exit(unlink(file))
    download(from, file, call)
    done <- .Call(C_cuda_install, list(from, file), options, NULL, call)
  }
  message(done$text)
  invisible(if (is.null(done$removed)) done[names(done) != "text"] else done$removed)
}

# Downloads an address into a file. R's timeout of a minute is meant for small files. Of several
# warnings the last one has the reason.
download <- function(from, file, call) {
  old <- options(timeout = max(3600, getOption("timeout")))
  on.exit(options(old))
  reason <- NULL
  status <- tryCatch(
    withCallingHandlers(
      utils::download.file(from, file, mode = "wb", quiet = !interactive()),
      warning = function(condition) {
        reason <<- conditionMessage(condition)
        invokeRestart("muffleWarning")
      }
    ),
    error = conditionMessage
  )
  if (!identical(status, 0L)) {
    reason <- if (is.null(reason)) paste(status) else reason
    .Call(C_cuda_download_failed, list(from, reason), NULL, NULL, call)
  }
}
