## -*- texinfo -*-
## @deftypefn  {} {[@var{idx}, @var{D}] =} gpu_knnsearch (@var{X}, @var{Y})
## @deftypefnx {} {[@var{idx}, @var{D}] =} gpu_knnsearch (@var{X})
## @deftypefnx {} {[@var{idx}, @var{D}] =} gpu_knnsearch (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{idx}, @var{D}, @var{info}] =} gpu_knnsearch (@dots{})
## Find the rows of @var{X} that are nearest to each row of @var{Y}, or of @var{X}, without storing the
## matrix of all distances: memory grows with the number of neighbours.
##
## @var{X} is n by m and @var{Y} q by m.  @var{idx} and @var{D} are q by K: row numbers of @var{X} and
## distances, the nearest first and ties by row number.  Without @var{Y}, or with an empty one, @code{[]},
## the neighbours are those of the rows of @var{X}.  A point is not its own neighbour, but other points with
## the same coordinates are.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"K"}
## How many neighbours, a whole number between 1 (the default) and the number of points there are.
## @item @qcode{"Distance"}, @qcode{"method"} or @qcode{"metric"}
## The metric, as in @code{gpu_pdist}; by default @qcode{"euclidean"}.
## @item @qcode{"P"}, @qcode{"Scale"}, @qcode{"Cov"}
## The parameter of @qcode{"minkowski"}, @qcode{"seuclidean"} and @qcode{"mahalanobis"}, and those of
## @qcode{"gower"}, which are also @qcode{"types"} and @qcode{"column_weights"}, as in
## @code{gpu_pdist}; by default 2, and the standard deviations and the covariance of @var{X}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The option @qcode{"precision"} has no effect, and @var{D} is double.
## @end table
##
## Distances are, bit for bit, those of @code{gpu_pdist} and @code{gpu_pdist2 (@var{X}, @var{Y})}.  A
## missing distance (NaN, for example if two points have no coordinate in common) counts as larger than all
## others: such a point is a neighbour only if fewer than K points have a distance, ties by row number.  The
## result is the same on any number of threads, on the CPU and on a GPU. @var{info} is that of
## @code{gpu_pdist}.
##
## @example
## X = [0 0; 3 4; 1 1; 9 9];
## [idx, D] = gpu_knnsearch (X, [2 1; 8 8], "K", 2, "Distance", "cityblock")
##   @result{} idx =
##       3  1
##       4  2
##       D =
##       1  3
##       2  9
## @end example
##
## @seealso{gpu_rangesearch, gpu_neighbor_graph, gpu_pdist2, gpu_options, knnsearch}
## @end deftypefn

