## -*- texinfo -*-
## @deftypefn {} {@var{numbers} =} point_numbers (@var{given}, @var{n})
## Return the numbers of points, all @var{n} for @qcode{":"}.
## @end deftypefn

function numbers = point_numbers (given, n)

  numbers = given;
  if (ischar (given) && strcmp (given, ":"))
    numbers = 1:n;
  elseif (! isnumeric (given))
    error ("gpugeo:argument", "points must be numbers from 1 or \":\", not %s", ...
           __gpugeo__ ("show", given));
  endif

endfunction
