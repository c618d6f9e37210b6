# Permutation tests, principal coordinates and multidimensional scaling of distances: gpugeo and vegan, scikit-bio,
# stats::cmdscale(), smacof and scikit-learn, all timed in this run.
#
#   Rscript --min-vsize=4G bench/ordination.R [--label=NAME] [--only=PART,PART] [--n=2000] [--large=25145]
#     [--clock=wall|cpu] [--runs=N] [--python=PROGRAM]     or: make bench
#
# Parts, all by default: tests, dbrda, pcoa, mds, metamds, growth, large, device, device_large.
#
# Prints a row for each test and writes all of them to bench/results/ordination-<label>.csv. Two CPU threads, also of
# scikit-bio; vegan takes one. Points are normal in 50 dimensions, groups random. All make 999 permutations, but
# vegan, which takes minutes at n = 2,000: it makes 9 and 29, and the line through both times gives that of 999. Then
# growth in points, permutations and terms. Of the large size, which takes 6 GB of memory, gpugeo alone is timed;
# --large=0 leaves it out. device_large is 113,000 points, whose distances take 48 GiB of a device's memory: with less
# than 50 GiB free, the rows are not there, and a line says so.
#
# --clock=cpu takes the processor's seconds of all threads instead of wall time, for a machine that others use:
# ratios with a peer of one thread are then up to half of what they are on two idle processors. Runs of gpugeo and of
# vegan alternate, N (3) of each. --python is a Python with scikit-bio and scikit-learn (python3).

source("bench/common.R")

set.seed(1)
options(gpugeo.threads = 2, gpugeo.backend = "cpu", gpugeo.progress = FALSE)
n <- as.integer(argument("n", "2000"))
large <- as.integer(argument("large", "25145"))
python <- argument("python", "python3")
has_vegan <- installed("vegan")
permutations <- 999
runs <- as.integer(argument("runs", "3"))

sample_data <- function(n) {
  data.frame(
    two = factor(sample(2, n, TRUE)), three = factor(sample(3, n, TRUE)), many = factor(sample(17, n, TRUE)),
    number = rnorm(n)
  )
}
points_of <- function(n, m = 50) matrix(rnorm(n * m), n)
size_of <- function(n, permutations = 999) {
  paste(format(n, big.mark = ","), "x", format(permutations, big.mark = ","))
}
once <- function(code) {
  gc(FALSE)
  start <- now()
  code()
  now() - start
}

# Medians of alternating runs. own: a function; peer: a function of the number of permutations, or, if `whole`, of none.
compare <- function(name, own, peer, target = ">= 50", whole = FALSE) {
  once(own)
  turn <- function(run) {
    if (!has_vegan) return(c(once(own), NA))
    if (whole) return(c(once(own), once(peer)))
    fewer <- once(function() peer(9))
    slope <- (once(function() peer(29)) - fewer) / 20
    c(once(own), fewer + slope * (permutations - 9))
  }
  times <- apply(vapply(seq_len(runs), turn, c(0, 0)), 1L, median)
  report(name, size_of(n, if (whole) 0 else permutations), times[1L], "vegan, one thread", times[2L],
         if (n == 2000) target else NA)
  invisible(times[1L])
}
alone <- function(name, size, time, target = NA) report(name, size, time, "", NA_real_, target)

