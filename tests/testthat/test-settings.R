set.seed(1)
x <- matrix(rnorm(30), 10)

# Evaluates code with an environment variable set, or with an option.
with_variable <- function(name, value, code) {
  set <- function(value) do.call(Sys.setenv, stats::setNames(list(value), name))
  old <- Sys.getenv(name)
  on.exit(set(old))
  set(value)
  code
}

with_option <- function(name, value, code) {
  old <- do.call(options, stats::setNames(list(value), name))
  on.exit(options(old))
  code
}

test_that("an argument goes before an option, an option before an environment variable", {
  with_variable("GPUGEO_THREADS", "3", {
    expect_equal(gpu_info()$defaults$threads, 3)
    gpu_dist(x, backend = "cpu")
    expect_identical(gpu_info()$last$threads, 3L)
    with_option("gpugeo.threads", 2, {
      expect_equal(gpu_info()$defaults$threads, 2)
      gpu_dist(x, backend = "cpu")
      expect_identical(gpu_info()$last$threads, 2L)
      gpu_dist(x, backend = "cpu", threads = 1)
      expect_identical(gpu_info()$last$threads, 1L)
    })
  })
})

test_that("bytes of a variable that are no text in UTF-8 are shown as question marks", {
  with_variable("GPUGEO_THREADS", "\xff", {
    expect_error(gpu_dist(x), 'threads must be a whole number between 1 and .*, not "\\?"',
      class = "gpugeo_error"
    )
  })
  with_variable("GPUGEO_PROGRESS", "\xff", {
    expect_error(gpu_dist(x), 'progress must be true or false, not "\\?"')
  })
})

test_that("all six have an option and an environment variable", {
  values <- list(
    backend = "cpu", threads = 2, device = 1, precision = "single", progress = TRUE,
    memory_limit = 2^21
  )
  for (name in names(values)) {
    with_option(paste0("gpugeo.", name), values[[name]], {
      expect_identical(gpu_info()$defaults[[name]], values[[name]])
    })
    with_variable(paste0("GPUGEO_", toupper(name)), as.character(values[[name]]), {
      expect_identical(gpu_info()$defaults[[name]], values[[name]])
    })
  }
})

test_that("the environment names all devices too", {
  with_variable("GPUGEO_DEVICE", "all", {
    expect_identical(gpu_info()$defaults$device, "all")
    expect_length(gpu_dist(x), 45L)
  })
})

test_that("a default that is wrong is an error of the call", {
  with_option("gpugeo.precision", "half", {
    expect_error(gpu_dist(x), "precision must be one of", class = "gpugeo_error")
  })
  with_variable("GPUGEO_THREADS", "many", {
    expect_error(gpu_dist(x), "threads must be a whole number", class = "gpugeo_error")
  })
  with_variable("GPUGEO_DEVICE", "first", {
    expect_error(gpu_dist(x), 'device must be "all" or .* not "first"', class = "gpugeo_error")
  })
  with_variable("GPUGEO_PROGRESS", "maybe", {
    expect_error(gpu_dist(x), "progress must be true or false", class = "gpugeo_error")
  })
})

test_that("progress is for interactive sessions, but not for knitr", {
  skip_if_not_installed("knitr") # setting its option calls it
  expect_true(default_progress(interactive = TRUE))
  expect_false(default_progress(interactive = FALSE))
  with_option("knitr.in.progress", TRUE, expect_false(default_progress(interactive = TRUE)))
})

test_that("R CMD check gets no more than two threads", {
  code <- "cat(gpugeo::gpu_info()$threads)"
  threads <- rscript(code, c("_R_CHECK_LIMIT_CORES_=TRUE", "GPUGEO_THREADS=", "OMP_NUM_THREADS=4"))
  expect_lte(as.integer(threads), 2L)
})

test_that("a default that is wrong is shown as it was given", {
  with_variable("GPUGEO_THREADS", "many", {
    expect_error(
      gpu_dist(x), "threads must be a whole number between 1 and 1024, not \"many\"",
      fixed = TRUE, class = "gpugeo_error"
    )
  })
  with_variable("GPUGEO_PROGRESS", "maybe", {
    expect_error(
      gpu_dist(x), "progress must be true or false, not \"maybe\"",
      fixed = TRUE, class = "gpugeo_error"
    )
  })
})

test_that("an option that does not exist gives one warning a session", {
  with_option("gpugeo.no_such_option", 2, {
    expect_warning(
      gpu_dist(x), "option gpugeo.no_such_option is not known; the options are gpugeo.backend, ",
      fixed = TRUE
    )
    expect_silent(gpu_dist(x, progress = FALSE))
    expect_silent(gpu_cor(x, progress = FALSE))
  })
})

test_that("an environment variable with a misspelt name gives one warning a session", {
  code <- "options(warn = 1); x <- gpugeo::gpu_dist(1:3); x <- gpugeo::gpu_dist(1:3)"
  shown <- rscript(code, c("GPUGEO_THREAD=2", "GPUGEO_HOME=/opt"))
  text <- "environment variable GPUGEO_THREAD is not known; the setting is GPUGEO_THREADS"
  expect_identical(sum(grepl("is not known", shown, fixed = TRUE)), 1L)
  expect_match(paste(shown, collapse = " "), text, fixed = TRUE)
})

