## -*- texinfo -*-
## @deftypefn  {} {@var{eva} =} gpu_evalclusters (@var{X}, @var{clust}, @var{criterion})
## @deftypefnx {} {@var{eva} =} gpu_evalclusters (@dots{}, @var{name}, @var{value}, @dots{})
## Rate clusterings of several numbers of clusters, as @code{evalclusters} of MATLAB does.
##
## @var{X} is an n by m matrix with a point in each row; rows with missing values are left out.  @var{clust} is
## @qcode{"kmeans"}, the best of five runs of @code{gpu_kmeans}; @qcode{"linkage"}, Ward's linkage by @code{gpu_linkage};
## a function of points and a number of clusters that returns the cluster of each point; or a matrix with the
## clusters of a clustering in each column.
##
## @var{criterion} is @qcode{"CalinskiHarabasz"}, @qcode{"DaviesBouldin"}, @qcode{"silhouette"} or @qcode{"gap"}.
##
## @var{eva} is a structure with the fields that MATLAB's object has: @code{CriterionName}, @code{CriterionValues},
## @code{InspectedK}, @code{OptimalK}, @code{OptimalY} (the best clustering, NaN for rows that are left out),
## @code{ClusteringFunction}, @code{Distance}, @code{NumObservations}, @code{Missing} and @code{X}; for the gap also @code{LogW},
## @code{ExpectedLogW}, @code{StdLogW}, @code{SE}, @code{B}, @code{ReferenceDistribution} and @code{SearchMethod}.  The first two
## criteria and the silhouette are NaN for one cluster.  The best is the first largest value, for
## @qcode{"DaviesBouldin"} the first smallest one.
##
## The gap is the mean of log (W) of reference data minus log (W) of @var{X}.  W is the sum over clusters of the
## distances of their pairs, divided by their numbers of points; for @qcode{"sqeuclidean"} that is the sum of squared
## distances from the means.  StdLogW is the standard deviation, SE is sqrt (1 + 1 / B) times it (Tibshirani, Walther
## and Hastie 2001).
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"KList"}
## The numbers of clusters; by default those of the matrix @var{clust}.  All other @var{clust} need it.
## @item @qcode{"Distance"}
## For the silhouette and the gap: the metric of @code{gpu_pdist}, by default @qcode{"sqeuclidean"}.
## @item @qcode{"ClusterPriors"}
## For the silhouette: @qcode{"empirical"}, the default, the mean over points; or @qcode{"equal"}, over clusters.
## @item @qcode{"B"}
## The number of reference data sets, by default 100.
## @item @qcode{"ReferenceDistribution"}
## @qcode{"PCA"}, the default, uniform between the extremes of principal components, or @qcode{"uniform"}, of columns.
## @item @qcode{"SearchMethod"}
## @qcode{"globalMaxSE"}, the default: the first number whose gap is at least the largest gap minus its SE; or
## @qcode{"firstMaxSE"}: the first one whose gap is at least the next one minus that one's SE.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"precision"}, @qcode{"progress"},
## @qcode{"memory_limit"}
## See @code{gpu_options}.
## @end table
##
## Random numbers are drawn by @code{rand} and by the clustering function.
##
## @example
## gpu_evalclusters ([0; 1; 8; 9; 20; 21], "linkage", "CalinskiHarabasz", "KList", 2:4).OptimalK
##   @result{} 3
## @end example
##
## @seealso{gpu_validity, gpu_silhouette, gpu_kmeans, gpu_linkage, gpu_options}
## @end deftypefn

