# Values of vegan 2.6-4 that stand here were made with dune_counts() and dune_sites().
order_of_20 <- t(vapply(1:99, function(k) {
  (seq_len(20) * c(3L, 7L, 9L, 11L)[k %% 4L + 1L] + k * 11L) %% 20L + 1L
}, integer(20)))

expect_digits <- function(got, expected) {
  expect_equal(unname(got), expected, tolerance = 1e-7)
}

test_that("gpu_dbrda() has the values of vegan", {
  dune <- dune_counts()
  sites <- dune_sites()
  m <- gpu_dbrda(dune ~ A1 + Management + Condition(Moisture), sites, distance = "bray")
  expect_s3_class(m, c("gpu_dbrda", "dbrda", "rda", "cca"), exact = TRUE)
  expect_identical(names(m$CCA$eig), paste0("dbRDA", 1:4))
  expect_identical(names(m$CA$eig), c(paste0("MDS", 1:9), paste0("iMDS", 1:5)))
  expect_identical(c(m$CA$poseig, m$CA$rank, m$CCA$rank, m$pCCA$rank), c(9L, 14L, 4L, 1L))
  expect_digits(m$CCA$eig, c(0.786904566, 0.19031162, 0.156109136, 0.0814009828))
  expect_digits(m$CA$eig, c(
    0.585746888, 0.383477592, 0.307668543, 0.201149588, 0.139832501, 0.0983135534, 0.0703204108,
    0.052725263, 0.0313274162, -0.00974107629, -0.0194890236, -0.0280751897, -0.0486150746,
    -0.0719152885
  ))
  expect_digits(
    c(m$tot.chi, m$pCCA$tot.chi, m$CCA$tot.chi, m$CA$tot.chi),
    c(4.29902187, 1.39156946, 1.2147263, 1.6927261)
  )
  expect_digits(abs(m$CCA$u[1, ]), c(0.167929826, 0.158515853, 0.242183059, 0.250298475))
  expect_digits(abs(m$CCA$wa[1, ]), c(0.234920698, 0.342325531, 0.312427961, 0.000517593467))
  expect_digits(abs(m$CCA$biplot[1, ]), c(0.112600048, 0.855440215, 0.154756101, 0.06568227))
  expect_digits(
    abs(m$CCA$centroids[1, ]), c(0.0323150087, 0.0460056151, 0.0859133033, 0.482778968)
  )
  expect_identical(m$inertia, "squared Bray distance")
  tested <- function(...) anova(m, permutations = order_of_20, ...)
  expect_digits(tested()$F, c(2.51165387, NA))
  expect_identical(tested()$`Pr(>F)`, c(0.01, NA))
  expect_digits(tested(by = "terms")$F, c(1.64117119, 2.80181476, NA))
  expect_identical(tested(by = "terms")$`Pr(>F)`, c(0.21, 0.01, NA))
  expect_digits(tested(by = "margin")$F, c(1.61449154, 2.80181476, NA))
  expect_identical(tested(by = "margin")$`Pr(>F)`, c(0.16, 0.01, NA))
  expect_digits(tested(by = "onedf")$F, c(1.64117119, 1.54777391, 5.6811969, 1.17647348, NA))
  expect_identical(tested(by = "onedf")$`Pr(>F)`, c(0.21, 0.11, 0.01, 0.46, NA))
  expect_digits(tested(by = "axis")$F, c(6.50823775, 1.57400696, 1.29112909, 0.673241677, NA))
  expect_identical(tested(by = "axis")$`Pr(>F)`, c(0.01, 0.61, 0.41, 0.61, NA))
  few <- tested(by = "axis", cutoff = 0.5)
  expect_identical(few$`Pr(>F)`, c(0.01, 0.61, NA, NA, NA))
  expect_identical(is.na(attr(few, "F.perm")[1, ]), c(FALSE, FALSE, TRUE, TRUE))
  expect_identical(tested(by = "margin", scope = "A1")$`Pr(>F)`, c(0.16, NA))
})

