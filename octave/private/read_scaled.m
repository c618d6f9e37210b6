## -*- texinfo -*-
## @deftypefn {} {[@var{D}, @var{options}] =} read_scaled (@var{D}, @var{options}, @var{pairs})
## Return what a function of scaling was given: distances, unless the options in the cell array @var{pairs} name a
## metric of points; and the options that say so.
## @end deftypefn

function [D, options] = read_scaled (D, options, pairs)

  has_metric = any (cellfun (@(name) ischar (name) && any (strcmpi (name, {"metric", "method", "distance"})), ...
                             pairs(1:2:end)));
  if (isstruct (D) || has_metric)
    [D, options] = condensed_distances (D, options);
  else
    if (! (isnumeric (D) && isreal (D) && (rows (D) == 1 || (issquare (D) && is_symmetric (D)))))
      error ("gpugeo:argument", ["D must be a symmetric matrix of distances with zeros on the diagonal, or a row ", ...
                                 "vector of them; points must be given with the option \"metric\""]);
    endif
    options.method = "precomputed";
    [D, options] = condensed_distances (D, options);
    options.method = "euclidean";
  endif

endfunction

function yes = is_symmetric (D)

  yes = all (diag (D) == 0) && isequaln (D, D');

endfunction
