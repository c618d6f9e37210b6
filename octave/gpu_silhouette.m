## -*- texinfo -*-
## @deftypefn  {} {@var{s} =} gpu_silhouette (@var{X}, @var{clust})
## @deftypefnx {} {@var{s} =} gpu_silhouette (@var{X}, @var{clust}, @var{metric}, @dots{})
## @deftypefnx {} {@var{s} =} gpu_silhouette ([], @var{clust}, @var{D})
## @deftypefnx {} {@var{s} =} gpu_silhouette (@var{X}, @var{clust}, @var{metric}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{s}, @var{neighbor}, @var{info}] =} gpu_silhouette (@dots{})
## Silhouettes of a clustering, as @code{silhouette} computes them, on all CPU cores or on a GPU and without
## storing the matrix of distances.
##
## @var{X} is an n by m matrix with a point in each row, and @var{clust} has the cluster of each point: numbers,
## logical values, a char matrix with a name in each row, or a cell array of strings.  @var{metric}, by default
## @qcode{"sqeuclidean"}, its parameter and its options are those of @code{gpu_pdist}.  @var{D} is a row vector
## of distances as @code{gpu_pdist} returns it, or the structure of @code{gpu_dist_file} for a file of them, or
## of @code{gpu_dist_device}; @var{X} is ignored then.  The options of @code{gpu_options} are taken, too.
## Distances must be finite.
##
## @var{s} is the column vector of the widths: with a, the mean distance of a point from the other points of its
## cluster, and b, the smallest of its mean distances from the points of each other cluster, the width is
## (b - a) / max (a, b).  As in MATLAB it is 1 if the point is alone in its cluster, and NaN if there is one
## cluster.  @var{neighbor} is the number of the cluster at the mean distance b, in the order of
## @code{unique (@var{clust})}; 0: there is none.  @var{info} is that of @code{gpu_pdist}.  Nothing is plotted:
## see the demo.
##
## Distances are computed or read in tiles: once, or twice if n times the number of clusters is more than 1/16
## of @qcode{"memory_limit"} in bytes.  With the backend @qcode{"cuda"}, distances of points and those of
## @code{gpu_dist_device} are added up on the device, which needs 8 bytes for each point and cluster; if it has
## less memory, the CPU adds them up.  The distances of a point from a cluster are added up in the order of the
## points: the result has the same bits for any number of threads, any memory, on CPU and GPU, and for
## every kind of input that holds the same distances.
##
## @example
## gpu_silhouette ([0; 1; 4; 6], [1; 1; 2; 2])'
##   @result{} 0.9615   0.9412   0.6800   0.8689
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_linkage, gpu_dbscan, gpu_pdist, gpu_options}
## @end deftypefn

function [s, neighbor, info] = gpu_silhouette (X, clust, metric = "sqeuclidean", varargin)

  if (nargin < 2)
    print_usage ();
  endif
  refuse_other_order (X, clust);
  has_distances = isnumeric (metric) || isstruct (metric);
  if (has_distances)
    X = metric;
    metric = "euclidean";  # distances have no use for a metric
  endif
  options = read_metric ([{metric}, varargin]);
  if (has_distances)
    refuse_metric (options, false);
  else
    warn_of_points (X, "gpu_silhouette (x, clust, squareform (x)) takes distances");
  endif
  if (is_function_handle (metric))
    X = gpu_pdist (X, metric, varargin{:});
    has_distances = true;
  endif
  if (has_distances && ! isstruct (X))
    options.condensed = true;
  endif
  options.clusters = cluster_numbers (clust, "clust");
  options.names.clusters = "clust";
  [s, neighbor, info] = __gpugeo__ ("silhouette", options, X);
  alone = accumarray (double (options.clusters), 1) == 1;
  s(alone(options.clusters) & neighbor > 0) = 1;

endfunction

