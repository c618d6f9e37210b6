## -*- texinfo -*-
## @deftypefn  {} {@var{idx} =} gpu_kmedoids (@var{X}, @var{k})
## @deftypefnx {} {@var{idx} =} gpu_kmedoids (@var{d}, @var{k})
## @deftypefnx {} {@var{idx} =} gpu_kmedoids (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{idx}, @var{C}, @var{sumd}, @var{D}, @var{midx}, @var{info}] =} gpu_kmedoids (@dots{})
## Find @var{k} medoids among points for which the distances of all points from their nearest medoids have a small
## sum, as @code{kmedoids} of MATLAB does.
##
## @var{X} is an n by m matrix with a point in each row.  @var{d} is a row vector of distances as @code{gpu_pdist}
## returns it, or the structure of @code{gpu_dist_file} for a file of them, or of
## @code{gpu_dist_device}.  Distances must be finite.
##
## @var{idx} is the column vector of the numbers of the clusters, from 1 in the order of their first points,
## @var{midx} that of the row numbers of the medoids, and @var{C} is @code{@var{X}(@var{midx},:)}, or
## @var{midx} if distances are given.  @var{sumd} has the sum of the distances from each medoid within its
## cluster, and @var{D} the distances of all points from all medoids.  @var{info} is that of @code{gpu_pdist}
## with the fields @code{swaps}, their number, @code{converged}, false if they ended at @code{MaxIter}, and
## @code{objective}, the means of the distances from the medoids before and after swaps.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"Distance"}, @qcode{"method"} or @qcode{"metric"}
## The metric of points, as in @code{gpu_pdist}; by default @qcode{"sqeuclidean"}, as in MATLAB.
## @item @qcode{"P"}, @qcode{"Scale"}, @qcode{"Cov"}, @qcode{"singular"}, @qcode{"types"}, @qcode{"column_weights"}
## The parameters of metrics, as in @code{gpu_pdist}.
## @item @qcode{"medoids"}
## The row numbers of @var{k} different points to begin with.
## @item @qcode{"Start"}
## What to begin with, in the words of MATLAB's @code{kmedoids}: a @var{k} by m matrix, for whose rows the nearest
## points are taken, or a @var{k} by m by r array of r of them; @qcode{"sample"}, random points; @qcode{"plus"}, random
## points that are drawn one after the other, with probabilities in proportion to the distances from the nearest one
## before (k-means++); or @qcode{"cluster"}, the medoids of a random tenth of the points.  Points are drawn by
## @code{rand} and @code{randperm}.  With distances only @qcode{"sample"} is taken.  Without it nothing is random, as
## below.
## @item @qcode{"Replicates"}
## How many starts of @qcode{"sample"}, @qcode{"plus"} or @qcode{"cluster"} are tried, by default 1.  The result is the
## one with the smallest sum.
## @item @qcode{"Algorithm"}
## @qcode{"pam"}, the same as @qcode{"eager"} false.  MATLAB's other algorithms are faster and less exact; here that is
## the default, whose result no swap improves.
## @item @qcode{"Options"}
## A structure as @code{statset} of MATLAB returns it.  The field @code{MaxIter} is the largest number of swaps, by
## default infinite; there is a warning if swaps end at it.  With @code{Display} @qcode{"final"} or @qcode{"iter"} the
## sum of the distances and the number of swaps are printed at the end; with @qcode{"off"}, the default, nothing is.
## @code{TolFun}, a number of at least 0, is checked and has no effect: swaps end if none makes the sum smaller by more
## than rounding.
## @item @qcode{"OnlinePhase"}
## @qcode{"on"} or @qcode{"off"}.  It is checked and has no effect.
## @item @qcode{"swap"}
## False: the medoids that were chosen first are the result; by default true.
## @item @qcode{"eager"}
## True, the default: points are tried in their order, and each whose exchange with a medoid makes the
## sum smaller replaces at once the one for which this is most (FasterPAM, Schubert and Rousseeuw 2021), until no
## point does.  False: always the best of all swaps is made, which takes longer and gives the medoids of PAM.
## @item The options of @code{gpu_options}
## By default those that are set there.
## @end table
##
## The first medoid is the point with the smallest sum of distances, and each further one makes the sum of the
## distances from the nearest medoids the smallest (BUILD of PAM).  Then medoids are swapped with other
## points until no swap makes the sum smaller.  Nothing is random.  The matrix of all distances is stored if its
## 8 n^2 bytes are at most @qcode{"memory_limit"}, by default half of the memory that Octave may use; if not,
## distances are computed or read again for each pass over all points.  The result has the same bits for any number
## of threads, any memory and every kind of input that holds the same distances.
##
## @example
## gpu_kmedoids ([1; 2; 4; 10; 11; 12], 2)'
##   @result{} 1  1  1  2  2  2
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_silhouette, gpu_linkage, gpu_pdist, gpu_options}
## @end deftypefn

