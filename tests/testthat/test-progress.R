# What a bar writes.
bar_text <- function(bar) {
  capture.output(type = "message", {
    bar$update(0.25)
    bar$update(0.5)
    bar$close()
  })
}

test_that("the bar of utils shows title and percentage", {
  text <- paste(bar_text(progress_bar("Distances", delay = 0, cli = FALSE)), collapse = "\n")
  expect_match(text, "Distances", fixed = TRUE)
  expect_match(text, "25%", fixed = TRUE)
  expect_match(text, "50%", fixed = TRUE)
})

test_that("the bar of cli shows title and percentage", {
  skip_if_not_installed("cli")
  text <- paste(bar_text(progress_bar("Distances", delay = 0, cli = TRUE)), collapse = "\n")
  expect_match(text, "Distances", fixed = TRUE)
  expect_match(text, "25%", fixed = TRUE)
})

test_that("there is no bar before its time", {
  for (cli in c(TRUE, FALSE)) {
    expect_identical(bar_text(progress_bar("Distances", delay = 60, cli = cli)), character())
  }
})
