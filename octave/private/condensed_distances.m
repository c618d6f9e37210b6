## -*- texinfo -*-
## @deftypefn {} {[@var{X}, @var{options}] =} condensed_distances (@var{X}, @var{options}, @var{name})
## Return points, and the structure of a file or a device, as they are; or condensed distances and the option that
## says so, if @var{X} has distances (the method @qcode{"precomputed"}) or if the method in @var{options} is a
## function, which takes no parameter.  There is a warning of a row vector without a metric
## that has the form of distances.  Distances with another metric, or with a parameter of one, are an error.  @var{name} is that of
## the argument.
## @end deftypefn

function [X, options] = condensed_distances (X, options, name = "x")

  precomputed = strcmp (options.method, "precomputed");
  if (isstruct (X) || precomputed)
    refuse_metric (options, options.metric_given && ! precomputed);
  endif
  if (isstruct (X))
    return;
  elseif (! precomputed)
    way = "the metric \"precomputed\" takes it for distances";
    warn_of_points (X, way);
    if (! options.metric_given && is_row_of_distances (X))
      warning ("gpugeo:points", "x is taken for one point, but has the form of %d distances; %s", columns (X), way);
    endif
  endif
  if (is_function_handle (options.method))
    refuse_parameters (options);
    X = gpu_pdist (X, options.method);
  elseif (precomputed)
    X = condensed (X, name);
  else
    return;
  endif
  options.condensed = true;

endfunction

## The distances of a square matrix below the diagonal, column by column.
function D = condensed (X, name)

  D = X;
  if (rows (X) != 1)
    if (! (isnumeric (X) && isreal (X) && issquare (X)))
      error ("gpugeo:argument", "%s must be a square matrix or a row vector of distances with \"precomputed\", not %d x %d", ...
             name, size (X));
    endif
    D = lower_triangle (X, name);
  endif

endfunction
