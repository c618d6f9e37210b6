## -*- texinfo -*-
## @deftypefn  {} {@var{idx} =} gpu_kmedoids (@var{X}, @var{k})
## @deftypefnx {} {@var{idx} =} gpu_kmedoids (@var{d}, @var{k})
## @deftypefnx {} {@var{idx} =} gpu_kmedoids (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{idx}, @var{C}, @var{sumd}, @var{D}, @var{midx}, @var{info}] =} gpu_kmedoids (@dots{})
## Find @var{k} medoids among points for which the distances of all points from their nearest medoids have a small
## sum, as @code{kmedoids} of MATLAB does.
##
## @var{X} is an n by m matrix with a point in each row.  @var{d} is a row vector of distances as @code{gpu_pdist}
## returns it, or the structure of @code{gpu_dist_file} for a file of them, or of
## @code{gpu_dist_device}.  Distances must be finite.
##
## @var{idx} is the column vector of the numbers of the clusters, from 1 in the order of their first points,
## @var{midx} that of the row numbers of the medoids, and @var{C} is @code{@var{X}(@var{midx},:)}, or
## @var{midx} if distances are given.  @var{sumd} has the sum of the distances from each medoid within its
## cluster, and @var{D} the distances of all points from all medoids.  @var{info} is that of @code{gpu_pdist}
## with the fields @code{swaps}, their number, and @code{objective}, the means of the distances from the
## medoids before and after swaps.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"Distance"}, @qcode{"method"} or @qcode{"metric"}
## The metric of points, as in @code{gpu_pdist}; by default @qcode{"sqeuclidean"}, as in MATLAB.
## @item @qcode{"P"}, @qcode{"Scale"}, @qcode{"Cov"}, @qcode{"singular"}, @qcode{"types"}, @qcode{"column_weights"}
## The parameters of metrics, as in @code{gpu_pdist}.
## @item @qcode{"medoids"}
## The row numbers of @var{k} different points to begin with.
## @item @qcode{"swap"}
## False: the medoids that were chosen first are the result; by default true.
## @item @qcode{"eager"}
## True, the default: points are tried in their order, and each that makes the sum smaller in the place of a
## medoid replaces at once the one for which this is most (FasterPAM, Schubert and Rousseeuw 2021), until no
## point does.  False: always the best of all swaps is made, which takes longer and gives the medoids of PAM.
## @item The options of @code{gpu_options}
## By default those that are set there.
## @end table
##
## The first medoid is the point with the smallest sum of distances, and each further one makes the sum of the
## distances from the nearest medoids the smallest (BUILD of PAM).  Then medoids are swapped with other
## points until no swap makes the sum smaller.  Nothing is random.  The matrix of all distances is stored if its
## 8 n^2 bytes are at most @qcode{"memory_limit"}, by default half of the memory that Octave may use; if not,
## distances are computed or read again for each pass over all points.  The result has the same bits for any number
## of threads, any memory and every kind of input that holds the same distances.
##
## @example
## gpu_kmedoids ([1; 2; 4; 10; 11; 12], 2)'
##   @result{} 1  1  1  2  2  2
## @end example
##
## @seealso{gpu_silhouette, gpu_linkage, gpu_pdist, gpu_options}
## @end deftypefn