test_that("gpu_capscale() has the values of vegan", {
  dune <- dune_counts()
  sites <- dune_sites()
  m <- gpu_capscale(dune ~ A1 + Management + Condition(Moisture), sites, distance = "bray")
  expect_s3_class(m, c("gpu_capscale", "capscale", "rda", "cca"), exact = TRUE)
  expect_digits(m$CCA$eig, c(0.78870874, 0.192718236, 0.163391235, 0.106409699))
  expect_digits(m$CA$eig, c(
    0.587379357, 0.383736921, 0.312119079, 0.204902916, 0.143872377, 0.113356018, 0.0723834508,
    0.0553186086, 0.0419569418, 0.0204860295, 0.00963482043, 0.00340556788, 0.000809108671,
    0.000121534565
  ))
  expect_digits(
    c(m$tot.chi, m$pCCA$tot.chi, m$CCA$tot.chi, m$CA$tot.chi),
    c(4.29902187, 1.39323626, 1.25122791, 1.94948273)
  )
  expect_equal(m$tot.chi, m$pCCA$tot.chi + m$CCA$tot.chi + m$CA$tot.chi + m$CA$imaginary.chi)
  expect_digits(abs(m$CCA$wa[1, ]), c(0.235007305, 0.298558754, 0.355971067, 0.106389594))
  expect_digits(
    abs(m$CCA$centroids[1, ]), c(0.0304137764, 0.0381627206, 0.150177399, 0.467635287)
  )
  expect_equal(colSums(m$CCA$v^2), setNames(rep(1, 4), paste0("CAP", 1:4)))
  tested <- function(...) anova(m, permutations = order_of_20, ...)
  expect_digits(tested(by = "terms")$F, c(1.44346909, 2.51402974, NA))
  expect_identical(tested(by = "terms")$`Pr(>F)`, c(0.26, 0.01, NA))
  expect_digits(tested(by = "axis")$F, c(5.66402676, 1.38398523, 1.17337654, 0.764169775, NA))
  expect_identical(tested(by = "axis")$`Pr(>F)`, c(0.01, 0.66, 0.41, 0.56, NA))
})

test_that("corrections, roots and variances are those of vegan", {
  dune <- dune_counts()
  sites <- dune_sites()
  fit <- function(...) gpu_dbrda(dune ~ A1 * Management, sites, ...)
  m <- fit(distance = "bray", add = "cailliez", sqrt.dist = TRUE)
  expect_digits(m$tot.chi, 6.13363099)
  expect_null(m$ac) # roots of Bray and Curtis are Euclidean
  m <- fit(distance = "bray", add = "lingoes")
  expect_digits(c(m$tot.chi, m$ac), c(6.13794962, 0.0967856711))
  expect_digits(m$CCA$eig, c(
    1.30809233, 0.848875721, 0.337982263, 0.278166007, 0.178171612, 0.131269148, 0.0935998846
  ))
  expect_identical(m$inertia, "Lingoes adjusted squared Bray distance")
  m <- fit(distance = "manhattan")
  expect_digits(c(m$tot.chi, m$adjust), c(994.092105, 4.35889894))
  expect_digits(m$CCA$eig, c(
    277.217233, 161.68479, 67.5425804, 27.4909728, 19.7590899, 9.94211824, -1.19239431
  ))
  expect_identical(names(m$CCA$eig)[7L], "idbRDA1")
  expect_identical(dim(m$CCA$imaginary.u), c(20L, 1L))
  expect_identical(m$inertia, "mean squared Manhattan distance")
  expect_identical(names(anova(m, permutations = order_of_20))[2L], "Variance")
  expect_error(
    anova(m, by = "axis", permutations = order_of_20),
    "by must not be \"axis\" if constraints have negative eigenvalues", class = "gpugeo_error"
  )
  late <- gpu_capscale(dune ~ A1, sites, distance = "manhattan", add = TRUE)
  expect_identical(late$inertia, "Lingoes adjusted mean squared Manhattan distance")
  early <- gpu_dbrda(dune ~ A1, sites, distance = "manhattan", add = TRUE)
  expect_identical(early$inertia, "mean Lingoes adjusted squared Manhattan distance")
  expect_equal(late$tot.chi, early$tot.chi)
  expect_equal(late$ac, early$ac / 19)
})

test_that("Euclidean distances give redundancy analysis", {
  x <- as.matrix(iris[c(1:20, 60:79, 110:129), 1:4])
  data <- iris[c(1:20, 60:79, 110:129), ]
  model <- stats::model.matrix(~Species, data)
  fitted <- scale(qr.fitted(qr(model), x), scale = FALSE)
  expected <- svd(fitted)$d[1:2]^2
  for (fit in list(gpu_dbrda, gpu_capscale)) {
    m <- fit(x ~ Species, data)
    expect_equal(unname(m$CCA$eig) * m$adjust^2, expected)
    expect_identical(m$CCA$rank, 2L)
    expect_identical(m$CA$rank, 4L)
  }
  d <- gpu_dist(x)
  m <- gpu_dbrda(d ~ Species, data)
  order <- rbind(60:1, c(2:60, 1L))
  table <- gpu_adonis2(d ~ Species, data, order)
  expect_equal(anova(m, permutations = order)$F[1L], table$F[1L])
  expect_equal(m$CCA$tot.chi / m$tot.chi, table$R2[1L])
})

