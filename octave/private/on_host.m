## Return the options of a function that only the CPU computes: it does so whatever gpu_options has.

function options = on_host (options)

  defaults = gpu_options ();
  if (! isfield (options, "backend") || (isfield (defaults, "backend") && isequal (options.backend, defaults.backend)))
    options.backend = "cpu";
  endif

endfunction
