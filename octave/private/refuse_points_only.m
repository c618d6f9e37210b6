## -*- texinfo -*-
## @deftypefn {} {} refuse_points_only (@var{options}, @var{inputs})
## Raise an error if distances whose neighbours are searched come with a metric, another matrix or the option
## @qcode{"nan"}.
## @end deftypefn

function refuse_points_only (options, inputs)

  refuse_metric (options, options.metric_given);
  if (numel (inputs) > 1)
    fail_message ("with points", "y");
  elseif (isfield (options, "nan"))
    fail_message ("with points", "nan");
  endif

endfunction
