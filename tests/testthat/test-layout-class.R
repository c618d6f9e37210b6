ring <- cbind(1:12, c(2:12, 1))
x <- gpu_layout(ring, seed = 1)

# Draws into a PNG and returns the colours of its pixels, from the top.
pixels_of <- function(draw, width = 200, height = 200) {
  file <- tempfile(fileext = ".png")
  on.exit(unlink(file))
  grDevices::png(file, width, height)
  tryCatch(
    {
      graphics::par(mar = rep(0, 4))
      draw()
    },
    finally = grDevices::dev.off()
  )
  png::readPNG(file)
}

test_that("a layout is a matrix for other functions", {
  expect_s3_class(x, c("gpu_layout", "matrix", "array"), exact = TRUE)
  expect_true(is.matrix(x) && is.numeric(x))
  expect_identical(dimnames(x), list(NULL, c("x", "y")))
  expect_identical(colnames(gpu_layout(ring, dim = 3)), c("x", "y", "z"))
  bare <- matrix(c(x), 12, 2, dimnames = list(NULL, c("x", "y")))
  expect_identical(as.matrix(x), bare)
  expect_identical(x[3:4, ], bare[3:4, ])
  expect_identical(x[, "y"], bare[, "y"])
  expect_identical(head(x, 2), head(bare, 2))
  expect_identical(as.data.frame(x), as.data.frame(bare))
  expect_identical(apply(x, 2, range), apply(bare, 2, range))
  expect_identical(c(dist(x)), c(dist(bare)))
  expect_identical(gpu_layout_quality(ring, x), gpu_layout_quality(ring, bare))
  expect_identical(gpu_layout(ring, init = x, seed = 1), gpu_layout(ring, init = bare, seed = 1))
})

test_that("printing and the summary tell what a layout is", {
  expect_output(print(x), "Layout of 12 vertices and 12 edges in 2 dimensions")
  expect_output(print(x), "500 iterations on the backend \"cpu\", energy ")
  expect_output(print(x), "... and 6 more vertices", fixed = TRUE)
  expect_output(print(gpu_layout(cbind(1, 2), tolerance = 1e9)), "1 edge .*converged")
  expect_output(print(t(x)), "\\[,12\\]") # keeps the class, but is no layout
  expect_output(print(gpu_layout(matrix(0, 0, 2))), "Layout of 0 vertices and 0 edges")
  about <- summary(x)
  lengths <- sqrt(rowSums((as.matrix(x)[ring[, 1], ] - as.matrix(x)[ring[, 2], ])^2))
  expect_identical(about$lengths, quantile(lengths))
  expect_identical(about$extent, apply(as.matrix(x), 2, range))
  expect_identical(about[c("vertices", "edges", "dim")], list(vertices = 12, edges = 12L, dim = 2L))
  expect_output(print(about), "Lengths of the edges")
  expect_error(summary(t(x)), "object must be a layout", class = "gpugeo_error")
})

# The lengths of the edges of a path in each pixel of an image of 8 by 4 pixels, from the top.
raster_of <- function(positions, width = 8, height = 4, threads = 1) {
  edges <- cbind(seq_len(nrow(positions) - 1), seq_len(nrow(positions))[-1])
  graph <- list(vertices = nrow(positions), edges = edges, first = 1)
  options <- list(width = width, height = height, xlim = c(0, width), ylim = c(0, height))
  settings <- run_settings(threads = threads, progress = FALSE)
  lines <- .Call(gpugeo:::C_layout_raster, list(graph, positions), options, settings, quote(f()))
  attr(lines, "scale") <- NULL
  t(lines)
}

