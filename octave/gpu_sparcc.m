## -*- texinfo -*-
## @deftypefn  {} {@var{R} =} gpu_sparcc (@var{X})
## @deftypefnx {} {@var{R} =} gpu_sparcc (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{R}, @var{C}, @var{info}] =} gpu_sparcc (@dots{})
## Estimate the correlations of the unknown absolute numbers of which relative counts are a sample, if few of them are
## correlated: SparCC.
##
## @var{X} has a sample in each row and a part in each of at least 4 columns; its values must be finite and at least
## 0.  @var{R} has the correlations and @var{C} the covariances.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"iterations"}
## The number of tables that are drawn, by default 20: in each the fractions of a sample are from the Dirichlet
## distribution of its counts + 1, by @code{randg}.  0 takes the means of these distributions without drawing.
## @item @qcode{"inner"}
## The most pairs that are excluded for each table, by default 10.
## @item @qcode{"threshold"}
## Pairs whose correlation is not above this in magnitude are not excluded; by default 0.1.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"precision"}, @qcode{"progress"}
## @itemx @qcode{"memory_limit"}
## How to compute, see @code{gpu_options}.
## @end table
##
## Let T(i,j) be the variance of the logarithm of the ratio of two parts.  If correlations are 0 on average, the sum of
## T(i,j) over j is (m - 2) v(i) + sum (v) for m parts.  This is solved for v; a variance that is not positive becomes
## 1e-4.  The correlation is (v(i) + v(j) - T(i,j)) / (2 sqrt (v(i) v(j))), limited to -1 and 1.  The strongest pair is
## excluded from the sums, and v is found anew, until no magnitude is above the threshold, or a part would have fewer
## than 3 others left.  Results are medians over the tables.  @var{info} is that of @code{gpu_pdist}.
##
## Source: J. Friedman and E. J. Alm (2012), PLoS Computational Biology 8.
##
## @example
## R = gpu_sparcc (randi (100, 30, 8));
## @end example
##
## @seealso{gpu_propr, gpu_corr, gpu_options}
## @end deftypefn

function [R, C, info] = gpu_sparcc (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif

  options = read_options ({"iterations", "inner", "threshold"}, varargin);
  iterations = 20;
  if (isfield (options, "iterations"))
    iterations = options.iterations;
    if (! (isnumeric (iterations) && isscalar (iterations) && iterations >= 0 && iterations < 2^31
           && iterations == fix (iterations)))
      fail_value (iterations, "iterations", "a whole number between 0 and 2147483647");
    endif
  endif
  check_table (X, "counts");
  X = full (double (X));
  k = find (! (isfinite (X) & X >= 0), 1);
  if (! isempty (k))
    [i, j] = ind2sub (size (X), k);
    fail_message ("elements", "counts", "at least 0 and finite", i, j, __gpugeo__ ("show", X(k)));
  endif
  options.parts = columns (X);
  tables = X + 1;
  if (iterations > 0)
    tables = randg (repmat (tables, 1, iterations));
  endif
  [R, C, info] = __gpugeo__ ("sparcc", options, tables);

endfunction

## Without excluded pairs, the equations are solved by their matrix.
%!shared X, T
%! X = mod ((1:12)'.^2 * (1:7) + 7 * (1:12)' * (1:7).^2, 31);
%! L = log (X + 1);
%! T = zeros (7);
%! for i = 1:7
%!   T(i,:) = var (L - L(:,i));
%! endfor
%!test
%! v = (5 * eye (7) + 1) \ sum (T, 2);
%! assert (all (v > 0));
%! expected = (v + v' - T) / 2 ./ sqrt (v * v');
%! expected = max (min (expected, 1), -1);
%! [R, C] = gpu_sparcc (X, "iterations", 0, "inner", 0);
%! assert (R, expected, 1e-13);
%! assert (C, expected .* sqrt (v * v'), 1e-12);
%! M = 5 * eye (7) + 1;
%! [~, k] = max (abs (tril (expected, -1))(:));
%! [i, j] = ind2sub ([7 7], k);
%! M([i j],[i j]) -= 1;
%! S = T;
%! S(i,j) = S(j,i) = 0;
%! v = M \ sum (S, 2);
%! v(v <= 0) = 1e-4;
%! expected = max (min ((v + v' - T) / 2 ./ sqrt (v * v'), 1), -1);
%! assert (gpu_sparcc (X, "iterations", 0, "inner", 1, "threshold", 0), expected, 1e-13);
%!test
%! randg ("twister", 5);
%! R = gpu_sparcc (X, "iterations", 5);
%! assert (R, R');
%! assert (diag (R), ones (7, 1));
%! assert (all (abs (R(:)) <= 1));
%! randg ("twister", 5);
%! assert (gpu_sparcc (sparse (X), "iterations", 5, "threads", 1), R);
%!error <Invalid call> gpu_sparcc ()
%!error <iterations must be a whole number between 0 and 2147483647, not -1> gpu_sparcc (X, "iterations", -1)
%!error <threshold must be a number between 0 and 1, not 2> gpu_sparcc (X, "threshold", 2)
%!error <counts must have at least 4 columns, not 3> gpu_sparcc (X(:,1:3))
%!error <counts must be at least 0 and finite, but row 1, column 2 is -1> gpu_sparcc ([1 -1 2 3; 1 2 3 4])

%!demo
%! x = randi (100, 30, 6);
%! gpu_sparcc ([x, x(:,1)])
