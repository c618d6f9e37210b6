written <- function(...) {
  file <- tempfile()
  writeLines(c(...), file)
  file
}

# Bases of class DNAbin, without package ape.
dnabin <- function(...) {
  codes <- c(A = 0x88, C = 0x28, G = 0x48, T = 0x18, N = 0xF0, `-` = 0x04)
  rows <- lapply(strsplit(c(...), ""), function(letters) as.raw(codes[letters]))
  structure(do.call(rbind, rows), class = "DNAbin")
}

text <- c(a = "ACGTACGTAC", b = "ACGTACGTAT", c = "ACGAACTTAC")

test_that("files of sequences are read", {
  x <- gpu_read_fasta(written(">a b ", "ACgu", "ryn-", "", ">c", ">a b", "x.?"))
  expect_s3_class(x, "gpu_sequences")
  expect_length(x, 3)
  expect_identical(names(x), c("a b", "c", "a b"))
  expect_identical(as.character(x), c(`a b` = "ACGTRYN-", c = "", `a b` = "N??"))
  expect_identical(as.character(x["c"]), c(c = ""))
  expect_identical(as.character(x[c(3, 1)]), as.character(x)[c(3, 1)])
  expect_identical(as.character(x[-(1:2)]), c(`a b` = "N??"))
  expect_identical(x[], x)
  expect_length(x[0], 0)
  expect_error(x["nowhere"], "i must be numbers or names of sequences", class = "gpugeo_error")
  expect_error(x[4], "i must be", class = "gpugeo_error")
  names(x) <- 1:3
  expect_identical(names(x), c("1", "2", "3"))
  expect_error(names(x) <- 1:2, "value must be 3 names, not", class = "gpugeo_error")
  expect_output(print(x), "3 sequences of DNA, 0 to 8 sites\nnames: 1, 2, 3", fixed = TRUE)
  expect_length(gpu_read_fasta(written(character())), 0)
})

test_that("compressed files are read, and what is no FASTA file is refused", {
  file <- tempfile(fileext = ".gz")
  connection <- gzfile(file, "w")
  writeLines(c(">a", strrep("ACGT", 5000)), connection)
  close(connection)
  expect_identical(as.character(gpu_read_fasta(file)), c(a = strrep("ACGT", 5000)))
  refused <- function(file, message) {
    expect_error(gpu_read_fasta(file), message, fixed = TRUE, class = "gpugeo_error")
  }
  refused(written("ACGT"), "line 1: the first line of a FASTA file must begin with \">\", not with")
  refused(written(">a", "ACGT", "AC!T"), "line 3: a letter of a sequence must be one of ACGTURYSWK")
  refused(tempfile(), "cannot be read: No such file")
  refused(NULL, "path must be")
  refused(tempdir(), "must be a regular file")
})

test_that("names that are not UTF-8 are taken for Latin-1", {
  file <- tempfile()
  writeBin(c(charToRaw(">caf"), as.raw(0xe9), charToRaw("\nACGT\n")), file)
  expect_identical(names(gpu_read_fasta(file)), "caf\u00e9")
  writeBin(charToRaw(">caf\u00e9\nACGT\n"), file)
  expect_identical(names(gpu_read_fasta(file)), "caf\u00e9")
})

test_that("all kinds of sequences give the same distances", {
  d <- gpu_dist_dna(text, "N")
  expect_identical(as.vector(d), c(1, 2, 3))
  expect_identical(attr(d, "Size"), 3L)
  expect_identical(attr(d, "Labels"), c("a", "b", "c"))
  expect_identical(attr(d, "method"), "N")
  expect_identical(attr(d, "call"), quote(gpu_dist_dna(x = text, model = "N")))
  expect_null(attr(d, "variance"))
  same <- function(x) expect_identical(as.vector(gpu_dist_dna(x, "N")), c(1, 2, 3))
  same(unname(text))
  same(tolower(text))
  same(do.call(rbind, strsplit(text, "")))
  same(strsplit(text, ""))
  same(dnabin(text))
  same(structure(lapply(text, function(x) c(unclass(dnabin(x)))), class = "DNAbin"))
  same(gpu_read_fasta(written(rbind(paste0(">", names(text)), text))))
  expect_identical(as.matrix(d), gpu_dist_dna(text, "n", as.matrix = TRUE))
})

