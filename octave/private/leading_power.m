## -*- texinfo -*-
## @deftypefn {} {@var{pairs} =} leading_power (@var{arguments})
## Return arguments in pairs: the first of an odd number of them is the value of @qcode{"power"}.
## @end deftypefn

function pairs = leading_power (arguments)

  pairs = arguments;
  if (mod (numel (arguments), 2) == 1)
    pairs = [{"power"}, arguments];
  endif

endfunction
