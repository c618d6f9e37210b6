## -*- texinfo -*-
## @deftypefn  {} {@var{plan} =} gpu_tiles_plan (@var{X})
## @deftypefnx {} {@var{plan} =} gpu_tiles_plan (@var{X}, @var{metric}, @dots{})
## @deftypefnx {} {@var{plan} =} gpu_tiles_plan (@dots{}, @var{name}, @var{value}, @dots{})
## Cut a distance matrix that is larger than memory, or that several machines compute, into tiles.
##
## @var{X} are points as in @code{gpu_pdist}, in memory or in a file (@code{gpu_hdf5}), or their number
## alone.  @var{metric} and its parameter are those of @code{gpu_pdist}.  Options:
##
## @table @asis
## @item @qcode{"y"}
## Other points: the tiles of the matrix of distances between @var{X} and them.  Without it there are the
## tiles on and below the diagonal.
## @item @qcode{"side"}
## Rows and columns of a tile; the last ones have fewer.
## @item @qcode{"memory_limit"}
## Without a side: the tile is the largest with which computing and storing it takes at most so many bytes.
## @end table
##
## @var{plan} is a structure; its field @code{tiles} has a row for each tile: its first row in the whole
## matrix, its number of rows, its first column, and its number of columns.  They are numbered down one
## column of tiles after the other.  The other fields are for @code{gpu_dist_tile}: the plan contains the
## parameters that a metric computes from all points.
##
## In the words of Arefin et al. (2012), on distance matrices on GPUs, a tile is a chunk, the tiles of one
## column are a split, and the tiles that one worker takes are a segment.
##
## @seealso{gpu_dist_tile, gpu_dist_tiles, gpu_pdist, gpu_hdf5}
## @end deftypefn

function plan = gpu_tiles_plan (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  warning ("off", "gpugeo:missing", "local");  # a plan has no distances
  plan = plan_tiles (X, varargin);

endfunction

%!test
%! plan = gpu_tiles_plan (53, "euclidean", "side", 20);
%! assert (plan.tiles, [1 20 1 20; 21 20 1 20; 41 13 1 20; 21 20 21 20; 41 13 21 20; 41 13 41 13]);
%!test
%! rand ("twister", 1);
%! X = rand (53, 3);
%! assert (gpu_tiles_plan (X, "seuclidean", "side", 20).tiles, gpu_tiles_plan (53, "euclidean", "side", 20).tiles);
%! assert (rows (gpu_tiles_plan (X, "euclidean", "y", X(1:5,:), "side", 20).tiles), 3);
%!assert (rows (gpu_tiles_plan (1e5).tiles) > rows (gpu_tiles_plan (1e5, "euclidean", "memory_limit", 2^30).tiles))
%!error <Invalid call> gpu_tiles_plan ()
%!error <side must be a whole number of at least 1, not 0> gpu_tiles_plan (5, "euclidean", "side", 0)
%!error <memory_limit must be a whole number of at least 1048576, not 10>
%! gpu_tiles_plan (5, "euclidean", "memory_limit", 10)
%!error <x must have 0 to 2\^40 points, not -3> gpu_tiles_plan (-3)

%!demo
%! plan = gpu_tiles_plan (100000, "euclidean", "side", 50000);
%! plan.tiles
