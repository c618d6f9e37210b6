# Permutation tests and principal coordinates of distances: gpugeo beside vegan and stats::cmdscale(), all timed in
# this run.
#
#   Rscript --min-vsize=4G bench/ordination.R [--label=NAME] [--n=2000] [--large=25145]     or: make bench
#
# Prints a row for each test and writes all of them to bench/results/ordination-<label>.csv. Two CPU threads; vegan
# takes one. Points are normal in 50 dimensions, groups random. gpugeo makes 999 permutations. vegan makes 19, and
# its time is multiplied by 999 / 19, since it takes minutes at n = 2,000. Then growth in points, permutations and
# terms. Of the large size, which takes 6 GB of memory, gpugeo alone is timed; --large=0 leaves it out.

source("bench/common.R")

set.seed(1)
options(gpugeo.threads = 2, gpugeo.backend = "cpu", gpugeo.progress = FALSE)
n <- as.integer(argument("n", "2000"))
large <- as.integer(argument("large", "25145"))
has_vegan <- installed("vegan")
few <- 19

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
# own, peer: functions.
compare <- function(name, own, peer, target = ">= 50") {
  expected <- if (has_vegan) seconds(peer()) * 999 / few else NA
  report(name, size_of(n), seconds(own()), "vegan, one thread", expected, if (n == 2000) target else NA)
}
alone <- function(name, size, time, target = NA) report(name, size, time, "", NA_real_, target)

d <- gpu_dist(points_of(n))
e <- gpu_dist(points_of(n))
f <- gpu_dist(points_of(n))
data <- sample_data(n)
compare("adonis2, a factor of 17 levels", function() gpu_adonis2(d ~ many, data),
        function() vegan::adonis2(d ~ many, data, few))
compare("adonis2, two factors with interaction", function() gpu_adonis2(d ~ two * three, data),
        function() vegan::adonis2(d ~ two * three, data, few))
compare("adonis2 by margin, three terms", function() gpu_adonis2(d ~ two + three + number, data, by = "margin"),
        function() vegan::adonis2(d ~ two + three + number, data, few, by = "margin"), NA)
compare("anosim", function() gpu_anosim(d, data$many), function() vegan::anosim(d, data$many, few))
compare("mantel", function() gpu_mantel(d, e), function() vegan::mantel(d, e, permutations = few))
compare("mantel, spearman", function() gpu_mantel(d, e, "spearman"),
        function() vegan::mantel(d, e, "spearman", few), NA)
compare("mantel, partial", function() gpu_mantel(d, e, zdis = f),
        function() vegan::mantel.partial(d, e, f, permutations = few), NA)

# Principal coordinates, 10 axes: of Euclidean distances, which have 50 axes, and of counts, which have n.
counts_of <- function(n, m = 300) matrix(rnbinom(n * m, 0.3, mu = rexp(n * m, 0.1)), n)
blas <- basename(extSoftVersion()[["BLAS"]])
axes <- paste(format(n, big.mark = ","), "points")
b <- gpu_dist(counts_of(n), "braycurtis")
for (from in list(list("euclidean", d), list("Bray-Curtis", b))) {
  report(paste("pcoa,", from[[1L]]), axes, seconds(gpu_pcoa(from[[2L]], 10)), paste("stats::cmdscale,", blas),
         seconds(cmdscale(from[[2L]], 10)), if (n == 2000) ">= 50" else NA)
}

# Growth.
for (points in n * c(0.5, 2)) {
  g <- gpu_dist(points_of(points))
  other <- sample_data(points)
  alone("adonis2, a factor of 17 levels", size_of(points), seconds(gpu_adonis2(g ~ many, other)))
  alone("mantel", size_of(points), seconds(gpu_mantel(g, g)))
}
for (permutations in c(99, 9999)) {
  alone("adonis2, a factor of 17 levels", size_of(n, permutations), seconds(gpu_adonis2(d ~ many, data, permutations)))
}
for (formula in list(d ~ two, d ~ two + three, d ~ two + three + many)) {
  alone(paste("adonis2,", deparse(formula[[3]])), size_of(n), seconds(gpu_adonis2(formula, data)))
}

if (large > 0) {
  x <- points_of(large)
  other <- sample_data(large)
  g <- gpu_dist(x)
  target <- if (large == 25145) "20 s" else NA
  alone("adonis2, a factor of 17 levels", size_of(large), seconds(gpu_adonis2(g ~ many, other)), target)
  alone("adonis2, a factor of 2 levels", size_of(large), seconds(gpu_adonis2(g ~ two, other)), target)
  alone("pcoa, euclidean", paste(format(large, big.mark = ","), "points"), seconds(gpu_pcoa(g, 10)),
        if (large == 25145) "30 s" else NA)
  rm(g)
  alone("adonis2 from points, a factor of 17 levels", size_of(large),
         seconds(gpu_adonis2(x ~ many, other, method = "euclidean")))
}

write_results("ordination")
