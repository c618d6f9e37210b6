# Builds the site in build/site: what pkgdown makes of the R package and, in the same layout, a page
# for each Octave function and the benchmarks. Each group of functions of one language has links to
# those of the other. make site calls it. GPUGEO_PAGES is the folder of the help texts that
# pkgdown/octave.m wrote.

needed <- c("pkgdown", "xml2", "gpugeo")
missing <- needed[!vapply(needed, requireNamespace, NA, quietly = TRUE)]
if (length(missing)) {
  message(
    "make site: not installed: ", toString(missing),
    " (on Debian: apt-get install r-cran-pkgdown)"
  )
  quit(status = 1)
}
site <- "build/site"
help_texts <- Sys.getenv("GPUGEO_PAGES")
options(pkgdown.internet = FALSE)
study <- file.path(getwd(), "../shared/data/vantveer_24481x39.csv.gz") # of modules.Rmd
if (file.exists(study)) Sys.setenv(GPUGEO_VANTVEER = study)

read_text <- function(file) paste(readLines(file, encoding = "UTF-8"), collapse = "\n")

# Writes a page in the layout of the others.
render <- function(title, body, path) {
  dir.create(file.path(site, dirname(path)), showWarnings = FALSE, recursive = TRUE)
  invisible(pkgdown::render_page(".", "title-body", list(pagetitle = title, body = body), path))
}

# Returns the functions of octave/INDEX in a list by section.
octave_sections <- function() {
  lines <- readLines("octave/INDEX")[-1]
  section <- cumsum(!startsWith(lines, " "))
  names <- strsplit(trimws(lines), " +")
  groups <- split(names, section)
  setNames(lapply(groups, function(group) unlist(group[-1])), lines[!startsWith(lines, " ")])
}

# Returns makeinfo's HTML with links to other functions, and examples that pkgdown does not take for
# R.
octave_body <- function(name, functions) {
  html <- read_text(file.path(help_texts, paste0(name, ".html")))
  html <- gsub('<span class="category">: </span>', "", html, fixed = TRUE)
  html <- gsub("<a href='[^']*' class='copiable-anchor'>[^<]*</a>", "", html)
  html <- gsub('<pre class="example">', '<pre class="downlit">', html, fixed = TRUE)
  for (other in setdiff(functions, name)) {
    code <- sprintf("<code>%s</code>", other)
    html <- gsub(code, sprintf('<a href="%s.html">%s</a>', other, code), html, fixed = TRUE)
  }
  html
}

# Returns the first sentence of a page as HTML without links.
first_sentence <- function(body) {
  paragraph <- sub("(?s).*?<dd><p>(.*?)</p>.*", "\\1", body, perl = TRUE)
  sub("(?s)\\.\\s.*", ".", gsub("</?a[^>]*>", "", paragraph), perl = TRUE)
}

# Returns the links to R functions, a list by group, from the index that pkgdown wrote.
r_links <- function() {
  index <- xml2::read_html(file.path(site, "reference/index.html"))
  groups <- xml2::xml_find_all(index, "//main//h2")
  links <- lapply(groups, function(group) {
    # pkgdown puts the entries of a group into the division that follows the one of its heading.
    entries <- xml2::xml_find_all(group, "../following-sibling::div[1]//dt//a")
    name <- sub("[(][)]$", "", xml2::xml_text(entries))
    exported <- name %in% getNamespaceExports("gpugeo")
    sprintf(
      '<a href="../reference/%s"><code>%s</code></a>',
      xml2::xml_attr(entries[exported], "href"), name[exported]
    )
  })
  setNames(links, xml2::xml_text(groups))
}

octave_links <- function(names, folder = "../octave/") {
  sprintf('<a href="%s%s.html"><code>%s</code></a>', folder, names, names)
}

# Returns a paragraph with the links of a group to the functions of a language.
language_line <- function(language, links) {
  if (length(links)) sprintf("<p>In %s: %s</p>", language, paste(links, collapse = ", ")) else ""
}

# Adds the Octave functions of each group to the index of R functions.
join_octave <- function() {
  page <- file.path(site, "reference/index.html")
  html <- read_text(page)
  sections <- octave_sections()
  for (title in names(sections)) {
    heading <- sprintf('(?s)(<h2 id="[^"]*">%s<a .*?</h2>)', title)
    stopifnot(grepl(heading, html, perl = TRUE))
    line <- language_line("Octave", octave_links(sections[[title]]))
    html <- sub(heading, paste0("\\1", line), html, perl = TRUE)
  }
  writeLines(html, page, useBytes = TRUE)
}

