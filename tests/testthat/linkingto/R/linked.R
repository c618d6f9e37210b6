distances <- function(x, method, work_bytes) {
  .Call(C_distances, x, method, work_bytes)
}

correlations <- function(x) {
  .Call(C_correlations, x)
}

devices <- function() {
  .Call(C_devices)
}

threads <- function() {
  .Call(C_threads)
}
