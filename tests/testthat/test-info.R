test_that("gpu_info() tells what there is", {
  info <- gpu_info()
  expect_s3_class(info, "gpugeo_info")
  expect_identical(
    names(info),
    c(
      "version", "simd", "threads", "backends", "devices", "cuda_library", "defaults", "invalid",
      "last"
    )
  )
  expect_identical(info$version, as.character(packageVersion("gpugeo")))
  expect_true(info$simd %in% c("avx512", "avx2", "sse2", "neon", "generic"))
  expect_identical(info$backends$backend, c("cpu", "cuda"))
  expect_true(info$backends$available[1])
  expect_identical(
    names(info$defaults),
    c("backend", "threads", "device", "precision", "progress", "memory_limit")
  )
  expect_identical(nzchar(info$backends$reason), !info$backends$available)
  expect_identical(nrow(info$devices) > 0L, info$backends$available[2])
})

test_that("CUDA is tested as well", {
  cuda <- subset(gpu_info()$backends, backend == "cuda")
  skip_if_not(cuda$available, paste("no test runs on CUDA:", cuda$reason))
  gpu_dist(1:3, backend = "cuda")
  last <- gpu_info()$last
  expect_identical(last$backend, "cuda")
  expect_true(last$device %in% gpu_info()$devices$device)
  expect_identical(last$devices, 1L)
  expect_gt(last$device_seconds, 0)
})

test_that("gpu_info() tells what the last call used", {
  gpu_cdist(1:3, 1:2, backend = "cpu", threads = 1)
  last <- gpu_info()$last
  expect_identical(last$`function`, "gpu_cdist")
  expect_identical(last$backend, "cpu")
  expect_identical(last$device, NA_integer_)
  expect_identical(last$devices, 0L)
  expect_identical(last$threads, 1L)
  expect_identical(last$device_seconds, 0)
  expect_gte(last$seconds, 0)
})

test_that("a call that fails leaves the last one", {
  gpu_cor(1:3, 1:3)
  last <- gpu_info()$last
  try(gpu_dist(1:3, "unknown"), silent = TRUE)
  expect_identical(gpu_info()$last, last)
})

test_that("it prints", {
  gpu_dist(1:3, backend = "cpu", threads = 2)
  info <- gpu_info()
  info$devices <- data.frame(
    device = 0L, name = "Some GPU", capability = "9.0", multiprocessors = 132L,
    total_bytes = 80 * 2^30, free_bytes = 79.5 * 2^30
  )
  text <- capture.output(value <- print(info))
  expect_identical(value, info)
  expect_identical(text[1], paste("gpugeo", info$version))
  expect_match(text, "^CPU: .* instructions, ", all = FALSE)
  expect_match(
    text, "CUDA: device 0, Some GPU, compute capability 9.0, 79.5 of 80.0 GiB free",
    fixed = TRUE, all = FALSE
  )
  expect_match(text, "^Defaults: backend .*, threads ", all = FALSE)
  expect_lte(max(nchar(grep("^Defaults|^ ", text, value = TRUE))), 80)
  expect_match(text, "^Last call: gpu_dist on cpu, 2 threads, .* s$", all = FALSE)
  info$last[c("backend", "device", "devices")] <- list("cuda", 1L, 1L)
  text <- capture.output(print(info))
  expect_match(text, "^Last call: gpu_dist on cuda, device 1, .* s$", all = FALSE)
  info$last[c("device", "devices")] <- list(NA_integer_, 2L)
  text <- capture.output(print(info))
  expect_match(text, "^Last call: gpu_dist on cuda, 2 devices, .* s$", all = FALSE)

  info$backends$available[2] <- FALSE
  info$backends$reason[2] <- "why"
  expect_match(capture.output(print(info)), "CUDA: not used, why", fixed = TRUE, all = FALSE)
})

# What a process prints that has loaded nothing before.
library_of <- function(variables, code = "") {
  rscript(
    c("library(gpugeo)", code, "l <- gpu_info()$cuda_library", "cat(l$reason, l$file)"),
    c("GPUGEO_CUDA_LIB=", variables)
  )
}

test_that("the CUDA library is the one that the option or the environment names", {
  library <- gpu_info()$cuda_library
  expect_named(library, c("file", "version", "architectures", "reason"))
  expect_identical(nzchar(library$file), !nzchar(library$reason))
  expect_identical(trimws(library_of("GPUGEO_CUDA_LIB=/a.so")), "/a.so does not exist")
  named <- "options(gpugeo.cuda_lib = '/b.so')"
  expect_identical(trimws(library_of("GPUGEO_CUDA_LIB=/a.so", named)), "/b.so does not exist")
  named <- "options(gpugeo.cuda_lib = 3)"
  expect_identical(trimws(library_of("GPUGEO_CUDA_LIB=/a.so", named)), "./3 does not exist")
})

test_that("the CUDA library is sought in the package, the user's cache and the loader's path", {
  skip_if(nzchar(gpu_info()$cuda_library$file), "CUDA is installed")
  cache <- tempfile("cache")
  tried <- library_of(paste0("R_USER_CACHE_DIR=", cache))
  own <- file.path(dirname(getLoadedDLLs()$gpugeo[["path"]]), "libgpugeo_cuda.so")
  expect_match(tried[1], paste(own, "does not exist"), fixed = TRUE)
  old <- Sys.getenv("R_USER_CACHE_DIR", NA)
  Sys.setenv(R_USER_CACHE_DIR = cache)
  folder <- tools::R_user_dir("gpugeo", "cache")
  if (is.na(old)) Sys.unsetenv("R_USER_CACHE_DIR") else Sys.setenv(R_USER_CACHE_DIR = old)
  expect_identical(tried[2], paste(file.path(folder, "libgpugeo_cuda.so"), "does not exist"))
  expect_identical(trimws(tried[3]), "libgpugeo_cuda.so is not on the loader's path")
})

test_that("the CUDA library is loaded again after the package was unloaded", {
  file <- gpu_info()$cuda_library$file
  skip_if_not(nzchar(file), "there is no CUDA library")
  code <- c(
    "l <- gpugeo::gpu_info()$cuda_library", "unloadNamespace('gpugeo')",
    "cat(l$file, gpugeo::gpu_info()$cuda_library$file)"
  )
  expect_identical(rscript(code), paste(file, file))
})
