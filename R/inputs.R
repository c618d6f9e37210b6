#' Objects that hold points
#'
#' Functions that take points, or a matrix of data, also take objects of other packages. Each object
#' is converted to a matrix in one way, which is the same for all functions. A package is needed
#' only for its own objects.
#'
#' @param assay For a `SummarizedExperiment` or an `ExpressionSet`: the name or number of an assay.
#'   `NULL`: `"logcounts"` if there is such an assay, otherwise the first; `"exprs"` of an
#'   `ExpressionSet`. For a `Seurat`: the name of an assay, or the names of an assay and of its
#'   layer, such as `c("RNA", "counts")`. `NULL`: the active assay; without a layer `"data"`, and
#'   the first one if there is none of this name.
#' @param reducedDim For a `SingleCellExperiment` or a `Seurat`: the name or number of a reduced
#'   dimension, such as `"PCA"` or `"pca"`, which is used instead of an assay.
#' @param frame For a structure or a trajectory of bio3d: the number of a frame, which must be given
#'   if there is more than one.
#'
#' @section Classes:
#'
#' * Data frames, tibbles, data.tables and `DataFrame`: points are the rows. All columns must be
#'   numbers or logical values, or what `method = "gower"` takes.
#' * `SummarizedExperiment` and `SingleCellExperiment`: points are the columns, that is samples or
#'   cells; coordinates are the rows of `assay`, or the columns of `reducedDim`.
#' * `ExpressionSet`: points are the columns, that is samples; coordinates are the rows of `assay`.
#' * `Seurat`: points are the cells; coordinates are the features of a layer of `assay`, or the
#'   columns of `reducedDim`.
#' * phyloseq's `otu_table` and `phyloseq`: points are the samples, whether taxa are in rows or in
#'   columns.
#' * sf's `sf` and `sfc`, all of type POINT: x and y, and z if there is one.
#' * sp's `SpatialPoints` with data or without.
#' * spatstat's `ppp` and `pp3`; points on a network (`lpp`) and other `ppx` are refused, because
#'   their coordinates include numbers of segments or times.
#' * bio3d's `pdb` and `xyz`: points are the atoms of `frame`. `x[, atoms$xyz]` selects atoms.
#' * `DelayedMatrix`, `HDF5Matrix`, [gpu_hdf5()] and the classes of package Matrix: points are the
#'   rows.
#'
#' Samples and cells are in columns in Bioconductor and in phyloseq: [gpu_dist()], [gpu_knn()] and
#' all other functions of points take them as points, without transposing. [gpu_cor()] correlates
#' the same samples or cells: `gpu_cor(x)` is `cor(assay(x))`. For all other objects it correlates
#' columns, as [stats::cor()] does. Results have the names of samples, cells or rows.
#'
#' Any other object is an error that names its class and the code that would make a matrix of it.
#' Sequences (`DNAbin`, `AAbin`, `phyDat`, `alignment`, those of Biostrings) are not points:
#' functions of distances take what `ape::dist.dna()` and other functions of their packages return.
#'
#' @section Matrices that are not in memory: The values of a `DelayedMatrix`, of what is made of one
#' (`h[1:10, ]`, `t(h)`, `h + 1`) and of an assay that is one are read in blocks. They are kept in
#' memory if they take at most `memory_limit` bytes, 256 MiB by default, in addition to the working
#' memory. Larger ones are an error that gives both sizes, except in the functions that read points
#' in panels: [gpu_dist()], [gpu_cdist()], [gpu_tiles_plan()], [gpu_dist_tile()] and
#' [gpu_dist_tiles()]. These read an `HDF5Matrix` from its own file, and other matrices from a
#' temporary file, to which `HDF5Array::writeHDF5Array()` copies them in blocks. Each call writes
#' that file again; for several calls, write it once yourself.
#'
#' A [gpu_hdf5()] is read in panels by the same five functions, whatever its size; others read it
#' by package HDF5Array, under the same rule.
#'
#' @seealso [gpu_dist()], [gpu_hdf5()]
#'
#' @examplesIf requireNamespace("SummarizedExperiment", quietly = TRUE)
#' counts <- matrix(rpois(60, 5), 10, dimnames = list(NULL, paste0("sample", 1:6)))
#' x <- SummarizedExperiment::SummarizedExperiment(list(counts = counts))
#' gpu_dist(x)
#' identical(c(gpu_dist(x)), c(gpu_dist(t(counts))))
#' all.equal(gpu_cor(x), cor(counts))
#' @name gpu_inputs
NULL

