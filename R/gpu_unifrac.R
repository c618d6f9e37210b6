#' UniFrac distances
#'
#' Computes distances between samples of taxa along a tree, for all five definitions of UniFrac, on
#' all CPU cores, and three of them on a CUDA device. The tree may have polytomies, nodes of one
#' child, and any depth.
#'
#' @param x Samples in rows and taxa in columns: a matrix, a data frame or a sparse matrix, which
#'   stays sparse. Names of columns are tips of `tree`, in any order. Or a `phyloseq` or
#'   `TreeSummarizedExperiment` object, which has its own tree. See [gpu_inputs].
#' @param tree An object of class `"phylo"`, or the path of a Newick file, see [gpu_read_newick()].
#'   All edges have lengths of at least 0. `NULL`: that of `x`.
#' @param type `"unweighted"`, `"weighted"`, `"normalized"`, `"generalized"` or `"variance"`, or the
#'   beginning of one.
#' @param alpha The weight of abundant branches in `"generalized"`, from 0 to 1.
#' @param ... `assay`, which selects a part of `x`, see [gpu_inputs].
#' @param root Whether the base of the tree is its root also if three or more branches meet there,
#'   as in a tree without a root. By default such a tree is an error, unless it has a `root.edge`.
#'   Roots are never chosen here: `ape::root(tree, outgroup, resolve.root = TRUE)` makes a rooted
#'   tree.
#' @inheritParams gpu_settings
#' @param file,file_shape,file_name,file_precision A file to which distances are written, and its
#'   form, as in [gpu_dist()].
#'
#' @return With `file` an object of class [`"gpu_dist_file"`][gpu_dist_file], else one of class
#'   `dist` with the attributes `Size`, `Labels`, `Upper`, `Diag`, `method` (the type) and `call`.
#'
#' @section Types: For a branch of length L let a and b be the shares of the individuals of two
#'   samples that are below it, and n the number of individuals of both below it, of N in all. Sums
#'   run over the branches above individuals of at least one of both samples.
#'
#' | `type` | distance |
#' |---|---|
#' | `"unweighted"` | `sum(L where a = 0 or b = 0) / sum(L)` |
#' | `"weighted"` | `sum(L * abs(a - b))` |
#' | `"normalized"` | `sum(L * abs(a - b)) / sum(L * (a + b))` |
#' | `"generalized"` | `sum(w * abs(a - b) / (a + b)) / sum(w)`, `w = L * (a + b)^alpha` |
#' | `"variance"` | `sum(w * abs(a - b)) / sum(w * (a + b))`, `w = L / sqrt(n * (N - n))` |
#'
#' The first is of Lozupone and Knight (2005), the next two of Lozupone et al. (2007),
#' `"generalized"` of Chen et al. (2012), and `"variance"`, without branches of n = N, of Chang et
#' al. (2011).
#'
#' `"generalized"` is `"normalized"` for `alpha = 1`. The lengths are those of the whole tree: tips
#' without individuals do not count, and `root.edge` does not.
#'
#' @section Samples without individuals: They have no branches and shares of 0, with a warning. The
#'   distance between two of them is `NaN`; that to another sample is 1, and for `"weighted"` the
#'   mean distance of its individuals from the root. Two other samples have distance 0 if the
#'   formula is 0 / 0.
#'
#' @section Backends: CUDA computes `"unweighted"`, `"weighted"`, `"normalized"`, and
#'   `"generalized"` with `alpha = 1`, up to 2^31 - 1 branches above individuals of all samples, but
#'   not to a file.
#'
#' @section Bits: Results have the same bits on the CPU and on CUDA, for any number of threads, and
#'   for sparse and dense input. Sums of all types but `"variance"` are exact: terms are rounded to
#'   whole multiples of a power of two, at most 2^-49 of a bound of the sum that depends on the tree
#'   (its length for `"unweighted"`, its height for `"weighted"` and `"normalized"`). `"variance"`
#'   adds up in the order of the branches. Working memory is 12 bytes, with `"generalized"` 20, for
#'   each branch above individuals of each sample.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references
#' C. Lozupone and R. Knight (2005). UniFrac: a new phylogenetic method for comparing microbial
#' communities. *Applied and Environmental Microbiology* 71, 8228-8235.
#' doi:10.1128/AEM.71.12.8228-8235.2005
#'
#' C. A. Lozupone, M. Hamady, S. T. Kelley and R. Knight (2007). Quantitative and qualitative beta
#' diversity measures lead to different insights into factors that structure microbial communities.
#' *Applied and Environmental Microbiology* 73, 1576-1585. doi:10.1128/AEM.01996-06
#'
#' Q. Chang, Y. Luan and F. Sun (2011). Variance adjusted weighted UniFrac. *BMC Bioinformatics* 12,
#' 118. doi:10.1186/1471-2105-12-118
#'
#' J. Chen et al. (2012). Associating microbiome composition with environmental covariates using
#' generalized UniFrac distances. *Bioinformatics* 28, 2106-2113. doi:10.1093/bioinformatics/bts342
#'
#' @seealso [gpu_vegdist()] for distances without a tree, [gpu_diversity()] for Faith's phylogenetic
#'   diversity; [gpu_hclust()], [gpu_pcoa()] and [gpu_adonis2()], which take the result.
#'
#' @examples
#' tree <- gpu_read_newick(text = "((a:1,b:2):1,(c:1,d:3):2);")
#' counts <- rbind(
#'   one = c(a = 3, b = 0, c = 1, d = 0), two = c(0, 5, 1, 0), three = c(0, 0, 2, 7)
#' )
#' gpu_unifrac(counts, tree)
#' gpu_unifrac(counts, tree, "weighted")
#' gpu_unifrac(counts, tree, "generalized", alpha = 0.25)
#' @export
gpu_unifrac <- function(x, tree = NULL,
                        type = c(
                          "unweighted", "weighted", "normalized", "generalized", "variance"
                        ), alpha = 0.5, ..., root = FALSE,
                        backend = NULL, threads = NULL, device = NULL, progress = NULL,
                        memory_limit = NULL,
                        file = NULL, file_shape = "condensed", file_name = NULL,
                        file_precision = "double") {
  call <- sys.call()
  from <- input_reader(match.call(expand.dots = FALSE)$..., list(...), list(x), memory_limit, call,
    metric = NULL
  )
  type <- choose_one(type, core_choices("unifrac", "type"), "type", call)
  bar <- progress_bar("Distances")
  on.exit(bar$close())
  settings <- run_settings(
    backend, threads, device, "double", progress, bar$update, memory_limit
  )
  samples <- samples_on_tree(x, tree, 1, from)
  options <- list(type = type, alpha = alpha, root = root)
  labels <- rownames(samples[[1L]])
  if (!is.null(file)) {
    output <- list(
      source = "unifrac", `function` = "gpu_unifrac", file = expand(file), file_shape = file_shape,
      file_name = file_name, file_precision = file_precision, labels = labels
    )
    .Call(C_dist_file_write, c(samples, list(options)), output, settings, call)
    warn_of_empty_samples(samples[[1L]], call)
    return(open_dist_file(expand(file), file_name, call))
  }
  d <- .Call(C_unifrac, samples, options, settings, call)
  warn_of_empty_samples(samples[[1L]], call)
  structure(
    d, Size = nrow(samples[[1L]]), Labels = labels, Upper = FALSE, Diag = FALSE,
    call = match.call(), method = type, class = "dist"
  )
}

