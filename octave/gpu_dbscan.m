## -*- texinfo -*-
## @deftypefn  {} {@var{idx} =} gpu_dbscan (@var{X}, @var{epsilon}, @var{minpts})
## @deftypefnx {} {@var{idx} =} gpu_dbscan (@var{D}, @dots{}, @qcode{"Distance"}, @qcode{"precomputed"})
## @deftypefnx {} {@var{idx} =} gpu_dbscan (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{idx}, @var{corepts}, @var{info}] =} gpu_dbscan (@dots{})
## Find clusters by density as @code{dbscan} of MATLAB does (DBSCAN), without storing lists of neighbours.
##
## @var{X} is an n by m matrix with a point in each row.  A core point has at least @var{minpts} points,
## itself included, at a distance of at most @var{epsilon}.  Core points within @var{epsilon} of each other
## are in one cluster, and clusters are numbered by their first core points.  Other points near core points
## belong to the first of their clusters.
##
## @var{idx} is the column vector of the numbers of the clusters, -1 for noise, and @var{corepts} that of
## truth values, true for core points.  @var{info} is that of @code{gpu_pdist}.
##
## With @qcode{"precomputed"}, @var{D} is the n by n matrix of distances, or a row vector as
## @code{gpu_pdist} returns it.  The structure of @code{gpu_dist_file} stands for the distances in
## a file, and that of @code{gpu_dist_device} for those on a device.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"Distance"}, @qcode{"method"} or @qcode{"metric"}
## The metric, as in @code{gpu_pdist}; by default @qcode{"euclidean"}.  Also @qcode{"great-circle"}, of points with
## a longitude and a latitude in degrees, as in @code{gpu_knnsearch}.
## @item @qcode{"P"}, @qcode{"Scale"}, @qcode{"Cov"}, @qcode{"singular"}, @qcode{"types"}, @qcode{"column_weights"}
## The parameters of metrics, as in @code{gpu_pdist}.
## @item @qcode{"sphere_radius"}
## For @qcode{"great-circle"}: the radius of the sphere, positive; @var{epsilon} has its unit.  By default the
## mean radius of the earth in metres, 6371008.8.
## @item @qcode{"weights"}
## How many points each point counts as when core points are found: finite numbers of at least 0.  A core point then
## has neighbours, itself included, whose weights have a sum of at least @var{minpts}.  Only on the CPU.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The option @qcode{"precision"} has no effect.  A GPU takes points;
## distances that are given are read on the CPU.
## @end table
##
## A point without a distance is near no other one.  The result is the same on any number of threads.
##
## @example
## gpu_dbscan ([1; 1.2; 1.4; 5; 5.1; 9], 0.3, 2)'
##   @result{} 1  1  1  2  2  -1
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_hdbscan, gpu_rangesearch, gpu_mst, gpu_pdist, gpu_options}
## @end deftypefn

function [idx, corepts, info] = gpu_dbscan (X, epsilon, minpts, varargin)

  if (nargin < 3)
    print_usage ();
  endif
  options = read_neighbors ({"weights"}, varargin);
  options.epsilon = epsilon;
  options.minpts = minpts;
  options.names.eps = "epsilon";
  if (isempty (X) && ! (strcmp (options.method, "precomputed") && rows (X) == 1))
    error ("gpugeo:argument", "x must have at least one point with a coordinate, not %d x %d", rows (X), columns (X));
  endif
  [X, options] = condensed_distances (X, options);
  [idx, corepts, info] = __gpugeo__ ("dbscan", options, X);
  corepts = logical (corepts);

endfunction

