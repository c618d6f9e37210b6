# Expected values of WGCNA are those of version 1.72-1.
genes <- outer(1:12, 1:5, function(i, j) (i * i * j + 7 * i * j * j) %% 31)
types <- c("unsigned", "signed", "signed Nowick", "unsigned 2", "signed 2", "signed Nowick 2")
pairs_of <- function(m) unname(m[upper.tri(m)])

# Weights by their definition.
weights_of <- function(r, type, power) {
  switch(type, unsigned = abs(r), signed = (1 + r) / 2, r * (r > 0))^power
}

# Overlaps by their definition, pair by pair.
overlaps <- function(a, type, f = min) {
  n <- ncol(a)
  a[is.na(a)] <- 0
  overlap_of <- function(i, j) {
    if (i == j) {
      return(1)
    }
    rest <- setdiff(seq_len(n), c(i, j))
    l <- sum(a[i, rest] * a[rest, j])
    k <- f(c(sum(abs(a[i, -i])), sum(abs(a[j, -j]))))
    w <- a[i, j]
    quotient <- if (k > abs(w)) l / (k - abs(w)) else 0
    value <- if (grepl("2", type)) (w + quotient) / 2 else (l + w) / (k + 1 - abs(w))
    if (type %in% c("signed", "signed 2")) abs(value) else value
  }
  outer(seq_len(n), seq_len(n), Vectorize(overlap_of))
}

test_that("weights are those of WGCNA", {
  expect_equal(
    pairs_of(gpu_adjacency(genes)),
    c(
      0.020992337143647916, 0.00010264914457269901, 8.9225374398234665e-05,
      0.017406153587442772, 1.6523002509268961e-07, 0.00014926723589283678,
      0.00073608918654264894, 7.0166382947013427e-07, 0.024980207840037846, 0.057707809620275462
    ),
    tolerance = 1e-13
  )
  expect_equal(
    pairs_of(gpu_adjacency(genes, type = "signed", power = 12)),
    c(
      3.20272541839653e-08, 0.0025614744479457662, 1.4125284252765534e-05,
      4.7840592814968039e-08, 9.6948330151723147e-05, 1.0553042455991033e-05,
      3.3512735881144586e-06, 7.4412927504040915e-05, 2.1534366969624814e-08,
      0.080740996665279396
    ),
    tolerance = 1e-13
  )
  hybrid <- gpu_adjacency(genes, type = "signed hybrid", power = 2.5)
  expect_equal(pairs_of(hybrid)[c(2, 10)], c(0.021780343396846463, 0.30468266525380627))
  expect_identical(sum(hybrid > 0), 9L)
})

test_that("weights are powers of similarities, whatever the power", {
  r <- gpu_cor(genes)
  for (type in c("unsigned", "signed", "signed hybrid")) {
    for (power in c(1:30, 0.5, 2.5)) {
      expected <- weights_of(r, type, power)
      expect_equal(gpu_adjacency(genes, type = type, power = power), expected, tolerance = 1e-13)
      expect_equal(gpu_adjacency(r, type = type, power = power, input = "sim"), expected,
        tolerance = 1e-13
      )
    }
  }
  spearman <- cor(genes, method = "spearman")
  expect_equal(gpu_adjacency(genes, power = 2, method = "spearman"), spearman^2)
})

test_that("the connectivities of gpu_soft_threshold() are sums of these weights", {
  a <- gpu_adjacency(genes, power = 3)
  fit <- gpu_soft_threshold(genes, 3)$fitIndices
  expect_equal(fit$mean.k., mean(colSums(a) - 1))
  expect_equal(fit$max.k., max(colSums(a) - 1))
})

test_that("columns are selected, and those without a correlation have missing weights", {
  x <- cbind(genes, 1)
  colnames(x) <- letters[1:6]
  expect_warning(a <- gpu_adjacency(x, power = 2), "the standard deviation is zero")
  expect_identical(dimnames(a), list(letters[1:6], letters[1:6]))
  expect_true(all(is.na(a[6, ])) && all(is.na(a[, 6])))
  expect_identical(unname(a[1:5, 1:5]), gpu_adjacency(genes, power = 2))
  selected <- gpu_adjacency(x[, 1:5], c(4, 2), power = 2)
  expect_equal(selected, a[1:5, c(4, 2)])
  expect_identical(gpu_adjacency(x[, 1:5], c(FALSE, TRUE, FALSE, TRUE, FALSE), power = 2),
    selected[, 2:1])
  similar <- rbind(c(1, NA), c(NA, 1))
  expect_identical(gpu_adjacency(similar, input = "similarity"), similar)
})