# --- arguments that select a part of an object ----------------------------------------------------

# The names of these arguments, and the classes for which each is.
selections <- list(
  assay = c("SummarizedExperiment", "ExpressionSet", "Seurat"),
  reducedDim = c("SingleCellExperiment", "Seurat"),
  frame = c("pdb", "xyz")
)

# Returns how to read the inputs of a call: the arguments of `...` that select a part of an object,
# and the memory limit. Raises an error if one of them does not belong to any of the inputs, or if
# there are others.
#
# dots       the expressions of `...`
# given      their values, which are not evaluated before the names are checked
# inputs     a list of the call's inputs
# panels     whether the function reads points in panels
# mixed      whether method "gower" is one of the function's
# metric     the name of the argument for metrics; NULL: there is none
# variables  whether the columns are what is compared
input_reader <- function(dots, given, inputs, memory_limit, call, panels = FALSE, mixed = TRUE,
                         metric = if (mixed) "method", variables = FALSE) {
  from <- list(
    call = call, panels = panels, mixed = mixed, variables = variables, sparse = mixed || variables,
    memory_limit = memory_limit
  )
  if (length(dots) == 0L) {
    return(from)
  }
  known <- if (is.null(names(dots))) FALSE else names(dots) %in% names(selections)
  refuse_dots(dots[!known], call, metric = metric)
  for (name in names(dots)) check_selection(name, inputs, call)
  if (all(c("assay", "reducedDim") %in% names(dots))) {
    stop_argument("only one of assay and reducedDim must be given", "reducedDim", call)
  }
  c(from, given)
}

check_selection <- function(name, inputs, call) {
  classes <- selections[[name]]
  if (!any(vapply(inputs, inherits, NA, what = classes))) {
    stop_argument(sprintf(
      "%s must not be given: it selects a part of an object of class %s", name,
      paste0("\"", classes, "\"", collapse = " or ")
    ), name, call)
  }
}

# --- the converter --------------------------------------------------------------------------------

# Returns a matrix with a point in each row; with from$panels maybe a "gpu_hdf5", with from$sparse
# maybe a sparse matrix. Values that are neither objects nor vectors are returned unchanged, and the
# core refuses them.
#
# argument  the name of the argument, for errors
# from      what input_reader() returned
points_of <- function(x, argument, from) {
  coded <- has_codes(from)
  if (is.null(x) || (!coded && !is.object(x) && is.matrix(x))) {
    return(x) # dispatch takes five microseconds
  }
  if (coded && !is_table(x)) {
    return(coded_points(x, argument, from))
  }
  UseMethod("points_of")
}

# Returns the codes of an object that holds a matrix.
coded_points <- function(x, argument, from) {
  x <- points_of(x, argument, dense_reader(from))
  if (is.matrix(x)) code_columns(x, argument, from) else x
}

# True if columns have codes, for metric "gower".
has_codes <- function(from) !is.null(from$coding$columns)

# The same without anything to select: for positions and matrices of parameters.
as_points <- function(x, argument, call, sparse = FALSE) {
  if (is.null(x)) {
    return(NULL)
  }
  from <- list(call = call, panels = FALSE, mixed = FALSE, variables = FALSE, sparse = sparse)
  points_of(x, argument, from)
}

# Vectors and matrices, also with a class of S3 that adds no structure, as stats::dist() does.
points_of.default <- function(x, argument, from) {
  refuse_sequences(x, argument, from$call)
  if (is.null(x) || inherits(x, c("factor", "integer64"))) {
    x
  } else if (is.atomic(x)) {
    as.matrix(x)
  } else if (is.object(x) && !is.function(x)) {
    refuse_class(x, argument, from$call)
  } else {
    x
  }
}

points_of.data.frame <- function(x, argument, from) {
  if (has_codes(from)) {
    return(code_columns(x, argument, from))
  }
  check_columns(x, argument, from)
  as.matrix(x)
}

points_of.DataFrame <- function(x, argument, from) {
  points_of(as.data.frame(x, optional = TRUE), argument, from)
}

points_of.Matrix <- function(x, argument, from) {
  check_valid(x, argument, from$call)
  if (from$sparse && is_sparse(x)) {
    return(compress_sparse(x, argument, from))
  }
  if (is_sparse(x)) {
    check_room(8 * prod(as.double(dim(x))), argument, "as a dense matrix", list(call = from$call))
  }
  as.matrix(x)
}

