## -*- texinfo -*-
## @deftypefn {} {} report_edges (@var{read}, @var{file}, @var{said}, @var{compact})
## Warn of what in the result @var{read} of @code{__gpugeo__ ("edges", @dots{})} may not be what the author of a
## file means: a first line that may or may not be a header, unless @var{said}, and numbers without an edge,
## unless @var{compact}.
## @end deftypefn

function report_edges (read, file, said, compact)

  if (! said && read.header == 1)
    warning ("gpugeo:header", __gpugeo__ ("message", "header read"), file);
  elseif (! said && read.header == 2)
    warning ("gpugeo:header", __gpugeo__ ("message", "header not read"), file, ...
             "gpu_read_edges (file, [], \"header\", true)");
  endif
  if (read.gaps && ! compact)
    warning ("gpugeo:ids", __gpugeo__ ("message", "few vertices"), read.vertices, file, ...
             "gpu_read_edges (file, [], \"ids\", \"compact\")");
  endif

endfunction
