# The value in force of one of the common arguments: the argument itself, else the option
# gpugeo.<name>, else the environment variable GPUGEO_<NAME>, else the built-in one.
setting <- function(name, argument, builtin) {
  if (!is.null(argument)) {
    return(argument)
  }
  option <- getOption(paste0("gpugeo.", name))
  if (!is.null(option)) {
    return(option)
  }
  text <- Sys.getenv(paste0("GPUGEO_", toupper(name)))
  if (!nzchar(text)) {
    return(builtin)
  }
  switch(name,
    threads = ,
    memory_limit = suppressWarnings(as.numeric(text)),
    device = if (grepl("^[0-9]+$", text)) as.numeric(text) else text,
    progress = switch(tolower(text), "1" = , true = TRUE, "0" = , false = FALSE, NA),
    text
  )
}

# A bar is for people at a prompt. knitr would put it into the document.
default_progress <- function(interactive = base::interactive()) {
  interactive && !isTRUE(getOption("knitr.in.progress"))
}

# The settings of a call, in the form that gg_r_run() of src/r/run.c reads.
run_settings <- function(backend = NULL, threads = NULL, device = NULL, precision = NULL,
                         progress = NULL, bar = NULL, memory_limit = NULL) {
  list(
    backend = setting("backend", backend, "auto"),
    threads = setting("threads", threads, NULL),
    device = setting("device", device, NULL),
    precision = setting("precision", precision, "double"),
    progress = setting("progress", progress, default_progress()),
    bar = bar,
    memory_limit = setting("memory_limit", memory_limit, NULL)
  )
}