test_that("conditions leave what a direct computation leaves", {
  x <- as.matrix(iris[1:40, 1:3])
  data <- data.frame(a = iris[1:40, 4], b = gl(4, 10), c = sin(1:40))
  d <- gpu_dist(x, "manhattan")
  g <- as.matrix(d)^2
  center <- diag(40) - 1 / 40
  g <- -center %*% g %*% center / 2
  hat <- function(m) m %*% solve(crossprod(m)) %*% t(m)
  z <- cbind(1, data$c)
  all <- stats::model.matrix(~ c + a + b, data)
  rest <- diag(40) - hat(z)
  own <- hat(all) - hat(z)
  order <- t(vapply(1:9, function(k) (seq_len(40) * 7L + k * 11L) %% 40L + 1L, integer(40)))
  f_of <- function(p) {
    permuted <- rest %*% (rest %*% g %*% rest)[p, p] %*% rest
    sum(diag(own %*% permuted)) / 4 / (sum(diag((rest - own) %*% permuted)) / 34)
  }
  m <- gpu_dbrda(d ~ a + b + Condition(c), data)
  table <- anova(m, permutations = order)
  expect_equal(table$F[1L], f_of(1:40))
  expect_equal(c(attr(table, "F.perm")), apply(order, 1L, f_of))
  expect_identical(anova(m, permutations = order, threads = 1), anova(
    m, permutations = order, threads = 3
  ))
})

test_that("the first axes are those of all", {
  dune <- dune_counts()
  sites <- dune_sites()
  for (fit in list(gpu_dbrda, gpu_capscale)) {
    whole <- fit(dune ~ A1 + Condition(Moisture), sites, distance = "bray")
    few <- fit(dune ~ A1 + Condition(Moisture), sites, distance = "bray", axes = 3)
    expect_identical(few$CCA, whole$CCA)
    expect_equal(few$CA$eig, whole$CA$eig[1:3])
    expect_equal(abs(few$CA$u), abs(whole$CA$u[, 1:3]))
    expect_identical(few$CA$tot.chi, whole$CA$tot.chi)
    order <- order_of_20[1:9, ]
    expect_identical(anova(few, permutations = order)$F, anova(whole, permutations = order)$F)
    all <- fit(dune ~ A1 + Condition(Moisture), sites, distance = "bray", axes = 100)
    expect_identical(all$CA, whole$CA)
  }
  expect_error(
    gpu_dbrda(dune ~ A1, sites, axes = 0), "axes must be NULL or a whole number of at least 1",
    class = "gpugeo_error"
  )
})

test_that("samples are chosen and left out as in vegan", {
  dune <- dune_counts()
  sites <- dune_sites()
  sites$A1[c(3, 8)] <- NA
  expect_error(
    gpu_dbrda(dune ~ A1, sites), "variable A1 of formula must have no missing values, but value 3",
    class = "gpugeo_error"
  )
  m <- gpu_dbrda(
    dune ~ A1 + Management, sites, distance = "bray", na.action = stats::na.omit, add = TRUE,
    subset = Management != "NM"
  )
  kept <- setdiff(which(sites$Management != "NM"), c(3, 8))
  d <- gpu_vegdist(dune[kept, ])
  expected <- gpu_dbrda(d ~ A1 + Management, droplevels(sites[kept, ]), add = TRUE)
  parts <- c("tot.chi", "CCA", "CA", "ac")
  expect_equal(m[parts], expected[parts], ignore_attr = "call")
  expect_identical(m$subset, sites$Management != "NM")
  expect_identical(rownames(m$CCA$u), as.character(kept))
  expect_s3_class(m$na.action, "omit")
  expect_error(
    gpu_dbrda(dune ~ A1, sites, subset = 1:3), "subset must be true or false for each of the 20",
    class = "gpugeo_error"
  )
  expect_error(
    gpu_dbrda(dune[-1, ] ~ A1, sites, na.action = stats::na.omit),
    "the left side of formula must have the 20 points of the right side, not 19",
    class = "gpugeo_error"
  )
})

