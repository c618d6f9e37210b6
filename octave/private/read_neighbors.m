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
  parameters = {"distance", "p", "scale", "cov", "singular", "types", "column_weights", "sphere_radius", "method", "metric"};
  options = read_options ([own, parameters, steering], pairs);
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
  check_number (options, "bucketsize", "a whole number of at least 1", @(value) value >= 1 && value == fix (value));
  if (isfield (options, "cachesize") && ! (ischar (options.cachesize) && strcmp (tolower (options.cachesize), "maximal")))
    check_number (options, "cachesize", "\"maximal\" or a positive number", @(value) value > 0);
  endif

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

## Checks an option that must be a number.
function check_number (options, name, allowed, good)

  if (isfield (options, name))
    value = options.(name);
    if (! (isnumeric (value) && isreal (value) && isscalar (value) && good (value)))
      error ("gpugeo:argument", "%s must be %s, not %s", name, allowed, __gpugeo__ ("show", value));
    endif
  endif

endfunction
