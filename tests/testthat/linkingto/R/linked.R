distances <- function(x, method, work_bytes) {
  .Call(C_distances, x, method, work_bytes)
}

correlations <- function(x) {
  .Call(C_correlations, x)
}

closest <- function(x) {
  .Call(C_closest, x)
}

collisions <- function(x, radius) {
  .Call(C_collisions, x, radius)
}

every_function <- function(distances, triangle, edges) {
  .Call(C_every_function, distances, triangle, edges)
}

devices <- function() {
  .Call(C_devices)
}

threads <- function() {
  .Call(C_threads)
}
