## -*- texinfo -*-
## @deftypefn {} {@var{options} =} read_metric (@var{args}, @var{own})
## Read what follows the points in @code{gpu_pdist} and @code{gpu_pdist2}: the metric, its parameter,
## and options in pairs, those in the cell array @var{own} among them.  @var{options} is the structure that
## @code{__gpugeo__} takes; its field @code{method} may be a function, which @code{__gpugeo__} refuses.
## @end deftypefn

function options = read_metric (args, own = {})

  ## The parameter after the metric, as in pdist.
  persistent parameters = struct ("minkowski", "p", "seuclidean", "scale", "mahalanobis", "cov");
  persistent names = struct ("method", "metric", "query", "y");

  metric = "euclidean";
  if (! isempty (args))
    metric = args{1};
    args(1) = [];
  endif

  if (numel (args) > 0 && ! ischar (args{1}))
    if (is_function_handle (metric))
      fail_value (args{1}, "parameter", "left out if the metric is a function");
    endif
    name = __gpugeo__ ("metric", struct ("names", names), metric);
    if (! isfield (parameters, name))
      error ("gpugeo:argument", "metric \"%s\" takes no parameter", metric);
    endif
    args = [{parameters.(name)}, args];
  endif

  if (isempty (args))
    options = gpu_options ();
  else
    options = read_options ([option_names("metric", {"method", "sphere_radius"}), own], args);
  endif
  options.method = metric;
  options.names = names;
  options = column_types (options);

endfunction