test_that("gpu_info() marks settings that are not valid", {
  expect_length(gpu_info()$invalid, 0L)
  with_option("gpugeo.threads", 1.5, with_variable("GPUGEO_MEMORY_LIMIT", "4GB", {
    info <- gpu_info()
    expect_identical(info$invalid, c(
      threads = "threads must be a whole number between 1 and 1024, not 1.5",
      memory_limit = "memory_limit must be a whole number of at least 1048576, not \"4GB\""
    ))
    shown <- capture.output(print(info))
    expect_match(shown, "threads 1.5 (not valid)", fixed = TRUE, all = FALSE)
    expect_match(shown, "^Not valid: memory_limit must be .*, not \"4GB\"$", all = FALSE)
  }))
})

test_that("gpu_info() lists a limit of memory that is not valid", {
  with_variable("GPUGEO_MEMORY", "0", {
    info <- gpu_info()
    expect_identical(info$invalid, c(
      GPUGEO_MEMORY = "GPUGEO_MEMORY must be a positive number of GiB, not \"0\""
    ))
    expect_match(
      capture.output(print(info)), "^Not valid: GPUGEO_MEMORY must be .*, not \"0\"$", all = FALSE
    )
  })
  with_variable("GPUGEO_MEMORY", "1e3", expect_length(gpu_info()$invalid, 0L))
  with_option("gpugeo.threads", 0, with_variable("GPUGEO_MEMORY", "-1", {
    expect_named(gpu_info()$invalid, c("threads", "GPUGEO_MEMORY"))
  }))
})

test_that("memory_limit is an argument of every function that computes", {
  compute <- list(
    gpu_dist, gpu_cdist, gpu_cor, gpu_bicor, gpu_soft_threshold, gpu_adjacency,
    gpu_tom, gpu_module_eigengenes, gpu_block_modules, gpu_propr, gpu_propr_cutoffs, gpu_sparcc,
    gpu_cov, gpu_knn, gpu_radius,
    gpu_neighbor_graph,
    gpu_closest_pair, gpu_collisions, gpu_collisions_launch, gpu_dgp, gpu_dgp_sums, gpu_dgp_graph,
    gpu_dist_dna, gpu_dist_alleles, gpu_dist_aa, gpu_dist_edit, gpu_unifrac,
    gpu_layout, gpu_layout_quality, gpu_graph_distances, gpu_tiles_plan, gpu_dist_tile,
    gpu_dist_tiles, gpu_hclust,
    gpu_cophenetic, gpu_seriate, gpu_mst, gpu_dbscan, gpu_hdbscan, gpu_silhouette, gpu_pam,
    gpu_kmeans, gpu_validity, gpu_clus_gap, gpu_optics, gpu_lof,
    gpu_nj, gpu_bionj, gpu_upgma, gpu_boot_phylo,
    gpu_adonis2, gpu_pairwise_adonis, gpu_anosim, gpu_mantel, gpu_mrpp, gpu_betadisper, gpu_pcoa,
    gpu_mds, gpu_dbrda, gpu_capscale
  )
  for (family in compute) {
    expect_true("memory_limit" %in% names(formals(family)))
  }
  wrong <- "memory_limit must be a whole number of at least 1048576, not 7"
  expect_error(gpu_cor(x, memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_closest_pair(x[, 1:2], memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_collisions(x[, 1:2], 1, memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_dgp(1:3, memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_dgp_graph(cbind(1, 2, 1), memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_layout(cbind(1, 2), memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_hclust(x, memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_cophenetic(hclust(dist(x)), memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_seriate(hclust(dist(x)), x, memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_mst(x, memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_dbscan(x, 1, memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_hdbscan(x, 2, memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_silhouette(x, seq_len(nrow(x)), memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_pam(x, 2, memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_kmeans(x, 2, memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_validity(x, seq_len(nrow(x)), memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_clus_gap(x, gpu_kmeans, 2, memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_pcoa(x, memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_mds(x, memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_betadisper(abs(x), rep(1:2, 5), memory_limit = 7), wrong, fixed = TRUE)
  skip_if_not_installed("permute")
  d <- dist(x)
  expect_error(gpu_mantel(d, d, memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_mrpp(d, rep(1:2, 5), memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_anosim(d, rep(1:2, 5), memory_limit = 7), wrong, fixed = TRUE)
  expect_error(gpu_pairwise_adonis(d, rep(1:2, 5), memory_limit = 7), wrong, fixed = TRUE)
  expect_error(
    gpu_adonis2(d ~ g, data.frame(g = rep(1:2, 5)), memory_limit = 7), wrong, fixed = TRUE
  )
})

test_that("the short way of small calls has the result of the long one, and sees what is set", {
  x <- matrix(sin(1:24), 6, dimnames = list(letters[1:6], LETTERS[1:4]))
  calls <- expression(gpu_dist(x), gpu_dist(x, "canberra"), gpu_cor(x), gpu_cor(unname(x)))
  eval(calls[[1L]]) # the first call of a session takes the long way
  results <- function() lapply(calls, eval, parent.frame())
  short <- results()
  with_option("gpugeo.backend", "cpu", expect_identical(results(), short))
  for (call in calls) {
    with_option("gpugeo.threads", -1, expect_error(eval(call), "threads must be"))
    with_variable("GPUGEO_BACKEND", "gpu", expect_error(eval(call), "backend must be"))
  }
})