function [idx, D, info] = gpu_knnsearch (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  [inputs, pairs] = read_inputs (X, varargin);
  [idx, D, info] = __gpugeo__ ("knn", read_neighbors ({"k"}, pairs), inputs{:});

endfunction

%!shared X, Y
%! X = [0 0; 3 4; 1 1; 9 9; 1 1];
%! Y = [2 1; 8 8];
%!test
%! [idx, D] = gpu_knnsearch (X, Y);
%! assert ({idx, D}, {[3; 4], [1; sqrt(2)]});
%!test
%! [idx, D] = gpu_knnsearch (X, Y, "K", 3, "Distance", "cityblock");
%! assert ({idx, D}, {[3 5 1; 4 2 3], [1 1 3; 2 9 14]});
%!test
%! [idx, D] = gpu_knnsearch (X, [], "K", 2);
%! assert (idx, [3 5; 3 5; 5 1; 2 3; 3 1]);
%! assert (D(:,1), [sqrt(2); sqrt(13); 0; sqrt(61); 0], 1e-15);
%!assert (gpu_knnsearch (X), [3; 3; 5; 2; 3])
%!assert (gpu_knnsearch (X, "k", 1, "distance", "chebychev"), [3; 3; 5; 2; 3])
%!assert (gpu_knnsearch (X, "k", 1, "metric", "chebychev"), [3; 3; 5; 2; 3])
%!assert (gpu_knnsearch (X, "k", 1, "method", "chebychev"), [3; 3; 5; 2; 3])
%!error <metric must not be given with distance> gpu_knnsearch (X, "distance", "cosine", "metric", "cosine")
%!assert (size (gpu_knnsearch (X, zeros (0, 2), "K", 2)), [0 2])
%!assert (gpu_knnsearch (zeros (3, 0), "K", 2), [2 3; 1 3; 1 2])

## All classes of real numbers.
%!test
%! for type = {"int8", "uint8", "int32", "int64", "single", "double"}
%!   [idx, D] = gpu_knnsearch (feval (type{1}, X), "K", 2);
%!   assert (idx, [3 5; 3 5; 5 1; 2 3; 3 1]);
%!   assert (class (D), "double");
%! endfor

## Missing values: those without a distance come last.
%!test
%! [idx, D] = gpu_knnsearch ([1 NaN; NaN 2; 2 NaN; 0 1], "K", 3);
%! assert (idx, [3 4 2; 4 1 3; 1 4 2; 1 2 3]);
%! assert (D(1,:), [sqrt(2) sqrt(2) NaN]);
%! assert (D(2,2:3), [NaN NaN]);
%!test
%! [idx, D] = gpu_knnsearch (X, [NaN NaN], "K", 2);
%! assert ({idx, D}, {[1 2], [NaN NaN]});

## Against all distances, with the parameters of metrics.
%!test
%! x = round (rand (200, 5) * 10);
%! y = round (rand (30, 5) * 10);
%! c = eye (5) + 0.25;
%! jobs = {{"euclidean"}, {"cityblock"}, {"cosine"}, {"hamming"}, {"minkowski", "P", 3}, ...
%!         {"seuclidean"}, {"seuclidean", "Scale", 1:5}, {"mahalanobis", "Cov", c}};
%! for job = jobs
%!   parameter = job{1}(3:end);
%!   all_distances = gpu_pdist2 (x, y, job{1}{1}, parameter{:});
%!   [expected, order] = sort (all_distances);  # keeps the order of ties
%!   [idx, D, info] = gpu_knnsearch (x, y, "K", 7, "Distance", job{1}{:}, "backend", "cpu");
%!   assert (D, expected(1:7,:)');
%!   assert (idx, order(1:7,:)');
%!   assert (info.backend, "cpu");
%! endfor

## With little memory, in each of the three functions.
%!test
%! x = round (rand (3000, 6) * 10);
%! little = {"memory_limit", 2^20, "backend", "cpu"};
%! [idx, D] = gpu_knnsearch (x, "K", 4);
%! [idx2, D2] = gpu_knnsearch (x, "K", 4, little{:});
%! assert ({idx2, D2}, {idx, D});
%! assert (gpu_rangesearch (x, x, 3, little{:}), gpu_rangesearch (x, x, 3));
%! assert (gpu_neighbor_graph (x, "k", 4, little{:}), gpu_neighbor_graph (x, "k", 4));
%!error <memory_limit must be .*1048576.*, not 7> gpu_knnsearch (X, "memory_limit", 7)
%!testif ; numel (gpu_info ().devices) > 0
%! x = rand (1000, 5);
%! [idx, D] = gpu_knnsearch (x, "K", 5, "backend", "cpu");
%! [idx2, D2, info] = gpu_knnsearch (x, "K", 5, "backend", "cuda");
%! assert ({idx2, D2, info.backend}, {idx, D, "cuda"});

%!error <Invalid call> gpu_knnsearch ()
%!error <x must be a numeric matrix, not text> gpu_knnsearch ("text")
%!error <query must be a numeric matrix, not text> gpu_knnsearch (X, "K")
%!error <query must have 2 columns, as x has, not 3> gpu_knnsearch (X, [1 2 3])
%!error <k must be a whole number, not 1.5> gpu_knnsearch (X, "K", 1.5)
%!error <k must be between 1 and 4 .the other points., not 5> gpu_knnsearch (X, "K", 5)
%!error <k must be between 1 and 5 .the points of x., not 0> gpu_knnsearch (X, Y, "K", 0)
%!error <method must be one of > gpu_knnsearch (X, "Distance", "hyperbolic")
%!error <p must be .*, not -1> gpu_knnsearch (X, "Distance", "minkowski", "P", -1)
%!error <scale goes with > gpu_knnsearch (X, "Scale", [1 1])
%!error <option must be one of "k", .*, not "colour"> gpu_knnsearch (X, "colour", 1)
%!error id=gpugeo:argument gpu_knnsearch ([1 2])

%!demo
%! X = rand (2000, 2);
%! [idx, D] = gpu_knnsearch (X, [0.5 0.5], "K", 100);
%! plot (X(:,1), X(:,2), ".", X(idx,1), X(idx,2), "ro");
