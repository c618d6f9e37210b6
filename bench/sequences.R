# Distances of sequences, their trees and the reading of files, and peers, all timed in this run.
#
#   Rscript --min-vsize=4G bench/sequences.R [--label=NAME] [--only=PART,PART] [--long] [--data=FOLDER]
#     [--python=PROGRAM] [--clock=cpu]
#   or: make bench
#
# Parts, all by default: made (distances of 1,000 genomes), bacteria (151 of 4.41 million sites), edit, alleles,
# bootstrap, genomes, gpu. bench/trees.R times neighbour joining.
#
# Prints a table and writes it to bench/results/sequences-<label>.csv. Two threads. Rows without an installed peer, or
# without their data, are left out with a line that says so. --python is a Python with hammingdist, pairsnp, rapidfuzz
# and Levenshtein (python3). Sequences are made up: each differs from the first at a share of the sites, and lacks bases
# at others. The genomes of SARS-CoV-2 are those of sequences/sars-cov-2_64000.fasta.xz in FOLDER (../shared/data), the
# first 4,000 of them; --long takes all, and peers that take minutes. Part gpu compares a GPU with all CPU threads on
# made-up sequences: 4,000, and with --long 64,000 on the GPU only (40 GB).
#
# --clock=cpu gives the processor's seconds of all threads, for machines that others use: for two threads, twice the
# time of a call on two processors that nobody else has.

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