function [idx, C, sumd, D, midx, info] = gpu_kmedoids (X, k, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  options = read_own (varargin);
  options.k = k;
  has_distances = isstruct (X) || (isnumeric (X) && rows (X) == 1);
  if (has_distances)
    refuse_metric (options, isfield (options, "method"));
  else
    warn_of_points (X);
  endif
  if (! isfield (options, "method"))
    options.method = "sqeuclidean";
  endif
  from = X;
  if (is_function_handle (options.method))
    refuse_parameters (options);
    from = gpu_pdist (X, options.method);
  endif
  if (isnumeric (from) && rows (from) == 1)
    options.condensed = true;
    options.method = "euclidean";  # distances have no use for a metric
  endif
  numbers = [NaN, Inf, NaN, NaN];
  for start = choose_starts (X, options, has_distances)
    options.medoids = start{1};
    [found, medoids, distances, values, report] = __gpugeo__ ("pam", options, from);
    if (! (values(2) >= numbers(2)))
      [idx, midx, D, numbers, info] = deal (found, medoids, distances, values, report);
    endif
  endfor
  info.objective = numbers(1:2);
  info.swaps = numbers(3);
  info.converged = logical (numbers(4));
  sumd = accumarray (idx, D(sub2ind (size (D), (1:rows (D))', idx)));
  C = midx;
  if (! has_distances)
    C = X(midx,:);
  endif
  if (! strcmp (options.display, "off"))
    printf ("Best total sum of distances = %g, with %d swaps\n", sum (sumd), info.swaps);
  endif
  if (! info.converged)
    warning ("gpugeo:converged", "gpu_kmedoids: swaps ended at MaxIter: the sum of distances is %g", sum (sumd));
  endif

endfunction

## The options, with the metric, if it is given, as the option "method".
function options = read_own (pairs)

  metrics = {"distance", "method", "metric"};
  known = [metrics, {"p", "scale", "cov", "singular", "types", "column_weights", "medoids", "swap", "eager", ...
                     "start", "replicates", "algorithm", "onlinephase", "options"}];
  options = read_options (known, pairs);
  given = metrics(isfield (options, metrics));
  options = column_types (choose_metric (options, metrics));
  options.names = struct ("method", [given, {"distance"}]{1});
  if (isfield (options, "medoids"))
    medoids = options.medoids;
    if (! (isnumeric (medoids) && isreal (medoids) && all (medoids(:) == fix (medoids(:)))))
      fail_value (medoids, "medoids", "the numbers of points");
    endif
    options.medoids = int32 (medoids(:));
  endif
  options = read_algorithm (options);

endfunction

## The options of MATLAB's kmedoids that name algorithms or change nothing.
function options = read_algorithm (options)

  if (isfield (options, "algorithm"))
    if (! (ischar (options.algorithm) && strcmp (tolower (options.algorithm), "pam")))
      error ("gpugeo:argument", "algorithm must be \"pam\", not %s; leave it out for a faster one of the same quality", ...
             __gpugeo__ ("show", options.algorithm));
    elseif (isfield (options, "eager"))
      error ("gpugeo:argument", "eager must not be given with algorithm");
    endif
    options.eager = false;
  endif
  if (isfield (options, "onlinephase")
      && ! (ischar (options.onlinephase) && any (strcmp (tolower (options.onlinephase), {"on", "off"}))))
    fail_value (options.onlinephase, "onlinephase", "\"on\" or \"off\"");
  endif
  given = read_statset (options, {"Display", "MaxIter", "TolFun"});
  options.display = given.Display;
  if (isfield (given, "MaxIter"))
    options.max_swaps = given.MaxIter;
  endif

endfunction

## The medoids to begin with in a row of cells; [] for those of BUILD.
function starts = choose_starts (X, options, has_distances)

  starts = {[]};
  if (isfield (options, "medoids"))
    starts = {options.medoids};
  endif
  replicates = read_replicates (options);
  if (! isfield (options, "start"))
    return;
  elseif (isfield (options, "medoids"))
    error ("gpugeo:argument", "medoids must not be given with start");
  endif
  n = count_points (X, has_distances);
  k = options.k;
  if (! (isnumeric (k) && isreal (k) && isscalar (k) && k >= 1 && k <= n && k == fix (k)))
    return;  # an error of the core
  endif
  start = options.start;
  names = {"plus", "sample", "cluster"};
  if (has_distances)
    names = {"sample"};
  endif
  if (ischar (start) && any (strcmp (tolower (start), names)))
    starts = arrayfun (@(r) draw_medoids (lower (start), X, n, options), 1:replicates, "UniformOutput", false);
  elseif (! has_distances && isnumeric (start) && isreal (start) && isequal (size (start)(1:2), [k, columns(X)]))
    nearest = @(at) int32 (nthargout (2, @gpu_pdist2, X, at, metric_of (options){:}, "smallest", 1)');
    starts = cellfun (nearest, reshape (num2cell (start, [1, 2]), 1, []), "UniformOutput", false);
  else
    fail_value (start, "start", allowed_starts (names, k, X));
  endif

endfunction

function text = allowed_starts (names, k, X)

  text = strjoin (cellfun (@(name) sprintf ("\"%s\"", name), names, "UniformOutput", false), ", ");
  if (numel (names) > 1)
    text = sprintf ("%s or a matrix of %d rows and %d columns", text, k, columns (X));
  endif

endfunction

function medoids = draw_medoids (start, X, n, options)

  k = options.k;
  if (strcmp (start, "sample"))
    medoids = randperm (n, k)';
  elseif (strcmp (start, "cluster"))
    some = randperm (n, max (k, floor (n / 10)))';
    [~, ~, ~, ~, medoids] = gpu_kmedoids (X(some,:), k, "medoids", 1:k, "metric", metric_of (options){:});
    medoids = some(medoids);
  else
    medoids = draw_apart (X, n, k, metric_of (options));
  endif
  medoids = int32 (medoids);

endfunction

## k-means++: points far from those that were drawn before are likely.
function medoids = draw_apart (X, n, k, metric)

  medoids = randi (n);
  distance = Inf (n, 1);
  while (numel (medoids) < k)
    distance = min (distance, gpu_pdist2 (X, X(medoids(end),:), metric{:}));
    distance(medoids) = 0;
    weights = distance;
    if (! (sum (weights) > 0 && isfinite (sum (weights))))  # the others are at the same locations
      weights = ! ismember ((1:n)', medoids);
    endif
    share = cumsum (weights) / sum (weights);
    medoids(end+1,1) = find (share > rand () & weights > 0, 1);
  endwhile

endfunction

## The metric and its parameters as arguments of gpu_pdist2.
function args = metric_of (options)

  args = {options.method};
  for name = {"p", "scale", "cov", "singular", "types", "column_weights"}
    if (isfield (options, name{1}))
      args(end+1:end+2) = {name{1}, options.(name{1})};
    endif
  endfor

endfunction

%!shared X
%! X = [1; 2; 4; 10; 11; 12];
%!test
%! [idx, C, sumd, D, midx, info] = gpu_kmedoids (X, 2, "threads", 1);
%! assert (idx, [1; 1; 1; 2; 2; 2]);
%! assert (C, [2; 11]);
%! assert (sumd, [5; 2]);
%! assert (D, (X - C') .^ 2);
%! assert (midx, [2; 5]);
%! assert (info.objective(2), 7 / 6, eps);
%! assert ({info.backend, info.threads}, {"cpu", 1});
%!test
%! [idx, C, sumd] = gpu_kmedoids (X, 2, "Distance", "cityblock");
%! assert ({idx, C, sumd}, {[1; 1; 1; 2; 2; 2], [2; 11], [3; 2]});
%!test  # from distances
%! [idx, C, sumd, D, midx] = gpu_kmedoids (X, 2, "metric", "cityblock");
%! [idx2, C2, sumd2, D2, midx2] = gpu_kmedoids (gpu_pdist (X, "cityblock"), 2);
%! assert ({idx2, C2, sumd2, D2, midx2}, {idx, midx, sumd, D, midx});
%!assert (gpu_kmedoids (X, 2, "Distance", @(a, B) abs (B - a)), [1; 1; 1; 2; 2; 2])
%!assert (gpu_kmedoids (X, 2, "medoids", [5 6]), [1; 1; 1; 2; 2; 2])
%!assert (nthargout (5, @gpu_kmedoids, X, 2, "medoids", [6 1], "swap", false), [1; 6])
%!assert (gpu_kmedoids (X, 2, "eager", false), [1; 1; 1; 2; 2; 2])
%!assert (gpu_kmedoids (X, 2, "Algorithm", "pam", "OnlinePhase", "on"), [1; 1; 1; 2; 2; 2])
%!assert (nthargout (5, @gpu_kmedoids, X, 2, "Start", [11.9; 0], "swap", false), [1; 6])
%!assert (nthargout (5, @gpu_kmedoids, X, 2, "Start", cat (3, [1; 2], [11; 2.1]), "swap", false), [2; 5])
%!test  # random starts are points, each once, and the best of several is taken
%! rand ("twister", 1); randn ("twister", 1);
%! x = [randn(30, 2); randn(30, 2) + 6; randn(30, 2) - 6];
%! for start = {"sample", "plus", "cluster"}
%!   for r = 1:5
%!     m = nthargout (5, @gpu_kmedoids, x, 9, "Start", start{1}, "swap", false);
%!     assert (numel (unique (m)), 9);
%!   endfor
%!   best = gpu_kmedoids (x, 3, "Start", start{1}, "Replicates", 5, "Options", struct ("MaxIter", 50, "Display", "off"));
%!   assert (best, [1 2 3](repelem ((1:3)', 30))');
%! endfor
%! assert (numel (unique (nthargout (5, @gpu_kmedoids, ones (6, 2), 4, "Start", "plus"))), 4);
%! assert (gpu_kmedoids (gpu_pdist (x), 3, "Start", "sample", "Replicates", 5), best);
%!error <algorithm must be "pam", not "clara"> gpu_kmedoids (X, 2, "Algorithm", "clara")
%!error <start must be "plus", "sample", "cluster" or a matrix of 2 rows and 1 columns, not "first"> gpu_kmedoids (X, 2, "Start", "first")
%!error <start must be "sample", not "plus"> gpu_kmedoids (gpu_pdist (X), 2, "Start", "plus")
%!error <replicates must be a whole number of at least 1, not 0> gpu_kmedoids (X, 2, "Replicates", 0)
%!error <onlinephase must be "on" or "off", not 1> gpu_kmedoids (X, 2, "OnlinePhase", 1)
%!error <options must have the fields Display, MaxIter and TolFun only, not UseParallel> gpu_kmedoids (X, 2, "Options", struct ("UseParallel", true))
%!error <options must have the fields Display, MaxIter and TolFun only, not maxiter> gpu_kmedoids (X, 2, "Options", struct ("maxiter", 3))
%!error <options must be a structure, not 3> gpu_kmedoids (X, 2, "Options", 3)
%!error <MaxIter must be a whole number of at least 0, not 1.5> gpu_kmedoids (X, 2, "Options", struct ("MaxIter", 1.5))
%!error <MaxIter must be a whole number of at least 0, not "3"> gpu_kmedoids (X, 2, "Options", struct ("MaxIter", "3"))
%!error <TolFun must be a number of at least 0, not -1> gpu_kmedoids (X, 2, "Options", struct ("TolFun", -1))
%!error <Display must be one of "off", "final", "iter", not "all"> gpu_kmedoids (X, 2, "Options", struct ("Display", "all"))
%!function options = at_most (swaps)
%!  options = struct ("MaxIter", swaps, "TolFun", 1e-4, "TolX", []);
%!endfunction
%!test  # MaxIter limits swaps
%! warning ("off", "gpugeo:converged", "local");
%! x = [1; 2; 4; 10; 11; 12; 30; 31; 35];
%! for eager = [true false]
%!   arguments = {x, 3, "medoids", 1:3, "eager", eager};
%!   [~, ~, all_sums, ~, ~, info] = gpu_kmedoids (arguments{:});
%!   assert (info.swaps > 1 && info.converged);
%!   before = Inf;
%!   for most = 0:info.swaps + 1
%!     [~, ~, sumd, ~, midx, limited] = gpu_kmedoids (arguments{:}, "Options", at_most (most));
%!     assert (limited.swaps, min (most, info.swaps));
%!     assert (limited.converged, most > info.swaps);
%!     assert (sum (sumd) < before || most > info.swaps);
%!     before = sum (sumd);
%!   endfor
%!   assert (sumd, all_sums);
%!   [~, ~, sumd] = gpu_kmedoids (arguments{:}, "Options", at_most (Inf));
%!   assert (sumd, all_sums);
%! endfor
%! assert (nthargout (5, @gpu_kmedoids, x, 1, "medoids", 2, "Options", at_most (0)), 2);
%!warning <gpu_kmedoids: swaps ended at MaxIter: the sum of distances is 7> gpu_kmedoids (X, 2, "medoids", [1 6], "metric", "cityblock", "Options", at_most (0));
%!test  # Display
%! for display = {"final", "iter", "Final"}
%!   text = evalc ("gpu_kmedoids (X, 2, 'Options', struct ('Display', display{1}));");
%!   assert (text, sprintf ("Best total sum of distances = 7, with %d swaps\n", nthargout (6, @gpu_kmedoids, X, 2).swaps));
%! endfor
%! assert (evalc ("gpu_kmedoids (X, 2, 'Options', struct ('Display', 'off'));"), "");
%!error <medoids must not be given with start> gpu_kmedoids (X, 2, "Start", "sample", "medoids", [1 2])
%!assert (gpu_kmedoids (X, 6), (1:6)')
%!assert (nthargout (5, @gpu_kmedoids, X, 1, "Distance", "cityblock"), 4)  # as good as 3
%!assert (gpu_kmedoids (ones (4, 2), 2), [1; 1; 1; 2])
%!assert (gpu_kmedoids (sparse (X), 2), gpu_kmedoids (X, 2))
%!assert (gpu_kmedoids ([X X], 2, "metric", "seuclidean"), gpu_kmedoids (X, 2))

## No swap makes the sum smaller.
%!test
%! rand ("twister", 1);
%! x = rand (60, 2);
%! d = gpu_pdist2 (x, x, "cityblock");
%! for k = [2 3 7]
%!   [~, ~, sumd, D, midx] = gpu_kmedoids (x, k, "Distance", "cityblock", "eager", k != 3);
%!   total = sum (min (d(:,midx), [], 2));
%!   assert (sum (sumd), total, 1e-12);
%!   for m = 1:k
%!     for c = 1:60
%!       swapped = midx;
%!       swapped(m) = c;
%!       assert (sum (min (d(:,swapped), [], 2)) >= total * (1 - 1e-11));
%!     endfor
%!   endfor
%! endfor

%!testif ; ! isempty (gpu_info ().hdf5)
%! rand ("twister", 1);
%! x = rand (50, 3);
%! file = [tempname() '.h5'];
%! unwind_protect
%!   gpu_pdist (x, "cityblock", "file", file);
%!   assert (gpu_kmedoids (gpu_dist_file (file), 4), gpu_kmedoids (x, 4, "Distance", "cityblock"));
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect

%!error <p must be 2 if the metric is a function, not 3> gpu_kmedoids ([1 2; 3 4], 1, "Distance", @(a, B) B(:,1), "p", 3)
%!error <Invalid call> gpu_kmedoids (1)
%!error <k must be between 1 and 6, the number of points, not 7> gpu_kmedoids (X, 7)
%!error <k must be a whole number .*, not 1.5> gpu_kmedoids (X, 1.5)
%!error <medoids must be 2 points, as many as k, not 3> gpu_kmedoids (X, 2, "medoids", 1:3)
%!error <medoids must be different points between 1 and 6, but value 2 is 7> gpu_kmedoids (X, 2, "medoids", [1 7])
%!error <medoids must be the numbers of points, not 1.5> gpu_kmedoids (X, 1, "medoids", 1.5)
%!error <distance must be one of > gpu_kmedoids (X, 2, "Distance", "hyperbolic")
%!error <distance must be given with points, not with distances> gpu_kmedoids (1:3, 2, "Distance", "cosine")
%!error <p must be given with points, not with distances> gpu_kmedoids (1:3, 2, "P", 3)
%!error <x must have finite distances only, but 2 of them are not; the first is missing, between points 1 and 2>
%! gpu_kmedoids ([0; NaN; 1], 2)

%!warning <x is taken for points, but has the form of distances: square, symmetric and 0 on the diagonal; squareform \(x\) makes distances of it>
%! D = [0 1 2; 1 0 3; 2 3 0];
%! gpu_kmedoids (D, 2);
%!demo
%! X = [randn(100, 2); randn(100, 2) * 0.5 + 4];
%! [idx, C] = gpu_kmedoids (X, 2);
%! plot (X(idx == 1,1), X(idx == 1,2), "o", "color", "#0072B2");
%! hold on
%! plot (X(idx == 2,1), X(idx == 2,2), "^", "color", "#E69F00");
%! plot (C(:,1), C(:,2), "kx", "markersize", 14, "linewidth", 3);
%! hold off
%! legend ("cluster 1", "cluster 2", "medoids", "location", "northoutside");
