#' Layouts
#'
#' [gpu_layout()] returns a matrix of positions with the class `"gpu_layout"`: it can be printed,
#' summarized and drawn with the edges of its graph, and is a matrix for all other functions.
#'
#' @param x,object A layout that [gpu_layout()] returned. Of three dimensions, the first two are
#'   drawn.
#' @param y Not used.
#' @param edges How edges are drawn: `"lines"`, by [graphics::segments()]; `"raster"`, as an image
#'   whose colour in each pixel is the logarithm of the length of all edges there; `"none"`; or
#'   `"auto"`, lines for up to 5,000 edges and an image of more.
#' @param vertices `TRUE` or `FALSE`: draw a point for each vertex. `NULL`: for up to 2,000.
#' @param labels A label for each vertex; `TRUE` for their names or numbers, `FALSE` for none.
#'   `NULL`: names, if there are any, for up to 40 vertices.
#' @param xlim,ylim The part of the plane that is drawn; `NULL`: all of it.
#' @param main The title.
#' @param edge_col The colour of edges that are drawn as lines.
#' @param palette Colours of an image, from those of few lines to those of many.
#' @param n The number of vertices to print.
#' @param threads The number of CPU threads that draw an image.
#' @param memory_limit The maximum memory in bytes for the lengths of the edges in an image, at
#'   least 2^20. They take 8 bytes for each pixel and 16 for each vertex; more than the limit is an
#'   error.
#'   `NULL`: the option `gpugeo.memory_limit`, or no limit.
#' @param ... Of `plot()`: arguments of [graphics::points()] for the vertices, such as `pch`, `cex`
#'   and `col`. Otherwise not used.
#'
#' @return `plot()` and `print()` return the layout, invisibly. `summary()` returns a list of class
#'   `"summary.gpu_layout"` with the elements `vertices`, `edges`, `dim`, `backend`, `iterations`,
#'   `converged`, `energy`, `extent` (the range of each coordinate, in columns) and `lengths` (the
#'   quartiles of the lengths of the edges).
#'
#' @details The attribute `graph` holds the edges. Rows, columns or elements that are taken from a
#'   layout are plain matrices and vectors. Axes have the same unit, and neither axes nor a frame
#'   are drawn; later calls of [graphics::points()] or [graphics::text()] add to the plot. An image
#'   has the resolution of the device, or 300 pixels an inch on devices for vector graphics.
#'
#' \if{html}{\figure{gowalla.png}{options: width=420 alt="The friendships of Gowalla"}}
#'
#' *The 950,327 friendships among 196,591 users of Gowalla (E. Cho, S. A. Myers and J. Leskovec,
#' 2011), drawn by* `plot(gpu_layout("gowalla.txt.gz"))`.
#'
#' @seealso [gpu_layout()], [gpu_write_graph()]
#'
#' @examples
#' # A torus of 60 by 20 vertices.
#' torus <- expand.grid(i = 0:59, j = 0:19)
#' from <- 1 + torus$i + 60 * torus$j
#' right <- 1 + (torus$i + 1) %% 60 + 60 * torus$j
#' up <- 1 + torus$i + 60 * ((torus$j + 1) %% 20)
#' x <- gpu_layout(cbind(c(from, from), c(right, up)), seed = 1)
#' summary(x)
#' plot(x, vertices = FALSE, edge_col = "steelblue")
#' plot(x, edges = "raster")
#' @name layout_class
#' @aliases gpu_layout-class
NULL

# Makes a layout of what gg_r_layout() of src/r/layout.c returns.
new_layout <- function(result, graph) {
  dimnames(graph$edges) <- NULL
  structure(
    result$positions,
    iterations = result$iterations, converged = result$converged, energy = result$energy,
    backend = result$backend, temperature = result$temperature,
    algorithm = result$algorithm, pivots = result$pivots, stress = result$stress,
    graph = graph[c("vertices", "edges", "first", "weights")],
    class = c("gpu_layout", "matrix", "array")
  )
}

# The positions alone, as a matrix.
layout_positions <- function(x) {
  attributes(x) <- list(dim = dim(x), dimnames = dimnames(x))
  x
}

# True if x has a row for each vertex of its graph. t() and others keep the class.
is_layout <- function(x) {
  inherits(x, "gpu_layout") && is.matrix(x) && is.numeric(x) &&
    identical(as.double(nrow(x)), as.double(attr(x, "graph")$vertices)) && ncol(x) %in% 2:3
}

