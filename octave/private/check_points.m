## -*- texinfo -*-
## @deftypefn {} {} check_points (@var{options}, @var{X}, @var{Y})
## Check the points, and the settings, of a call whose metric is a function: errors are those of a call with
## the metric @qcode{"euclidean"}.  @var{Y} may be @code{[]}.
## @end deftypefn

function check_points (options, X, Y)

  refuse_parameters (options);
  if (isstruct (X) || isstruct (Y))
    fail_message ("function in file", options.names.method);
  endif
  __gpugeo__ ("check", options);
  options.method = "euclidean";
  __gpugeo__ ("dist_metric_params", options, X, Y);

endfunction