points_of.dist <- function(x, argument, from) {
  stop_argument(sprintf(
    "%s must be points, not distances of class \"%s\"; as.matrix(%s) makes points of its rows",
    argument, class(x)[1L], argument
  ), argument, from$call)
}
points_of.gpu_dist_file <- points_of.dist
points_of.gpu_dist_device <- points_of.dist

# --- Bioconductor ---------------------------------------------------------------------------------

points_of.SummarizedExperiment <- function(x, argument, from) {
  if (!is.null(from$reducedDim)) {
    found <- part_of(from$reducedDim, SingleCellExperiment::reducedDimNames(x), "reducedDim", from)
    values <- SingleCellExperiment::reducedDim(x, found)
    if (is.null(rownames(values))) {
      rownames(values) <- colnames(x)
    }
    return(points_of(orient(values, from$variables), argument, from))
  }
  names <- SummarizedExperiment::assayNames(x)
  names <- if (is.null(names)) character(length(SummarizedExperiment::assays(x))) else names
  assay <- if (is.null(from$assay)) max(1L, match("logcounts", names, 0L)) else from$assay
  found <- part_of(assay, names, "assay", from) # not within a generic, which changes errors
  values <- SummarizedExperiment::assay(x, found)
  points_of(orient(values, !from$variables), argument, from)
}

points_of.ExpressionSet <- function(x, argument, from) {
  assay <- if (is.null(from$assay)) "exprs" else from$assay
  names <- Biobase::assayDataElementNames(x)
  found <- part_of(assay, names, "assay", from)
  values <- Biobase::assayDataElement(x, names[found])
  points_of(orient(values, !from$variables), argument, from)
}

# The slots of SeuratObject 4 and 5.
points_of.Seurat <- function(x, argument, from) {
  if (!isS4(x)) refuse_class(x, argument, from$call)
  reductions <- methods::slot(x, "reductions")
  if (!is.null(from$reducedDim)) {
    found <- part_of(from$reducedDim, names(reductions), "reducedDim", from)
    values <- methods::slot(reductions[[found]], "cell.embeddings")
    return(points_of(orient(values, from$variables), argument, from))
  }
  assays <- methods::slot(x, "assays")
  chosen <- if (is.null(from$assay)) methods::slot(x, "active.assay") else from$assay
  layers <- seurat_layers(assays[[part_of(chosen[1L], names(assays), "assay", from)]])
  layer <- if (length(chosen) > 1L) chosen[-1L] else max(1L, match("data", names(layers), 0L))
  values <- layers[[part_of(layer, names(layers), "assay", from)]]
  points_of(orient(values, !from$variables), argument, from)
}

# Returns the layers of an assay that are not empty: its slot of this name, whose cells are named by
# another one, or with SeuratObject 4 three slots.
seurat_layers <- function(assay) {
  if (!methods::.hasSlot(assay, "layers")) {
    slots <- c("counts", "data", "scale.data")
    layers <- stats::setNames(lapply(slots, methods::slot, object = assay), slots)
    return(Filter(function(layer) prod(dim(layer)) > 0, layers))
  }
  layers <- methods::slot(assay, "layers")
  name <- function(map, layer) rownames(map)[map[, layer]]
  for (layer in names(layers)) {
    dimnames(layers[[layer]]) <- list(
      name(methods::slot(assay, "features"), layer), name(methods::slot(assay, "cells"), layer)
    )
  }
  layers
}

# Returns the number of a part of an object that is given by its name or number.
part_of <- function(given, names, argument, from) {
  if (is.character(given) && length(given) == 1L) {
    number <- match(given, names)
  } else if (is.numeric(given) && length(given) == 1L) {
    number <- match(given, seq_along(names))
  } else {
    number <- NA
  }
  if (is.na(number)) {
    some <- if (length(names) == 0L) {
      "the name of a part, of which there is none"
    } else {
      sprintf(
        "one of %s or a number from 1 to %d", paste0("\"", names, "\"", collapse = ", "),
        length(names)
      )
    }
    stop_value(given, argument, some, from$call)
  }
  number
}

# Returns a matrix of any class, transposed or not; for some classes t() is a generic of S4.
orient <- function(x, transposed) {
  if (!transposed) x else if (isS4(x)) methods::selectMethod("t", class(x))(x) else t(x)
}

# --- phyloseq -------------------------------------------------------------------------------------

points_of.phyloseq <- function(x, argument, from) {
  points_of(phyloseq::otu_table(x), argument, from)
}