check_layout <- function(x, argument, call) {
  if (!is_layout(x)) {
    stop_value(x, argument, "a layout that gpu_layout() returned", call)
  }
}

# Returns the ends of the edges as a matrix of row numbers.
layout_ends <- function(x) {
  graph <- attr(x, "graph")
  if (graph$first == 1) graph$edges else graph$edges + (1 - graph$first)
}

# "1 vertex", "2 vertices"
counted <- function(number, singular, plural) {
  text <- format(number, big.mark = thousands_mark(), scientific = FALSE)
  paste(text, if (number == 1) singular else plural)
}

# Returns what separates thousands: a comma, unless numbers have a decimal comma.
thousands_mark <- function() if (getOption("OutDec") == ",") "." else ","

#' @rdname layout_class
#' @export
as.matrix.gpu_layout <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  layout_positions(x)
}

#' @rdname layout_class
#' @export
print.gpu_layout <- function(x, n = 6, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call(), print_arguments)
  if (!is_layout(x)) {
    print(layout_positions(x), ...)
    return(invisible(x))
  }
  graph <- attr(x, "graph")
  cat(sprintf(
    "Layout of %s and %s in %d dimensions\n", counted(graph$vertices, "vertex", "vertices"),
    counted(nrow(graph$edges), "edge", "edges"), ncol(x)
  ))
  cat(layout_run(attributes(x)), "\n", sep = "")
  print(utils::head(layout_positions(x), n), ...)
  if (nrow(x) > n) {
    cat(sprintf("... and %s\n", counted(nrow(x) - n, "more vertex", "more vertices")))
  }
  invisible(x)
}

# Describes the computation of a layout in a line.
layout_run <- function(about) {
  converged <- if (is.na(about$converged)) "" else if (about$converged) ", converged" else
    ", not converged"
  sprintf(
    "%s on the backend \"%s\"%s, %s", counted(about$iterations, "iteration", "iterations"),
    about$backend, converged,
    if (is.null(about$stress)) {
      paste("energy", format(about$energy, digits = 6))
    } else {
      paste("stress", format(about$stress, digits = 6))
    }
  )
}

#' @rdname layout_class
#' @export
summary.gpu_layout <- function(object, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  check_layout(object, "object", sys.call())
  about <- attributes(object)
  positions <- layout_positions(object)
  ends <- layout_ends(object)
  squares <- 0
  for (axis in seq_len(ncol(positions))) {
    squares <- squares + (positions[ends[, 1L], axis] - positions[ends[, 2L], axis])^2
  }
  structure(
    list(
      vertices = about$graph$vertices, edges = nrow(ends), dim = ncol(positions),
      backend = about$backend, iterations = about$iterations, converged = about$converged,
      energy = about$energy, stress = about$stress,
      extent = if (nrow(positions)) apply(positions, 2L, range),
      lengths = stats::quantile(unname(sqrt(squares)))
    ),
    class = "summary.gpu_layout"
  )
}

#' @export
print.summary.gpu_layout <- function(x, ...) {
  refuse_dots(match.call(expand.dots = FALSE)$..., sys.call())
  cat(sprintf(
    "Layout of %s and %s in %d dimensions\n", counted(x$vertices, "vertex", "vertices"),
    counted(x$edges, "edge", "edges"), x$dim
  ))
  cat(layout_run(x), "\n", sep = "")
  if (!is.null(x$extent)) {
    cat(sprintf(
      "%s from %s to %s\n", colnames(x$extent), format(x$extent[1L, ], digits = 4),
      format(x$extent[2L, ], digits = 4)
    ), sep = "")
  }
  cat("Lengths of the edges:\n")
  print(x$lengths, digits = 4)
  invisible(x)
}

# --- Drawing -------------------------------------------------------------------------------------

# Edges up to which they are drawn as lines. In a PNG of 700 by 700 pixels 5,000 edges take 0.04 s
# either way, and 100,000 take 0.5 s as lines and 0.05 s as an image.
most_lines <- 5000

edge_palette <- c("#C6DBEF", "#6BAED6", "#2171B5", "#08306B", "#3F007D", "#B5006A", "#FF7F3F")

