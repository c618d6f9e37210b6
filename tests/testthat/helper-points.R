# Direct loops over all pairs of points, the reference of the tests of closest pairs and collisions.

# All pairs of rows of x, or of a row of x and one of y, as a data frame i, j, distance, ordered by
# i, then j. The distance is the root of a sum of squares, in the order of the columns.
all_pairs <- function(x, y = NULL, box = NULL) {
  x <- as.matrix(x)
  if (is.null(y)) {
    pairs <- expand.grid(j = seq_len(nrow(x)), i = seq_len(nrow(x)))
    pairs <- pairs[pairs$i < pairs$j, c("i", "j")]
    y <- x
  } else {
    y <- as.matrix(y)
    pairs <- expand.grid(j = seq_len(nrow(y)), i = seq_len(nrow(x)))[c("i", "j")]
  }
  squared <- numeric(nrow(pairs))
  for (k in seq_len(ncol(x))) {
    apart <- abs(x[pairs$i, k] - y[pairs$j, k])
    if (!is.null(box) && box[k] > 0) {
      apart <- apart %% box[k]
      apart <- pmin(apart, box[k] - apart)
    }
    squared <- squared + apart^2
  }
  data.frame(i = pairs$i, j = pairs$j, distance = sqrt(squared))
}

# Points whose squared distances are exact in doubles, with many ties and some coincident.
lattice_points <- function(n, columns, size = 2 * n^(1 / columns)) {
  matrix(sample(ceiling(size), n * columns, replace = TRUE) / 4, n)
}