test_that("overlaps are those of WGCNA", {
  of_wgcna <- list(
    unsigned = c(
      0.26455151890204615, 0.07142925148120878, 0.04688312689841239, 0.21093762253292908,
      0.062269659085359905, 0.12891074967618507, 0.13059353574042321, 0.03693476449211637,
      0.27735555879099111, 0.32283062352827052
    ),
    "signed Nowick" = c(
      -0.26035074679885994, 0.07142925148120878, -0.042405328180963389, -0.20879499635218443,
      0.048848484739850796, -0.12855636703296283, -0.12749423413630678, 0.020333974776090873,
      -0.27666170756337866, 0.32283062352827052
    ),
    "unsigned 2" = c(
      0.17447526306291711, 0.090668704515865367, 0.049570774613836958, 0.17666438503336335,
      0.12006115471957154, 0.18980365030390053, 0.14507598468569732, 0.065925755895468244,
      0.23306331362592636, 0.25452775141160677
    )
  )
  for (type in names(of_wgcna)) {
    expect_equal(pairs_of(gpu_tom(genes, 2, TOMType = type)), of_wgcna[[type]], tolerance = 1e-13)
  }
  expect_equal(pairs_of(gpu_tom(genes, 2)), abs(of_wgcna[["signed Nowick"]]), tolerance = 1e-13)
  expect_equal(
    pairs_of(gpu_tom(genes, 2, "bicor", "signed", TOMDenom = "mean")),
    c(
      0.10095973868749207, 0.29320024857893273, 0.14690795490074837, 0.12464457418089735,
      0.23104785260500654, 0.1369613373386542, 0.12191788041155729, 0.22303201251869062,
      0.1238060155013266, 0.51067118976210113
    ),
    tolerance = 1e-13
  )
})

test_that("overlaps and weights are those of the installed WGCNA", {
  skip_if_not_installed("WGCNA")
  set.seed(41)
  x <- matrix(rnorm(15 * 40), 15) + outer(rnorm(15), rnorm(40))
  x[cbind(c(2, 7, 9), c(3, 3, 30))] <- NA
  given <- expand.grid(
    type = c("unsigned", "signed", "unsigned 2", "none"), denominator = c("min", "mean"),
    network = c("unsigned", "signed", "signed hybrid"), method = c("pearson", "bicor"),
    stringsAsFactors = FALSE
  )
  for (i in seq_len(nrow(given))) {
    g <- given[i, ]
    theirs <- WGCNA::TOMsimilarityFromExpr(
      x,
      power = 4, corType = g$method, networkType = g$network, TOMType = g$type,
      TOMDenom = g$denominator, verbose = 0
    )
    ours <- gpu_tom(x, 4, g$method, g$network, g$type, g$denominator)
    expect_equal(ours, theirs, tolerance = 1e-12)
    expect_equal(
      gpu_adjacency(x, type = g$network, power = 4),
      WGCNA::adjacency(x, type = g$network, power = 4),
      tolerance = 1e-12
    )
  }
})

test_that("overlaps of given weights are those of the definition", {
  a <- weights_of(cor(genes), "unsigned", 2)
  signed <- a * sign(cor(genes))
  for (type in types) {
    w <- if (startsWith(type, "unsigned")) a else signed
    for (f in c("min", "mean")) {
      expect_equal(
        gpu_tom(w, TOMType = type, TOMDenom = f, input = "adjacency"),
        overlaps(w, type, match.fun(f)),
        tolerance = 1e-13
      )
    }
  }
  expect_equal(gpu_tom(a, TOMType = "none", input = "adjacency"), a)
})

# A path of four genes. All numbers are exact in binary arithmetic, or one rounding from it.
path <- diag(4)
path[abs(row(path) - col(path)) == 1] <- 0.5