test_that("edges have tables and ordinations", {
  dune <- dune_counts()
  sites <- dune_sites()
  sites$twice <- 2 * sites$A1
  d <- gpu_vegdist(dune)
  order <- order_of_20[1:5, ]
  m <- gpu_dbrda(d ~ A1 + twice + Management, sites)
  expect_identical(m$CCA$alias, "twice")
  expect_identical(m$CCA$qrank, 4L)
  expect_identical(rownames(anova(m, by = "terms", permutations = order)), c(
    "A1", "Management", "Residual"
  ))
  none <- gpu_dbrda(d ~ 1, sites)
  expect_null(none$CCA)
  expect_equal(unname(none$CA$eig[1:3]), gpu_pcoa(d, 3)$eig)
  expect_identical(anova(none, permutations = order)$Df, c(0, 19))
  given <- gpu_dbrda(d ~ Condition(A1), sites)
  expect_identical(anova(given, permutations = order)$Df, c(0, 18))
  nothing <- gpu_dbrda(d ~ A1 + Condition(twice), sites)
  expect_null(nothing$CCA)
  whole <- gpu_dbrda(d ~ factor(1:20), sites) # no residual degrees of freedom
  expect_identical(whole$CA$rank, 0L)
  expect_equal(whole$CCA$tot.chi, whole$tot.chi)
  table <- anova(whole, permutations = order)
  expect_identical(table$Df, c(19, 0))
  expect_identical(attr(table, "heading")[1L], "No residual component\n")
  alike <- gpu_dbrda(0 * d ~ A1, sites)
  expect_identical(c(alike$CCA$rank, alike$CA$rank), c(0L, 0L))
  expect_identical(alike$tot.chi, 0)
  expect_identical(gpu_capscale(0 * d ~ A1, sites)$tot.chi, 0)
  for (by in list(NULL, "terms", "margin", "axis")) { # no permutations
    tested <- anova(gpu_capscale(d ~ A1 + Management, sites), by = by, permutations = order[0, ])
    expect_identical(dim(attr(tested, "F.perm")), c(0L, nrow(tested) - 1L))
    expect_identical(tested$`Pr(>F)`, c(rep(1, nrow(tested) - 1L), NA))
  }
  wide <- gpu_capscale(stats::dist(sin(1:8)) ~ cos(1:8) + cos((1:8)^2)) # one axis of two
  expect_identical(c(wide$CCA$rank, wide$CCA$qrank), c(1L, 2L))
  tested <- anova(wide, by = "axis", permutations = rbind(8:1, 1:8))
  expect_equal(attr(tested, "F.perm")[2L, 1L], tested$F[1L]) # the samples as they are
})

test_that("species have scores", {
  dune <- dune_counts()
  sites <- dune_sites()
  d <- gpu_vegdist(dune)
  from_points <- gpu_capscale(dune ~ A1, sites, distance = "bray")
  expect_equal(gpu_capscale(d ~ A1, sites, comm = dune)$CCA$v, from_points$CCA$v)
  expect_identical(from_points$vdata, "dune")
  expect_identical(rownames(from_points$CA$v), colnames(dune))
  expect_true(all(is.na(gpu_capscale(d ~ A1, sites)$CCA$v)))
  expect_error(
    gpu_capscale(d ~ A1, sites, comm = dune[-1, ]),
    "comm must be points of the 20 samples of formula", class = "gpugeo_error"
  )
})

test_that("bad arguments of constrained ordinations are errors", {
  d <- stats::dist(c(1, 4, 9, 11))
  a <- c(1, 3, 2, 5)
  wrong <- function(code, message) expect_error(code, message, fixed = TRUE, class = "gpugeo_error")
  wrong(gpu_dbrda(~a), "formula must have a left and a right side, not be ")
  wrong(gpu_dbrda(d ~ a * Condition(a)), "formula must have Condition() as terms of their own")
  wrong(gpu_dbrda(d ~ .), "formula must be one that terms() takes: ")
  wrong(gpu_dbrda(d ~ a, distance = gpu_metric("minkowski", 1)), "distance must be given with poi")
  wrong(gpu_dbrda(matrix(1:8, 4) ~ a, distance = "hyperbolic"), "distance must be one of ")
  wrong(gpu_dbrda(d ~ a, dfun = dist), "unused argument dfun")
  wrong(gpu_dbrda(replace(d, 2, NA) ~ a), "the left side of formula must have finite distances")
  wrong(gpu_dbrda(-d ~ a), "the left side of formula must have distances of at least 0")
  m <- gpu_dbrda(d ~ a)
  order <- rbind(4:1)
  wrong(anova(m, permutations = order, by = "row"), "by must be one of ")
  wrong(anova(m, permutations = order, model = "none"), "model must be one of ")
  wrong(anova(m, permutations = order, by = "margin", scope = "b"), "scope must be some of the ter")
  wrong(anova(m, permutations = order, by = "axis", cutoff = NA), "cutoff must be a number, not NA")
  wrong(anova(m, permutations = order, nonsense = 1), "unused argument nonsense")
  wrong(anova(m, permutations = rbind(1:3)), "permutations must have a row of the numbers 1 to 4")
})

