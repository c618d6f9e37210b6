## -*- texinfo -*-
## @deftypefn  {} {@var{D} =} gpu_dist_alleles (@var{X})
## @deftypefnx {} {@var{D} =} gpu_dist_alleles (@var{X}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{D}, @var{info}] =} gpu_dist_alleles (@dots{})
## Count the loci at which two profiles have different alleles, as for core genome multilocus sequence typing
## (cgMLST), on all CPU cores.  Loci that one of both lacks do not count.
##
## @var{X} has a profile in each row and a locus in each column: whole numbers from 1 to 2^32 - 1; 0 and NaN are
## missing alleles.  @var{D} is the row vector of the n * (n - 1) / 2 distances of n profiles, in the order of
## @code{gpu_pdist}.
##
## The options are those of @code{gpu_options}; @qcode{"device"} and @qcode{"precision"} have no effect.
## @var{info}, the last result, is that of @code{gpu_pdist}.
##
## @seealso{gpu_seqpdist, gpu_linkage}
## @end deftypefn

function [D, info] = gpu_dist_alleles (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  options = read_options ({}, varargin);
  options.names = struct ("x", "X");
  [D, info] = __gpugeo__ ("dist_alleles", options, X);

endfunction

%!assert (gpu_dist_alleles ([1 2 3 4; 1 2 5 0; 2 2 3 NaN]), [1 1 2])
%!assert (gpu_dist_alleles (int32 ([1 2 3 4; 1 2 5 0; 2 2 3 0])), [1 1 2])
%!assert (gpu_dist_alleles ([2^32-1 1; 2^32-2 1]), 1)
%!assert (isempty (gpu_dist_alleles ([1 2 3])))
%!test
%! rand ("twister", 1);
%! X = floor (4 * rand (70, 133));
%! wanted = [];
%! for j = 1:69
%!   other = X(j+1:end,:);
%!   wanted = [wanted, sum(other != X(j,:) & other != 0 & X(j,:) != 0, 2)'];
%! endfor
%! for threads = [1 3]
%!   [D, info] = gpu_dist_alleles (X, "threads", threads);
%!   assert (D, wanted);
%! endfor
%! assert (info.backend, "cpu");

%!error <Invalid call> gpu_dist_alleles ()
%!error <X must have whole numbers from 0 to 4294967295, but row 2, column 1 is 1.5> gpu_dist_alleles ([1; 1.5])
%!error <X must have whole numbers from 0 to 4294967295, but row 1, column 1 is -1> gpu_dist_alleles ([-1; 1])
%!error <X must be .*> gpu_dist_alleles ("text")
%!error <backend must be .*, not "cuda"> gpu_dist_alleles ([1; 2], "backend", "cuda")

%!demo
%! X = [1 2 3 4; 1 2 5 0; 2 2 3 4];
%! gpu_dist_alleles (X)
