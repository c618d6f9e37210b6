## -*- texinfo -*-
## @deftypefn {} {@var{columns} =} split_factors (@var{group})
## Return the values of each factor of a permutation test in a cell array: a vector or a cell array of strings is one
## factor, and the columns of a matrix and the elements of another cell array are several.
## @end deftypefn

function columns = split_factors (group)

  if (iscell (group) && ! iscellstr (group))
    columns = group(:)';
  elseif (iscellstr (group) || isvector (group))
    columns = {group};
  else
    columns = num2cell (group, 1);
  endif

endfunction
