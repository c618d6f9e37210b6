## -*- texinfo -*-
## @deftypefn  {} {@var{Z} =} gpu_linkage (@var{d})
## @deftypefnx {} {@var{Z} =} gpu_linkage (@var{d}, @var{method})
## @deftypefnx {} {@var{Z} =} gpu_linkage (@var{X})
## @deftypefnx {} {@var{Z} =} gpu_linkage (@var{X}, @var{method}, @var{metric})
## @deftypefnx {} {@var{Z} =} gpu_linkage (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{Z}, @var{info}] =} gpu_linkage (@dots{})
## Hierarchical clustering, on all CPU cores or an NVIDIA GPU: a replacement of @code{linkage}.
##
## @var{d} is a row vector of n * (n - 1) / 2 distances, as @code{gpu_pdist} and @code{pdist} return it, or
## the structure that @code{gpu_dist_file} returns for a file of distances, or @code{gpu_pdist} for those on a
## device (see @code{gpu_dist_device}).  Any other matrix @var{X} has a
## point in each of its n rows, at least 2, and @var{metric} is one of @code{gpu_pdist}, by default
## @qcode{"euclidean"}.  Distances must be finite.
##
## @var{Z} is an n - 1 by 3 matrix, as @code{linkage} returns it: row k has the two clusters that are merged,
## the smaller number first, and their distance.  Points are clusters 1 to n, and row k makes cluster n + k.
## @code{cluster}, @code{cophenet}, @code{dendrogram} and @code{inconsistent} take it.
##
## The distance between two clusters is by @var{method}:
##
## @table @asis
## @item @qcode{"single"} (the default)
## that of the nearest points
## @item @qcode{"complete"}
## that of the furthest points
## @item @qcode{"average"}
## the mean over all pairs of points
## @item @qcode{"weighted"} or @qcode{"mcquitty"}
## the mean of the distances of the two clusters that were merged last
## @item @qcode{"ward"} or @qcode{"ward.D2"}
## by the increase of the sum of squares
## @item @qcode{"ward.D"}
## the same without squaring the distances
## @item @qcode{"centroid"}, @qcode{"median"}
## that of the centroids, or of the midpoints of the two clusters that were merged last; distances may
## decrease from one row to the next
## @end table
##
## @qcode{"ward"}, @qcode{"centroid"} and @qcode{"median"} square the distances and return roots; they are
## meant for Euclidean distances.
##
## If several pairs of clusters have the smallest distance, the pair with the lowest points is merged: the
## lowest row number in the first cluster, then that in the second.  For @qcode{"single"} these are pairs of
## points.  @code{linkage} of the package statistics may merge another pair, so that its tree of distances with ties
## may differ.  The result has the same bits for any number of threads and, up to 65,536 points, on a GPU and for
## every kind of input that holds the same distances.  Memory is 8 n^2 bytes, but for @qcode{"single"}.
##
## More than 65,536 points need no matrix for @qcode{"ward"} with the metric @qcode{"euclidean"} and
## @qcode{"ward.D"} with @qcode{"sqeuclidean"}, if all coordinates are finite and there are no @qcode{"members"}:
## the nearest clusters are then searched among centroids, in 24 bytes for each coordinate on the CPU and 44 on
## a GPU.  Distances differ from those of the matrix by rounding, at most by 1e-12 of them.
##
## A GPU takes all methods but @qcode{"centroid"} and @qcode{"median"}, and has the 8 n^2 bytes or the centroids in
## its own memory, with at most 1 GiB more; @qcode{"single"} of points takes no matrix there.  A matrix of points
## or of distances in memory that one GPU has no memory for is divided among all of them, unless the option
## @qcode{"device"} selects one.  If the memory is too small, the backend @qcode{"auto"} clusters on the CPU, and
## @qcode{"cuda"} is an error with the number of GiB that are missing.
##
## The option @qcode{"members"} is a vector of positive numbers, the numbers of observations that the points
## stand for; by default all are 1.  The option @qcode{"squared"} is true by default; if it is false,
## @qcode{"centroid"} and @qcode{"median"} take the distances as they are, as R's @code{hclust} does.  Their distances
## may fall from one row to the next: there is a warning then, @code{gpugeo:monotone}.
##
## A metric and its parameter may be a cell array, as in @code{@{"minkowski", 3@}}.  @qcode{"savememory"}, which is
## @qcode{"on"} or @qcode{"off"} as in MATLAB, has no effect: @qcode{"memory_limit"} does, see @code{gpu_options}.
##
## The other options are those of @code{gpu_pdist} for the metric, @qcode{"p"}, @qcode{"scale"}, @qcode{"cov"},
## @qcode{"singular"}, @qcode{"types"} and @qcode{"column_weights"}, and those of @code{gpu_options}.
## @var{info} is that of @code{gpu_pdist}.
##
## @example
## Z = gpu_linkage ([0; 1; 3; 7], "average")
##   @result{} Z =
##        1.0000   2.0000   1.0000
##        3.0000   5.0000   2.5000
##        4.0000   6.0000   5.6667
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_cophenetic, gpu_pdist, gpu_dist_file, gpu_options}
## @end deftypefn

