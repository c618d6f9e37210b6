# Runs code in a fresh R process with the same library. Returns its standard output and error, with
# its exit status as an attribute where that is not 0.
rscript <- function(code, env = character()) {
  file <- tempfile(fileext = ".R")
  on.exit(unlink(file))
  writeLines(code, file)
  libraries <- paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep))
  suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(file)),
    stdout = TRUE, stderr = TRUE, env = c(libraries, env)
  ))
}

# Starts code in a fresh R process. Its standard output and error go into the file `output`.
start_rscript <- function(code, output) {
  file <- tempfile(fileext = ".R")
  writeLines(code, file)
  libraries <- paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep))
  system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(file)),
    stdout = output, stderr = output, env = libraries, wait = FALSE
  )
}

# Waits for a regular expression in a file that another process writes. Returns whether it came.
wait_for <- function(pattern, file, seconds = 60) {
  for (i in seq_len(10 * seconds)) {
    if (file.exists(file) && any(grepl(pattern, readLines(file, warn = FALSE)))) {
      return(TRUE)
    }
    Sys.sleep(0.1)
  }
  FALSE
}
