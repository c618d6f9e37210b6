## -*- texinfo -*-
## @deftypefn {} {[@var{X}, @var{options}] =} condensed_distances (@var{X}, @var{options})
## Return the points @var{X} as they are; or distances, and the option that says so, if @var{X} has them (the
## method @qcode{"precomputed"}) or if the method in @var{options} is a function, which takes no parameter.
## @end deftypefn

function [X, options] = condensed_distances (X, options)

  if (is_function_handle (options.method))
    X = gpu_pdist (X, options.method);
  elseif (strcmp (options.method, "precomputed"))
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
