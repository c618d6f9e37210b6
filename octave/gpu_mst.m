## -*- texinfo -*-
## @deftypefn  {} {@var{tree} =} gpu_mst (@var{X})
## @deftypefnx {} {@var{tree} =} gpu_mst (@var{X}, @var{metric}, @dots{})
## @deftypefnx {} {@var{tree} =} gpu_mst (@var{D})
## @deftypefnx {} {@var{tree} =} gpu_mst (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{tree}, @var{info}] =} gpu_mst (@dots{})
## Find the minimum spanning tree of the rows of @var{X}, which joins them by edges with the smallest sum of
## distances, without storing the matrix of all distances.
##
## @var{X} is an n by m matrix with a point in each row, and @var{metric}, its parameter and its options are
## those of @code{gpu_pdist}.  @var{D} is a row vector of distances as @code{gpu_pdist} returns it, or the
## structure of @code{gpu_dist_file} for a file of them, or of @code{gpu_dist_device}.  The options of
## @code{gpu_options} are taken, too.
##
## @var{tree} is an n - 1 by 3 matrix with a row for each edge, the shortest first: the row numbers i < j and
## their distance, always a double.  @var{info} is that of @code{gpu_pdist}.
##
## If edges have the same distance, the one with the smaller i comes first, then the one with the smaller j.
## In this order there is one minimum spanning tree.  It is the same on any number of threads, on a GPU, and for
## points, a vector and a file with the same distances.  Its distances are the heights of single linkage.  A missing
## distance is an error that gives the number of missing ones and the first pair.
##
## With up to 128 columns on the CPU, and up to 16 on a GPU, the tree is found by a tree of boxes, for the same
## metrics and by the same rule as the neighbours of @code{gpu_knnsearch}, and time grows little faster than
## the number of points.  Otherwise each distance is computed or read once.  A GPU takes points; distances that are given are read on the CPU, and
## by default points with coordinates that are missing or infinite, too.
##
## @example
## tree = gpu_mst ([0 0; 3 4; 1 0; 9 9])
##   @result{} tree =
##       1.0000   3.0000   1.0000
##       2.0000   3.0000   4.4721
##       2.0000   4.0000   7.8102
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_neighbor_graph, gpu_pdist, gpu_layout, gpu_options}
## @end deftypefn

