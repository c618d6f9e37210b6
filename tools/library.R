# Prints the library that make install-r installs into: the first one of R_LIBS, which is created if
# it is missing; else R's first one; else, where that is not writable, the personal one. R itself
# offers a personal library only to a person who types, and ignores a folder of R_LIBS that does not
# exist.

given <- strsplit(Sys.getenv("R_LIBS"), .Platform$path.sep, fixed = TRUE)[[1]]
library <- c(given[nzchar(given)], .libPaths())[1]
if (!length(given) && file.access(library, 2) != 0) library <- Sys.getenv("R_LIBS_USER")
dir.create(library, showWarnings = FALSE, recursive = TRUE)
cat(normalizePath(library, mustWork = TRUE))
