# Returns a data set of package vegan.
vegan_data <- function(name) {
  found <- new.env()
  utils::data(list = name, package = "vegan", envir = found)
  found[[name]]
}
