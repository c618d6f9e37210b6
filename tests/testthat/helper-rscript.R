# Evaluates code whose calls of gpugeo show their progress and look for interrupts at every poll,
# and not by time, so that how fast the machine is does not matter.
with_polls <- function(code) {
  Sys.setenv(GPUGEO_TEST_POLLS = "1")
  on.exit(Sys.unsetenv("GPUGEO_TEST_POLLS"))
  code
}

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

# Starts code in a fresh R process. Its standard output and error go into the file `output`, and a
# line "(ended)" when it has ended. Shells start processes in the background with SIGINT ignored,
# and from R 4.5 on R leaves it so: perl, where it is, sets it back.
start_rscript <- function(code, output, env = character()) {
  file <- tempfile(fileext = ".R")
  writeLines(code, file)
  libraries <- paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep))
  command <- paste(shQuote(file.path(R.home("bin"), "Rscript")), "--vanilla", shQuote(file))
  if (nzchar(Sys.which("perl"))) {
    command <- paste("perl -e '$SIG{INT} = \"DEFAULT\"; exec @ARGV'", command)
  }
  system2(
    "sh", c("-c", shQuote(paste0(command, "; echo '(ended)'"))),
    stdout = output, stderr = output, env = c(libraries, env), wait = FALSE
  )
}

# Skips a test of interrupts where SIGINT does not reach R: shells start processes in the background
# with it ignored, and from R 4.5 on R leaves it so. tools/check resets it.
skip_if_interrupts_are_ignored <- function() {
  arrives <- tryCatch(
    {
      tools::pskill(Sys.getpid(), tools::SIGINT)
      Sys.sleep(5) # ends at once with the signal
      FALSE
    },
    interrupt = function(condition) TRUE
  )
  testthat::skip_if_not(arrives, "SIGINT is ignored in this process")
}

# Waits for a regular expression in the output of start_rscript(), for many minutes: longer than any
# machine takes. Returns whether it came.
wait_for <- function(pattern, file, seconds = 600) {
  for (i in seq_len(10 * seconds)) {
    text <- if (file.exists(file)) readLines(file, warn = FALSE) else character()
    if (any(grepl(pattern, text))) {
      return(TRUE)
    }
    if ("(ended)" %in% text) {
      cat(text, sep = "\n")
      return(FALSE)
    }
    Sys.sleep(0.1)
  }
  FALSE
}
