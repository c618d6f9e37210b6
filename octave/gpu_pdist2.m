## -*- texinfo -*-
## @deftypefn  {} {@var{D} =} gpu_pdist2 (@var{X}, @var{Y})
## @deftypefnx {} {@var{D} =} gpu_pdist2 (@var{X}, @var{Y}, @var{metric})
## @deftypefnx {} {@var{D} =} gpu_pdist2 (@var{X}, @var{Y}, @qcode{"minkowski"}, @var{P})
## @deftypefnx {} {@var{D} =} gpu_pdist2 (@var{X}, @var{Y}, @qcode{"seuclidean"}, @var{S})
## @deftypefnx {} {@var{D} =} gpu_pdist2 (@var{X}, @var{Y}, @qcode{"mahalanobis"}, @var{C})
## @deftypefnx {} {[@var{D}, @var{I}] =} gpu_pdist2 (@var{X}, @var{Y}, @var{metric}, @qcode{"Smallest"}, @var{K})
## @deftypefnx {} {[@var{D}, @var{I}] =} gpu_pdist2 (@var{X}, @var{Y}, @var{metric}, @qcode{"Largest"}, @var{K})
## @deftypefnx {} {@var{D} =} gpu_pdist2 (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{D}, @var{I}, @var{info}] =} gpu_pdist2 (@dots{})
## Compute the distances between the rows of @var{X} and those of @var{Y}, on all CPU cores or on a GPU.
##
## @var{X} is n by m and @var{Y} k by m; @var{D} is n by k, and single when one of both is.  Metrics, their
## parameters, missing values, options and @var{info} are those of @code{gpu_pdist}.  The standard
## deviations and the covariance that @qcode{"seuclidean"} and @qcode{"mahalanobis"} take by default are
## those of @var{X}.  A function as @var{metric} is called as @code{metric (y, X)}, once for each row y of
## @var{Y}.
##
## With @qcode{"Smallest"} or @qcode{"Largest"}, and a whole number @var{K} of at least 1, column j of
## @var{D} has only the K smallest or largest distances of row j of @var{Y}, sorted from the smallest up or
## from the largest down, and column j of @var{I} the row numbers of @var{X} that they belong to.  Both are K by
## k, or n by k if there are fewer than K rows in @var{X}.  Ties are in the order of the row numbers, and NaN
## is last in both.  The matrix of all distances is not stored: @qcode{"Smallest"} is the search of
## @code{gpu_knnsearch}, in double precision whatever the option @qcode{"precision"} is, and
## @qcode{"Largest"} computes blocks of columns.  @var{I} can be asked for with one of the two only; in
## @code{[D, ~, info]} it is empty without them.
##
## @example
## X = [0 0; 3 4];
## Y = [0 0; 6 8; 3 0];
## gpu_pdist2 (X, Y)
##   @result{}  0  10  3
##       5   5  4
## [D, I] = gpu_pdist2 (X, Y, "euclidean", "Smallest", 1)
##   @result{} D =
##       0  5  3
##       I =
##       1  2  1
## @end example
##
## @seealso{gpu_pdist, gpu_knnsearch, gpu_corr, gpu_options, gpu_info, pdist2}
## @end deftypefn

