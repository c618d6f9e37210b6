## -*- texinfo -*-
## @deftypefn  {} {@var{D} =} gpu_pdist (@var{X})
## @deftypefnx {} {@var{D} =} gpu_pdist (@var{X}, @var{metric})
## @deftypefnx {} {@var{D} =} gpu_pdist (@var{X}, @qcode{"minkowski"}, @var{P})
## @deftypefnx {} {@var{D} =} gpu_pdist (@var{X}, @qcode{"seuclidean"}, @var{S})
## @deftypefnx {} {@var{D} =} gpu_pdist (@var{X}, @qcode{"mahalanobis"}, @var{C})
## @deftypefnx {} {@var{D} =} gpu_pdist (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{D}, @var{info}] =} gpu_pdist (@dots{})
## Compute the distances between all rows of @var{X}, on all CPU cores or on a GPU.
##
## @var{X} is an n by m matrix with a point in each row.  @var{D} is the row vector of their
## n * (n - 1) / 2 distances in the order (2,1), (3,1), @dots{}, (n,1), (3,2), @dots{}, as
## @code{squareform} and @code{linkage} take it.  It is single when @var{X} is, else double.
##
## The metric is one of these, an unambiguous beginning of its name, or a function.  For points a and b, d stands
## for a - b, and all sums are over the m coordinates:
##
## @table @asis
## @item @qcode{"euclidean"} (the default) or @qcode{"fasteuclidean"}
## sqrt (sum (d.^2))
## @item @qcode{"squaredeuclidean"}, @qcode{"sqeuclidean"} or @qcode{"fastsquaredeuclidean"}
## sum (d.^2)
## @item @qcode{"cityblock"} or @qcode{"manhattan"}
## sum (abs (d))
## @item @qcode{"chebychev"}, @qcode{"chebyshev"} or @qcode{"maximum"}
## max (abs (d))
## @item @qcode{"canberra"}
## sum (abs (d) ./ (abs (a) + abs (b))); terms 0 / 0 are left out as if they were missing
## @item @qcode{"binary"}
## of the coordinates where one of both is not 0, the share where the other one is 0
## @item @qcode{"minkowski"}
## sum (abs (d).^P).^(1/P), with P = 2 by default; P = Inf is @qcode{"chebychev"}, with the same bits
## @item @qcode{"seuclidean"}
## sqrt (sum ((d ./ S).^2)), with the standard deviations of the columns by default
## @item @qcode{"mahalanobis"}
## sqrt (d * inv (C) * d'), with the covariance of @var{X} by default
## @item @qcode{"cosine"}
## 1 - a * b' / (norm (a) * norm (b))
## @item @qcode{"correlation"} or @qcode{"pearson"}
## one minus the correlation of the coordinates of a with those of b
## @item @qcode{"spearman"}
## one minus the correlation of their ranks, those of ties averaged
## @item @qcode{"braycurtis"}
## sum (abs (d)) / sum (a + b)
## @item @qcode{"hamming"}
## the share of coordinates with a != b
## @item @qcode{"jaccard"}
## of the coordinates where one of both is not 0, the share with a != b
## @item @qcode{"gower"}
## sum (W .* s) / sum (W) for the weights W and dissimilarities s of the columns: abs (d) divided by the
## range of a numeric column, at most 1; a != b for a nominal or an asymmetric one; an asymmetric column
## is left out where both are 0
## @item @qcode{"kulczynski"}, @qcode{"clark"}, @qcode{"altgower"}, @qcode{"morisita"}, @qcode{"horn"}
## @itemx @qcode{"mountford"}, @qcode{"raup"}, @qcode{"binomial"}, @qcode{"chao"}, @qcode{"cao"}
## measures of communities, see @code{gpu_vegdist}
## @item @qcode{"squared-chord"}, @qcode{"wave-hedges"}, @qcode{"lorentzian"}
## sum ((sqrt (a) - sqrt (b)) .^ 2), sum (abs (d) ./ max (a, b)), sum (log (1 + abs (d)))
## @item @qcode{"soergel"} or @qcode{"ruzicka"}, @qcode{"motyka"}
## sum (abs (d)) / sum (max (a, b)), and sum (max (a, b)) / sum (a + b)
## @item @qcode{"sorensen"}, @qcode{"ochiai"}, @qcode{"simpson"}
## 1 - J / mean ([A B]), 1 - J / sqrt (A * B) and 1 - J / min (A, B), for the numbers A and B of coordinates above 0 of
## a and of b, and J of both
## @item @qcode{"topsoe"}, @qcode{"jsd"}, @qcode{"js"}
## t = sum (a .* log (2 * a ./ (a + b)) + b .* log (2 * b ./ (a + b))), t / 2 and sqrt (t / 2)
## @item @qcode{"jeffreys"}, @qcode{"bhattacharyya"}
## sum (d .* log (a ./ b)), infinite if only one of both is 0, and -log (sum (sqrt (a .* b)))
## @end table
##
## Those from @qcode{"kulczynski"} on are for values of at least 0.
##
## @qcode{"great-circle"}, the distance on a sphere, is a metric of @code{gpu_knnsearch},
## @code{gpu_rangesearch}, @code{gpu_neighbor_graph}, @code{gpu_dbscan}, @code{gpu_collisions} and
## @code{gpu_closest_pair} only.
##
## The names that begin with fast are MATLAB's for faster and less exact algorithms.  Here they are other
## names of the exact metrics, bit for bit.
##
## A function is called as in @code{pdist}, on the CPU: @code{metric (a, B)} with a row a of @var{X} and the
## matrix B of the rows after it returns the vector of the distances of a from the rows of B.  These are stored
## as they are, and @var{X} is not changed before, but that it is full.
##
## NaN is a missing value.  Coordinates that are missing in one of the two points are left out; the sums of
## the metrics from @qcode{"euclidean"} to @qcode{"seuclidean"} in this list, but for @qcode{"chebychev"}
## and @qcode{"binary"}, are then scaled up in proportion to the number of coordinates left.  If no
## coordinate is left, the distance is NaN; the Mahalanobis distance is NaN if any coordinate is missing.  The option
## @qcode{"nan"} switches to MATLAB's rule.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"p"}, @qcode{"scale"}, @qcode{"cov"}
## @var{P}, @var{S} and @var{C} by name: a positive number; m positive standard deviations; a symmetric
## positive definite m by m matrix.  P may be Inf.
## @item @qcode{"types"}, @qcode{"column_weights"}, @qcode{"scale"}
## For @qcode{"gower"}: the types of the m columns, a cell array of @qcode{"numeric"} (the default),
## @qcode{"nominal"} (whole numbers) and @qcode{"asymmetric"} (0 and 1), or their numbers 0, 1 and 2; m
## weights of at least 0, by default 1; m ranges, by default those of the columns of @var{X}.
## @item @qcode{"singular"}
## What to do with constant columns (@qcode{"seuclidean"}) and with a singular covariance
## (@qcode{"mahalanobis"}).  @qcode{"error"}, the default, raises an error.  @qcode{"drop"} leaves out
## constant columns and, with @qcode{"mahalanobis"}, those that depend on columns before them.
## @qcode{"pinv"} takes the Moore-Penrose inverse of the covariance, as @code{pinv} does; with
## @qcode{"seuclidean"} it is the same as @qcode{"drop"}.  A column depends on others if they leave less
## than 1e-10 of its variance.
## @item @qcode{"nan"}
## @qcode{"omit"}, the default, leaves out missing coordinates, as above.  @qcode{"propagate"} makes all distances of a
## row with NaN NaN, as in MATLAB; the standard deviations, covariances and ranges that are taken by default are those
## of the other rows.  The points must be in memory.
## @item @qcode{"file"}, @qcode{"file_shape"}, @qcode{"file_name"}, @qcode{"file_precision"}
## For distances that do not fit into memory: they are written to an HDF5 file of that name, as
## @qcode{"condensed"} (the default) or @qcode{"square"}, in a dataset of that name (by default
## @qcode{"dist"} or @qcode{"matrix"}), as @qcode{"double"} (the default) or @qcode{"float"}.  @var{D} is
## then the structure that @code{gpu_dist_file} returns.
## @item @qcode{"keep"}
## true: the distances stay in the memory of a CUDA device, and @var{D} is a structure that stands for them,
## see @code{gpu_dist_device}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"precision"}, @qcode{"progress"}
## @itemx @qcode{"memory_limit"}
## How to compute, see @code{gpu_options}.  The precision is by default that of @var{X}: with a single
## matrix, @qcode{"double"} sums in double and rounds once at the end.
## @end table
##
## @var{info} is a structure with the @code{backend}, the @code{device} (-1 on the CPU, and if several
## computed), the number of @code{devices} that computed, the CPU @code{threads}, the wall time in
## @code{seconds}, and the part of it in kernels in @code{device_seconds} (of the device with the longest
## time).
##
## A row has no distance to any other row if all its values are missing, if it is constant
## (@qcode{"correlation"}, @qcode{"spearman"}) or zero (@qcode{"cosine"}), or if one of its values is not
## finite (@qcode{"mahalanobis"}).  One warning, @code{gpugeo:missing}, gives the number of distances that
## are missing for this reason and the first such rows.  There is no warning for the metrics of @code{dist}
## in R, which does not warn either.  A call with @qcode{"file"} or with points in a file gives the same
## warning, as does @code{gpu_dist_tile} for the distances of its tile and @code{gpu_dist_tiles} for all.
## @code{gpu_rangesearch} does not warn, because such rows have no neighbours.
##
## Several devices share a call of 2e11 pairs of coordinates, or 4 GB of points and result, unless
## @qcode{"device"} names one: each has the points, and takes the next piece of the result when it has
## finished one.  These pieces are the @emph{chunks} of Arefin et al.; there are no @emph{segments}, one for
## each device, and @emph{splits}, parts of these: all devices draw from one queue.
##
## The result is the same bits on any number of threads, on the CPU and on a GPU. Most metrics are computed
## from the differences of the coordinates: distances of nearly equal rows keep their digits.
## @qcode{"cosine"}, @qcode{"correlation"} and @qcode{"spearman"} are 1 - r, and below 1/64 half the squared
## difference d of the normalized rows: 0 for a row and its copy, with a relative error of about 3e-16 / sqrt(d)
## at most.
## @qcode{"cosine"}, @qcode{"correlation"} and @qcode{"spearman"} are one minus a number near 1 and lose
## digits for nearly equal rows; the error of @qcode{"mahalanobis"} is relative to the rows' distances from
## the mean.  Errors have the identifiers @code{gpugeo:argument}, @code{gpugeo:data}, @code{gpugeo:memory},
## @code{gpugeo:backend}, @code{gpugeo:device}, @code{gpugeo:interrupt} and @code{gpugeo:file}.
##
## A sparse @var{X} is never expanded as a whole, but block by block within @qcode{"memory_limit"}, and
## @var{D}, which is full, has the bits of that of @code{full (X)}.  On the CPU most metrics skip coordinates
## that are zero.  A GPU gets the stored elements and holds the points expanded.
##
## @example
## X = [0 0; 3 4; 6 8];
## gpu_pdist (X)
##   @result{} 5 10 5
## gpu_pdist (X, "minkowski", 1)
##   @result{} 7 14 7
## @end example
##
## @seealso{gpu_pdist2, gpu_dist_device, gpu_corr, gpu_options, gpu_info, pdist, squareform, linkage}
## @end deftypefn

