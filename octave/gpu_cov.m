## -*- texinfo -*-
## @deftypefn  {} {@var{C} =} gpu_cov (@var{X})
## @deftypefnx {} {@var{C} =} gpu_cov (@var{X}, @var{opt})
## @deftypefnx {} {@var{C} =} gpu_cov (@dots{}, @var{nanflag})
## @deftypefnx {} {@var{C} =} gpu_cov (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{C}, @var{info}] =} gpu_cov (@dots{})
## Compute the covariances between the columns of @var{X}, on all CPU cores or on a GPU.
##
## @var{X} is n by k, and @var{C} k by k, and single when @var{X} is.  A row vector is taken as a column: the
## result is its variance.  The covariance of a constant column is 0, and that of a column with an infinite
## value is NaN.  Sparse matrices are expanded in blocks of columns, never as a whole; @var{C} is full.
##
## With @var{opt} 0, the default, sums of products are divided by n - 1, or by 1 for n = 1; with 1, by n.
##
## @var{nanflag} is how missing values, which are NaN, are treated, as in @code{cov} of Octave 8 and later and
## of MATLAB: with @qcode{"includenan"} (the default) the covariances of a column that has one are NaN;
## @qcode{"omitrows"} leaves out the rows that have one; @qcode{"partialrows"} leaves them out for each pair of
## columns separately, and n is the number of rows of that pair.
##
## A second matrix is not taken: @code{cov (X, Y)} of Octave 7 has the covariances between the columns of
## both, and that of later releases and of MATLAB is @code{gpu_cov ([X(:), Y(:)])}.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"precision"}, @qcode{"progress"}
## @itemx @qcode{"memory_limit"}
## How to compute, see @code{gpu_options}.  The precision is by default that of the input.
## @end table
##
## Large means do not reduce the accuracy: results agree with those of exact arithmetic to about 1e-14 of the
## product of the standard deviations.
##
## @var{info} is that of @code{gpu_pdist}.
##
## @example
## C = gpu_cov ([1 2 3 4; 2 4 6 9; 4 3 2 1]')
##   @result{} C =
##        1.6667   3.8333  -1.6667
##        3.8333   8.9167  -3.8333
##       -1.6667  -3.8333   1.6667
## C = gpu_cov ([1 2; 3 NaN; 5 8; 6 7], 1, "omitrows");
## @end example
##
## @seealso{gpu_corr, gpu_options, gpu_info, cov}
## @end deftypefn