function [tree, info] = gpu_mst (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  is_row = isnumeric (X) && rows (X) == 1;
  has_distances = is_row || isstruct (X);
  metric_given = mod (numel (varargin), 2) == 1;
  if (has_distances && ! metric_given)
    varargin = [{"euclidean"}, varargin];  # distances have no use for a metric
  endif
  options = read_metric (varargin);
  if (has_distances)
    refuse_metric (options, metric_given);
  else
    warn_of_points (X);
  endif
  if (is_function_handle (options.method))
    X = gpu_pdist (X, varargin{:});
    is_row = true;
  endif
  if (is_row)
    options.condensed = true;
  endif
  [tree, info] = __gpugeo__ ("mst", options, X);

endfunction

%!shared X
%! X = [0 0; 3 4; 1 0; 9 9];
%!test
%! tree = gpu_mst (X);
%! assert (tree(:,1:2), [1 3; 2 3; 2 4]);
%! assert (tree(:,3), [1; sqrt(20); sqrt(61)], eps (8));
%!test
%! [tree, info] = gpu_mst (X, "cityblock", "threads", 1);
%! assert (tree, [1 3 1; 2 3 6; 2 4 11]);
%! assert ({info.backend, info.threads}, {"cpu", 1});
%!test
%! known = gpu_info ().backends;
%! if (any (strcmp ({known.backend}, "cuda") & [known.available]))
%!   [tree, info] = gpu_mst (X, "euclidean", "backend", "cuda");
%!   assert (info.backend, "cuda");
%!   assert (tree, gpu_mst (X, "euclidean", "backend", "cpu"));
%! endif
%!assert (gpu_mst (gpu_pdist (X)), gpu_mst (X))
%!assert (gpu_mst (single (gpu_pdist (X, "cityblock"))), gpu_mst (X, "cityblock"))
%!assert (gpu_mst (X, "minkowski", 1), gpu_mst (X, "cityblock"))
%!assert (gpu_mst (X, @(a, B) sum (abs (B - a), 2)), gpu_mst (X, "cityblock"))
%!assert (gpu_mst (sparse (X)), gpu_mst (X))
%!assert (gpu_mst (int32 (X)), gpu_mst (X))
%!assert (gpu_mst (single (X)), gpu_mst (X))

## No edges, and ties.
%!assert (gpu_mst (zeros (0, 2)), zeros (0, 3))
%!assert (gpu_mst (zeros (1, 0)), zeros (0, 3))
%!assert (gpu_mst (3), [1 2 3])
%!assert (gpu_mst (ones (5, 2)), [1 1 1 1; 2 3 4 5; 0 0 0 0]')
%!assert (gpu_mst ([0 0; 1 0; 0 1; 1 1]), [1 1 2; 2 3 4; 1 1 1]')

## Against Kruskal's algorithm on all distances.
%!test
%! rand ("twister", 1);
%! for job = {{200, 2, "euclidean"}, {150, 3, "cityblock"}, {90, 30, "cosine"}, {80, 2, "chebychev"}}
%!   [n, m, metric] = job{1}{:};
%!   x = round (rand (n, m) * 20);
%!   x(:,1) += 1;
%!   d = gpu_pdist (x, metric);
%!   [j, i] = find (tril (ones (n), -1));
%!   [~, order] = sortrows ([d' i j]);
%!   label = 1:n;
%!   expected = zeros (0, 3);
%!   for e = order'
%!     if (label(i(e)) != label(j(e)))
%!       label(label == label(j(e))) = label(i(e));
%!       expected(end+1,:) = [i(e) j(e) d(e)];
%!     endif
%!   endfor
%!   for threads = [1 3]
%!     assert (gpu_mst (x, metric, "threads", threads), expected);
%!     assert (gpu_mst (d, "threads", threads), expected);
%!   endfor
%! endfor

%!testif ; ! isempty (gpu_info ().hdf5)
%! rand ("twister", 1);
%! x = rand (300, 3);
%! file = [tempname() '.h5'];
%! unwind_protect
%!   assert (gpu_mst (gpu_pdist (x, "euclidean", "file", file)), gpu_mst (x));
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect

## Missing distances.
%!test
%! x = [1 NaN; NaN 2; 3 4; NaN 5];
%! fail ("gpu_mst (x)", ["x must have a distance between any two points, but 2 are missing; " ...
%!                       "the first is between points 1 and 2"]);
%! fail ("gpu_mst ([1 NaN 2])", "but 1 is missing; the first is between points 1 and 3");
%!error id=gpugeo:data gpu_mst ([NaN; 1])

%!error <Invalid call> gpu_mst ()
%!error <x must be a numeric matrix, not text> gpu_mst ("text")
%!error <x must have n \(n - 1\) / 2 distances, not 2> gpu_mst ([1 2])
%!error <metric must be given with points, not with distances> gpu_mst ([1 2 3], "cityblock")
%!error <scale must be given with points, not with distances> gpu_mst ([1 2 3], "scale", 2)
%!error <metric must be one of > gpu_mst (X, "hyperbolic")
%!error <p must be .*, not -1> gpu_mst (X, "minkowski", -1)
%!error <option must be one of .*, not "colour"> gpu_mst (X, "euclidean", "colour", 1)

%!warning <x is taken for points, but has the form of distances: square, symmetric and 0 on the diagonal; squareform \(x\) makes distances of it>
%! D = [0 1 2; 1 0 3; 2 3 0];
%! gpu_mst (D);
%!demo
%! X = randn (500, 2);
%! tree = gpu_mst (X);
%! plot ([X(tree(:,1),1) X(tree(:,2),1)]', [X(tree(:,1),2) X(tree(:,2),2)]', ...
%!       "-o", "color", "#0072B2", "markersize", 3);
%! axis equal off
%! title ("minimum spanning tree");