# Makes the names of functions in the table of the front page links: R's are in its second column.
link_front_page <- function() {
  page <- file.path(site, "index.html")
  html <- xml2::read_html(page)
  links <- unlist(r_links(), use.names = FALSE)
  topics <- sub('.*"[.]{2}/(.*?)".*', "\\1", links)
  names(topics) <- gsub(".*<code>|</code>.*", "", links)
  octave <- unlist(octave_sections(), use.names = FALSE)
  addresses <- list(topics, setNames(sprintf("octave/%s.html", octave), octave))
  for (language in 1:2) {
    cells <- sprintf("//table[1]//td[%d]//code", language + 1)
    for (cell in xml2::xml_find_all(html, cells)) {
      address <- addresses[[language]][sub("[(].*", "", xml2::xml_text(cell))]
      if (is.na(address)) next
      xml2::xml_add_parent(cell, "a")
      xml2::xml_set_attr(xml2::xml_parent(cell), "href", address)
    }
  }
  xml2::write_html(html, page, format = FALSE)
}

# Removes the empty logo that pkgdown writes for packages without one.
remove_logo <- function(page) {
  html <- gsub('<img src="" class="logo" alt="">', "", read_text(page), fixed = TRUE)
  writeLines(html, page, useBytes = TRUE)
}

octave_pages <- function() {
  sections <- octave_sections()
  r <- r_links()
  functions <- unlist(sections, use.names = FALSE)
  bodies <- vapply(functions, octave_body, "", functions)
  for (name in functions) render(name, bodies[[name]], file.path("octave", paste0(name, ".html")))
  entry <- function(name) {
    sprintf(
      '<dt><a href="%s.html"><code>%s</code></a></dt><dd>%s</dd>',
      name, name, first_sentence(bodies[[name]])
    )
  }
  section <- function(title) {
    entries <- paste(vapply(sections[[title]], entry, ""), collapse = "\n")
    sprintf(
      '<h2 id="%s">%s</h2>%s\n<dl>\n%s\n</dl>',
      gsub(" ", "-", tolower(title)), title, language_line("R", r[[title]]), entries
    )
  }
  body <- paste(vapply(names(sections), section, ""), collapse = "\n")
  render("Octave functions", body, "octave/index.html")
}

markdown_page <- function(file, path) {
  made <- tempfile(fileext = ".html")
  rmarkdown::pandoc_convert(normalizePath(file), "html", "gfm", made)
  body <- read_text(made)
  title <- sub("(?s).*?<h1[^>]*>(.*?)</h1>.*", "\\1", body, perl = TRUE)
  render(title, sub("(?s)<h1[^>]*>.*?</h1>", "", body, perl = TRUE), path)
}

# Returns the faults of a page: what it takes from the network, links and pictures that are missing.
page_faults <- function(page) {
  html <- xml2::read_html(page)
  attributes <- function(xpath) xml2::xml_text(xml2::xml_find_all(html, xpath))
  taken <- attributes("//script/@src | //link[@rel='stylesheet']/@href | //img/@src")
  linked <- c(taken, attributes("//a/@href"))
  target <- sub("[?#].*", "", linked[!grepl("^(https?|mailto|data):", linked)])
  lost <- unique(target[nzchar(target) & !file.exists(file.path(dirname(page), target))])
  remote <- grep("^(https?:|file:|//)", taken, value = TRUE)
  sprintf("%s: %s", page, c(
    sprintf("takes %s", remote), sprintf("links to %s, which is not there", lost)
  ))
}

unlink(site, recursive = TRUE)
pkgdown::build_site(preview = FALSE, install = FALSE, new_process = FALSE)
octave_pages()
join_octave()
link_front_page()
documents <- setdiff(c(
  "bench/README.md", "cuda/README.md", "octave/README.md", "tests/README.md", "tests/golden/README.md",
  "tools/PUBLISHING.md", Sys.glob(c("src/*.md", "src/*/*.md"))
), "src/cuda/README.md") # a link to cuda/
for (document in documents) markdown_page(document, sub("md$", "html", document))

pages <- list.files(site, "\\.html$", recursive = TRUE, full.names = TRUE)
for (page in pages) remove_logo(page)
faults <- unlist(lapply(pages, page_faults))
if (length(faults)) {
  writeLines(faults)
  quit(status = 1)
}
cat(file.path(site, "index.html"), "\n", sep = "")
