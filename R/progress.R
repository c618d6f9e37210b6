# Returns a progress bar that appears after `delay` seconds: list(update, close), where
# update(fraction) is called about ten times a second and close() once at the end.
progress_bar <- function(title, delay = default_delay(),
                         cli = requireNamespace("cli", quietly = TRUE)) {
  start <- NULL # the time of the first update: calls that have none read no clock
  bar <- NULL

  update <- function(fraction) {
    if (is.null(bar)) {
      now <- proc.time()[["elapsed"]]
      if (is.null(start)) {
        start <<- now
      }
      if (now - start < delay) {
        return(invisible())
      }
      bar <<- if (cli) cli_bar(title) else text_bar(title)
    }
    bar$set(fraction)
  }
  close <- function() {
    if (!is.null(bar)) bar$done()
  }
  list(update = update, close = close)
}

# Tests set this variable to see the bar at once.
default_delay <- function() if (nzchar(Sys.getenv("GPUGEO_TEST_POLLS"))) 0 else 2

cli_bar <- function(title) {
  # progress_bar() has already waited.
  old <- options(cli.progress_show_after = 0)
  on.exit(options(old))
  frame <- environment()
  id <- cli::cli_progress_bar(title,
    total = 100, format = "{cli::pb_name}{cli::pb_bar} {cli::pb_percent}",
    current = FALSE, auto_terminate = FALSE, .auto_close = FALSE, .envir = frame
  )
  list(
    set = function(fraction) {
      cli::cli_progress_update(set = round(100 * fraction), id = id, .envir = frame)
    },
    done = function() cli::cli_progress_done(id = id, .envir = frame)
  )
}

text_bar <- function(title) {
  cat(title, "\n", sep = "", file = stderr())
  bar <- utils::txtProgressBar(style = 3, file = stderr())
  list(
    set = function(fraction) utils::setTxtProgressBar(bar, fraction),
    done = function() close(bar)
  )
}
