## -*- texinfo -*-
## @deftypefn  {} {@var{Y} =} gpu_cmdscale (@var{D}, @var{p})
## @deftypefnx {} {@var{Y} =} gpu_cmdscale (@var{D})
## @deftypefnx {} {@var{Y} =} gpu_cmdscale (@var{X}, @var{p}, @qcode{"metric"}, @var{metric})
## @deftypefnx {} {@var{Y} =} gpu_cmdscale (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{Y}, @var{e}, @var{info}] =} gpu_cmdscale (@dots{})
## Classical multidimensional scaling (principal coordinates): find points whose Euclidean distances are near
## those in @var{D}, as @code{cmdscale} of MATLAB does, on all CPU cores or a CUDA device.
##
## @var{D} is a symmetric n by n matrix of distances, a row vector as @code{gpu_pdist} returns it, the structure of
## @code{gpu_dist_file} for a file of them, or that of @code{gpu_dist_device} for those on a device.  A symmetric
## matrix of similarities, with ones on the diagonal and no number above 1, stands for the distances
## @code{sqrt (1 - @var{D})}.  With the option @qcode{"metric"}, @var{X} is an n by m matrix with a point in each row.
## Distances must be finite.
##
## @var{p} is the number of axes, 1 to n.  @var{Y} has a row for each point and a column for each positive
## eigenvalue among the @var{p} largest, or one column of zeros if none is positive.  The column vector @var{e} has
## the @var{p} largest eigenvalues of Gower's matrix, in decreasing order.  Without @var{p}, which is for few points, @var{Y} has all axes and
## @var{e} all n eigenvalues.  The element of the largest magnitude of each column of @var{Y}, the first of
## several, is positive.
##
## @var{info} is that of @code{gpu_pdist} with the fields
##
## @table @code
## @item trace
## the sum of all eigenvalues: @code{@var{e} / info.trace} is the share of each axis
## @item negative
## the sum of the negative ones, NaN if it is not known
## @item smallest
## the smallest one before a correction, NaN if it is not known
## @item constant
## that of the correction
## @item residual
## for each eigenvalue the length of @code{B*v - e*v} for its eigenvector v of length 1, where B is Gower's matrix
## @item passes
## the number of passes over the distances
## @item converged
## true if all residuals are within the tolerance
## @end table
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"metric"}, @qcode{"method"} or @qcode{"Distance"}
## The metric of points, as in @code{gpu_pdist}.
## @item @qcode{"P"}, @qcode{"Scale"}, @qcode{"Cov"}, @qcode{"singular"}, @qcode{"types"}, @qcode{"column_weights"}
## The parameters of metrics, as in @code{gpu_pdist}.
## @item @qcode{"correction"}
## What is added to the distances d against negative eigenvalues, with the smallest number c that leaves none:
## @qcode{"none"}, the default; @qcode{"lingoes"}, d becomes sqrt (d^2 + 2 c); or @qcode{"cailliez"}, d becomes
## d + c.
## @item @qcode{"tolerance"}
## How large the residuals may be, as a part of the largest eigenvalue in magnitude; by default 1e-10.
## @item @qcode{"max_passes"}
## The most passes over the distances of a search for eigenvalues, by default 1000.  If they are not enough,
## there is a warning.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The option @qcode{"precision"} has no effect.
## @end table
##
## Gower's matrix is not stored: its largest eigenvalues are found by products with blocks of vectors.
## Distances of points and files are stored if their 4 n^2 bytes are at most @qcode{"memory_limit"}, by default
## half of the memory that Octave may use; if not, they are computed or read again for each product.  On a CUDA
## device they take its memory, unless they are there already.
##
## For at most 256 points, or 4 p + 170 if that is more, all eigenvalues are computed; then, or with a correction,
## @code{info.negative} and @code{info.smallest} are known.  The result has the same bits for any number of
## threads, any memory, on CPU and CUDA, and for every kind of input that holds the same distances.
##
## @example
## gpu_cmdscale ([0 3 4; 3 0 5; 4 5 0], 2)
##   @result{} -0.6581   1.5312
##      -2.1523  -1.0702
##       2.8104  -0.4610
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_pdist, gpu_permanova, gpu_options}
## @end deftypefn

