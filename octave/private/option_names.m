## -*- texinfo -*-
## @deftypefn {} {@var{names} =} option_names (@var{family}, @var{others})
## Return the names of the core's options of a family, a row, but for the cell array @var{others}, which users do not
## give by name.
## @end deftypefn

function names = option_names (family, others = {})

  names = fieldnames (core_options (family))';
  names(ismember (names, others)) = [];

endfunction