test_that("names in another order are warned of", {
  dune <- dune_counts()
  sites <- dune_sites()
  rownames(sites) <- 20:1
  expect_warning(
    gpu_dbrda(dune ~ A1, sites, distance = "bray"), "have the same names in another order",
    class = "gpugeo_order_warning"
  )
})

test_that("printing needs no other package", {
  dune <- dune_counts()
  sites <- dune_sites()
  sites$twice <- 2 * sites$A1
  shown <- function(m) paste(capture.output(print(m)), collapse = "\n")
  text <- shown(gpu_dbrda(dune ~ A1 + twice + Condition(Moisture), sites, distance = "bray"))
  for (part in c(
    "Call: gpu_dbrda(formula = dune ~ A1 + twice + Condition(Moisture)", "RealDims",
    "Inertia is squared Bray distance", "Constraints that add nothing to others: twice",
    "Eigenvalues of constrained axes:\ndbRDA1", "(the first 8 of 17 axes)"
  )) {
    expect_match(text, part, fixed = TRUE)
  }
  text <- shown(gpu_capscale(dune ~ A1, sites, distance = "bray", add = "cailliez"))
  expect_match(text, "Species scores projected from dune", fixed = TRUE)
  expect_match(text, "Constant added to distances: 0.2863", fixed = TRUE)
  expect_match(shown(gpu_capscale(dune ~ 1, distance = "bray")), "Imaginary", fixed = TRUE)
  tested <- anova(
    gpu_dbrda(dune ~ A1, sites, distance = "bray"), permutations = order_of_20, by = "terms"
  )
  expect_match(attr(tested, "heading")[1L], paste0(
    "Permutation test for dbrda under reduced model\nTerms added sequentially"
  ))
  expect_match(attr(tested, "heading")[2L], "Model: gpu_dbrda(formula = dune ~ A1", fixed = TRUE)
})

# Returns an object of vegan and ours, by the same arguments.
fit_both <- function(which, formula, data, ...) {
  environment(formula) <- list2env(list(data_ = data), parent = environment(formula))
  call <- function(f) eval(as.call(c(list(f, formula, quote(data_)), ...)), environment(formula))
  theirs <- list(dbrda = vegan::dbrda, capscale = vegan::capscale)
  ours <- list(dbrda = gpu_dbrda, capscale = gpu_capscale)
  list(expected = call(theirs[[which]]), got = call(ours[[which]]))
}

# Compares parts that are the same in all versions of vegan; signs of axes are arbitrary.
expect_ordination <- function(fits) {
  expect_equal(fits$got$tot.chi, fits$expected$tot.chi, tolerance = 1e-7)
  for (part in c("pCCA", "CCA", "CA")) {
    for (name in c("eig", "tot.chi")) {
      expect_equal(
        fits$got[[part]][[name]], fits$expected[[part]][[name]], tolerance = 1e-7, info = name
      )
    }
  }
  for (name in c("u", "wa", "biplot", "centroids")) {
    theirs <- fits$expected$CCA[[name]]
    if (length(theirs)) {
      got <- fits$got$CCA[[name]]
      expect_identical(rownames(got), rownames(theirs))
      expect_equal(abs(got), abs(theirs), tolerance = 1e-6, ignore_attr = TRUE, info = name)
    }
  }
}