test_that("distances have variances", {
  p <- c(1, 2, 3) / 10
  d <- gpu_dist_dna(text, "JC69", variance = TRUE)
  expect_equal(as.vector(d), -3 / 4 * log(1 - 4 / 3 * p), tolerance = 1e-14)
  expect_equal(attr(d, "variance"), p * (1 - p) / (10 * (1 - 4 / 3 * p)^2), tolerance = 1e-14)
  square <- gpu_dist_dna(text, "JC69", variance = TRUE, as.matrix = TRUE)
  expect_identical(attr(square, "variance"), attr(d, "variance"))
  expect_equal(
    as.vector(gpu_dist_dna(text, "JC69", gamma = TRUE)), 3 / 4 * ((1 - 4 / 3 * p)^-1 - 1),
    tolerance = 1e-14
  )
  expect_identical(gpu_dist_dna(text, gamma = TRUE)[1], gpu_dist_dna(text, gamma = 1)[1])
})

test_that("deletion of sites, and few sequences", {
  x <- c("AC-T", "ACGA", "NCGA")
  expect_identical(as.vector(gpu_dist_dna(x, "N")), c(1, 1, 0))
  expect_identical(as.vector(gpu_dist_dna(x, "raw")), c(1, 1, 0) / 2)
  expect_identical(as.vector(gpu_dist_dna(x, "raw", pairwise.deletion = TRUE)), c(1 / 3, 1 / 2, 0))
  expect_identical(as.vector(gpu_dist_dna(c("AN", "NA"))), NaN)
  expect_identical(as.vector(gpu_dist_dna(c("A-", "NA", "--"), "indel")), c(1, 1, 2))
  for (model in c("K80", "GG95", "indelblock", "snp")) {
    expect_length(gpu_dist_dna(character(), model), 0)
    expect_length(gpu_dist_dna("ACGT", model), 0)
  }
  expect_identical(dim(gpu_dist_dna(text, "BH87")), c(3L, 3L))
  expect_identical(rownames(gpu_dist_dna(text, "BH87")), names(text))
})

test_that("the report has the function", {
  gpu_dist_dna(text, threads = 1)
  expect_identical(gpu_info()$last$`function`, "gpu_dist_dna")
  gpu_dist_alleles(rbind(1:3, 2:4), threads = 1)
  expect_identical(gpu_info()$last$`function`, "gpu_dist_alleles")
})

test_that("what is wrong is refused", {
  refused <- function(message, ...) {
    expect_error(gpu_dist_dna(...), message, fixed = TRUE, class = "gpugeo_error")
  }
  refused(
    paste(
      "x must have sequences of equal lengths, but sequence 2 (\"b\") has 3 sites and sequence 1",
      "(\"a\") has 2"
    ),
    c(a = "AC", b = "ACG")
  )
  refused("x must be sequences: of gpu_read_fasta()", 1)
  refused("x must be sequences: of gpu_read_fasta()", NULL)
  refused("x must be sequences: of gpu_read_fasta()", NA_character_)
  refused("x must be one of ACGTURYSWKMBDHVNX-.?, but letter 2 is \"Z\"", c("AC", "AZ"))
  refused("x must have one letter in each element", matrix(c("A", "CG"), 2))
  refused("model must be one of \"RAW\", \"JC69\"", text, "HKY85")
  refused("model must be one of", text, "K8")
  refused("model must be a single string, not 3", text, 3)
  refused("gamma must be false, true or a positive number, not -1", text, gamma = -1)
  refused("gamma must be false, true or a positive number, not \"a\"", text, gamma = "a")
  refused("gamma must be false for model \"RAW\", which has none", text, "raw", gamma = 2)
  refused("variance must be false for model \"N\", which has none", text, "N", variance = TRUE)
  refused("variance must be true or false, not 3", text, variance = 3)
  refused("pairwise.deletion must be true or false, not NA", text, pairwise.deletion = NA)
  refused("base.freq must be the shares of A, C, G and T", text, "F81", base.freq = c(1, 1))
  refused(
    paste(
      "base.freq must be \"pair\" only with model \"F81\", \"F84\", \"T92\" or \"TN93\",",
      "not with \"K80\""
    ),
    text, "K80", base.freq = "pair"
  )
  refused("base.freq must be", text, "F81", base.freq = "pairs")
  refused("sites must be true or false, not 3", text, sites = 3)
  refused("all.letters must be true or false, not 3", text, "snp", all.letters = 3)
  refused(
    "all.letters must be false for model \"N\", which has none", text, "N", all.letters = TRUE
  )
  refused("as.matrix must be true or false", text, as.matrix = NULL)
  refused(
    "backend must be \"auto\" or \"cpu\" for model \"GG95\", not \"cuda\"", text, "GG95",
    backend = "cuda"
  )
})