test_that("lines add their lengths to the pixels that they cross", {
  along_row <- matrix(0, 4, 8)
  along_row[2, 3:6] <- 1
  expect_identical(raster_of(rbind(c(2, 2.5), c(6, 2.5))), along_row)
  expect_identical(raster_of(rbind(c(6, 2.5), c(2, 2.5), c(6, 2.5))), 2 * along_row)
  between <- matrix(0, 4, 8)
  between[2:3, 3:6] <- 0.5
  expect_identical(raster_of(rbind(c(2, 2), c(6, 2))), between)
  parts <- matrix(0, 4, 8)
  parts[2, 3:5] <- c(0.5, 1, 0.25)
  expect_identical(raster_of(rbind(c(2.5, 2.5), c(4.25, 2.5))), parts)
  upright <- matrix(0, 4, 8)
  upright[2:4, 5] <- c(0.5, 1, 1)
  expect_identical(raster_of(rbind(c(4.5, -9), c(4.5, 2.5))), upright)
  expect_identical(raster_of(rbind(c(-5, 9), c(30, 9))), matrix(0, 4, 8))
  expect_identical(raster_of(rbind(c(3, 3), c(3, 3))), matrix(0, 4, 8)) # a point
  expect_identical(
    raster_of(rbind(c(-1e300, 2.5), c(1e300, 2.5)))[2, ], rep(1, 8)
  )
})

test_that("an image has the length of all lines, on any number of threads", {
  set.seed(3)
  positions <- matrix(runif(2000, 10, 290), 1000)
  image <- raster_of(positions, 300, 300)
  length <- sum(sqrt(rowSums(diff(positions)^2)))
  expect_equal(sum(image), length, tolerance = 1e-3)
  expect_identical(raster_of(positions, 300, 300, threads = 4), image)
  turned <- raster_of(cbind(positions[, 2], positions[, 1]), 300, 300)
  expect_equal(turned[300:1, 300:1], t(image), tolerance = 1e-2)
  mirrored <- raster_of(cbind(300 - positions[, 1], positions[, 2]), 300, 300)
  expect_equal(mirrored[, 300:1], image, tolerance = 1e-2)
})

test_that("plots draw edges as lines and as an image", {
  skip_if_not_installed("png")
  square <- gpu_layout(
    cbind(1:4, c(2:4, 1)), init = cbind(c(0, 1, 1, 0), c(0, 0, 1, 1)), fixed = 1:4
  )
  for (edges in c("lines", "raster")) {
    seen <- pixels_of(function() plot(square, edges = edges, vertices = FALSE))
    dark <- seen[, , 1] < 0.95
    # A square with borders of 4 % on each side.
    expect_true(all(dark[8, 20:180] | dark[7, 20:180] | dark[9, 20:180]), info = edges)
    expect_true(all(dark[20:180, 8] | dark[20:180, 7] | dark[20:180, 9]), info = edges)
    expect_false(any(dark[20:180, 20:180]), info = edges)
  }
  none <- pixels_of(function() plot(square, edges = "none", vertices = FALSE))
  expect_true(all(none == 1))
  expect_lt(min(pixels_of(function() plot(square, edges = "none"))), 0.5)
  expect_lt(min(pixels_of(function() plot(square, edges = "none", labels = TRUE))), 0.5)
  # Wider than high: the unit of both axes is the same.
  seen <- pixels_of(function() plot(square, edges = "raster", vertices = FALSE), 400, 200)
  expect_identical(range(which(colSums(seen[, , 1] < 0.95) > 100))[2] < 300, TRUE)
})

test_that("empty graphs and single vertices are drawn", {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit(unlink(file))
  for (graph in list(matrix(0, 0, 2), cbind(1, 1), cbind(1, 2))) {
    for (edges in c("auto", "raster")) expect_silent(plot(gpu_layout(graph), edges = edges))
  }
  expect_silent(plot(gpu_layout(ring, dim = 3), labels = letters[1:12]))
  grDevices::dev.off()
  expect_error(plot(x, edges = "curves"), "edges must be one of \"auto\"", class = "gpugeo_error")
})