function [Z, info] = gpu_linkage (x, method = "single", varargin)

  if (nargin < 1)
    print_usage ();
  endif
  [varargin, metric_given] = expand_metric (varargin);
  options = read_metric (varargin, {"members", "squared", "savememory"});
  options = check_save_memory (euclidean_in_disguise (options));
  options.names.d = "x";
  options.linkage = full_name (method);
  if (is_distances (x))
    refuse_metric (options, metric_given);
    options = count_points (options, x);
  else
    warn_of_points (x);
  endif
  if (! is_distances (x) && is_function_handle (options.method))
    refuse_parameters (options);
    x = gpu_pdist (x, options.method);
    options.method = "euclidean";
    options = count_points (options, x);
  endif
  [Z, info] = __gpugeo__ ("hclust", options, x);
  lower = find (diff (Z(:,3)) < 0, 1);
  if (! isempty (lower))
    warning ("gpugeo:monotone", ["gpu_linkage: the tree is not monotone: the distance of row %d is smaller than that ", ...
                                 "of row %d"], lower + 1, lower);
  endif

endfunction

## Writes a metric in a cell array, with its parameter, as two arguments, and adds the default.  "savememory" may be
## the last argument.
function [args, metric_given] = expand_metric (args)

  if (mod (numel (args), 2) == 0 && ! isempty (args) && ischar (args{end}) && strcmp (tolower (args{end}), "savememory"))
    args(end) = [];
  endif
  metric_given = mod (numel (args), 2) == 1;
  if (! metric_given)
    args = [{"euclidean"}, args];
  elseif (iscell (args{1}) && any (numel (args{1}) == [1 2]))
    args = [args{1}(:)', args(2:end)];
  endif

endfunction

## Minkowski distances with the exponent 2 are Euclidean.
function options = euclidean_in_disguise (options)

  if (ischar (options.method) && strcmp (tolower (options.method), "minkowski") ...
      && (! isfield (options, "p") || isequal (options.p, 2)))
    options.method = "euclidean";
    options = rmfield (options, intersect (fieldnames (options), {"p"}));
  endif

endfunction

function options = check_save_memory (options)

  if (isfield (options, "savememory") && ! (ischar (options.savememory) ...
                                            && any (strcmp (tolower (options.savememory), {"on", "off"}))))
    fail_value (options.savememory, "savememory", "\"on\" or \"off\"");
  endif

endfunction

## True for condensed distances and the structure of a file.
function yes = is_distances (x)

  yes = isstruct (x) || (isnumeric (x) && rows (x) == 1 && ndims (x) == 2);

endfunction

## Sets the number of points of condensed distances.
function options = count_points (options, x)

  if (! isstruct (x))
    n = round ((1 + sqrt (1 + 8 * numel (x))) / 2);
    if (n * (n - 1) / 2 != numel (x))
      error ("gpugeo:argument", "x must have n * (n - 1) / 2 distances, not %d", numel (x));
    endif
    options.condensed = n;
  endif

endfunction

## Returns the name of a method in the core.
function name = full_name (method)

  known = [__gpugeo__("names", "hclust", "linkage"), {"weighted", "ward"}];
  if (! (ischar (method) && rows (method) == 1))
    fail_value (method, "method", "a single string");
  endif
  at = find (strcmp (tolower (method), tolower (known)));
  if (isempty (at))
    error ("gpugeo:argument", "method must be one of %s, not \"%s\"", ...
           strjoin (strcat ("\"", known, "\""), ", "), method);
  endif
  name = known{at};

endfunction

%!assert (gpu_linkage ([0; 1; 3; 7], "average"), [1 2 1; 3 5 2.5; 4 6 17/3], 1e-14)
%!assert (gpu_linkage ([0; 1; 3; 7]), [1 2 1; 3 5 2; 4 6 4])
%!assert (gpu_linkage ([1 3 7 2 6 4], "complete"), [1 2 1; 3 5 3; 4 6 7])
%!assert (gpu_linkage ([0 0; 3 4], "single", "cityblock"), [1 2 7])
%!assert (gpu_linkage (sparse ([0 0; 3 4])), [1 2 5])
%!assert (gpu_linkage ([0 0; 3 4], "single", {"minkowski", 1}), [1 2 7], 1e-14)
%!assert (gpu_linkage ([0 0; 3 4], "single", {"cityblock"}, "savememory", "on"), [1 2 7])
%!assert (gpu_linkage ([0 0; 3 4], "single", "cityblock", "savememory"), [1 2 7])
%!assert (gpu_linkage ([0 0; 3 4; 1 9; 2 2], "ward", {"minkowski", 2}), gpu_linkage ([0 0; 3 4; 1 9; 2 2], "ward"))
%!error <savememory must be "on" or "off", not 1> gpu_linkage ([0; 1], "ward", "euclidean", "savememory", 1)
%!warning <the tree is not monotone: the distance of row 2 is smaller than that of row 1>
%! gpu_linkage ([0 0; 2 0; 1 1.9], "centroid");
%!assert (gpu_linkage ([0; 1; 3; 7], "single", @(x, Y) abs (x - Y)), [1 2 1; 3 5 2; 4 6 4])
%!assert (gpu_linkage ([0; 2; 5], "single", "minkowski", "p", 3, "threads", 1), [1 2 2; 3 4 3], 1e-14)
%!test  # three corners of a triangle: centroids from sums of squares
%! warning ("off", "gpugeo:monotone", "local");
%! X = [0 0; 2 0; 1 1.9];
%! assert (gpu_linkage (X, "centroid"), [1 2 2; 3 4 1.9], 1e-15);
%! assert (gpu_linkage (X, "median"), [1 2 2; 3 4 1.9], 1e-15);
%! assert (gpu_linkage (X, "ward")(2,3), 1.9 * sqrt (4 / 3), 1e-14);
%!test
%! rand ("twister", 1);
%! [Z, info] = gpu_linkage (rand (30, 2), "ward", "euclidean", "threads", 2);
%! assert (size (Z), [29 3]);
%! assert (info.backend, "cpu");
%! assert (issorted (Z(:,3)));
%!testif ; ! isempty (pkg ("list", "statistics"))  # no ties: the same as linkage
%! rand ("twister", 1);
%! pkg load statistics
%! X = rand (40, 3);
%! warning ("off", "all", "local");  # linkage and gpu_linkage warn of trees that are not monotone
%! for method = {"single", "complete", "average", "weighted", "centroid", "median", "ward"}
%!   wanted = linkage (X, method{1});
%!   Z = gpu_linkage (X, method{1});
%!   assert (sort (Z(:,1:2), 2), sort (wanted(:,1:2), 2));
%!   assert (Z(:,3), wanted(:,3), 1e-12);
%!   assert (gpu_linkage (gpu_pdist (X), method{1}), Z);
%! endfor
%!testif ; ! isempty (pkg ("list", "statistics"))  # what takes the result of linkage takes this one
%! rand ("twister", 1);
%! pkg load statistics
%! X = rand (40, 3);
%! y = pdist (X);
%! for method = {"single", "complete", "average", "ward"}
%!   wanted = linkage (y, method{1});
%!   Z = gpu_linkage (y, method{1});
%!   [c, d] = cophenet (Z, y);
%!   [c2, d2] = cophenet (wanted, y);
%!   assert ({c, d}, {c2, d2}, 1e-12);
%!   for depth = 2:4
%!     assert (inconsistent (Z, depth), inconsistent (wanted, depth), 1e-10);
%!   endfor
%!   for count = [1 2 5 17 40]
%!     T = cluster (Z, "MaxClust", count);
%!     assert (T, cluster (wanted, "MaxClust", count));
%!     assert (numel (unique (T)), count);
%!   endfor
%!   cutoff = mean (Z(end-3:end-2,3));
%!   T = cluster (Z, "Cutoff", cutoff, "Criterion", "distance");
%!   assert (T, cluster (wanted, "Cutoff", cutoff, "Criterion", "distance"));
%!   assert (numel (unique (T)), 4);
%! endfor
%!testif ; ! isempty (pkg ("list", "statistics")) && ! isempty (available_graphics_toolkits ())
%! rand ("twister", 1);
%! pkg load statistics
%! X = rand (25, 3);
%! visible = get (0, "defaultfigurevisible");
%! unwind_protect
%!   set (0, "defaultfigurevisible", "off");
%!   wanted = linkage (X, "average");
%!   wanted(:,1:2) = sort (wanted(:,1:2), 2);  # as gpu_linkage has them
%!   [~, T, leaves] = dendrogram (gpu_linkage (X, "average"));
%!   [~, T2, leaves2] = dendrogram (wanted);
%!   assert ({T, leaves}, {T2, leaves2});
%!   assert (sort (leaves(:)), (1:25)');
%! unwind_protect_cleanup
%!   set (0, "defaultfigurevisible", visible);
%!   close all
%! end_unwind_protect
%!testif ; ! isempty (gpu_info ().hdf5)
%! rand ("twister", 1);
%! X = rand (50, 3);
%! file = [tempname() '.h5'];
%! unwind_protect
%!   gpu_pdist (X, "cityblock", "file", file);
%!   assert (gpu_linkage (gpu_dist_file (file), "average"), gpu_linkage (X, "average", "cityblock"));
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%!test
%! d = [4 26 30 18 26 20];  # squares of distances
%! warning ("off", "gpugeo:monotone", "local");
%! Z = gpu_linkage (sqrt (d), "centroid");
%! assert (gpu_linkage (d, "centroid", "squared", false)(:,3), Z(:,3) .^ 2, 1e-13);
%!assert (gpu_linkage ([0; 1; 4], "average", "euclidean", "members", [3 1 1])(2,3), 15 / 4, 1e-15)
%!error <backend must be "auto" or "cpu" for the method "median", not "cuda"> ...
%! gpu_linkage ([0; 1], "median", "euclidean", "backend", "cuda")
%!test  # a device gives the same bits
%! rand ("twister", 1);
%! known = gpu_info ().backends;
%! if (any (strcmp ({known.backend}, "cuda") & [known.available]))
%!   X = rand (500, 3);
%!   for method = {"single", "complete", "average", "weighted", "ward", "ward.D"}
%!     wanted = gpu_linkage (X, method{1}, "euclidean", "backend", "cpu");
%!     assert (gpu_linkage (X, method{1}, "euclidean", "backend", "cuda"), wanted);
%!     assert (gpu_linkage (gpu_pdist (X), method{1}, "backend", "cuda"), wanted);
%!   endfor
%! endif
%!error <squared must be true or false, not 3> gpu_linkage ([0; 1], "median", "euclidean", "squared", 3)
%!error <members must have a value for each of the 2 points, not 3 values> ...
%! gpu_linkage ([0; 1], "average", "euclidean", "members", 1:3)
%!error <method must be one of "single", "complete", .* not "wards"> gpu_linkage ([0; 1], "wards")
%!error <method must be a single string, not 3> gpu_linkage ([0; 1], 3)
%!error <metric must be one of .* not "none"> gpu_linkage ([0; 1], "single", "none")
%!error <metric must be given with points, not with distances> gpu_linkage ([1 2 3], "single", "cosine")
%!error <p must be given with points, not with distances> gpu_linkage ([1 2 3], "single", "p", 3)
%!error <x must have n \* \(n - 1\) / 2 distances, not 4> gpu_linkage ([1 2 3 4])
%!error <x must have 2 to 1073741824 points to cluster, not 0> gpu_linkage (zeros (0, 2))
%!error <x must have finite distances only, but 2 of them are not; the first is missing, between points 1 and 2> ...
%! gpu_linkage ([0; NaN; 1])
%!error <p must be 2 if the metric is a function, not 3> gpu_linkage ([1 2; 3 4], "single", @(a, B) B(:,1), "p", 3)
%!error <Invalid call> gpu_linkage ()

%!warning <x is taken for points, but has the form of distances: square, symmetric and 0 on the diagonal; squareform \(x\) makes distances of it>
%! assert (gpu_linkage ([0 1 2; 1 0 3; 2 3 0])(:,3), [sqrt(3); sqrt(12)], 1e-14);
%!test  # other square matrices, and those of zeros, are points without a warning
%! lastwarn ("");
%! gpu_linkage (zeros (3));
%! gpu_linkage ([0 1 2; 1 0 3; 2 4 0]);
%! gpu_linkage ([1 1 2; 1 0 3; 2 3 0]);
%! gpu_linkage ([0 -1 2; -1 0 3; 2 3 0]);
%! assert (lastwarn (), "");
%!demo
%! X = [randn(40, 2); randn(40, 2) * 0.5 + 5];
%! Z = gpu_linkage (X, "ward");
%! points = plot (X(:,1), X(:,2), "o", "color", "#D55E00");
%! hold on
%! centers = [X; zeros(rows (Z), 2)];
%! sizes = ones (rows (centers), 1);
%! for k = 1:rows (Z)  # a line for each merge, between the means of both clusters
%!   pair = Z(k,1:2);
%!   lines = plot (centers(pair,1), centers(pair,2), "color", "#0072B2");
%!   sizes(80+k) = sum (sizes(pair));
%!   centers(80+k,:) = sizes(pair)' * centers(pair,:) / sizes(80+k);
%! endfor
%! hold off
%! legend ([points, lines], "points", "merges", "location", "northoutside");
