# Methods of results that have a class of another package. That package's own methods take these
# objects where it is loaded; ours do where it is not. `fallbacks` has what is registered when
# gpugeo is loaded: the package, its generics with a class, and our functions by name.
fallback_names <- list(
  cluster = c(
    "print.silhouette", "summary.silhouette", "print.summary.silhouette", "plot.silhouette",
    "as.data.frame.silhouette", "print.pam", "summary.pam", "print.summary.pam", "plot.partition"
  ),
  dbscan = c("print.dbscan_fast", "summary.dbscan_fast", "plot.dbscan_fast"),
  vegan = c(
    "print.anosim", "summary.anosim", "plot.anosim", "print.mrpp", "summary.mrpp", "plot.mrpp",
    "print.mantel", "summary.mantel", "plot.mantel", "print.betadisper", "summary.betadisper",
    "plot.betadisper", "print.permutest.betadisper", "summary.permutest.betadisper",
    "plot.permutest.betadisper", "summary.anova.cca", "plot.anova.cca", "print.procrustes",
    "print.protest", "print.envfit", "print.metaMDS", "print.simper", "summary.simper",
    "print.mantel.correlog", "plot.mantel.correlog"
  )
)

.onLoad <- function(libname, pkgname) {
  for (package in names(fallback_names)) {
    for (name in fallback_names[[package]]) register_fallback(name, package)
  }
}

# Registers fallback_<generic>.<class> as a method unless there is one. loadNamespace() puts a
# package's own methods instead of ours. It would list them in a message, except for those of
# an environment with the name of that package.
register_fallback <- function(name, package) {
  own <- topenv()
  generic <- regmatches(name, regexpr("^(as\\.data\\.frame|[a-z]+)", name))
  class <- substring(name, nchar(generic) + 2L)
  if (is.null(utils::getS3method(generic, class, optional = TRUE, envir = own))) {
    method <- get(paste0("fallback_", name), own)
    environment(method) <- structure(new.env(parent = own), name = package)
    registerS3method(generic, class, method, envir = own)
  }
}

# The colours of up to 8 groups, which colour-blind readers can distinguish: those of Okabe and Ito,
# with an indigo of Tol instead of black.
few_colours <- c(
  "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#332288"
)

# Returns colours of n groups.
group_colours <- function(n) {
  if (n <= length(few_colours)) few_colours[seq_len(n)] else grDevices::hcl.colors(n, "Dark 3")
}

noise_colour <- "grey70"

# Returns the colour of each value of a factor, and of missing ones.
colours_of <- function(group) {
  colours <- group_colours(nlevels(group))[as.integer(group)]
  replace(colours, is.na(colours), noise_colour)
}

# Draws a key of groups outside of the plot's region, in a margin that begin_key() made.
draw_key <- function(group, title = NULL) {
  usr <- graphics::par("usr")
  graphics::legend(
    usr[2L], usr[4L], levels(group), pch = 19, col = group_colours(nlevels(group)), bty = "n",
    xpd = NA, title = title, cex = 0.9
  )
}

# Widens the right margin for a key. Returns what par() needs to reset it.
begin_key <- function(group) {
  wide <- max(graphics::strwidth(c(levels(group), "xx"), "inches")) + 0.45
  margins <- graphics::par("mai")
  graphics::par(mai = replace(margins, 4L, max(margins[4L], min(wide, 2))))
}

# Returns positions of n points in the plane: the first two columns of what as.matrix() gives.
# Three and more columns that are no ordination or layout are shown by their principal components.
plane_of <- function(points, n, call) {
  x <- as_points(as.matrix(points), "y", call)
  if (!is.numeric(x) || nrow(x) < n || anyNA(x)) {
    stop_value(
      points, "y",
      sprintf("a matrix of numbers without missing ones with %d rows", as.integer(n)), call
    )
  }
  ordination <- inherits(points, c("gpu_pcoa", "gpu_mds", "gpu_layout"))
  if (ncol(x) == 1L) {
    x <- cbind(x, 0)
  } else if (ncol(x) > 2L && !ordination) {
    x <- stats::prcomp(x)$x
  }
  x <- x[, 1:2, drop = FALSE]
  if (is.null(colnames(x))) colnames(x) <- c("x", "y")
  x
}