function [Y, e, info] = gpu_cmdscale (D, p, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  options = read_neighbors (option_names ("pcoa", {"k"}), varargin);
  [D, options] = read_scaled (D, options, varargin);
  n = count_points (D, isfield (options, "condensed"));
  all_axes = nargin < 2 || isempty (p) || (isnumeric (p) && isequal (p, n));
  if (all_axes)
    p = n - 1;
  elseif (isnumeric (p) && isreal (p) && isscalar (p) && p > n)
    error ("gpugeo:argument", "p must be a whole number between 1 and %d, not %s", n, __gpugeo__ ("show", p));
  endif
  options.k = p;
  options.names.k = "p";
  [Y, e, residual, numbers, info] = __gpugeo__ ("pcoa", options, D);
  numbers = num2cell (numbers);
  [positive, info.trace, info.negative, info.smallest, info.constant, info.passes, info.converged] = numbers{:};
  info.converged = logical (info.converged);
  info.residual = residual;
  if (! info.converged)
    warning ("gpugeo:converged", "gpu_cmdscale: max_passes was not enough: the largest residual is %g", max (residual));
  endif
  Y = Y(:,1:max (positive, 1));
  if (all_axes)
    e = sort ([e; 0], "descend");  # that of the constant
  endif

endfunction

%!test
%! D = [0 3 4; 3 0 5; 4 5 0];
%! [Y, e, info] = gpu_cmdscale (D);
%! J = eye (3) - 1 / 3;
%! assert (e, sort (eig (-J * D .^ 2 * J / 2), "descend"), 1e-14);
%! assert (gpu_pdist2 (Y, Y), D, 1e-14);
%! assert ({info.converged, info.constant, info.backend}, {true, 0, "cpu"});
%! assert (info.trace, sum (D(:) .^ 2) / 6, 1e-14);
%! assert (gpu_cmdscale ([3 4 5]), Y);
%! assert (gpu_cmdscale (D, 1), Y(:,1));
%! assert (all (max (Y) == max (abs (Y))));

## Against the eigenvalues of Gower's matrix, for few points and for many.
%!test
%! rand ("twister", 1);
%! for n = [2 7 256 257 400]
%!   X = rand (n, 5) .^ 3 .* (5:-1:1);  # axes that differ
%!   for metric = {"euclidean", "cityblock", "chebychev"}
%!     D = gpu_pdist2 (X, X, metric{1});
%!     J = eye (n) - 1 / n;
%!     B = -J * D .^ 2 * J / 2;
%!     [V, E] = eig ((B + B') / 2, "vector");
%!     [E, order] = sort (E, "descend");
%!     p = min (3, n - 1);
%!     [Y, e, info] = gpu_cmdscale (D, p);
%!     assert (e, E(1:p), 1e-10 * E(1));
%!     expected = V(:,order(1:p)) .* sqrt (E(1:p))';
%!     assert (abs (Y), abs (expected), 1e-7 * sqrt (E(1)));
%!     assert (all (info.residual <= 1e-10 * E(1)));
%!     assert (gpu_cmdscale (X, p, "metric", metric{1}), Y);
%!     assert (gpu_cmdscale (gpu_pdist (X, metric{1}), p, "threads", 1), Y);
%!   endfor
%! endfor

## Corrections: no eigenvalue is negative, and the smallest one is 0.
%!test
%! rand ("twister", 1);
%! X = rand (40, 3) .^ 2;
%! D = gpu_pdist (X, "chebychev") .^ 2;
%! [~, e, info] = gpu_cmdscale (D);
%! assert (e(end) < 0);
%! assert (info.smallest, e(end), 1e-12);
%! assert (info.negative, sum (e(e < 0)), 1e-12);
%! [~, shifted, other] = gpu_cmdscale (D, 39, "correction", "lingoes");
%! assert (other.constant, -e(end), 1e-12);
%! assert (shifted, nthargout (2, @gpu_cmdscale, sqrt (D .^ 2 + 2 * other.constant), 39), 1e-10);
%! [~, shifted, other] = gpu_cmdscale (D, 39, "correction", "cailliez");
%! assert (shifted, nthargout (2, @gpu_cmdscale, D + other.constant, 39), 1e-9);
%! assert (abs (shifted(end)) < 1e-9);

## Similarities.
%!test
%! S = [1 0.5 -0.25; 0.5 1 0.75; -0.25 0.75 1];
%! assert (gpu_cmdscale (S), gpu_cmdscale (sqrt ([0.5 1.25 0.25])));
%! assert (gpu_pdist2 (gpu_cmdscale (S), gpu_cmdscale (S)), sqrt (1 - S), 1e-15);
%! assert (gpu_cmdscale (ones (3)), zeros (3, 1));

## Distances, eigenvalues, coordinates and shares of the tests of scikit-bio 0.7.4 (BSD 3-Clause License).
%!test
%! D = [0.7123611 0.76849198 0.80018563 0.68248524 0.74634629, 0.86645691 0.80485282 0.83381301 0.73881726, ...
%!      0.82308396 0.77451746 0.76498872, 0.84167365 0.77614366, 0.72661163];
%! axes = [-0.028597, 0.22903853, 0.07055272, 0.26163576, 0.28398669;
%!         0.37494056, 0.22334055, -0.20892914, 0.05057395, -0.18710366;
%!         -0.33517593, -0.23855979, -0.3099887, 0.11521787, -0.05021553;
%!         0.25412394, -0.4123464, 0.23343642, 0.06403168, -0.00482608;
%!         -0.28256844, 0.18606911, 0.28875631, -0.06455635, -0.21141632;
%!         0.01727687, 0.012458, -0.07382761, -0.42690292, 0.1695749];
%! [Y, e, info] = gpu_cmdscale (D);
%! assert (e, [0.3984635; 0.36405689; 0.28804535; 0.27479983; 0.19165361; 0], 1e-8);
%! [~, largest] = max (abs (axes));
%! assert (Y, axes .* sign (axes(sub2ind (size (axes), largest, 1:5))), 2e-8);
%! assert (e(1:5) / info.trace, [0.2626621381; 0.2399817314; 0.1898758748; 0.1811445992; 0.1263356565], 2e-10);

%!assert (gpu_cmdscale (zeros (4)), zeros (4, 1))
%!assert (nthargout (1:2, @gpu_cmdscale, [3 4 5], 3), nthargout (1:2, @gpu_cmdscale, [3 4 5]))
%!assert (numel (nthargout (2, @gpu_cmdscale, [3 4 5], 3)), 3)
%!assert (gpu_cmdscale ([0 2; 2 0]), [1; -1], 4 * eps)
%!test
%! rand ("twister", 1);
%! assert (size (gpu_cmdscale (rand (300, 2), 4, "metric", "euclidean")), [300 2]);
%!error <Invalid call> gpu_cmdscale ()
%!error <D must be symmetric, but element \(1, 2\) is 1 and element \(2, 1\) is 2; gpu_pdist computes>
%! gpu_cmdscale ([0 1; 2 0])
%!error <D must be symmetric, but element \(1, 2\) is NaN and element \(2, 1\) is 2> gpu_cmdscale ([NaN NaN; 2 NaN])
%!assert (gpu_cmdscale ([0 2+1e-9; 2 0]), gpu_cmdscale (2 + 5e-10), 1e-15)
%!error <D must be a symmetric matrix of distances .* or a symmetric matrix of similarities> gpu_cmdscale (2 * ones (3))
%!error <D must be a symmetric matrix of distances .* or a symmetric matrix of similarities> gpu_cmdscale ([1 2; 2 1])
%!error <D must be symmetric, but element \(1, 2\) is 0.5 and element \(2, 1\) is 0.25>
%! gpu_cmdscale ([1 0.5; 0.25 1])
%!error <p must be a whole number between 1 and 3, not 4> gpu_cmdscale ([3 4 5], 4)
%!error <p must be a whole number> gpu_cmdscale ([3 4 5], 1.5)
%!error <D must have 2 to 2147483647 points, not 1> gpu_cmdscale (zeros (1, 0), 1)
%!error <correction must be one of "none", "lingoes", "cailliez", not "more"> gpu_cmdscale ([3 4 5], 2, "correction", "more")
%!error <tolerance must be between 0 and 1, not 2> gpu_cmdscale ([3 4 5], 2, "tolerance", 2)
%!error <D must have finite distances only, but 1 of them is not> gpu_cmdscale ([3 NaN 5], 2)
%!testif ; numel (gpu_info ().devices) > 0
%! rand ("twister", 1);
%! X = rand (700, 6);
%! for correction = {"none", "lingoes", "cailliez"}
%!   options = {"metric", "cityblock", "correction", correction{1}};
%!   [Y, e, info] = gpu_cmdscale (X, 3, options{:}, "backend", "cuda");
%!   [Y1, e1, info1] = gpu_cmdscale (X, 3, options{:}, "backend", "cpu");
%!   assert ({Y, e, info.constant, info.passes}, {Y1, e1, info1.constant, info1.passes});
%! endfor

%!demo
%! X = [randn(60, 5); randn(60, 5) + 1.5];
%! [Y, e, info] = gpu_cmdscale (X, 2, "metric", "cityblock");
%! plot (Y(1:60,1), Y(1:60,2), "o", "color", "#0072B2");
%! hold on
%! plot (Y(61:120,1), Y(61:120,2), "^", "color", "#D55E00");
%! hold off
%! legend ("first group", "second group", "location", "northoutside");
%! xlabel (sprintf ("axis 1 (%.1f %%)", 100 * e(1) / info.trace));
%! ylabel (sprintf ("axis 2 (%.1f %%)", 100 * e(2) / info.trace));
