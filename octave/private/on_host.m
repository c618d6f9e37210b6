## Return the options of a function that only the CPU computes: it does so whatever gpu_options has.  A backend in the
## pairs of names and values of the call stays, for the core to check.

function options = on_host (options, pairs = {})

  given = pairs(2 * find (strcmpi (pairs(1:2:end), "backend")));
  if (isempty (given) || isempty (given{end}))
    options.backend = "cpu";
  endif

endfunction
