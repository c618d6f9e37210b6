# Nothing that a user gives, reads or writes depends on the locale.

# Makes a locale and returns the variables with which a process takes it.
locale_variables <- function(name) {
  skip_if_not(nzchar(Sys.which("localedef")), "there is no localedef")
  folder <- tempfile()
  dir.create(folder)
  status <- suppressWarnings(system2(
    "localedef", c("-i", name, "-f", "UTF-8", file.path(folder, paste0(name, ".UTF-8"))),
    stdout = FALSE, stderr = FALSE
  ))
  skip_if_not(status == 0, paste("localedef cannot make", name))
  c(paste0("LOCPATH=", folder), paste0("LC_ALL=", name, ".UTF-8"))
}

test_that("names are found in upper case where \"I\" is not the capital of \"i\"", {
  code <- c(
    "library(gpugeo)",
    "cat(tolower('I') == 'i', '\\n')", # of the locale
    "x <- rbind(c(0, 0), c(3, 4))",
    "cat(gpu_dist(x, 'MINKOWSKI', p = 1), gpu_dist(x, 'MINK', p = 1), '\\n')",
    "cat(gpu_dist(x, 'BINARY'), gpu_dist(x, 'MAXIMUM'), '\\n')",
    "cat(gpu_collisions(x, radius = 6, what = 'PAIRS')$i, '\\n')",
    "edges <- data.frame(I = 1, J = 2, WEIGHT = 3)",
    "cat(nrow(gpu_layout(cbind(left = 0, edges), iterations = 1)), '\\n')",
    "towns <- cbind(LATITUDE = c(52, 48), LONGITUDE = c(13, 11))",
    "seen <- tryCatch(gpu_knn(towns, 1, method = 'GREAT-CIRCLE'), warning = class)",
    "cat('gpugeo_order_warning' %in% seen, '\\n')"
  )
  expect_identical(
    utils::tail(trimws(rscript(code, locale_variables("tr_TR"))), 6L),
    c("FALSE", "7 7", "1 4", "1", "2", "TRUE")
  )
})

test_that("files have a decimal point where numbers have a decimal comma", {
  code <- c(
    "library(gpugeo)",
    "invisible(suppressWarnings(Sys.setlocale('LC_NUMERIC', 'de_DE.UTF-8')))",
    "cat(sprintf('%.1f', 1.5), '\\n')", # of the locale
    "file <- tempfile(fileext = '.txt')",
    "writeLines(c('1 2 0.5', '2 3 1.25'), file)",
    "graph <- gpu_read_edges(file)",
    "cat(graph$weight * 4, '\\n')",
    "layout <- gpu_layout(graph, init = cbind(c(0.5, 0, 1), c(0, 0.25, 1)), iterations = 0)",
    "for (ending in c('.graphml', '.cx2')) {",
    "  file <- tempfile(fileext = ending)",
    "  gpu_write_graph(layout, file)",
    "  text <- readLines(file)",
    "  cat(any(grepl('[0-9],[0-9]', text)), sum(grepl('[>:](0[.]5|1[.]25)\\\\b', text)), '\\n')",
    "}",
    "shown <- tryCatch(gpu_dist(1:3, 'minkowski', p = -0.5), error = conditionMessage)",
    "cat(shown, '\\n')"
  )
  expect_identical(
    utils::tail(trimws(rscript(code, locale_variables("de_DE"))), 5L),
    c("1,5", "2 5", "FALSE 3", "FALSE 3", "p must be a positive number, not -0.5")
  )
})

test_that("a decimal comma of R's options is no warning about the mark of thousands", {
  old <- options(OutDec = ",")
  on.exit(options(old))
  layout <- gpu_layout(cbind(1:2000, c(2:2000, 1)), iterations = 0)
  expect_silent(shown <- capture.output(print(layout)))
  expect_match(shown[1], "2.000 vertices", fixed = TRUE)
})
