## Writes the help text of each function of octave/ in HTML, for pkgdown/site.R.  GPUGEO_PAGES is the folder
## that gets them.
1;

## Returns what makeinfo puts between <body> and </body>.  Octave's @seealso has no links.
function html = texinfo_to_html (text)
  names = regexp (text, '@seealso{([^}]*)}', "tokens", "once"){1};
  names = strjoin (strcat ("@code{", strsplit (names, ", "), "}"), ", ");
  text = regexprep (text, '@seealso{[^}]*}', ["@strong{See also:} " names "."]);
  [html, status] = __makeinfo__ (text, "html");
  if (status != 0)
    error ("makeinfo failed: it is in the package texinfo");
  endif
  html = regexp (html, '(?<=<body lang="en">).*(?=</body>)', "match", "once");
endfunction

addpath ("octave");
for file = glob ({"octave/gpu_*.m", "octave/gpugeo.m"})'
  [~, name] = fileparts (file{1});
  id = fopen (fullfile (getenv ("GPUGEO_PAGES"), [name ".html"]), "w");
  fputs (id, texinfo_to_html (get_help_text (name)));
  fclose (id);
endfor
