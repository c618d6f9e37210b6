## -*- texinfo -*-
## @deftypefn {} {@var{X} =} gpu_hdf5 (@var{file}, @var{name})
## Return an object for points in a dataset of an HDF5 file, which may be larger than memory.  It is used
## instead of a matrix.
##
## @code{gpu_pdist}, @code{gpu_tiles_plan}, @code{gpu_dist_tile} and @code{gpu_dist_tiles} read it in
## panels of rows.  The second dimension in the file is that of the rows, as Octave and R write it.
##
## @example
## X = rand (1000, 3);
## save -hdf5 x.h5 X
## D = gpu_pdist (gpu_hdf5 ("x.h5", "X/value"));
## @end example
##
## @seealso{gpu_pdist, gpu_dist_tiles, gpu_dist_file}
## @end deftypefn

function X = gpu_hdf5 (file, name)

  if (nargin != 2)
    print_usage ();
  endif
  X = struct ("file", file, "name", name);
  __gpugeo__ ("point_source_size", X);

endfunction

%!testif ; ! isempty (gpu_info ().hdf5)
%! rand ("twister", 1);
%! warning ("off", "gpugeo:missing", "local");
%! X = rand (700, 30);
%! X(5,5) = NaN;
%! file = tempname ();
%! save ("-hdf5", file, "X");
%! unwind_protect
%!   S = gpu_hdf5 (file, "X/value");
%!   for metric = {"euclidean", "seuclidean", "mahalanobis", "cosine", "spearman"}
%!     assert (gpu_pdist (S, metric{1}, "memory_limit", 2^20), gpu_pdist (X, metric{1}));
%!   endfor
%!   fail ('gpu_hdf5 (file, "Y")', 'x must be a dataset of its file: ".*" has no dataset "Y"');
%!   fail ('gpu_hdf5 ("/nowhere/x.h5", "Y")', 'cannot be read: No such file');
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%!error <Invalid call> gpu_hdf5 ("file")

%!demo
%! if (! isempty (gpu_info ().hdf5))
%!   X = rand (100, 3);
%!   file = [tempname() '.h5'];
%!   save ("-hdf5", file, "X");
%!   D = gpu_pdist (gpu_hdf5 (file, "X/value"));
%!   printf ("%d distances, the largest %.2f\n", numel (D), max (D));
%!   delete (file);
%! endif
