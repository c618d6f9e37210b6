# Distances of sequences and reading of files, and peers, all timed in this run.
#
#   Rscript --min-vsize=4G bench/sequences.R [--label=NAME] [--only=made|genomes|gpu] [--long] [--data=FOLDER]
#   or: make bench
#
# Prints a table and writes it to bench/results/sequences-<label>.csv. Two threads. Rows without an installed peer, or
# without their data, are left out with a line that says so. Sequences are made up: each differs from the first at a
# share of the sites, and lacks bases at others. The genomes of SARS-CoV-2 are those of
# sequences/sars-cov-2_64000.fasta.xz in FOLDER (../shared/data), the first 4,000 of them; --long takes all. Part gpu compares a GPU with all CPU threads on made-up
# sequences: 4,000, and with --long 64,000 on the GPU only (40 GB).

source("bench/common.R")
options(gpugeo.backend = "cpu", gpugeo.threads = 2)

# n sequences of class DNAbin.
made_up <- function(n, sites, differ = 0.001, missing = 0.002) {
  codes <- as.raw(c(0x88, 0x28, 0x48, 0x18))
  first <- sample(codes, sites, TRUE)
  x <- matrix(first, n, sites, byrow = TRUE)
  changed <- sample(length(x), differ * length(x))
  x[changed] <- sample(codes, length(changed), TRUE)
  x[sample(length(x), missing * length(x))] <- as.raw(0xF0)
  structure(x, dimnames = list(paste0("s", seq_len(n)), NULL), class = "DNAbin")
}

# The path of the genomes as FASTA, NULL where they are not there.
unpack_genomes <- function() {
  packed <- file.path(argument("data", "../shared/data"), "sequences/sars-cov-2_64000.fasta.xz")
  if (!file.exists(packed)) {
    cat("Not there, so not timed:", packed, "\n")
    return(NULL)
  }
  path <- file.path(tempdir(), "genomes.fasta")
  if (system2("xz", c("-dc", shQuote(packed)), stdout = path) == 0L) path
}

long <- "--long" %in% arguments

if (runs_part("made")) {
  set.seed(1)
  x <- made_up(1000, 29903)
  peer <- installed("ape")
  for (model in c("N", "TN93", "logdet")) {
    ours <- seconds(gpu_dist_dna(x, model, pairwise.deletion = TRUE))
    theirs <- if (peer) seconds(ape::dist.dna(x, model, pairwise.deletion = TRUE)) else NA
    report(paste0("distances, ", model), "1000 x 29903", ours, "ape::dist.dna", theirs)
  }

  file <- tempfile(fileext = ".fa")
  lines <- rbind(paste0(">", rownames(x)), apply(matrix(c("A", "C", "G", "T"), 1000, 29903), 1, paste, collapse = ""))
  writeLines(lines, file)
  ours <- seconds(gpu_read_fasta(file))
  theirs <- if (peer) seconds(ape::read.FASTA(file)) else NA
  report("read FASTA", "30 MB", ours, "ape::read.FASTA", theirs)
  unlink(file)

  alleles <- matrix(sample.int(50L, 2000 * 3000, TRUE), 2000)
  report("alleles", "2000 x 3000", seconds(gpu_dist_alleles(alleles)), "none", NA)

  # The peer's time is that of 2 replicates, 50 times.
  x <- made_up(500, 10000)
  tree <- gpu_nj(gpu_dist_dna(x))
  theirs <- if (peer) {
    50 * seconds(ape::boot.phylo(tree, x, function(x) ape::nj(ape::dist.dna(x)), 2, quiet = TRUE))
  } else {
    NA
  }
  report("bootstrap, 100", "500 x 10000", seconds(gpu_boot_phylo(x)), "ape::boot.phylo", theirs)

  # The peer's time is that of 2,000 texts, by the number of pairs.
  letters <- strsplit("ACDEFGHIKLMNPQRSTVWY", "")[[1]]
  texts <- vapply(1:1e5, function(i) paste(sample(letters, 12 + i %% 7, TRUE), collapse = ""), "")
  peer <- installed("stringdist")
  theirs <- if (peer) 2500 * seconds(stringdist::stringdistmatrix(texts[1:2000], method = "lv", nthread = 2)) else NA
  ours <- seconds(gpu_dist_edit(texts, max = 1, neighbors = TRUE))
  report("edit distances within 1", "100000", ours, "stringdist::stringdistmatrix", theirs)
}

if (runs_part("gpu") && has_gpu) {
  for (n in c(4000, if (long) 64000)) {
    set.seed(1)
    x <- made_up(n, 29903)
    for (model in c("N", "TN93", "K81", "logdet")) {
      distances <- function(backend) {
        invisible(gpu_dist_dna(x, model, pairwise.deletion = TRUE, backend = backend, threads = parallel::detectCores()))
      }
      ours <- seconds(distances("cuda"))
      report(paste0("distances on a GPU, ", model), paste(n, "x 29903"), ours, "all CPU threads",
             if (n <= 4000) seconds(distances("cpu")) else NA, if (n > 4000 && model == "TN93") "1.5 s")
    }
  }
}

if (runs_part("genomes") && !is.null(path <- unpack_genomes())) {
  size <- file.size(path) / 1e9
  time <- system.time(x <- gpu_read_fasta(path), gcFirst = FALSE)[["elapsed"]]
  report("read genomes, GB a second, not s", sprintf("%.2f GB", size), size / time, "none", NA)
  if (!long) x <- x[1:4000]
  for (model in c("N", "TN93")) {
    time <- system.time(d <- gpu_dist_dna(x, model, pairwise.deletion = TRUE), gcFirst = FALSE)[["elapsed"]]
    report(paste0("genomes, ", model), paste(length(x), "x 29903"), time, "none", NA)
  }
  if (!long) report("genomes, nj", length(x), seconds(gpu_nj(d)), "none", NA)
}
