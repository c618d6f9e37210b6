# No function and no method ignores an argument that it does not know.
x <- as.matrix(iris[1:20, 1:4])

# Passes if a call with an unknown argument is an error, or a warning, that names it.
expect_named <- function(code, name) {
  message <- tryCatch({
    code
    "nothing"
  }, error = conditionMessage, warning = conditionMessage)
  expect_match(message, "nonsense", fixed = TRUE, info = name)
}

test_that("every exported function refuses an unknown argument", {
  first <- list(
    gpu_adonis2 = list(x ~ iris$Species[1:20], permutations = 0),
    gpu_anosim = list(x, rep(1:2, 10)), gpu_avgdist = list(round(10 * x), 5),
    gpu_betadisper = list(x, rep(1:2, 10)), gpu_capscale = list(x ~ 1), gpu_dbrda = list(x ~ 1),
    gpu_cdist = list(x, x),
    gpu_collisions = list(x[, 1:2], radius = 1), gpu_collisions_fetch = list(NULL),
    gpu_collisions_launch = list(x[, 1:2], radius = 1), gpu_dgp = list(c(1, 1)),
    gpu_dgp_graph = list(data.frame(1, 2, 1)), gpu_dgp_sums = list(c(1, 1)),
    gpu_closest_pair = list(x[, 1:2]),
    gpu_metamds = list(x, try = 1),
    gpu_envfit = list(x, x, 9), gpu_procrustes = list(x, x), gpu_protest = list(x, x),
    gpu_dist_tile = list(x, plan = gpu_tiles_plan(x), tile = 1),
    gpu_dist_tiles = list(x, function(...) NULL), gpu_dbscan = list(x, 1), gpu_hdbscan = list(x, 3),
    gpu_graph_distances = list(cbind(1, 2)), gpu_knn = list(x, 2), gpu_layout = list(cbind(1, 2)),
    gpu_layout_quality = list(cbind(1, 2), gpu_layout(cbind(1, 2))),
    gpu_layout_image = list(gpu_layout(cbind(1, 2))),
    gpu_mantel = list(dist(x), dist(x), permutations = 0),
    gpu_mantel_partial = list(dist(x), dist(x), dist(x), permutations = 0),
    gpu_mantel_correlog = list(dist(x), XY = x[, 1:2], nperm = 0),
    gpu_mrpp = list(x, rep(1:2, 10)), gpu_neighbor_graph = list(x, 2),
    gpu_pairwise_adonis = list(x, rep(1:2, 10)), gpu_pam = list(x, 2), gpu_kmeans = list(x, 2),
    gpu_read_newick = list("file"), gpu_write_newick = list(gpu_nj(x)),
    gpu_tree_distances = list(gpu_nj(x)),
    gpu_nj = list(x), gpu_bionj = list(x), gpu_upgma = list(x),
    gpu_permutest = list(gpu_betadisper(x, rep(1:2, 10), method = "euclidean"), permutations = 9),
    gpu_radius = list(x, 1), gpu_read_edges = list("file"),
    gpu_read_biom = list("file"), gpu_read_fasta = list("file"),
    gpu_seriate = list(hclust(dist(x)), x),
    gpu_silhouette = list(x, rep(1:2, 10)), gpu_validity = list(x, rep(1:2, 10)),
    gpu_clus_gap = list(x, function(x, k) list(cluster = rep(1, 20)), 2, 2),
    gpu_simper = list(x, rep(1:2, 10), 0),
    gpu_write_graph = list(cbind(1, 2), "file"), gpu_tiles_plan = list(x)
  )
  skip_if_not_installed("permute")
  for (name in setdiff(getNamespaceExports("gpugeo"), "layout_tbl_graph_gpu_layout")) {
    arguments <- if (name %in% names(first)) first[[name]] else list(x)
    call <- function(...) do.call(getExportedValue("gpugeo", name), c(arguments, ...))
    expect_named(call(list(nonsense = 1)), name)
  }
})

