## -*- texinfo -*-
## @deftypefn  {} {@var{v} =} gpu_validity (@var{X}, @var{clust})
## @deftypefnx {} {@var{v} =} gpu_validity (@var{D}, @var{clust}, @dots{}, @qcode{"Distance"}, @qcode{"precomputed"})
## @deftypefnx {} {@var{v} =} gpu_validity ([], @var{clust}, @qcode{"reference"}, @var{other})
## @deftypefnx {} {@var{v} =} gpu_validity (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{v}, @var{info}] =} gpu_validity (@dots{})
## Compute indices of how good a clustering is, on all CPU cores and without the matrix of distances; and how much it
## agrees with another clustering.
##
## @var{X} is an n by m matrix with a point in each row, and @var{clust} has the cluster of each point: numbers,
## logical values, a char matrix with a name in each row, or a cell array of strings.  The number -1 is noise, as
## @code{gpu_dbscan} and @code{gpu_hdbscan} return it.  @var{D} is what @code{gpu_dbscan} takes.  Distances must be finite.
##
## @var{v} is a structure; what is not computed or does not exist is NaN.  With n points in k clusters, n_c of them in
## cluster c, and W_c, the sum of squared distances of the pairs in c, divided by n_c:
##
## @table @code
## @item within
## The sum W of all W_c: for Euclidean distances the sum of squared distances from the means.
## @item ch
## Calinski and Harabasz (1974): (T - W) / (k - 1) divided by W / (n - k); T is W of one cluster of all points.
## @item db
## Davies and Bouldin (1979): the mean over clusters of the largest (S_c + S_e) / M_ce, with the mean distance S_c of the points
## of c from their mean, and the distance M_ce of two means.  Only points with Euclidean distances have it.
## @item dunn
## Dunn (1974): the smallest distance between clusters, divided by the largest one within.
## @item silhouette
## The mean silhouette width; it is 0 for points alone in a cluster, as in R.
## @item dbcv
## Moulavi et al. (2014): see below.
## @item rand
## @itemx nmi
## With @qcode{"reference"}: the adjusted Rand index (Hubert and Arabie 1985), and the mutual information, divided by a mean
## of both entropies.  Noise is one cluster there.
## @item n
## @itemx noise
## The numbers of points and of noise.
## @item size
## @itemx cluster_within
## @itemx diameter
## @itemx separation
## @itemx cluster_silhouette
## @itemx cluster_dbcv
## Column vectors in the order of @code{unique (@var{clust})} without noise: points, W_c, the largest distance within, the
## smallest one from another cluster, the mean silhouette width, and the validity of DBCV.
## @end table
##
## DBCV: of a point o, whose distances from the others of its cluster are d_i, the core distance is
## a(o) = (sum ((1 ./ d_i) .^ m) / (n_c - 1)) ^ (-1 / m), with the dimension m.  The mutual reachability of two points
## is the largest of both core distances and their distance.  Of the minimum spanning tree of a cluster by it, inner points
## have at least two edges, and inner edges are between inner points.  The sparseness of a cluster is its largest inner
## edge; its separation is the smallest reachability between its inner points and those of another cluster.  Its
## validity is (separation - sparseness) / max (separation, sparseness), and the index is the sum of validity times
## n_c, divided by the number of all points, noise included.  A cluster of two points has both as inner ones, one without an inner
## edge takes all edges, and one of one point is noise.
##
## Noise is left out of all other indices.  With fewer than two clusters all but @code{within} are NaN.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"indices"}
## A cell array of names, of @qcode{"within"}, @qcode{"ch"}, @qcode{"db"}, @qcode{"dunn"}, @qcode{"silhouette"} and
## @qcode{"dbcv"}; by default all that @var{X} has.
## @item @qcode{"reference"}
## Another clustering of the same points.
## @item @qcode{"nmi"}
## The mean of the entropies: @qcode{"arithmetic"}, the default, @qcode{"geometric"}, @qcode{"min"} or @qcode{"max"}.
## @item @qcode{"dimensions"}
## The dimension of the space, for DBCV; by default the number of columns of @var{X}.  Distances need it.
## @item @qcode{"power"}
## The power of distances in @code{within} and @code{ch}, by default 2.
## @item @qcode{"Distance"}, @qcode{"method"} or @qcode{"metric"}
## The metric, as in @code{gpu_pdist}; by default @qcode{"euclidean"}.
## @item @qcode{"P"}, @qcode{"Scale"}, @qcode{"Cov"}, @qcode{"singular"}, @qcode{"types"}, @qcode{"column_weights"}
## The parameters of metrics, as in @code{gpu_pdist}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"precision"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.
## @end table
##
## The result has the same bits for any number of threads.
##
## @example
## gpu_validity ([0; 1; 4; 6], [1; 1; 2; 2]).dunn
##   @result{} 1.5000
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_evalclusters, gpu_silhouette, gpu_dbscan, gpu_options}
## @end deftypefn

