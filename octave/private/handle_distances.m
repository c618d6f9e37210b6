## -*- texinfo -*-
## @deftypefn {} {@var{d} =} handle_distances (@var{options}, @var{point}, @var{X})
## Return the distances of the row vector @var{point} from the rows of @var{X}, a column, by the function in
## the field @code{method} of @var{options}.  What it returns is checked; messages name the metric as
## @code{options.names.method}.
## @end deftypefn

function d = handle_distances (options, point, X)

  d = options.method (point, X);
  if (! ((isnumeric (d) || islogical (d)) && isreal (d) && ndims (d) == 2 ...
         && any (size (d) <= 1) && numel (d) == rows (X)))
    error ("gpugeo:argument", ...
           "%s must return a distance for each of the %d rows of its second argument, not %s", ...
           options.names.method, rows (X), __gpugeo__ ("show", d));
  endif
  d = full (d(:));

endfunction
