## -*- texinfo -*-
## @deftypefn {} {@var{gap} =} asymmetry (@var{D})
## Return by how much each element of a square matrix differs from the one on the other side of the diagonal:
## infinity if only one of both is missing, and 0 if both are missing or equal.
## @end deftypefn

function gap = asymmetry (D)

  if (! isfloat (D))
    D = double (D);
  endif
  gap = full (abs (D - D'));
  gap(isnan (gap)) = 0;
  gap(isnan (D) != isnan (D')) = Inf;

endfunction
