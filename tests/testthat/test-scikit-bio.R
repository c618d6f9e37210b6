# The matrices and the statistics of the tests of scikit-bio 0.7.4 (BSD 3-Clause License). Its
# p-values are estimates by random permutations; those here count all permutations.

square <- function(...) {
  x <- c(...)
  matrix(x, sqrt(length(x)))
}
no_ties <- square(0, 1, 5, 4, 1, 0, 3, 2, 5, 3, 0, 3, 4, 2, 3, 0)
ties <- square(0, 1, 1, 4, 1, 0, 3, 2, 1, 3, 0, 3, 4, 2, 3, 0)
unequal <- square(
  0, 1, 0.1, 0.5678, 1, 1, 1, 0, 0.002, 0.42, 0.998, 0, 0.1, 0.002, 0, 1, 0.123, 1,
  0.5678, 0.42, 1, 0, 0.123, 0.43, 1, 0.998, 0.123, 0.123, 0, 0.5, 1, 0, 1, 0.43, 0.5, 0
)
pairs <- data.frame(group = c("Control", "Control", "Fast", "Fast"))
groups <- data.frame(
  group = c("Control", "Treatment1", "Treatment2", "Treatment1", "Control", "Control")
)

# UniFrac distances of nine samples, below the diagonal.
unifrac <- structure(
  c(
    0.595483768391, 0.618074717633, 0.582763100909, 0.566949022108, 0.714717232268, 0.772001731764,
    0.690237118413, 0.740681707488, 0.581427669668, 0.613726772383, 0.65945132763, 0.745176523638,
    0.733836123821, 0.720305073505, 0.680785600439, 0.672149021573, 0.699416863323, 0.71405573754,
    0.759178215168, 0.689701276341, 0.725100672826, 0.64756120797, 0.666018240373, 0.66532968784,
    0.650464714994, 0.632524644216, 0.703720200713, 0.748240937349, 0.73416971958, 0.727154987937,
    0.707316869557, 0.636288883818, 0.699880573956, 0.565875193399, 0.560605525642, 0.575788039321
  ),
  Size = 9L, Diag = FALSE, Upper = FALSE, class = "dist"
)

test_that("permanova has the F of scikit-bio, and exact p-values", {
  skip_if_not_installed("permute")
  one <- function(d, data) suppressMessages(gpu_adonis2(stats::as.dist(d) ~ group, data))
  got <- one(no_ties, pairs)
  expect_equal(got$F[1], 4.4, tolerance = 1e-14)
  expect_equal(got$`Pr(>F)`[1], 8 / 24)
  got <- one(ties, pairs)
  expect_equal(got$F[1], 2, tolerance = 1e-14)
  expect_equal(got$`Pr(>F)`[1], 16 / 24)
  expect_lt(abs(one(unequal, groups)$F[1] - 0.578848), 5e-7)
})

test_that("anosim has the R of scikit-bio, and exact p-values", {
  skip_if_not_installed("permute")
  one <- function(d, data) suppressMessages(gpu_anosim(stats::as.dist(d), data$group))
  got <- one(no_ties, pairs)
  expect_equal(got$statistic, 0.625)
  expect_equal(got$signif, 8 / 24)
  got <- one(ties, pairs)
  expect_equal(got$statistic, 0.25)
  expect_equal(got$signif, 16 / 24)
  expect_lt(abs(one(unequal, groups)$statistic + 0.363636), 5e-7)
})

test_that("Mantel tests have the correlations of scikit-bio, and exact p-values", {
  skip_if_not_installed("permute")
  x <- square(0, 1, 2, 1, 0, 3, 2, 3, 0)
  y <- square(0, 2, 7, 2, 0, 6, 7, 6, 0)
  z <- square(0, 0.5, 0.25, 0.5, 0, 0.1, 0.25, 0.1, 0)
  one <- function(...) suppressMessages(gpu_mantel(...))
  for (method in c("pearson", "spearman")) {
    r <- list(pearson = c(0.7559289, -0.9897433), spearman = c(0.5, -1))[[method]]
    expect_lt(abs(one(x, y, method)$statistic - r[1]), 5e-8)
    expect_lt(abs(one(y, x, method)$statistic - r[1]), 5e-8)
    expect_lt(abs(one(x, z, method)$statistic - r[2]), 5e-8)
    expect_equal(one(x, x, method)$statistic, 1)
  }
  expect_equal(one(x, y)$signif, 2 / 6)
  expect_equal(one(x, x)$signif, 1 / 6)
})

test_that("Mantel tests of vegan's example have the correlations of scikit-bio", {
  skip_if_not_installed("vegan")
  species <- vegan::vegdist(vegan_data("varespec"))
  chemistry <- stats::dist(scale(vegan_data("varechem")))
  statistic <- function(method) gpu_mantel(species, chemistry, method, permutations = 0)$statistic
  expect_lt(abs(statistic("pearson") - 0.3047454), 5e-8)
  expect_lt(abs(statistic("spearman") - 0.283791), 5e-7)
})

test_that("principal coordinates have the eigenvalues and shares of scikit-bio", {
  d <- structure(
    c(
      0.60737953696, 0.748276547061, 0.669767446745, 0.747947798007, 0.7377413135, 0.70062016649,
      0.722772498498, 0.581124366673, 0.72197480583, 0.655979250216, 0.70672669146, 0.745154628257,
      0.745509981365, 0.659269044234, 0.558850879936, 0.697796152694, 0.610208881707,
      0.718770654329, 0.615310834175, 0.735768463546, 0.788355481145, 0.595087696488,
      0.657351659549, 0.647258584304, 0.686601452856, 0.663208945591, 0.585097582096,
      0.599541095803, 0.726258935536, 0.781832289452, 0.660981656067, 0.713741192899,
      0.763317384716, 0.77062394744, 0.753575681654, 0.726387392797
    ),
    Size = 9L, Diag = FALSE, Upper = FALSE, class = "dist"
  )
  got <- gpu_pcoa(d, 8)
  eigenvalues <- c(
    0.51236726, 0.30071909, 0.26791207, 0.20898868, 0.19169895, 0.16054235, 0.15017696, 0.12245775
  )
  share <- c(
    0.2675738328, 0.157044696, 0.1399118638, 0.1091402725, 0.1001110485, 0.0838401162, 0.0784269939,
    0.0639511764
  )
  expect_lt(max(abs(got$eig - eigenvalues)), 1e-8)
  expect_lt(max(abs(got$relative - share)), 1e-10)
  first <- c(
    -0.2584654611828421, -0.27100113539100934, 0.23507789817473093, 0.026140766432533755,
    0.2850075522831216, 0.20463632624145514, 0.23348240321199026, -0.09496319113225934,
    -0.35991515863772167
  )
  expect_equal(unname(got$points[, 1]), -first, tolerance = 1e-12) # its largest is positive
})

test_that("dispersions have the F of scikit-bio", {
  skip_if_not(requireNamespace("vegan", quietly = TRUE)) # its method of anova()
  group <- rep(c("Control", "Fast"), c(5, 4))
  f <- function(type) anova(gpu_betadisper(unifrac, group, type = type))$`F value`[1]
  expect_equal(f("centroid"), 0.244501519876, tolerance = 1e-10)
  expect_equal(f("median"), 0.139475441876, tolerance = 1e-6) # both iterate
})