function eva = gpu_evalclusters (X, clust, criterion, varargin)

  if (nargin < 3)
    print_usage ();
  endif
  check_table (X);
  X = full (double (X));
  names = {"CalinskiHarabasz", "DaviesBouldin", "silhouette", "gap"};
  criterion = choose_one (criterion, names, "criterion");
  own = {"klist"};
  if (strcmp (criterion, "silhouette"))
    own = [own, {"distance", "clusterpriors"}];
  elseif (strcmp (criterion, "gap"))
    own = [own, {"distance", "b", "referencedistribution", "searchmethod"}];
  endif
  given = read_options (own, varargin);
  pairs = reshape (varargin, 2, []);
  run = pairs(:,ismember (lower (pairs(1,:)), fieldnames (gpu_options ())))(:)';

  missing = any (isnan (X), 2);
  kept = X(! missing,:);
  [divide, solutions, name] = clustering_function (clust, rows (X), run);
  numbers = numbers_of_clusters (given, solutions, rows (kept));
  eva = struct ("CriterionName", criterion, "CriterionValues", NaN (1, numel (numbers)), "InspectedK", numbers, ...
                "OptimalK", NaN, "OptimalY", NaN (rows (X), 1), "ClusteringFunction", {name}, "Distance", "sqeuclidean", ...
                "NumObservations", rows (kept), "Missing", missing, "X", X);
  clusterings = cell (1, numel (numbers));
  for i = 1:numel (numbers)
    if (isempty (solutions))
      clusterings{i} = check_clusters (divide (kept, numbers(i)), rows (kept));
    else
      clusterings{i} = solutions(! missing,i);
    endif
  endfor
  if (isfield (given, "distance"))
    eva.Distance = given.distance;
  endif
  switch (criterion)
    case "gap"
      eva = gaps (eva, kept, clusterings, divide, given, run);
      best = choose_gap (eva);
    case "silhouette"
      eva.CriterionValues = cellfun (@(idx) silhouette_of (kept, idx, eva.Distance, given, run), clusterings);
      [~, best] = max (eva.CriterionValues);
    otherwise
      index = {"ch", "db"}{1 + strcmp (criterion, "DaviesBouldin")};
      eva.CriterionValues = cellfun (@(idx) gpu_validity (kept, idx, "indices", index, run{:}).(index), clusterings);
      if (strcmp (index, "db"))
        [~, best] = min (eva.CriterionValues);
      else
        [~, best] = max (eva.CriterionValues);
      endif
  endswitch
  if (! isempty (best) && ! isnan (eva.CriterionValues(best)))
    eva.OptimalK = numbers(best);
    eva.OptimalY(! missing) = clusterings{best};
  endif

endfunction

## The function that clusters, or the matrix of clusterings, and what the result says of it.
function [divide, solutions, name] = clustering_function (clust, n, run)

  divide = [];
  solutions = [];
  name = clust;
  if (is_function_handle (clust))
    divide = clust;
  elseif (ischar (clust))
    name = choose_one (clust, {"kmeans", "linkage"}, "clust");
    if (strcmp (name, "kmeans"))
      divide = @(x, k) gpu_kmeans (x, k, "Replicates", 5, run{:});
    else
      divide = @(x, k) cut_tree (gpu_linkage (x, "ward", "euclidean", run{:}), k);
    endif
  elseif (isnumeric (clust) && isreal (clust) && ! isempty (clust))
    solutions = double (clust);
    name = [];
    if (rows (solutions) != n)
      error ("gpugeo:argument", "clust must have %d rows, as many as x, not %d", n, rows (solutions));
    endif
  else
    fail_value (clust, "clust", "\"kmeans\", \"linkage\", a function or a matrix of clusters");
  endif

endfunction

## The clusters of a tree with k of them.
function idx = cut_tree (Z, k)

  n = rows (Z) + 1;
  root = 1:2 * n - 1;
  for node = 2 * n - k:-1:n + 1
    root(Z(node - n,1:2)) = root(node);
  endfor
  [~, ~, idx] = unique (root(1:n));
  idx = idx(:);

endfunction

## The numbers of clusters: those of the option, or of the columns of a matrix.
function numbers = numbers_of_clusters (given, solutions, n)

  if (! isempty (solutions))
    if (isfield (given, "klist"))
      error ("gpugeo:argument", "klist must be left out if clust is a matrix");
    endif
    numbers = arrayfun (@(i) numel (unique (solutions(! isnan (solutions(:,i)),i))), 1:columns (solutions));
    return;
  elseif (! isfield (given, "klist"))
    error ("gpugeo:argument", "klist must be given unless clust is a matrix");
  endif
  numbers = given.klist(:)';
  if (! (isnumeric (numbers) && isreal (numbers) && all (numbers >= 1 & numbers <= n & numbers == fix (numbers))))
    fail_value (given.klist, "klist", sprintf ("whole numbers from 1 to %d", n));
  endif

endfunction

## Clusters as a column, if there is one for each point.
function idx = check_clusters (idx, n)

  if (! (isnumeric (idx) && numel (idx) == n))
    error ("gpugeo:argument", "clust must return a number for each of the %d points, not %d", n, numel (idx));
  endif
  idx = double (idx(:));

endfunction

## The mean silhouette of points, or of clusters.
function value = silhouette_of (x, idx, distance, given, run)

  priors = "empirical";
  if (isfield (given, "clusterpriors"))
    priors = choose_one (given.clusterpriors, {"empirical", "equal"}, "clusterpriors");
  endif
  s = gpu_silhouette (x, idx, distance, run{:});
  if (strcmp (priors, "equal"))
    [~, ~, numbers] = unique (idx);
    s = accumarray (numbers(:), s, [], @mean);
  endif
  value = mean (s);

endfunction