test_that("overlaps of a small network are exact", {
  t <- gpu_tom(path, input = "adjacency")
  expect_identical(t[1, ], c(1, 0.5, 0.25 / 1.5, 0))
  expect_identical(t[2, ], c(0.5, 1, 0.5 / 1.5, 0.25 / 1.5))
  expect_identical(t, t(t))
  zero <- gpu_tom(path, input = "adjacency", suppressTOMForZeroAdjacencies = TRUE)
  expect_identical(zero, t * (path > 0))
  expect_identical(
    gpu_tom(path, TOMType = "unsigned 2", input = "adjacency")[1, ], c(1, 0.25, 0.25, 0)
  )
  negative <- -path + 2 * diag(4)
  nowick <- gpu_tom(negative, TOMType = "signed Nowick", input = "adjacency")
  expect_identical(nowick[1, ], c(1, -0.5, 0.25 / 1.5, 0))
  positive <- gpu_tom(
    negative,
    TOMType = "signed Nowick", suppressNegativeTOM = TRUE, input = "adjacency"
  )
  expect_identical(positive, pmax(nowick, 0))
})

test_that("the diagonal counts as 1, missing weights as 0, and rounding across it is removed", {
  expected <- gpu_tom(path, input = "adjacency")
  changed <- path
  diag(changed) <- c(0, NA, 0.3, 1)
  changed[1, 4] <- changed[4, 1] <- NA
  changed[1, 2] <- 0.5 + 1e-12
  expect_identical(gpu_tom(changed, input = "adjacency"), expected)
  logical <- path > 0
  expect_identical(
    gpu_tom(logical, input = "adjacency"), gpu_tom(logical + 0, input = "adjacency")
  )
})

test_that("one, two and three genes have overlaps, and no overlap is above 1", {
  for (n in 1:3) {
    all <- matrix(1, n, n)
    expect_identical(gpu_tom(all, input = "adjacency"), all)
    expect_length(gpu_tom(all, input = "adjacency", as = "dist"), n * (n - 1) / 2)
  }
  a <- matrix(0.1, 30, 30)
  a[1:15, 1:15] <- 1
  expect_lte(max(gpu_tom(a, input = "adjacency")), 1)
  expect_identical(gpu_tom(matrix(0, 2, 2), input = "adjacency"), diag(2))
})

test_that("a gene without correlations overlaps with none", {
  x <- cbind(genes, 1)
  expect_warning(t <- gpu_tom(x, 2), "the standard deviation is zero")
  expect_identical(t[6, ], c(0, 0, 0, 0, 0, 1))
  expect_equal(t[1:5, 1:5], gpu_tom(genes, 2))
})

test_that("distances are 1 minus the overlaps, and gpu_hclust() takes them", {
  x <- genes
  colnames(x) <- letters[1:5]
  t <- gpu_tom(x, 3)
  d <- gpu_tom(x, 3, as = "dist")
  expect_identical(dimnames(t), list(letters[1:5], letters[1:5]))
  expect_identical(attributes(d)[c("Size", "Labels", "class")], list(
    Size = 5L, Labels = letters[1:5], class = "dist"
  ))
  expect_identical(as.vector(d), 1 - t[lower.tri(t)])
  expect_equal(gpu_hclust(d, "average")$merge, hclust(d, "average")$merge)
  expect_identical(gpu_info()$last$`function`, "gpu_hclust")
})

test_that("overlaps depend neither on threads nor on panels", {
  set.seed(2)
  x <- matrix(rnorm(20 * 700), 20)
  all <- gpu_tom(x, 2, threads = 1, backend = "cpu")
  expect_identical(gpu_tom(x, 2, threads = 3, backend = "cpu"), all)
  expect_identical(gpu_tom(x, 2, memory_limit = 2^20, backend = "cpu"), all)
  a <- gpu_adjacency(x, power = 2)
  from_weights <- gpu_tom(a, input = "adjacency", as = "dist", threads = 2, backend = "cpu")
  unsigned <- gpu_tom(x, 2, TOMType = "unsigned", as = "dist", backend = "cpu")
  expect_identical(as.vector(from_weights), as.vector(unsigned))
  backends <- gpu_info()$backends
  skip_if_not("cuda" %in% backends, "no CUDA device")
  expect_identical(gpu_tom(x, 2, backend = "cuda"), all)
})

