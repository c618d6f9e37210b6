## -*- texinfo -*-
## @deftypefn  {} {@var{D} =} gpu_pdist2 (@var{X}, @var{Y})
## @deftypefnx {} {@var{D} =} gpu_pdist2 (@var{X}, @var{Y}, @var{metric})
## @deftypefnx {} {@var{D} =} gpu_pdist2 (@var{X}, @var{Y}, @qcode{"minkowski"}, @var{P})
## @deftypefnx {} {@var{D} =} gpu_pdist2 (@var{X}, @var{Y}, @qcode{"seuclidean"}, @var{S})
## @deftypefnx {} {@var{D} =} gpu_pdist2 (@var{X}, @var{Y}, @qcode{"mahalanobis"}, @var{C})
## @deftypefnx {} {@var{D} =} gpu_pdist2 (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{D}, @var{info}] =} gpu_pdist2 (@dots{})
## Compute the distances between the rows of @var{X} and those of @var{Y}, on all CPU cores or on a GPU.
##
## @var{X} is n by m and @var{Y} k by m; @var{D} is n by k, and single when one of both is.  Metrics, their
## parameters, missing values, options and @var{info} are those of @code{gpu_pdist}.  The standard
## deviations and the covariance that @qcode{"seuclidean"} and @qcode{"mahalanobis"} take by default are
## those of @var{X}.
##
## @example
## gpu_pdist2 ([0 0; 3 4], [0 0; 6 8; 3 0])
##   @result{}  0  10  3
##       5   5  4
## @end example
##
## @seealso{gpu_pdist, gpu_corr, gpu_options, gpu_info, pdist2}
## @end deftypefn

function [D, info] = gpu_pdist2 (X, Y, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  [D, info] = __gpugeo__ ("dist", read_metric (varargin), X, Y);

endfunction

%!shared X, Y
%! X = [0 0; 3 4];
%! Y = [0 0; 6 8; 3 0];
%!assert (gpu_pdist2 (X, Y), [0 10 3; 5 5 4])
%!assert (gpu_pdist2 (X, Y, "cityblock"), [0 14 3; 7 7 4])
%!assert (gpu_pdist2 (X, Y, "minkowski", 1), [0 14 3; 7 7 4], 1e-14)
%!assert (gpu_pdist2 (X, Y, "seuclidean", [3 4]), sqrt ([0 8 1; 2 2 1]), 1e-14)
%!assert (gpu_pdist2 (X, Y, "seuclidean"), gpu_pdist2 (X, Y, "seuclidean", std (X)), 1e-14)
%!assert (gpu_pdist2 (X, Y, "mahalanobis", diag ([9 16])), sqrt ([0 8 1; 2 2 1]), 1e-14)
%!assert (gpu_pdist2 (single (X), Y), single ([0 10 3; 5 5 4]))
%!assert (gpu_pdist2 (X, single (Y)), single ([0 10 3; 5 5 4]))
%!assert (gpu_pdist2 (int32 (X), Y), [0 10 3; 5 5 4])
%!assert (gpu_pdist2 (sparse (X), Y), [0 10 3; 5 5 4])
%!assert (gpu_pdist2 (X, sparse (Y)), [0 10 3; 5 5 4])
%!assert (gpu_pdist2 (zeros (0, 2), Y), zeros (0, 3))
%!assert (gpu_pdist2 (X, zeros (0, 2)), zeros (2, 0))
%!assert (size (gpu_pdist2 (zeros (2, 0), zeros (3, 0))), [2 3])

## Within one matrix it agrees with gpu_pdist.
%!test
%! x = rand (40, 7);
%! D = gpu_pdist2 (x, x);
%! assert (D, D');
%! assert (D(tril (true (40), -1))', gpu_pdist (x));
%! [~, info] = gpu_pdist2 (x, x, "euclidean", "backend", "cpu", "threads", 1);
%! assert (info.backend, "cpu");
%! assert (info.threads, 1);
%!testif ; numel (gpu_info ().devices) > 0
%! x = rand (40, 7);
%! y = rand (31, 7);
%! assert (gpu_pdist2 (x, y, "euclidean", "backend", "cuda"), ...
%!         gpu_pdist2 (x, y, "euclidean", "backend", "cpu"));

%!error <Invalid call> gpu_pdist2 (X)
%!error <y must be a numeric matrix, not text> gpu_pdist2 (X, "text")
%!error <y must be a numeric matrix, not a cell array> gpu_pdist2 (X, {})
%!error <y must have > gpu_pdist2 (X, [1 2 3])
%!error <method must be one of > gpu_pdist2 (X, Y, "hyperbolic")
%!error <p must be .*, not -1> gpu_pdist2 (X, Y, "minkowski", -1)

%!demo
%! D = gpu_pdist2 ([0 0; 3 4], [0 0; 6 8; 3 0])
