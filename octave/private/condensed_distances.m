## -*- texinfo -*-
## @deftypefn {} {@var{D} =} condensed_distances (@var{X}, @var{name}, @var{when})
## Return the distances of a square matrix below the diagonal, column by column, as a row; a row is returned
## as it is.  @var{name} is that of the argument in errors, and @var{when} the end of its description.
## @end deftypefn

function D = condensed_distances (X, name = "x", when = " with \"precomputed\"")

  D = X;
  if (rows (X) != 1)
    if (! (isnumeric (X) && isreal (X) && issquare (X)))
      error ("gpugeo:argument", "%s must be a square matrix of distances%s, not %d x %d", name, when, size (X));
    endif
    D = X(tril (true (size (X)), -1))';
  endif

endfunction
