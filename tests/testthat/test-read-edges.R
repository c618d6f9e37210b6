# A file with such lines, plain or compressed.
edge_file <- function(lines, compressed = FALSE) {
  file <- tempfile(fileext = if (compressed) ".gz" else ".txt")
  connection <- if (compressed) gzfile(file, "w") else file(file, "w")
  on.exit(close(connection))
  writeLines(lines, connection)
  file
}

expect_triangle <- function(file) {
  edges <- gpu_read_edges(file)
  expect_s3_class(edges, "data.frame")
  expect_identical(names(edges), c("from", "to"))
  expect_identical(edges$from, 1:3)
  expect_identical(edges$to, c(2:3, 1L))
  expect_identical(attr(edges, "vertices"), 3)
  expect_identical(attr(edges, "first"), 1L)
  expect_identical(attr(gpu_read_edges(file, first = 0), "vertices"), 4)
}
triangle <- c("# remark", "1 2", "", "2,3", "% another", "3\t1")

test_that("files are read", {
  file <- edge_file(triangle)
  on.exit(unlink(file))
  expect_triangle(file)
})

test_that("compressed files are read", {
  file <- edge_file(triangle, compressed = TRUE)
  on.exit(unlink(file))
  refusal <- sprintf(
    "file \"%s\" cannot be read: it is compressed, and gpugeo was built without zlib", file
  )
  answer <- tryCatch(gpu_read_edges(file), gpugeo_error = conditionMessage)
  skip_if(identical(answer, refusal), "built without zlib")
  expect_triangle(file)
})

test_that("a first line tells of vertices without edges, and weights are read", {
  file <- edge_file(c("6 2", "0 1 0.5", "1 2 4"))
  on.exit(unlink(file))
  edges <- gpu_read_edges(file)
  expect_identical(edges$from, 0:1)
  expect_identical(edges$weight, c(0.5, 4))
  expect_identical(attr(edges, "vertices"), 6)
  expect_identical(attr(edges, "first"), 0L)
  from_file <- gpu_layout(file, seed = 1)
  expect_identical(dim(from_file), c(6L, 2L))
  expect_identical(rownames(from_file), as.character(0:5))
  expect_identical(gpu_layout(edges, seed = 1), from_file)
})

test_that("bad files and arguments are refused", {
  fails <- function(message, ...) {
    expect_error(gpu_read_edges(...), message, fixed = TRUE, class = "gpugeo_error")
  }
  fails("path must be a single string, not 1", 1)
  fails('path must be a single string, not c("a", "b")', c("a", "b"))
  fails("file \"no such file\" cannot be read: No such file", "no such file")
  file <- edge_file(c("0 1", "1 2"))
  on.exit(unlink(file))
  fails("has a vertex 0: first must be 0, not 1", file, first = 1)
  fails("first must be a whole number between 0 and 1, not 2", file, first = 2)
  fails("first must be a whole number between 0 and 1, not \"one\"", file, first = "one")
  fails("unused argument extra", file, extra = 1)
  for (lines in list(c("1 2", "2 x"), c("1 2", "2"), c("1 2", "2 3 4 5"), c("1 2", "-1 2"))) {
    wrong <- edge_file(lines)
    fails("line 2", wrong)
    unlink(wrong)
  }
})