expect_tests <- function(fits, by, ..., permutations = 99) {
  run <- function(m) {
    set.seed(7)
    suppressMessages(anova(m, by = by, permutations = permutations, ...))
  }
  expected <- run(fits$expected)
  got <- run(fits$got)
  expect_identical(rownames(got), rownames(expected))
  expect_equal(got$Df, expected$Df)
  expect_equal(got$F, expected$F, tolerance = 1e-8)
  expect_identical(got$`Pr(>F)`, expected$`Pr(>F)`)
  expect_equal(
    attr(got, "F.perm"), attr(expected, "F.perm"), tolerance = 1e-8, ignore_attr = TRUE
  )
}

test_that("ordinations and tests are those of vegan", {
  skip_if_not_installed("vegan")
  dune <- vegan_data("dune")
  sites <- vegan_data("dune.env")
  d <- vegan::vegdist(dune)
  for (which in c("dbrda", "capscale")) {
    compare <- function(formula, data, by = list(NULL, "terms", "margin", "onedf"), ...) {
      fits <- fit_both(which, formula, data, ...)
      expect_ordination(fits)
      for (one in by) expect_tests(fits, one)
    }
    compare(d ~ A1 + Management + Condition(Moisture), sites, list(NULL, "terms"))
    compare(d ~ A1 * Management, sites)
    compare(d ~ Moisture + Use + Manure, sites, list("terms"))
    compare(d ~ A1 + Management + Use, sites, list("margin"), add = TRUE)
    compare(d ~ 1, sites, list())
    compare(d ~ factor(1:20), sites, list())
    compare(dune ~ A1 + Use, sites, list("terms"), distance = "manhattan", sqrt.dist = TRUE)
    sites$A1[3] <- NA
    compare(dune ~ A1 + Use, sites, list("terms"), distance = "bray", na.action = stats::na.omit)
    sites <- vegan_data("dune.env")
    compare(
      vegan_data("varespec") ~ N + P + K + Condition(Al), vegan_data("varechem"),
      list("terms"), distance = "bray"
    )
    compare(
      vegan_data("mite") ~ SubsDens + WatrCont + Substrate + Condition(Topo),
      vegan_data("mite.env"), list("terms", "margin"), distance = "bray"
    )
  }
})

test_that("models of permutation are those of vegan", {
  skip_if_not_installed("vegan")
  sites <- vegan_data("dune.env")
  d <- vegan::vegdist(vegan_data("dune"))
  fits <- fit_both("dbrda", d ~ A1 + Management + Condition(Moisture), sites)
  for (model in c("direct", "full")) {
    for (by in list(NULL, "terms")) expect_tests(fits, by, model = model)
  }
  expect_tests(fits, "terms", permutations = permute::how(nperm = 49, blocks = sites$Use))
})

test_that("functions of vegan take our ordinations", {
  skip_if_not_installed("vegan")
  dune <- vegan_data("dune")
  sites <- vegan_data("dune.env")
  d <- vegan::vegdist(dune)
  size <- function(x) if (is.list(x)) lapply(x, size) else if (is.numeric(x)) abs(x) else x
  for (which in c("dbrda", "capscale")) {
    fits <- fit_both(which, d ~ A1 + Management, sites)
    for (f in list(
      function(m) size(vegan::scores(m, display = c("sites", "bp", "cn"))), vegan::eigenvals,
      vegan::RsquareAdj, stats::model.matrix, stats::nobs, stats::deviance
    )) {
      expect_equal(f(fits$got), f(fits$expected), tolerance = 1e-7, ignore_attr = TRUE)
    }
    file <- tempfile(fileext = ".pdf")
    grDevices::pdf(file)
    expect_error(plot(fits$got), NA)
    grDevices::dev.off()
    unlink(file)
    null <- fit_both(which, d ~ 1, sites)
    start <- d ~ 1
    scope <- d ~ A1 + Management + Use
    environment(start) <- environment(scope) <- list2env(c(as.list(sites), list(d = d)))
    step <- function(m) {
      set.seed(2)
      vegan::ordistep(m, scope, trace = FALSE, permutations = 99)$anova
    }
    dbrda <- vegan::dbrda # the names are in the calls that ordistep() evaluates
    capscale <- vegan::capscale
    if (which == "dbrda") {
      expect_equal(step(gpu_dbrda(start)), step(dbrda(start)))
    } else {
      expect_equal(step(gpu_capscale(start)), step(capscale(start)))
    }
    compared <- function(a, b) {
      set.seed(1)
      as.matrix(anova(a, b, permutations = 49))
    }
    expect_equal(
      compared(null$got, fits$got), compared(null$expected, fits$expected), tolerance = 1e-8
    )
  }
})
