#' Images of layouts
#'
#' `gpu_layout_image()` draws the edges of a layout into an image of any size, or into the tiles of
#' one that is too large for memory, as web maps show them.
#'
#' @inheritParams gpu_settings
#' @param x A layout that [gpu_layout()] returned. Of three dimensions, the first two are drawn.
#' @param width,height The number of pixels in a row and in a column, up to 16,384. `height =
#'   NULL`: what square pixels need.
#' @param xlim,ylim The part of the plane to draw, two ascending numbers; `NULL`: all of it with a
#'   border of 4 %, or of more where `height` needs it for square pixels.
#' @param zoom The picture has `2^zoom` columns and `2^zoom` rows of tiles, each of `width` by
#'   `height` pixels.
#' @param tile The column and the row of the tile to draw, from 0 at the left and at the top;
#'   needed for `zoom` above 0, unless `file` is given: then `NULL` stands for all tiles.
#' @param file A name of PNG files, in which `{z}`, `{x}` and `{y}` stand for the zoom, the column
#'   and the row of a tile, such as `"{z}/{x}/{y}.png"`. Folders are made. Needs the package png.
#' @param palette Colours, from those of few lines to those of many.
#' @param scale The number of lines in a pixel that has the last colour. `NULL` or 0: the value
#'   that 99.9 % of the pixels with a line in all tiles of the picture do not exceed, rounded down
#'   to 8 binary digits, and at least 4.
#' @param ... Must be empty.
#'
#' @return An image of class `"raster"`, which is `plot()`ted, and which
#'   [graphics::rasterImage()] draws; its attribute `"scale"` is the scale of its colours. With
#'   `file`, the names of the files, invisibly, with the same attribute.
#'
#' @details The colour of a pixel is that of the logarithm of the length of all edges in it, and
#'   transparent below the length of one line. An edge is a line of one pixel's width at each zoom.
#'   Tiles have the same pixels as the picture of `2^zoom * width` by `2^zoom * height` pixels, bit
#'   for bit: edges are cut at their borders, and all have the same scale. A picture can have
#'   2^24 rows and columns. Pixels are the same on any number of threads and on any backend.
#'
#'   A tile takes 8 bytes of memory for each of its pixels, and 16 for each vertex; a `memory_limit`
#'   below that is an error. The CPU takes up to 12 MB more. A GPU takes up to 12 bytes more for
#'   each edge if that is within the limit. To find the scale, all tiles of the picture are drawn,
#'   one after the other. Give the `scale` of an earlier call to draw one tile of many.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [plot.gpu_layout()] draws a layout with labels and vertices.
#'
#' @examples
#' ring <- cbind(1:200, c(2:200, 1))
#' x <- gpu_layout(ring, seed = 1)
#' plot(gpu_layout_image(x, width = 300))
#'
#' # Tiles for a web map: 1, 4 and 16 of them.
#' folder <- tempfile()
#' if (requireNamespace("png", quietly = TRUE)) {
#'   for (zoom in 0:2) {
#'     gpu_layout_image(x, 256, 256, zoom = zoom, file = file.path(folder, "{z}/{x}/{y}.png"))
#'   }
#'   length(list.files(folder, recursive = TRUE))
#' }
#' @export
gpu_layout_image <- function(x, width = 1000, height = NULL, xlim = NULL, ylim = NULL, zoom = 0,
                             tile = NULL, file = NULL, palette = edge_palette, scale = NULL, ...,
                             backend = NULL, threads = NULL, device = NULL, progress = NULL,
                             memory_limit = NULL) {
  call <- sys.call()
  refuse_dots(match.call(expand.dots = FALSE)$..., call)
  check_layout(x, "x", call)
  if (!is.null(file)) check_pattern(file, zoom, tile, call)
  positions <- layout_positions(x)
  options <- image_frame(positions, width, height, xlim, ylim)
  options <- c(options, list(zoom = zoom, tile = numbers_of(tile, "tile", call), scale = scale))
  bar <- progress_bar("Image")
  on.exit(bar$close())
  # Draws a part of the work, whose progress is [done, done + share].
  draw <- function(options, done = 0, share = 1) {
    update <- function(fraction) bar$update(done + share * fraction)
    settings <- run_settings(backend, threads, device, "double", progress, update, memory_limit)
    lines <- .Call(C_layout_raster, list(attr(x, "graph"), positions), options, settings, call)
    structure(line_colours(lines, palette), scale = attr(lines, "scale"))
  }
  if (is.null(file)) draw(options) else invisible(draw_files(draw, options, file, call))
}

