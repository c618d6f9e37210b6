#' Dissimilarities by formulas
#'
#' `gpu_designdist()` computes dissimilarities of communities from a formula of the numbers of
#' species of two sites, and `gpu_betadiver()` the 24 indices of beta diversity of Koleff et al.
#' They are drop-in replacements for `vegan::designdist()` and `vegan::betadiver()`.
#'
#' @param x Sites in rows and species in columns, as in [gpu_vegdist()].
#' @param method For `gpu_designdist()`: the formula as text, by the letters of the section Terms.
#'   For `gpu_betadiver()`: the name or the number of an index, see there; `NA` returns the
#'   components.
#' @param terms `"binary"`, `"quadratic"` or `"minimum"`: what A, B and J are.
#' @param abcd,alphagamma Whether the formula has the letters a, b, c and d, or alpha, gamma and
#'   delta, instead of A, B and J.
#' @param name The attribute `method` of the result; by default made of terms and formula.
#' @param maxdist The attribute `maxdist` of the result, if it is given.
#' @param ... `assay`, `reducedDim` or `frame`, which select a part of `x`, see [gpu_inputs].
#' @param backend,threads,device,progress,memory_limit Settings of the computation, see
#'   [gpu_settings].
#'
#' @return An object of class `"dist"`; of `gpu_betadiver()` without `method`, a list of class
#'   `"betadiver"` of three such objects, `a`, `b` and `c`.
#'
#' @section Terms: With two rows u and v, of which v has the larger number,
#'
#' | `terms` | A | B | J |
#' |---|---|---|---|
#' | `"binary"` | `sum(u > 0)` | `sum(v > 0)` | `sum(u > 0 & v > 0)` |
#' | `"quadratic"` | `sum(u^2)` | `sum(v^2)` | `sum(u * v)` |
#' | `"minimum"` | `sum(u)` | `sum(v)` | `sum(pmin(u, v))` |
#'
#' N is the number of sites and P the number of species. `a = J`, `b = A - J`, `c = B - J` and
#' `d = P - A - B + J`; `alpha = (A + B) / 2`, `gamma = A + B - J` and `delta = abs(A - B)`. J of
#' `"binary"` is exact; that of `"quadratic"` and of `"minimum"` is (A + B - D) / 2 for the squared
#' Euclidean or the Manhattan distance D, exact for counts.
#'
#' @section Indices of beta diversity: With the numbers of species a of both sites, b of the site
#' with the larger number only, and c of the other one only, as in `vegan::betadiver()`:
#'
#' | | name | index |
#' |---|---|---|
#' | 1, 2, 8, 9, 20 | `"w"`, `"-1"`, `"t"`, `"me"`, `"hk"` | `(b + c) / (2 * a + b + c)` |
#' | 3, 18 | `"c"`, `"l"` | `(b + c) / 2` |
#' | 4 | `"wb"` | `b + c` |
#' | 5 | `"r"` | `2 * b * c / ((a + b + c)^2 - 2 * b * c)` |
#' | 6 | `"I"` | `log(n) - 2 * a * log(2) / n - (f(a + b) + f(a + c)) / n`, see below |
#' | 7 | `"e"` | `exp(I) - 1` of the index before |
#' | 10 | `"j"` | `a / (a + b + c)` |
#' | 11 | `"sor"` | `2 * a / (2 * a + b + c)` |
#' | 12 | `"m"` | `(2 * a + b + c) * (b + c) / (a + b + c)` |
#' | 13 | `"-2"` | `pmin(b, c) / (pmax(b, c) + a)` |
#' | 14 | `"co"` | `(a * c + a * b + 2 * b * c) / (2 * (a + b) * (a + c))` |
#' | 15, 16 | `"cc"`, `"g"` | `(b + c) / (a + b + c)` |
#' | 17 | `"-3"` | `pmin(b, c) / (a + b + c)` |
#' | 19 | `"19"` | `2 * (b * c + 1) / (a + b + c) / (a + b + c - 1)` |
#' | 21 | `"rlb"` | `a / (a + c)` |
#' | 22 | `"sim"` | `pmin(b, c) / (pmin(b, c) + a)` |
#' | 23 | `"gl"` | `2 * abs(b - c) / (2 * a + b + c)` |
#' | 24 | `"z"` | `(log(2) - log(2 * a + b + c) + log(a + b + c)) / log(2)` |
#'
#' For `"I"` n is `2 * a + b + c` and `f(x)` is `x * log(x)`.
#'
#' @inheritSection gpu_dist Errors
#'
#' @references P. Koleff, K. J. Gaston and J. J. Lennon (2003). Measuring beta diversity for
#'   presence-absence data. *Journal of Animal Ecology* 72, 367-382.
#'
#' @seealso [gpu_vegdist()]
#'
#' @examples
#' counts <- rbind(c(3, 0, 1, 2), c(0, 5, 1, 0), c(4, 1, 0, 2), c(1, 1, 6, 0))
#' gpu_designdist(counts, "1 - J / sqrt(A * B)")
#' gpu_designdist(counts, "(b + c) / (a + b + c)", abcd = TRUE)
#' gpu_betadiver(counts, "sim")
#' @export
gpu_designdist <- function(x, method = "(A+B-2*J)/(A+B)",
                           terms = c("binary", "quadratic", "minimum"), abcd = FALSE,
                           alphagamma = FALSE, name, maxdist, ...,
                           backend = NULL, threads = NULL, device = NULL, progress = NULL,
                           memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(match.call(expand.dots = FALSE)$..., list(...), list(x), memory_limit, call,
    metric = "method"
  )
  terms <- choose_one(terms, c("binary", "quadratic", "minimum"), "terms", call)
  abcd <- flag_of(abcd, "abcd", call)
  alphagamma <- flag_of(alphagamma, "alphagamma", call)
  formula <- parse_formula(method, call)
  x <- community_matrix(x, from)
  shared <- shared_terms(x, terms, run_arguments())
  values <- with(shared, list(A = A, B = B, J = J, N = nrow(x), P = ncol(x)))
  if (abcd) {
    values <- c(abcd_terms(shared, ncol(x)), values[c("N", "P")])
  } else if (alphagamma) {
    values <- with(shared, c(
      list(alpha = (A + B) / 2, gamma = A + B - J, delta = abs(A - B)), values[c("N", "P")]
    ))
  }
  d <- evaluate_formula(formula, values, length(shared$J), method, call)
  if (missing(name)) name <- paste(terms, method)
  shape_dist(d, x, name, match.call(), if (!missing(maxdist)) maxdist)
}

