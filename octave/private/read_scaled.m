## -*- texinfo -*-
## @deftypefn {} {[@var{D}, @var{options}, @var{given}] =} read_scaled (@var{D}, @var{options}, @var{pairs})
## Return what a function of scaling was given: distances, unless the options in the cell array @var{pairs} name a
## metric of points; and the options that say so.  A matrix of similarities S becomes sqrt (1 - S).  @var{given} has
## the distances in the shape in which they were given, or [] if there are points.
## @end deftypefn

function [D, options, given] = read_scaled (D, options, pairs)

  has_metric = any (cellfun (@(name) ischar (name) && any (strcmpi (name, {"metric", "method", "distance"})), ...
                             pairs(1:2:end)));
  given = [];
  if (isstruct (D))
    given = D;
  elseif (has_metric)
    [D, options] = condensed_distances (D, options);
  else
    D = distances_of_similarities (D);
    if (! (isnumeric (D) && isreal (D) && (rows (D) == 1 || (issquare (D) && is_symmetric (D)))))
      error ("gpugeo:argument", ["D must be a symmetric matrix of distances with zeros on the diagonal, a row ", ...
                                 "vector of them, or a symmetric matrix of similarities of at most 1 with ones on ", ...
                                 "the diagonal; points must be given with the option \"metric\""]);
    endif
    given = D;
    options.method = "precomputed";
    [D, options] = condensed_distances (D, options);
    options.method = "euclidean";
  endif

endfunction

function D = distances_of_similarities (D)

  if (isnumeric (D) && isreal (D) && rows (D) > 1 && issquare (D) && all (diag (D) == 1) && ! any (D(:) > 1))
    D = sqrt (1 - double (D));
  endif

endfunction

function yes = is_symmetric (D)

  yes = all (diag (D) == 0) && isequaln (D, D');

endfunction