## Refuses clusters followed by distances, the order of arguments in R.
function refuse_other_order (X, clust)

  n = numel (X);
  if (isvector (X) && (isstruct (clust) || (n > 3 && isnumeric (clust) && isvector (clust) ...
                                            && numel (clust) == n * (n - 1) / 2)))
    error ("gpugeo:argument", ["clust must have a number for each point, not distances; with distances the call is ", ...
                               "gpu_silhouette ([], clust, D)"]);
  endif
  points = numel (clust);
  if (isnumeric (X) && isvector (X) && points > 2 && rows (X) != points && n == points * (points - 1) / 2)
    error ("gpugeo:argument", ["x must be points, not a vector of %d distances; with distances the call is ", ...
                               "gpu_silhouette ([], clust, D)"], n);
  endif

endfunction

%!shared X, clust
%! X = [0; 1; 4; 6];
%! clust = [1; 1; 2; 2];
%!assert (gpu_silhouette (X, clust), [25 / 26; 16 / 17; 17 / 25; 53 / 61], 4 * eps)
%!test
%! [s, neighbor, info] = gpu_silhouette (X, clust, "euclidean", "threads", 1);
%! assert (s, [4 / 5; 3 / 4; 3 / 7; 7 / 11], 4 * eps);
%! assert (neighbor, [2; 2; 1; 1]);
%! assert ({info.backend, info.threads}, {"cpu", 1});
%!assert (gpu_silhouette ([], clust, gpu_pdist (X)), gpu_silhouette (X, clust, "euclidean"))
%!assert (gpu_silhouette (X, clust, @(a, B) abs (B - a)), gpu_silhouette (X, clust, "cityblock"))
%!assert (gpu_silhouette (X, clust, "minkowski", 1), gpu_silhouette (X, clust, "cityblock"))
%!assert (gpu_silhouette (X, clust, "sqeuclidean", "threads", 1), gpu_silhouette (X, clust))
%!assert (gpu_silhouette (X, {"b"; "b"; "a"; "a"}), gpu_silhouette (X, clust))
%!assert (gpu_silhouette (X, ["x"; "x"; "y"; "y"]), gpu_silhouette (X, clust))
%!assert (gpu_silhouette (X, logical ([1; 1; 0; 0])), gpu_silhouette (X, clust))
%!assert (gpu_silhouette (X, [7; 7; -2.5; -2.5]), gpu_silhouette (X, clust))
%!assert (gpu_silhouette (sparse (X), clust'), gpu_silhouette (X, clust))

## Points alone, one cluster, none, equal points.
%!assert (gpu_silhouette (X, [1; 1; 1; 2])(4), 1)
%!assert (gpu_silhouette (X, 1:4), ones (4, 1))
%!assert (gpu_silhouette (X, ones (4, 1)), NaN (4, 1))
%!assert (gpu_silhouette (zeros (0, 2), []), zeros (0, 1))
%!assert (gpu_silhouette (ones (4, 2), clust), zeros (4, 1))

## Against the definition, with many metrics.
%!test
%! rand ("twister", 1);
%! x = round (rand (90, 3) * 12) + 1;
%! c = randi (5, 90, 1);
%! for metric = {"euclidean", "cityblock", "chebychev", "cosine"}
%!   D = gpu_pdist2 (x, x, metric{1});
%!   expected = zeros (90, 1);
%!   for i = 1:90
%!     others = (1:90)' != i;
%!     mean_of = @(k) mean (D(others & c == k,i));
%!     means = arrayfun (mean_of, 1:5);
%!     a = means(c(i));
%!     b = min (means((1:5) != c(i)));
%!     expected(i) = (b - a) / max (a, b);
%!   endfor
%!   for threads = [1 3]
%!     assert (gpu_silhouette (x, c, metric{1}, "threads", threads), expected, 1e-13);
%!   endfor
%! endfor

%!testif ; ! isempty (pkg ("list", "statistics")) && ! isempty (available_graphics_toolkits ())  # it plots
%! rand ("twister", 1);
%! pkg load statistics
%! x = rand (60, 3);
%! c = [(1:4)'; (1:4)'; randi(4, 52, 1)];
%! visible = get (0, "defaultfigurevisible");
%! unwind_protect
%!   set (0, "defaultfigurevisible", "off");
%!   expected = silhouette (x, c);
%!   assert (gpu_silhouette (x, c), expected, 1e-12);
%!   assert (gpu_silhouette ([], c, pdist (x)), silhouette (x, c, "euclidean"), 1e-12);
%! unwind_protect_cleanup
%!   set (0, "defaultfigurevisible", visible);
%!   close all
%! end_unwind_protect

%!testif ; ! isempty (gpu_info ().hdf5)
%! rand ("twister", 1);
%! x = rand (50, 3);
%! c = randi (3, 50, 1);
%! file = [tempname() '.h5'];
%! unwind_protect
%!   gpu_pdist (x, "cityblock", "file", file);
%!   assert (gpu_silhouette ([], c, gpu_dist_file (file)), gpu_silhouette (x, c, "cityblock"));
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect

%!testif ; numel (gpu_info ().devices) > 0
%! rand ("twister", 1);
%! x = rand (700, 5);
%! c = randi (4, 700, 1);
%! for metric = {"sqeuclidean", "euclidean", "correlation"}
%!   [s, neighbor, info] = gpu_silhouette (x, c, metric{1}, "backend", "cuda");
%!   assert (info.backend, "cuda");
%!   [s1, neighbor1] = gpu_silhouette (x, c, metric{1}, "backend", "cpu");
%!   assert ({s, neighbor}, {s1, neighbor1});
%! end

%!error <Invalid call> gpu_silhouette (1)
%!error <clust must have a number for each point, not distances; with distances the call is gpu_silhouette \(\[\], clust, D\)>
%! gpu_silhouette (clust, gpu_pdist (X))
%!error <x must be points, not a vector of 6 distances; with distances the call is gpu_silhouette \(\[\], clust, D\)>
%! gpu_silhouette (1:6, [1 1 2 2])
%!error <x must be points, not a vector of 6 distances> gpu_silhouette ((1:6)', {"a", "a", "b", "b"})
%!error <clust must have a number for each of the 4 points, not 3 numbers> gpu_silhouette (X, 1:3)
%!error <clust must have no missing values, but value 2 is NaN> gpu_silhouette (X, [1 NaN 1 1])
%!error <clust must be numbers, logical values or names, not > gpu_silhouette (X, {1, 2})
%!error <metric must be one of > gpu_silhouette (X, clust, "hyperbolic")
%!error <cov must be given with points, not with distances> gpu_silhouette ([], clust, 1:6, "cov", 1)
%!error <x must have n \(n - 1\) / 2 distances, not 4> gpu_silhouette ([], clust, 1:4)
%!error <x must have finite distances only, but 3 of them are not; the first is missing, between points 1 and 2>
%! gpu_silhouette ([0; NaN; 1; 2], clust)

%!warning <x is taken for points, but has the form of distances: square, symmetric and 0 on the diagonal; gpu_silhouette \(x, clust, squareform \(x\)\) takes distances>
%! D = [0 1 2; 1 0 3; 2 3 0];
%! gpu_silhouette (D, [1 1 2]);
%!demo
%! X = [randn(60, 2); randn(60, 2) * 0.7 + 4];
%! clust = [ones(60, 1); 2 * ones(60, 1)];
%! s = gpu_silhouette (X, clust);
%! [~, order] = sortrows ([clust, -s]);
%! colours = {"#0072B2", "#E69F00"};
%! for k = 1:2
%!   at = find (clust(order) == k);
%!   barh (at, s(order(at)), 1, "facecolor", colours{k}, "edgecolor", "none");
%!   hold on
%! endfor
%! hold off
%! axis ("ij");
%! ylim ([0 121]);
%! xlabel ("silhouette width"); ylabel ("point");
%! legend ("cluster 1", "cluster 2", "location", "northoutside");
