#' gpugeo: geometry on the CPU and the GPU
#'
#' * Distance matrices: [gpu_dist()] does what [stats::dist()] does, with more metrics;
#'   [gpu_cdist()] gives the distances between the rows of two matrices; [gpu_cor()] does what
#'   [stats::cor()] does.
#' * Points: [gpu_closest_pair()] finds the closest of millions, [gpu_collisions()] all pairs within
#'   a distance.
#' * Graphs: [gpu_layout()] draws them, [gpu_layout_quality()] tells how well, [gpu_read_edges()]
#'   reads them from a file.
#' * Distance geometry in one dimension: [gpu_dgp()].
#'
#' All of them run on all processors of the machine, or on an NVIDIA GPU where there is one.
#' [gpu_info()] tells what there is.
#'
#' @section Defaults:
#' The arguments `backend`, `threads`, `device`, `precision`, `progress` and `memory_limit` of all
#' functions are looked up in this order, the first that is there counts:
#' 1. the argument, if it is not `NULL`;
#' 2. the option `gpugeo.backend`, `gpugeo.threads`, `gpugeo.device`, `gpugeo.precision`,
#'    `gpugeo.progress` or `gpugeo.memory_limit`, see [options()];
#' 3. the environment variable `GPUGEO_BACKEND`, `GPUGEO_THREADS`, `GPUGEO_DEVICE`,
#'    `GPUGEO_PRECISION`, `GPUGEO_PROGRESS` or `GPUGEO_MEMORY_LIMIT`;
#' 4. `"auto"`; as many threads as there are processors for this process, but no more than
#'    `OMP_NUM_THREADS` and `OMP_THREAD_LIMIT` say and two under `R CMD check`; all CUDA devices;
#'    `"double"`; progress in interactive sessions, but not while knitr runs; 256 MiB of working
#'    memory on the CPU, and on a GPU what is free there.
#'
#' `gpu_info()$defaults` shows what is in force, and `gpu_info()$invalid` what is wrong with it. An
#' option that begins with `gpugeo.` and is none of these gives a warning, once a session, and so
#' does an environment variable with the name of a setting misspelt by one or two letters.
#'
#' A result that is larger than the machine's memory and swap is refused before it is begun; the
#' environment variable `GPUGEO_MEMORY` gives another limit, in GiB.
#'
#' @section Memory of results:
#' R returns the memory of each large vector to the system when the vector is freed. A new vector
#' has to be filled with new pages, which takes longer than computing its values on a GPU. Memory of
#' results of 32 MiB and more is therefore kept for later results when R frees it, and the system
#' takes its pages when memory is short. [gpu_release()] returns it at once.
#'
#' All such memory together, in use or not, is at most a quarter of the machine's memory, or as many
#' GiB as the environment variable `GPUGEO_RESULT_MEMORY` says; 0 switches it off. Larger results
#' are made in R's own memory, as are all results if the process has a limit of address space
#' (`ulimit -v`). Results are ordinary vectors, but [gc()] does not count them; R collects garbage
#' before results that are no longer used take half of that memory.
#'
#' @section Same results everywhere:
#' The same input gives the same bits on any number of threads, and on the CPU and the GPU alike.
#'
#' @section Parallel R:
#' All functions work in the workers of [parallel::makeCluster()]. In children of
#' [parallel::mclapply()] they use the CPU with one thread, because neither threads nor CUDA survive
#' a fork; `backend = "cuda"` is an error there. A future of [gpu_collisions_launch()] lives in the
#' process that made it.
#'
#' @section C interface:
#' C code of other packages can call the functions of `gpugeo.h`: put `LinkingTo: gpugeo` into
#' DESCRIPTION and include `gpugeo_r.h`, which says more.
#'
#' @references
#' A. S. Arefin, C. Riveros, R. Berretta and P. Moscato (2012). Computing large-scale distance
#' matrices on GPU. *7th International Conference on Computer Science & Education*, section III.
#'
#' @useDynLib gpugeo, .registration = TRUE, .fixes = "C_"
#' @keywords internal
"_PACKAGE"

# What outlives a call: `last`, the report of the last one; whether the compiled part is still
# `loaded`, which finalizers ask that run later; the unknown options that were `warned` about, and
# whether the environment was checked for unknown settings.
state <- new.env(parent = emptyenv())
state$last <- NULL
state$loaded <- TRUE
state$warned <- NULL
state$environment_checked <- FALSE

.onUnload <- function(libpath) {
  state$loaded <- FALSE
  .Call(C_release)
  library.dynam.unload("gpugeo", libpath)
}
