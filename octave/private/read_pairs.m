## -*- texinfo -*-
## @deftypefn {} {@var{options} =} read_pairs (@var{options}, @var{pairs})
## Set fields of a structure by pairs of names and values, for the functions of gpugeo only.
##
## @var{options} has the defaults.  A name is that of a field, or the beginning of one.
## @end deftypefn

function options = read_pairs (options, pairs)

  if (mod (numel (pairs), 2))
    error ("gpugeo:argument", "options must be pairs of a name and a value");
  endif
  names = fieldnames (options)';
  for k = 1:2:numel (pairs)
    options.(choose_one (pairs{k}, names, "option")) = pairs{k+1};
  endfor
  if (isfield (options, "margin") && ! isequal (options.margin, 1) && ! isequal (options.margin, 2))
    fail_value (options.margin, "margin", "1 or 2");
  endif

endfunction