## The logarithm of the sum within clusters.
function value = log_within (x, idx, distance, run)

  options = {"Distance", distance, "power", 1};
  if (strcmpi (distance, "sqeuclidean"))
    options = {"power", 2};
  endif
  value = log (gpu_validity (x, idx, "indices", "within", options{:}, run{:}).within);

endfunction

## Sets the fields of the gap statistic.
function eva = gaps (eva, x, clusterings, divide, given, run)

  if (isempty (divide))
    error ("gpugeo:argument", "clust must be \"kmeans\", \"linkage\" or a function with \"gap\", not a matrix");
  endif
  eva.B = 100;
  eva.ReferenceDistribution = "PCA";
  eva.SearchMethod = "globalMaxSE";
  if (isfield (given, "b"))
    __gpugeo__ ("check_whole", given.b, "b", 1);
    eva.B = given.b;
  endif
  if (isfield (given, "referencedistribution"))
    eva.ReferenceDistribution = choose_one (given.referencedistribution, {"PCA", "uniform"}, "referencedistribution");
  endif
  if (isfield (given, "searchmethod"))
    eva.SearchMethod = choose_one (given.searchmethod, {"globalMaxSE", "firstMaxSE"}, "searchmethod");
  endif
  eva.LogW = cellfun (@(idx) log_within (x, idx, eva.Distance, run), clusterings);
  middle = mean (x, 1);
  axes = eye (columns (x));
  if (strcmp (eva.ReferenceDistribution, "PCA"))
    [~, ~, axes] = svd (x - middle, "econ");
  endif
  turned = (x - middle) * axes;
  low = min (turned, [], 1);
  high = max (turned, [], 1);
  logs = zeros (eva.B, numel (eva.InspectedK));
  for b = 1:eva.B
    drawn = (low + (high - low) .* rand (size (turned))) * axes' + middle;
    for i = 1:numel (eva.InspectedK)
      logs(b,i) = log_within (drawn, check_clusters (divide (drawn, eva.InspectedK(i)), rows (x)), eva.Distance, run);
    endfor
  endfor
  eva.ExpectedLogW = mean (logs, 1);
  eva.StdLogW = std (logs, 1, 1);
  eva.SE = sqrt (1 + 1 / eva.B) * eva.StdLogW;
  eva.CriterionValues = eva.ExpectedLogW - eva.LogW;

endfunction

## The position of the best number of clusters.
function best = choose_gap (eva)

  gap = eva.CriterionValues;
  [largest, at] = max (gap);
  if (strcmp (eva.SearchMethod, "globalMaxSE"))
    best = find (gap >= largest - eva.SE(at), 1);
  else
    best = find (gap(1:end-1) >= gap(2:end) - eva.SE(2:end), 1);
    if (isempty (best))
      best = numel (gap);
    endif
  endif

endfunction