points_of.otu_table <- function(x, argument, from) {
  samples_in_rows <- !phyloseq::taxa_are_rows(x)
  orient(methods::as(x, "matrix"), samples_in_rows == from$variables)
}

# --- points in space ------------------------------------------------------------------------------

points_of.sfc <- function(x, argument, from) {
  if (!inherits(x, "sfc_POINT") && length(x) > 0L) {
    types <- unique(as.character(sf::st_geometry_type(x)))
    stop_argument(sprintf(
      "%s must have geometries of type POINT, not %s; sf::st_centroid() makes points of others",
      argument, paste(types, collapse = ", ")
    ), argument, from$call)
  }
  values <- sf::st_coordinates(x)
  unname_rows(values[, intersect(colnames(values), c("X", "Y", "Z")), drop = FALSE])
}

points_of.sf <- function(x, argument, from) {
  values <- points_of(sf::st_geometry(x), argument, from)
  if (is.character(attr(x, "row.names"))) {
    rownames(values) <- row.names(x)
  }
  values
}

points_of.SpatialPoints <- function(x, argument, from) {
  unname_rows(sp::coordinates(x))
}

points_of.ppp <- function(x, argument, from) {
  unname_rows(as.matrix(spatstat.geom::coords(x)))
}
points_of.pp3 <- points_of.ppp

# The coordinates of other classes, such as points on a network, are not those of a plane or space.
points_of.ppx <- function(x, argument, from) refuse_class(x, argument, from$call)

# Removes row names that are only numbers.
unname_rows <- function(x) {
  if (identical(rownames(x), as.character(seq_len(nrow(x))))) {
    rownames(x) <- NULL
  }
  x
}

# --- structures and trajectories ------------------------------------------------------------------

points_of.pdb <- function(x, argument, from) points_of(x$xyz, argument, from)

# A row is a frame: x, y, z of the first atom, then of the second, and so on.
points_of.xyz <- function(x, argument, from) {
  frames <- if (is.matrix(x)) unclass(x) else t(unclass(x))
  frame <- from$frame
  if (is.null(frame) && nrow(frames) == 1L) {
    frame <- 1
  }
  if (!is.numeric(frame) || length(frame) != 1L || !frame %in% seq_len(nrow(frames))) {
    stop_value(
      frame, "frame",
      sprintf("a whole number from 1 to %d, the frames of %s", nrow(frames), argument), from$call
    )
  }
  matrix(frames[frame, ], ncol = 3L, byrow = TRUE, dimnames = list(NULL, c("x", "y", "z")))
}

# --- matrices that are not in memory --------------------------------------------------------------

points_of.gpu_hdf5 <- function(x, argument, from) {
  check_hdf5(x, argument, from$call)
  if (from$panels) {
    return(x)
  }
  if (!requireNamespace("HDF5Array", quietly = TRUE)) {
    stop_argument(sprintf(
      "%s must be in memory; without package HDF5Array \"%s\" is not read here", argument, x$file
    ), argument, from$call)
  }
  if (nzchar(gpu_hdf5_version())) {
    source_size(x, from$call) # the core's errors come first
  }
  points_of(HDF5Array::HDF5Array(x$file, x$name), argument, from)
}

points_of.DelayedMatrix <- function(x, argument, from) {
  limit <- setting("memory_limit", from$memory_limit, NULL)
  if (!is.numeric(limit) || length(limit) != 1L || is.na(limit)) {
    limit <- 2^28 # the core refuses values that are not a limit
  }
  bytes <- prod(as.double(dim(x))) * 8
  if (bytes <= limit) {
    return(read_blocks(x))
  }
  if (!from$panels || !nzchar(gpu_hdf5_version())) {
    values <- sprintf("%.0f x %.0f values", nrow(x), ncol(x))
    refuse_size(argument, values, bytes, limit, from$call)
  }
  stored_points(x)
}

refuse_size <- function(argument, values, bytes, limit, call) {
  size <- function(bytes) {
    format(structure(bytes, class = "object_size"), units = "auto", standard = "IEC")
  }
  stop_argument(sprintf(
    "%s must fit into memory_limit: its %s take %s, and memory_limit is %s", argument, values,
    size(bytes), size(limit)
  ), argument, call)
}

