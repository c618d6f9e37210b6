## -*- texinfo -*-
## @deftypefn  {} {@var{D} =} gpu_dist_tile (@var{X}, @var{plan}, @var{tile})
## @deftypefnx {} {@var{D} =} gpu_dist_tile (@var{X}, @var{plan}, @var{tile}, @var{Y})
## @deftypefnx {} {[@var{D}, @var{info}] =} gpu_dist_tile (@dots{})
## Compute one tile of a distance matrix, a row of the @code{tiles} of @code{gpu_tiles_plan}.
##
## @var{D} has the same bits as that part of the whole matrix, on any machine.  A tile on the diagonal is a
## symmetric matrix.  @var{info} is that of @code{gpu_pdist}.
##
## @seealso{gpu_tiles_plan, gpu_dist_tiles}
## @end deftypefn

function [D, info] = gpu_dist_tile (X, plan, tile, Y = [])

  if (nargin < 3)
    print_usage ();
  endif
  if (! (isstruct (plan) && all (isfield (plan, {"tiles", "size", "options", "shared"}))))
    fail_value (plan, "plan", "a result of gpu_tiles_plan()");
  endif
  [D, info] = __gpugeo__ ("dist_tile", plan.options, X, Y, plan.size, plan.shared, tile);

endfunction

%!shared X, plan
%! rand ("twister", 1);
%! X = rand (53, 4);
%! X(7,2) = NaN;
%! plan = gpu_tiles_plan (X, "seuclidean", "side", 20);
%!test
%! whole = gpu_pdist2 (X, X, "seuclidean");
%! assert (gpu_dist_tile (X, plan, 3), whole(41:53,1:20));
%! other = gpu_tiles_plan (53, "seuclidean", "side", 20);
%! assert (gpu_dist_tile (X, other, 2), whole(21:40,1:20));
%! assert (class (gpu_dist_tile (single (X), plan, 3)), "single");
%!error <Invalid call> gpu_dist_tile (X, plan)
%!error <tile must be between 1 and 6 \(the tiles there are\), not 7> gpu_dist_tile (X, plan, 7)
%!error <tile must be between 1 and 6 \(the tiles there are\), not "a"> gpu_dist_tile (X, plan, "a")
%!error <plan must be of the same points: it is for 53 x 53 within x, not 52 x 52 within x>
%! gpu_dist_tile (X(2:end,:), plan, 1)
%!error <plan must be a result of gpu_tiles_plan\(\), not 1> gpu_dist_tile (X, 1, 1)

%!demo
%! X = rand (100, 3);
%! plan = gpu_tiles_plan (X, "cityblock", "side", 60);
%! D = gpu_dist_tile (X, plan, 2);
%! printf ("tile 2 has %d rows and %d columns\n", rows (D), columns (D));
