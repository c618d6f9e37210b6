# Golden cases: see tests/golden/README.md for the format.
golden_folder <- test_path("..", "golden")

# The rows of a file of cases, as text.
read_cases <- function(file) {
  read.csv(file, colClasses = "character", na.strings = character(), check.names = FALSE)
}

# All cases but those of Octave's option `opt` of gpu_cov().
golden_cases <- function() {
  cases <- read_cases(file.path(golden_folder, "cases.csv"))
  cases[!grepl("(^|;)opt=", cases$options), ]
}

# The lines of each matrix of a file such as matrices.txt, by its name.
matrix_lines <- function(file) {
  lines <- readLines(file)
  blocks <- split(lines[nzchar(lines)], cumsum(!nzchar(lines))[nzchar(lines)])
  stats::setNames(lapply(blocks, `[`, -1L), vapply(blocks, `[`, "", 1L))
}

# The matrix of such lines.
matrix_of_lines <- function(lines) {
  do.call(rbind, lapply(strsplit(lines, ",", fixed = TRUE), as.numeric))
}

golden_matrices <- matrix_lines(file.path(golden_folder, "matrices.txt"))

golden_matrix <- function(name) {
  shape <- regmatches(name, regexec("^([0-9]+)x([0-9]+)$", name))[[1]]
  if (length(shape) == 3L) {
    return(matrix(0, as.integer(shape[2]), as.integer(shape[3])))
  }
  matrix_of_lines(golden_matrices[[name]])
}

# The value of one option in a case: a matrix by its name, a truth value, a number, or text.
golden_option <- function(name, text) {
  if (text %in% names(golden_matrices)) {
    value <- golden_matrix(text)
    return(if (name == "cov") value else as.vector(value))
  }
  if (startsWith(text, "\"")) {
    return(gsub("\"", "", text, fixed = TRUE))
  }
  number <- suppressWarnings(as.numeric(text))
  if (!is.na(number) || text == "NaN") {
    return(number)
  }
  switch(text, true = TRUE, false = FALSE, text)
}

# list(name = value, ...) from "name=value;..."
golden_options <- function(options) {
  pairs <- strsplit(strsplit(options, ";", fixed = TRUE)[[1]], "=", fixed = TRUE)
  names <- vapply(pairs, `[`, "", 1L)
  texts <- vapply(pairs, `[`, "", 2L)
  stats::setNames(Map(golden_option, names, texts), names)
}

golden_input <- function(name, storage, sparse) {
  if (!nzchar(name)) {
    return(NULL)
  }
  x <- golden_matrix(name)
  if (sparse) {
    return(methods::as(x, "CsparseMatrix"))
  }
  # R has no single precision; every value of such a case is exact in it.
  if (storage == "integer") {
    storage.mode(x) <- "integer"
  }
  x
}

# The correlations of a case. maxPOutliers is an option of gpu_bicor().
golden_cor <- function(x, ..., method, weights = NULL, maxPOutliers = NULL) { # nolint: of WGCNA
  if (!is.null(maxPOutliers)) {
    return(gpu_bicor(x, ..., maxPOutliers = maxPOutliers))
  }
  weights <- if (!is.null(weights)) matrix(weights, nrow(x))
  gpu_cor(x, ..., method = method, weights.x = weights)
}

