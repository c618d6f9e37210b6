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
    fail_value (options.options, "options", "a structure");
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
  for name = {"TolFun", "TolX"}
    if (isfield (given, name{1}))
      __gpugeo__ ("check_number", given.(name{1}), name{1});
    endif
  endfor
  if (isfield (given, "MaxIter") && isequal (given.MaxIter, Inf))
    given.MaxIter = flintmax ();  # Inf is no whole number for the core
  elseif (isfield (given, "MaxIter"))
    given.MaxIter = __gpugeo__ ("check_whole", given.MaxIter, "MaxIter", 0);
  endif

endfunction