# Returns list(samples, tree, tips) as C_unifrac takes them: samples in rows, the elements of the
# tree, and the tip of each column.
samples_on_tree <- function(x, tree, margin, from) {
  if (is.null(tree)) {
    tree <- tree_of(x, from$call)
  } else if (is.character(tree) && length(tree) == 1L) {
    tree <- rename_message("path", "tree", gpu_read_newick(tree))
  }
  parts <- phylo_parts(tree, from$call)
  taxa <- if (inherits(x, "TreeSummarizedExperiment")) {
    as.character(TreeSummarizedExperiment::rowLinks(x)$nodeLab)
  }
  samples <- sites_of(x, margin, from)
  list(samples, parts, tips_of(if (is.null(taxa)) colnames(samples) else taxa, parts, from$call))
}

# Returns the tree of an object that has one.
tree_of <- function(x, call) {
  tree <- if (inherits(x, "phyloseq")) {
    phyloseq::phy_tree(x, errorIfNULL = FALSE)
  } else if (inherits(x, "TreeSummarizedExperiment")) {
    TreeSummarizedExperiment::rowTree(x)
  }
  if (is.null(tree)) {
    stop_value(NULL, "tree", "an object of class \"phylo\", or the path of a Newick file", call)
  }
  tree
}

# Returns the number of the tip of each taxon.
tips_of <- function(taxa, tree, call) {
  if (is.null(taxa)) {
    stop_message("names of taxa", "x", call)
  }
  tips <- match(taxa, tree$tip.label)
  if (anyNA(tips)) {
    stop_message("taxa without tips", "x", call, first_names(taxa[is.na(tips)]))
  }
  several <- intersect(tree$tip.label[duplicated(tree$tip.label)], taxa)
  if (length(several)) {
    stop_message("equal tips", "tree", call, several[1L])
  }
  tips
}

# Returns the first five names as text, and the number of all if there are more.
first_names <- function(names) {
  shown <- paste0("\"", utils::head(names, 5L), "\"", collapse = ", ")
  if (length(names) > 5L) sprintf("%s, ..., %d in all", shown, length(names)) else shown
}

warn_of_empty_samples <- function(x, call) {
  empty <- which(count_per_row(x != 0) == 0)
  if (length(empty)) {
    warn_message("without individuals", call, rows_of(empty))
  }
}
