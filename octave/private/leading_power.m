## -*- texinfo -*-
## @deftypefn {} {[@var{power}, @var{pairs}] =} leading_power (@var{arguments})
## Return the power of a network, which is the first of an odd number of arguments and otherwise 6, and the others.
## @end deftypefn

function [power, pairs] = leading_power (arguments)

  power = 6;
  pairs = arguments;
  if (mod (numel (arguments), 2) == 1)
    power = arguments{1};
    pairs(1) = [];
  endif

endfunction
