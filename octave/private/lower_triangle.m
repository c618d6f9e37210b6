## -*- texinfo -*-
## @deftypefn {} {@var{d} =} lower_triangle (@var{D}, @var{name}, @var{hint})
## Return the distances of a square matrix below the diagonal as a row, column by column.  Elements that should be
## equal and differ by at most 1e-8 of the largest are replaced by their mean; a larger difference is an error that
## names the argument @var{name} and ends with @var{hint}.
## @end deftypefn

function d = lower_triangle (D, name, hint = "; gpu_pdist computes distances of points")

  d = __gpugeo__ ("square", D, name, hint);

endfunction