# Returns the expression of a formula.
parse_formula <- function(method, call) {
  formula <- if (is_string(method)) {
    tryCatch(parse(text = method, keep.source = FALSE), error = function(e) NULL)
  }
  if (length(formula) != 1L) {
    stop_argument(sprintf("method must be a formula, not %s", show_value(method)), "method", call)
  }
  formula[[1L]]
}

# Returns the values of a formula for all pairs.
evaluate_formula <- function(formula, values, n, method, call) {
  d <- tryCatch(eval(formula, values, baseenv()), error = function(e) {
    letters <- paste(names(values), collapse = ", ")
    stop_message("formula of pairs", "method", call, letters, method, conditionMessage(e))
  })
  if (!is.numeric(d) || !length(d) %in% c(1L, n)) {
    stop_message("number of pairs", "method", call, method)
  }
  rep_len(as.double(d), n)
}

# Returns A, B and J of all pairs of rows, in the order of a "dist".
shared_terms <- function(x, terms, run) {
  if (terms == "binary") {
    x <- presences(x)
  }
  sums <- row_sums(if (terms == "quadratic") x^2 else x)
  n <- nrow(x)
  first <- rep(sums, rev(seq_len(n)) - 1L)
  second <- sums[sequence(rev(seq_len(n)) - 1L, seq_len(n) + 1L)]
  metric <- if (terms == "quadratic") "sqeuclidean" else "manhattan"
  d <- as.vector(distances_between(x, list(method = metric), run))
  list(A = first, B = second, J = (first + second - d) / 2)
}

abcd_terms <- function(shared, columns) {
  with(shared, list(a = J, b = A - J, c = B - J, d = columns - A - B + J))
}

# Returns distances as an object of class "dist" with the attributes that vegan gives them.
shape_dist <- function(d, x, method, call, maxdist = NULL) {
  attributes(d) <- Filter(Negate(is.null), list(
    Labels = dimnames(x)[[1L]], Size = nrow(x), call = call, class = "dist", Diag = FALSE,
    Upper = FALSE, maxdist = maxdist, method = method
  ))
  d
}

#' @rdname gpu_designdist
#' @export
gpu_betadiver <- function(x, method = NA, ..., backend = NULL, threads = NULL, device = NULL,
                          progress = NULL, memory_limit = NULL) {
  call <- sys.call()
  from <- input_reader(match.call(expand.dots = FALSE)$..., list(...), list(x), memory_limit, call,
    metric = "method"
  )
  index <- if (!identical(method, NA)) beta_index(method, call)
  x <- community_matrix(x, from)
  if (is.null(index)) {
    shared <- shared_terms(x, "binary", run_arguments())
    parts <- with(shared, list(a = J, b = B - J, c = A - J))
    made <- lapply(names(parts), function(name) shape_dist(parts[[name]], x, name, match.call()))
    names(made) <- names(parts)
    return(structure(made, class = "betadiver"))
  }
  x <- presences(x)
  d <- as.vector(distances_between(x, list(method = "manhattan"), run_arguments()))
  settings <- run_settings("cpu", threads, progress = FALSE)
  d <- .Call(C_betadiver, list(row_sums(x), d), list(method = index), settings, call)
  unbounded <- index %in% c("c", "wb", "m", "-3", "l", "19", "gl")
  largest <- if (unbounded) { # otherwise that of two sites with one species each
    NA_real_
  } else {
    .Call(C_betadiver, list(c(1, 1), 2), list(method = index), settings, call)
  }
  shape_dist(d, x, paste0("beta.", index), match.call(), largest)
}

# Returns the name of an index of beta diversity, which is given by its number or its name.
beta_index <- function(method, call) {
  names <- core_choices("betadiver", "method")
  k <- if (is_string(method)) match(method, names) else if (is_count(method)) method else NA
  if (!isTRUE(k %in% seq_along(names))) {
    stop_argument(sprintf(
      "method must be a number from 1 to 24 or one of %s, not %s",
      paste0("\"", names, "\"", collapse = ", "), show_value(method)
    ), "method", call)
  }
  names[k]
}
