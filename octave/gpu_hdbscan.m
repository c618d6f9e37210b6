## -*- texinfo -*-
## @deftypefn  {} {@var{idx} =} gpu_hdbscan (@var{X}, @var{minpts})
## @deftypefnx {} {@var{idx} =} gpu_hdbscan (@var{D}, @var{minpts}, @qcode{"Distance"}, @qcode{"precomputed"})
## @deftypefnx {} {@var{idx} =} gpu_hdbscan (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{idx}, @var{tree}, @var{info}] =} gpu_hdbscan (@dots{})
## Find clusters by density at all scales (HDBSCAN), without storing the matrix of distances.
##
## @var{X} is an n by m matrix with a point in each row.  @var{minpts} is the smallest size of a cluster, and
## the number of points in a neighbourhood, the point itself included: a whole number from 2 to n.  The core
## distance of a point is that to its neighbour number @var{minpts} - 1, and the mutual reachability of two
## points is the largest of their distance and both core distances.
##
## @var{idx} is the column vector of the numbers of the clusters, -1 for noise.  @var{tree} is a structure:
##
## @table @code
## @item membership
## How strongly each point belongs to its cluster, from 0 to 1; 0 for noise.
## @item outlier
## The outlier score of each point (GLOSH), from 0 to 1.
## @item coredist
## The core distance of each point.
## @item scores
## The stability of each cluster.
## @item Z
## The dendrogram of mutual reachability, as @code{gpu_linkage} returns it.
## @item nodes
## The condensed tree, a row for each node: its parent, 0 for the first one; the heights where it begins and ends;
## the number of points where it divides into two nodes, or 0; its stability; its score; 1 if it is a cluster;
## and the cluster of its points, or 0.
## @item leaves
## Two columns: the node that each point leaves, and the height where it does.
## @end table
##
## @var{info} is that of @code{gpu_pdist}.
##
## The dendrogram is that of the minimum spanning tree.  If pairs of points have the same mutual reachability, the
## one with the smaller distance comes first, then the one with the smaller row number, then the smaller
## second one: there is one tree, on any number of threads and for points, a vector and a file with the same
## distances.  From the last merge down, a node divides where both sides have at least @var{minpts} points.
## All other points leave it at the height of their last merge.  Nodes whose stability exceeds the scores of
## the nodes below them are clusters.  A missing distance is an error.
##
## Coincident points have a core distance of 0, and a density of 1 / 0 would win everything.  The condensed tree
## therefore has the lowest positive height of the dendrogram instead of 0, so that coincident points have the
## density of those nearest to each other.
##
## Rounded data have many ties.  The result does not depend on the order of the rows beyond the rule above; package
## dbscan of R and package hdbscan of Python take any of several trees, and so may find other clusters when rows are
## reordered.
##
## With @qcode{"precomputed"}, @var{D} is the n by n matrix of distances, or a row vector as
## @code{gpu_pdist} returns it.  The structure of @code{gpu_dist_file} stands for the distances in
## a file, and that of @code{gpu_dist_device} for those on a device.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"Distance"}, @qcode{"method"} or @qcode{"metric"}
## The metric, as in @code{gpu_pdist}; by default @qcode{"euclidean"}.
## @item @qcode{"P"}, @qcode{"Scale"}, @qcode{"Cov"}, @qcode{"singular"}, @qcode{"types"}, @qcode{"column_weights"}
## The parameters of metrics, as in @code{gpu_pdist}.
## @item @qcode{"cluster_selection_epsilon"}
## Clusters do not divide below this height of the dendrogram: a number of at least 0, by default 0.  Of the
## nodes that begin lower, the lowest one above them that begins at this height or higher is the cluster, or the
## highest one below the root (Malzer and Baum 2020).
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The option @qcode{"precision"} has no effect.  A GPU takes points;
## distances that are given are read on the CPU.
## @end table
##
## @example
## gpu_hdbscan ([1; 1.2; 1.4; 5; 5.1; 9], 2)'
##   @result{} 2  2  2  1  1  -1
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_dbscan, gpu_mst, gpu_linkage, gpu_options}
## @end deftypefn

