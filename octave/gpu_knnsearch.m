## -*- texinfo -*-
## @deftypefn  {} {[@var{idx}, @var{D}] =} gpu_knnsearch (@var{X}, @var{Y})
## @deftypefnx {} {[@var{idx}, @var{D}] =} gpu_knnsearch (@var{X})
## @deftypefnx {} {[@var{idx}, @var{D}] =} gpu_knnsearch (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{idx}, @var{D}, @var{info}] =} gpu_knnsearch (@dots{})
## Find the rows of @var{X} that are nearest to each row of @var{Y}, or of @var{X}, without storing the
## matrix of all distances: memory grows with the number of neighbours.
##
## @var{X} is n by m and @var{Y} q by m; sparse ones are not expanded as a whole.  @var{idx} and @var{D} are q
## by K: row numbers of @var{X} and distances, the nearest first and ties by row number.  Without @var{Y}, or
## with an empty one, @code{[]}, the neighbours are those of the rows of @var{X}.  A point is not its own
## neighbour, but other points with the same coordinates are.
##
## @var{X} may also be the structure of distances that @code{gpu_seqpdist} with the option @qcode{"keep"},
## @code{gpu_dist_file} or @code{gpu_pdist} returns, which takes no @var{Y}, no metric and no @qcode{"nan"}: its
## distances are read in tiles, on the CPU.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"K"}
## How many neighbours, a whole number of at least 1, which is the default.  If there are fewer points, all of them
## are neighbours.
## @item @qcode{"Distance"}, @qcode{"method"} or @qcode{"metric"}
## The metric, as in @code{gpu_pdist}; by default @qcode{"euclidean"}.  A function is called on the CPU as
## @code{metric (y, X)}, once for each row y of @var{Y}, and returns the vector of its distances from the rows
## of @var{X}.  Also @qcode{"great-circle"}, as in @code{gpu_closest_pair}: the distance on a sphere of points
## whose two columns are longitude (between -180 and 360) and latitude (between -90 and 90), both in degrees;
## missing (NaN) if one of them is.
## @item @qcode{"P"}, @qcode{"Scale"}, @qcode{"Cov"}
## The parameter of @qcode{"minkowski"}, @qcode{"seuclidean"} and @qcode{"mahalanobis"}, and those of
## @qcode{"gower"}, which are also @qcode{"types"} and @qcode{"column_weights"}, as in
## @code{gpu_pdist}; by default 2, and the standard deviations and the covariance of @var{X}.
## @item @qcode{"sphere_radius"}
## For @qcode{"great-circle"}: the radius of the sphere, positive; distances have its unit.  By default the
## mean radius of the earth in metres, 6371008.8.
## @item @qcode{"singular"}
## What to do with constant columns and singular covariances, as in @code{gpu_pdist}.
## @item @qcode{"IncludeTies"}
## If true, @var{idx} and @var{D} are q by 1 cell arrays of row vectors: the K neighbours, and all further ones
## at the same distance as the last of them; false by default.  They are column vectors in @code{knnsearch} of the
## package statistics.
## @item @qcode{"nan"}
## What NaN means, as in @code{gpu_pdist}.
## @item @qcode{"radius"}
## The largest distance of a neighbour, at least 0: neighbours beyond it are NaN in @var{idx} and @var{D}.  Not
## with @qcode{"IncludeTies"}.
## @item @qcode{"NSMethod"}, @qcode{"BucketSize"}, @qcode{"CacheSize"}, @qcode{"SortIndices"}
## As in @code{knnsearch}: @qcode{"kdtree"} (with @qcode{"euclidean"}, @qcode{"cityblock"},
## @qcode{"chebychev"} and @qcode{"minkowski"} only) or @qcode{"exhaustive"}; a whole number of at least 1;
## @qcode{"maximal"} or a positive number; true or false.  They are checked and have no effect: the result is
## always that of the exhaustive search, the nearest neighbour first, and the algorithm the one that is
## estimated to be the fastest.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The option @qcode{"precision"} has no effect.
## @end table
##
## Distances are computed in double precision: they are, bit for bit, those of @code{gpu_pdist} and
## @code{gpu_pdist2 (@var{X}, @var{Y})} for doubles.  @var{D} is single if @var{X} or @var{Y} is.  A
## missing distance (NaN, for example if two points have no coordinate in common) counts as larger than all
## others: such a point is a neighbour only if fewer than K points have a distance, ties by row number.  The
## result is the same on any number of threads, on the CPU and on a GPU. @var{info} is that of
## @code{gpu_pdist}.
##
## With up to 128 columns trees may be searched, and time grows little faster than the number of points: for Euclidean
## (also squared and standardized), Mahalanobis, city-block, Chebychev and Minkowski distances, on the CPU in up
## to 128 dimensions and on a GPU in up to 16, if a sample of the points shows that this is faster than computing
## each distance once.  A GPU takes no sample of up to about 270,000 points in up to 6 dimensions; it computes
## all distances below 2^30 pairs of points, and with more than 6 dimensions below 2^36 pairs.
## Great circles are searched as Euclidean distances of points on the sphere in space, on the CPU unless
## @qcode{"backend"} is @qcode{"cuda"}; the CPU then computes the distances of what the GPU finds.
## A tree takes about 20 bytes for each coordinate of a point on the CPU, and 90 bytes for each point and 9 for
## each coordinate on a GPU; with a smaller @qcode{"memory_limit"} all distances are computed.
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
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_rangesearch, gpu_neighbor_graph, gpu_pdist2, gpu_options, knnsearch}
## @end deftypefn

