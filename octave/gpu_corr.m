## -*- texinfo -*-
## @deftypefn  {} {@var{R} =} gpu_corr (@var{X})
## @deftypefnx {} {@var{R} =} gpu_corr (@var{X}, @var{Y})
## @deftypefnx {} {@var{R} =} gpu_corr (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{R}, @var{info}] =} gpu_corr (@dots{})
## Compute the correlations between the columns of @var{X}, or between those of @var{X} and those of
## @var{Y}, on all CPU cores or on a GPU.
##
## @var{X} is n by k and @var{Y} n by l.  @var{R} is k by k, or k by l, and single when an input is.  The
## correlation of a constant column is NaN, with a warning.  Sparse matrices are expanded block by block, and
## have the correlations of full ones, bit for bit.  An empty @var{Y}, @code{[]}, stands for none.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"type"}, @qcode{"method"} or @qcode{"metric"}
## @qcode{"Pearson"} (the default), or @qcode{"Spearman"} for the correlation of ranks, those of ties
## averaged.
## @item @qcode{"rows"} or @qcode{"use"}
## How missing values, which are NaN, are treated: with @qcode{"all"} (the default) the correlations of a
## column that has one are NaN (except 1 with itself, as in R); @qcode{"complete"} leaves out the rows that
## have one, and is an error when no row is left; @qcode{"pairwise"} leaves them out for each pair of
## columns separately.  The names of R's @code{cor} are understood as well: @qcode{"everything"},
## @qcode{"all.obs"}, @qcode{"complete.obs"}, @qcode{"na.or.complete"}, @qcode{"pairwise.complete.obs"}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"precision"}, @qcode{"progress"}
## @itemx @qcode{"memory_limit"}
## How to compute, see @code{gpu_options}.  The precision is by default that of the input.
## @end table
##
## @var{info} is that of @code{gpu_pdist}.
##
## @example
## gpu_corr ([1 2 3 4; 2 4 6 9; 4 3 2 1]')
## gpu_corr (rand (20, 3), rand (20, 2), "type", "Spearman")
## @end example
##
## @seealso{gpu_pdist, gpu_pdist2, gpu_options, gpu_info, corr, spearman}
## @end deftypefn

function [R, info] = gpu_corr (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif

  [inputs, pairs] = read_inputs (X, varargin);
  options = read_options ({"type", "rows", "method", "use", "metric"}, pairs);
  ## The core knows R's names.
  options = choose_metric (options, {"type", "method", "metric"});
  if (isfield (options, "rows"))
    options.use = options.rows;
  endif
  [R, info] = __gpugeo__ ("cor", options, inputs{:});

endfunction

%!shared X, Y
%! X = [1 4; 2 3; 3 1; 4 2];
%! Y = [2; 4; 6; 9];
%!assert (gpu_corr (X), [1 -0.8; -0.8 1], 1e-15)
%!assert (gpu_corr (X, Y), corr (X, Y), 1e-15)
%!assert (gpu_corr (X, []), gpu_corr (X))
%!assert (gpu_corr (X, Y, "type", "Spearman"), [1; -0.8], 1e-15)
%!assert (gpu_corr (X, "method", "spearman"), [1 -0.8; -0.8 1], 1e-15)
%!assert (gpu_corr (X, "metric", "spearman"), gpu_corr (X, "method", "spearman"))
%!error <metric must not be given with type, which means the same> gpu_corr (X, "type", "pearson", "metric", "spearman")
%!assert (class (gpu_corr (single (X))), "single")
%!assert (gpu_corr (int8 (X)), [1 -0.8; -0.8 1], 1e-15)
%!assert (gpu_corr (X, single (Y)), single (corr (X, Y)), 1e-6)
%!assert (gpu_corr (zeros (3, 0)), zeros (0, 0))
%!assert (gpu_corr (sparse (X), sparse (Y)), gpu_corr (X, Y))
%!error <use must not be pairwise for Spearman correlations of a sparse matrix>
%! gpu_corr (sparse ([1 2; NaN 3; 4 1]), "type", "spearman", "rows", "pairwise")

## Missing values.
%!test
%! x = [X; NaN 7];
%! assert (gpu_corr (x), [1 NaN; NaN 1]);
%! assert (gpu_corr (x, "rows", "complete"), gpu_corr (X));
%! assert (gpu_corr (x, "rows", "pairwise"), gpu_corr (X), 1e-15);
%! assert (gpu_corr (x, "use", "complete.obs"), gpu_corr (X));

%!test
%! x = rand (50, 9);
%! [R, info] = gpu_corr (x, "backend", "cpu", "threads", 1);
%! assert (R, R');
%! assert (R, corr (x), 1e-14);
%! assert (info.backend, "cpu");
%! assert (gpu_corr (x, "backend", "cpu", "threads", 2), R);
%!testif ; numel (gpu_info ().devices) > 0
%! x = rand (50, 9);
%! assert (gpu_corr (x, "backend", "cuda"), gpu_corr (x, "backend", "cpu"), 1e-14);

%!warning <the standard deviation is zero> gpu_corr ([1 1; 1 2]);

%!error <Invalid call> gpu_corr ()
%!error <x must be a numeric matrix, not text> gpu_corr ("text")
%!error <y must be a numeric matrix, not text> gpu_corr (X, "text")
%!error <y must have 4 rows, as x has, not 2> gpu_corr (X, [1; 2])
%!error <method must be one of "pearson", "spearman", not "kendall"> gpu_corr (X, "type", "kendall")
%!error <use must be one of > gpu_corr (X, "rows", "some")
%!error id=gpugeo:argument gpu_corr (X, "rows", 1)
%!error id=gpugeo:data gpu_corr ([NaN 1; 1 NaN], "rows", "complete")
%!error <option must be one of "type", .*, not "tail"> gpu_corr (X, "tail", "left")

%!demo
%! x = randn (100, 3);
%! x(:,3) += x(:,1);
%! R = gpu_corr (x)
