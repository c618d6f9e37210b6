# Each call is made in a process and with a cache of its own. Files to install are the shared
# objects of tests/c/cuda/variant.c, which make builds and tools/check names: they need neither a
# GPU nor the CUDA compiler.
variants <- Sys.getenv("GPUGEO_TEST_VARIANTS")
variant <- function(name) {
  skip_if_not(nzchar(variants), "the files to install are not built: make check does it")
  file.path(variants, paste0(name, ".so"))
}

# An empty cache, which is not created.
new_cache <- function() tempfile("cache")
place_in <- function(cache) file.path(cache, "R", "gpugeo", "libgpugeo_cuda.so")

# What code writes, messages included; of an error, its class and its message.
install <- function(code, cache = new_cache(), env = character()) {
  rscript(
    c(
      "library(gpugeo)",
      "tryCatch({", code, "}, error = function(e) {",
      "cat(class(e)[1], ': ', conditionMessage(e), sep = '')", "})"
    ),
    c(paste0("R_USER_CACHE_DIR=", cache), "GPUGEO_CUDA_LIB=", env)
  )
}

expect_refused <- function(arguments, message, cache = new_cache()) {
  expect_identical(
    install(sprintf("gpu_install(%s)", arguments), cache), paste0("gpugeo_error: ", message)
  )
  expect_identical(list.files(cache, recursive = TRUE), character())
}

# The SHA-256 of a file by a program of the system.
sum_of <- function(file) {
  tool <- Sys.which("sha256sum")
  skip_if_not(nzchar(tool), "there is no sha256sum")
  sub(" .*", "", system2(tool, shQuote(file), stdout = TRUE))
}

version <- as.character(packageVersion("gpugeo"))

# Creates a library of R with a copy of this gpugeo, without the CUDA library of its own, which
# gpugeo would use and not the one in the cache.
bare_library <- function() {
  from <- find.package("gpugeo")
  library <- tempfile("library")
  files <- setdiff(list.files(from, recursive = TRUE), "libs/libgpugeo_cuda.so")
  to <- file.path(library, "gpugeo", files)
  for (folder in unique(dirname(to))) dir.create(folder, FALSE, TRUE)
  stopifnot(file.copy(file.path(from, files), to))
  library
}

test_that("wrong arguments are refused", {
  expect_error(
    gpu_install(),
    sprintf(
      "from must be the path or the address of a libgpugeo_cuda.so: gpugeo %s has no default %s",
      version, "for it"
    ),
    fixed = TRUE, class = "gpugeo_error"
  )
  expect_error(gpu_install(3), "from must be a single string, not 3", fixed = TRUE)
  expect_error(
    gpu_install("ftp://host/x.so"),
    "from must be a path or an address of file, http or https, not \"ftp://host/x.so\"",
    fixed = TRUE
  )
  expect_error(
    gpu_install("https://host/x.so"),
    "sha256 must be 64 hexadecimal digits for an address of http or https, not NULL",
    fixed = TRUE
  )
  digits <- "sha256 must be 64 hexadecimal digits, not "
  expect_error(gpu_install("/x.so", "abc"), paste0(digits, "\"abc\""), fixed = TRUE)
  expect_error(gpu_install("/x.so", NA_character_), paste0(digits, "NA"), fixed = TRUE)
  expect_error(gpu_install("/x.so", 5), paste0(digits, "5"), fixed = TRUE)
  expect_error(gpu_install(remove = NA), "remove must be true or false, not NA", fixed = TRUE)
  expect_error(
    gpu_install("/x.so", remove = TRUE), "from must not be given with remove",
    fixed = TRUE
  )
  expect_error(
    gpu_install("/nowhere/x.so"),
    "file \"/nowhere/x.so\" cannot be read: No such file or directory",
    fixed = TRUE
  )
})

test_that("files that are no CUDA library of this gpugeo are refused", {
  file <- tempfile(fileext = ".so")
  writeLines("no library", file)
  part <- tempfile(fileext = ".so")
  on.exit(unlink(c(file, part)))
  refused <- function(file, why) {
    expect_refused(
      deparse(file), sprintf("file \"%s\" cannot be installed: it %s", file, why)
    )
  }
  refused(file, "is not a complete shared object")
  writeBin(readBin(variant("right"), "raw", file.size(variant("right")) / 8), part)
  refused(part, "is not a complete shared object")
  abi <- gsub("[0-9]+", "#", install(sprintf("gpu_install(%s)", deparse(variant("abi")))))
  expect_match(abi, "cannot be installed: it has ABI number #, and this gpugeo needs #$")
  refused(variant("version"), paste("is of gpugeo 0.0.9, and this is gpugeo", version))
  refused(variant("sources"), paste("was built from other sources of gpugeo", version))
  refused(variant("good"), "computes wrong distances on variant")
})

test_that("the SHA-256 is checked", {
  wrong <- strrep("0", 64)
  expect_refused(
    sprintf("'%s', '%s'", variant("right"), wrong),
    sprintf("sha256 must be that of the file, %s, not %s", sum_of(variant("right")), wrong)
  )
})