function [idx, D, info] = gpu_knnsearch (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  [inputs, pairs] = read_inputs (X, varargin);
  stored = stands_for_distances (X);
  if (numel (inputs) == 1 && ! stored)
    refuse_row (X);
  endif
  warn_of_points (X, "neighbours are searched among points only");
  options = read_neighbors ({"k", "includeties", "nan", "radius"}, pairs);
  if (stored)
    refuse_points_only (options, inputs);
  endif
  inputs = cellfun (@(points) propagate_missing (options, points), inputs, "UniformOutput", false);
  options = limit_neighbors (options, inputs);
  ties = read_flag (options, "includeties", false);
  if (isnumeric (X) && rows (X) == 0 && numel (inputs) == 2 && ! ties)  # as knnsearch: no neighbours
    if (is_function_handle (options.method))
      check_points (options, inputs{:});
    else
      __gpugeo__ ("radius", setfield (options, "radius", 0), inputs{:});
    endif
    idx = D = zeros (rows (inputs{2}), 0);
    info = report_of_handle (tic ());
  elseif (is_function_handle (options.method))
    [idx, D, info] = search_by_handle ([inputs, {[]}]{1:2}, options, ties);
  elseif (ties)
    [idx, D, info] = search_with_ties (inputs, options);
  else
    [idx, D, info] = __gpugeo__ ("knn", options, inputs{:});
    D = cast (D, class_of_distances (inputs{:}));
  endif
  [idx, D] = within_radius (idx, D, options, ties);

endfunction

## Makes neighbours beyond a radius missing.
function [idx, D] = within_radius (idx, D, options, ties)

  if (isfield (options, "radius"))
    radius = __gpugeo__ ("check_number", options.radius, "radius");
    if (ties)
      error ("gpugeo:argument", "radius must not be given with includeties");
    endif
    beyond = D > radius;
    idx(beyond) = D(beyond) = NaN;
  endif

endfunction

## Lowers the option "k" to the number of neighbours that there are, if there is one.
function options = limit_neighbors (options, inputs)

  most = most_neighbors (inputs);
  if (isfield (options, "k") && isnumeric (options.k) && isscalar (options.k) && isreal (options.k) ...
      && options.k == fix (options.k) && options.k > most && most > 0)
    options.k = most;
  endif

endfunction

## The number of neighbours that there may be.
function most = most_neighbors (inputs)

  x = inputs{1};
  if (! stands_for_distances (x))
    n = rows (x);
  elseif (isfield (x, "sequences"))
    n = numel (x.sequences);
  else
    n = x.size;
  endif
  most = n - (numel (inputs) == 1);

endfunction

function [idx, D, info] = search_by_handle (X, Y, options, ties)

  k = 1;
  if (isfield (options, "k"))
    k = options.k;
  endif
  within = isnumeric (Y) && isequal (size (Y), [0 0]);
  check_k (k, rows (X) - within, merge (within, "the other points", "the points of x"));
  choose = @(d) k;
  if (ties)
    choose = @(d) max (k, sum (d <= d(k)));
  endif
  [idx, D, info] = handle_neighbors (X, Y, options, choose);
  if (! ties)
    idx = reshape (vertcat (idx{:}), [], k);
    D = reshape (vertcat (D{:}), [], k);
  endif

endfunction

## The K nearest neighbours and those at the same distance as the last one.  Rows for which all that were found
## may be ties are searched again, for twice as many.
function [idx, D, info] = search_with_ties (inputs, options)

  [i, d, info] = __gpugeo__ ("knn", options, inputs{:});
  warning ("off", "gpugeo:missing", "local");  # this search has warned
  most = most_neighbors (inputs);
  least = k = columns (d);
  last = d(:,k);
  idx = D = cell (rows (d), 1);
  left = (1:rows (d))';
  while (true)
    counts = max (least, sum (d <= last(left), 2));
    complete = counts < k | k == most | isnan (last(left));
    idx(left(complete)) = row_cells (i(complete,:), counts(complete));
    D(left(complete)) = row_cells (cast (d(complete,:), class_of_distances (inputs{:})), counts(complete));
    left = left(! complete);
    if (isempty (left))
      break;
    endif
    k = min (2 * k, most);
    [i, d] = search_rows (inputs, options, left, k);
  endwhile

endfunction

## Cells of the first elements of each row, as many as counts has.
function cells = row_cells (matrix, counts)

  counts = counts(:);  # a column also if it is empty
  kept = ((1:columns (matrix)) <= counts)';
  cells = mat2cell (reshape (matrix'(kept), 1, []), 1, reshape (counts, 1, []));

endfunction

## The k nearest neighbours of some rows.  Without Y, each is searched in all rows, and left out then.
function [i, d] = search_rows (inputs, options, some, k)

  options.k = k;
  if (numel (inputs) == 2)
    [i, d] = __gpugeo__ ("knn", options, inputs{1}, inputs{2}(some,:));
    return;
  elseif (isstruct (inputs{1}))  # distances are read again, those of all rows
    [i, d] = __gpugeo__ ("knn", options, inputs{1});
    i = i(some,:);
    d = d(some,:);
    return;
  endif
  options.k = k + 1;
  [i, d] = __gpugeo__ ("knn", options, inputs{1}, inputs{1}(some,:));
  own = i == some;
  own(! any (own, 2),end) = true;
  i = reshape (i'(! own'), k, [])';
  d = reshape (d'(! own'), k, [])';

endfunction

%!shared X, Y
%! X = [0 0; 3 4; 1 1; 9 9; 1 1];
%! Y = [2 1; 8 8];
%!test
%! [idx, D] = gpu_knnsearch (X, Y);
%! assert ({idx, D}, {[3; 4], [1; sqrt(2)]});
## One row is searched again, and is complete then.
%!assert (gpu_knnsearch ([0; 1; 2; 4; 9], 1, "K", 2, "IncludeTies", true), {[2 1 3]})
%!assert (gpu_knnsearch ([0; 1; 2; 4; 9; 9; 9; 9], "K", 2, "IncludeTies", true){2}, [1 3])
%!test
%! [idx, D] = gpu_knnsearch (X, Y, "K", 3, "Distance", "cityblock");
%! assert ({idx, D}, {[3 5 1; 4 2 3], [1 1 3; 2 9 14]});
%!test
%! [idx, D] = gpu_knnsearch (X, [], "K", 2);
%! assert (idx, [3 5; 3 5; 5 1; 2 3; 3 1]);
%! assert (D(:,1), [sqrt(2); sqrt(13); 0; sqrt(61); 0], 1e-15);
%!assert (gpu_knnsearch (X), [3; 3; 5; 2; 3])
%!assert (gpu_knnsearch (X, "k", 1, "distance", "chebychev"), [3; 3; 5; 2; 3])
%!assert (gpu_knnsearch ([0; 2; 5], 1.5, "K", 7), [2 1 3])
%!assert (gpu_knnsearch (zeros (0, 2), Y, "K", 3), zeros (2, 0))
%!error <y must have 3 columns, as x has, not 2> gpu_knnsearch (zeros (0, 3), Y)
%!assert (gpu_knnsearch ([0; 2; 5], "K", 3), [2 3; 1 3; 2 1])
%!assert (gpu_knnsearch ([0; 2; 5], 1.5, "K", Inf, "IncludeTies", true), {[2 1 3]})
%!assert (gpu_knnsearch ([0; 2; 5], "K", 9, "Distance", @(a, B) abs (B - a)), [2 3; 1 3; 2 1])
%!assert (gpu_knnsearch (sparse (X)), [3; 3; 5; 2; 3])
%!test
%! rand ("twister", 1);
%! x = sprand (50, 40, 0.1);
%! [idx, D] = gpu_knnsearch (x, x(1:9,:), "K", 4);
%! [wanted, wanted_D] = gpu_knnsearch (full (x), full (x(1:9,:)), "K", 4);
%! assert (idx, wanted);
%! assert (D, wanted_D);
%!assert (gpu_knnsearch (X, "k", 1, "metric", "chebychev"), [3; 3; 5; 2; 3])
%!assert (gpu_knnsearch (X, "k", 1, "method", "chebychev"), [3; 3; 5; 2; 3])

## Great circles.
%!test
%! P = [179.9 0; -179.9 0; 20 90; -70 90; 200 0];
%! [idx, D] = gpu_knnsearch (P, "Distance", "great-circle", "sphere_radius", 180 / pi);
%! assert (idx, [2; 1; 4; 3; 2]);
%! assert (D, [0.2; 0.2; 0; 0; 19.9], 1e-11);
%!test
%! rand ("twister", 1);
%! P = [540 * rand(50, 1) - 180, 180 * rand(50, 1) - 90];
%! [idx, D] = gpu_knnsearch (P, P(1,:), "K", 50, "metric", "great-circle");
%! a = P * pi / 180;
%! h = sin ((a(:,2) - a(1,2)) / 2) .^ 2 + cos (a(:,2)) * cos (a(1,2)) .* sin ((a(:,1) - a(1,1)) / 2) .^ 2;
%! [d, order] = sort (2 * 6371008.8 * asin (sqrt (h)));
%! assert (idx', order);
%! assert (D', d, 1e-3);
%!assert (gpu_rangesearch ([0 0; 1 0; 0 2], [0 0], 1.5, "metric", "great-circle", "sphere_radius", 180 / pi), {[1 2]})
%!assert (gpu_neighbor_graph ([0 0; 1 0; 0 3], "K", 1, "Distance", "great-circle"), [1 2; 1 3])
%!test
%! [idx, D] = gpu_knnsearch ([0; 1; 3; 7], "K", 2, "radius", 2);
%! assert (idx, [2 NaN; 1 3; 2 NaN; NaN NaN]);
%! assert (D, [1 NaN; 1 2; 2 NaN; NaN NaN]);
%!error <radius must be a number of at least 0, not -1> gpu_knnsearch ([0; 1], "radius", -1)
%!error <radius must not be given with includeties>
%! gpu_knnsearch ([0; 1; 2], "radius", 1, "IncludeTies", true)
%!error <sphere_radius must be a positive finite number, not 0> gpu_knnsearch ([0 0; 1 1], "Distance", "great-circle", "sphere_radius", 0)
%!error <x must have longitudes between -180 and 360 degrees, but row 2 has 361> gpu_knnsearch ([0 0; 361 1], "Distance", "great-circle")
%!error <which is for neighbours, DBSCAN, collisions and closest pairs> gpu_pdist ([0 0; 1 1], "great-circle")

%!error <metric must not be given with distance> gpu_knnsearch (X, "distance", "cosine", "metric", "cosine")
%!assert (size (gpu_knnsearch (X, zeros (0, 2), "K", 2)), [0 2])
%!assert (gpu_knnsearch (zeros (3, 0), "K", 2), [2 3; 1 3; 1 2])

## All classes of real numbers.
%!test
%! for type = {"int8", "uint8", "int32", "int64", "single", "double"}
%!   [idx, D] = gpu_knnsearch (feval (type{1}, X), "K", 2);
%!   assert (idx, [3 5; 3 5; 5 1; 2 3; 3 1]);
%!   assert (class (D), merge (strcmp (type{1}, "single"), "single", "double"));
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

## Single in, single out.
%!test
%! [idx, D] = gpu_knnsearch (single (X), Y, "K", 2);
%! assert (class (idx), "double");
%! assert (D, single ([1 1; sqrt(2) sqrt(41)]));
%! assert (class (nthargout (2, @gpu_knnsearch, X, single (Y))), "single");
%! assert (class (nthargout (2, @gpu_knnsearch, single (X), "IncludeTies", true){1}), "single");

## Ties of the last neighbour, against all distances.
%!test
%! [idx, D] = gpu_knnsearch (X, Y, "IncludeTies", true);
%! assert ({idx, D}, {{[3 5]; 4}, {[1 1]; sqrt(2)}});
%! [idx, D] = gpu_knnsearch (X, Y(1,:), "K", 3, "Distance", "chebychev", "IncludeTies", true);
%! assert ({idx, D}, {{[3 5 1]}, {[1 1 2]}});
%! [idx, D] = gpu_knnsearch (X, [1 0], "K", 2, "Distance", "chebychev", "IncludeTies", true);
%! assert ({idx, D}, {{[1 3 5]}, {[1 1 1]}});
%! [idx, D] = gpu_knnsearch (X, "K", 1, "IncludeTies", true);
%! assert ({idx, D}, {{[3 5]; [3 5]; 5; 2; 3}, {sqrt([2 2]); sqrt([13 13]); 0; sqrt(61); 0}});
%! assert (gpu_knnsearch (X, "K", 4, "IncludeTies", true), num2cell (gpu_knnsearch (X, "K", 4), 2));
%! assert (gpu_knnsearch (X, zeros (0, 2), "IncludeTies", true), cell (0, 1));
%!test
%! rand ("twister", 1);
%! x = [round(rand (90, 2) * 3); ones(30, 2)];  # many at one location
%! y = round (rand (20, 2) * 3);
%! f = @(a, B) sum (abs (B - a), 2);
%! for metric = {"cityblock", f}
%!   for k = [1 3 20 119]
%!     [idx, D] = gpu_knnsearch (x, y, "K", k, "Distance", metric{1}, "IncludeTies", true);
%!     [idx2, D2] = gpu_knnsearch (x, "K", k, "Distance", metric{1}, "IncludeTies", true);
%!     all_distances = gpu_pdist2 (x, [y; x], "cityblock");
%!     all_distances(sub2ind (size (all_distances), 1:120, 21:140)) = NaN;  # of a point itself
%!     [expected, order] = sort (all_distances);
%!     for j = 1:140
%!       count = sum (expected(:,j) <= expected(k,j));
%!       assert ([idx; idx2]{j}, order(1:count,j)');
%!       assert ([D; D2]{j}, expected(1:count,j)');
%!     endfor
%!   endfor
%! endfor
%!test
%! [idx, D] = gpu_knnsearch ([1 NaN; NaN 2; 2 NaN; 0 1], "K", 3, "IncludeTies", true);
%! assert (idx, {[3 4 2]; [4 1 3]; [1 4 2]; [1 2 3]});
%! assert (D{2}, [sqrt(2) NaN NaN]);

## Options of knnsearch that change nothing.
%!test
%! [idx, D] = gpu_knnsearch (X, Y, "K", 2);
%! for given = {{"NSMethod", "kdtree"}, {"nsmethod", "Exhaustive"}, {"BucketSize", 7}, {"CacheSize", "maximal"}, ...
%!              {"CacheSize", 0.5}, {"SortIndices", true}, {"SortIndices", 0}, {"IncludeTies", false}}
%!   [idx2, D2] = gpu_knnsearch (X, Y, "K", 2, given{1}{:});
%!   assert ({idx2, D2}, {idx, D});
%! endfor
%! for metric = {"euclidean", "fasteuclidean", "cityblock", "chebychev", "chebyshev", "minkowski"}
%!   gpu_knnsearch (X, Y, "Distance", metric{1}, "NSMethod", "kdtree");
%! endfor
%!error <nsmethod must be one of "kdtree", "exhaustive", not "hnsw"> gpu_knnsearch (X, Y, "NSMethod", "hnsw")
%!error <nsmethod must be a single string, not 1> gpu_knnsearch (X, Y, "NSMethod", 1)
%!error <nsmethod must be "exhaustive" with distance "cosine", not "kdtree">
%! gpu_knnsearch (X, Y, "NSMethod", "kdtree", "Distance", "cosine")
%!error <nsmethod must be "exhaustive" if distance is a function, not "kdtree">
%! gpu_knnsearch (X, Y, "NSMethod", "kdtree", "Distance", @(a, B) B(:,1))
%!error <bucketsize must be a whole number of at least 1, not 2.5> gpu_knnsearch (X, Y, "BucketSize", 2.5)
%!error <bucketsize must be a whole number of at least 1, not -1> gpu_knnsearch (X, Y, "BucketSize", -1)
%!error <cachesize must be "maximal" or a positive number, not "large"> gpu_knnsearch (X, Y, "CacheSize", "large")
%!error <sortindices must be true or false, not 2> gpu_knnsearch (X, Y, "SortIndices", 2)
%!error <includeties must be true or false, not "yes"> gpu_knnsearch (X, Y, "IncludeTies", "yes")

## A function: a row of Y, then the rows of X.
%!test
%! f = @(a, B) sqrt (sumsq (B - a, 2));
%! [idx, D] = gpu_knnsearch (X, Y, "K", 3);
%! [idx2, D2, info] = gpu_knnsearch (X, Y, "K", 3, "Distance", f);
%! assert ({idx2, D2, info.backend}, {idx, D, "cpu"});
%! [idx, D] = gpu_knnsearch (X, "K", 4);
%! [idx2, D2] = gpu_knnsearch (X, "K", 4, "Distance", f);
%! assert ({idx2, D2}, {idx, D});
%! assert (gpu_knnsearch (X, zeros (0, 2), "K", 2, "Distance", f), zeros (0, 2));
%! assert (class (nthargout (2, @gpu_knnsearch, single (X), Y, "Distance", f)), "single");
%! assert (gpu_knnsearch (X, [0 0], "K", 5, "Distance", @(a, B) [1; NaN; 0; NaN; 1]), [3 1 5 2 4]);
%!error <distance must return a distance for each of the 5 rows of its second argument, not 1>
%! gpu_knnsearch (X, Y, "Distance", @(a, B) 1)
%!error <metric must return a distance> gpu_knnsearch (X, Y, "Metric", @(a, B) "ab")
%!error <p must be 2 if the metric is a function, not 1> gpu_knnsearch (X, Y, "Metric", @(a, B) B(:,1), "P", 1)
%!error <p must be 2 if the metric is a function, not 1> gpu_knnsearch (zeros (0, 2), Y, "Metric", @(a, B) B(:,1), "P", 1)
%!test  # the parameters of a metric are checked among no points, too
%! for given = {{"mahalanobis", "singular", "drop"}, {"gower", "column_weights", [1 2]}, {"gower", "types", [0 1]}, ...
%!              {"minkowski", "P", 3}, {"seuclidean", "Scale", [1 2]}, {"mahalanobis", "Cov", eye(2)}}
%!   assert (gpu_knnsearch (zeros (0, 2), [1 2], "Distance", given{1}{:}), zeros (1, 0));
%! endfor
%!error <p must be a positive number, not -1> gpu_knnsearch (zeros (0, 2), [1 2], "Distance", "minkowski", "P", -1)
%!error <scale must > gpu_knnsearch (zeros (0, 2), [1 2], "Distance", "seuclidean", "Scale", [1 2 3])
%!error <k must be a whole number, not 1.5> gpu_knnsearch (X, "K", 1.5, "Distance", @(a, B) B(:,1))
%!error <k must be between 1 and 5 .the points of x., not 0> gpu_knnsearch (X, Y, "K", 0, "Distance", @(a, B) B(:,1))

## Against all distances, with the parameters of metrics.
%!test
%! rand ("twister", 1);
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
%! rand ("twister", 1);
%! x = round (rand (3000, 6) * 10);
%! little = {"memory_limit", 2^20, "backend", "cpu"};
%! [idx, D] = gpu_knnsearch (x, "K", 4);
%! [idx2, D2] = gpu_knnsearch (x, "K", 4, little{:});
%! assert ({idx2, D2}, {idx, D});
%! assert (gpu_rangesearch (x, x, 3, little{:}), gpu_rangesearch (x, x, 3));
%! assert (gpu_neighbor_graph (x, "k", 4, little{:}), gpu_neighbor_graph (x, "k", 4));
%!error <memory_limit must be .*1048576.*, not 7> gpu_knnsearch (X, "memory_limit", 7)
%!testif ; numel (gpu_info ().devices) > 0
%! rand ("twister", 1);
%! x = rand (1000, 5);
%! [idx, D] = gpu_knnsearch (x, "K", 5, "backend", "cpu");
%! [idx2, D2, info] = gpu_knnsearch (x, "K", 5, "backend", "cuda");
%! assert ({idx2, D2, info.backend}, {idx, D, "cuda"});

%!error <Invalid call> gpu_knnsearch ()
%!error <x must be a numeric matrix, not text> gpu_knnsearch ("text")
%!error <y must be a numeric matrix, not text> gpu_knnsearch (X, "K")
%!error <y must have 2 columns, as x has, not 3> gpu_knnsearch (X, [1 2 3])
%!error <k must be a whole number, not 1.5> gpu_knnsearch (X, "K", 1.5)
%!error <k must be between 1 and 5 .the points of x., not 0> gpu_knnsearch (X, Y, "K", 0)
%!error <distance must be one of > gpu_knnsearch (X, "Distance", "hyperbolic")
%!error <method must be one of > gpu_knnsearch (X, "Method", "hyperbolic")
%!error <p must be .*, not -1> gpu_knnsearch (X, "Distance", "minkowski", "P", -1)
%!error <scale must be given with distance "seuclidean" or "gower", not "cosine"> gpu_knnsearch (X, "Scale", [1 1], "Distance", "cosine")
%!error <scale must be given with > gpu_knnsearch (X, "Scale", [1 1])
%!error <option must be one of "k", .*, not "colour"> gpu_knnsearch (X, "colour", 1)
%!error id=gpugeo:argument gpu_knnsearch ([1 2])

%!warning <x is taken for points, but has the form of distances: square, symmetric and 0 on the diagonal; neighbours are searched among points only>
%! D = [0 1 2; 1 0 3; 2 3 0];
%! gpu_knnsearch (D);
%!error <x must be points, not a vector of 6 distances; each row is a point> gpu_knnsearch (gpu_pdist (rand (4, 2)))

## Distances that are not in memory, against sorted ones; sequence 7 has none.
%!test
%! rand ("twister", 1);
%! S = num2cell ("ACGT"(ceil (4 * rand (60, 12))), 2);
%! S{7} = "NNNNNNNNNNNN";
%! square = gpu_seqpdist (S, "Method", "raw", "pairwise_deletion", true, "SquareForm", true);
%! kept = gpu_seqpdist (S, "Method", "raw", "pairwise_deletion", true, "keep", "sequences");
%! square(logical (eye (60))) = -1;
%! [wanted, order] = sort (square, 2);
%! wanted(:,1) = [];  # that of a sequence to itself
%! order(:,1) = [];
%! [idx, D, info] = gpu_knnsearch (kept, "K", 5);
%! assert ({idx, D, info.backend}, {order(:,1:5), wanted(:,1:5), "cpu"});
%! assert (gpu_knnsearch (kept), order(:,1));
%! assert (gpu_knnsearch (kept, "K", 100, "NSMethod", "exhaustive"), order);
%! [~, D] = gpu_knnsearch (kept, "K", 5, "radius", 0.5);
%! wanted(wanted > 0.5) = NaN;
%! assert (D, wanted(:,1:5));
%! [idx, D] = gpu_rangesearch (kept, [], 0.5);
%! [some, of] = gpu_knnsearch (kept, "K", 3, "IncludeTies", true);
%! for i = 1:60
%!   count = sum (! isnan (wanted(i,:)));
%!   assert ({idx{i}, D{i}}, {order(i,1:count), wanted(i,1:count)});
%!   [all_idx, all_D] = deal (order(i,:), sort (square(i,:))(2:end));
%!   count = max (3, sum (all_D <= all_D(3)));
%!   assert ({some{i}, of{i}}, {all_idx(1:count), all_D(1:count)});
%! endfor
%!testif ; ! isempty (gpu_info ().hdf5)
%! x = [0; 1; 3; 7; 8];
%! file = [tempname() '.h5'];
%! unwind_protect
%!   D = gpu_pdist (x, "euclidean", "file", file);
%!   assert (gpu_knnsearch (D, "K", 2), gpu_knnsearch (x, "K", 2));
%!   assert (gpu_rangesearch (D, [], 2), gpu_rangesearch (x, [], 2));
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%!shared kept
%! kept = gpu_seqpdist ({"AC", "AG", "TG"}, "Method", "snp", "keep", "sequences");
%!assert (gpu_knnsearch (kept, "K", 2), [2 3; 1 3; 2 1])
%!error <y must be given with points, not with distances> gpu_knnsearch (kept, 1)
%!error <nan must be given with points, not with distances> gpu_knnsearch (kept, "nan", "omit")
%!error <metric must be given with points, not with distances> gpu_knnsearch (kept, "metric", "cosine")
%!error <p must be given with points, not with distances> gpu_knnsearch (kept, "P", 3)
%!error <k must be between 1 and 2 .the other points., not 0> gpu_knnsearch (kept, "K", 0)
%!error <y must be given with points, not with distances> gpu_rangesearch (kept, 1, 1)
%!error <r must be a number of at least 0, not -1> gpu_rangesearch (kept, [], -1)
%!error <x must be points, not distances of sequences, in a file or on a device> gpu_neighbor_graph (kept, "k", 1)
%!demo
%! X = rand (2000, 2);
%! [idx, D] = gpu_knnsearch (X, [0.5 0.5], "K", 100);
%! plot (X(:,1), X(:,2), ".", "color", "#56B4E9");
%! hold on
%! plot (X(idx,1), X(idx,2), "o", "color", "#D55E00");
%! hold off
%! axis ([-0.05 1.05 -0.05 1.05], "square");
%! legend ("points", "neighbours of (0.5, 0.5)", "location", "northoutside");