test_that("a GPU gives the same bits", {
  skip_if_not("cuda" %in% backends, "no CUDA device")
  set.seed(5)
  x <- matrix(sample(c("a", "c", "g", "t", "n"), 70 * 300, TRUE, c(4, 3, 3, 4, 1)), 70)
  for (model in c("TN93", "logdet", "N")) {
    for (deletion in c(FALSE, TRUE)) {
      both <- lapply(c("cpu", "cuda"), function(backend) {
        d <- gpu_dist_dna(x, model, pairwise.deletion = deletion, backend = backend)
        expect_identical(gpu_info()$last$backend, backend)
        as.vector(d)
      })
      expect_identical(both[[1]], both[[2]])
    }
  }
})

test_that("alleles are counted", {
  x <- rbind(a = c(1, 2, 3, 4), b = c(1, 2, 5, 0), c = c(2, 2, 3, NA))
  d <- gpu_dist_alleles(x)
  expect_identical(as.vector(d), c(1, 1, 2))
  expect_identical(attr(d, "Labels"), rownames(x))
  expect_s3_class(d, "dist")
  expect_identical(as.vector(gpu_dist_alleles(as.data.frame(x))), c(1, 1, 2))
  storage.mode(x) <- "integer"
  expect_identical(as.vector(gpu_dist_alleles(x)), c(1, 1, 2))
  expect_length(gpu_dist_alleles(x[1, , drop = FALSE]), 0)
  expect_error(gpu_dist_alleles(cbind(c(1, -1))), "but row 2, column 1 is -1", fixed = TRUE)
})

test_that("package ape gives the same distances", {
  skip_if_not_installed("ape")
  woodmouse <- NULL
  utils::data("woodmouse", package = "ape", envir = environment())
  models <- c(
    "raw", "JC69", "K80", "F81", "K81", "F84", "T92", "TN93", "GG95", "logdet", "paralin", "N",
    "TS", "TV", "indel", "indelblock"
  )
  for (model in models) {
    for (pairwise in if (model == "paralin") FALSE else c(FALSE, TRUE)) {
      theirs <- ape::dist.dna(woodmouse, model, pairwise.deletion = pairwise)
      ours <- gpu_dist_dna(woodmouse, model, pairwise.deletion = pairwise)
      expect_lte(max(abs(ours - theirs)), 1e-14)
      for (name in c("Size", "Labels", "Upper", "Diag", "class")) {
        expect_identical(attr(ours, name), attr(theirs, name))
      }
    }
  }
  x <- gpu_read_fasta(written(c(">a", "ACGN", ">b", "A-CR")))
  expect_identical(as.character(ape::as.DNAbin(x))[, 4], c(a = "n", b = "r"))
  x <- gpu_read_fasta(written(c(">a", "ACGN", ">b", "A")))
  expect_identical(lengths(as.character(ape::as.DNAbin(x))), c(a = 4L, b = 1L))
})

