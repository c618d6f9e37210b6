## -*- texinfo -*-
## @deftypefn  {} {} gpu_dist_tiles (@var{X}, @var{fun})
## @deftypefnx {} {} gpu_dist_tiles (@var{X}, @var{fun}, @var{metric}, @dots{})
## @deftypefnx {} {@var{plan} =} gpu_dist_tiles (@dots{}, @var{name}, @var{value}, @dots{})
## Compute all tiles of a distance matrix, one after the other, in bounded memory, and call a function with
## each.
##
## @var{fun} is called with the matrix of a tile, and the row and the column of the whole matrix at which
## it begins.  All other arguments, and @var{plan}, are those of @code{gpu_tiles_plan}.
##
## @example
## near = 0;
## function count (d, row, column)
##   printf ("%d: %g\n", row, min (d(:)));
## endfunction
## gpu_dist_tiles (rand (1000, 3), @@count, "cityblock", "side", 500);
## @end example
##
## @seealso{gpu_tiles_plan, gpu_dist_tile, gpu_pdist}
## @end deftypefn

function plan = gpu_dist_tiles (X, fun, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  if (! is_function_handle (fun))
    fail_value (fun, "fun", "a function");
  endif
  plan = plan_tiles (X, varargin);
  warning ("off", "gpugeo:missing", "local");  # plan_tiles has warned of all tiles
  Y = [];
  names = find (cellfun (@(value) ischar (value) && strcmp (tolower (value), "y"), varargin));
  if (! isempty (names))
    Y = varargin{names(end)+1};
  endif
  for tile = 1:rows (plan.tiles)
    fun (gpu_dist_tile (X, plan, tile, Y), plan.tiles(tile,1), plan.tiles(tile,3));
  endfor

endfunction

%!function collect (d, row, column)
%!  global gpu_dist_tiles_whole
%!  gpu_dist_tiles_whole(row+(0:rows(d)-1),column+(0:columns(d)-1)) = d;
%!endfunction
%!test
%! rand ("twister", 1);
%! warning ("off", "gpugeo:missing", "local");
%! global gpu_dist_tiles_whole
%! X = rand (53, 4);
%! X(7,2) = NaN;
%! Y = X(5:20,:) + 1;
%! for metric = {"euclidean", "squaredeuclidean", "cityblock", "chebychev", "canberra", "binary", "minkowski", ...
%!               "seuclidean", "mahalanobis", "cosine", "correlation", "spearman", "braycurtis", "hamming", "jaccard"}
%!   gpu_dist_tiles_whole = [];
%!   gpu_dist_tiles (X, @collect, metric{1}, "side", 10);
%!   lower = tril (true (53), -1);
%!   assert (gpu_dist_tiles_whole(lower)', gpu_pdist (X, metric{1}));
%!   gpu_dist_tiles_whole = [];
%!   gpu_dist_tiles (X, @collect, metric{1}, "y", Y, "side", 15);
%!   assert (gpu_dist_tiles_whole, gpu_pdist2 (X, Y, metric{1}));
%! endfor
%! clear -global gpu_dist_tiles_whole
%!error <fun must be a function> gpu_dist_tiles (1:3, "fun")
%!error <Invalid call> gpu_dist_tiles (1:3)

%!demo
%! show = @(d, row, column) printf ("from (%d,%d): mean %.3f\n", row, column, mean (d(:)));
%! gpu_dist_tiles (rand (100, 3), show, "cityblock", "side", 60);