# What computes the cases of a function. Its value, as a matrix, is what tests/golden/README.md
# says. `method` may be "".
golden_functions <- list(
  dist = gpu_dist,
  cdist = gpu_cdist,
  cor = golden_cor,
  adjacency = function(..., method) unname(gpu_adjacency(..., type = method)),
  scale_free = function(..., method, bins, no_first = FALSE) {
    unname(as.matrix(gpu_soft_threshold(
      ..., nBreaks = bins, removeFirst = no_first, networkType = method, moreNetworkConcepts = TRUE
    )$fitIndices))
  },
  overlap = function(..., method, mean = FALSE, no_zero = FALSE, no_negative = FALSE) {
    unname(gpu_tom(
      ..., TOMType = method, TOMDenom = if (mean) "mean" else "min", input = "adjacency",
      suppressTOMForZeroAdjacencies = no_zero, suppressNegativeTOM = no_negative
    ))
  },
  cov = gpu_cov,
  tiles = function(..., backend) unname(as.matrix(gpu_tiles_plan(...))[, -1L, drop = FALSE]),
  dist_file = function(...) as.matrix(gpu_dist(...)),
  dist_open = function(x, ..., method, backend) as.matrix(gpu_dist_file(...)),
  dist_points = function(x, ..., file, name) as.matrix(c(gpu_dist(gpu_hdf5(file, name), ...))),
  closest = function(..., method) {
    pairs <- gpu_closest_pair(..., algorithm = if (nzchar(method)) method else "auto")
    cbind(pairs$i, pairs$j, pairs$distance, rep(attr(pairs, "ties"), nrow(pairs)))
  },
  knn = function(x, y = NULL, ...) {
    nearest <- gpu_knn(x, query = y, ...)
    cbind(nearest$index, nearest$distance)
  },
  radius = function(x, y = NULL, ...) {
    near <- gpu_radius(x, query = y, ...)
    cbind(rep(seq_along(near$count), near$count), near$index, near$distance)
  },
  hclust = function(x, ...) {
    tree <- gpu_hclust(x, ..., metric = "manhattan")
    clusters <- function(k) ifelse(k < 0, -k, k + nrow(tree$merge) + 1)
    unname(cbind(clusters(tree$merge), tree$height))
  },
  # A row for each point, and next to it one for each merge but the last, of which there is none.
  hdbscan = function(x, method, min_points, ...) {
    found <- rename_message("minPts", "min_points", gpu_hdbscan(x, min_points, method, ...))
    merges <- found$hc$merge
    merges <- cbind(ifelse(merges < 0, -merges, merges + nrow(merges) + 1), found$hc$height)
    unname(cbind(
      found$cluster, found$membership_prob, found$outlier_scores, found$coredist, rbind(merges, 0)
    ))
  },
  trees = function(x, ..., method) {
    make <- list(nj = gpu_nj, bionj = gpu_bionj, upgma = gpu_upgma)[[method]]
    tree <- make(x, ..., method = "manhattan")
    cbind(tree$edge, tree$edge.length)
  },
  unifrac = function(x, ..., method, tree) {
    edges <- matrix(tree, ncol = 3L)
    tips <- min(edges[, 1L]) - 1
    colnames(x) <- seq_len(ncol(x))
    tree <- structure(list(
      edge = edges[, 1:2], edge.length = edges[, 3L], tip.label = as.character(seq_len(tips)),
      Nnode = length(unique(edges[, 1L]))
    ), class = "phylo")
    as.matrix(c(gpu_unifrac(x, tree, method, ...)))
  },
  mst = function(...) unname(as.matrix(gpu_mst(...))),
  permanova = function(x, y, ...) {
    factors <- as.data.frame(lapply(as.data.frame(y), factor))
    none <- matrix(0L, 0L, nrow(x))
    formula <- stats::reformulate(names(factors), quote(x))
    table <- gpu_adonis2(formula, factors, none, ..., by = "terms")
    unname(as.matrix(table[seq_along(factors), c("SumOfSqs", "R2", "F")]))
  },
  pcoa = function(x, ...) {
    found <- gpu_pcoa(x, ...)
    rbind(found$eig, found$points)
  },
  mds = function(x, ..., k, start = numeric(), weights = NULL) {
    start <- matrix(start, nrow(x), k)
    if (!is.null(weights)) {
      weights <- matrix(weights, nrow(x))
    }
    found <- suppressWarnings(gpu_mds(x, k, weights, start, ...)) # they end too early
    unname(rbind(c(found$stress, numeric(k - 1)), found$conf))
  },
  mrpp = function(x, y, ..., method, weight_type = 1) {
    found <- rename_message("weight.type", "weight_type", gpu_mrpp(
      x, as.vector(y), matrix(0L, 0L, nrow(x)), method, weight_type, ...
    ))
    means <- replace(found$classdelta, found$n < 2L, NA) # NaN, as in vegan
    as.matrix(unname(c(found$delta, found$E.delta, means)))
  },
  silhouette = function(x, ..., clusters) {
    unname(unclass(gpu_silhouette(x, as.vector(clusters), ...)))[, -1L]
  },
  pam = function(x, ..., method, medoids = NULL, swap = TRUE) {
    parts <- gpu_pam(
      x, ..., method = method, medoids = if (!is.null(medoids)) as.vector(medoids),
      do.swap = swap
    )
    medoid <- parts$id.med[parts$clustering]
    distances <- as.matrix(gpu_dist(x, method))
    unname(cbind(parts$clustering, medoid, distances[cbind(seq_along(medoid), medoid)]))
  },
  collide_count = function(...) as.matrix(golden_collide(..., what = "count")),
  collide_per_point = function(...) as.matrix(golden_collide(..., what = "per_point")),
  collide_pairs = function(...) {
    as.matrix(golden_collide(..., what = "pairs")[c("i", "j")])
  },
  collide_table = function(...) golden_collide(..., what = "table"),
  dgp = function(x, ..., method) {
    cycle <- gpu_dgp(x, ..., algorithm = if (nzchar(method)) method else "auto")
    solutions <- if (length(cycle$rows)) cbind(cycle$rows, cycle$residual) else matrix(0, 0, 2)
    golden_beside(solutions, list(...)$max_solutions, cycle$count, cycle$expected)
  },
  dgp_sums = function(x, ..., method) as.matrix(gpu_dgp_sums(x, ...)),
  dgp_graph = function(x, ..., method) {
    graph <- gpu_dgp_graph(x, ...)
    rows <- unname(cbind(rep(graph$count, nrow(graph$positions)), graph$positions))
    rows[do.call(order, lapply(seq_len(ncol(rows)), function(j) rows[, j])), , drop = FALSE]
  },
  dist_dna = function(x, ..., method, pairwise = FALSE, variance = FALSE, gamma = FALSE,
                      base_freq = NULL, pair_freq = FALSE, all_letters = FALSE, sites = FALSE) {
    d <- rename_message("base.freq", "base_freq", gpu_dist_dna(
      golden_bases(x), method, variance, gamma, pairwise, if (pair_freq) "pair" else base_freq, ...,
      all.letters = all_letters, sites = sites
    ))
    wanted <- if (sites) "sites" else if (variance) "variance"
    values <- if (is.matrix(d)) d else as.matrix(if (is.null(wanted)) c(d) else attr(d, wanted))
    replace(values, is.nan(values), NA) # NaN, as in ape
  },
  boot_phylo = function(...) golden_boot(...),
  dist_edit = function(x, y = NULL, ...) {
    d <- gpu_dist_edit(golden_texts(x), golden_texts(y), ...)
    if (is.matrix(d)) d else as.matrix(c(d))
  },
  edit_neighbors = function(x, y = NULL, ...) {
    near <- gpu_dist_edit(golden_texts(x), golden_texts(y), ..., neighbors = TRUE)
    cbind(rep(seq_along(near$count), near$count), near$index, near$distance)
  },
  dist_aa = function(x, ..., method) {
    values <- as.matrix(c(gpu_dist_aa(golden_texts(x), method, ...)))
    replace(values, is.nan(values), NA)
  },
  # y tells how many vertices there are, as a file does.
  layout = function(x, y, ..., method, fixed = NULL) {
    edges <- structure(as.data.frame(x), vertices = nrow(y), first = 1L)
    if (!is.null(fixed)) {
      fixed <- fixed != 0
    }
    positions <- gpu_layout(edges, init = y, fixed = fixed, multilevel = FALSE, ...)
    matrix(positions, nrow(positions), ncol(positions))
  },
  layout_matrix = function(x, y, ..., method) {
    positions <- gpu_layout(x, init = y, multilevel = FALSE, ...)
    matrix(positions, nrow(positions), ncol(positions))
  }
)

