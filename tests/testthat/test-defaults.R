# The core's tables of options, a list of list(default, may_be_null, choices) for each.
tables <- .Call(gpugeo:::C_options)

# The functions that have the options of a table, where their name is not that of the table, and the
# pages that have the names of choices.
functions <- list(
  metric = "gpu_metric", knn = c("gpu_knn", "gpu_radius"), cor = c("gpu_cor", "gpu_cov"),
  closest = "gpu_closest_pair", leaf_order = "gpu_seriate", permanova = "gpu_adonis2",
  overlap = "gpu_tom", proportionality = "gpu_propr"
)
functions_of <- function(table) {
  if (is.null(functions[[table]])) paste0("gpu_", table) else functions[[table]]
}

# Arguments with another name than the option, by table and option.
arguments <- c(
  metric.method = "name", hclust.linkage = "method", permanova.root = "sqrt.dist",
  dist_dna.count.sites = "sites", adjacency.networkType = "type"
)

# Options without an argument of their own; with a required one; and with words of R's (NULL: a seed
# that is drawn).
others <- c(
  "bicor.weights.x", "bicor.weights.y", "hclust.squared", "kmeans.k", "kmeans.centers",
  "kmeans.uniform", "validity.ch", "validity.db", "validity.dunn", "validity.silhouette",
  "validity.within", "validity.dbcv", "validity.power", "pam.eager", "pam.max_swaps",
  "collisions.groups", "closest.sphere_radius", "collisions.sphere_radius", "knn.k", "knn.radius",
  "mds.start", "layout.seed", "dist_dna.gamma", "dist_dna.pair.base.freq", "nj.bionj",
  "boot_phylo.B", "boot_phylo.sites", "boot_phylo.order", "betadiver.method", "decostand.MARGIN",
  "decostand.method", "proportionality.alpha"
)

help_of <- function(name) {
  paste(as.character(tools::Rd_db("gpugeo")[[paste0(name, ".Rd")]]), collapse = "")
}

# Expects that an argument's default is that of the core: NULL stands for one that users cannot
# give, and a vector of all choices for the first.
expect_default <- function(given, option, label) {
  given <- eval(given)
  if (length(given) > 1L) {
    expect_identical(sort(given), sort(option$choices), label = label)
  }
  if (is.null(given)) {
    expect_true(option$may_be_null, label = label)
  } else {
    expect_equal(given[1L], option$default, tolerance = 0, label = label)
  }
}

# Expects that a function has the options of a table, and their defaults.
expect_options <- function(name, table) {
  for (option in names(tables[[table]])) {
    key <- paste(table, option, sep = ".")
    argument <- if (key %in% names(arguments)) arguments[[key]] else option
    default <- formals(name, envir = asNamespace("gpugeo"))[argument]
    if (!key %in% others) {
      expect_identical(names(default), argument, label = key)
      if (!is.symbol(default[[1L]])) { # required
        expect_default(default[[1L]], tables[[table]][[option]], paste(name, option))
      }
    }
  }
}

test_that("each option is an argument, and the defaults of both are the same", {
  expect_gt(length(tables), 15L)
  known <- lapply(names(tables), function(name) paste(name, names(tables[[name]]), sep = "."))
  expect_identical(setdiff(c(others, names(arguments)), unlist(known)), character())
  without <- c("run", "layout_raster") # settings, and what plot() has
  for (table in setdiff(names(tables), without)) {
    for (name in functions_of(table)) {
      expect_options(name, table)
    }
  }
})

test_that("built-in settings are those of the core", {
  for (name in c("GPUGEO_BACKEND", "GPUGEO_PRECISION")) {
    skip_if(nzchar(Sys.getenv(name)))
  }
  built_in <- gpugeo:::run_settings()
  expect_identical(built_in$backend, tables$run$backend$default)
  expect_identical(built_in$precision, tables$run$precision$default)
  expect_identical(setdiff(names(tables$run), gpugeo:::common_settings), character())
})

test_that("functions of points have the default metric of the core", {
  for (name in c("gpu_dist", "gpu_cdist", "gpu_knn", "gpu_radius", "gpu_mds", "gpu_pcoa")) {
    given <- formals(name, envir = asNamespace("gpugeo"))
    expect_identical(given$method, tables$metric$method$default)
    expect_true(is.null(given$p) || given$p == tables$metric$p$default)
  }
})

test_that("the help has all names of each choice", {
  pages <- c(
    metric = "gpu_metric", closest = "gpu_closest_pair", betadiver = "gpu_designdist",
    overlap = "gpu_tom", proportionality = "gpu_propr", leaf_order = "gpu_seriate"
  )
  for (table in setdiff(names(tables), c("run", "collisions"))) {
    page <- if (table %in% names(pages)) pages[[table]] else paste0("gpu_", table)
    for (option in names(tables[[table]])) {
      choices <- tables[[table]][[option]]$choices
      if (!is.null(choices)) {
        expect_gt(length(choices), 1L)
        help <- help_of(page)
        absent <- choices[!vapply(choices, grepl, NA, x = help, fixed = TRUE)]
        expect_identical(absent, character(), label = paste(table, option))
      }
    }
  }
})

test_that("functions of one family have the same defaults", {
  families <- list(
    gpu_dist = c("gpu_cdist", "gpu_knn", "gpu_radius", "gpu_neighbor_graph", "gpu_tiles_plan"),
    gpu_collisions = "gpu_collisions_launch"
  )
  for (first in names(families)) {
    for (other in families[[first]]) {
      shared <- setdiff(intersect(names(formals(first)), names(formals(other))), "x")
      expect_identical(formals(other)[shared], formals(first)[shared])
    }
  }
})

test_that("metric is another name of method, but for both of them", {
  x <- cbind(c(0, 3, 1, 7), c(0, 4, 1, 2))
  calls <- list(
    function(...) as.vector(gpu_dist(x, ...)), function(...) gpu_cdist(x, x, ...),
    function(...) gpu_knn(x, 2, ...), function(...) gpu_radius(x, 5, ...),
    function(...) gpu_neighbor_graph(x, 1, ...),
    function(...) gpu_dist_tile(x, gpu_tiles_plan(x, side = 3, ...), 2),
    function(...) {
      found <- NULL
      gpu_dist_tiles(x, function(values, row, column) found <<- c(found, values), ...)
      found
    }
  )
  for (call in calls) {
    expect_identical(call(metric = "manhattan"), call(method = "manhattan"))
    expect_error(call(metric = "manhattan", method = "manhattan"),
      "metric must not be given with method, which means the same",
      class = "gpugeo_error"
    )
  }
  order <- rbind(4:1, c(2L, 1L, 4L, 3L))
  two <- gl(2, 2)
  calls <- list(
    function(...) as.matrix(gpu_adonis2(x ~ two, permutations = order, ...)),
    function(...) gpu_betadisper(x, two, "centroid", ...)$distances,
    function(...) gpu_pairwise_adonis(x, two, order, ...)
  )
  for (call in calls) {
    expect_identical(call(metric = "manhattan"), call(method = "manhattan"))
    expect_false(identical(call(metric = "manhattan"), call(metric = "euclidean")))
    expect_error(call(metric = "manhattan", method = "manhattan"),
      "metric must not be given with method, which means the same",
      class = "gpugeo_error"
    )
  }
  expect_identical(gpu_cor(x, metric = "spearman"), gpu_cor(x, method = "spearman"))
  expect_error(gpu_dist(x, metric = "nearest"), "method must be one of", class = "gpugeo_error")
})
