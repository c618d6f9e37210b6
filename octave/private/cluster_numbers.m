## -*- texinfo -*-
## @deftypefn {} {@var{numbers} =} cluster_numbers (@var{clust}, @var{name}, @var{noise})
## Return clusters, numbers, logical values or names, as a column of int32 numbers from 1 on in the order of
## @code{unique}.  @var{noise}: the number -1 becomes 0.  @var{name} is that of the argument.
## @end deftypefn

function numbers = cluster_numbers (clust, name, noise = false)

  if (ischar (clust))
    clust = cellstr (clust);
  elseif (! (iscellstr (clust) || isnumeric (clust) || islogical (clust)))
    fail_value (clust, name, "numbers, logical values or names");
  elseif (isnumeric (clust) && any (isnan (clust(:))))
    error ("gpugeo:argument", "%s must have no missing values, but value %d is NaN", name, find (isnan (clust(:)), 1));
  endif
  if (noise && isnumeric (clust))
    numbers = zeros (numel (clust), 1, "int32");
    kept = clust(:) != -1;
    [~, ~, of_kept] = unique (clust(kept));
    numbers(kept) = of_kept;
  else
    [~, ~, numbers] = unique (clust(:));
    numbers = int32 (numbers(:));
  endif

endfunction