%!shared X
%! X = [1; 1.2; 1.4; 5; 5.1; 9];
%!test
%! [idx, corepts, info] = gpu_dbscan (X, 0.3, 2, "threads", 1);
%! assert (idx, [1; 1; 1; 2; 2; -1]);
%! assert (corepts, logical ([1; 1; 1; 1; 1; 0]));
%! assert ({info.backend, info.threads}, {"cpu", 1});
%!test
%! [idx, corepts] = gpu_dbscan (X, 0.3, 3);
%! assert (idx, [1; 1; 1; -1; -1; -1]);
%! assert (corepts, logical ([0; 1; 0; 0; 0; 0]));
%!assert (gpu_dbscan (gpu_pdist2 (X, X), 0.3, 2, "Distance", "precomputed"), gpu_dbscan (X, 0.3, 2))
%!assert (gpu_dbscan (gpu_pdist (X), 0.3, 2, "Distance", "precomputed"), gpu_dbscan (X, 0.3, 2))
%!assert (gpu_dbscan (X, 0.3, 2, "Distance", @(a, B) abs (B - a)), gpu_dbscan (X, 0.3, 2))
%!assert (gpu_dbscan (X, 0.3, 1), [1; 1; 1; 2; 2; 3])
%!assert (gpu_dbscan (zeros (1, 0), 1, 1, "Distance", "precomputed"), 1)
%!assert (gpu_dbscan ([1 2 3], 1, 1, "Distance", "euclidean"), 1)
%!assert (gpu_dbscan ([1; NaN; 1], 1, 2), [1; -1; 1])