#' @rdname layout_class
#' @export
plot.gpu_layout <- function(x, y = NULL, edges = c("auto", "lines", "raster", "none"),
                            vertices = NULL, labels = NULL, xlim = NULL, ylim = NULL, main = NULL,
                            edge_col = "grey60", palette = edge_palette, threads = NULL,
                            memory_limit = NULL, ...) {
  call <- sys.call()
  check_layout(x, "x", call)
  edges <- choose_one(edges, c("auto", "lines", "raster", "none"), "edges", call)
  ends <- layout_ends(x)
  positions <- layout_positions(x)[, 1:2, drop = FALSE]
  begin_plot(positions, xlim, ylim, main)
  if (edges == "raster" || (edges == "auto" && nrow(ends) > most_lines)) {
    draw_raster(x, palette, threads, memory_limit, call)
  } else if (edges != "none" && nrow(ends)) {
    from <- positions[ends[, 1L], , drop = FALSE]
    to <- positions[ends[, 2L], , drop = FALSE]
    graphics::segments(from[, 1L], from[, 2L], to[, 1L], to[, 2L], col = edge_col)
  }
  labels <- vertex_labels(x, labels)
  if (is.null(vertices)) {
    vertices <- nrow(x) <= 2000 && is.null(labels)
  }
  if (vertices) {
    style <- utils::modifyList(list(pch = 19, cex = 0.6, col = "#08306B"), list(...))
    do.call(graphics::points, c(list(positions), style))
  }
  draw_labels(positions, labels)
  invisible(x)
}

# Begins a plot without axes that shows all positions, or those within limits.
begin_plot <- function(positions, xlim, ylim, main) {
  limits <- function(given, values) {
    if (!is.null(given)) given else if (length(values)) range(values) else c(0, 1)
  }
  graphics::plot.new()
  graphics::plot.window(limits(xlim, positions[, 1L]), limits(ylim, positions[, 2L]), asp = 1)
  graphics::title(main)
}

# Returns the labels that are drawn, or NULL.
vertex_labels <- function(x, labels) {
  names <- rownames(x)
  if (isFALSE(labels) || (is.null(labels) && (is.null(names) || nrow(x) > 40L))) {
    return(NULL)
  }
  if (is.null(labels) || isTRUE(labels)) if (is.null(names)) seq_len(nrow(x)) else names else labels
}

# Writes labels with a white rim, so they can be read on edges.
draw_labels <- function(positions, labels) {
  if (is.null(labels)) {
    return()
  }
  rim <- graphics::strheight("x") * 0.15
  for (angle in seq(0, 315, 45) * pi / 180) {
    graphics::text(
      positions[, 1L] + rim * cos(angle), positions[, 2L] + rim * sin(angle), labels,
      col = "white", xpd = NA
    )
  }
  graphics::text(positions, labels = labels, xpd = NA)
}

# Draws the edges into the whole plot region.
draw_raster <- function(x, palette, threads, memory_limit, call) {
  usr <- graphics::par("usr")
  size <- pmin(pmax(round(graphics::par("pin") * device_resolution()), 1), 8192)
  options <- list(width = size[1L], height = size[2L], xlim = usr[1:2], ylim = usr[3:4])
  settings <- run_settings(threads = threads, progress = FALSE, memory_limit = memory_limit)
  lines <- .Call(C_layout_raster, list(attr(x, "graph"), layout_positions(x)), options, settings,
                 call)
  image <- line_colours(lines, palette)
  graphics::rasterImage(image, usr[1L], usr[3L], usr[2L], usr[4L], interpolate = FALSE)
}

# Pixels an inch.
device_resolution <- function() {
  vector <- c("pdf", "postscript", "xfig", "svg", "cairo_pdf", "cairo_ps", "devSVG", "pictex")
  if (names(grDevices::dev.cur()) %in% vector) {
    return(300)
  }
  grDevices::dev.size("px")[1L] / grDevices::dev.size("in")[1L]
}

# Returns an image of class "raster" of the lengths of lines in each pixel, whose first dimension is
# the columns of the image. Colours are of the logarithm, and transparent below the length of one
# line.
line_colours <- function(lines, palette, levels = 256L) {
  image <- rep("#00000000", length(lines))
  drawn <- which(lines > 0)
  if (length(drawn)) {
    scale <- attr(lines, "scale")
    level <- log1p(lines[drawn]) / log1p(scale)
    index <- pmin(as.integer(level * (levels - 1L)) + 1L, levels)
    image[drawn] <- colour_ramp(palette, levels, scale)[index]
  }
  structure(image, dim = rev(dim(lines)), class = "raster")
}

colour_ramp <- function(palette, levels, most) {
  colours <- grDevices::colorRampPalette(palette, space = "Lab")(levels)
  length <- expm1(seq(0, 1, length.out = levels) * log1p(most))
  paste0(colours, sprintf("%02X", as.integer(255 * pmin(length, 1))))
}