function [idx, C, sumd, D, midx, info] = gpu_kmedoids (X, k, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  options = read_own (varargin);
  options.k = k;
  has_distances = isstruct (X) || (isnumeric (X) && rows (X) == 1);
  if (has_distances)
    refuse_metric (options, isfield (options, "method"));
  endif
  if (! isfield (options, "method"))
    options.method = "sqeuclidean";
  endif
  from = X;
  if (is_function_handle (options.method))
    from = gpu_pdist (X, options.method);  # a function takes no parameter
  endif
  if (isnumeric (from) && rows (from) == 1)
    options.condensed = true;
    options.method = "euclidean";  # distances have no use for a metric
  endif
  [idx, midx, D, numbers, info] = __gpugeo__ ("pam", options, from);
  info.objective = numbers(1:2);
  info.swaps = numbers(3);
  sumd = accumarray (idx, D(sub2ind (size (D), (1:rows (D))', idx)));
  C = midx;
  if (! has_distances)
    C = X(midx,:);
  endif

endfunction

## The options, with the metric, if it is given, as the option "method".
function options = read_own (pairs)

  metrics = {"distance", "method", "metric"};
  known = [metrics, {"p", "scale", "cov", "singular", "types", "column_weights", "medoids", "swap", "eager"}];
  options = column_types (read_options (known, pairs));
  given = metrics(isfield (options, metrics));
  options = choose_metric (options, metrics);
  options.names = struct ("method", [given, {"distance"}]{1});
  if (isfield (options, "medoids"))
    medoids = options.medoids;
    if (! (isnumeric (medoids) && isreal (medoids) && all (medoids(:) == fix (medoids(:)))))
      error ("gpugeo:argument", "medoids must be the numbers of points, not %s", __gpugeo__ ("show", medoids));
    endif
    options.medoids = int32 (medoids(:));
  endif

endfunction

%!shared X
%! X = [1; 2; 4; 10; 11; 12];
%!test
%! [idx, C, sumd, D, midx, info] = gpu_kmedoids (X, 2, "threads", 1);
%! assert (idx, [1; 1; 1; 2; 2; 2]);
%! assert (C, [2; 11]);
%! assert (sumd, [5; 2]);
%! assert (D, (X - C') .^ 2);
%! assert (midx, [2; 5]);
%! assert (info.objective(2), 7 / 6, eps);
%! assert ({info.backend, info.threads}, {"cpu", 1});
%!test
%! [idx, C, sumd] = gpu_kmedoids (X, 2, "Distance", "cityblock");
%! assert ({idx, C, sumd}, {[1; 1; 1; 2; 2; 2], [2; 11], [3; 2]});
%!test  # from distances
%! [idx, C, sumd, D, midx] = gpu_kmedoids (X, 2, "metric", "cityblock");
%! [idx2, C2, sumd2, D2, midx2] = gpu_kmedoids (gpu_pdist (X, "cityblock"), 2);
%! assert ({idx2, C2, sumd2, D2, midx2}, {idx, midx, sumd, D, midx});
%!assert (gpu_kmedoids (X, 2, "Distance", @(a, B) abs (B - a)), [1; 1; 1; 2; 2; 2])
%!assert (gpu_kmedoids (X, 2, "medoids", [5 6]), [1; 1; 1; 2; 2; 2])
%!assert (nthargout (5, @gpu_kmedoids, X, 2, "medoids", [6 1], "swap", false), [1; 6])
%!assert (gpu_kmedoids (X, 2, "eager", false), [1; 1; 1; 2; 2; 2])
%!assert (gpu_kmedoids (X, 6), (1:6)')
%!assert (nthargout (5, @gpu_kmedoids, X, 1, "Distance", "cityblock"), 4)  # as good as 3
%!assert (gpu_kmedoids (ones (4, 2), 2), [1; 1; 1; 2])
%!assert (gpu_kmedoids (sparse (X), 2), gpu_kmedoids (X, 2))
%!assert (gpu_kmedoids ([X X], 2, "metric", "seuclidean"), gpu_kmedoids (X, 2))

## No swap makes the sum smaller.
%!test
%! rand ("twister", 1);
%! x = rand (60, 2);
%! d = gpu_pdist2 (x, x, "cityblock");
%! for k = [2 3 7]
%!   [~, ~, sumd, D, midx] = gpu_kmedoids (x, k, "Distance", "cityblock", "eager", k != 3);
%!   total = sum (min (d(:,midx), [], 2));
%!   assert (sum (sumd), total, 1e-12);
%!   for m = 1:k
%!     for c = 1:60
%!       swapped = midx;
%!       swapped(m) = c;
%!       assert (sum (min (d(:,swapped), [], 2)) >= total * (1 - 1e-11));
%!     endfor
%!   endfor
%! endfor

%!testif ; ! isempty (gpu_info ().hdf5)
%! rand ("twister", 1);
%! x = rand (50, 3);
%! file = [tempname() ".h5"];
%! unwind_protect
%!   gpu_pdist (x, "cityblock", "file", file);
%!   assert (gpu_kmedoids (gpu_dist_file (file), 4), gpu_kmedoids (x, 4, "Distance", "cityblock"));
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect

%!error <Invalid call> gpu_kmedoids (1)
%!error <k must be between 1 and 6, the number of points, not 7> gpu_kmedoids (X, 7)
%!error <k must be a whole number .*, not 1.5> gpu_kmedoids (X, 1.5)
%!error <medoids must be 2 points, as many as k, not 3> gpu_kmedoids (X, 2, "medoids", 1:3)
%!error <medoids must be different points between 1 and 6, but value 2 is 7> gpu_kmedoids (X, 2, "medoids", [1 7])
%!error <medoids must be the numbers of points, not 1.5> gpu_kmedoids (X, 1, "medoids", 1.5)
%!error <distance must be one of > gpu_kmedoids (X, 2, "Distance", "hyperbolic")
%!error <distance must be given with points, not with distances> gpu_kmedoids (1:3, 2, "Distance", "cosine")
%!error <p must be given with points, not with distances> gpu_kmedoids (1:3, 2, "P", 3)
%!error <x must have finite distances only, but 2 of them are not; the first is missing, between points 1 and 2>
%! gpu_kmedoids ([0; NaN; 1], 2)

%!demo
%! X = [randn(100, 2); randn(100, 2) * 0.5 + 4];
%! [idx, C] = gpu_kmedoids (X, 2);
%! scatter (X(:,1), X(:,2), 12, idx, "filled");
%! hold on
%! plot (C(:,1), C(:,2), "kx", "markersize", 12);
