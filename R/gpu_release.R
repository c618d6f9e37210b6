#' Return memory to the system
#'
#' gpugeo keeps buffers on the CPU and on CUDA devices between calls. `gpu_release()` collects
#' garbage and returns all this memory to the system. The next call allocates its memory again.
#'
#' It also frees distances that stay on a device, see [gpu_dist_device], which cannot be used any
#' more. All other results do not change.
#'
#' @return `NULL`, invisibly.
#'
#' @examples
#' d <- gpu_dist(iris[, 1:4])
#' gpu_release()
#' @export
gpu_release <- function() {
  gc(FALSE)
  invisible(.Call(C_release_memory))
}