d <- gpu_dist(points_of(n))
e <- gpu_dist(points_of(n))
f <- gpu_dist(points_of(n))
data <- sample_data(n)
if (runs_part("dbrda")) { # the ordination and its test
  peer <- function(count) anova(vegan::dbrda(d ~ two + three + number, data), by = "terms", permutations = count)
  compare("dbrda, all axes, by terms", function() {
    anova(gpu_dbrda(d ~ two + three + number, data), by = "terms")
  }, peer, NA)
  compare("dbrda, 8 residual axes, by terms", function() {
    anova(gpu_dbrda(d ~ two + three + number, data, axes = 8), by = "terms")
  }, peer)
}
if (runs_part("tests")) {
  own <- c(
    permanova = compare("adonis2, a factor of 17 levels", function() gpu_adonis2(d ~ many, data),
                        function(count) vegan::adonis2(d ~ many, data, count)),
    anosim = compare("anosim", function() gpu_anosim(d, data$many), function(count) vegan::anosim(d, data$many, count)),
    mantel = compare("mantel", function() gpu_mantel(d, e), function(count) vegan::mantel(d, e, permutations = count)),
    "mantel, spearman" = compare("mantel, spearman", function() gpu_mantel(d, e, "spearman"),
                                 function(count) vegan::mantel(d, e, "spearman", count), NA)
  )
  compare("adonis2, two factors with interaction", function() gpu_adonis2(d ~ two * three, data),
          function(count) vegan::adonis2(d ~ two * three, data, count))
  compare("adonis2 by margin, three terms", function() gpu_adonis2(d ~ two + three + number, data, by = "margin"),
          function(count) vegan::adonis2(d ~ two + three + number, data, count, by = "margin"), NA)
  compare("mantel, partial", function() gpu_mantel(d, e, zdis = f),
          function(count) vegan::mantel.partial(d, e, f, permutations = count), NA)
  axes <- points_of(n)[, 1:2]
  other <- axes + points_of(n)[, 1:2]
  compare("protest", function() gpu_protest(axes, other),
          function(count) vegan::protest(axes, other, permutations = count), NA)
  compare("envfit, a vector and a factor", function() gpu_envfit(axes, data[c("number", "many")]),
          function(count) vegan::envfit(axes, data[c("number", "many")], count), NA)
  compare("mrpp", function() gpu_mrpp(d, data$many), function(count) vegan::mrpp(d, data$many, count), NA)
  runs <- 1
  for (type in c("median", "centroid")) {
    compare(paste("betadisper,", type), function() gpu_betadisper(d, data$many, type),
            function() vegan::betadisper(d, data$many, type), ">= 1", whole = TRUE)
  }

  # scikit-bio, which has no formulas.
  folder <- tempfile()
  dir.create(folder)
  writeBin(as.vector(d), file.path(folder, "x.bin"))
  writeBin(as.vector(e), file.path(folder, "y.bin"))
  writeBin(as.integer(data$many), file.path(folder, "groups.bin"))
  said <- suppressWarnings(system2(
    python, c("bench/scikit_bio.py", folder, clock, permutations), stdout = TRUE, stderr = FALSE,
    env = "OMP_NUM_THREADS=2"
  ))
  if (length(said)) {
    peer <- read.csv(text = said)
    for (k in seq_len(nrow(peer))) {
      report(peer$test[k], size_of(n), own[[peer$test[k]]], paste("scikit-bio", peer$version[k]), peer$seconds[k])
    }
  } else {
    cat("Not installed, so not timed: scikit-bio\n")
  }
  unlink(folder, recursive = TRUE)
}

# Principal coordinates, 10 axes: of Euclidean distances, which have 50 axes, and of counts, which have n.
counts_of <- function(n, m = 300) matrix(rnbinom(n * m, 0.3, mu = rexp(n * m, 0.1)), n)
axes <- paste(format(n, big.mark = ","), "points")
b <- gpu_dist(counts_of(n), "braycurtis")
if (runs_part("pcoa")) {
  blas <- basename(extSoftVersion()[["BLAS"]])
  for (from in list(list("euclidean", d), list("Bray-Curtis", b))) {
    report(paste("pcoa,", from[[1L]]), axes, seconds(gpu_pcoa(from[[2L]], 10)), paste("stats::cmdscale,", blas),
           seconds(cmdscale(from[[2L]], 10)), if (n == 2000) ">= 50" else NA)
  }
}