test_that("memory_limit holds for images", {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file, width = 2, height = 2) # 300 pixels an inch
  options <- options(gpugeo.memory_limit = NULL)
  on.exit({
    options(options)
    grDevices::dev.off()
    unlink(file)
  })
  graphics::par(mar = rep(0, 4))
  expect_error(
    plot(x, edges = "raster", memory_limit = 2^21),
    paste(
      "memory_limit must be at least 2880192 bytes for an image of 600 by 600 pixels and 12",
      "vertices, not 2097152"
    ),
    fixed = TRUE, class = "gpugeo_error"
  )
  expect_silent(plot(x, edges = "raster", memory_limit = 2880192))
  expect_silent(plot(x, edges = "lines", memory_limit = 2^21)) # has no image
  options(gpugeo.memory_limit = 2880191)
  expect_error(plot(x, edges = "raster"), "not 2880191", class = "gpugeo_error")
})

# The edges of an igraph, the smaller vertex of each first.
ends_of <- function(graph) {
  ends <- igraph::as_edgelist(graph, names = FALSE)
  cbind(pmin(ends[, 1], ends[, 2]), pmax(ends[, 1], ends[, 2]))
}

test_that("igraph reads the file of a layout", {
  skip_if_not_installed("igraph")
  names <- c("a", "<&\">", "\u00e9'", "d e", "x")
  edges <- data.frame(names, names[c(2:5, 1)], c(1, 0.1, 1e-300, 2, 1e9))
  for (dim in 2:3) {
    y <- gpu_layout(edges, dim = dim, seed = 1)
    file <- gpu_write_graph(y, tempfile(fileext = ".graphml"))
    graph <- igraph::read_graph(file, "graphml")
    expect_identical(igraph::V(graph)$name, names)
    for (axis in colnames(y)) {
      expect_identical(igraph::vertex_attr(graph, axis), unname(y[, axis]))
    }
    expect_identical(igraph::E(graph)$weight, edges[[3]])
    expect_identical(ends_of(graph), rbind(1:2, 2:3, 3:4, 4:5, c(1, 5)))
    expect_false(igraph::is_directed(graph))
    unlink(file)
  }
  file <- gpu_write_graph(gpu_layout(ring), tempfile())
  graph <- igraph::read_graph(file, "graphml")
  expect_identical(igraph::edge_attr_names(graph), character())
  expect_identical(ends_of(graph), cbind(pmin(ring[, 1], ring[, 2]), pmax(ring[, 1], ring[, 2])))
  file <- gpu_write_graph(gpu_layout(matrix(0, 0, 2)), tempfile())
  expect_equal(igraph::vcount(igraph::read_graph(file, "graphml")), 0)
  # Vertices counted from 0, and two that no edge has.
  from_zero <- tempfile(fileext = ".txt")
  writeLines(c("0 1", "1 4"), from_zero)
  graph <- igraph::read_graph(gpu_write_graph(gpu_layout(from_zero), tempfile()), "graphml")
  expect_identical(igraph::V(graph)$name, as.character(0:4))
  expect_identical(ends_of(graph), rbind(c(1, 2), c(2, 5)))
})

