## -*- texinfo -*-
## @deftypefn {} {} refuse_parameters (@var{options})
## Raise an error if a parameter of metrics, other than its default, is given with a metric that is a function.
## @end deftypefn

function refuse_parameters (options)

  persistent defaults = struct ("p", 2, "scale", [], "cov", [], "singular", "error", "types", [], ...
                                "column_weights", [], "sphere_radius", 6371008.8);
  for [default, name] = defaults
    if (isfield (options, name) && ! isequal (options.(name), default))
      error ("gpugeo:argument", "%s must be %s if the metric is a function, not %s", name, ...
             __gpugeo__ ("show", default), __gpugeo__ ("show", options.(name)));
    endif
  endfor

endfunction