# n sequences of class DNAbin, each of which is an earlier one with a share of the sites drawn anew.
descended <- function(n, sites, change = 0.01) {
  codes <- as.raw(c(0x88, 0x28, 0x48, 0x18))
  x <- matrix(sample(codes, sites, TRUE), n, sites, byrow = TRUE)
  for (i in seq_len(n)[-1]) {
    x[i, ] <- x[sample.int(i - 1, 1), ]
    x[i, sample.int(sites, change * sites)] <- sample(codes, change * sites, TRUE)
  }
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

python <- argument("python", "python3")

# A peer of R with its version, and its seconds times `scale`; NA if it is not installed.
r_peer <- function(name, expression, scale = 1) {
  package <- sub(":.*", "", name)
  if (!installed(package)) return(list(name = name, seconds = NA))
  timed <- bquote(seconds(.(substitute(expression)))) # the expression itself, to be evaluated again and again
  list(name = paste(name, utils::packageVersion(package)), seconds = scale * eval(timed, parent.frame()))
}

# The same of Python, of bench/sequence_peers.py.
python_peer <- function(package, file, scale = 1) {
  peer <- run_python(python, c("bench/sequence_peers.py", clock, file, package), package)
  list(name = paste(package, peer$version), seconds = scale * peer$seconds)
}

# The least seconds of three runs.
least <- function(expression) {
  code <- substitute(expression)
  frame <- parent.frame()
  once <- function(run) {
    start <- now()
    eval(code, frame)
    now() - start
  }
  min(vapply(1:3, once, 0))
}

# Adds a row for each peer.
compare <- function(what, size, ours, peers, target = NA_character_) {
  for (peer in peers) report(what, size, ours, peer$name, peer$seconds, target)
}

# Writes n sequences as FASTA. sequence: a function of the number of one, whose value is raw letters
write_fasta <- function(n, sequence, file) {
  connection <- file(file, "wb")
  on.exit(close(connection))
  for (i in seq_len(n)) writeBin(c(charToRaw(paste0(">s", i, "\n")), sequence(i), charToRaw("\n")), connection)
}

if (runs_part("made")) {
  set.seed(1)
  x <- made_up(1000, 29903)
  for (model in c("N", "TN93", "logdet")) {
    ours <- seconds(gpu_dist_dna(x, model, pairwise.deletion = TRUE))
    peer <- r_peer("ape::dist.dna", ape::dist.dna(x, model, pairwise.deletion = TRUE))
    compare(paste0("distances, ", model), "1000 x 29903", ours, list(peer), if (model == "N") "100 times ape" else NA)
  }
  file <- tempfile(fileext = ".fa")
  letters <- rep(charToRaw("N"), 256)
  letters[1 + c(0x88, 0x28, 0x48, 0x18)] <- charToRaw("ACGT")
  write_fasta(1000, function(i) letters[1 + as.integer(x[i, ])], file)
  whole <- seconds(gpu_dist_dna(gpu_read_fasta(file), "snp"))
  compare("FASTA to snp", "1000 x 29903", whole, list(python_peer("hammingdist", file), python_peer("pairsnp", file)))
  ours <- seconds(gpu_read_fasta(file))
  compare("read FASTA", "30 MB", ours, list(r_peer("ape::read.FASTA", ape::read.FASTA(file))))
  unlink(file)
}

# The genomes of bacteria: 1,000 sites of each differ from the first one, and 100 stretches of 400 sites are unknown.
if (runs_part("bacteria")) {
  set.seed(2)
  sites <- 4.41e6
  codes <- charToRaw("ACGT")
  first <- sample(codes, sites, TRUE)
  file <- tempfile(fileext = ".fa")
  write_fasta(151, function(i) {
    first[sample.int(sites, 1000)] <- sample(codes, 1000, TRUE)
    first[outer(0:399, sample.int(sites - 400, 100), "+")] <- charToRaw("N")
    first
  }, file)
  size <- file.size(file) / 1e9
  reading <- least(gpu_read_fasta(file))
  report("read FASTA, GB a second, not s", sprintf("%.2f GB", size), size / reading, "none", NA, "1 GB/s")
  x <- gpu_read_fasta(file)
  ours <- least(gpu_dist_dna(x, "snp"))
  # The peer's time is that of 11 genomes, by the number of pairs.
  few <- if (installed("ape")) ape::as.DNAbin(x[1:11])
  peers <- list(r_peer("ape::dist.dna", ape::dist.dna(few, "N", pairwise.deletion = TRUE), 151 * 150 / 110))
  compare("snp", "151 x 4410000", ours, peers, "2 s")
  if (long) {
    peers <- list(python_peer("hammingdist", file), python_peer("pairsnp", file))
    compare("FASTA to snp", "151 x 4410000", ours + reading, peers)
  }
  unlink(file)
  rm(x)
}

if (runs_part("alleles")) {
  alleles <- matrix(sample.int(50L, 2000 * 3000, TRUE), 2000)
  report("alleles", "2000 x 3000", seconds(gpu_dist_alleles(alleles)), "none", NA)
}

# The peer's time is that of 2 replicates, 50 times. Sequences without a tree, which all differ from the first one
# alike, are the worst case of neighbour joining: no bound leaves rows out.
if (runs_part("bootstrap")) {
  maker <- function(x) ape::nj(ape::dist.dna(x))
  for (name in c("", ", without a tree")) {
    set.seed(3)
    x <- if (name == "") descended(500, 10000) else made_up(500, 10000)
    tree <- gpu_nj(gpu_dist_dna(x))
    peer <- r_peer("ape::boot.phylo", ape::boot.phylo(tree, x, maker, 2, quiet = TRUE), 50)
    target <- if (name == "") "50 times ape" else NA
    compare(paste0("bootstrap, 100", name), "500 x 10000", seconds(gpu_boot_phylo(x)), list(peer), target)
  }
}

# CDR3s of 12 to 18 letters; half of them differ from another one by at most one letter. The peers' times are those of
# 2,000, by the number of pairs.
if (runs_part("edit")) {
  set.seed(4)
  letters <- strsplit("ACDEFGHIKLMNPQRSTVWY", "")[[1]]
  texts <- vapply(1:5e4, function(i) paste(sample(letters, 12 + i %% 7, TRUE), collapse = ""), "")
  near <- texts
  substr(near, 5, 5) <- sample(letters, 5e4, TRUE)
  texts <- sample(c(texts, near))
  few <- tempfile()
  writeLines(texts[1:2000], few)
  ours <- seconds(gpu_dist_edit(texts, max = 1, neighbors = TRUE))
  of_r <- r_peer(
    "stringdist::stringdistmatrix", stringdist::stringdistmatrix(texts[1:2000], method = "lv", nthread = 2), 2500
  )
  # rapidfuzz computes each pair twice.
  compare("edit distances within 1", "100000", ours,
          list(of_r, python_peer("rapidfuzz", few, 2500), python_peer("Levenshtein", few, 2500)), "2 s")
}

if (runs_part("gpu") && has_gpu) {
  for (n in c(4000, if (long) 64000)) {
    set.seed(1)
    x <- made_up(n, 29903)
    for (model in c("N", "TN93", "K81", "logdet")) {
      distances <- function(backend) {
        threads <- parallel::detectCores()
        invisible(gpu_dist_dna(x, model, pairwise.deletion = TRUE, backend = backend, threads = threads))
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