test_that("overlaps do not depend on the instruction set", {
  code <- "
    x <- outer(1:40, 1:150, function(i, j) sin(i * j + j * j))
    cat(gpugeo::gpu_info()$simd, sprintf('%a', gpugeo::gpu_tom(x, 3)[150, ]))
  "
  x <- outer(1:40, 1:150, function(i, j) sin(i * j + j * j))
  expected <- sprintf("%a", gpu_tom(x, 3, backend = "cpu")[150, ])
  used <- strsplit(rscript(code, "GPUGEO_SIMD=generic"), " ")[[1L]]
  expect_identical(used[1L], "generic")
  expect_identical(used[-1L], expected)
})

test_that("arguments of weights and overlaps are checked", {
  expect_error(gpu_adjacency(genes, power = 0), "power must be a positive finite number, not 0")
  expect_error(gpu_tom(genes, c(1, 2)), "power must be a positive finite number, not c(1, 2)",
    fixed = TRUE
  )
  expect_error(
    gpu_adjacency(genes, type = "x"),
    'type must be one of "unsigned", "signed", "signed hybrid", not "x"'
  )
  expect_error(gpu_tom(genes, networkType = "x"), "networkType must be one of")
  expect_error(gpu_tom(genes, corType = "x"), "corType must be one of")
  expect_error(gpu_tom(genes, TOMType = "x"), 'TOMType must be one of "none", ')
  expect_error(gpu_tom(genes, TOMDenom = "x"), 'TOMDenom must be one of "min", "mean", not "x"')
  expect_error(gpu_tom(genes, as = "x"), 'as must be one of "similarity", "dist", not "x"')
  expect_error(gpu_tom(genes, input = "similarity"), 'input must be one of "expression", "adj')
  expect_error(
    gpu_tom(genes, suppressNegativeTOM = NA), "suppressNegativeTOM must be true or false, not NA"
  )
  expect_error(gpu_tom(genes, input = "adjacency"), "x must be a square matrix, not one of 12 rows")
  expect_error(
    gpu_adjacency(genes, 6), "selectCols must be column numbers between 1 and 5 .* not 6"
  )
  expect_error(
    gpu_adjacency(path, 1, input = "similarity"),
    'selectCols must not be given with input "similarity"'
  )
  expect_error(
    gpu_tom(path, 6, input = "adj"), 'power must not be given with input "adjacency"'
  )
  uneven <- replace(path, 13L, 0.25)
  expect_error(
    gpu_tom(uneven, input = "adjacency"),
    "x must be symmetric, but element (1, 4) is 0.25 and element (4, 1) is 0",
    fixed = TRUE
  )
  expect_error(gpu_adjacency(uneven, input = "similarity"), "x must be symmetric, but element")
  expect_error(
    gpu_adjacency(2 * path, input = "similarity"),
    "x must be between -1 and 1, but element (1, 1) is 2",
    fixed = TRUE
  )
  expect_error(
    gpu_tom(-path, TOMType = "unsigned", input = "adjacency"),
    "x must be between 0 and 1, but element (1, 1) is -1",
    fixed = TRUE
  )
})