test_that("a file and an address of a file are installed, used and removed", {
  cache <- new_cache()
  library <- bare_library()
  on.exit(unlink(c(cache, library), recursive = TRUE))
  bare <- paste0("R_LIBS=", paste(c(library, .libPaths()), collapse = .Platform$path.sep))
  place <- place_in(cache)
  sum <- sum_of(variant("right"))
  shown <- install(
    c(sprintf("i <- gpu_install('%s', '%s')", variant("right"), toupper(sum)), "dput(i)"), cache,
    bare
  )
  expect_identical(shown[1], paste(place, "is installed and was tested on variant"))
  expect_identical(eval(parse(text = shown[-1])), list(
    file = place, sha256 = sum, version = version, architectures = "none", device = "variant",
    reason = ""
  ))
  expect_identical(list.files(cache, recursive = TRUE), "R/gpugeo/libgpugeo_cuda.so")

  # In a session that has loaded it.
  shown <- install(
    c(
      "stopifnot(gpu_dist(c(1, 4), backend = 'cuda') == 3)",
      sprintf("i <- gpu_install('file://%s')", variant("no_device")),
      "dput(i$reason)", "cat(gpu_dist(c(1, 4), backend = 'cuda'))"
    ),
    cache, bare
  )
  expect_identical(shown, c(
    paste(place, "is installed; it was loaded, but not tested: there is no device"),
    paste(
      "this session uses the library that it has loaded before; the new one is used from the",
      "next session on"
    ),
    "\"there is no device\"", "3"
  ))
  expect_identical(sum_of(place), sum_of(variant("no_device")))

  # In the next one.
  expect_identical(
    install("gpu_dist(c(1, 4), backend = 'cuda')", cache, bare),
    "gpugeo_error: backend \"cuda\" cannot be used: there is no device"
  )
  expect_identical(
    install("dput(gpu_install(remove = TRUE))", cache, bare), c(paste(place, "is removed"), "TRUE")
  )
  expect_identical(
    install("dput(gpu_install(remove = TRUE))", cache, bare),
    c(paste("there is no", place), "FALSE")
  )
})

test_that("another file that is used instead is named", {
  cache <- new_cache()
  on.exit(unlink(cache, recursive = TRUE))
  shown <- install(
    sprintf("gpu_install('%s')", variant("right")), cache, "GPUGEO_CUDA_LIB=/nowhere.so"
  )
  expect_identical(shown[2], "gpugeo does not use it: /nowhere.so does not exist")
  shown <- install(
    sprintf("gpu_install('%s')", variant("right")), cache,
    paste0("GPUGEO_CUDA_LIB=", variant("good"))
  )
  expect_identical(
    shown[2],
    sprintf("gpugeo uses %s instead, which comes before it: see gpu_info()", variant("good"))
  )
})

test_that("errors of the disk name the folder", {
  file <- tempfile()
  file.create(file)
  folder <- tempfile()
  dir.create(file.path(folder, "R", "gpugeo"), recursive = TRUE)
  Sys.chmod(file.path(folder, "R", "gpugeo"), "0555")
  on.exit({
    Sys.chmod(file.path(folder, "R", "gpugeo"), "0755")
    unlink(c(file, folder), recursive = TRUE)
  })
  argument <- sprintf("'%s'", variant("right"))
  expect_refused(
    argument, sprintf("folder \"%s/R/gpugeo\" cannot be created: Not a directory", file), file
  )
  skip_if(file.access(file.path(folder, "R", "gpugeo"), 2) == 0, "root may write to any folder")
  expect_refused(
    argument, sprintf("folder \"%s/R/gpugeo\" cannot be written to: Permission denied", folder),
    folder
  )
})

# Serves a file over HTTP to two calls: the second gets an error. Writes its port.
server <- c(
  "for (port in sample(20000:60000, 50)) {",
  "  server <- tryCatch(serverSocket(port), error = function(e) NULL)",
  "  if (!is.null(server)) break",
  "}",
  "cat('port', port, '\\n')",
  "bytes <- readBin(file, 'raw', file.size(file))",
  "for (status in c('200 OK', '404 Not Found')) {",
  "  call <- socketAccept(server, blocking = TRUE, open = 'r+b', timeout = 600)",
  "  while (nzchar(readLines(call, 1))) NULL",
  "  head <- sprintf('HTTP/1.0 %s\\r\\nContent-Length: %d\\r\\n\\r\\n', status, length(bytes))",
  "  writeBin(c(charToRaw(head), bytes), call)",
  "  close(call)",
  "}"
)

test_that("an address of http is downloaded", {
  sum <- sum_of(variant("right"))
  output <- tempfile()
  cache <- new_cache()
  on.exit(unlink(c(output, cache), recursive = TRUE))
  start_rscript(c(sprintf("file <- '%s'", variant("right")), server), output)
  skip_if_not(wait_for("^port [0-9]+ $", output), "there is no server")
  port <- sub("\\D+", "", trimws(readLines(output)[1]))
  address <- sprintf("http://127.0.0.1:%s/library.so", port)
  call <- sprintf("gpu_install('%s', '%s')", address, sum)
  shown <- install(call, cache, "no_proxy=127.0.0.1")
  expect_identical(shown[1], paste(place_in(cache), "is installed and was tested on variant"))
  expect_identical(sum_of(place_in(cache)), sum)
  shown <- install(call, cache, "no_proxy=127.0.0.1")
  expect_match(
    paste(shown, collapse = " "),
    sprintf("^gpugeo_error: \"%s\" cannot be downloaded: .*404 Not Found", address)
  )
  expect_identical(list.files(cache, recursive = TRUE), "R/gpugeo/libgpugeo_cuda.so")
})
