## -*- texinfo -*-
## @deftypefn {} {@var{D} =} condensed_distances (@var{X})
## Return the distances of a square matrix below the diagonal, column by column, as a row; a row is returned
## as it is.
## @end deftypefn

function D = condensed_distances (X)

  D = X;
  if (rows (X) != 1)
    if (! (isnumeric (X) && isreal (X) && issquare (X)))
      error ("gpugeo:argument", "x must be a square matrix of distances with \"precomputed\", not %d x %d", size (X));
    endif
    D = X(tril (true (size (X)), -1))';
  endif

endfunction
