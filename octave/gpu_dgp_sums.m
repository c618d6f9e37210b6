## -*- texinfo -*-
## @deftypefn  {} {@var{r} =} gpu_dgp_sums (@var{d})
## @deftypefnx {} {@var{r} =} gpu_dgp_sums (@var{d}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{r}, @var{info}] =} gpu_dgp_sums (@dots{})
## Compute all 2^n sums of the n distances @var{d} with either sign: the product M d of the matrix by which
## an optical processor finds realizations of a cycle on the line.
##
## @var{d} is a vector of at most 30 positive, finite numbers.  @var{r} is a column of 2^n sums, each
## rounded once: element i has distance j subtracted where bit j of i - 1 is 0, and added where it is 1.
## The options are those of @code{gpu_options}.  @var{info} is that of @code{gpu_pdist}.
##
## Source: S. B. Hengeveld and A. Mucherino (2022), A GPU approach to distance geometry in 1D, section II.
##
## @example
## gpu_dgp_sums ([1 2 4])'
##   @result{} -7 -5 -3 -1 1 3 5 7
## @end example
##
## @seealso{gpu_dgp, gpu_dgp_instance}
## @end deftypefn

function [r, info] = gpu_dgp_sums (d, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  [r, info] = __gpugeo__ ("dgp_sums", read_options ({}, varargin), d);

endfunction

%!assert (gpu_dgp_sums ([1 2 4]), (-7:2:7)')
%!assert (gpu_dgp_sums (0.1), [-0.1; 0.1])
%!test
%! rand ("twister", 1);
%! d = round (rand (1, 12) * 1e6) / 1024;  # all sums are exact
%! M = 2 * (dec2bin (0:2^12-1) == "1") - 1;
%! [r, info] = gpu_dgp_sums (d, "backend", "cpu");
%! assert (r, fliplr (M) * d');
%! assert (info.backend, "cpu");
%!testif ; numel (gpu_info ().devices) > 0
%! rand ("twister", 1);
%! d = rand (1, 20);
%! assert (gpu_dgp_sums (d, "backend", "cuda"), gpu_dgp_sums (d, "backend", "cpu"));

%!error <Invalid call> gpu_dgp_sums ()
%!error <d must have between 1 and 30 distances, not 31> gpu_dgp_sums (1:31)
%!error <d must hold positive, finite distances, not -1 \(the one numbered 1\)> gpu_dgp_sums ([-1 1])
%!error <option must be one of .*, not "tol"> gpu_dgp_sums (1:3, "tol", 1)

%!demo
%! hist (gpu_dgp_sums (rand (1, 16)), 100, "facecolor", "#0072B2", "edgecolor", "none");
%! xlabel ("sum of 16 numbers with signs"); ylabel ("number of sums");
