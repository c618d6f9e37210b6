## -*- texinfo -*-
## @deftypefn {} {[@var{options}, @var{rest}] =} read_pairs (@var{options}, @var{pairs}, @var{others})
## Set fields of a structure by pairs of names and values, for the functions of gpugeo only.
##
## @var{options} has the defaults.  A name is that of a field, or the beginning of one.  Pairs of names in @var{others},
## by default none, are returned in @var{rest}.
## @end deftypefn

function [options, rest] = read_pairs (options, pairs, others = {})

  if (mod (numel (pairs), 2))
    error ("gpugeo:argument", "options must be pairs of a name and a value");
  endif
  names = fieldnames (options)';
  rest = {};
  for k = 1:2:numel (pairs)
    name = choose_one (pairs{k}, [names, others], "option");
    if (any (strcmp (name, names)))
      options.(name) = pairs{k+1};
    else
      rest(end+1:end+2) = {name, pairs{k+1}};
    endif
  endfor
  if (isfield (options, "margin") && ! isequal (options.margin, 1) && ! isequal (options.margin, 2))
    fail_value (options.margin, "margin", "1 or 2");
  endif

endfunction