# Sequences of DNA of a matrix of codes.
golden_bases <- function(x) structure(matrix(as.raw(x), nrow(x)), class = "DNAbin")

# A row for each edge: both nodes, the length, and the support of the second node. The draws are
# those of the case; gpu_boot_phylo() makes its own by R's generator.
golden_boot <- function(x, y, ..., method, model, rooted, order = NULL, backend) {
  codes <- codes_of(golden_bases(x))
  whole <- function(numbers) matrix(as.integer(numbers) - 1L, ncol = ncol(y))
  options <- c(
    list(sites = whole(y), order = if (!is.null(order)) whole(order)),
    dna_options(model, FALSE, TRUE, NULL),
    list(tree = method, rooted = rooted, B = ncol(y), trees = FALSE)
  )
  inputs <- unname(codes[c("codes", "lengths", "names")])
  made <- boot_phylo(.Call(C_boot_phylo, inputs, options, run_settings(backend), NULL), codes)
  edge <- made$tree$edge
  support <- c(rep(NA, nrow(x)), made$BP)
  cbind(edge, made$tree$edge.length, support[edge[, 2]], deparse.level = 0)
}

# Texts of a matrix of code points, a row each, which ends at NaN. Of NULL, NULL.
golden_texts <- function(x) {
  if (is.null(x)) {
    return(NULL)
  }
  vapply(seq_len(nrow(x)), function(i) intToUtf8(x[i, !is.nan(x[i, ])]), "")
}

