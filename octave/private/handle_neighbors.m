## -*- texinfo -*-
## @deftypefn {} {[@var{idx}, @var{D}, @var{info}] =} handle_neighbors (@var{X}, @var{Y}, @var{options}, @var{choose})
## Return the neighbours of each row of @var{Y}, or of @var{X} if @var{Y} is @code{[]}, by the function in
## the field @code{method} of @var{options}: cell arrays of row vectors.  @code{@var{choose} (d)} returns how
## many of the sorted distances d belong to neighbours.  NaN is sorted last, and ties by row number.
## @end deftypefn

function [idx, D, info] = handle_neighbors (X, Y, options, choose)

  check_points (options, X, Y);
  start = tic;
  X = full (X);
  Y = full (Y);
  within = isnumeric (Y) && isequal (size (Y), [0 0]);
  if (within)
    Y = X;
  endif
  idx = D = cell (rows (Y), 1);
  for q = 1:rows (Y)
    [d, order] = sort (handle_distances (options, Y(q,:), X)');
    if (within)
      d(order == q) = [];
      order(order == q) = [];
    endif
    count = choose (d);
    idx{q} = order(1:count);
    D{q} = cast (d(1:count), class_of_distances (X, Y));
  endfor
  info = report_of_handle (start);

endfunction
