## -*- texinfo -*-
## @deftypefn {} {} check_table (@var{X})
## Raise an error unless @var{X} is a matrix of real numbers or logical values, for the functions of gpugeo only.
## @end deftypefn

function check_table (X)

  if (! (isnumeric (X) || islogical (X)) || ndims (X) != 2 || ! isreal (X))
    fail_value (X, "x", "a numeric matrix");
  endif

endfunction
