## -*- texinfo -*-
## @deftypefn {} {[@var{D}, @var{options}, @var{given}] =} read_scaled (@var{D}, @var{options}, @var{pairs})
## Return what a function of scaling was given: distances, unless the options in the cell array @var{pairs} name a
## metric of points; and the options that say so.  A matrix of similarities S becomes sqrt (1 - S).  @var{given} has
## the distances in the shape in which they were given, or [] if there are points.
## @end deftypefn

function [D, options, given] = read_scaled (D, options, pairs)

  has_metric = any (cellfun (@(name) ischar (name) && any (strcmp (tolower (name), {"metric", "method", "distance"})), ...
                             pairs(1:2:end)));
  options.names.x = "D";
  given = [];
  if (isstruct (D))
    given = D;
  elseif (has_metric)
    [D, options] = condensed_distances (D, options, "D");
  else
    D = distances_of_similarities (D);
    if (! (isnumeric (D) && isreal (D) && (rows (D) == 1 || (issquare (D) && has_no_diagonal (D)))))
      error ("gpugeo:argument", ["D must be a symmetric matrix of distances with zeros on the diagonal, a row ", ...
                                 "vector of them, or a symmetric matrix of similarities of at most 1 with ones on ", ...
                                 "the diagonal; points must be given with the option \"metric\""]);
    endif
    given = D;
    options.method = "precomputed";
    [D, options] = condensed_distances (D, options, "D");
    options.method = "euclidean";
  endif

endfunction

function D = distances_of_similarities (D)

  if (isnumeric (D) && isreal (D) && rows (D) > 1 && issquare (D) && all (diag (D) == 1) && ! any (D(:) > 1))
    lower_triangle (D, "D");  # is symmetric
    D = sqrt (1 - double (D));
  endif

endfunction

## True for a matrix whose diagonal is 0 or missing.
function yes = has_no_diagonal (D)

  yes = ! any (diag (D) != 0 & ! isnan (diag (D)));

endfunction
