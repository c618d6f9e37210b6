## -*- texinfo -*-
## @deftypefn {} {[@var{basis}, @var{owner}] =} extend_basis (@var{basis}, @var{values})
## Add to an orthonormal basis of centered columns what the columns of each term, the elements of @var{values}, add to
## those before.  @var{owner} has the number of the term of each new column.
## @end deftypefn

function [basis, owner] = extend_basis (basis, values)

  owner = [];
  for k = 1:numel (values)
    for column = values{k} - mean (values{k}, 1)
      before = norm (column);
      for again = 1:2
        column -= basis * (basis' * column);
      endfor
      if (norm (column) > 1e-7 * before)
        basis(:,end+1) = column / norm (column);
        owner(end+1) = k;
      endif
    endfor
  endfor

endfunction
