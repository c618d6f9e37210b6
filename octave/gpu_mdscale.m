## -*- texinfo -*-
## @deftypefn  {} {@var{Y} =} gpu_mdscale (@var{D}, @var{p})
## @deftypefnx {} {@var{Y} =} gpu_mdscale (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{Y}, @var{stress}, @var{disparities}, @var{info}] =} gpu_mdscale (@dots{})
## Multidimensional scaling: find points in @var{p} dimensions whose Euclidean distances are near those in @var{D}, or
## have their order, as @code{mdscale} of MATLAB does, by stress majorization (SMACOF), on all CPU cores or a CUDA
## device.
##
## @var{D} is a symmetric n by n matrix of distances, a row vector as @code{gpu_pdist} returns it, the structure of
## @code{gpu_dist_file} for a file of them, or that of @code{gpu_dist_device} for those on a device.  A symmetric
## matrix of similarities, with ones on the diagonal and no number above 1, stands for the distances
## @code{sqrt (1 - @var{D})}.  With the option @qcode{"metric"}, @var{D} is an n by m matrix with a point in each row.
## Distances must be finite and at least 0; those in a matrix or a row vector may be NaN: they are missing, and have
## weight 0.  @var{p} is 1 to n - 1, or [] for the number of columns of @qcode{"Start"}.
##
## @var{Y} has a row for each point, and @var{stress} is the least value of the criterion that was found.  The scale
## of @var{Y} is the one with the smallest stress.  Its columns are its principal axes: their means are 0, they are
## orthogonal, the longest one comes first, and the element of the largest magnitude of each, the first of several, is
## positive.  @var{disparities} are what distances are compared with, in the shape
## of @var{D}: with a metric criterion @var{D} itself, or the distances for which similarities stand, or [] if @var{D}
## has points; with a nonmetric one those fitted, a row vector if @var{D} has points or names distances elsewhere, with
## the sum of squares of the distances, and NaN where the weight is 0.
##
## @var{info} is that of @code{gpu_pdist} with the fields @code{iterations} and @code{converged} of the result.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"Criterion"}
## What is minimized, where d are the distances of @var{Y} and w the weights:
##
## @qcode{"stress"}, the default, which is nonmetric (Kruskal 1964):
## @code{sqrt (sum (w .* (d - disparities) .^ 2) / sum (w .* d .^ 2))}, with disparities at the scale of d.  They do not
## fall where @var{D} rises, and are fitted to d in each iteration by pool adjacent violators; equal distances in
## @var{D} may have any disparities (the primary treatment of ties).  On the CPU, for at most 65,536 points.
##
## @qcode{"sstress"}: the same with the squares of d and of the disparities.
##
## @qcode{"metricstress"}: @code{sqrt (sum (w .* (d - D) .^ 2) / sum (w .* D .^ 2))}, on CPU and CUDA.
##
## @qcode{"metricsstress"}: @code{sqrt (sum (w .* (d .^ 2 - D .^ 2) .^ 2) / sum (w .* D .^ 4))} (Takane, Young and de
## Leeuw 1977), by conjugate gradients on the CPU.
##
## @qcode{"sammon"}: @code{sum (w .* (d - D) .^ 2 ./ D) / sum (w .* D)}, for distances above 0 in a matrix or a row
## vector.
##
## @qcode{"strain"}: @code{norm (B - Y * Y', "fro") / norm (B, "fro")} with Gower's matrix B of @var{D}, whose minimum
## is @code{gpu_cmdscale}'s result.  The package statistics does not divide by the norm of B.  The criterion takes a
## matrix or a row vector without missing values and no weights; the options of iterations have no effect.
## @item @qcode{"Weights"}
## A symmetric matrix or a row vector of weights, finite and at least 0, in the order of @var{D}; by default all
## are 1.
## @item @qcode{"Start"}
## @qcode{"cmdscale"}, the default, which needs all distances; @qcode{"random"}, normal random numbers; or an n by p
## matrix, or an n by p by r array of r starts.
## @item @qcode{"Replicates"}
## The number of starts with @qcode{"random"}, by default 1.  The result with the smallest stress is returned.
## @item @qcode{"Options"}
## A structure as @code{statset} of MATLAB returns it.  Its fields @code{MaxIter} and @code{TolFun} are the most
## iterations, by default 1000, and the part of the stress by which the last iteration lowers it, by default 1e-6.
## With @code{Display} @qcode{"final"} or @qcode{"iter"} the iterations and the stress are printed at the end; with
## @qcode{"off"}, the default, nothing is.  @code{TolX} is checked and has no effect.  There is a warning if
## iterations end at @code{MaxIter}.  With 0 iterations the result is the start, at its best scale and turned to its principal axes.
## @item @qcode{"relax"}
## If true, the default, the steps of the fourth and all later iterations are twice as long: they reach the same
## stress in about half as many iterations.  It has no effect on the criteria of squares.
## @item @qcode{"metric"}, @qcode{"method"} or @qcode{"Distance"}
## The metric of points, as in @code{gpu_pdist}.
## @item @qcode{"P"}, @qcode{"Scale"}, @qcode{"Cov"}, @qcode{"singular"}, @qcode{"types"}, @qcode{"column_weights"}
## The parameters of metrics, as in @code{gpu_pdist}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The option @qcode{"precision"} has no effect.
## @end table
##
## No iteration raises the stress.  With weights each iteration solves linear systems by conjugate gradients.
## Distances of points and files are computed or read once and take 4 n^2 bytes; no other matrix of that size is
## made.  On a CUDA device they are copied to its memory, and weights too; @qcode{"auto"} takes the device if the
## time of 100 iterations on the CPU is longer than that of the copies and launches, and if its memory is free.  The
## result has the same bits for any number of threads, on CPU and CUDA, and for every kind of input that holds the same
## distances.
##
## @example
## [Y, stress] = gpu_mdscale ([0 3 4; 3 0 5; 4 5 0], 2, "Criterion", "metricstress");
## stress < 1e-10
##   @result{} 1
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_cmdscale, gpu_pdist, gpu_options}
## @end deftypefn