test_that("functions of distances refuse an unknown argument with them", {
  d <- dist(x)
  group <- rep(1:2, 10)
  calls <- list(
    function(...) gpu_adonis2(d ~ group, permutations = 0, ...),
    function(...) gpu_anosim(d, group, ...),
    function(...) gpu_dbrda(d ~ group, ...), function(...) gpu_capscale(d ~ group, ...),
    function(...) gpu_betadisper(d, group, ...), function(...) gpu_mrpp(d, group, ...),
    function(...) gpu_pairwise_adonis(d, group, ...), function(...) gpu_hclust(d, ...),
    function(...) gpu_nj(d, ...), function(...) gpu_bionj(d, ...), function(...) gpu_upgma(d, ...),
    function(...) gpu_pam(d, 2, ...), function(...) gpu_silhouette(d, group, ...),
    function(...) gpu_validity(d, group, ...),
    function(...) gpu_optics(d, ...), function(...) gpu_lof(d, ...),
    function(...) gpu_dbscan(d, 1, ...), function(...) gpu_hdbscan(d, 3, ...),
    function(...) gpu_seriate(hclust(d), d, ...),
    function(...) gpu_mst(d, ...), function(...) gpu_pcoa(d, ...), function(...) gpu_mds(d, ...),
    function(...) gpu_knn(d, 2, ...), function(...) gpu_radius(d, 2, ...),
    function(...) gpu_hclust(x, metric = function(x, y) 1, ...)
  )
  for (i in seq_along(calls)) expect_named(calls[[i]](nonsense = 1), i)
  expect_error(gpu_hclust(x, metric = function(x, y) 1, scale = 1:4), "scale is a parameter of a")
})

test_that("every method refuses an unknown argument, or passes it on", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  map <- gpu_layout(cbind(1:3, 2:4), seed = 1)
  cycle <- gpu_dgp(c(1, 1, 2))
  graph <- gpu_dgp_graph(data.frame(1, 2, 1))
  groups <- rep(1:2, 10)
  objects <- list(
    gpu_layout = map, gpu_layout_quality = gpu_layout_quality(cbind(1:3, 2:4), map),
    summary.gpu_layout = summary(map), gpu_dgp = cycle, gpu_dgp_graph = graph,
    gpu_hdbscan = gpu_hdbscan(x, 3), gpu_mds = gpu_mds(x), gpu_pcoa = gpu_pcoa(x),
    gpugeo_info = gpu_info(), gpu_metric = gpu_metric("minkowski", 3),
    gpu_future = gpu_collisions_launch(x[, 1:2], radius = 1)
  )
  if (nzchar(gpu_hdf5_version())) {
    file <- tempfile(fileext = ".h5")
    objects$gpu_dist_file <- gpu_dist(x, file = file)
    objects$summary.gpu_dist_file <- summary(objects$gpu_dist_file)
    objects$gpu_hdf5 <- structure(list(file = file, name = "dist"), class = "gpu_hdf5")
  }
  objects$gpu_dist_device <- structure(list(), class = "gpu_dist_device")
  for (class in names(objects)) {
    for (generic in c("print", "format", "summary", "plot", "as.matrix", "labels", "str")) {
      name <- paste(generic, class, sep = ".")
      if (exists(name, getNamespace("gpugeo"), inherits = FALSE) && class != "gpu_hdbscan") {
        method <- getNamespace("gpugeo")[[name]]
        utils::capture.output(expect_named(method(objects[[class]], nonsense = 1), name))
      }
    }
  }
  if (nzchar(gpu_hdf5_version())) {
    expect_error(max(objects$gpu_dist_file, 3), "unused argument 3")
    expect_output(str(list(objects$gpu_dist_file)), "gpu_dist_file")
    unlink(file)
  }
  expect_output(print(objects$gpu_pcoa, digits = 3), "Principal")
  expect_output(print(map, digits = 3), "Layout of 4 vertices")
})

test_that("what prints results of package vegan refuses an unknown argument", {
  skip_if_not_installed("permute")
  groups <- rep(1:2, 10)
  tested <- list(
    print_anosim = gpu_anosim(x, groups, 9), print_mrpp = gpu_mrpp(x, groups, 9),
    fallback_print.procrustes = gpu_procrustes(x, x),
    fallback_print.envfit = gpu_envfit(x, x, rbind(20:1)),
    fallback_print.mantel.correlog = gpu_mantel_correlog(dist(x), XY = x[, 1:2], nperm = 0),
    fallback_print.simper = gpu_simper(x), fallback_summary.simper = gpu_simper(x),
    fallback_print.protest = gpu_protest(x, x, permutations = rbind(20:1)),
    print_mantel = gpu_mantel(dist(x), dist(x), permutations = 9),
    print_betadisper = gpu_betadisper(x, groups, method = "euclidean")
  )
  for (name in names(tested)) {
    expect_named(getNamespace("gpugeo")[[name]](tested[[name]], nonsense = 1), name)
  }
})
