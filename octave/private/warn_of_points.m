## -*- texinfo -*-
## @deftypefn {} {} warn_of_points (@var{X}, @var{way})
## Warn of a matrix of points that has the form of distances: it is square, not negative, 0 on the diagonal and
## symmetric, but not all 0.  @var{way} says how to give distances.
## @end deftypefn

function warn_of_points (X, way = "squareform (x) makes distances of it")

  if (! (isnumeric (X) && isreal (X) && ndims (X) == 2 && issquare (X)) || any (diag (X) != 0))
    return;
  elseif (__gpugeo__ ("looks_like_distances", X))
    warning ("gpugeo:points", __gpugeo__ ("message", "like distances"), "x", way);
  endif

endfunction