test_that("jsonlite reads the CX2 file of a layout", {
  skip_if_not_installed("jsonlite")
  read <- function(file) {
    aspects <- jsonlite::read_json(file, digits = NA)
    unlink(file)
    do.call(c, aspects)
  }
  numbers <- function(items, name) vapply(items, function(item) as.double(item[[name]]), 0)
  names <- c("a", "\\\"<&", "\u00e9/\t", "d\n\001e", "x")
  edges <- data.frame(names, names[c(2:5, 1)], c(1, 0.1, 1e-300, 2, 1e9))
  for (dim in 2:3) {
    y <- gpu_layout(edges, dim = dim, seed = 1)
    cx <- read(gpu_write_graph(y, tempfile(fileext = ".cx2")))
    expect_identical(cx$CXVersion, "2.0")
    expect_false(cx$hasFragments)
    sizes <- vapply(cx$metaData, `[[`, 0L, "elementCount")
    expect_identical(sizes, c(1L, 5L, 5L))
    expect_identical(
      cx$attributeDeclarations[[1]],
      list(nodes = list(name = list(d = "string")), edges = list(weight = list(d = "double")))
    )
    expect_identical(numbers(cx$nodes, "id"), as.double(1:5))
    expect_identical(vapply(cx$nodes, function(node) node$v$name, ""), names)
    for (axis in colnames(y)) {
      expect_identical(numbers(cx$nodes, axis), unname(y[, axis]))
    }
    expect_identical(numbers(cx$edges, "id"), as.double(1:5))
    expect_identical(numbers(cx$edges, "s"), c(1, 2, 3, 4, 5))
    expect_identical(numbers(cx$edges, "t"), c(2, 3, 4, 5, 1))
    expect_identical(vapply(cx$edges, function(e) as.double(e$v$weight), 0), edges[[3]])
    expect_identical(cx$status, list(list(success = TRUE)))
  }
  cx <- read(gpu_write_graph(gpu_layout(ring), tempfile(), format = "cx2"))
  expect_null(cx$nodes[[1]]$v)
  expect_null(cx$edges[[1]]$v)
  expect_identical(cbind(numbers(cx$edges, "s"), numbers(cx$edges, "t")), unname(ring) + 0)
  cx <- read(gpu_write_graph(gpu_layout(matrix(0, 0, 2)), tempfile(), format = "cx2"))
  expect_identical(cx$nodes, list())
  expect_identical(cx$edges, list())
  # The format wins over the name.
  file <- gpu_write_graph(x, tempfile(fileext = ".cx2"), format = "graphml")
  expect_identical(readLines(file, 1), "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
})

test_that("what cannot be written is an error", {
  fails <- function(message, ...) {
    expect_error(gpu_write_graph(...), message, fixed = TRUE, class = "gpugeo_error")
  }
  fails("x must be a layout that gpu_layout() returned, not", ring, "a")
  fails("file must be a single string, not 1", x, 1)
  fails(
    "format must be one of \"auto\", \"graphml\", \"cx2\", \"csr\", not \"gml\"",
    x, tempfile(), "gml"
  )
  folder <- tempfile()
  file <- file.path(folder, "a.graphml")
  fails(sprintf("file \"%s\" cannot be written", file), x, file)
  expect_identical(tryCatch(gpu_write_graph(x, file), gpugeo_error = function(e) e$code), 7L)
  dir.create(folder)
  named <- gpu_layout(data.frame("a\001", "b"))
  fails(
    "names must not contain control characters in GraphML, but that of vertex 1 contains \"\\001\"",
    named, file
  )
  expect_identical(list.files(folder), character())
})

test_that("ggraph knows the layout by its name", {
  skip_if_not_installed("ggraph")
  graph <- igraph::make_graph("Zachary")
  igraph::V(graph)$group <- rep(1:2, 17)
  plot <- ggraph::ggraph(graph, layout = "gpu_layout", seed = 3, weights = NA)
  expect_identical(cbind(x = plot$data$x, y = plot$data$y), as.matrix(gpu_layout(graph, seed = 3)))
  expect_identical(plot$data$group, rep(1:2, 17))
  laid <- ggraph::create_layout(graph, "gpu_layout", algorithm = "stress", seed = 3)
  stress <- as.matrix(gpu_layout(graph, algorithm = "stress", seed = 3))
  expect_identical(cbind(x = laid$x, y = laid$y), stress)
  drawn <- plot + ggraph::geom_edge_link() + ggraph::geom_node_point()
  expect_s3_class(ggplot2::ggplot_build(drawn), "ggplot_built")
  expect_error(
    layout_tbl_graph_gpu_layout(graph, circular = TRUE), "circular must be FALSE, not TRUE",
    class = "gpugeo_error"
  )
})
