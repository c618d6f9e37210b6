set.seed(2)
graph <- cbind(1:299, 2:300)
x <- gpu_layout(graph, init = matrix(runif(600), 300), fixed = 1:300)
limits <- list(xlim = c(0.1, 0.9), ylim = c(-0.1, 1.2))
image_of <- function(...) do.call(gpu_layout_image, c(list(x, ...), limits))

# Puts tiles together, a list of columns.
assemble <- function(tiles) {
  do.call(cbind, lapply(tiles, function(column) do.call(rbind, lapply(column, as.matrix))))
}

test_that("tiles are the parts of the whole picture", {
  for (size in list(c(6, 10), c(25, 16))) {
    for (zoom in 1:3) {
      side <- 2^zoom
      whole <- image_of(size[1] * side, size[2] * side, threads = 2)
      tiles <- lapply(seq_len(side) - 1, function(column) {
        lapply(seq_len(side) - 1, function(row) {
          tile <- image_of(size[1], size[2], zoom = zoom, tile = c(column, row), threads = 1)
          expect_identical(attr(tile, "scale"), attr(whole, "scale"))
          tile
        })
      })
      expect_identical(assemble(tiles), as.matrix(whole))
    }
  }
  expect_gt(length(unique(c(as.matrix(whole)))), 50)
  part <- image_of(100, 64, zoom = 1, tile = c(0, 1), scale = attr(whole, "scale"))
  expect_identical(as.matrix(part), as.matrix(whole)[65:128, 1:100])
  # A line along the second row of 4, which is the second one of the upper tiles.
  line <- gpu_layout(cbind(1, 2), init = cbind(c(0, 8), 2.5), fixed = 1:2)
  colours <- c("#FF0000", "#FF0000")
  far <- gpu_layout_image(line, 4, 2, c(0, 8), c(0, 4), zoom = 1, tile = c(1, 0), palette = colours)
  expect_identical(substr(as.matrix(far), 1, 7), rbind(rep("#000000", 4), rep("#FF0000", 4)))
  expect_identical(attr(far, "scale"), 4)
})

test_that("the scale is that of 99.9 % of the pixels of the picture", {
  # 100 lines in 10 of 2,000 pixels, 300 in one of them.
  rows <- rbind(cbind(0, seq(0.5, 99.5)), cbind(20, seq(0.5, 99.5)))
  edges <- cbind(c(1:100, rep(7, 99), rep(9, 199)), c(101:200, rep(107, 99), rep(109, 199)))
  y <- gpu_layout(edges, init = rows, fixed = 1:200)
  expect_identical(attr(gpu_layout_image(y, 20, 100, c(0, 20), c(0, 100)), "scale"), 200)
  for (tile in list(c(0, 0), c(3, 1))) {
    tile <- gpu_layout_image(y, 5, 25, c(0, 20), c(0, 100), zoom = 2, tile = tile)
    expect_identical(attr(tile, "scale"), 200)
  }
})

test_that("pixels are square", {
  wide <- gpu_layout(cbind(1, 2), init = rbind(c(0, 0), c(4, 1)), fixed = 1:2)
  expect_identical(dim(gpu_layout_image(wide, 60)), c(15L, 60L))
  expect_identical(
    gpu_layout_image(wide, 60, 60), gpu_layout_image(wide, 60, 60, c(-0.16, 4.16), c(-1.66, 2.66))
  )
  expect_identical(dim(gpu_layout_image(gpu_layout(matrix(0, 0, 2)), 7)), c(7L, 7L))
})

test_that("files have the tiles", {
  skip_if_not_installed("png")
  folder <- tempfile()
  on.exit(unlink(folder, recursive = TRUE))
  whole <- image_of(40, 24)
  pattern <- file.path(folder, "{z}", "{x}", "{y}.png")
  expect_invisible(names <- image_of(10, 6, zoom = 2, file = pattern))
  expect_identical(attr(names, "scale"), attr(whole, "scale"))
  expected <- outer(0:3, 0:3, function(y, x) sprintf("%s/2/%d/%d.png", folder, x, y))
  expect_identical(as.vector(names), c(expected))
  pixels <- function(file) {
    png <- round(png::readPNG(file) * 255)
    grDevices::rgb(png[, , 1], png[, , 2], png[, , 3], png[, , 4], maxColorValue = 255)
  }
  read <- lapply(0:3, function(column) {
    lapply(0:3, function(row) matrix(pixels(expected[row + 1, column + 1]), 6))
  })
  opaque <- function(image) ifelse(substr(image, 8, 9) == "00", "none", image)
  expect_identical(opaque(assemble(read)), opaque(as.matrix(whole)))
  one <- image_of(10, 6, zoom = 2, tile = c(3, 1), file = file.path(folder, "one{x}{y}.png"))
  expect_identical(readBin(one, "raw", 1e5), readBin(expected[2, 4], "raw", 1e5))
  expect_identical(basename(one), "one31.png")
  expect_identical(basename(image_of(9, 5, file = file.path(folder, "a.png"))), "a.png")
})

