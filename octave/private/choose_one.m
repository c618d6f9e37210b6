## -*- texinfo -*-
## @deftypefn {} {@var{choice} =} choose_one (@var{value}, @var{choices}, @var{name})
## Return the one of @var{choices} that @var{value}, of the option @var{name}, is or begins, in any case, as the core's
## names are.
## @end deftypefn

function choice = choose_one (value, choices, name)

  if (! (ischar (value) && rows (value) == 1))
    error ("gpugeo:argument", "%s must be a single string, not %s", name, __gpugeo__ ("show", value));
  endif
  lower = tolower (value);  # strcmpi follows the locale: in Turkish, "I" is not the capital of "i"
  found = find (strcmp (choices, lower), 1);
  if (isempty (found))
    found = find (strncmp (choices, lower, numel (lower)));
  endif
  if (numel (found) != 1)
    several = "";
    if (numel (found) > 1)
      several = ", which begins several of them";
    endif
    error ("gpugeo:argument", "%s must be one of %s, not \"%s\"%s", name, ...
           strjoin (strcat ("\"", choices, "\""), ", "), value, several);
  endif
  choice = choices{found};

endfunction
