## -*- texinfo -*-
## @deftypefn {} {} refuse_row (@var{X})
## Raise an error if a function of points without distances gets a row of n * (n - 1) / 2 distances, n at least 3, or
## the structure that stands for distances.
## @end deftypefn

function refuse_row (X)

  if (stands_for_distances (X))
    error ("gpugeo:argument", "x must be points, not distances of sequences, in a file or on a device");
  elseif (is_row_of_distances (X))
    error ("gpugeo:argument", "x must be points, not a vector of %d distances; each row is a point", columns (X));
  endif

endfunction
