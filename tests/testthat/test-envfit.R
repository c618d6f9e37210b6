part <- seq(1, 150, 7)
x <- unname(as.matrix(iris[part, 1:2]))
around <- data.frame(
  size = iris$Petal.Length[part], kind = iris$Species[part], odd = factor(rep_len(c("a", "b"), 22)),
  noise = (1:22)^2 %% 7
)

# Compares what all versions of vegan have.
expect_vegan <- function(got, expected) {
  expect_identical(class(got), class(expected))
  for (part in c("vectors", "factors")) {
    expect_identical(is.null(got[[part]]), is.null(expected[[part]]))
    expect_identical(class(got[[part]]), class(expected[[part]]))
    for (name in intersect(c("arrows", "centroids", "r", "pvals"), names(expected[[part]]))) {
      expect_equal(
        unname(got[[part]][[name]]), unname(expected[[part]][[name]]), tolerance = 1e-10,
        ignore_attr = TRUE, label = name
      )
      expect_identical(rownames(got[[part]][[name]]), rownames(expected[[part]][[name]]))
    }
    expect_identical(got[[part]]$var.id, expected[[part]]$var.id)
  }
}

test_that("results are those of vegan 2.6-4", {
  skip_if_not_installed("permute")
  set.seed(5)
  found <- gpu_envfit(x, around, permutations = 199)
  expect_equal(
    found$vectors$r, c(size = 0.9044854546689, noise = 0.1229207838519), tolerance = 1e-11
  )
  expect_equal(
    found$factors$r, c(kind = 0.6344365789537, odd = 0.02391805954193), tolerance = 1e-11
  )
  expect_identical(found$vectors$pvals, c(size = 0.005, noise = 0.375))
  expect_identical(found$factors$pvals, c(kind = 0.005, odd = 0.59))
  arrows <- cbind(
    Dim1 = c(size = 0.7044196835918, noise = 0.6598718558191),
    Dim2 = c(-0.709783706046, 0.7513781563886)
  )
  expect_equal(found$vectors$arrows, arrows, tolerance = 1e-11, ignore_attr = TRUE)
  expect_identical(
    rownames(found$factors$centroids),
    c("kindsetosa", "kindversicolor", "kindvirginica", "odda", "oddb")
  )
  set.seed(5)
  found <- gpu_envfit(x, around, permutations = 199, strata = around$odd, w = sqrt(1:22))
  expect_equal(
    unname(c(found$vectors$r, found$factors$r)),
    c(0.887320160987, 0.1208633815679, 0.5904249898287, 0.03196727424795), tolerance = 1e-11
  )
  expect_equal(
    unname(c(found$vectors$pvals, found$factors$pvals)), c(0.005, 0.31, 0.005, 1),
    tolerance = 1e-14
  )
})

test_that("r is that of a regression and of an analysis of variance", {
  found <- gpu_envfit(x, around, permutations = 0)
  fit <- stats::lm(size ~ x, around)
  expect_equal(found$vectors$r[["size"]], summary(fit)$r.squared)
  slope <- stats::coef(fit)[-1L]
  expect_equal(unname(found$vectors$arrows["size", ]), unname(slope) / sqrt(sum(slope^2)))
  between <- stats::anova(stats::lm(x ~ kind, around), test = "Pillai")
  expect_length(between$Df, 3L)
  fitted <- stats::fitted(stats::lm(x ~ kind, around))
  centred <- scale(x, scale = FALSE)
  expect_equal(found$factors$r[["kind"]], sum(scale(fitted, scale = FALSE)^2) / sum(centred^2))
  expect_null(found$vectors$pvals)
})