## A point of weight w counts as w points; weights that are no whole numbers.
%!test
%! weights = [1; 0; 2; 3; 0; 1];
%! [idx, corepts] = gpu_dbscan (X, 0.3, 3, "weights", weights);
%! assert (corepts, logical ([0; 1; 0; 1; 1; 0]));
%! assert (idx, [1; 1; 1; 2; 2; -1]);
%! [got, other] = gpu_dbscan (gpu_pdist (X), 0.3, 3, "Distance", "precomputed", "weights", weights');
%! assert ({got, other}, {idx, corepts});
%!assert (gpu_dbscan (X, 0.3, 1, "weights", repmat (1 / 3, 6, 1)), [1; 1; 1; -1; -1; -1])
%!error <weights must have a value for each of the 6 points, not 5 values> gpu_dbscan (X, 1, 2, "weights", 1:5)
%!error <weights must be finite and at least 0, but value 2 is -1> gpu_dbscan (X, 1, 2, "weights", [1 -1 1 1 1 1])
%!error <backend must be "auto" or "cpu" with weights, not "cuda">
%! gpu_dbscan (X, 1, 2, "weights", ones (6, 1), "backend", "cuda")

## Against the definition, with many metrics.
%!test
%! rand ("twister", 1);
%! x = round (rand (150, 3) * 12);
%! for metric = {"euclidean", "cityblock", "chebychev", "hamming"}
%!   D = gpu_pdist2 (x, x, metric{1});
%!   epsilon = median (D(:)) / 2;
%!   near = D <= epsilon;
%!   core = sum (near, 2) >= 4;
%!   idx = -ones (150, 1);
%!   for i = find (core)'
%!     if (idx(i) < 0)
%!       reached = (1:150)' == i;
%!       do
%!         before = reached;
%!         reached = core & any (near(:,reached), 2);
%!       until (isequal (reached, before))
%!       idx(reached) = max ([idx; 0]) + 1;
%!     endif
%!   endfor
%!   for i = find (! core)'
%!     number = min (idx(core & near(:,i)));
%!     if (! isempty (number))
%!       idx(i) = number;
%!     endif
%!   endfor
%!   for threads = [1 3]
%!     [got, corepts] = gpu_dbscan (x, epsilon, 4, "Distance", metric{1}, "threads", threads);
%!     assert (got, idx);
%!     assert (corepts, core);
%!   endfor
%! endfor

## A file of distances, which takes no metric.
%!testif ; ! isempty (gpu_info ().hdf5)
%! rand ("twister", 1);
%! x = rand (60, 2);
%! file = [tempname() '.h5'];
%! unwind_protect
%!   D = gpu_pdist (x, "cityblock", "file", file);
%!   assert (size (D), [1 1]);
%!   [idx, corepts] = gpu_dbscan (x, 0.4, 3, "Distance", "cityblock");
%!   for metric = {{}, {"Distance", "precomputed"}}
%!     [got, other] = gpu_dbscan (D, 0.4, 3, metric{1}{:});
%!     assert ({got, other}, {idx, corepts});
%!   endfor
%!   fail ('gpu_dbscan (D, 0.4, 3, "Distance", "cityblock")', "distance must be given with points, not with distances");
%!   fail ('gpu_dbscan (D, 0.4, 3, "metric", @(a, B) abs (B - a))', "metric must be given with points, not with distances");
%!   fail ('gpu_dbscan (D, 0.4, 3, "Scale", 2)', "scale must be given with points, not with distances");
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect

%!error <p must be 2 if the metric is a function, not 3> gpu_dbscan ([1 2; 3 4], 1, 2, "Distance", @(a, B) B(:,1), "p", 3)
%!error <Invalid call> gpu_dbscan (1, 2)
%!error <epsilon must be a number of at least 0, not -1> gpu_dbscan (X, -1, 2)
%!error <epsilon must be a number of at least 0, not \[\]> gpu_dbscan (X, [], 2)
%!error <minpts must be a whole number .*, not 1.5> gpu_dbscan (X, 1, 1.5)
%!error <minpts must be a whole number of at least 1, not 0> gpu_dbscan (X, 1, 0)
%!error <x must have at least one point with a coordinate, not 0 x 2> gpu_dbscan (zeros (0, 2), 1, 1)
%!error <x must have at least one point with a coordinate, not 0 x 0> gpu_dbscan ([], 1, 1)
%!error <p must be given with points, not with distances> gpu_dbscan (1:3, 1, 2, "Distance", "precomputed", "P", 3)
%!warning <x is taken for one point, but has the form of 6 distances; the metric "precomputed" takes it for distances>
%! gpu_dbscan (1:6, 0.3, 2);
%!assert (gpu_dbscan (1:6, 0.3, 2, "Distance", "euclidean"), -1)  # one point
%!error <x must be a square matrix or a row vector of distances with "precomputed", not 2 x 3>
%! gpu_dbscan (ones (2, 3), 1, 2, "Distance", "precomputed")
%!error <distance must be one of > gpu_dbscan (X, 1, 2, "Distance", "hyperbolic")

%!warning <x is taken for points, but has the form of distances: square, symmetric and 0 on the diagonal; the metric "precomputed" takes it for distances>
%! D = [0 1 2; 1 0 3; 2 3 0];
%! gpu_dbscan (D, 1, 2);
%!error <x must be symmetric, but element \(1, 2\) is 1 and element \(2, 1\) is 4; gpu_pdist computes distances>
%! gpu_dbscan ([0 1 2; 4 0 3; 2 3 0], 1, 2, "Distance", "precomputed")
%!demo
%! X = [randn(300, 2); randn(300, 2) * 0.5 + 4];
%! idx = gpu_dbscan (X, 0.6, 5);
%! plot (X(idx == 1,1), X(idx == 1,2), "o", "color", "#0072B2", "markersize", 4);
%! hold on
%! plot (X(idx > 1,1), X(idx > 1,2), "^", "color", "#D55E00", "markersize", 4);
%! plot (X(idx == -1,1), X(idx == -1,2), "kx");
%! hold off
%! axis ([-5 7 -5 7], "square");
%! legend ("cluster 1", "other clusters", "noise", "location", "northoutside");

## Around the date line, in degrees.
%!test
%! X = [179.5 0; -179.8 0; 179.9 0.5; 0 0; 0 0.2; 0 50];
%! assert (gpu_dbscan (X, 1, 2, "Distance", "great-circle", "sphere_radius", 180 / pi), [1; 1; 1; 2; 2; -1]);