function [D, I, info] = gpu_pdist2 (X, Y, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  options = read_metric (varargin, {"smallest", "largest", "nan"});
  X = propagate_missing (options, X);
  Y = propagate_missing (options, Y);
  [K, largest] = read_extreme (options);
  if (isempty (K) && nargout > 1 && isargout (2))
    error ("gpugeo:argument", "smallest or largest must be given if the second result is asked for");
  endif
  handle = is_function_handle (options.method);

  I = [];
  if (isempty (K))
    if (handle)
      check_points (options, X, Y);
    endif
    [D, info] = distances_between (X, Y, options);
  elseif (largest || handle || isempty (X) || isempty (Y))
    [D, I, info] = extreme_distances (X, Y, options, K, largest);
  else
    options.k = min (K, rows (X));
    [I, D, info] = __gpugeo__ ("knn", options, X, Y);
    D = cast (D', class_of_distances (X, Y));
    I = I';
  endif

endfunction

## The number of "smallest" or "largest", [] if none is given.
function [K, largest] = read_extreme (options)

  K = [];
  largest = isfield (options, "largest");
  if (largest && isfield (options, "smallest"))
    error ("gpugeo:argument", "largest must not be given with smallest");
  endif
  name = merge (largest, "largest", "smallest");
  if (isfield (options, name))
    K = __gpugeo__ ("check_whole", options.(name), name, 1);
  endif

endfunction

%!shared X, Y
%! X = [0 0; 3 4];
%! Y = [0 0; 6 8; 3 0];
%!assert (gpu_pdist2 (X, Y), [0 10 3; 5 5 4])
%!assert (gpu_pdist2 (X, Y, "cityblock"), [0 14 3; 7 7 4])
%!assert (gpu_pdist2 (X, Y, "minkowski", 1), [0 14 3; 7 7 4], 1e-14)
%!assert (gpu_pdist2 (X, Y, "seuclidean", [3 4]), sqrt ([0 8 1; 2 2 1]), 1e-14)
%!assert (gpu_pdist2 (X, Y, "seuclidean"), gpu_pdist2 (X, Y, "seuclidean", std (X)), 1e-14)
%!assert (gpu_pdist2 (X, Y, "mahalanobis", diag ([9 16])), sqrt ([0 8 1; 2 2 1]), 1e-14)
%!assert (gpu_pdist2 (single (X), Y), single ([0 10 3; 5 5 4]))
%!assert (gpu_pdist2 (X, single (Y)), single ([0 10 3; 5 5 4]))
%!assert (gpu_pdist2 (int32 (X), Y), [0 10 3; 5 5 4])
%!assert (gpu_pdist2 (sparse (X), Y), [0 10 3; 5 5 4])
%!assert (gpu_pdist2 (X, sparse (Y)), [0 10 3; 5 5 4])
%!assert (gpu_pdist2 (zeros (0, 2), Y), zeros (0, 3))
%!assert (gpu_pdist2 (X, zeros (0, 2)), zeros (2, 0))
%!assert (size (gpu_pdist2 (zeros (2, 0), zeros (3, 0))), [2 3])

## Within one matrix it agrees with gpu_pdist.
%!test
%! rand ("twister", 1);
%! x = rand (40, 7);
%! D = gpu_pdist2 (x, x);
%! assert (D, D');
%! assert (D(tril (true (40), -1))', gpu_pdist (x));
%! [~, ~, info] = gpu_pdist2 (x, x, "euclidean", "backend", "cpu", "threads", 1);
%! assert (info.backend, "cpu");
%! assert (info.threads, 1);
%!testif ; numel (gpu_info ().devices) > 0
%! rand ("twister", 1);
%! x = rand (40, 7);
%! y = rand (31, 7);
%! assert (gpu_pdist2 (x, y, "euclidean", "backend", "cuda"), ...
%!         gpu_pdist2 (x, y, "euclidean", "backend", "cpu"));

## The smallest and the largest, sorted by column, are those of a sort of all distances.
%!test
%! rand ("twister", 1);
%! x = round (rand (60, 3) * 6);
%! y = round (rand (25, 3) * 6);
%! for job = {{"euclidean"}, {"cityblock"}, {"chebychev"}, {"minkowski", 3}, {"cosine"}, {"seuclidean"}, ...
%!            {"mahalanobis"}, {"hamming"}, {@(a, b) max(abs (a - b), [], 2)}}
%!   all_distances = gpu_pdist2 (x, y, job{1}{:});
%!   [expected, order] = sort (all_distances);
%!   [D, I, info] = gpu_pdist2 (x, y, job{1}{:}, "Smallest", 7);
%!   assert ({D, I}, {expected(1:7,:), order(1:7,:)});
%!   assert (info.backend, "cpu");
%!   [~, order] = sort (merge (isnan (all_distances), -Inf, all_distances), "descend");
%!   [D, I] = gpu_pdist2 (x, y, job{1}{:}, "LARGEST", 60);
%!   assert (I, order);
%!   assert (D, all_distances(order + 60 * (0:24)));
%! endfor
%!test
%! [D, I] = gpu_pdist2 (X, Y, "euclidean", "largest", 5);
%! assert ({D, I}, {[5 10 4; 0 5 3], [2 1 2; 1 2 1]});
%! [D, I] = gpu_pdist2 (X, Y, "euclidean", "smallest", 5);
%! assert ({D, I}, {[0 5 3; 5 10 4], [1 2 1; 2 1 2]});
%!test
%! [D, I] = gpu_pdist2 ([0; NaN; 2], [1; NaN], "euclidean", "largest", 3);
%! assert ({D, I}, {[1 NaN; 1 NaN; NaN NaN], [1 1; 3 2; 2 3]});
%! [D, I] = gpu_pdist2 ([0; NaN; 2], [1; NaN], "euclidean", "smallest", 3);
%! assert ({D, I}, {[1 NaN; 1 NaN; NaN NaN], [1 1; 3 2; 2 3]});
%!test
%! for name = {"Smallest", "Largest"}
%!   for metric = {"euclidean", @(a, b) sum(abs (a - b), 2)}
%!     [D, I] = gpu_pdist2 (single (X), Y, metric{1}, name{1}, 1);
%!     assert ({class(D), class(I)}, {"single", "double"});
%!     [D, I] = gpu_pdist2 (zeros (0, 2), Y, metric{1}, name{1}, 2);
%!     assert ({D, I}, {zeros(0, 3), zeros(0, 3)});
%!     [D, I] = gpu_pdist2 (X, zeros (0, 2), metric{1}, name{1}, 2);
%!     assert ({D, I}, {zeros(2, 0), zeros(2, 0)});
%!   endfor
%! endfor

## More columns than a block has, and the same warning as for all distances.
%!test
%! x = (1:5000)';
%! [D, I] = gpu_pdist2 (x, x, "cityblock", "Largest", 1);
%! assert (D, max (x' - 1, 5000 - x'));
%! assert (I, merge (x' < 2501, 5000, 1));
%!warning <1 distance is missing: row 1 of y is constant> ...
%! gpu_pdist2 ([1 2], [1 1], "correlation", "largest", 1);

## A function: a row of Y, then the rows of X.
%!test
%! f = @(a, B) (B(:,1) - a(1)) + 100 * (B(:,2) - a(2));
%! assert (gpu_pdist2 (X, Y, f), [0 -806 -3; 403 -403 400]);
%! assert (gpu_pdist2 (X, Y, @(a, B) norm (B - a, 2, "rows")), gpu_pdist2 (X, Y), 1e-14);
%! [D, ~, info] = gpu_pdist2 (single (X), Y, f);
%! assert (class (D), "single");
%! assert (info.backend, "cpu");
%! assert (gpu_pdist2 (X, zeros (0, 2), f), zeros (2, 0));
%!error <metric must return a distance for each of the 2 rows of its second argument, not 1>
%! gpu_pdist2 (X, Y, @(a, B) 1)
%!error <metric must return .*, not a 2 x 2 matrix> gpu_pdist2 (X, Y, @(a, B) B)
%!error <parameter must be left out if the metric is a function, not 3> gpu_pdist2 (X, Y, @(a, B) B(:,1), 3)
%!error <p must be 2 if the metric is a function, not 3> gpu_pdist2 (X, Y, @(a, B) B(:,1), "p", 3)
%!error <x must be a numeric matrix, not text> gpu_pdist2 ("ab", Y, @(a, B) B(:,1))
%!error <y must have 2 columns, as x has, not 1> gpu_pdist2 (X, 1, @(a, B) B(:,1))
%!error <threads must be > gpu_pdist2 (X, Y, @(a, B) B(:,1), "threads", 0)

%!error <smallest or largest must be given if the second result is asked for> [D, I] = gpu_pdist2 (X, Y);
%!error <largest must not be given with smallest> gpu_pdist2 (X, Y, "cosine", "smallest", 1, "largest", 1)
%!error <smallest must be a whole number of at least 1, not 1.5> gpu_pdist2 (X, Y, "cosine", "smallest", 1.5)
%!error <largest must be a whole number of at least 1, not 0> gpu_pdist2 (X, Y, "cosine", "Largest", 0)
%!error <largest must be a whole number of at least 1, not \[1 2\]> gpu_pdist2 (X, Y, "cosine", "Largest", [1 2])
%!error <y must have 2 columns, as x has, not 3> gpu_pdist2 (X, [1 2 3], "cosine", "smallest", 1)
%!error <y must have 2 columns, as x has, not 3> gpu_pdist2 (X, [1 2 3], "cosine", "largest", 1)
%!error <metric must be one of > gpu_pdist2 (X, Y, "hyperbolic", "largest", 1)
%!error <Invalid call> gpu_pdist2 (X)
%!error <y must be a numeric matrix, not text> gpu_pdist2 (X, "text")
%!error <y must be a numeric matrix, not a cell array> gpu_pdist2 (X, {})
%!error <y must have > gpu_pdist2 (X, [1 2 3])
%!error <metric must be one of > gpu_pdist2 (X, Y, "hyperbolic")
%!error <p must be .*, not -1> gpu_pdist2 (X, Y, "minkowski", -1)

%!demo
%! D = gpu_pdist2 ([0 0; 3 4], [0 0; 6 8; 3 0])
