## -*- texinfo -*-
## @deftypefn {} {@var{d} =} lower_triangle (@var{D}, @var{name}, @var{hint})
## Return the distances of a square matrix below the diagonal as a row, column by column.  Elements that should be
## equal and differ by at most 1e-8 of the largest are replaced by their mean; a larger difference is an error that
## names the argument @var{name} and ends with @var{hint}.
## @end deftypefn

function d = lower_triangle (D, name, hint = "; gpu_pdist computes distances of points")

  gap = asymmetry (D);
  if (any (gap(:) > max (1e-8, 100 * eps (class (gap))) * largest (D)))
    [~, at] = max (gap(:));
    [i, j] = ind2sub (size (D), at);
    pair = sort ([i, j]);
    shown = @(i, j) __gpugeo__ ("show", full (D(i,j)));
    error ("gpugeo:argument", "%s must be symmetric, but element (%d, %d) is %s and element (%d, %d) is %s%s", ...
           name, pair, shown(pair(1), pair(2)), flip (pair), shown(pair(2), pair(1)), hint);
  elseif (any (gap(:) > 0))
    D = (D + D') / 2;
  endif
  d = full (D(tril (true (size (D)), -1))');

endfunction
