## -*- texinfo -*-
## @deftypefn {} {@var{n} =} count_points (@var{X}, @var{is_condensed})
## Return the number of points in @var{X}: a matrix with a point in each row, a structure of @code{gpu_dist_file}, or
## if @var{is_condensed} a vector of distances.
## @end deftypefn

function n = count_points (X, is_condensed)

  if (isstruct (X))
    n = X.size(1);
  elseif (is_condensed)
    n = floor ((1 + sqrt (1 + 8 * numel (X))) / 2);
  else
    n = rows (X);
  endif

endfunction
