## -*- texinfo -*-
## @deftypefn  {} {@var{d} =} gpu_dgp_instance (@var{n})
## @deftypefnx {} {@var{d} =} gpu_dgp_instance (@var{n}, @var{seed})
## Return a column of @var{n} random distances between 0 and 1 of which one choice of signs, drawn at
## random, and its mirror image sum to 0 exactly: a paradoxical instance of distance geometry in one
## dimension.
##
## @var{n} is a whole number between 2 and 127, @var{seed} one between 0 and 2^53.  The distances,
## multiples of 2^-40, are the same for the same seed on all machines.  Without a seed one is drawn by
## @code{rand}.
##
## @example
## gpu_dgp (gpu_dgp_instance (20, 7), "tol", 0).count
##   @result{} 2
## @end example
##
## @seealso{gpu_dgp}
## @end deftypefn

function d = gpu_dgp_instance (n, seed = floor (rand () * 2^31))

  if (nargin < 1)
    print_usage ();
  endif
  d = __gpugeo__ ("dgp_instance", n, seed);

endfunction

%!test
%! for n = [2 3 20 127]
%!   d = gpu_dgp_instance (n, 5);
%!   assert (size (d), [n 1]);
%!   assert (all (d > 0 & d < 1));
%!   assert (d, gpu_dgp_instance (n, 5));
%! endfor
%! assert (! isequal (gpu_dgp_instance (9, 1), gpu_dgp_instance (9, 2)));
%!assert (gpu_dgp (gpu_dgp_instance (20, 7), "tol", 0).count >= 2)
%!test
%! rand ("seed", 1);
%! d = gpu_dgp_instance (9);
%! rand ("seed", 1);
%! assert (gpu_dgp_instance (9), d);

%!error <Invalid call> gpu_dgp_instance ()
%!error <n must be between 2 and 127, not 1> gpu_dgp_instance (1)
%!error <n must be a whole number, not 2.5> gpu_dgp_instance (2.5)
%!error <seed must be a whole number > gpu_dgp_instance (5, -1)

%!demo
%! d = gpu_dgp_instance (12, 1)'
