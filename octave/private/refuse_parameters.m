## -*- texinfo -*-
## @deftypefn {} {} refuse_parameters (@var{options})
## Raise an error if a parameter of metrics, other than its default, is given with a metric that is a function.
## @end deftypefn

function refuse_parameters (options)

  for [default, name] = rmfield (core_options ("metric"), "method")
    if (isfield (options, name) && ! isequal (options.(name), default))
      fail_message ("function parameter", name, __gpugeo__ ("show", default), __gpugeo__ ("show", options.(name)));
    endif
  endfor

endfunction
