## -*- texinfo -*-
## @deftypefn {} {@var{X} =} check_counts (@var{X}, @var{whole})
## Return counts of species at sites as doubles, for the functions of gpugeo only.
##
## Anything but a matrix of numbers of at least 0, which are whole numbers if @var{whole} is true, is an error.
## Otherwise elements may be NaN.
## @end deftypefn

function X = check_counts (X, whole)

  check_table (X);
  X = double (X);
  [i, j, value] = find (X);
  wrong = value < 0;
  allowed = "numbers of at least 0";
  if (whole)
    wrong |= ! isfinite (value) | value != round (value);
    allowed = "whole numbers of at least 0";
  endif
  k = find (wrong, 1);
  if (! isempty (k))
    fail_message ("elements", "x", allowed, i(k), j(k), __gpugeo__ ("show", value(k)));
  endif

endfunction
