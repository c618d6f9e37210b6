## -*- texinfo -*-
## @deftypefn {} {} report_edges (@var{read}, @var{file}, @var{said}, @var{compact})
## Warn of what in the result @var{read} of @code{__gpugeo__ ("edges", @dots{})} may not be what the author of a
## file means: a first line that may or may not be a header, unless @var{said}, and numbers without an edge,
## unless @var{compact}.
## @end deftypefn

function report_edges (read, file, said, compact)

  if (! said && read.header == 1)
    warning ("gpugeo:header", "the first line of \"%s\" was read as a header, not as an edge", file);
  elseif (! said && read.header == 2)
    warning ("gpugeo:header", ...
             ["the first line of \"%s\" was read as an edge, but may be a header \"vertices edges\": " ...
              "gpu_read_edges (file, [], \"header\", true) reads it as one"], file);
  endif
  if (read.gaps && ! compact)
    warning ("gpugeo:ids", ...
             ["fewer than half of the %d vertices of \"%s\" have an edge: " ...
              "gpu_read_edges (file, [], \"ids\", \"compact\") takes only these"], read.vertices, file);
  endif

endfunction
