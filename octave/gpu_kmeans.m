## -*- texinfo -*-
## @deftypefn  {} {@var{idx} =} gpu_kmeans (@var{X}, @var{k})
## @deftypefnx {} {@var{idx} =} gpu_kmeans (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{idx}, @var{C}, @var{sumd}, @var{D}, @var{info}] =} gpu_kmeans (@dots{})
## Divide points into @var{k} clusters whose sums of squared distances from their means are small, as @code{kmeans} of
## MATLAB does.
##
## @var{X} is an n by m matrix of finite numbers with a point in each row.  @var{idx} is the column vector of the
## numbers of the clusters, @var{C} the @var{k} by m matrix of their means, @var{sumd} the column vector of the sums of squared
## distances within each cluster, and @var{D} the n by @var{k} matrix of the squared distances of all points from all
## means.  @var{info} is that of @code{gpu_pdist} with the fields @code{iterations}, their number; @code{converged},
## false if they ended at @code{MaxIter}; and @code{totss}, the sum of squared distances from the mean of all points.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"Start"}
## What to begin with: @qcode{"plus"}, the default, random points that are drawn one after the other, with
## probabilities in proportion to the squared distances from the nearest one before (k-means++); @qcode{"sample"},
## random points; a @var{k} by m matrix of different centres; or a @var{k} by m by r array of r of them.  Numbers are
## drawn by @code{rand} and @code{randperm}.
## @item @qcode{"Replicates"}
## How many random starts are tried, by default 1.  The result is the first one with the smallest sum.
## @item @qcode{"MaxIter"}
## The largest number of iterations, by default 100; there is a warning if they do not suffice.
## @item @qcode{"Distance"}
## @qcode{"sqeuclidean"}, the only one; @code{gpu_kmedoids} takes all metrics.
## @item @qcode{"EmptyAction"}
## @qcode{"drop"}, the default: a cluster that becomes empty remains so, with a warning, and its row of @var{C} is NaN;
## or @qcode{"error"}.  MATLAB's @qcode{"singleton"} is refused.
## @item @qcode{"Algorithm"}
## @qcode{"Lloyd"}, the default, also called @qcode{"Forgy"}; @qcode{"Hartigan-Wong"}, which moves single points and
## usually finds a smaller sum, as MATLAB's online phase does; or @qcode{"MacQueen"}.
## @item @qcode{"Display"}
## @qcode{"off"}, the default, or @qcode{"final"}: the sum and the number of iterations of each start are printed.
## @end table
##
## Of several means that are equally near the first one is taken.  The result has the same bits for any number of
## threads, and from the same centres it is that of @code{kmeans} of R.
##
## References: J. A. Hartigan and M. A. Wong (1979), Applied Statistics 28, 100-108.  S. P. Lloyd (1982), IEEE
## Transactions on Information Theory 28, 129-137.  J. MacQueen (1967), Proceedings of the Fifth Berkeley Symposium 1,
## 281-297.  D. Arthur and S. Vassilvitskii (2007), Proceedings of SODA, 1027-1035.
##
## @example
## gpu_kmeans ([1; 2; 4; 10; 11; 12], 2, "Start", [1; 10])'
##   @result{} 1  1  1  2  2  2
## @end example
##
## @seealso{gpu_kmedoids, gpu_silhouette, gpu_linkage, gpu_options}
## @end deftypefn

