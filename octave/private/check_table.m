## -*- texinfo -*-
## @deftypefn  {} {} check_table (@var{X})
## @deftypefnx {} {} check_table (@var{X}, @var{name})
## Raise an error unless @var{X}, the argument @var{name}, by default "x", is a matrix of real numbers or logical values, for the functions of gpugeo only.
## @end deftypefn

function check_table (X, name = "x")

  if (! (isnumeric (X) || islogical (X)) || ndims (X) != 2 || ! isreal (X))
    fail_value (X, name, "a numeric matrix");
  endif

endfunction