test_that("results are those of the installed vegan", {
  skip_if_not_installed("vegan")
  orders <- permute::shuffleSet(20, 99)
  dune <- vegan_data("dune")
  env <- vegan_data("dune.env")
  map <- stats::cmdscale(vegan::vegdist(dune), 3)
  both <- function(...) {
    expect_vegan(
      gpu_envfit(..., permutations = orders), vegan::envfit(..., permutations = orders)
    )
  }
  both(map, env)
  both(map, env, choices = c(1, 3))
  both(map, env["Use"])
  both(map, env["A1"])
  both(map, as.matrix(env["A1"]))
  both(map, env, w = as.numeric(1:20))
  both(map ~ A1 + Management * Use, env)
  both(vegan::cca(dune ~ A1, env), env, display = "lc")
  both(vegan::decorana(dune), env)
  missing <- env
  missing$Use[4] <- NA
  missing$A1[7] <- NA
  env$letter <- rep(c("p", "q"), 10)
  env$flag <- env$A1 > 4
  env$constant <- 1
  expect_vegan(
    gpu_envfit(map, env, permutations = orders),
    suppressWarnings(vegan::envfit(map, env, permutations = orders))
  )
  map[12, 1] <- NA
  orders <- permute::shuffleSet(17, 99)
  both(map, missing, na.rm = TRUE)
  expect_identical(
    as.vector(gpu_envfit(map, missing, 0, na.rm = TRUE)$na.action), c(4L, 7L, 12L)
  )
})

test_that("constant variables, one level and equal scores have r = 0 and p = 1", {
  orders <- rbind(22:1, c(2:22, 1L))
  found <- gpu_envfit(x, data.frame(a = rep(0.1, 22), b = "u"), orders)
  expect_identical(unname(c(found$vectors$r, found$factors$r)), c(0, 0))
  expect_identical(unname(c(found$vectors$pvals, found$factors$pvals)), c(1, 1))
  expect_identical(unname(found$vectors$arrows[, ]), c(0, 0))
  found <- gpu_envfit(0 * x, around, orders)
  expect_identical(unname(c(found$vectors$r, found$factors$r)), numeric(4))
  collinear <- gpu_envfit(cbind(x[, 1], 2 * x[, 1]), around, orders)
  expect_equal(collinear$vectors$r, gpu_envfit(x[, 1], around, orders)$vectors$r)
})

test_that("wrong arguments are errors", {
  wrong <- function(code, message) expect_error(code, message, class = "gpugeo_error")
  wrong(gpu_envfit(x, around[-1, ]), "env must have a row for each of the 22 points, not 21 rows")
  wrong(gpu_envfit(x, "a"), "env must be a data frame, or a matrix or a vector of numbers, not")
  wrong(gpu_envfit(x, data.frame(day = rep(Sys.Date(), 22))), "day must be numbers, text")
  wrong(gpu_envfit(x, around, choices = 3), "choices must be numbers of axes, 1 to 2, not 3")
  wrong(gpu_envfit(x, around, w = -(1:22)), "w must be finite, at least 0 and not all 0")
  wrong(gpu_envfit(x, around, w = 1:3), "w must have a value for each of the 22 points, not 3")
  wrong(gpu_envfit(x, replace(around, 1, NA)), "env must have no missing values, but row 1 has;")
  wrong(gpu_envfit(x ~ nothing, around), "ord must be a formula of variables that there are: ")
  wrong(gpu_envfit(~size, around), "ord must have a left and a right side, not be a call")
  wrong(gpu_envfit(x, around, data = around), "data must not be given with env")
  wrong(gpu_envfit(x, around, permutations = -1), "permutations must be a whole number")
  wrong(gpu_envfit(x, replace(around, 1, Inf)), "env must be finite, but row 1, column 1 is Inf")
  named <- x
  rownames(named) <- letters[1:22]
  other <- around[22:1, ]
  rownames(other) <- letters[22:1]
  expect_warning(gpu_envfit(named, other, 0), class = "gpugeo_order_warning")
  expect_output(
    gpugeo:::fallback_print.envfit(gpu_envfit(x, around, rbind(22:1))), "Centroids of factors"
  )
})
