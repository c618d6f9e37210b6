## -*- texinfo -*-
## @deftypefn {} {@var{p} =} permutation_p (@var{permuted}, @var{observed})
## Return the p-values of statistics, which are large if an effect is, as a column: one for each column of
## @var{permuted} and element of @var{observed}.  Values that are smaller by at most 2^-26 count as equal, since
## rounding may make them so.
## @end deftypefn

function p = permutation_p (permuted, observed)

  p = (sum (permuted >= observed - sqrt (eps), 1) + 1)' / (rows (permuted) + 1);

endfunction
