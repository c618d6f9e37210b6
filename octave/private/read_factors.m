## -*- texinfo -*-
## @deftypefn {} {@var{factors} =} read_factors (@var{group}, @var{n})
## Return the numbers of the groups of @var{n} points, from 1, as a matrix with a column for each factor.
## @end deftypefn

function factors = read_factors (group, n)

  if (iscell (group) && ! iscellstr (group))
    columns = group(:)';
  elseif (iscellstr (group) || isvector (group))
    columns = {group};
  else
    columns = num2cell (group, 1);
  endif
  factors = zeros (n, numel (columns));
  for k = 1:numel (columns)
    if (numel (columns{k}) != n)
      fail_message ("values", "group", n, numel (columns{k}));
    endif
    if (isnumeric (columns{k}) && any (isnan (columns{k}(:))))
      fail_message ("missing", "group");
    endif
    [~, ~, number] = unique (columns{k}(:));
    factors(:,k) = number;
  endfor

endfunction