# Returns a matrix with the values of a DelayedMatrix, read in blocks of columns, so what its
# operations take in addition to the matrix is little.
read_blocks <- function(x) {
  step <- max(1, floor(DelayedArray::getAutoBlockSize() / (8 * max(1, nrow(x)))))
  if (ncol(x) <= step) {
    return(methods::as(x, "matrix"))
  }
  values <- matrix(vector(DelayedArray::type(x), 1L), nrow(x), ncol(x), dimnames = dimnames(x))
  for (first in seq(1, ncol(x), step)) {
    columns <- seq(first, min(ncol(x), first + step - 1))
    values[, columns] <- methods::as(x[, columns, drop = FALSE], "matrix")
  }
  values
}

# Returns points in a file as a "gpu_hdf5": those of an HDF5Matrix where they are, and those of
# another DelayedMatrix in a temporary file, which is deleted when R collects the result as garbage.
stored_points <- function(x) {
  labels <- dimnames(x)[[1L]]
  seed <- methods::slot(x, "seed")
  if (inherits(seed, "DelayedSetDimnames")) {
    seed <- methods::slot(seed, "seed")
  }
  if (inherits(seed, "HDF5ArraySeed")) {
    location <- list(file = methods::slot(seed, "filepath"), name = methods::slot(seed, "name"))
  } else {
    location <- list(file = tempfile("gpugeo", fileext = ".h5"), name = "points")
    dimnames(x) <- NULL
    HDF5Array::writeHDF5Array(x, location$file, location$name)
    location$owner <- new.env()
    location$owner$file <- location$file
    reg.finalizer(location$owner, function(owner) unlink(owner$file), onexit = TRUE)
  }
  structure(c(location, list(labels = labels)), class = "gpu_hdf5")
}

# --- errors ---------------------------------------------------------------------------------------

# Code that makes a matrix of objects of other packages.
matrix_code <- c(
  lpp = "spatstat.geom::as.ppp(%s)",
  AnnDataR6 = "as.matrix(%s$X)",
  SpatVector = "terra::crds(%s)",
  big.matrix = "%s[, ]"
)

refuse_class <- function(x, argument, call) {
  class <- intersect(class(x), names(matrix_code))
  code <- if (length(class)) matrix_code[[class[1L]]] else "as.matrix(%s)"
  stop_argument(sprintf(
    "%s must be a numeric matrix, not an object of class \"%s\"; %s may make one", argument,
    class(x)[1L], sprintf(code, argument)
  ), argument, call)
}

# Classes of sequences, with code that makes distances of them or "".
sequence_classes <- c(
  DNAbin = "gpu_dist_dna(%s)", gpu_sequences = "gpu_dist_dna(%s)", AAbin = "ape::dist.aa(%s)",
  phyDat = "phangorn::dist.ml(%s)", alignment = "seqinr::dist.alignment(%s)", SeqFastadna = "",
  SeqFastaAA = "", XString = "", XStringSet = "", MultipleAlignment = ""
)

refuse_sequences <- function(x, argument, call) {
  if (is.object(x) && inherits(x, names(sequence_classes))) {
    at <- which(vapply(names(sequence_classes), inherits, NA, x = x))[1L]
    code <- sprintf(sequence_classes[[at]], argument)
    hint <- if (nzchar(code)) sprintf("; %s makes distances of them", code) else ""
    stop_argument(sprintf(
      "%s must be a numeric matrix, not sequences of class \"%s\"%s", argument, class(x)[1L],
      hint
    ), argument, call)
  }
}

# Raises an error that names the first column of a data frame that is not numeric.
check_columns <- function(x, argument, from) {
  for (i in seq_along(x)) {
    column <- x[[i]]
    if (!(is.numeric(column) || is.logical(column)) || inherits(column, "integer64")) {
      stop_argument(sprintf(
        "%s must have numeric columns, but column \"%s\" is %s%s", argument, names(x)[i],
        describe(column), column_hint(column, from)
      ), argument, from$call)
    }
  }
}

# Returns what can be done with a column of groups.
column_hint <- function(column, from) {
  if (!is.factor(column) && !is.character(column)) {
    ""
  } else if (from$mixed) {
    "; method = \"gower\" takes factors, and model.matrix() makes numbers of them"
  } else {
    "; model.matrix() makes numbers of factors"
  }
}

# Describes a vector that is not numeric.
describe <- function(column) {
  if (inherits(column, "integer64")) {
    "integer64; as.double() converts it"
  } else if (is.character(column)) {
    "text"
  } else if (is.object(column) && !is.factor(column)) {
    sprintf("an object of class \"%s\"", class(column)[1L])
  } else {
    show_value(column)
  }
}