%!shared X
%! X = [0; 1; 8; 9; 20; 21];
%!test
%! eva = gpu_evalclusters (X, "linkage", "CalinskiHarabasz", "KList", 1:4);
%! total = sumsq (X - mean (X));
%! two = sumsq ([0 1 8 9] - 4.5) + 0.5;
%! expected = [NaN, (total - two) / (two / 4), ((total - 1.5) / 2) / (1.5 / 3), ((total - 1) / 3) / (1 / 2)];
%! assert (eva.CriterionValues, expected, 1e-10);
%! assert ({eva.OptimalK, eva.InspectedK, eva.NumObservations, eva.ClusteringFunction}, {3, 1:4, 6, "linkage"});
%! assert (numel (unique (eva.OptimalY)), 3);
%! assert (eva.OptimalY([1 3 5]), eva.OptimalY([2 4 6]));
%!test
%! eva = gpu_evalclusters (X, [1 1; 1 1; 2 2; 2 2; 2 3; 2 3], "DaviesBouldin");
%! assert (eva.CriterionValues, [(0.5 + mean ([6.5 5.5 5.5 6.5])) / 14, (1 / 8 + 1 / 8 + 1 / 12) / 3], 1e-14);
%! assert ({eva.InspectedK, eva.OptimalK, eva.OptimalY}, {[2 3], 3, [1 1 2 2 3 3]'});
%!test
%! divide = @(x, k) 1 + (x > 4) + (k > 2) * (x > 15);
%! eva = gpu_evalclusters ([X; NaN], divide, "silhouette", "KList", 2:3, "Distance", "cityblock");
%! expected = [mean(gpu_silhouette (X, divide (X, 2), "cityblock")), mean(gpu_silhouette (X, divide (X, 3), "cityblock"))];
%! assert (eva.CriterionValues, expected, 1e-15);
%! assert ({eva.OptimalK, eva.Missing', eva.OptimalY'}, {3, [false(1, 6), true], [1 1 2 2 3 3 NaN]});
%! eva = gpu_evalclusters (X(1:5), divide, "silhouette", "KList", 3, "ClusterPriors", "equal");
%! s = gpu_silhouette (X(1:5), [1 1 2 2 3]);
%! assert (eva.CriterionValues, mean ([mean(s(1:2)), mean(s(3:4)), s(5)]), 1e-15);

## The gap by its definition, of the same random numbers.
%!test
%! divide = @(x, k) 1 + (k > 1) * (x(:,1) > 4) + (k > 2) * (x(:,1) > 15);
%! Y = [X, X([3 1 2 6 5 4])];
%! for kind = {"PCA", "uniform"}
%!   for distance = {"sqeuclidean", "cityblock"}
%!     rand ("twister", 3);
%!     eva = gpu_evalclusters (Y, divide, "gap", "KList", 1:3, "B", 4, "ReferenceDistribution", kind{1}, "Distance", distance{1});
%!     rand ("twister", 3);
%!     axes = eye (2);
%!     if (strcmp (kind{1}, "PCA"))
%!       [~, ~, axes] = svd (Y - mean (Y), "econ");
%!     endif
%!     T = (Y - mean (Y)) * axes;
%!     logs = zeros (5, 3);
%!     for b = 1:5
%!       Z = Y;
%!       if (b > 1)
%!         Z = (min (T) + (max (T) - min (T)) .* rand (6, 2)) * axes' + mean (Y);
%!       endif
%!       for k = 1:3
%!         idx = divide (Z, k);
%!         for c = unique (idx)'
%!           logs(b,k) += sum (gpu_pdist (Z(idx == c,:), distance{1})) / sum (idx == c);
%!         endfor
%!       endfor
%!     endfor
%!     logs = log (logs);
%!     assert (eva.LogW, logs(1,:), 1e-12);
%!     assert (eva.CriterionValues, mean (logs(2:5,:)) - logs(1,:), 1e-12);
%!     assert (eva.SE, sqrt (1.25) * std (logs(2:5,:), 1), 1e-12);
%!     assert (eva.OptimalK, find (eva.CriterionValues >= max (eva.CriterionValues) - eva.SE(find (eva.CriterionValues == max (eva.CriterionValues), 1)), 1));
%!   endfor
%! endfor
%!test
%! rand ("twister", 1);
%! x = [rand(30, 2); rand(30, 2) + 5; rand(30, 2) + [5 -5]];
%! eva = gpu_evalclusters (x, "kmeans", "gap", "KList", 1:4, "B", 5, "SearchMethod", "firstMaxSE");
%! assert ({eva.OptimalK, eva.B, eva.SearchMethod}, {3, 5, "firstMaxSE"});
%! assert (gpu_evalclusters (x, "kmeans", "DaviesBouldin", "KList", 2:5).OptimalK, 3);

%!assert (gpu_evalclusters (X, "kmeans", "silhouette", "KList", 3, "threads", 1, "backend", "cpu").OptimalK, 3)
%!error <Invalid call> gpu_evalclusters (1, 2)
%!error <criterion must be one of > gpu_evalclusters (X, "kmeans", "dunn", "KList", 2)
%!error <clust must be one of > gpu_evalclusters (X, "gmdistribution", "gap", "KList", 2)
%!error <clust must have 6 rows, as many as x, not 3> gpu_evalclusters (X, [1; 2; 2], "silhouette")
%!error <clust must return a number for each of the 6 points, not 2> gpu_evalclusters (X, @(x, k) 1:2, "silhouette", "KList", 2)
%!error <clust must be "kmeans", "linkage" or a function with "gap", not a matrix> gpu_evalclusters (X, ones (6, 1), "gap")
%!error <klist must be given unless clust is a matrix> gpu_evalclusters (X, "kmeans", "silhouette")
%!error <klist must be left out if clust is a matrix> gpu_evalclusters (X, ones (6, 1), "silhouette", "KList", 2)
%!error <klist must be whole numbers from 1 to 6, not > gpu_evalclusters (X, "kmeans", "silhouette", "KList", 7)
%!error <b must be a whole number .*, not 0> gpu_evalclusters (X, "linkage", "gap", "KList", 2, "B", 0)
%!error <option must be one of .*, not "B"> gpu_evalclusters (X, "linkage", "silhouette", "KList", 2, "B", 5)
%!demo
%! X = [randn(100, 2); randn(100, 2) + 5; randn(100, 2) + [5 -5]];
%! eva = gpu_evalclusters (X, "kmeans", "gap", "KList", 1:6, "B", 20);
%! errorbar (eva.InspectedK, eva.CriterionValues, eva.SE);
%! xlabel ("clusters");
%! ylabel ("gap");
