## -*- texinfo -*-
## @deftypefn {} {@var{options} =} read_neighbors (@var{own}, @var{pairs})
## Read the options of a function that looks for neighbours: those in the cell array @var{own}, those of
## @code{knnsearch} that choose and steer its algorithm, which are only checked, and a metric, which is
## @qcode{"distance"} as in @code{knnsearch}, @qcode{"method"} or @qcode{"metric"}.  @var{options} is the
## structure that @code{__gpugeo__} takes, with the logical fields @code{sortindices} and @code{metric_given};
## its field @code{method} may be a function, which @code{__gpugeo__} refuses.
## @end deftypefn

function options = read_neighbors (own, pairs)

  metrics = {"distance", "method", "metric"};
  steering = {"nsmethod", "bucketsize", "cachesize", "sortindices"};
  parameters = option_names ("metric", {"method"});
  options = read_options ([own, {"distance"}, parameters, {"method", "metric"}, steering], pairs);
  given = metrics(isfield (options, metrics));
  options.metric_given = ! isempty (given);
  options = choose_metric (options, metrics);
  if (! isfield (options, "method"))
    options.method = "euclidean";
  endif
  options = column_types (options);
  options.names = struct ("method", [given, {"distance"}]{1}, "query", "y");

  options.sortindices = read_flag (options, "sortindices", true);
  check_tree (options);
  if (isfield (options, "bucketsize"))
    __gpugeo__ ("check_whole", options.bucketsize, "bucketsize", 1);
  endif
  check_cache (options);

endfunction

## Checks the option "nsmethod".  In knnsearch trees go with four metrics only.
function check_tree (options)

  if (! isfield (options, "nsmethod"))
    return;
  endif
  nsmethod = choose_one (options.nsmethod, {"kdtree", "exhaustive"}, "nsmethod");
  if (strcmp (nsmethod, "exhaustive"))
    return;
  elseif (is_function_handle (options.method))
    error ("gpugeo:argument", "nsmethod must be \"exhaustive\" if %s is a function, not \"kdtree\"", ...
           options.names.method);
  endif
  metric = __gpugeo__ ("metric", struct ("names", options.names), options.method);
  if (! any (strcmp (metric, {"euclidean", "manhattan", "maximum", "minkowski"})))
    error ("gpugeo:argument", "nsmethod must be \"exhaustive\" with %s \"%s\", not \"kdtree\"", ...
           options.names.method, options.method);
  endif

endfunction

## Checks the option "cachesize".
function check_cache (options)

  if (! isfield (options, "cachesize") || (ischar (options.cachesize) && strcmp (tolower (options.cachesize), "maximal")))
    return;
  endif
  value = options.cachesize;
  if (! (isnumeric (value) && isreal (value) && isscalar (value) && value > 0))
    error ("gpugeo:argument", "cachesize must be \"maximal\" or a positive number, not %s", __gpugeo__ ("show", value));
  endif

endfunction
