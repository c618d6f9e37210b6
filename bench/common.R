# What the scripts of this folder share: arguments, timing, the table of results.

library(gpugeo)

arguments <- commandArgs(TRUE)
argument <- function(name, default) {
  found <- grep(paste0("^--", name, "="), arguments, value = TRUE)
  if (length(found)) sub("^[^=]*=", "", found[1L]) else default
}

# Returns the numbers of an argument, separated by commas.
numbers <- function(name, default) {
  given <- argument(name, "")
  if (nzchar(given)) as.numeric(strsplit(given, ",")[[1L]]) else default
}
has_gpu <- nrow(gpu_info()$devices) > 0L
label <- argument("label", if (has_gpu) "gpu" else "cpu")
only <- argument("only", "")

# True if --only names this part, or none.
runs_part <- function(part) only == "" || part %in% strsplit(only, ",")[[1L]]

clock <- match.arg(argument("clock", "wall"), c("wall", "cpu"))

# Seconds of the clock: wall time, or the processor's time of all threads of this process.
now <- function() if (clock == "cpu") sum(proc.time()[1:2]) else as.numeric(Sys.time()) # finer than system.time()

installed <- function(package) {
  there <- nzchar(system.file(package = package)) # not loaded yet: that makes gc() slower
  if (!there) cat("Not installed, so not timed:", package, "\n")
  there
}

# Returns the version and the seconds that a script of peers in Python prints, NA where it cannot run.
run_python <- function(python, arguments, package) {
  said <- suppressWarnings(system2(python, arguments, stdout = TRUE, stderr = FALSE, env = "OMP_NUM_THREADS=2"))
  if (length(said) < 2L) {
    cat("Not installed, so not timed:", package, "\n")
    return(list(version = "", seconds = NA))
  }
  read.csv(text = utils::tail(said, 2), colClasses = c("character", "numeric"))
}

# The load of the machine in the last minute, NA where it has no such number.
load_now <- function() {
  file <- "/proc/loadavg"
  if (file.exists(file)) scan(file, n = 1, quiet = TRUE) else NA_real_
}

# Median seconds: of five runs after two that warm up (the machine's memory too); of one run
# when that takes longer than two seconds. A run of a short call is many in a row.
seconds <- function(expression) {
  code <- substitute(expression)
  frame <- parent.frame()
  once <- function(calls = 1) {
    gc(FALSE)
    start <- now()
    for (call in seq_len(calls)) eval(code, frame)
    (now() - start) / calls
  }
  first <- once()
  if (first > 2) return(first)
  calls <- ceiling(0.02 / max(once(), 1e-6))
  stats::median(vapply(1:5, function(run) once(calls), 0))
}

# Adds a row to the table of results, prints it, and writes the table: a run that is ended keeps its rows.
results <- NULL
report <- function(what, size, gpugeo, peer, peer_seconds, target = NA_character_) {
  row <- data.frame(
    what, size, gpugeo_s = signif(gpugeo, 4), peer, peer_s = signif(peer_seconds, 4),
    ratio = signif(peer_seconds / gpugeo, 3), target, load = load_now()
  )
  results <<- rbind(results, row)
  cat(sprintf("%-24s %-13s gpugeo %8.4f s   %-30s %9.4f s   ratio %6.2f   target %s\n",
              what, size, gpugeo, peer, peer_seconds, peer_seconds / gpugeo, target))
  write_results()
}

# Writes the rows of report() to bench/results/<script>-<label>.csv.
write_results <- function() {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
  family <- sub("[.]R$", "", basename(script))
  machine <- if (has_gpu) gpu_info()$devices$name[1L] else {
    cpu <- grep("model name", readLines("/proc/cpuinfo"), value = TRUE)[1L]
    all <- parallel::detectCores()
    old <- options(gpugeo.threads = NULL)
    may <- gpu_info()$threads # fewer under taskset, a control group, or GPUGEO_THREADS
    options(old)
    count <- if (may < all) paste(may, "of", all) else all
    paste(trimws(sub(".*:", "", cpu)), count, "processors", gpu_info()$simd)
  }
  dir.create("bench/results", showWarnings = FALSE)
  file <- file.path("bench/results", paste0(family, "-", label, ".csv"))
  results$machine <- machine
  results$date <- format(Sys.Date())
  told <- grep("^--(data|folder|other|python|pictures)=", arguments, value = TRUE, invert = TRUE) # folders are this machine's
  results$command <- paste(
    c(paste0("Rscript --min-vsize=4G bench/", family, ".R"), told), collapse = " "
  )
  write.csv(results, file, row.names = FALSE)
}