function [D, info] = gpu_pdist (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  options = read_metric (varargin, {"file", "file_shape", "file_name", "file_precision", "keep", "nan"});
  if (isnumeric (X) && numel (varargin) < 3 && ! is_function_handle (options.method))  # no options: no time for them
    [D, info] = __gpugeo__ ("dist", options, X);
    return;
  endif
  X = propagate_missing (options, X);
  if (read_flag (options, "keep", false))
    [D, info] = keep_distances (X, options);
  elseif (isfield (options, "file") && is_function_handle (options.method))
    fail_message ("function with", "metric", "a file");
  elseif (isfield (options, "file"))
    info = __gpugeo__ ("dist_file", options, X);
    D = gpu_dist_file (options.file, given (options, "file_name"));
  elseif (is_function_handle (options.method))
    [D, info] = dist_by_handle (X, options);
  elseif (isstruct (X))
    [D, info] = dist_in_panels (X, varargin);
  else
    [D, info] = __gpugeo__ ("dist", options, X);
  endif

endfunction

## Distances that stay on a device until the last copy of the structure is cleared.
function [D, info] = keep_distances (X, options)

  if (isfield (options, "file"))
    error ("gpugeo:argument", "file must not be given with keep");
  elseif (is_function_handle (options.method))
    fail_message ("function with", "metric", "keep");
  elseif (isstruct (X))
    fail_message ("memory with", "x", "keep");
  endif
  [D, info] = on_device (options, X);

endfunction

## An option, [] where it was not given.
function value = given (options, name)

  value = [];
  if (isfield (options, name))
    value = options.(name);
  endif

endfunction

function [D, info] = dist_by_handle (X, options)

  check_points (options, X, []);
  start = tic;
  X = full (X);
  n = rows (X);
  D = zeros (1, n * (n - 1) / 2, class_of_distances (X));
  done = 0;
  for j = 1:n-1
    D(done+(1:n-j)) = handle_distances (options, X(j,:), X(j+1:n,:));
    done += n - j;
  endfor
  info = report_of_handle (start);

endfunction

## A result in memory of points in a file.
function [D, info] = dist_in_panels (X, args)

  plan = plan_tiles (X, args);
  warning ("off", "gpugeo:missing", "local");  # plan_tiles has warned of all tiles
  n = plan.size(1);
  D = zeros (1, n * (n - 1) / 2);
  for tile = 1:rows (plan.tiles)
    [d, info] = gpu_dist_tile (X, plan, tile);
    row = plan.tiles(tile,1);
    for k = 1:columns (d)
      j = plan.tiles(tile,3) + k - 1;
      i = max (row, j + 1):(row + rows (d) - 1);
      D((j - 1) * n - j * (j - 1) / 2 - j + i) = d(i - row + 1,k);
    endfor
  endfor

endfunction

%!shared X
%! X = [0 0; 3 4; 6 8];
%!assert (gpu_pdist (X), [5 10 5])
%!assert (gpu_pdist (X, "squaredeuclidean"), [25 100 25])
%!assert (gpu_pdist (X, "cityblock"), [7 14 7])
%!assert (gpu_pdist (X, "Manhattan"), [7 14 7])
%!assert (gpu_pdist (X, "chebychev"), [4 8 4])
%!assert (gpu_pdist (X, "minkowski"), [5 10 5], 1e-14)
%!assert (gpu_pdist (X, "minkowski", 1), [7 14 7], 1e-14)
%!assert (gpu_pdist (X, "minkowski", "p", 1), [7 14 7], 1e-14)
%!assert (gpu_pdist (X, "minkowski", Inf), [4 8 4])
%!assert (gpu_pdist (X, "chebyshev"), [4 8 4])
%!assert (gpu_pdist (X, "fasteuclidean"), [5 10 5])
%!assert (gpu_pdist (X, "fastsquaredeuclidean"), [25 100 25])
%!assert (gpu_pdist (X, "minkowski", 3, "P", 1), [7 14 7], 1e-14)
%!assert (gpu_pdist (X, "seuclidean", [3 4]), sqrt (2) * [1 2 1], 1e-14)
%!assert (gpu_pdist (X, "seuclidean", "scale", [3; 4]), sqrt (2) * [1 2 1], 1e-14)
%!assert (gpu_pdist (X, "seuclidean", []), gpu_pdist (X, "seuclidean", std (X)), 1e-14)
%!assert (gpu_pdist (X, "mahalanobis", diag ([9 16])), sqrt (2) * [1 2 1], 1e-14)
%!assert (gpu_pdist (X, "mahalanobis", "cov", diag ([9 16])), sqrt (2) * [1 2 1], 1e-14)
%!assert (gpu_pdist ([1 0; 0 1; 1 1], "cosine"), 1 - [0 1 1] / sqrt (2), 1e-15)
%!assert (gpu_pdist ([1 2 3; 3 2 1; 2 4 6], "correlation"), [2 0 2], 1e-15)
%!assert (gpu_pdist ([1 2 9; 3 2 1; 2 4 5], "spearman"), [2 0 2], 1e-15)
%!assert (gpu_pdist ([1 2 0; 1 0 0], "hamming"), 1/3)
%!assert (gpu_pdist ([1 2 0; 1 0 0], "jaccard"), 1/2)
%!assert (gpu_pdist ([1 2 0; 1 0 0], "braycurtis"), 2/4)
%!assert (gpu_pdist ([1 2 0; 1 0 0], "canberra"), 1 * 3/2)
%!assert (gpu_pdist ([1 2 0; 1 0 0], "binary"), 1/2)

## The same bits as by other names.
%!test
%! randn ("twister", 1);
%! x = [randn(40, 5); NaN 1 2 3 4];
%! assert (gpu_pdist (x, "minkowski", Inf), gpu_pdist (x, "chebychev"));
%! assert (gpu_pdist (single (x), "minkowski", Inf), gpu_pdist (single (x), "chebychev"));
%! assert (gpu_pdist (x, "fasteuclidean"), gpu_pdist (x));

## A function: a row and the rows after it.
%!assert (gpu_pdist (X, @(a, B) norm (B - a, 2, "rows")), [5 10 5])
%!assert (gpu_pdist (X, @(a, B) B(:,1) - 10 * a(1)), [3 6 -24])
%!assert (gpu_pdist (X, @(a, B) (B(:,1) - 10 * a(1))'), [3 6 -24])
%!assert (gpu_pdist (sparse (X), @(a, B) norm (B - a, 2, "rows")), [5 10 5])
%!assert (class (gpu_pdist (single (X), @(a, B) B(:,1))), "single")
%!assert (gpu_pdist (zeros (0, 3), @(a, B) B(:,1)), zeros (1, 0))
%!assert (gpu_pdist ([1 2], @(a, B) B(:,1)), zeros (1, 0))
%!error <metric must be a single string, not \[\]> gpu_pdist ([1; 2], [])
%!error <metric must return a distance for each of the 2 rows of its second argument, not 7>
%! gpu_pdist (X, @(a, B) 7)
%!error <own error> gpu_pdist (X, @(a, B) error ("own error"))
%!error <parameter must be left out if the metric is a function, not 3> gpu_pdist (X, @(a, B) B(:,1), 3)
%!error <types must be \[\] if the metric is a function, not a cell array>
%! gpu_pdist (X, @(a, B) B(:,1), "types", {"numeric", "other"})
%!error <metric must not be a function with a file> gpu_pdist (X, @(a, B) B(:,1), "file", "x.h5")
%!error <metric must not be a function for points in a file> gpu_pdist (struct ("file", "x"), @(a, B) B(:,1))
%!error <metric must be a single string, not a function> gpu_tiles_plan (X, @sin)

## Missing values are left out, and the sum is scaled up.
%!assert (gpu_pdist ([0 NaN 0; 3 1 4]), sqrt (25 * 3/2), 1e-14)
%!assert (gpu_pdist ([NaN 1; 1 NaN]), NaN)

%!test  # or rows with them have no distance
%! warning ("off", "gpugeo:missing", "local");
%! x = [0 NaN 0; 3 1 4; 3 1 4; 0 1 0];
%! for metric = {"euclidean", "cityblock", "chebychev", "minkowski", "canberra", "hamming"}
%!   D = gpu_pdist (x, metric{1}, "nan", "propagate");
%!   assert (isnan (D), logical ([1 1 1 0 0 0]));
%!   assert (D(4:6), gpu_pdist (x(2:4,:), metric{1}));
%!   assert (gpu_pdist2 (x, x(1:3,:), metric{1}, "NaN", "propagate")(:,2:3), [NaN NaN; D([4 4]), ; D([4 4]); D([5 6])]);
%! endfor
%! assert (gpu_pdist (x, "euclidean", "nan", "omit"), gpu_pdist (x));
%! assert (gpu_knnsearch (x, "K", 3, "nan", "propagate")(2,:), [3 4 1]);
%! assert (gpu_rangesearch (x, x, 9, "nan", "propagate"), {zeros(1, 0); [2 3 4]; [2 3 4]; [4 2 3]});
%!error <metric must be one of "euclidean", "sqeuclidean", "cityblock", "chebychev", .* "correlation", .*, not "x"> gpu_pdist (X, "x")
%!error <nan must be "omit" or "propagate", not 1> gpu_pdist (X, "euclidean", "nan", 1)
%!error <nan must be "omit" for points that are not in memory> gpu_pdist (struct ("file", "x"), "euclidean", "nan", "propagate")

## No row, one row, no column.
%!assert (gpu_pdist (zeros (0, 3)), zeros (1, 0))
%!assert (gpu_pdist ([1 2 3]), zeros (1, 0))
%!assert (class (gpu_pdist (single ([1 2 3]))), "single")
%!assert (size (gpu_pdist (zeros (4, 0))), [1 6])

## All classes of real numbers.
%!test
%! for type = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"}
%!   D = gpu_pdist (feval (type{1}, X));
%!   assert (D, [5 10 5]);
%!   assert (class (D), "double");
%! endfor
%!assert (gpu_pdist (single (X)), single ([5 10 5]))
%!assert (gpu_pdist (sparse (X)), [5 10 5])
%!assert (issparse (gpu_pdist (sparse (X))), false)

## Sparse points have the distances of full ones, bit for bit.
%!test
%! rand ("twister", 1);
%! x = sprand (60, 30, 0.2) + sparse (1:60, 1, 1:60, 60, 30);
%! for metric = {"euclidean", "squaredeuclidean", "cityblock", "chebychev", "canberra", "binary", ...
%!               "minkowski", "seuclidean", "cosine", "correlation", "spearman", "braycurtis", ...
%!               "hamming", "jaccard"}
%!   D = gpu_pdist (full (x), metric{1}, "backend", "cpu");
%!   assert (gpu_pdist (x, metric{1}), D);
%!   assert (gpu_pdist (x, metric{1}, "threads", 1, "memory_limit", 2^20), D);
%! endfor
%! assert (gpu_pdist (x > 0.5, "cosine"), gpu_pdist (full (x > 0.5), "cosine", "backend", "cpu"));
%! x(3, 4) = NaN;
%! x(5, 6) = Inf;
%! assert (gpu_pdist (x, "cityblock"), gpu_pdist (full (x), "cityblock"));
%! assert (gpu_pdist (sparse (4, 3)), zeros (1, 6));
%! assert (gpu_pdist (sparse (0, 3)), zeros (1, 0));
%!error <x must be a numeric matrix, not complex numbers> gpu_pdist (sparse ([1 2i]))
%!assert (gpu_pdist (X > 3, "cityblock"), [1 2 1])
%!assert (gpu_pdist (diag ([3 4])), 5)
%!assert (gpu_pdist ((0:2)'), [1 2 1])
%!assert (gpu_pdist ([intmin("int32"); int32(0)]), 2^31)

## Sums of singles are single by default.
%!test
%! x = single ([0 0; 1 2^-13]);
%! assert (gpu_pdist (x, "squaredeuclidean"), single (1));
%! y = single ([0 0; 2^12 1]);
%! assert (gpu_pdist (y, "squaredeuclidean", "precision", "double"), single (2^24 + 1));

## The same bits, whatever computes them.
%!test
%! rand ("twister", 1);
%! x = rand (131, 17);
%! for metric = {"euclidean", "cityblock", "chebychev", "canberra", "minkowski", "correlation", "spearman"}
%!   [D, info] = gpu_pdist (x, metric{1}, "backend", "cpu", "threads", 1);
%!   assert (gpu_pdist (x, metric{1}, "backend", "cpu", "threads", 2), D);
%!   assert (info.backend, "cpu");
%!   assert (info.device, -1);
%!   assert (info.devices, 0);
%!   assert (info.threads, 1);
%!   assert (info.seconds >= info.device_seconds);
%! endfor
%!testif ; numel (gpu_info ().devices) > 0
%! rand ("twister", 1);
%! x = rand (131, 17);
%! for metric = {"euclidean", "cityblock", "chebychev", "canberra", "minkowski", "correlation", "spearman"}
%!   [D, info] = gpu_pdist (x, metric{1}, "backend", "cuda", "device", "all");
%!   assert (D, gpu_pdist (x, metric{1}, "backend", "cpu"));
%!   assert (info.backend, "cuda");
%!   assert (info.devices, 1);
%! endfor

%!warning <treating non-finite values as NA> gpu_pdist ([1 0; Inf 1], "binary");

%!error <Invalid call> gpu_pdist ()
%!error <x must be a numeric matrix, not text> gpu_pdist ("text")
%!error <the result .1999999000000 values. and working memory need 14901.2 GiB, more than the [0-9.]+ GiB> ...
%! gpu_pdist (zeros (2000000, 1))
%!error <x must be a numeric matrix, not complex numbers> gpu_pdist ([1i; 2])
%!error <x must be a numeric matrix, not a cell array> gpu_pdist ({1, 2})
%!error <x must be a numeric matrix, not a structure> gpu_pdist (struct ())
%!error <x must be a numeric matrix, not an array of 3 dimensions> gpu_pdist (zeros (2, 2, 2))
%!error <x must be a numeric matrix, not a function> gpu_pdist (@sin)
%!error <device must be "all" or a whole number of at least 0, not -1> gpu_pdist (X, "euclidean", "device", -1)
%!error <device must be "all" or a whole number of at least 0, not "x"> gpu_pdist (X, "euclidean", "device", "x")
%!error <backend "cuda" cannot be used|device must be between 0 and .*, not 99>
%! gpu_pdist (X, "euclidean", "device", 99, "backend", "cuda")
%!error <metric must be a single string> gpu_pdist (X, 3)
%!error <metric must be one of "euclidean", .*, not "hyperbolic"> gpu_pdist (X, "hyperbolic")
%!error <p must be .*, not 0> gpu_pdist (X, "minkowski", 0)
%!error <p must be > gpu_pdist (X, "minkowski", "p", "two")
## Gower's coefficient, by hand: the ranges are 4 and 1.
%!shared G, T
%! G = [1 0 1; 3 1 2; 5 1 NaN; 1 0 2];
%! T = {"numeric", "asymmetric", "nominal"};
%!assert (gpu_pdist (G, "gower", "types", T), [2.5/3 1 1/2 0.5/2 1.5/3 1], 1e-15)
%!assert (gpu_pdist (G, "gower", "types", [0 2 1]), gpu_pdist (G, "gower", "types", T))
%!assert (gpu_pdist (G, "gower", "types", T, "column_weights", [2 1 0]), [2/3 1 0 1/3 2/3 1], 1e-15)
%!assert (gpu_pdist (G, "gower"), [2.5/3 1 1/3 0.5/2 1.5/3 1], 1e-15)
%!assert (gpu_pdist2 (G, G, "gower", "types", T)(3,:), [1 0.25 0 1], 1e-15)
%!test
%! [~, d] = gpu_knnsearch (G, G(2,:), "K", 4, "Distance", "gower", "types", T);
%! assert (d, [0 0.25 0.5 2.5/3], 1e-15);
%!test
%! tiles = zeros (4);
%! plan = gpu_tiles_plan (G, "gower", "types", T, "side", 4);
%! assert (gpu_dist_tile (G, plan, 1), gpu_pdist2 (G, G, "gower", "types", T));
%!error <types must be "numeric", "nominal" or "asymmetric" for each column, not "text"> gpu_pdist (G, "gower", "types", {"text", "numeric", "numeric"})
%!error <types must be given with metric "gower", not "euclidean"> gpu_pdist (G, "euclidean", "types", T)
%!error <types must be numeric for column 1, which has the value 3: asymmetric columns have 0 and 1> gpu_pdist (G, "gower", "types", [2 0 0])
%!error <column_weights must be at least 0 and finite, but value 1 is -1> gpu_pdist (G, "gower", "column_weights", [-1 1 1])
%!shared X
%! X = [0 0; 3 4; 6 8];
%!error <scale must have a value for each of the 2 columns of x, not 3 values>
%! gpu_pdist (X, "seuclidean", [1 2 3])
## Constant and dependent columns.
%!test
%! x = [1 7 2; 4 7 8; 3 7 6; 9 7 18];
%! y = zscore (x(:,[1 3]));
%! for singular = {"drop", "pinv"}
%!   assert (gpu_pdist (x, "seuclidean", "singular", singular{1}), gpu_pdist (y), 1e-14);
%! endfor
%! one = gpu_pdist (y(:,1));
%! assert (gpu_pdist (x, "mahalanobis", "singular", "drop"), one, 1e-12);
%! p = pinv (cov (x));
%! d = x(1,:) - x(4,:);
%! assert (gpu_pdist (x, "mahalanobis", "singular", "pinv")(3), sqrt (d * p * d'), 1e-10);
%! [~, distance] = gpu_knnsearch (x, x(4,:), "K", 4, "distance", "mahalanobis", "singular", "pinv");
%! assert (distance(4), sqrt (d * p * d'), 1e-10);
%!error <column 2 of x has standard deviation 0> gpu_pdist ([1 7; 2 7], "seuclidean")
%!error <singular must be one of "error", "drop", "pinv", not "no"> gpu_pdist ([1 7; 2 7], "seuclidean", "singular", "no")
%!error <singular must be given with metric "seuclidean" or "mahalanobis", not "euclidean"> gpu_pdist ([1 7; 2 7], "euclidean", "singular", "drop")
%!error <scale must be a numeric matrix, not text> gpu_pdist (X, "seuclidean", "scale", "ab")
%!error <cov must be > gpu_pdist (X, "mahalanobis", eye (3))
%!error id=gpugeo:data gpu_pdist (X, "mahalanobis")
%!testif ; ! isempty (gpu_info ().hdf5)
%! file = [tempname() '.h5'];
%! D = gpu_pdist (X, "cityblock", "file", file);
%! unwind_protect
%!   assert (D.metric, "manhattan");
%!   assert (load (file).dist(:)', gpu_pdist (X, "cityblock"));
%!   fail ('gpu_pdist (X, "cosine", "file", file)', "holds those of another metric");
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%!error <metric "euclidean" takes no parameter> gpu_pdist (X, "euclidean", 3)
%!error <option must be one of "p", .*, not "colour"> gpu_pdist (X, "euclidean", "colour", 1)
%!error <option "p" has no value> gpu_pdist (X, "euclidean", "p")
%!error <option names must be single strings> gpu_pdist (X, "euclidean", "p", 1, 2, 3)
%!error id=gpugeo:argument gpu_pdist (X, "euclidean", "threads", 1.5)
%!error id=gpugeo:memory gpu_pdist (zeros (2^24, 0))
%!testif ; numel (gpu_info ().devices) == 0
%! fail ('gpu_pdist ([1; 2], "euclidean", "backend", "cuda")', 'backend "cuda" cannot be used: ');

%!demo
%! X = [randn(20, 2); randn(20, 2) + 5];
%! D = gpu_pdist (X);
%! printf ("%d distances, the largest %.2f\n", numel (D), max (D));