golden_collide <- function(..., method) {
  gpu_collisions(..., algorithm = if (nzchar(method)) method else "auto")
}

# The lines of a result with values that are the same in all; one line of 0 where only these were
# asked for.
golden_beside <- function(lines, most, ...) {
  if (identical(most, 0)) {
    lines <- matrix(0, 1, ncol(lines))
  }
  cbind(lines, matrix(rep(c(...), each = nrow(lines)), nrow(lines), ...length()))
}

# A file of a kind that tests/golden/README.md describes.
golden_file <- function(kind) {
  file <- tempfile(fileext = ".h5")
  write_plain <- function(shape) gpu_dist(golden_matrix("plain"), file = file, file_shape = shape)
  switch(kind,
    new = NULL,
    nameless = return(""),
    `no-folder` = return(file.path(file, "d.h5")),
    folder = dir.create(file),
    pipe = stopifnot(system2("mkfifo", shQuote(file)) == 0),
    block = {
      write_plain("square")
      bytes <- readBin(file, "raw", file.size(file))
      writeBin(c(raw(512), bytes), file)
    },
    text = writeLines("no HDF5", file),
    empty = file.create(file),
    condensed = write_plain("condensed"),
    square = write_plain("square"),
    `read-only` = {
      write_plain("condensed")
      Sys.chmod(file, "0444")
    },
    stop("unknown kind of file: ", kind)
  )
  file
}

# Moves the parameters of a metric into it. gpu_dist() and gpu_cdist() have an argument p.
golden_metric <- function(arguments, name) {
  own <- switch(name, dist = , cdist = "p", dist_dna = "gamma")
  parameters <- setdiff(intersect(names(formals(gpu_metric)), names(arguments)), c("name", own))
  if (length(parameters)) {
    taker <- if (is.null(arguments$metric)) "method" else "metric"
    metric <- do.call(gpu_metric, c(list(arguments[[taker]]), arguments[parameters]))
    arguments[[taker]] <- metric
    arguments[parameters] <- NULL
  }
  arguments
}

# Runs a case on a backend, maybe with sparse matrices, and returns what outcome() does. Messages
# have "{file}" for its file.
golden_run <- function(case, backend, sparse) {
  arguments <- list(x = golden_input(case$x, case$storage, sparse), method = case$method)
  arguments$y <- golden_input(case$y, case$storage, sparse)
  arguments$backend <- backend
  arguments <- utils::modifyList(arguments, golden_options(case$options))
  name <- case$`function`
  compute <- function(...) do.call(golden_functions[[name]], golden_metric(list(...), name))
  if (is.null(arguments$file)) {
    return(outcome(do.call(compute, arguments)))
  }
  arguments$file <- golden_file(arguments$file)
  on.exit(unlink(arguments$file, recursive = TRUE))
  result <- outcome(do.call(compute, arguments))
  if (inherits(result$value, "failed") && nzchar(arguments$file)) {
    result$value[] <- sub(arguments$file, "{file}", result$value, fixed = TRUE)
  }
  result
}

# The message of the warning that a note stands for.
golden_warning <- function(note) {
  if (note %in% names(golden_warnings)) golden_warnings[[note]] else note
}
golden_warnings <- c(
  nonfinite = "treating non-finite values as NA",
  deviation = "the standard deviation is zero"
)
