## -*- texinfo -*-
## @deftypefn {} {[@var{D}, @var{I}, @var{info}] =} extreme_distances (@var{X}, @var{Y}, @var{options}, @var{K}, @var{largest})
## Return the K smallest or largest distances of each row of @var{Y} from the rows of @var{X}, sorted, and
## their row numbers, as @code{gpu_pdist2} describes them.  The matrix of all distances is computed by blocks
## of its columns, of 32 MiB, in an order of all rows of @var{X}.
## @end deftypefn

function [D, I, info] = extreme_distances (X, Y, options, K, largest)

  check_points_of (options, X, Y);
  warning ("off", "gpugeo:missing", "local");  # check_points_of has warned of all
  nx = rows (X);
  ny = rows (Y);
  K = min (K, nx);
  D = zeros (K, ny, class_of_distances (X, Y));
  I = zeros (K, ny);
  side = max (1, floor (2^22 / max (1, nx)));
  seconds = 0;
  for first = 1:side:max (ny, 1)  # once for no row
    block = first:min (first + side - 1, ny);
    [d, info] = distances_between (X, Y(block,:), options);
    [D(:,block), I(:,block)] = sort_columns (d, K, largest);
    seconds += info.seconds;
  endfor
  info.seconds = seconds;

endfunction

function check_points_of (options, X, Y)

  if (is_function_handle (options.method))
    check_points (options, X, Y);
  else
    __gpugeo__ ("dist_metric_params", options, X, Y);
  endif

endfunction

## The first K of each sorted column and their row numbers: ties by row number, NaN last.
function [D, I] = sort_columns (d, K, largest)

  if (largest)
    key = d;
    key(isnan (key)) = -Inf;
    [~, I] = sort (key, 1, "descend");
  else
    [~, I] = sort (d, 1);
  endif
  I = I(1:K,:);
  D = d(I + rows (d) * (0:columns (d)-1));

endfunction
