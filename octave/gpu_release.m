## -*- texinfo -*-
## @deftypefn {} {} gpu_release ()
## Return memory to the system.
##
## gpugeo keeps memory between calls: buffers on CUDA devices, and the pinned memory through which data are
## copied to and from them.  @code{gpu_release} returns all of it to the system.  The next call on a device
## allocates its memory again.
##
## In R, gpugeo also keeps memory of results for later ones.  In Octave it does not: Octave frees an array when
## its last copy is cleared.  Therefore this function has no effect without a CUDA device.  It has no output.
## Results and futures that exist do not change; but distances that stay on a device, see
## @code{gpu_dist_device}, are freed and cannot be used any more.
##
## @example
## d = gpu_pdist (rand (1000, 3));
## gpu_release ()
## @end example
##
## @seealso{gpu_info, gpu_options}
## @end deftypefn

function gpu_release ()

  if (nargin != 0) # Octave 6 does not check it
    print_usage ();
  endif
  __gpugeo__ ("release_memory");

endfunction

%!test
%! X = reshape (mod ((1:300) * 7, 31), 100, 3);
%! d = gpu_pdist (X);
%! expected = d + 0;
%! gpu_release ();
%! gpu_release ();  # with nothing to release
%! assert (d, expected);
%! assert (gpu_pdist (X), expected);
%!testif ; numel (gpu_info ().devices) > 0
%! # not how much is free: other programs use the device too
%! X = reshape (mod ((1:2^16) * 7, 31), 2^10, 64);
%! gpu_options ("device", 0);
%! unwind_protect
%!   expected = gpu_knnsearch (X, X(1:2,:), "backend", "cuda");
%!   gpu_release ();
%!   assert (gpu_knnsearch (X, X(1:2,:), "backend", "cuda"), expected);
%!   gpu_release ();
%!   assert (gpu_pdist ([0; 3; 7], "euclidean", "backend", "cuda"), [3 7 4]);
%! unwind_protect_cleanup
%!   gpu_options ("device", []);
%! end_unwind_protect
%!test # a search that was launched goes on
%! X = reshape (mod ((1:3e4) * 7919, 104729), 1e4, 3);
%! expected = gpu_collisions (X, "radius", 5e3);
%! future = gpu_collisions_launch (X, "radius", 5e3);
%! gpu_release ();
%! assert (gpu_collisions_fetch (future), expected);
%!error gpu_release (1)
%!error <value on (the )?right hand side of (the )?assignment|called with too many outputs>
%! x = gpu_release ();

%!demo
%! d = gpu_pdist (rand (1000, 3));
%! gpu_release ()