function [C, info] = gpu_cov (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif

  opt = 0;
  if (numel (varargin) > 0 && ! ischar (varargin{1}))
    opt = read_opt (varargin{1});
    varargin(1) = [];
  endif
  use = "everything";
  if (mod (numel (varargin), 2) == 1)
    flags = {"includenan", "omitrows", "partialrows"};
    flag = choose_one (varargin{1}, flags, "nanflag");
    use = {"everything", "na.or.complete", "pairwise.complete.obs"}{strcmp (flags, flag)};
    varargin(1) = [];
  endif
  options = read_options ({}, varargin);
  options.use = use;
  options.covariance = 3 - opt;  # gpugeo_covariance in gpugeo.h
  if (rows (X) == 1 && ! ischar (X))
    X = X.';
  endif
  [C, info] = __gpugeo__ ("cor", options, X);

endfunction

function opt = read_opt (value)

  opt = 0;
  if (isnumeric (value) && isempty (value))  # [] stands for the default
    return;
  endif
  if (! ((isnumeric (value) || islogical (value)) && isscalar (value) && any (value == [0 1])))
    hint = "";
    if (isnumeric (value) && ! isscalar (value))
      hint = "; cov (X, Y) differs between releases of Octave, that of MATLAB is gpu_cov ([X(:), Y(:)])";
    endif
    error ("gpugeo:argument", "opt must be 0 or 1, not %s%s", __gpugeo__ ("show", value), hint);
  endif
  opt = double (value);

endfunction

## By hand: means 2.5 and 5.25, deviations -1.5 -0.5 0.5 1.5 and -3.25 -1.25 0.75 3.75.
%!shared X
%! X = [1 2 4; 2 4 3; 3 6 2; 4 9 1];
%!assert (gpu_cov (X), [20 46 -20; 46 107 -46; -20 -46 20] / 12, 1e-15)
%!assert (gpu_cov (X), cov (X), 1e-14)
%!assert (gpu_cov (X, 0), gpu_cov (X))
%!assert (gpu_cov (X, []), gpu_cov (X))
%!assert (gpu_cov (X, 1), [20 46 -20; 46 107 -46; -20 -46 20] / 16, 1e-15)
%!assert (gpu_cov (X, 1), cov (X, 1), 1e-14)
%!assert (gpu_cov (X, true), gpu_cov (X, 1))
%!assert (gpu_cov (X(:,1)'), 5/3, 1e-15)
%!assert (gpu_cov (X(:,1), 1), 1.25, 1e-15)
%!assert (gpu_cov (5), 0)
%!assert (gpu_cov (5, 1), 0)
%!assert (gpu_cov (NaN), NaN)
%!assert (gpu_cov (Inf), NaN)
%!assert (class (gpu_cov (single (X))), "single")
%!assert (gpu_cov (single (X)), single (cov (X)), 1e-5)
%!assert (gpu_cov (int8 (X)), cov (X), 1e-14)
%!assert (gpu_cov (sparse (X)), gpu_cov (X))
%!assert (gpu_cov (zeros (3, 0)), zeros (0, 0))
%!assert (gpu_cov (zeros (0, 3)), NaN (3))
%!assert (gpu_cov ([X, 7 * ones(4, 1)])(:,4), zeros (4, 1))
%!assert (gpu_cov ([X, [1; Inf; 2; 3]])(:,4), NaN (4, 1))
%!assert (gpu_cov (1e8 + X), gpu_cov (X), 1e-14)
%!assert (gpu_cov (1e-170 * X), zeros (3))
%!assert (gpu_cov ([1e200 * X(:,1), 1e-200 * X(:,2)]), [Inf, 46/12; 46/12, 0], 1e-14)

## Missing values.
%!test
%! z = [X; NaN 7 1; 3 NaN 5];
%! C = gpu_cov (z);
%! assert (isnan (C), logical ([1 1 1; 1 1 1; 1 1 0]));
%! assert (C(3,3), cov (z(:,3)), 1e-14);
%! assert (gpu_cov (z, "includenan"), C);
%! assert (gpu_cov (z, "omitrows"), gpu_cov (X));
%! assert (gpu_cov (z, 1, "OmitRows"), gpu_cov (X, 1));
%! P = gpu_cov (z, "partialrows");
%! assert (P, P');
%! for i = 1:3
%!   for j = 1:3
%!     both = ! any (isnan (z(:,[i j])), 2);
%!     c = cov (z(both,[i j]));
%!     assert (P(i,j), c(1,2), 1e-14);
%!     assert (gpu_cov (z, 1, "partialrows", "backend", "cpu")(i,j), c(1,2) * (1 - 1 / sum (both)), 1e-14);
%!     assert (gpu_cov (1e200 * z, "partialrows")(i,j), sign (c(1,2)) * Inf);
%!     assert (gpu_cov (1e-80 * z, "partialrows")(i,j), 1e-160 * c(1,2), 1e-173);
%!   endfor
%! endfor
%! assert (gpu_cov (sparse (z), "partialrows"), P);
## One row that is left, or none.
%!assert (gpu_cov ([1 NaN; NaN 2; 3 4], "omitrows"), zeros (2))
%!assert (gpu_cov ([1 NaN; NaN 2], "omitrows"), NaN (2))
%!assert (gpu_cov ([1 NaN; NaN 2; 3 4], "partialrows"), [2 0; 0 2])
%!assert (gpu_cov ([1 NaN; NaN 2], "partialrows"), [0 NaN; NaN 0])
%!assert (gpu_cov ([1 NaN 5; Inf 3 4; 2 2 1], "partialrows"), [NaN NaN NaN; NaN 0.5 1.5; NaN 1.5 13/3], 1e-14)

%!test
%! rand ("twister", 1);
%! x = rand (50, 9);
%! [C, info] = gpu_cov (x, "backend", "cpu", "threads", 1);
%! assert (C, C');
%! assert (C, cov (x), 1e-15);
%! assert (info.backend, "cpu");
%! assert (gpu_cov (x, 0, "includenan", "backend", "cpu", "threads", 2), C);
%!testif ; numel (gpu_info ().devices) > 0
%! rand ("twister", 1);
%! x = rand (50, 9);
%! assert (gpu_cov (x, "backend", "cuda"), gpu_cov (x, "backend", "cpu"));

%!error <Invalid call> gpu_cov ()
%!error <x must be a numeric matrix, not text> gpu_cov ("text")
%!error <opt must be 0 or 1, not 2> gpu_cov (X, 2)
%!error <opt must be 0 or 1, not .*that of MATLAB is gpu_cov> gpu_cov (X, X)
%!error <nanflag must be one of "includenan", "omitrows", "partialrows", not "omitnan"> gpu_cov (X, "omitnan")
%!error <nanflag must be a single string, not 1> gpu_cov (X, 1, 1)
%!error <option must be one of .*, not "rows"> gpu_cov (X, "rows", "pairwise")

%!demo
%! x = randn (100, 3);
%! x(:,3) += x(:,1);
%! C = gpu_cov (x)
