## -*- texinfo -*-
## @deftypefn {} {} refuse_metric (@var{options}, @var{given})
## Raise an error if distances come with a metric, which @var{given} says, or with a parameter of metrics among
## @var{options}.
## @end deftypefn

function refuse_metric (options, given)

  parameters = option_names ("metric", {"method"});
  found = parameters(isfield (options, parameters));
  if (given)
    found = {options.names.method};
  endif
  if (! isempty (found))
    fail_message ("with points", found{1});
  endif

endfunction