test_that("objects are taken that as.character() makes sequences of", {
  sequences <- c(a = "ACGTAC", b = "ACGTTC", c = "AC-TTN")
  letters <- do.call(rbind, strsplit(sequences, ""))
  expected <- gpu_dist_dna(sequences, "N", pairwise.deletion = TRUE)
  made <- list(phyDat = letters, XStringSet = sequences)
  methods <- paste0("as.character.", names(made))
  on.exit(rm(list = methods, envir = globalenv()))
  for (class in names(made)) { # as packages phangorn and Biostrings have them
    method <- local({
      text <- made[[class]]
      function(x, ...) text
    })
    assign(paste0("as.character.", class), method, envir = globalenv())
    d <- gpu_dist_dna(structure(list(), class = class), "N", pairwise.deletion = TRUE)
    expect_identical(c(d), c(expected))
    expect_identical(attr(d, "Labels"), c("a", "b", "c"))
  }
})

test_that("shares of bases are those of each pair, and its sites are counted", {
  set.seed(4)
  letters <- matrix(sample(c("A", "C", "G", "T"), 300, TRUE, c(4, 2, 1, 3)), 5, 300, byrow = TRUE)
  changed <- sample(length(letters), 150)
  letters[changed] <- sample(c("A", "C", "G", "T", "N", "-"), 150, TRUE)
  pairs <- utils::combn(5, 2)
  of_pair <- function(k, model, ...) {
    two <- letters[pairs[, k], ]
    two <- two[, colSums(two == "N" | two == "-") == 0]
    shares <- as.vector(table(factor(two, c("A", "C", "G", "T")))) / length(two)
    c(gpu_dist_dna(two, model, base.freq = shares, ...), ncol(two))
  }
  for (model in c("F81", "F84", "T92", "TN93")) {
    ours <- gpu_dist_dna(letters, model,
      pairwise.deletion = TRUE, base.freq = "pair", sites = TRUE
    )
    expected <- vapply(seq_len(ncol(pairs)), of_pair, c(0, 0), model = model)
    expect_equal(as.vector(ours), expected[1, ], tolerance = 1e-13)
    expect_identical(attr(ours, "sites"), expected[2, ])
  }
  known <- sum(colSums(letters == "N" | letters == "-") == 0)
  for (model in c("N", "RAW", "K80", "LOGDET", "snp", "INDEL", "INDELBLOCK", "BH87")) {
    d <- gpu_dist_dna(letters, model, pairwise.deletion = TRUE, sites = TRUE)
    counted <- attr(d, "sites")
    if (model == "BH87") {
      counted <- matrix(counted, 5)
      expect_identical(diag(counted), rowSums(letters != "N" & letters != "-"))
      counted <- counted[lower.tri(counted)]
    }
    expect_identical(counted, if (grepl("INDEL", model)) rep(300, 10) else expected[2, ])
    d <- gpu_dist_dna(letters, model, sites = TRUE)
    if (!grepl("INDEL|snp|BH87", model)) expect_identical(attr(d, "sites"), rep(known, 10) + 0)
  }
  expect_null(attr(gpu_dist_dna(letters), "sites"))
})

test_that("all letters that differ are counted", {
  set.seed(6)
  known <- strsplit("ACGTRMWSKYVHDBN-?", "")[[1]]
  letters <- matrix(sample(known, 200, TRUE), 40, 200, byrow = TRUE)
  letters[sample(length(letters), 900)] <- sample(known, 900, TRUE)
  d <- gpu_dist_dna(letters, "SNP", all.letters = TRUE, sites = TRUE)
  pairs <- utils::combn(40, 2)
  differ <- apply(pairs, 2, function(k) sum(letters[k[1], ] != letters[k[2], ]))
  expect_identical(as.vector(d), differ + 0)
  expect_identical(attr(d, "sites"), rep(200, ncol(pairs)))
})
