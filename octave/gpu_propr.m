## -*- texinfo -*-
## @deftypefn  {} {@var{R} =} gpu_propr (@var{X})
## @deftypefnx {} {@var{R} =} gpu_propr (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{R}, @var{info}] =} gpu_propr (@dots{})
## Compute the proportionality of all pairs of parts of compositions, such as genes of relative counts, as R's package
## propr.
##
## @var{X} has a sample in each row and a part in each column; its values must be finite and at least 0.  It may be
## sparse.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"metric"}
## Let z be the logarithms less the mean of those of the reference in the same sample, v(a) the variance of z for part
## a, and v(a,b) that of the difference of two parts, the logarithm of their ratio.  Row a and column b have:
## @qcode{"rho"} (the default), 1 - v(a,b) / (v(a) + v(b)); @qcode{"phi"}, v(a,b) / v(b); @qcode{"phs"},
## v(a,b) over the variance of the sum of both, (1 - rho) / (1 + rho); @qcode{"vlr"}, v(a,b).
## @item @qcode{"ivar"}
## The reference: @qcode{"clr"} (the default) for all parts; @qcode{"iqlr"} for those whose variance with reference
## @qcode{"clr"} is between the quartiles of these variances, without those equal to one; or numbers of columns.
## @item @qcode{"alpha"}
## The positive power of a Box-Cox transformation, (x^alpha - 1) / alpha, instead of logarithms.
## @item @qcode{"symmetrize"}
## True copies the values of @qcode{"phi"} below the diagonal to those above it.
## @item @qcode{"as"}
## @qcode{"dist"} returns the values below the diagonal as a row of distances, for @code{gpu_linkage}; of
## @qcode{"rho"}, of 1 - rho.  By default @qcode{"matrix"}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"precision"}, @qcode{"progress"}
## @itemx @qcode{"memory_limit"}
## How to compute, see @code{gpu_options}.
## @end table
##
## Zeros have no logarithm: all are replaced by the smallest value above 0 in @var{X}, but not with @qcode{"alpha"}.
## Where 0 is divided by 0, for two parts without variance, the value is NaN.  Variances of log ratios are sums of
## squared differences, which keep their digits if a ratio is constant.  @var{info} is that of @code{gpu_pdist}.
##
## Sources: D. Lovell et al. (2015), PLoS Computational Biology 11; I. Erb and C. Notredame (2016), Theory in
## Biosciences 135; T. P. Quinn et al. (2017), Scientific Reports 7.
##
## @example
## X = randi (100, 20, 6);
## R = gpu_propr (X, "metric", "phs");
## @end example
##
## @seealso{gpu_propr_cutoffs, gpu_sparcc, gpu_corr, gpu_linkage, gpu_options}
## @end deftypefn

function [R, info] = gpu_propr (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif

  options = read_options ({"metric", "ivar", "alpha", "symmetrize", "as"}, varargin);
  if (isfield (options, "ivar") && ischar (options.ivar))
    options.iqlr = strcmp (choose_one (options.ivar, {"clr", "iqlr"}, "ivar"), "iqlr");
    options = rmfield (options, "ivar");
  endif
  [R, info] = __gpugeo__ ("proportionality", options, X);

endfunction

## By hand: the second column is twice the first, the third is constant.
%!shared X, L
%! X = [1 2 3 5; 2 4 3 1; 4 8 3 7; 8 16 3 2; 16 32 3 6];
%! L = log (X);
%!test
%! V = gpu_propr (X, "metric", "vlr");
%! expected = zeros (4);
%! for i = 1:4
%!   for j = 1:4
%!     expected(i,j) = var (L(:,i) - L(:,j));
%!   endfor
%! endfor
%! assert (V, expected, 1e-14);
%! assert (V(1,2) < 1e-28);
%! Z = L - mean (L, 2);
%! v = var (Z);
%! rho = gpu_propr (X);
%! assert (rho, 1 - expected ./ (v + v'), 1e-14);
%! assert (gpu_propr (X, "metric", "phi"), expected ./ v, 1e-13);
%! assert (gpu_propr (X, "metric", "phs"), (1 - rho) ./ (1 + rho), 1e-13);
%! assert (gpu_propr (X, "as", "dist"), 1 - rho([2 3 4 7 8 12]), 1e-15);
%! phi = gpu_propr (X, "metric", "phi", "symmetrize", true);
%! assert (phi, phi');
%! assert (tril (phi), tril (gpu_propr (X, "metric", "phi")));
%! assert (gpu_propr (sparse (X)), rho);
%! assert (gpu_propr (int32 (X), "threads", 1), rho);
%!test
%! v = var (L(:,[1 2 4]) - L(:,3));
%! rho = gpu_propr (X, "ivar", 3);
%! assert (rho(1,4), 1 - var (L(:,1) - L(:,4)) / (v(1) + v(3)), 1e-14);
%! assert (rho([1 2 4],3), zeros (3, 1));
%! assert (isnan (rho(3,3)));
%! B = (X.^0.5 - 1) / 0.5;
%! assert (gpu_propr (X, "metric", "vlr", "alpha", 0.5)(1,4), var (B(:,1) - B(:,4)), 1e-13);
%! Y = mod ((1:9)'.^2 * (1:12) + 7 * (1:9)' * (1:12).^2, 31) + 1;
%! v = var (log (Y) - mean (log (Y), 2));
%! used = v > quantile (v, 0.25, 2, 7) & v < quantile (v, 0.75, 2, 7);
%! assert (sum (used), 6);
%! assert (gpu_propr (Y, "ivar", "iqlr"), gpu_propr (Y, "ivar", find (used)));
%!test
%! Z = [0 2 5; 3 0 4; 6 7 0; 1 4 2];
%! assert (gpu_propr (Z), gpu_propr (max (Z, 1)));
%!error <Invalid call> gpu_propr ()
%!error <metric must be one of "rho", "phi", "phs", "vlr", not "x"> gpu_propr (X, "metric", "x")
%!error <ivar must be "clr", "iqlr" or columns between 1 and 4, not 5> gpu_propr (X, "ivar", 5)
%!error <alpha must be a positive finite number, not -1> gpu_propr (X, "alpha", -1)
%!error <counts must be at least 0 and finite, but row 2, column 1 is -2> gpu_propr ([1 1; -2 1])
%!error <counts must have at least 2 rows, not 1> gpu_propr ([1 2])

%!demo
%! x = randi (100, 20, 5);
%! gpu_propr ([x, 2 * x(:,1)])
