## -*- texinfo -*-
## @deftypefn  {} {@var{d} =} gpu_dist_device (@var{D})
## @deftypefnx {} {@var{d} =} gpu_dist_device (@var{D}, @var{i}, @var{j})
## Read distances that stay on a device.
##
## @var{D} is the structure that @code{gpu_pdist} returns with the option @qcode{"keep"}.  Its fields are
## @code{size}, the number of points; @code{metric}, by its name in R; @code{precision}, @qcode{"double"} or
## @qcode{"single"}; @code{device}, the number of the device, or of the first of several; @code{devices}, how many
## have parts of them; and two that gpugeo needs.  Functions that take distances take the structure: those that
## compute on the device read the distances there, and the others copy what they need.
##
## With @var{D} alone the result is the vector of all distances, with the bits that @code{gpu_pdist} returns
## without the option.  With @var{i} and @var{j} it is the matrix of the distances between these points, which are
## numbers from 1 or @qcode{":"}.
##
## A distance takes 8 bytes of the device's memory, or 4 if it was computed in single precision.  The memory is
## freed when the last copy of the structure is cleared, and by @code{gpu_release}, which frees that of all
## such structures.  Using them after that, or in another session, is an error.
##
## If the current device has no room for them, equal parts are on all devices, which must be able to read each
## other's memory; a function that computes on one of these reads the parts of the others over the link between
## them.  With the option @qcode{"device"} they are on that device.
##
## @example
## D = gpu_pdist (rand (1000, 3), "euclidean", "keep", true);
## Z = gpu_linkage (D, "average");
## gpu_dist_device (D, 1:3, ":")
## @end example
##
## @seealso{gpu_pdist, gpu_dist_file, gpu_release}
## @end deftypefn

function d = gpu_dist_device (D, i, j)

  if (nargin != 1 && nargin != 3)
    print_usage ();
  endif
  if (! (isstruct (D) && isfield (D, "device_distances")))
    fail_value (D, "D", "what gpu_pdist returns with \"keep\"");
  endif
  if (nargin == 1)
    d = __gpugeo__ ("dist_device_copy", D);
  else
    d = __gpugeo__ ("dist_device_read", D, point_numbers (i, D.size), point_numbers (j, D.size));
  endif

endfunction

%!testif ; numel (gpu_info ().devices) > 0
%! X = reshape (mod ((1:600) * 7, 31), 200, 3);
%! X(7,:) = NaN;
%! whole = gpu_pdist (X, "cityblock", "backend", "cpu");
%! square = gpu_pdist2 (X, X, "cityblock", "backend", "cpu");
%! D = gpu_pdist (X, "cityblock", "keep", true);
%! assert (D.size, 200);
%! assert ({D.metric, D.precision}, {"manhattan", "double"});
%! assert (gpu_dist_device (D), whole);
%! assert (gpu_dist_device (D, [3 9 1], ":"), square([3 9 1],:));
%! same = D;
%! clear D
%! assert (gpu_dist_device (same, 1, 2), whole(1));
%! fail ('gpu_dist_device (same, 201, 1)', 'row must be between 1 and 200');
%! gpu_release ();
%! fail ('gpu_dist_device (same)', 'must have its distances on the device, but they were released');
%! fail ('gpu_linkage (same)', 'x must have its distances on the device, but they were released');
%!testif ; numel (gpu_info ().devices) > 0
%! X = reshape (mod ((1:900) * 7, 101), 300, 3);
%! whole = gpu_pdist (X, "cityblock", "backend", "cpu");
%! D = gpu_pdist (X, "cityblock", "keep", true);
%! assert (gpu_linkage (D, "average"), gpu_linkage (whole, "average", "backend", "cpu"));
%! assert (gpu_linkage (D, "average", "backend", "cpu"), gpu_linkage (whole, "average", "backend", "cpu"));
%! assert (gpu_mst (D), gpu_mst (whole));
%! assert (gpu_kmedoids (D, 4), gpu_kmedoids (whole, 4));
%! assert (gpu_dbscan (D, 12, 4), gpu_dbscan (whole, 12, 4, "Distance", "precomputed"));
%! assert (gpu_dbscan (D, 12, 4, "Distance", "precomputed"), gpu_dbscan (D, 12, 4));
%! assert (gpu_hdbscan (D, 4), gpu_hdbscan (whole, 4, "Distance", "precomputed"));
%! order = int32 ([300:-1:1; 1:300]);
%! group = mod ((1:300)', 5);
%! assert (gpu_permanova (D, group, "permutations", order), ...
%!         gpu_permanova (whole, group, "permutations", order, "Distance", "precomputed"));
%! D = gpu_pdist (single (X), "cityblock", "keep", true);
%! assert (D.precision, "single");
%! assert (gpu_dist_device (D), double (gpu_pdist (single (X), "cityblock")));
%!testif ; isempty (gpu_info ().devices)
%! fail ('gpu_pdist ([1; 2], "euclidean", "keep", true)', 'backend "cuda" cannot be used');
%!error <backend must be "auto" or "cuda" for distances that stay on a device, not "cpu">
%! gpu_pdist ([1; 2], "euclidean", "keep", true, "backend", "cpu")
%!error <keep must be true or false, not "device"> gpu_pdist ([1; 2], "euclidean", "keep", "device")
%!error <metric must not be a function with keep> gpu_pdist ([1; 2], @(a, B) B - a, "keep", true)
%!error <file must not be given with keep> gpu_pdist ([1; 2], "euclidean", "keep", true, "file", "d.h5")
%!error <D must be what gpu_pdist returns with "keep", not 1> gpu_dist_device (1)
%!error <D must be distances that this session has on a device>
%! gpu_dist_device (struct ("device_distances", 5, "size", 2))
%!error <x must be distances that this session has on a device>
%! gpu_linkage (struct ("device_distances", 5, "size", 2))
%!error <Invalid call> gpu_dist_device ()

%!demo
%! if (numel (gpu_info ().devices) > 0)
%!   D = gpu_pdist (rand (100, 3), "euclidean", "keep", true);
%!   d = gpu_dist_device (D, 1:3, 1:3)
%! endif
