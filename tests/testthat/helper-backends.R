# Backends that can compute here. test-info.R says which one can't, and why.
backends <- with(gpu_info()$backends, backend[available])

# Calls check() with each backend as the default.
on_each_backend <- function(check) {
  old <- options(gpugeo.backend = NULL)
  on.exit(options(old))
  for (backend in backends) {
    options(gpugeo.backend = backend)
    check()
  }
}

# The result of an expression and all warnings on the way, or the message of its error.
outcome <- function(expression) {
  warnings <- character()
  value <- tryCatch(
    withCallingHandlers(expression, warning = function(condition) {
      warnings <<- c(warnings, conditionMessage(condition))
      invokeRestart("muffleWarning")
    }),
    error = function(condition) structure(conditionMessage(condition), class = "failed")
  )
  list(value = value, warnings = unique(warnings))
}
