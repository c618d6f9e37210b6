## -*- texinfo -*-
## @deftypefn {} {[@var{X}, @var{options}] =} condensed_distances (@var{X}, @var{options})
## Return points, and the structure of a file or a device, as they are; or condensed distances and the option that
## says so, if @var{X} has distances (the method @qcode{"precomputed"}) or if the method in @var{options} is a
## function, which takes no parameter.  Distances with another metric, or with a parameter of one, are an error.
## @end deftypefn

function [X, options] = condensed_distances (X, options)

  precomputed = strcmp (options.method, "precomputed");
  if (isstruct (X) || precomputed)
    refuse_metric (options, options.metric_given && ! precomputed);
  endif
  if (isstruct (X))
    return;
  elseif (is_function_handle (options.method))
    X = gpu_pdist (X, options.method);
  elseif (precomputed)
    X = condensed (X);
  else
    return;
  endif
  options.condensed = true;

endfunction

## The distances of a square matrix below the diagonal, column by column.
function D = condensed (X)

  D = X;
  if (rows (X) != 1)
    if (! (isnumeric (X) && isreal (X) && issquare (X)))
      error ("gpugeo:argument", "x must be a square matrix of distances with \"precomputed\", not %d x %d", size (X));
    endif
    D = X(tril (true (size (X)), -1))';
  endif

endfunction
