#' Diversity of communities
#'
#' `gpu_diversity()` computes indices of diversity. It is a drop-in replacement for
#' `vegan::diversity()`, and with `index = "fisher"` for `vegan::fisher.alpha()`. Sparse matrices
#' remain sparse. `index = "faith"` is the phylogenetic diversity of a tree.
#'
#' @param x Sites in rows and species in columns, as in [gpu_vegdist()], or the counts of one site,
#'   a vector.
#' @param index `"shannon"`, `"simpson"`, `"invsimpson"`, `"fisher"` or `"faith"`, or the beginning
#'   of one.
#' @param groups A value for each site, or one for all: sites with the same value are added up
#'   before, those without a value left out. `NULL`: none.
#' @param equalize.groups Whether sites are divided by their sums before they are added up.
#' @param MARGIN 1 for the diversity of rows, 2 for that of columns.
#' @param base The base of the logarithm of `"shannon"`.
#' @param tree,root For `"faith"`: the tree of the species, and whether its base is its root, as in
#'   [gpu_unifrac()]. Species have the names of tips.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `x`, see [gpu_inputs].
#'
#' @return A vector with the names of the sites or of the groups.
#'
#' @section Indices: With the N individuals and S species of a site and the shares p = x / N,
#'
#' | `index` | value |
#' |---|---|
#' | `"shannon"` | `-sum(p * log(p, base))` |
#' | `"simpson"` | `1 - sum(p^2)` |
#' | `"invsimpson"` | `1 / sum(p^2)` |
#' | `"fisher"` | the solution alpha of `S = alpha * log(1 + N / alpha)` |
#' | `"faith"` | the sum of the lengths of all branches between the root and the species |
#'
#' Sites without individuals have the values 0, 1, `Inf`, `NaN` and 0. `"fisher"` takes whole
#' numbers only. It is computed to about ten digits or more, where vegan's has about seven. If each
#' species has one individual it is `Inf`, with a warning, where vegan has an arbitrary large
#' number.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references
#' D. P. Faith (1992). Conservation evaluation and phylogenetic diversity. *Biological Conservation*
#' 61, 1-10. doi:10.1016/0006-3207(92)91201-3
#'
#' R. A. Fisher, A. S. Corbet and C. B. Williams (1943). The relation between the number of species
#' and the number of individuals in a random sample of an animal population. *Journal of Animal
#' Ecology* 12, 42-58. doi:10.2307/1411
#'
#' M. O. Hill (1973). Diversity and evenness: a unifying notation and its consequences. *Ecology*
#' 54, 427-432. doi:10.2307/1934352
#'
#' @seealso [gpu_rarefy()], [gpu_vegdist()], [gpu_unifrac()]
#'
#' @examples
#' counts <- rbind(a = c(3, 0, 1, 2), b = c(0, 5, 1, 0), c = c(4, 1, 0, 2))
#' gpu_diversity(counts)
#' gpu_diversity(counts, "invsimpson", groups = c("u", "u", "v"))
#' gpu_diversity(counts, "fisher")
#' colnames(counts) <- c("s", "t", "u", "v")
#' gpu_diversity(counts, "faith", tree = gpu_read_newick(text = "((s:1,t:2):1,(u:1,v:3):2);"))
#' @export
gpu_diversity <- function(x, index = "shannon", groups = NULL,
                          equalize.groups = FALSE, MARGIN = 1, # nolint: names of package vegan
                          base = exp(1), ..., tree = NULL, root = FALSE) {
  call <- sys.call()
  from <- input_reader(match.call(expand.dots = FALSE)$..., list(...), list(x), NULL, call,
    metric = NULL
  )
  index <- choose_one(index, diversity_indices(), "index", call)
  given <- sites_for_index(x, index, tree, root, MARGIN, from)
  x <- given[[1L]]
  if (index == "faith") { # of presences: weights of sites would change nothing
    flag_of(equalize.groups, "equalize.groups", call)
    x <- if (is.null(groups)) x else pool_sites(x, groups, call)
    settings <- run_settings("cpu", progress = FALSE)
    value <- .Call(C_faith, c(list(x), given[-1L]), list(root = root), settings, call)
    return(structure(value, names = rownames(x)))
  }
  groups <- if (!is.null(groups)) site_groups(groups, nrow(x), call)
  options <- list(index = index, groups = groups, equalize.groups = equalize.groups, base = base)
  value <- .Call(C_diversity, list(x), options, run_settings("cpu", progress = FALSE), call)
  single <- which(value == Inf)
  if (index == "fisher" && length(single)) {
    warn_message("single individuals", call, rows_of(single))
  }
  structure(value, names = if (is.null(groups)) rownames(x) else attr(groups, "levels"))
}

diversity_indices <- function() c(core_choices("diversity", "index"), "faith")

# Returns the numbers of the groups of sites, 0 for a missing one, with the names of the groups.
site_groups <- function(groups, sites, call) {
  groups <- if (length(groups) == 1L) rep(groups, sites) else groups
  check_values(groups, "groups", sites, call)
  check_factor(groups, "groups", call)
  groups <- droplevels(as.factor(groups))
  structure(replace(as.integer(groups), is.na(groups), 0L), levels = levels(groups))
}

# Returns the sums of the sites of each group.
pool_sites <- function(x, groups, call) {
  groups <- site_groups(groups, nrow(x), call)
  kept <- which(groups > 0L)
  if (isS4(x)) {
    size <- c(length(attr(groups, "levels")), nrow(x))
    members <- Matrix::sparseMatrix(groups[kept], kept, x = 1, dims = size)
    sums <- methods::as(members %*% x, "CsparseMatrix")
  } else {
    sums <- rowsum(x[kept, , drop = FALSE], groups[kept])
  }
  dimnames(sums) <- list(attr(groups, "levels"), colnames(x))
  sums
}

# Returns list(sites), for "faith" with what samples_on_tree() returns more.
sites_for_index <- function(x, index, tree, root, margin, from) {
  if (index == "faith") {
    return(samples_on_tree(x, tree, margin, from))
  }
  argument <- if (!is.null(tree)) "tree" else if (!identical(root, FALSE)) "root"
  if (!is.null(argument)) {
    stop_argument(
      sprintf("%s must be given with index \"faith\", not \"%s\"", argument, index), argument,
      from$call
    )
  }
  list(sites_of(x, margin, from))
}

# Returns communities as a matrix, maybe a sparse one, with a site in each row. A vector is a site.
sites_of <- function(x, margin, from) {
  margin <- margin_of(margin, from$call)
  if (is.atomic(x) && is.null(dim(x)) && !is.object(x) && !is.null(x)) {
    names <- names(x)
    return(community_matrix(matrix(x, 1L, dimnames = if (!is.null(names)) list(NULL, names)), from))
  }
  x <- community_matrix(x, from)
  if (margin == 1) x else if (isS4(x)) Matrix::t(x) else t(x)
}

# Raises an error that names the first of the elements, or of the stored ones, that are wrong.
check_elements <- function(x, wrong, allowed, call) {
  k <- which(wrong)[1L]
  if (!is.na(k)) {
    stop_message(
      "elements", "x", call, "x", allowed, margin_index(x, 1)[k], margin_index(x, 2)[k],
      show_value(values_in(x)[k])
    )
  }
}

# Returns a matrix whose elements must be counts.
check_counts <- function(x, call) {
  values <- values_in(x)
  wrong <- !is.finite(values) | values < 0 | values != round(values)
  check_elements(x, wrong, "whole numbers of at least 0", call)
  x
}