# Multidimensional scaling: the same number of iterations from the same start.
if (runs_part("mds")) {
  iterations <- 100
  start <- gpu_pcoa(b)$points
  scale_with <- function(...) {
    suppressWarnings(gpu_mds(b, start = start, max_iterations = iterations, tolerance = 0, ...))
  }
  name <- paste("mds, Bray-Curtis,", iterations, "iterations")
  time <- seconds(scale_with(relax = FALSE))
  cat(sprintf("stress: %.6f, relaxed %.6f\n", scale_with(relax = FALSE)$stress, scale_with()$stress))
  if (installed("smacof")) {
    peer <- function() suppressWarnings(smacof::smacofSym(b, 2, init = start, itmax = iterations, eps = 0))
    report(name, axes, time, "smacof", seconds(peer()))
    cat(sprintf("stress: smacof %.6f\n", peer()$stress))
  }
  folder <- tempfile()
  dir.create(folder)
  writeBin(as.vector(b), file.path(folder, "x.bin"))
  writeBin(as.vector(start), file.path(folder, "start.bin"))
  said <- suppressWarnings(system2(
    python, c("bench/scikit_learn.py", folder, clock, iterations), stdout = TRUE, stderr = FALSE,
    env = "OMP_NUM_THREADS=2"
  ))
  if (length(said)) {
    peer <- read.csv(text = said)
    report(name, axes, time, paste("scikit-learn", peer$version), peer$seconds)
    cat(sprintf("stress: scikit-learn %.6f\n", peer$stress))
  } else {
    alone(name, axes, time)
  }
  unlink(folder, recursive = TRUE)
  alone(paste0(name, ", weights"), axes, seconds(scale_with(weights = 1 / (0.1 + b), relax = FALSE)))
}

# Nonmetric scaling from 100 starts, of 500 sites along two gradients.
if (runs_part("metamds")) {
  sites <- 500
  along <- matrix(runif(2 * sites), sites)
  optima <- matrix(runif(200, -0.2, 1.2), 2)
  x <- matrix(rpois(sites * 100, 8 * exp(-as.matrix(gpu_cdist(along, t(optima)))^2 / 0.08)), sites)
  starts <- 100
  own <- NULL
  time <- seconds(own <- gpu_metamds(x, try = starts, trymax = starts))
  size <- sprintf("%d sites, %d starts", sites, starts)
  if (installed("vegan")) {
    other <- NULL
    peer <- seconds(other <- vegan::metaMDS(x, try = starts, trymax = starts, trace = 0))
    report("metamds", size, time, "vegan, one thread", peer, ">= 20")
    # vegan takes dissimilarities that differ by less than about 3e-8 in any order.
    exact <- gpu_metamds(x, try = 0, trymax = 0, maxit = 0, previous.best = other)
    cat(sprintf("stress: %.6f, vegan %.6f, in exact order %.6f\n", own$stress, other$stress, exact$stress))
  } else {
    alone("metamds", size, time)
  }
}

# Growth.
if (runs_part("growth")) {
  for (points in n * c(0.5, 2)) {
    g <- gpu_dist(points_of(points))
    other <- sample_data(points)
    alone("adonis2, a factor of 17 levels", size_of(points), seconds(gpu_adonis2(g ~ many, other)))
    alone("anosim", size_of(points), seconds(gpu_anosim(g, other$many)))
    alone("mrpp", size_of(points), seconds(gpu_mrpp(g, other$many)))
    alone("mantel", size_of(points), seconds(gpu_mantel(g, g)))
  }
  for (permutations in c(99, 9999)) {
    alone("adonis2, a factor of 17 levels", size_of(n, permutations),
          seconds(gpu_adonis2(d ~ many, data, permutations)))
    alone("mrpp", size_of(n, permutations), seconds(gpu_mrpp(d, data$many, permutations)))
  }
  for (formula in list(d ~ two, d ~ two + three, d ~ two + three + many)) {
    alone(paste("adonis2,", deparse(formula[[3]])), size_of(n), seconds(gpu_adonis2(formula, data)))
  }
}

