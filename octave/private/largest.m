## -*- texinfo -*-
## @deftypefn {} {@var{value} =} largest (@var{D})
## Return the largest finite magnitude of an array, 0 if there is none.
## @end deftypefn

function value = largest (D)

  value = double (max ([0; abs(D(isfinite (D))(:))]));

endfunction