function [v, info] = gpu_validity (X, clust, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  names = {"within", "ch", "db", "dunn", "silhouette", "dbcv"};
  options = read_neighbors ({"indices", "reference", "nmi", "dimensions", "power"}, varargin);
  numbers = cluster_numbers (clust, "clust", true);
  v = struct ();
  info = struct ();
  agreement = agreement_of (numbers, options);
  if (! (isnumeric (X) && isempty (X) && isfield (options, "reference")))
    if (isfield (options, "indices"))
      wanted = options.indices;
      if (! iscell (wanted))
        wanted = {wanted};
      endif
      wanted = cellfun (@(name) choose_one (name, names, "indices"), wanted, "uniformoutput", false);
      for name = names
        options.(name{1}) = any (strcmp (name{1}, wanted));
      endfor
    endif
    options = rmfield (options, intersect (fieldnames (options), {"indices", "reference", "nmi"}));
    [X, options] = condensed_distances (X, options);
    options.clusters = numbers;
    options.names.clusters = "clust";
    [values, of_clusters, info] = __gpugeo__ ("validity", options, X);
    v.n = numel (numbers);
    v.noise = sum (numbers == 0);
    for i = 1:6
      v.(names{i}) = values(i);
    endfor
    columns = {"size", "cluster_within", "diameter", "separation", "cluster_silhouette", "cluster_dbcv"};
    for i = 1:6
      v.(columns{i}) = of_clusters(:,i);
    endfor
  endif
  for name = fieldnames (agreement)'
    v.(name{1}) = agreement.(name{1});
  endfor

endfunction

## The agreement with the reference, if there is one.
function v = agreement_of (numbers, options)

  v = struct ();
  means = {"arithmetic", "geometric", "min", "max"};
  mean = 1;
  if (isfield (options, "nmi"))
    mean = find (strcmp (choose_one (options.nmi, means, "nmi"), means));
  endif
  if (! isfield (options, "reference"))
    return;
  endif
  other = cluster_numbers (options.reference, "reference", true);
  if (numel (other) != numel (numbers))
    fail_message ("reference length", numel (numbers), numel (other));
  endif
  values = __gpugeo__ ("agreement", struct ("clusters", numbers, "reference", other));
  v.rand = values(1);
  v.nmi = values(1 + mean);

endfunction

%!shared X, clust
%! X = [0; 1; 4; 6];
%! clust = [1; 1; 2; 2];
%!test
%! [v, info] = gpu_validity (X, clust, "threads", 1);
%! assert ([v.within, v.ch, v.db, v.dunn], [2.5, 20.25 / 1.25, 1.5 / 4.5, 1.5], 1e-14);
%! assert (v.silhouette, mean (gpu_silhouette (X, clust, "euclidean")), 1e-15);
%! assert ([v.size, v.cluster_within, v.diameter, v.separation], [2 0.5 1 3; 2 2 2 3], 1e-15);
%! assert ({v.n, v.noise, info.threads}, {4, 0, 1});
%! ## Core distances 1, 1, 2, 2; the only edges 1 and 2; separation 3.
%! assert (v.cluster_dbcv, [2 / 3; 1 / 3], 1e-14);
%! assert (v.dbcv, 0.5, 1e-14);

## Distances: no means, and the same sums of squares.
%!test
%! v = gpu_validity (gpu_pdist (X), clust, "Distance", "precomputed");
%! assert ([v.within, v.ch, v.dunn], [2.5, 20.25 / 1.25, 1.5], 1e-14);
%! assert ([v.db, v.dbcv], [NaN, NaN]);
%! assert (gpu_validity (gpu_pdist (X), clust, "Distance", "precomputed", "dimensions", 1).dbcv, 0.5, 1e-14);
%!assert (gpu_validity (X, clust, "Distance", "cityblock").ch, 16.2, 1e-13)
%!assert (gpu_validity (X, clust, "Distance", @(a, B) abs (B - a), "indices", "dunn").dunn, 1.5)
%!assert (gpu_validity (sparse (X), clust), gpu_validity (X, clust))
%!assert (gpu_validity (X, {"a"; "a"; "b"; "b"}), gpu_validity (X, clust))

## Noise, one cluster, single points, only some indices.
%!test
%! v = gpu_validity ([X; 100], [clust; -1]);
%! w = gpu_validity (X, clust);
%! assert ([v.within, v.ch, v.db, v.dunn, v.silhouette], [w.within, w.ch, w.db, w.dunn, w.silhouette]);
%! assert ([v.dbcv, v.n, v.noise], [0.4, 5, 1], 1e-15);
%!test
%! v = gpu_validity (X, ones (4, 1));
%! assert ([v.ch, v.db, v.dunn, v.silhouette, v.dbcv, v.separation], NaN (1, 6));
%! assert (v.within, 22.75, 1e-13);
%!test
%! v = gpu_validity (X, 1:4);
%! assert ([v.within, v.ch, v.db, v.dunn, v.silhouette, v.dbcv], [0, NaN, 0, Inf, 0, NaN]);
%!test
%! v = gpu_validity (X, clust, "indices", {"ch", "dunn"});
%! assert ([v.ch, v.dunn], [16.2, 1.5], 1e-13);
%! assert ([v.db, v.silhouette, v.dbcv], NaN (1, 3));

## Two clusterings: the table of Hubert and Arabie's formula by hand.
%!test
%! v = gpu_validity ([], [1 1 1 2 2 2], "reference", [1 1 2 2 3 3]);
%! assert (v.rand, (2 - 6 * 3 / 15) / (4.5 - 6 * 3 / 15), 1e-15);
%! mutual = log (2) + log (3) - (log (3) * 2 / 3 + log (6) / 3);
%! assert (v.nmi, 2 * mutual / (log (2) + log (3)), 1e-14);
%! v = gpu_validity ([], [1 1 1 2 2 2], "reference", [1 1 2 2 3 3], "nmi", "min");
%! assert (v.nmi, mutual / log (2), 1e-14);
%! assert (gpu_validity (X, clust, "reference", {"y", "y", "x", "x"}).rand, 1);
%! assert (gpu_validity ([], ones (1, 3), "reference", 1:3), struct ("rand", 0, "nmi", 0));

%!error <Invalid call> gpu_validity (1)
%!error <index "db" must be left out but for points with Euclidean distances>
%! gpu_validity (X, clust, "Distance", "cityblock", "indices", {"db"})
%!error <dimensions must be given with distances for index "dbcv">
%! gpu_validity (gpu_pdist (X), clust, "Distance", "precomputed", "indices", "dbcv")
%!error <indices must be one of > gpu_validity (X, clust, "indices", "gap")
%!error <reference must have a number for each of the 4 points, not 3 numbers> gpu_validity (X, clust, "reference", 1:3)
%!error <clust must have a number for each of the 4 points, not 3 numbers> gpu_validity (X, 1:3)
%!error <clust must have no missing values, but value 2 is NaN> gpu_validity (X, [1 NaN 1 1])
%!error <x must be finite numbers, but row 2, column 1 is > gpu_validity ([1; NaN; 3], [1; 1; 2], "indices", "ch")
%!error <x must have finite distances only> gpu_validity ([1; NaN; 3], [1; 1; 2], "indices", "dunn")
%!error <option must be one of > gpu_validity (X, clust, "nonsense", 1)
%!demo
%! X = [randn(300, 2); randn(300, 2) + 4];
%! for k = 2:6
%!   v = gpu_validity (X, gpu_kmeans (X, k));
%!   printf ("%d clusters: CH %.0f, DB %.2f, Dunn %.3f, silhouette %.2f\n", k, v.ch, v.db, v.dunn, v.silhouette);
%! endfor
