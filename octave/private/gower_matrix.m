## -*- texinfo -*-
## @deftypefn {} {@var{gower} =} gower_matrix (@var{squares})
## Return Gower's matrix of a matrix of squared distances, whose rows and columns have the mean 0.
## @end deftypefn

function gower = gower_matrix (squares)

  gower = -(squares - mean (squares, 1) - mean (squares, 2) + mean (squares(:))) / 2;
  gower = (gower + gower') / 2;

endfunction
