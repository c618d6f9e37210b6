## -*- texinfo -*-
## @deftypefn {} {[@var{factors}, @var{columns}] =} read_factors (@var{group}, @var{n})
## Return the numbers of the groups of @var{n} points, from 1, as a matrix with a column for each factor, and the
## values of each factor in a cell array.
## @end deftypefn

function [factors, columns] = read_factors (group, n)

  columns = split_factors (group);
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