function [idx, tree, info] = gpu_hdbscan (X, minpts, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  options = read_neighbors (option_names ("hdbscan", {"minpts"}), varargin);
  options.minpts = minpts;
  options.names.min_points = "minpts";
  [X, options] = condensed_distances (X, options);
  [points, Z, nodes, info] = __gpugeo__ ("hdbscan", options, X);
  idx = points(:,1);
  clusters = find (nodes(:,7));
  scores = zeros (numel (clusters), 1);
  scores(nodes(clusters,8)) = nodes(clusters,5);
  tree = struct ("membership", points(:,2), "outlier", points(:,3), "coredist", points(:,4), ...
                 "scores", scores, "Z", Z, "nodes", nodes, "leaves", points(:,5:6));

endfunction

%!shared X
%! X = [1; 1.2; 1.4; 5; 5.1; 9];
%!test
%! [idx, tree, info] = gpu_hdbscan (X, 2, "threads", 1);
%! assert (idx, [2; 2; 2; 1; 1; -1]);
%! assert (tree.coredist, [0.2; 0.2; 0.2; 0.1; 0.1; 3.9], 1e-14);
%! assert (tree.Z, [4 5 0.1; 1 2 0.2; 3 8 0.2; 7 9 3.6; 6 10 3.9], 1e-14);
%! assert (tree.nodes(:,[1 4 7 8]), [0 5 0 0; 1 0 1 1; 1 0 1 2]);
%! assert (tree.scores, [2 / 0.1 - 2 / 3.6; 3 / 0.2 - 3 / 3.6], 1e-13);
%! assert (tree.leaves, [3 0.2; 3 0.2; 3 0.2; 2 0.1; 2 0.1; 1 3.9], 1e-14);
%! assert (tree.membership, zeros (6, 1), 1e-14);
%! assert (tree.outlier, [0; 0; 0; 0; 0; 1 - 0.1 / 3.9], 1e-14);
%! assert ({info.backend, info.threads}, {"cpu", 1});
%!test
%! [idx, tree] = gpu_hdbscan (X, 2, "Distance", "cityblock");
%! [got, other] = gpu_hdbscan (gpu_pdist2 (X, X), 2, "Distance", "precomputed");
%! assert (got, idx);
%! assert (other, tree);
%! [got, other] = gpu_hdbscan (gpu_pdist (X), 2, "Distance", "precomputed", "threads", 3);
%! assert (other, tree);
%! [got, other] = gpu_hdbscan (X, 2, "Distance", @(a, B) abs (B - a));
%! assert (other, tree);

## Coincident points have the density of the two nearest others: 5 points each at 0, 1, 5 and 6 are two clusters,
## whose points leave at 1 and begin at 4, and of which those at 0 and 1 have the same score.
%!test
%! [idx, tree] = gpu_hdbscan (repelems ([0 1 5 6], [1:4; 5 5 5 5])', 5);
%! assert (idx, repelems ([1 2], [1 2; 10 10])');
%! assert (tree.scores, [7.5; 7.5]);
%! assert (tree.leaves(:,2), ones (20, 1));
%! assert (tree.outlier, zeros (20, 1));
%! assert (tree.membership, ones (20, 1));
%!test
%! x = [1 1.1 1.2 2 2.1 2.2 9 9.1 9.2 12 12.1 12.2]';
%! assert (gpu_hdbscan (x, 3), [1 1 1 2 2 2 3 3 3 4 4 4]');
%! assert (gpu_hdbscan (x, 3, "cluster_selection_epsilon", 0.5), [1 1 1 2 2 2 3 3 3 4 4 4]');
%! assert (gpu_hdbscan (x, 3, "cluster_selection_epsilon", 1), [1 1 1 1 1 1 2 2 2 3 3 3]');
%! assert (gpu_hdbscan (x, 3, "cluster_selection_epsilon", 3.5), [1 1 1 1 1 1 2 2 2 2 2 2]');
%! assert (gpu_hdbscan (x, 3, "cluster_selection_epsilon", 100), [1 1 1 1 1 1 2 2 2 2 2 2]');
%!error <cluster_selection_epsilon must be a number of at least 0, not -1>
%! gpu_hdbscan (X, 2, "cluster_selection_epsilon", -1)

## Mutual reachability against single linkage of its matrix.
%!test
%! rand ("twister", 1);
%! x = [rand(60, 3); 3 + rand(60, 3)];
%! D = gpu_pdist2 (x, x);
%! core = sort (D, 2)(:,8);
%! reach = max (max (D, core), core');
%! reach(logical (eye (120))) = 0;
%! [idx, tree] = gpu_hdbscan (x, 8);
%! assert (tree.coredist, core);
%! assert (tree.Z(:,3), gpu_linkage (reach(tril (true (120), -1))', "single")(:,3));
%! assert (any (idx(1:60) > 0) && any (idx(61:120) > 0));
%! assert (isempty (intersect (idx(idx > 0 & (1:120)' <= 60), idx(61:120))));

## A file of distances, which takes no metric.
%!testif ; ! isempty (gpu_info ().hdf5)
%! rand ("twister", 1);
%! x = rand (60, 2);
%! file = [tempname() '.h5'];
%! unwind_protect
%!   D = gpu_pdist (x, "cityblock", "file", file);
%!   assert (size (D), [1 1]);
%!   [idx, tree] = gpu_hdbscan (x, 3, "Distance", "cityblock");
%!   for metric = {{}, {"Distance", "precomputed"}}
%!     [got, other] = gpu_hdbscan (D, 3, metric{1}{:});
%!     assert ({got, other}, {idx, tree});
%!   endfor
%!   fail ('gpu_hdbscan (D, 3, "Distance", "cityblock")', "distance must be given with points, not with distances");
%!   fail ('gpu_hdbscan (D, 3, "metric", @(a, B) abs (B - a))', "metric must be given with points, not with distances");
%!   fail ('gpu_hdbscan (D, 3, "Scale", 2)', "scale must be given with points, not with distances");
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect

%!error <Invalid call> gpu_hdbscan (1)
%!error <minpts must be a whole number .*, not 1.5> gpu_hdbscan (X, 1.5)
%!error <minpts must be at most the number of points, 6, not 7> gpu_hdbscan (X, 7)
%!error <x must have a distance between any two points, but 5 are missing> gpu_hdbscan ([X(1:5); NaN], 2)
%!error <distance must be one of > gpu_hdbscan (X, 2, "Distance", "hyperbolic")
%!error <p must be given with points, not with distances> gpu_hdbscan (1:3, 2, "Distance", "precomputed", "P", 3)
%!warning <x is taken for one point, but has the form of 6 distances; the metric "precomputed" takes it for distances>
%! try
%!   gpu_hdbscan (1:6, 2);
%! catch  # one point is an error of its own
%! end_try_catch
%!error <x must be a square matrix or a row vector of distances with "precomputed", not 2 x 3>
%! gpu_hdbscan (ones (2, 3), 2, "Distance", "precomputed")

%!warning <x is taken for points, but has the form of distances: square, symmetric and 0 on the diagonal; the metric "precomputed" takes it for distances>
%! D = [0 1 2; 1 0 3; 2 3 0];
%! gpu_hdbscan (D, 2);
%!demo
%! X = [randn(300, 2); randn(300, 2) * 0.5 + 4];
%! [idx, tree] = gpu_hdbscan (X, 10);
%! scatter (X(:,1), X(:,2), 36, tree.outlier, "filled");
%! axis ([-5 7 -5 7], "square");
%! colormap (viridis ());
%! bar = colorbar ();
%! ylabel (bar, "outlier score");
%! title (sprintf ("clusters: %d, noise: %d", max (idx), sum (idx == -1)));
