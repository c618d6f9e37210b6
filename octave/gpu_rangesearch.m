## -*- texinfo -*-
## @deftypefn  {} {[@var{idx}, @var{D}] =} gpu_rangesearch (@var{X}, @var{Y}, @var{r})
## @deftypefnx {} {[@var{idx}, @var{D}] =} gpu_rangesearch (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{idx}, @var{D}, @var{info}] =} gpu_rangesearch (@dots{})
## Find all rows of @var{X} at a distance of at most @var{r} from each row of @var{Y}, without storing the
## matrix of all distances: memory grows with the number of neighbours.
##
## @var{X} is n by m and @var{Y} q by m; sparse ones are not expanded as a whole.  @var{idx} and @var{D} are q by 1 cell arrays of row vectors: row
## numbers of @var{X} and distances, the nearest first and ties by row number.  With an empty @var{Y},
## @code{[]}, the neighbours are those of the rows of @var{X}.  A point is not its own neighbour.  @var{X} may also be a
## structure of distances, as in @code{gpu_knnsearch}.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"Distance"}, @qcode{"method"} or @qcode{"metric"}
## The metric, as in @code{gpu_knnsearch}, or a function; by default @qcode{"euclidean"}.
## @item @qcode{"nan"}
## What NaN means, as in @code{gpu_pdist}.
## @item @qcode{"P"}, @qcode{"Scale"}, @qcode{"Cov"}
## The parameter of @qcode{"minkowski"}, @qcode{"seuclidean"} and @qcode{"mahalanobis"}, and those of
## @qcode{"gower"}, which are also @qcode{"types"} and @qcode{"column_weights"}, as in
## @code{gpu_knnsearch}.
## @item @qcode{"sphere_radius"}
## For @qcode{"great-circle"}: the radius of the sphere, positive; distances have its unit.  By default the
## mean radius of the earth in metres, 6371008.8.
## @item @qcode{"SortIndices"}
## If false, neighbours are in the order of their row numbers instead of their distances; true by default.
## @item @qcode{"NSMethod"}, @qcode{"BucketSize"}, @qcode{"CacheSize"}
## As in @code{gpu_knnsearch}: checked, and without effect.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The option @qcode{"precision"} has no effect.
## @end table
##
## Distances, their class, @var{info}, and the trees that are searched in few dimensions are those of
## @code{gpu_knnsearch}.  A missing distance is within no radius.
##
## @example
## idx = gpu_rangesearch ([0; 1; 4; 6], [1; 5], 1);
## idx@{1@}
##   @result{} 2  1
## idx@{2@}
##   @result{} 3  4
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_knnsearch, gpu_neighbor_graph, gpu_collisions, gpu_options, rangesearch}
## @end deftypefn

function [idx, D, info] = gpu_rangesearch (X, Y, r, varargin)

  if (nargin < 3)
    print_usage ();
  endif
  options = read_neighbors ({"nan"}, varargin);
  inputs = read_inputs (X, {Y});
  if (stands_for_distances (X))
    refuse_points_only (options, inputs);
  elseif (numel (inputs) == 1)
    refuse_row (X);
  endif
  X = propagate_missing (options, X);
  Y = propagate_missing (options, Y);
  inputs = read_inputs (X, {Y});
  warn_of_points (X, "neighbours are searched among points only");
  options.radius = r;
  options.names.radius = "r";
  if (is_function_handle (options.method))
    [idx, D, info] = handle_within (X, Y, options);
  else
    [idx, D, counts, info] = __gpugeo__ ("radius", options, inputs{:});
    idx = mat2cell (idx, 1, counts)(:);
    D = mat2cell (cast (D, class_of_distances (inputs{:})), 1, counts)(:);
  endif
  if (! options.sortindices)
    [idx, order] = cellfun (@sort, idx, "UniformOutput", false);
    D = cellfun (@(d, order) d(order), D, order, "UniformOutput", false);
  endif

endfunction

%!shared X
%! X = [0; 1; 4; 6; 1];
%!test
%! [idx, D] = gpu_rangesearch (X, [1; 5; 20], 1);
%! assert (idx, {[2 5 1]; [3 4]; zeros(1, 0)});
%! assert (D, {[0 0 1]; [1 1]; zeros(1, 0)});
%!test
%! [idx, D] = gpu_rangesearch (X, [], 2);
%! assert (idx, {[2 5]; [5 1]; 4; 3; [2 1]});
%! assert (D, {[1 1]; [0 1]; 2; 2; [0 1]});
%!assert (gpu_rangesearch (X, [], 0), {zeros(1, 0); 5; zeros(1, 0); zeros(1, 0); 2})
%!assert (gpu_rangesearch (X, zeros (0, 1), 1), cell (0, 1))
%!assert (gpu_rangesearch (sparse (X), sparse (X), 1), gpu_rangesearch (X, X, 1))
%!assert (gpu_rangesearch ([0 0; 3 4], [1 1], 3, "Distance", "chebychev"), {[1 2]})
%!assert (gpu_rangesearch ([0 0; 3 4], [1 1], 3, "metric", "chebychev"), {[1 2]})
%!assert (gpu_rangesearch ([0 0; 3 4], [1 1], 3, "method", "chebychev"), {[1 2]})
%!assert (gpu_rangesearch ([1 NaN; NaN 2], [], Inf), {zeros(1, 0); zeros(1, 0)})

