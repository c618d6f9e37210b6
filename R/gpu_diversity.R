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
  index <- choose_one(index, diversity_indices, "index", call)
  equalize <- flag_of(equalize.groups, "equalize.groups", call)
  if (!is.numeric(base) || length(base) != 1L || !isTRUE(base > 0 && base != 1)) {
    stop_argument(
      sprintf("base must be a number above 0 other than 1, not %s", show_value(base)), "base", call
    )
  }
  given <- sites_for_index(x, index, tree, root, MARGIN, from)
  x <- given[[1L]]
  check_elements(x, values_in(x) < 0, "numbers of at least 0", call)
  if (!is.null(groups)) x <- pool_sites(x, groups, equalize, call)
  value <- if (index == "faith") {
    .Call(C_faith, c(list(x), given[-1L]), list(root = root), run_settings(progress = FALSE), call)
  } else if (index == "fisher") {
    fisher_alpha(check_counts(x, call), call)
  } else {
    p <- set_values(x, values_in(x) / as.vector(margin_sums(x, 1, FALSE))[margin_index(x, 1)])
    index_of_shares(p, index, base)
  }
  structure(as.vector(value), names = rownames(x))
}

diversity_indices <- c("shannon", "simpson", "invsimpson", "fisher", "faith")

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
      "elements", "x", call, allowed, margin_index(x, 1)[k], margin_index(x, 2)[k],
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

# Returns the sums of the sites of each group.
pool_sites <- function(x, groups, equalize, call) {
  groups <- if (length(groups) == 1L) rep(groups, nrow(x)) else groups
  check_values(groups, "groups", nrow(x), call)
  check_factor(groups, "groups", call)
  groups <- droplevels(as.factor(groups))
  if (equalize) x <- standard_total(x, list(margin = 1, na_rm = FALSE))$x
  kept <- which(!is.na(groups))
  codes <- as.integer(groups)[kept]
  if (!isS4(x)) {
    sums <- rowsum(x[kept, , drop = FALSE], codes)
  } else {
    members <- Matrix::sparseMatrix(codes, kept, x = 1, dims = c(nlevels(groups), nrow(x)))
    sums <- methods::as(members %*% x, "CsparseMatrix")
  }
  dimnames(sums) <- list(levels(groups), colnames(x))
  sums
}

# Returns an index of diversity of rows of shares.
index_of_shares <- function(p, index, base) {
  shares <- values_in(p)
  if (index != "shannon") {
    squares <- margin_sums(set_values(p, replace(shares, is.nan(shares), 0)^2), 1, FALSE)
    return(if (index == "simpson") 1 - squares else 1 / squares)
  }
  terms <- -shares * log(shares, base)
  terms[is.nan(shares) | (!is.na(shares) & shares == 0)] <- 0
  margin_sums(set_values(p, terms), 1, FALSE)
}

# Returns Fisher's alpha of rows of counts: N / t, where log(1 + t) / t = S / N. Newton's method for
# the concave function log(1 + t) - t S / N decreases to the root from (N / S)^2 - 1, which is above
# it because log(1 + t) < t / sqrt(1 + t).
fisher_alpha <- function(x, call) {
  n <- as.vector(margin_sums(x, 1, FALSE))
  species <- as.vector(count_per_row(x > 0))
  single <- n == species & n > 0
  if (any(single)) {
    warn_message("single individuals", call, rows_of(which(single)))
  }
  share <- species / n
  t <- 1 / share^2 - 1
  for (step in seq_len(60L)) {
    slope <- 1 / (1 + t) - share
    lower <- ifelse(slope < 0, t - (log1p(t) - share * t) / slope, t)
    if (!any(lower < t, na.rm = TRUE)) break
    t <- ifelse(lower < t & lower > 0, lower, t)
  }
  replace(n / t, n == 0, NaN)
}
