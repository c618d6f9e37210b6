## -*- texinfo -*-
## @deftypefn {} {[@var{X}, @var{options}, @var{n}] =} read_tested (@var{X}, @var{pairs}, @var{own}, @var{group})
## Read the distances or the @var{n} points of a permutation test, and its options, the permutations and those in
## the cell array @var{own} among them.  @var{options} is the structure that @code{__gpugeo__} takes.
## Without a metric, a row vector with a number for each pair of the points in @var{group} has distances.
## @end deftypefn

function [X, options, n] = read_tested (X, pairs, own = {}, group = [])

  options = read_neighbors ([{"permutations"}, own], pairs);
  points = numel (group);
  if (! options.metric_given && isnumeric (X) && rows (X) == 1 && points > 1)
    if (columns (X) != points * (points - 1) / 2)
      error ("gpugeo:argument", "x must have a row for each of the %d points in group or their %d distances, not %d numbers", ...
             points, points * (points - 1) / 2, columns (X));
    endif
    options.method = "precomputed";
  elseif (! options.metric_given && isnumeric (X) && columns (X) == 1 && points > 2 && rows (X) != points ...
          && rows (X) == points * (points - 1) / 2)
    error ("gpugeo:argument", "x must have its %d distances in a row, not in a column; each row of a matrix is a point", ...
           rows (X));
  endif
  [X, options] = condensed_distances (X, options);
  n = count_points (X, isfield (options, "condensed"));
  options = read_permutations (options, n);

endfunction