test_that("the bar of tiles goes from 0 to 1 without a gap", {
  skip_if_not_installed("png")
  folder <- tempfile()
  on.exit(unlink(folder, recursive = TRUE))
  parts <- function(zoom, tile = NULL, scale = NULL) {
    seen <- NULL
    draw <- function(options, done, share) {
      seen <<- rbind(seen, c(done, share))
      structure(matrix("#000000", 1, 1), class = "raster", scale = 4)
    }
    options <- list(zoom = zoom, tile = tile, scale = scale)
    gpugeo:::draw_files(draw, options, file.path(folder, "{x}{y}.png"), quote(f()))
    seen
  }
  # The first call draws all 16 tiles, the others one each.
  expect_equal(parts(2), cbind(c(0, 16:30), c(16, rep(1, 15))) / 31)
  expect_equal(parts(1, scale = 4), cbind(0:3, 1) / 4)
  expect_equal(parts(3, tile = c(1, 2)), cbind(0, 1))
  expect_equal(parts(0), cbind(0, 1))
})

test_that("a GPU draws the same pixels", {
  skip_if_not("cuda" %in% backends, "no CUDA device")
  for (zoom in 0:2) {
    both <- lapply(c("cpu", "cuda"), function(backend) {
      got <- image_of(60, 40, zoom = zoom, tile = c(0, 0), backend = backend)
      expect_identical(gpu_info()$last$backend, backend)
      got
    })
    expect_identical(both[[1]], both[[2]])
  }
})

test_that("wrong arguments are errors", {
  fails <- function(message, ...) {
    expect_error(gpu_layout_image(...), message, fixed = TRUE, class = "gpugeo_error")
  }
  fails("x must be a layout that gpu_layout() returned, not", graph)
  fails("width must be a whole number between 1 and 16384, not -3", x, -3)
  fails("width must be a whole number, not \"a\"", x, "a")
  fails("height must be a whole number between 1 and 16384, not 0", x, 5, 0)
  fails("zoom must be a whole number, not \"a\"", x, zoom = "a", tile = c(0, 0))
  fails("zoom must be a whole number between 0 and 24 for tiles of 1 by 1 pixels, not 25",
        x, 1, 1, zoom = 25)
  fails("zoom must be a whole number between 0 and 10 for tiles of 9 by 16384 pixels, not -1",
        x, 9, 16384, zoom = -1)
  where <- "tile must be two whole numbers between 0 and 3 at zoom 2, the column and the row, not"
  fails(paste(where, "0"), x, zoom = 2)
  fails(paste(where, "3"), x, zoom = 2, tile = 1:3)
  fails(paste(where, "1 and 4"), x, zoom = 2, tile = c(1, 4))
  fails(paste(where, "0.5 and 2"), x, zoom = 2, tile = c(0.5, 2))
  fails("scale must be at least 0 and finite, not Inf", x, scale = Inf)
  fails("xlim must be two numbers, not 1", x, xlim = 1)
  fails("file must be a single string, not 1", x, file = 1)
  fails("file must have {x} and {y} for the tiles of a picture, not \"{z}.png\"",
        x, zoom = 1, file = "{z}.png")
  fails("memory_limit must be at least", x, 1000, 1000, memory_limit = 2^20)
  skip_if_not_installed("png")
  for (zoom in list("1", 1:2, NA, 1.5)) {
    fails("zoom must be a whole number, not", x, 5, zoom = zoom, file = "{x}{y}")
  }
  file <- tempfile()
  writeLines("", file)
  fails(sprintf("file \"%s/a.png\" cannot be written", file), x, 5, file = file.path(file, "a.png"))
})
