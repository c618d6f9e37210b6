# Renders the vignettes of a package's tree with the installed gpugeo, into inst/doc with the index
# that R CMD INSTALL reads, as R CMD build does, but without compiling the package once more.
#   Rscript tools/vignettes.R FOLDER

folder <- commandArgs(TRUE)[1]
needed <- c("knitr", "rmarkdown")
found <- vapply(needed, requireNamespace, NA, quietly = TRUE)
missing <- c(needed[!found], if (found[["rmarkdown"]] && !rmarkdown::pandoc_available()) "pandoc")
if (length(missing)) {
  message("vignettes are left out, not installed: ", toString(missing))
  quit()
}

study <- file.path(getwd(), "../shared/data/vantveer_24481x39.csv.gz") # of modules.Rmd
if (file.exists(study)) Sys.setenv(GPUGEO_VANTVEER = study)

vignettes <- tools::pkgVignettes(dir = folder)
doc <- file.path(folder, "inst", "doc")
unlink(doc, recursive = TRUE)
dir.create(doc, recursive = TRUE)
pictures <- setdiff(list.files(vignettes$dir, full.names = TRUE), vignettes$docs)
invisible(file.copy(c(vignettes$docs, pictures), doc))
for (file in basename(vignettes$docs)) tools::buildVignette(file.path(doc, file), doc)
unlink(file.path(doc, basename(pictures))) # the pages have them
index <- tools::pkgVignettes(dir = folder, subdirs = "inst/doc", output = TRUE, source = TRUE)
file <- file.path(folder, "build", "vignette.rds")
dir.create(dirname(file), showWarnings = FALSE)
saveRDS(tools:::.build_vignette_index(index), file, version = 2)
