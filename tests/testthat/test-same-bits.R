set.seed(24)
x <- matrix(rnorm(203 * 37), 203)
x[sample(length(x), 30)] <- NA
methods <- c(
  "euclidean", "sqeuclidean", "manhattan", "maximum", "canberra", "minkowski", "cosine", "pearson",
  "spearman", "braycurtis", "hamming", "jaccard", "clark", "morisita", "mountford", "raup",
  "binomial", "chao", "cao", "soergel", "jsd"
)

test_that("any number of threads gives the same bits", {
  for (data in list(x, x[complete.cases(x), ])) {
    for (method in methods) {
      one <- gpu_cdist(data, data, method, p = 2.5, backend = "cpu", threads = 1)
      for (threads in 2:3) {
        expect_identical(
          gpu_cdist(data, data, method, p = 2.5, backend = "cpu", threads = threads), one
        )
      }
    }
    one <- gpu_cor(data, use = "pairwise", backend = "cpu", threads = 1)
    expect_identical(gpu_cor(data, use = "pairwise", backend = "cpu", threads = 3), one)
  }
})

test_that("any vector instructions give the same bits", {
  input <- tempfile(fileext = ".rds")
  saveRDS(x, input)
  on.exit(unlink(input))
  code <- sprintf("
    x <- readRDS('%s')
    all <- lapply(%s, function(m) as.vector(gpugeo::gpu_dist(x, m, p = 2.5, backend = 'cpu')))
    saveRDS(all, '%s.out')
    cat(gpugeo::gpu_info()$simd)
  ", input, deparse1(methods), input)
  on.exit(unlink(paste0(input, ".out")), add = TRUE)
  ours <- lapply(methods, function(m) as.vector(gpu_dist(x, m, p = 2.5, backend = "cpu")))
  for (simd in c("generic", "sse2", "neon", "avx2")) {
    used <- rscript(code, paste0("GPUGEO_SIMD=", simd))
    # Instructions that this machine does not have leave the widest ones in use.
    expect_true(used %in% c(simd, if (simd != "generic") gpu_info()$simd))
    expect_identical(readRDS(paste0(input, ".out")), ours)
  }
})

test_that("the CPU and CUDA give the same bits", {
  skip_if_not("cuda" %in% backends, "no CUDA device")
  for (data in list(x, x[complete.cases(x), ])) {
    for (method in methods) {
      expect_identical(
        gpu_cdist(data, data, method, p = 2.5, backend = "cuda"),
        gpu_cdist(data, data, method, p = 2.5, backend = "cpu")
      )
    }
  }
})