# Returns the size and the limits of an image. The core refuses what is none.
image_frame <- function(positions, width, height, xlim, ylim) {
  size <- function(value) if (is.numeric(value) && length(value) == 1L) value else 1
  square <- is.null(xlim) && is.null(ylim) && !is.null(height)
  xlim <- image_limits(xlim, positions[, 1L])
  ylim <- image_limits(ylim, positions[, 2L])
  if (is.null(height)) {
    side <- suppressWarnings(size(width) * diff(ylim) / diff(xlim))
    height <- if (isTRUE(side >= 1)) min(round(side), 16384) else 1
  }
  if (square) {
    unit <- max(diff(xlim) / size(width), diff(ylim) / size(height))
    xlim <- mean(xlim) + c(-0.5, 0.5) * unit * size(width)
    ylim <- mean(ylim) + c(-0.5, 0.5) * unit * size(height)
  }
  list(width = width, height = height, xlim = xlim, ylim = ylim)
}

# Returns the limits of an axis: those given, or those of the positions with a border.
image_limits <- function(given, positions) {
  if (!is.null(given)) {
    return(given)
  }
  limits <- suppressWarnings(range(positions))
  if (!all(is.finite(limits))) {
    positions <- positions[is.finite(positions)]
    limits <- if (length(positions)) range(positions) else c(0, 1)
  }
  limits + c(-1, 1) * if (diff(limits) > 0) 0.04 * diff(limits) else 0.5
}

# Checks the name of the files of tiles.
check_pattern <- function(file, zoom, tile, call) {
  if (!(is.character(file) && length(file) == 1L) || is.na(file)) {
    stop_value(file, "file", "a single string", call)
  }
  is_pattern <- all(vapply(c("{x}", "{y}"), grepl, NA, file, fixed = TRUE))
  if (is.null(tile) && isTRUE(zoom > 0) && !is_pattern) {
    stop_message("pattern of tiles", "file", call, file)
  }
  if (!requireNamespace("png", quietly = TRUE)) {
    stop_argument("gpu_layout_image() needs package png for files, which is not installed", "",
                  call)
  }
}

# Draws one tile or all into files. The first call finds the scale, for which it draws all tiles,
# unless that is given. Returns the names of the files.
draw_files <- function(draw, options, file, call) {
  side <- if (isTRUE(options$zoom %in% 0:24)) 2^as.double(options$zoom) else 1 # or the core fails
  count <- if (is.null(options$tile)) side^2 else 1
  finds <- is.null(options$scale) || isTRUE(options$scale == 0)
  first <- if (finds) side^2 else 1
  names <- character(count)
  for (t in seq_len(count)) {
    if (count > 1 || is.null(options$tile)) {
      options$tile <- c((t - 1) %/% side, (t - 1) %% side)
    }
    drawn <- if (t == 1) c(0, first) else c(first + t - 2, 1)
    drawn <- drawn / (first + count - 1)
    image <- draw(options, drawn[1L], drawn[2L])
    options$scale <- attr(image, "scale")
    names[t] <- tile_name(file, options$zoom, options$tile)
    write_png(image, names[t], call)
  }
  structure(names, scale = options$scale)
}

# Returns the name of the file of a tile.
tile_name <- function(file, zoom, tile) {
  values <- format(c(zoom, tile), scientific = FALSE, trim = TRUE)
  for (k in 1:3) {
    file <- gsub(c("{z}", "{x}", "{y}")[k], values[k], file, fixed = TRUE)
  }
  file
}

# Writes an image of class "raster" to a PNG file.
write_png <- function(image, file, call) {
  dir.create(dirname(file), FALSE, TRUE)
  colours <- grDevices::col2rgb(as.matrix(image), alpha = TRUE)
  pixels <- array(t(colours) / 255, c(dim(image), 4L))
  tryCatch(
    suppressWarnings(png::writePNG(pixels, file)),
    error = function(condition) {
      stop_argument(sprintf("file \"%s\" cannot be written", file), "file", call, 7L)
    }
  )
}
