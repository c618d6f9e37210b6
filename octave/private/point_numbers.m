## -*- texinfo -*-
## @deftypefn {} {@var{numbers} =} point_numbers (@var{given}, @var{n})
## Return the numbers of points, all @var{n} for @qcode{":"}.
## @end deftypefn

function numbers = point_numbers (given, n)

  numbers = given;
  if (ischar (given) && strcmp (given, ":"))
    numbers = 1:n;
  elseif (! isnumeric (given))
    fail_value (given, "points", "numbers from 1 or \":\"");
  endif

endfunction
