## -*- texinfo -*-
## @deftypefn {} {@var{choice} =} choose_one (@var{value}, @var{choices}, @var{name})
## Return the one of @var{choices} that @var{value}, of the option @var{name}, is or begins, in any case, as the core's
## names are.
## @end deftypefn

function choice = choose_one (value, choices, name)

  choice = choices{__gpugeo__ ("choose", value, choices, name)};

endfunction