## The options of rangesearch.
%!test
%! for given = {{"NSMethod", "kdtree"}, {"NSMethod", "exhaustive"}, {"BucketSize", 1}, {"CacheSize", 100}, ...
%!              {"SortIndices", true}}
%!   [idx, D] = gpu_rangesearch (X, [1; 5; 20], 1, given{1}{:});
%!   assert (idx, {[2 5 1]; [3 4]; zeros(1, 0)});
%! endfor
%! [idx, D] = gpu_rangesearch (X, [1; 5; 20], 1, "SortIndices", false);
%! assert (idx, {[1 2 5]; [3 4]; zeros(1, 0)});
%! assert (D, {[1 0 0]; [1 1]; zeros(1, 0)});
%! [~, D] = gpu_rangesearch (single (X), [1; 5; 20], 1);
%! assert (D, {single([0 0 1]); single([1 1]); zeros(1, 0, "single")});
%! assert (gpu_rangesearch (X, zeros (0, 1), 1, "SortIndices", false), cell (0, 1));
%!error <r must be a number of at least 0, not \[\]> gpu_rangesearch ([1; 2], 1, [])
%!error <nsmethod must be "exhaustive" with distance "seuclidean", not "kdtree">
%! gpu_rangesearch (X, X, 1, "Distance", "seuclidean", "NSMethod", "kdtree")
%!error <bucketsize must be a whole number of at least 1, not "a"> gpu_rangesearch (X, X, 1, "BucketSize", "a")
%!error <sortindices must be true or false, not "yes"> gpu_rangesearch (X, X, 1, "SortIndices", "yes")

## A function.
%!test
%! rand ("twister", 1);
%! x = round (rand (30, 2) * 5);
%! f = @(a, B) max (abs (B - a), [], 2);
%! for y = {x(1:7,:), []}
%!   [idx, D] = gpu_rangesearch (x, y{1}, 2, "Distance", "chebychev");
%!   [idx2, D2, info] = gpu_rangesearch (x, y{1}, 2, "Distance", f);
%!   assert ({idx2, D2, info.backend}, {idx, D, "cpu"});
%! endfor
%! assert (gpu_rangesearch ([1; 2; 3], 2, Inf, "Distance", @(a, B) [2; NaN; 1]), {[3 1]});
%! assert (gpu_rangesearch ([1; 2; 3], 2, 0, "Distance", @(a, B) [2; NaN; 1]), {zeros(1, 0)});
%!error <distance must return a distance> gpu_rangesearch (X, X, 1, "Distance", @(a, B) 1)
%!error <r must be a number of at least 0, not -1> gpu_rangesearch (X, X, -1, "Distance", @(a, B) B)

## Against all distances.
%!test
%! rand ("twister", 1);
%! x = round (rand (150, 3) * 10);
%! y = round (rand (40, 3) * 10);
%! all_distances = gpu_pdist2 (x, y, "cityblock");
%! [idx, D, info] = gpu_rangesearch (x, y, 6, "Distance", "cityblock", "backend", "cpu");
%! for i = 1:40
%!   [expected, order] = sort (all_distances(:,i)');
%!   assert (D{i}, expected(expected <= 6));
%!   assert (idx{i}, order(expected <= 6));
%! endfor
%! assert (info.backend, "cpu");
%!testif ; numel (gpu_info ().devices) > 0
%! rand ("twister", 1);
%! x = rand (1000, 5);
%! [idx, D] = gpu_rangesearch (x, [], 0.3, "backend", "cpu");
%! [idx2, D2, info] = gpu_rangesearch (x, [], 0.3, "backend", "cuda");
%! assert ({idx2, D2, info.backend}, {idx, D, "cuda"});

%!error <Invalid call> gpu_rangesearch (X, X)
%!error <r must be a number of at least 0, not -1> gpu_rangesearch (X, X, -1)
%!error <r must be a number of at least 0, not "far"> gpu_rangesearch (X, X, "far")
%!error <y must have 1 columns, as x has, not 2> gpu_rangesearch (X, [1 2], 1)
%!error <distance must be one of > gpu_rangesearch (X, X, 1, "Distance", "hyperbolic")
%!error <option must be one of .*"distance", .*, not "K"> gpu_rangesearch (X, X, 1, "K", 1)

%!warning <x is taken for points, but has the form of distances: square, symmetric and 0 on the diagonal; neighbours are searched among points only>
%! D = [0 1 2; 1 0 3; 2 3 0];
%! gpu_rangesearch (D, D, 1);
%!error <x must be points, not a vector of 6 distances; each row is a point> gpu_rangesearch (1:6, [], 1)
## Memory is checked before it is taken.
%!test
%! before = getenv ("GPUGEO_MEMORY");
%! unwind_protect
%!   setenv ("GPUGEO_MEMORY", "2");
%!   tall = sparse (1, 1, 1, intmax (), 6);
%!   fail ("gpu_rangesearch (sparse (3, 6), tall, 1)", ...
%!         "the neighbours of 2147483647 points and working memory need at least 16.2 GiB, more than the 2.0 GiB");
%!   fail ("gpu_knnsearch (tall, \"K\", 3)", "the result .* need 96.3 GiB, more than the 2.0 GiB");
%!   fail ("gpu_corr (tall)", ...
%!         "tiles of .* points of 2147483647 coordinates need .* GiB|cannot allocate .* on CUDA device");
%! unwind_protect_cleanup
%!   unsetenv ("GPUGEO_MEMORY");
%!   if (! isempty (before))
%!     setenv ("GPUGEO_MEMORY", before);
%!   endif
%! end_unwind_protect

%!demo
%! X = rand (2000, 2);
%! idx = gpu_rangesearch (X, [0.5 0.5], 0.1);
%! plot (X(:,1), X(:,2), ".", "color", "#56B4E9");
%! hold on
%! plot (X(idx{1},1), X(idx{1},2), "o", "color", "#D55E00");
%! hold off
%! axis equal
%! legend ("points", "neighbours of (0.5, 0.5)", "location", "northoutside");
