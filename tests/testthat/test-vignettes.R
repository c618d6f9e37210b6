# The text of a vignette without its code, and the same header.
without_code <- function(file) {
  lines <- readLines(file, encoding = "UTF-8")
  fence <- grepl("^```", lines)
  in_code <- cumsum(fence) %% 2 == 1
  path <- tempfile(fileext = ".Rmd")
  writeLines(lines[!fence & !in_code], path)
  path
}

test_that("vignettes take no script and no style from the network", {
  skip_if_not_installed("knitr")
  skip_if_not_installed("rmarkdown")
  skip_if_not(rmarkdown::pandoc_available(), "pandoc")
  files <- list.files("../../vignettes", "\\.Rmd$", full.names = TRUE)
  skip_if(length(files) == 0, "the sources of the vignettes are not here")
  for (file in files) {
    page <- rmarkdown::render(without_code(file), output_dir = tempdir(), quiet = TRUE)
    html <- paste(readLines(page, encoding = "UTF-8"), collapse = "\n")
    expect_match(html, "</html>", fixed = TRUE)
    expect_no_match(html, "mathjax", ignore.case = TRUE, label = basename(file))
    expect_no_match(html, "src *= *[\"'](https?:)?//", label = basename(file))
    expect_no_match(html, "<link[^>]*href=[\"'](https?:)?//", label = basename(file))
  }
})
