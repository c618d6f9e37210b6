## -*- texinfo -*-
## @deftypefn {} {} refuse_parameters (@var{options})
## Raise an error if a parameter of metrics is given with a metric that is a function.
## @end deftypefn

function refuse_parameters (options)

  parameters = {"p", "scale", "cov", "singular", "types", "column_weights", "sphere_radius"};
  if (any (isfield (options, parameters)))
    error ("gpugeo:argument", "%s takes no parameter if it is a function", options.names.method);
  endif

endfunction