if (runs_part("large") && large > 0) {
  x <- points_of(large)
  other <- sample_data(large)
  g <- gpu_dist(x)
  target <- if (large == 25145) "20 s" else NA
  alone("adonis2, a factor of 17 levels", size_of(large), seconds(gpu_adonis2(g ~ many, other)), target)
  alone("adonis2, a factor of 2 levels", size_of(large), seconds(gpu_adonis2(g ~ two, other)), target)
  alone("mrpp", size_of(large), seconds(gpu_mrpp(g, other$many)))
  alone("pcoa, euclidean", paste(format(large, big.mark = ","), "points"), seconds(gpu_pcoa(g, 10)),
        if (large == 25145) "30 s" else NA)
  alone("mds, euclidean, 10 iterations", paste(format(large, big.mark = ","), "points"),
        seconds(suppressWarnings(gpu_mds(g, max_iterations = 10, tolerance = 0))))
  rm(g)
  alone("adonis2 from points, a factor of 17 levels", size_of(large),
        seconds(gpu_adonis2(x ~ many, other, method = "euclidean")))
}

# On a device, whole calls from R: distances that stay there, and points.
if ((runs_part("device") || runs_part("device_large")) && has_gpu) {
  options(gpugeo.threads = NULL, gpugeo.backend = "cuda")
  invisible(gpu_adonis2(gpu_dist(points_of(500), keep = "device") ~ two, sample_data(500)))
}
if (runs_part("device") && has_gpu) {
  x <- points_of(25145, 500)
  other <- sample_data(25145)
  size <- size_of(25145)
  g <- gpu_dist(x, keep = "device")
  h <- gpu_dist(points_of(25145), keep = "device")
  alone("adonis2 on a device, a factor of 17 levels", size, seconds(gpu_adonis2(g ~ many, other)), "0.1 s")
  alone("adonis2 on a device, a factor of 2 levels", size, seconds(gpu_adonis2(g ~ two, other)), "0.1 s")
  alone("adonis2 on a device, from points x 500", size,
        seconds(gpu_adonis2(x ~ many, other, method = "euclidean")), "0.5 s")
  alone("anosim on a device", size, seconds(gpu_anosim(g, other$many)))
  alone("mrpp on a device", size, seconds(gpu_mrpp(g, other$many)))
  alone("mantel on a device", size, seconds(gpu_mantel(g, h)), "1 s")
  alone("mantel on a device, spearman", size, seconds(gpu_mantel(g, h, "spearman")))
  alone("pcoa on a device", "25,145 points", seconds(gpu_pcoa(h, 10)), "0.3 s")
  rm(g, h)
  invisible(gc())
  y <- matrix(rnorm(20000 * 100), 100)
  alone("kendall on a device", "20,000 x 100", seconds(gpu_cor(y, method = "kendall")), "0.2 s")
  y <- matrix(rnorm(8192 * 2048), 8192)
  alone("spearman on a device", "8,192 x 2,048", seconds(gpu_dist(y, "spearman")), "0.05 s")
  alone("mahalanobis on a device", "8,192 x 2,048", seconds(gpu_dist(y, "mahalanobis")), "0.15 s")
  rm(x, y)
  gpu_release()
}
free_gib <- if (has_gpu) gpu_info()$devices$free_bytes[1L] / 2^30 else 0
if (runs_part("device_large") && has_gpu && free_gib < 50) {
  cat(sprintf("Not timed: 113,000 points, which need 50 GiB of the device's memory; %.0f GiB are free\n", free_gib))
} else if (runs_part("device_large") && has_gpu) {
  x <- points_of(113000)
  other <- sample_data(113000)
  invisible(gpu_adonis2(x ~ many, other, method = "euclidean")) # warms up: seconds() takes one run of more than 2 s
  alone("adonis2 on a device, from points", size_of(113000),
        seconds(gpu_adonis2(x ~ many, other, method = "euclidean")), "2 s")
  alone("adonis2 on a device, from points, a factor of 2 levels", size_of(113000),
        seconds(gpu_adonis2(x ~ two, other, method = "euclidean")), "2 s")
  alone("pcoa on a device, from points", "113,000 points", seconds(gpu_pcoa(x, 10, method = "euclidean")), "3 s")
}
