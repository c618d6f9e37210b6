## -*- texinfo -*-
## @deftypefn {} {@var{yes} =} is_row_of_distances (@var{X})
## True for a row of n * (n - 1) / 2 numbers, n at least 3.
## @end deftypefn

function yes = is_row_of_distances (X)

  yes = isnumeric (X) && rows (X) == 1 && columns (X) > 2;
  if (yes)
    n = count_points (X, true);
    yes = n * (n - 1) / 2 == columns (X);
  endif

endfunction
