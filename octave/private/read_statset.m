## -*- texinfo -*-
## @deftypefn {} {@var{given} =} read_statset (@var{options}, @var{names})
## Return the option @qcode{"options"}, a structure as @code{statset} of MATLAB returns it, without its empty fields.
## Fields with a value must be among @var{names}.  An infinite @code{MaxIter} is @code{flintmax}, and @code{Display} is
## returned in lower case, by default @qcode{"off"}.
## @end deftypefn

function given = read_statset (options, names)

  given = struct ("Display", "off");
  if (! isfield (options, "options"))
    return;
  elseif (! (isstruct (options.options) && isscalar (options.options)))
    error ("gpugeo:argument", "options must be a structure, not %s", __gpugeo__ ("show", options.options));
  endif
  for [value, name] = options.options
    if (isempty (value))
      continue;
    elseif (! any (strcmp (name, names)))
      error ("gpugeo:argument", "options must have the fields %s and %s only, not %s", ...
             strjoin (names(1:end-1), ", "), names{end}, name);
    endif
    given.(name) = value;
  endfor
  given.Display = choose_one (given.Display, {"off", "final", "iter"}, "Display");
  for name = {"MaxIter", "TolFun", "TolX"}
    if (isfield (given, name{1}))
      check_least (given.(name{1}), name{1});
    endif
  endfor
  if (isfield (given, "MaxIter"))
    given.MaxIter = min (double (given.MaxIter), flintmax ());  # Inf is no whole number for the core
  endif

endfunction

function check_least (value, name)

  is_count = strcmp (name, "MaxIter");
  allowed = {"a number of at least 0", "a whole number of at least 0"}{1 + is_count};
  if (! (isnumeric (value) && isreal (value) && isscalar (value) && value >= 0 ...
         && (! is_count || value == fix (value))))
    error ("gpugeo:argument", "%s must be %s, not %s", name, allowed, __gpugeo__ ("show", value));
  endif

endfunction