function [Y, stress, disparities, info] = gpu_mdscale (D, p, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  options = read_neighbors ({"criterion", "weights", "start", "replicates", "options", "relax"}, varargin);
  criterion = read_criterion (options);
  nonmetric = any (strcmp (criterion, {"stress", "sstress"}));
  [D, options, disparities] = read_scaled (D, options, varargin);
  in_memory = isfield (options, "condensed");
  if (! in_memory && any (strcmp (criterion, {"sammon", "strain"})))
    error ("gpugeo:argument", ["criterion must be one of \"stress\", \"sstress\", \"metricstress\", ", ...
                               "\"metricsstress\" for points and for distances in a file or on a device, not \"%s\""], criterion);
  endif
  n = count_points (D, in_memory);
  if (isempty (p))
    p = columns_of_start (options, n);
  endif
  options = read_iterations (options);
  if (strcmp (criterion, "strain"))
    [Y, stress, info] = classical (D, p, options);
    return;
  endif
  if (isfield (options, "weights"))
    options.weights = condensed_weights (options.weights);
  endif
  starts = read_starts (options, n, p);
  if (in_memory)
    [D, options] = leave_out_missing (D, options, starts);
  endif
  if (strcmp (criterion, "sammon"))
    options = weigh_by_distance (D, options);
  endif
  options.k = p;
  options.names.k = "p";
  options.names.tolerance = "TolFun";
  options.names.max_iterations = "MaxIter";
  options.squared = any (strcmp (criterion, {"sstress", "metricsstress"}));
  if (nonmetric)
    options.type = "ordinal";
  endif

  stress = Inf;
  for r = 1:numel (starts)
    options.start = starts{r};
    fitted = [];
    if (nonmetric)
      [found, value, iterations, converged, report, fitted] = __gpugeo__ ("mds", options, D);
    else
      [found, value, iterations, converged, report] = __gpugeo__ ("mds", options, D);
    endif
    if (r == 1 || value < stress)
      [Y, stress, info, best] = deal (found, value, report, fitted);
      [info.iterations, info.converged] = deal (iterations, logical (converged));
    endif
  endfor
  Y = turn_to_axes (Y);
  if (strcmp (criterion, "sammon"))
    stress ^= 2;
  elseif (nonmetric)
    disparities = shape_disparities (best, disparities);
  endif
  if (! strcmp (options.display, "off"))
    printf ("%d iterations, %s = %g\n", info.iterations, criterion, stress);
  endif
  if (! info.converged && info.iterations > 0)
    warning ("gpugeo:converged", "gpu_mdscale: MaxIter was not enough: the stress is %g", stress);
  endif

endfunction

## Turns points to their principal axes.
function Y = turn_to_axes (Y)

  Y -= mean (Y, 1);
  [~, ~, axes] = svd (Y, 0);
  Y *= axes;
  [~, largest] = max (abs (Y), [], 1);
  Y .*= 1 - 2 * (Y(sub2ind (size (Y), largest, 1:columns (Y))) < 0);

endfunction

function criterion = read_criterion (options)

  criterion = "stress";
  if (isfield (options, "criterion"))
    names = {"stress", "sstress", "metricstress", "metricsstress", "sammon", "strain"};
    criterion = choose_one (options.criterion, names, "criterion");
  endif

endfunction

## Gives disparities the shape of D: a matrix or a row vector, which that of points, files and devices is, too.
function disparities = shape_disparities (fitted, D)

  disparities = fitted;
  if (rows (D) > 1)
    disparities = zeros (size (D));
    disparities(tril (true (size (D)), -1)) = fitted;
    disparities += disparities';
  endif

endfunction

function p = columns_of_start (options, n)

  if (! (isfield (options, "start") && isnumeric (options.start)))
    error ("gpugeo:argument", "p must be a whole number between 1 and %d, not []; [] goes with a matrix as start", n - 1);
  endif
  p = columns (options.start);

endfunction

## Gives missing distances the weight 0.
function [D, options] = leave_out_missing (D, options, starts)

  missing = isnan (D);
  if (! any (missing))
    return;
  elseif (isempty (starts{1}))
    fail_message ("start of missing", "D", "\"cmdscale\"");
  endif
  if (! isfield (options, "weights"))
    options.weights = ones (size (D));
  endif
  if (numel (options.weights) == numel (D))  # if not, it is an error of the core
    options.weights(missing) = 0;
  endif
  D(missing) = 0;

endfunction

## Divides the weights by the distances.
function options = weigh_by_distance (D, options)

  if (! isfield (options, "weights"))
    options.weights = ones (size (D));
  endif
  if (numel (options.weights) != numel (D))
    return;
  endif
  used = options.weights != 0;
  zeros_used = sum (D(used) <= 0);
  if (zeros_used > 0)
    error ("gpugeo:argument", "D must have distances above 0 with criterion \"sammon\", but %d of them are not", ...
           zeros_used);
  endif
  options.weights = double (options.weights);
  options.weights(used) ./= double (D(used));

endfunction

## Scales by classical scaling, and computes the strain.
function [Y, strain, info] = classical (D, p, options)

  if (isfield (options, "weights"))
    error ("gpugeo:argument", "weights must be left out with criterion \"strain\"");
  endif
  settings = fieldnames (gpu_options ())';
  settings = settings(isfield (options, settings));
  values = cellfun (@(name) options.(name), settings, "UniformOutput", false);
  [Y, ~, info] = gpu_cmdscale (D, p, [settings; values]{:});
  Y(:,end+1:p) = 0;
  n = rows (Y);
  B = zeros (n);
  B(tril (true (n), -1)) = -double (D) .^ 2 / 2;
  B += B';
  B = B - mean (B) - mean (B, 2) + mean (B(:));
  strain = norm (B - Y * Y', "fro") / norm (B, "fro");
  strain(isnan (strain)) = 0;  # all points are the same
  info.iterations = 0;

endfunction

## The structure "Options" as options of the core.
function options = read_iterations (options)

  given = read_statset (options, {"Display", "MaxIter", "TolFun", "TolX"});
  options.display = given.Display;
  names = {"MaxIter", "TolFun"; "max_iterations", "tolerance"};
  for pair = names(:,isfield (given, names(1,:)))
    options.(pair{2}) = given.(pair{1});
  endfor

endfunction

function weights = condensed_weights (weights)

  if (rows (weights) != 1)
    if (! (isnumeric (weights) && isreal (weights) && issymmetric (weights)))
      error ("gpugeo:argument", "weights must be a symmetric matrix or a row vector of numbers");
    endif
    weights = weights(tril (true (size (weights)), -1))';
  endif

endfunction

## The first configurations in a cell array: [] for principal coordinates.
function starts = read_starts (options, n, p)

  start = "cmdscale";
  if (isfield (options, "start"))
    start = options.start;
  endif
  replicates = read_replicates (options);
  if (ischar (start) && strcmp (tolower (start), "cmdscale"))
    starts = {[]};
  elseif (ischar (start) && strcmp (tolower (start), "random"))
    starts = arrayfun (@(r) random_start (n, p), 1:replicates, "uniformoutput", false);
  elseif (isnumeric (start) && isreal (start) && isequal (size (start)(1:2), [n, p]))
    starts = reshape (num2cell (start, [1, 2]), 1, []);
  else
    error ("gpugeo:argument", "start must be \"cmdscale\", \"random\" or a matrix of %d rows and %s columns, not %s", ...
           n, __gpugeo__ ("show", p), __gpugeo__ ("show", start));
  endif

endfunction

## What is wrong with p is left to the core.
function start = random_start (n, p)

  start = [];
  if (isnumeric (p) && isreal (p) && isscalar (p) && p >= 1 && p < n)
    start = randn (n, fix (p));
  endif

endfunction

## Against Guttman transforms by the Moore-Penrose inverse, turned to principal axes by eigenvectors.
%!function Y = turned (Y)
%!  [V, e] = eig (Y' * Y, "vector");
%!  [~, order] = sort (e, "descend");
%!  Y = Y * V(:,order);
%!  for k = 1:columns (Y)
%!    if (max (Y(:,k)) < max (abs (Y(:,k))))
%!      Y(:,k) = -Y(:,k);
%!    endif
%!  endfor
%!endfunction
%!function [Y, stress] = majorized (D, Y, W, iterations, relax)
%!  inverse = pinv (diag (sum (W)) - W);
%!  Y -= mean (Y);
%!  for k = 0:iterations
%!    d = gpu_pdist2 (Y, Y);
%!    Y *= sum ((W .* D .* d)(:)) / sum ((W .* d .^ 2)(:));
%!    d = gpu_pdist2 (Y, Y);
%!    stress = sqrt (sum ((W .* (D - d) .^ 2)(:)) / sum ((W .* D .^ 2)(:)));
%!    if (k == iterations)
%!      Y = turned (Y);
%!      break;
%!    endif
%!    R = W .* D ./ (d + eye (rows (D)));
%!    moved = inverse * (diag (sum (R)) - R) * Y;
%!    if (relax && k >= 3)
%!      moved = 2 * moved - Y;
%!    endif
%!    Y = moved;
%!  endfor
%!endfunction
%!test
%! rand ("twister", 1); randn ("twister", 1);
%! warning ("off", "gpugeo:converged", "local");
%! X = rand (40, 5) .^ 2;
%! D = gpu_pdist2 (X, X, "cityblock");
%! W = rand (40);
%! W = (W + W') .* (1 - eye (40));
%! for k = [1 3]
%!   start = randn (40, k);
%!   for relax = [true false]
%!     for weights = {1 - eye(40), W}
%!       [Y, stress] = gpu_mdscale (D, k, "Criterion", "metricstress", "Weights", weights{1}, "Start", start, ...
%!                                  "relax", relax, "Options", struct ("MaxIter", 6, "TolFun", 0));
%!       [expected, value] = majorized (D, start, weights{1}, 6, relax);
%!       assert (Y, expected, 1e-8);
%!       assert (stress, value, 1e-10);
%!     endfor
%!   endfor
%! endfor

## Sammon's criterion, and missing distances, as weights of the same loop.
%!test
%! rand ("twister", 1); randn ("twister", 1);
%! warning ("off", "gpugeo:converged", "local");
%! X = rand (30, 5) .^ 2;
%! D = gpu_pdist2 (X, X, "cityblock");
%! W = rand (30);
%! W = (W + W') .* (1 - eye (30));
%! start = randn (30, 2);
%! options = {"Start", start, "Options", struct("MaxIter", 5, "TolFun", 0)};
%! for weights = {1 - eye(30), W}
%!   by_distance = weights{1} ./ (D + eye (30));
%!   expected = majorized (D, start, by_distance, 5, true);
%!   [Y, stress] = gpu_mdscale (D, 2, options{:}, "Criterion", "sammon", "Weights", weights{1});
%!   assert (Y, expected, 1e-8);
%!   total = error_of = 0;
%!   for i = 1:30
%!     for j = i+1:30
%!       d = norm (Y(i,:) - Y(j,:));
%!       error_of += weights{1}(i,j) * (d - D(i,j)) ^ 2 / D(i,j);
%!       total += weights{1}(i,j) * D(i,j);
%!     endfor
%!   endfor
%!   assert (stress, error_of / total, -1e-12);
%! endfor
%! metric = [options, {"Criterion", "metricstress"}];
%! assert (gpu_mdscale (D, 2, options{:}, "Criterion", "sammon"), ...
%!         gpu_mdscale (D, 2, metric{:}, "Weights", (1 - eye (30)) ./ (D + eye (30))));
%! missing = rand (30) < 0.1;
%! missing |= missing';
%! missing(1:31:end) = false;
%! partial = D;
%! partial(missing) = NaN;
%! [Y, stress, disparities] = gpu_mdscale (partial, 2, metric{:});
%! [expected, value] = majorized (D, start, (1 - eye (30)) .* ! missing, 5, true);
%! assert (Y, expected, 1e-8);
%! assert (stress, value, 1e-10);
%! assert (disparities, partial);
%! assert (gpu_mdscale (partial(tril (true (30), -1))', [], metric{:}), Y);
%! expected = majorized (D, start, W .* ! missing ./ (D + eye (30)), 5, true);
%! assert (gpu_mdscale (partial, 2, options{:}, "Criterion", "sammon", "Weights", W), expected, 1e-8);

## Strain: the share of Gower's matrix that classical scaling leaves out.
%!test
%! rand ("twister", 1);
%! D = gpu_pdist (rand (20, 4), "cityblock");
%! [Y, strain, disparities, info] = gpu_mdscale (D, 3, "Criterion", "strain", "threads", 1);
%! assert (Y, gpu_cmdscale (D, 3));
%! assert ({info.threads, info.converged, info.iterations, disparities}, {1, true, 0, D});
%! S = zeros (20);
%! S(tril (true (20), -1)) = D .^ 2;
%! S += S';
%! e = sort (eig (-(eye (20) - 1 / 20) * S * (eye (20) - 1 / 20) / 2), "descend");
%! assert (strain, norm (e(4:end)) / norm (e), -1e-12);
%! [Y, strain] = gpu_mdscale (gpu_pdist ([1; 2; 4; 9]), 2, "Criterion", "strain");
%! assert (size (Y), [4 2]);
%! assert (Y(:,2), zeros (4, 1));
%! assert (strain < 1e-14);
%! assert (nthargout (2, @gpu_mdscale, zeros (3), 1, "Criterion", "strain"), 0);

## Nonmetric: disparities by the formula of the smallest of the largest means (Robertson, Wright and Dykstra 1988),
## and Kruskal's stress of them.
%!function [disparities, stress] = ordinal_fit (D, Y)
%!  d = gpu_pdist (Y);
%!  used = find (! isnan (D));
%!  [~, order] = sortrows ([D(used)', d(used)']);
%!  order = used(order);
%!  n = numel (order);
%!  means = Inf (n);
%!  for first = 1:n
%!    means(first,first:n) = cumsum (d(order(first:n))) ./ (1:n-first+1);
%!  endfor
%!  for k = 1:n
%!    fitted(k) = max (min (means(1:k,k:n), [], 2));
%!  endfor
%!  disparities = NaN (size (D));
%!  disparities(order) = fitted;
%!  stress = norm (d(order) - fitted) / norm (d(order));
%!endfunction
%!test
%! rand ("twister", 1); randn ("twister", 1);
%! warning ("off", "gpugeo:converged", "local");
%! D = gpu_pdist (rand (15, 5) .^ 2, "cityblock");
%! partial = D;
%! partial(1:9:end) = NaN;
%! for given = {D, round(4 * D), partial}
%!   start = randn (15, 2);
%!   previous = Inf;
%!   for iterations = 0:5
%!     [Y, stress, disparities] = gpu_mdscale (given{1}, 2, "Criterion", "stress", "Start", start, ...
%!                                             "Options", struct ("MaxIter", iterations, "TolFun", 0));
%!     [expected, value] = ordinal_fit (given{1}, Y);
%!     used = ! isnan (given{1});
%!     expected *= norm (given{1}(used)) / norm (expected(used));
%!     assert (disparities, expected, 1e-12 * norm (expected(used)));
%!     assert (stress, value, 1e-12);
%!     assert (stress < previous);
%!     previous = stress;
%!   endfor
%! endfor
%! square = zeros (15);
%! square(tril (true (15), -1)) = D;
%! square += square';
%! [Y, stress, disparities] = gpu_mdscale (square, 2, "Criterion", "stress");
%! [Y1, stress1, disparities1] = gpu_mdscale (D, 2, "Criterion", "stress");
%! assert ({Y, stress, disparities(tril (true (15), -1))'}, {Y1, stress1, disparities1});
%! assert (disparities, disparities');
%! X = rand (15, 5);
%! [Y, ~, disparities] = gpu_mdscale (X, 2, "Criterion", "Stress", "metric", "euclidean");
%! [Y1, ~, disparities1] = gpu_mdscale (gpu_pdist (X), 2, "Criterion", "Stress");
%! assert ({Y, disparities}, {Y1, disparities1});

## Squares of distances: the stress by its definition, which falls, and where it has converged no gradient.
%!test
%! rand ("twister", 1); randn ("twister", 1);
%! warning ("off", "gpugeo:converged", "local");
%! D = gpu_pdist (rand (15, 5) .^ 2, "cityblock");
%! partial = D;
%! partial(1:9:end) = NaN;
%! for given = {D, partial}
%!   start = randn (15, 2);
%!   previous = previous_ordinal = Inf;
%!   used = ! isnan (given{1});
%!   for iterations = 0:5
%!     options = {"Start", start, "Options", struct("MaxIter", iterations, "TolFun", 0)};
%!     [Y, stress] = gpu_mdscale (given{1}, 2, "Criterion", "metricsstress", options{:});
%!     d = gpu_pdist (Y);
%!     assert (stress, norm (d(used) .^ 2 - D(used) .^ 2) / norm (D(used) .^ 2), 1e-12);
%!     assert (stress < previous);
%!     previous = stress;
%!     [Y, stress, disparities] = gpu_mdscale (given{1}, 2, "Criterion", "sstress", options{:});
%!     squares = gpu_pdist (Y)(used) .^ 2;
%!     fitted = disparities(used) .^ 2;
%!     assert (stress, norm (squares - fitted) / norm (fitted), 1e-12);
%!     [~, order] = sort (D(used));
%!     assert (all (diff (fitted(order)) >= 0));
%!     assert (fitted * squares', squares * squares', -1e-12);
%!     assert (stress < previous_ordinal);
%!     previous_ordinal = stress;
%!   endfor
%! endfor
%! Y = gpu_mdscale (D, 2, "Criterion", "metricsstress", "Options", struct ("TolFun", 1e-14, "MaxIter", 5000));
%! square = zeros (15);
%! square(tril (true (15), -1)) = D;
%! square += square';
%! pull = gpu_pdist2 (Y, Y) .^ 2 - square .^ 2;
%! assert (sum (pull, 2) .* Y - pull * Y, zeros (15, 2), 1e-5 * max (abs (pull(:))));

## Similarities.
%!test
%! S = [1 0.5 -0.25; 0.5 1 0.75; -0.25 0.75 1];
%! [Y, stress, disparities] = gpu_mdscale (S, 2, "Criterion", "metricstress");
%! assert (disparities, sqrt (1 - S));
%! assert (gpu_pdist2 (Y, Y), sqrt (1 - S), 1e-9);

%!test
%! D = [0 3 4; 3 0 5; 4 5 0];
%! [Y, stress, disparities, info] = gpu_mdscale (D, 2, "Criterion", "metricstress");
%! assert (gpu_pdist2 (Y, Y), D, 1e-9);
%! assert (stress < 1e-10);
%! assert (disparities, D);
%! assert ({info.converged, info.iterations, info.backend}, {true, 0, "cpu"});
%! assert (gpu_mdscale ([3 4 5], 2, "Criterion", "metricstress"), Y);

## Sources, threads and starts.
%!test
%! rand ("twister", 1);
%! X = rand (60, 4);
%! D = gpu_pdist (X, "chebychev");
%! Y = gpu_mdscale (D, 2, "threads", 1);
%! assert (gpu_mdscale (X, 2, "metric", "chebychev", "threads", 2), Y);
%! assert (gpu_mdscale (D, 2, "Start", gpu_cmdscale (D, 2)), Y);
%! assert (gpu_mdscale (D, 2, "Criterion", "stress"), Y);
%! [~, ~, disparities] = gpu_mdscale (X, 2, "metric", "chebychev", "Criterion", "metricstress");
%! assert (disparities, []);
%! randn ("twister", 1);
%! starts = randn (60, 2, 3);
%! [Y, best] = gpu_mdscale (D, 2, "Start", starts);
%! for r = 1:3
%!   [~, stress(r)] = gpu_mdscale (D, 2, "Start", starts(:,:,r));
%! endfor
%! assert (best, min (stress));
%! randn ("seed", 3);
%! [~, one] = gpu_mdscale (D, 2, "Start", "random");
%! randn ("seed", 3);
%! [~, five] = gpu_mdscale (D, 2, "Start", "random", "Replicates", 5);
%! assert (five <= one);

%!assert (gpu_mdscale (zeros (4), 2), zeros (4, 2))
%!warning <MaxIter was not enough>
%! rand ("twister", 1);
%! gpu_mdscale (rand (20, 6), 2, "metric", "euclidean", "Options", struct ("MaxIter", 1));
%!error <Invalid call> gpu_mdscale ([3 4 5])
%!error <D must be symmetric, but element \(1, 2\) is 1 and element \(2, 1\) is 2> gpu_mdscale ([0 1; 2 0], 1)
%!error <p must be a whole number between 1 and 2, not 3> gpu_mdscale ([3 4 5], 3)
%!error <D must have 2 to 65536 points for ordinal scaling, not 1> gpu_mdscale (zeros (1, 0), 1)
%!error <criterion must be one of "stress", "sstress", "metricstress", "metricsstress", "sammon", "strain", not "best">
%! gpu_mdscale ([3 4 5], 2, "Criterion", "best")
%!error <criterion must be a single string, not 1>
%! gpu_mdscale ([3 4 5], 2, "Criterion", 1)
%!error <backend must be "auto" or "cpu" for scaling by squares of distances, not "cuda">
%! gpu_mdscale ([3 4 5], 2, "Criterion", "metricsstress", "backend", "cuda")
%!error <backend must be "auto" or "cpu" for ordinal scaling, not "cuda">
%! gpu_mdscale ([3 4 5], 2, "Criterion", "stress", "backend", "cuda")
%!error <criterion must be one of .* for points and for distances in a file or on a device, not "sammon">
%! gpu_mdscale ([3; 4; 5], 1, "metric", "euclidean", "Criterion", "sammon")
%!error <p must be a whole number between 1 and 2, not \[\]; \[\] goes with a matrix as start> gpu_mdscale ([3 4 5], [])
%!error <D must have distances above 0 with criterion "sammon", but 2 of them are not>
%! gpu_mdscale ([0 4 0], 1, "Criterion", "Sammon")
%!error <weights must be left out with criterion "strain">
%! gpu_mdscale ([3 4 5], 1, "Criterion", "strain", "Weights", [1 1 1])
%!error <D must have finite distances only, but 1 of them is not> gpu_mdscale ([3 NaN 5], 1, "Criterion", "strain")
%!error <start must be "random" or a matrix if D has missing distances, not "cmdscale", which needs all of them>
%! gpu_mdscale ([3 NaN 5], 2)
%!error <weights must have one for each of the 3 pairs of points, not 2>
%! gpu_mdscale ([3 NaN 5], 2, "Weights", [1 2], "Start", "random")
%!error <weights must be a symmetric matrix or a row vector of numbers> gpu_mdscale ([3 4 5], 2, "Weights", [1 2; 3 4])
%!error <weights must have one for each of the 3 pairs of points, not 2> gpu_mdscale ([3 4 5], 2, "Weights", [1 2])
%!error <weights must be finite and at least 0, but 1 of them is not> gpu_mdscale ([3 4 5], 2, "Weights", [1 2 -1])
%!error <start must be "cmdscale", "random" or a matrix of 3 rows and 2 columns> gpu_mdscale ([3 4 5], 2, "Start", eye (3))
%!error <start must have points at different positions> gpu_mdscale ([3 4 5], 2, "Start", ones (3, 2))
%!error <replicates must be a whole number of at least 1, not 0> gpu_mdscale ([3 4 5], 2, "Replicates", 0)
%!error <options must have the fields Display, MaxIter, TolFun and TolX only, not Maxiter> gpu_mdscale ([3 4 5], 2, "Options", struct ("Maxiter", 3))
%!test  # Display
%! text = evalc ("[~, ~, ~, info] = gpu_mdscale ([3 4 5], 2, 'Options', struct ('Display', 'final', 'MaxIter', Inf));");
%! assert (regexp (text, sprintf ("^%d iterations, stress = \\S+\n$", info.iterations)), 1);
%!error <options must be a structure, not 3> gpu_mdscale ([3 4 5], 2, "Options", 3)
%!error <TolFun must be between 0 and 1, not 2> gpu_mdscale ([3 4 5], 2, "Options", struct ("TolFun", 2))
%!error <MaxIter must be a whole number of at least 0, not -1> gpu_mdscale ([3 4 5], 2, "Options", struct ("MaxIter", -1))
%!error <D must have finite distances only, but 1 of them is not> gpu_mdscale ([3 Inf 5], 2)
%!error <D must have finite distances only, but 2 of them are not>
%! gpu_mdscale ([3; NaN; 5], 2, "metric", "euclidean")
%!error <D must have distances of at least 0, but 1 is negative> gpu_mdscale ([3 -4 5], 2)
%!testif ; numel (gpu_info ().devices) > 0
%! rand ("twister", 1); randn ("twister", 1);
%! warning ("off", "gpugeo:converged", "local");
%! X = rand (700, 6);
%! W = gpu_pdist (rand (700, 1));
%! for options = {{}, {"Weights", W}, {"Start", randn(700, 2)}}
%!   given = [{"Criterion", "metricstress", "metric", "cityblock", "Options", struct("MaxIter", 5)}, options{1}];
%!   [Y, stress, ~, info] = gpu_mdscale (X, 2, given{:}, "backend", "cuda");
%!   [Y1, stress1] = gpu_mdscale (X, 2, given{:}, "backend", "cpu");
%!   assert ({Y, stress, info.backend}, {Y1, stress1, "cuda"});
%! endfor

%!demo
%! X = [randn(60, 5); randn(60, 5) + 1.5];
%! [Y, stress] = gpu_mdscale (X, 2, "Criterion", "metricstress", "metric", "cityblock");
%! plot (Y(1:60,1), Y(1:60,2), "o", "color", "#0072B2");
%! hold on
%! plot (Y(61:120,1), Y(61:120,2), "^", "color", "#D55E00");
%! hold off
%! legend ("first group", "second group", "location", "northoutside");
%! axis equal
%! title (sprintf ("stress %.3f", stress));