test_that("distances go to a file, of weights in memory or in panels", {
  skip_if(!nzchar(gpu_hdf5_version()), "built without HDF5")
  set.seed(9)
  x <- matrix(rnorm(12 * 400), 12) + outer(rnorm(12), rep(c(2, 0), 200))
  colnames(x) <- paste0("g", 1:400)
  x[3, 7] <- NA
  d <- gpu_tom(x, as = "dist")
  files <- tempfile(letters[1:5], fileext = ".h5")
  on.exit(unlink(files))
  for (k in 1:2) {
    limit <- if (k == 2) 2^20
    stored <- gpu_tom(x, as = "dist", file = files[k], memory_limit = limit)
    expect_s3_class(stored, "gpu_dist_file")
    expect_identical(gpu_info()$last$`function`, "gpu_tom")
    expect_identical(c(as.dist(stored)), c(d))
    expect_identical(labels(stored), colnames(x))
    expect_identical(gpu_hclust(stored, "average")[1:4], gpu_hclust(d, "average")[1:4])
    square <- gpu_tom(
      x,
      as = "dist", file = files[k + 2], file_shape = "square", memory_limit = limit
    )
    expect_identical(square[, ], as.matrix(d))
  }
  again <- gpu_tom(x, as = "dist", file = files[1], memory_limit = 2^20) # is complete
  expect_identical(again[1:3, 1:3], as.matrix(d)[1:3, 1:3])
  expect_error(gpu_tom(x, 5, as = "dist", file = files[1]), "holds those of another data or param")
  given <- gpu_tom(
    gpu_adjacency(x),
    as = "dist", TOMType = "unsigned", input = "adjacency", file = files[5]
  )
  expect_equal(given[, ], 1 - gpu_tom(x, TOMType = "unsigned"), tolerance = 1e-14)
  flat <- replace(x, x < 1 & col(x) == 4, 0)
  for (limit in list(NULL, 2^20)) {
    unlink(files[5])
    expect_warning(
      gpu_tom(flat, as = "dist", corType = "bicor", file = files[5], memory_limit = limit),
      "the median absolute deviation is 0 in 1 column of x: 4; Pearson's correlation replaces bicor"
    )
  }
  expect_error(gpu_tom(x, file = files[1]), 'as must be "dist" with file, not "similarity"')
})

test_that("distances stay on a device", {
  x <- matrix(sin(1:300), 10)
  expect_error(gpu_tom(x, keep = "device"), 'as must be "dist" with keep, not "similarity"')
  expect_error(gpu_tom(x, as = "dist", keep = TRUE), 'keep must be "device" or NULL, not TRUE')
  expect_error(
    gpu_tom(x, as = "dist", keep = "device", file = "x.h5"),
    'file must be NULL with keep = "device"'
  )
  expect_error(
    gpu_tom(x, as = "dist", keep = "device", backend = "cpu"),
    'backend must be "auto" or "cuda" for distances that stay on a device, not "cpu"'
  )
  backends <- gpu_info()$backends
  skip_if(!backends$available[backends$backend == "cuda"], "no CUDA device")
  there <- gpu_tom(x, as = "dist", keep = "device")
  d <- gpu_tom(x, as = "dist")
  expect_identical(there$metric, "TOM")
  expect_identical(c(as.dist(there)), c(d))
  expect_identical(gpu_hclust(there, "average")[1:4], gpu_hclust(d, "average")[1:4])
})

test_that("weights of values are those of correlations", {
  set.seed(10)
  x <- matrix(rnorm(15 * 20), 15)
  w <- matrix(sample(5, 15 * 20, TRUE) - 1, 15)
  a <- abs(gpu_cor(x, use = "pairwise", weights.x = w))^3
  expect_equal(gpu_adjacency(x, power = 3, weights = w), a, tolerance = 1e-14)
  expect_equal(gpu_adjacency(x, c(7, 2), power = 3, weights = w), a[, c(7, 2)], tolerance = 1e-14)
  expect_equal(gpu_adjacency(x, power = 3, weights = as.data.frame(w)), a, tolerance = 1e-14)
  of_rows <- abs(gpu_cor(x, use = "pairwise", weights.x = w[, 1]))
  expect_equal(gpu_adjacency(x, 4:5, power = 1, weights = w[, 1]), of_rows[, 4:5])
  tom <- gpu_tom(x, 3, TOMType = "unsigned", weights = w)
  expect_equal(tom, gpu_tom(a, TOMType = "unsigned", input = "adjacency"), tolerance = 1e-13)
  fit <- gpu_soft_threshold(x, 3, weights = w, nBreaks = 4)$fitIndices
  expect_equal(fit$mean.k., mean(colSums(a) - 1), tolerance = 1e-13)
  for (f in c(gpu_tom, gpu_adjacency, gpu_soft_threshold)) {
    expect_error(f(x, weights = w[, 1:2]), "^weights must be")
    expect_error(f(x, weights = -w), "^weights must be")
  }
  expect_error(
    gpu_tom(a, input = "adjacency", weights = w),
    'weights must not be given with input "adjacency"'
  )
  skip_if_not_installed("WGCNA")
  w <- w + 1
  theirs <- WGCNA::adjacency(x, power = 3, weights = w, corFnc = WGCNA::cor)
  expect_equal(gpu_adjacency(x, power = 3, weights = w), theirs, tolerance = 1e-13)
})
