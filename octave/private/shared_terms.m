## -*- texinfo -*-
## @deftypefn {} {[@var{A}, @var{B}, @var{J}, @var{info}] =} shared_terms (@var{X}, @var{terms}, @var{pairs})
## Return the terms of @code{gpu_designdist} for all pairs of rows, for the functions of gpugeo only.
##
## @var{terms} is their name, and @var{pairs} are the options of the computation.
## @end deftypefn

function [A, B, J, info] = shared_terms (X, terms, pairs)

  metric = "cityblock";
  switch (terms)
    case "binary"
      X = double (X > 0);
      total = sum (X, 2);
    case "quadratic"
      total = sum (X .^ 2, 2);
      metric = "sqeuclidean";
    otherwise
      total = sum (X, 2);
  endswitch
  total = full (total)';
  [second, first] = find (tril (true (rows (X)), -1));
  A = reshape (total(first), 1, []);
  B = reshape (total(second), 1, []);
  [D, info] = gpu_pdist (X, metric, pairs{:});
  J = (A + B - D) / 2;

endfunction