function [idx, C, sumd, D, info] = gpu_kmeans (X, k, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  check_table (X);
  X = full (X);
  known = {"start", "replicates", "maxiter", "distance", "emptyaction", "algorithm", "display"};
  given = read_options (known, varargin);
  options = struct ("Start", "plus", "MaxIter", 100, "Distance", "sqeuclidean", "EmptyAction", "drop", ...
                    "Algorithm", "Lloyd", "Display", "off");
  for name = fieldnames (options)'
    if (! isfield (given, lower (name{1})))
      given.(lower (name{1})) = options.(name{1});
    endif
  endfor
  given.distance = choose_one (given.distance, {"sqeuclidean"}, "distance");
  given.emptyaction = choose_one (given.emptyaction, {"drop", "error"}, "emptyaction");
  given.display = choose_one (given.display, {"off", "final"}, "display");
  given.k = k;

  best = Inf;
  numbers = [];
  for start = choose_starts (X, given)
    options = given;
    options.centers = start{1}.centers;
    options.uniform = start{1}.uniform;
    options = rmfield (options, {"start", "distance", "emptyaction", "display"});
    [found, means, sums, values, report] = __gpugeo__ ("kmeans", options, X);
    if (strcmp (given.display, "final"))
      printf ("%d iterations, total sum of distances = %g\n", values(1), sum (sums));
    endif
    if (isempty (numbers) || sum (sums) < best)
      best = sum (sums);
      [idx, C, sumd, numbers, info] = deal (found, means, sums, values, report);
    endif
  endfor
  warn_of (idx, numbers, given);
  if (nargout > 3)
    D = gpu_pdist2 (X, C, "sqeuclidean");
  endif
  info.iterations = numbers(1);
  info.converged = (numbers(2) == 0);
  info.totss = numbers(3);

endfunction

## Warn of iterations that do not suffice, and of empty clusters, or raise an error for these.
function warn_of (idx, numbers, options)

  if (numbers(2) == 2)
    warning ("gpugeo:converged", __gpugeo__ ("message", "k-means iterations"), options.maxiter);
  elseif (numbers(2) == 4)
    warning ("gpugeo:converged", __gpugeo__ ("message", "k-means steps"), 50 * numel (idx));
  endif
  empty = setdiff (1:options.k, idx);
  if (! isempty (empty) && strcmp (options.emptyaction, "error"))
    fail_message ("k-means empty", empty(1));
  elseif (! isempty (empty))
    warning ("gpugeo:empty", __gpugeo__ ("message", "k-means empty"), empty(1));
  endif

endfunction

## Return a row of structures with the centers of each start, or the numbers from which they are drawn.
function starts = choose_starts (X, options)

  k = options.k;
  start = options.start;
  replicates = 1;
  if (isfield (options, "replicates"))
    replicates = read_replicates (options);
  endif
  if (isnumeric (start) && isreal (start) && columns (start) == columns (X))
    if (isfield (options, "replicates") && replicates != size (start, 3))
      error ("gpugeo:argument", "replicates must be %d, as many as start has matrices, not %d", ...
             size (start, 3), replicates);
    endif
    starts = arrayfun (@(r) struct ("centers", start(:,:,r), "uniform", []), 1:size (start, 3), "UniformOutput", false);
    return;
  endif
  if (! ischar (start) || ! any (strcmp (lower (start), {"plus", "sample"})))
    fail_value (start, "start", sprintf ("\"plus\", \"sample\" or a matrix of %d columns", columns (X)));
  elseif (! (isnumeric (k) && isreal (k) && isscalar (k) && k >= 1 && k <= rows (X) && k == fix (k)))
    starts = {struct("centers", zeros (1, columns (X)), "uniform", [])};  # an error of the core
    return;
  endif
  draw = @(r) draw_start (X, k, strcmp (lower (start), "sample"));
  starts = arrayfun (draw, 1:replicates, "UniformOutput", false);

endfunction

## Draw different rows of X, or the numbers of k-means++.
function start = draw_start (X, k, sample)

  start = struct ("centers", [], "uniform", rand (1, k));
  if (sample)
    different = unique (X, "rows");
    if (rows (different) < k)
      fail_message ("different rows", k, rows (different));
    endif
    start = struct ("centers", different(randperm (rows (different), k),:), "uniform", []);
  endif

endfunction

%!shared X
%! X = [1; 2; 4; 10; 11; 12];
%!test
%! [idx, C, sumd, D, info] = gpu_kmeans (X, 2, "Start", [1; 10], "threads", 1);
%! assert (idx, [1; 1; 1; 2; 2; 2]);
%! assert (C, [7/3; 11], -1e-15);
%! assert (sumd, [14/3; 2], -1e-15);
%! assert (D, (X - C') .^ 2, -1e-14);
%! assert ({info.backend, info.threads, info.iterations, info.converged}, {"cpu", 1, 2, true});
%! assert (info.totss, sum ((X - mean (X)) .^ 2), -1e-15);
%!test  # an exchange of single points is better: {0, 3, 4}, {8} against {0, 3}, {4, 8}
%! x = [0; 3; 4; 8];
%! assert (gpu_kmeans (x, 2, "Start", [0; 5.5]), [1; 2; 2; 2]);
%! for algorithm = {"Hartigan-Wong", "MacQueen", "Forgy"}
%!   [idx, C, sumd] = gpu_kmeans (X, 2, "Start", [1; 10], "Algorithm", algorithm{1});
%!   assert (idx, [1; 1; 1; 2; 2; 2]);
%!   assert (C, [7/3; 11], -1e-15);
%! endfor
%!test  # starts are drawn, and the best of several is taken
%! rand ("twister", 1); randn ("twister", 1);
%! x = [randn(30, 2); randn(30, 2) + 9; randn(30, 2) - 9];
%! for start = {"sample", "plus", "PLUS"}
%!   idx = gpu_kmeans (x, 3, "Start", start{1}, "Replicates", 5);
%!   assert (idx, idx(1 + 30 * floor ((0:89)' / 30)));
%!   assert (unique (idx), [1; 2; 3]);
%! endfor
%! starts = cat (3, [1; 2], [1; 10]);
%! [~, ~, sumd, ~, info] = gpu_kmeans (X, 2, "Start", starts);
%! assert (sumd, [14/3; 2], -1e-15);
%!test  # as many clusters as points
%! for start = {"sample", "plus"}
%!   assert (sort (gpu_kmeans (X, 6, "Start", start{1})), (1:6)');
%! endfor
%!assert (gpu_kmeans (X, 1), ones (6, 1))
%!assert (gpu_kmeans (sparse (X), 2, "Start", [1; 10]), [1; 1; 1; 2; 2; 2])
%!assert (gpu_kmeans (int8 (X), 2, "Start", [1; 10]), [1; 1; 1; 2; 2; 2])
%!assert (evalc ("gpu_kmeans (X, 2, 'Start', [1; 10], 'Display', 'final');"), sprintf ("2 iterations, total sum of distances = 6.66667\n"))
%!test
%! warning ("off", "gpugeo:empty", "local");
%! [idx, C] = gpu_kmeans (X, 3, "Start", [1; 10; 99]);
%! assert (C(1:2), [7/3; 11], -1e-15);
%! assert (isnan (C(3)));
%!warning <cluster 3 is empty: try other centers> gpu_kmeans (X, 3, "Start", [1; 10; 99]);
%!error <cluster 3 is empty: try other centers> gpu_kmeans (X, 3, "Start", [1; 10; 99], "EmptyAction", "error")
%!error <centers must each be the nearest one of some row of x for "Hartigan-Wong", but center 3 is not>
%! gpu_kmeans (X, 3, "Start", [1; 10; 99], "Algorithm", "Hartigan-Wong")
%!warning <k-means did not converge in 1 iterations> gpu_kmeans (X, 2, "Start", [1; 2], "MaxIter", 1);
%!error <Invalid call> gpu_kmeans (1)
%!error <k must be between 1 and 6, the number of points, not 7> gpu_kmeans (X, 7)
%!error <k must be a whole number .*, not 1.5> gpu_kmeans (X, 1.5)
%!error <start must be "plus", "sample" or a matrix of 1 columns, not "uniform"> gpu_kmeans (X, 2, "Start", "uniform")
%!error <start must be "plus", "sample" or a matrix of 1 columns, not > gpu_kmeans (X, 2, "Start", [1 2; 3 4])
%!error <centers must have 2 rows, as many as clusters, not 3> gpu_kmeans (X, 2, "Start", [1; 2; 3])
%!error <centers must be different, but numbers 1 and 3 are the same> gpu_kmeans (X, 3, "Start", [1; 2; 1])
%!error <centers must be finite numbers, but row 2, column 1 is Inf> gpu_kmeans (X, 2, "Start", [1; Inf])
%!error <replicates must be 1, as many as start has matrices, not 3> gpu_kmeans (X, 2, "Start", [1; 2], "Replicates", 3)
%!error <emptyaction must be one of "drop", "error", not "singleton"> gpu_kmeans (X, 2, "EmptyAction", "singleton")
%!error <distance must be one of "sqeuclidean", not "cityblock"> gpu_kmeans (X, 2, "Distance", "cityblock")
%!error <algorithm must be one of "Hartigan-Wong", "Lloyd", "Forgy", "MacQueen", not "elkan"> gpu_kmeans (X, 2, "Algorithm", "elkan")
%!error <display must be one of "off", "final", not "iter"> gpu_kmeans (X, 2, "Display", "iter")
%!error <maxiter must be a whole number .*, not 0> gpu_kmeans (X, 2, "MaxIter", 0)
%!error <x must be finite numbers, but row 3, column 1 is N> gpu_kmeans ([1; 2; NaN], 2)
%!error <x must have at least 3 different rows, as many as clusters, not 2> gpu_kmeans ([1; 2; 2], 3)
%!error <x must have at least 3 different rows, as many as clusters, not 2> gpu_kmeans ([1; 2; 2], 3, "Start", "sample")
%!error <x must be a numeric matrix, not "a"> gpu_kmeans ("a", 1)
%!error <backend must be "auto" or "cpu" for k-means, not "cuda"> gpu_kmeans (X, 2, "backend", "cuda")

%!demo
%! X = [randn(100, 2); randn(100, 2) * 0.5 + 4];
%! [idx, C] = gpu_kmeans (X, 2);
%! plot (X(idx == 1,1), X(idx == 1,2), "o", "color", "#0072B2");
%! hold on
%! plot (X(idx == 2,1), X(idx == 2,2), "^", "color", "#E69F00");
%! plot (C(:,1), C(:,2), "kx", "markersize", 14, "linewidth", 3);
%! hold off
%! legend ("cluster 1", "cluster 2", "means", "location", "northoutside");
