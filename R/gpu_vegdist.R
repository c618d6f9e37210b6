#' Dissimilarities of communities
#'
#' `gpu_vegdist()` is a drop-in replacement for `vegan::vegdist()`: its 22 indices under its names,
#' on all CPU cores or on a GPU.
#'
#' @param x Sites in rows and species in columns: a numeric matrix, a data frame of numbers, a
#'   sparse matrix of package Matrix, or an object of those in [gpu_inputs].
#' @param method A name of the table below, or the beginning of one.
#' @param binary `TRUE`: values above 0 are taken as 1 and others as 0. As in vegan this is done
#'   after the change of `x` by `"gower"`, `"mahalanobis"`, `"chisq"`, `"aitchison"` and
#'   `"robust.aitchison"`.
#' @param diag,upper As in [stats::dist()]: whether to print the diagonal and the upper triangle.
#' @param na.rm `TRUE`: coordinates that are missing in one of two rows are left out. `FALSE`: a
#'   missing value is an error.
#' @param ... `range.global`, a matrix from which `"gower"` takes the ranges of columns, or
#'   `pseudocount`, which `"aitchison"` adds to all values; and `assay`, `reducedDim` or `frame`,
#'   which select a part of `x`, see [gpu_inputs].
#' @param backend,threads,device,progress,memory_limit Settings of the computation, see
#'   [gpu_settings].
#'
#' @return An object of class `"dist"` as `vegan::vegdist()` returns it, with the attributes
#'   `maxdist` (the index of rows that share no species, or `NA` if that varies), `Size`, `Labels`,
#'   `Diag`, `Upper`, `method`, `call` and `class`.
#'
#' @section Indices:
#' `a` and `b` are two rows; A and B are their sums, or, for the indices of presences, their numbers
#' of values above 0, and J is the number of species that both have; n = a + b; S is the number of
#' columns that are not 0 in both.
#'
#' | `method` | index | `gpu_dist()` |
#' |---|---|---|
#' | `"manhattan"` | `sum(abs(a - b))` | the same |
#' | `"euclidean"` | `sqrt(sum((a - b)^2))` | the same |
#' | `"canberra"` | `sum(abs(a - b) / (abs(a) + abs(b))) / S` | times the number of columns |
#' | `"clark"` | `sqrt(sum(((a - b) / n)^2) / S)` | the same |
#' | `"bray"` | `sum(abs(a - b)) / sum(n)` | `"braycurtis"` |
#' | `"kulczynski"` | `1 - (sum(pmin(a, b)) / A + sum(pmin(a, b)) / B) / 2` | the same |
#' | `"jaccard"` | `2 * D / (1 + D)` of `"bray"` D | `"soergel"` |
#' | `"gower"` | the mean of `abs(a - b)`, divided by the column's range | the same |
#' | `"altGower"` | `sum(abs(a - b)) / S` | the same |
#' | `"morisita"` | `1 - 2 * sum(a * b) / ((la + lb) * A * B)`, at least 0, see below | the same |
#' | `"horn"` | the same with other la and lb | the same |
#' | `"mountford"` | `log(2) - M`, `exp(A * M) + exp(B * M) = 1 + exp((A + B - J) * M)` | the same |
#' | `"raup"` | `phyper(J - 1, A, ncol(x) - A, B, lower.tail = FALSE)` | the same |
#' | `"binomial"` | `sum((a * log(a / n) + b * log(b / n) - n * log(1 / 2)) / n)` | the same |
#' | `"chao"` | `1 - U * V / (U + V - U * V)`, see below | the same |
#' | `"cao"` | `sum(log(n / 2) - (a * log(b) + b * log(a)) / n) / S`, each at least 0.1 | same |
#' | `"mahalanobis"` | [gpu_metric()] with `singular = "pinv"` | |
#' | `"chisq"` | Euclidean distance of `gpu_decostand(x, "chi.square")` | |
#' | `"chord"` | of `gpu_decostand(x, "normalize")`, `sqrt(2 * D)` | D of `"cosine"` |
#' | `"hellinger"` | of `gpu_decostand(x, "hellinger")`: `"chord"` of `sqrt(x)` | |
#' | `"aitchison"` | of `gpu_decostand(x, "clr")` | |
#' | `"robust.aitchison"` | of `gpu_decostand(x, "rclr")` | |
#'
#' For `"morisita"` `la = sum(a * (a - 1)) / (A * (A - 1))`, and for `"horn"` `sum(a^2) / A^2`; lb
#' is that of `b`. `"raup"` is the probability that at least J species are shared by chance.
#'
#' Chao's U is, at most 1, the share of the individuals of `a` that belong to species of `b`, with
#' those that were not seen: `U = C / A + (B - 1) / B * f1 / (2 * f2) * S1 / A`, where C is the sum
#' of `a` over shared species, f1 and f2 are the numbers of species of `a` with 1 and 2 individuals
#' in `b` (at least 1 for f2), and S1 is the sum of `a` over the f1 species. V is the same with `a`
#' and `b` exchanged.
#'
#' Roots of `"mountford"` are computed to about 15 digits, where vegan's have about 11.
#'
#' @section Warnings: As in vegan, rows without any value, negative values, and, for `"morisita"`,
#' `"chao"` and `"cao"`, values that are not whole numbers are warned of where an index has no
#' meaning for them, and so are results that are missing.
#'
#' @inheritSection gpu_dist Errors
#'
#' @seealso [gpu_dist()] takes the indices as metrics, with distances in files and on devices, and
#'   so do [gpu_knn()] and the functions of clusters; [gpu_decostand()]; [gpu_diversity()];
#'   [gpu_adonis2()]
#'
#' @examples
#' counts <- rbind(c(3, 0, 1, 2), c(0, 5, 1, 0), c(4, 1, 0, 2), c(1, 1, 6, 0))
#' gpu_vegdist(counts)
#' gpu_vegdist(counts, "chao")
#' gpu_vegdist(counts, "hellinger")
#' gpu_vegdist(counts, "jaccard", binary = TRUE)
#' @export
gpu_vegdist <- function(x, method = "bray", binary = FALSE, diag = FALSE, upper = FALSE,
                        na.rm = FALSE, ..., # nolint: names of package vegan
                        backend = NULL, threads = NULL, device = NULL, progress = NULL,
                        memory_limit = NULL) {
  call <- sys.call()
  run <- run_arguments()
  dots <- match.call(expand.dots = FALSE)$...
  given <- list(...)
  own <- argument_names(dots) %in% c("range.global", "pseudocount")
  from <- input_reader(dots[!own], given[!own], list(x), memory_limit, call, metric = "method")
  method <- vegan_index(method, call)
  binary <- flag_of(binary, "binary", call)
  na_rm <- flag_of(na.rm, "na.rm", call)
  x <- community_matrix(x, from)
  late <- method %in% c("gower", "mahalanobis", "chisq", "aitchison", "robust.aitchison")
  if (binary && !late) {
    x <- presences(x)
  }
  check_community(x, method, na_rm, call)
  d <- vegan_distances(x, method, run, given[own], binary && late)
  attributes <- list(
    maxdist = if (is.na(vegan_metrics[[method]])) NA else vegan_metrics[[method]],
    Size = nrow(x), Labels = dimnames(x)[[1L]], Diag = diag, Upper = upper,
    method = paste0(if (binary) "binary ", method), call = match.call(), class = "dist"
  )
  attributes(d) <- NULL
  if (anyNA(d)) { # of a vector without a class, which takes no memory
    warn_message("no distances", call)
  }
  attributes(d) <- Filter(Negate(is.null), attributes)
  d
}

# Returns the full name of one of vegan's indices.
vegan_index <- function(method, call) {
  found <- if (is.character(method) && length(method) == 1L) vegan_method(method, call)
  if (is.null(found) || !found %in% names(vegan_metrics)) {
    stop_argument(sprintf(
      "method must be one of %s, not %s",
      paste0("\"", names(vegan_metrics), "\"", collapse = ", "), show_value(method)
    ), "method", call)
  }
  found
}
