## -*- texinfo -*-
## @deftypefn  {} {@var{factor} =} gpu_lof (@var{X})
## @deftypefnx {} {@var{factor} =} gpu_lof (@var{X}, @var{minpts})
## @deftypefnx {} {@var{factor} =} gpu_lof (@var{D}, @dots{}, @qcode{"Distance"}, @qcode{"precomputed"})
## @deftypefnx {} {@var{factor} =} gpu_lof (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{factor}, @var{info}] =} gpu_lof (@dots{})
## Compute local outlier factors (Breunig, Kriegel, Ng and Sander 2000): about 1 within clusters, larger for outliers.
##
## @var{X} is an n by m matrix with a point in each row, and @var{D} what @code{gpu_dbscan} takes.  The neighbours of a
## point are all others at a distance of at most the (@var{minpts} - 1)-th smallest, ties included; @var{minpts} is 5 by
## default.  The density of a point is the inverse of the mean reachability from them: the larger of the distance
## and the neighbour's (@var{minpts} - 1)-th smallest one.  @var{factor} is the column vector of the mean densities of the
## neighbours, divided by that of the point; 1 for points whose density is infinite, since enough others are equal.
## @var{info} is that of @code{gpu_pdist}.
##
## Options are those of @code{gpu_dbscan} but for @qcode{"weights"}.  The distances of neighbours must be finite.  The
## result has the same bits for any number of threads.
##
## @example
## gpu_lof ([1; 2; 3; 10], 3)'
##   @result{} 1.1667  0.8571  1.1667  4.2500
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_optics, gpu_dbscan, gpu_knnsearch, gpu_options}
## @end deftypefn

function [factor, info] = gpu_lof (X, minpts = 5, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  options = read_neighbors ({}, varargin);
  options.minpts = minpts;
  options.names.min_points = "minpts";
  [X, options] = condensed_distances (X, options);
  [factor, info] = __gpugeo__ ("lof", options, X);

endfunction

%!test
%! X = [1; 2; 3; 10];
%! ## Second smallest distances 2, 1, 2, 8; densities 1 / 2, 2 / 4, ... by hand.
%! reach = [2; 1; 2; 8];
%! near = [2 3; 1 3; 2 1; 3 2];
%! density = zeros (4, 1);
%! for i = 1:4
%!   density(i) = 2 / sum (max (reach(near(i,:)), abs (X(near(i,:)) - X(i))));
%! endfor
%! [factor, info] = gpu_lof (X, 3, "threads", 1);
%! assert (factor, mean (density(near), 2) ./ density, 1e-14);
%! assert (info.threads, 1);
%! assert (gpu_lof (gpu_pdist (X), 3, "Distance", "precomputed"), factor);
%! assert (gpu_lof (X, 3, "Distance", @(a, B) abs (B - a)), factor);
%!assert (gpu_lof ([1; 1; 1; 1; 2; 3], 3), [1; 1; 1; 1; Inf; Inf])
%!assert (gpu_lof (ones (20, 2)), ones (20, 1))
%!test  # ties: all neighbours at the distance count
%! [a, b] = meshgrid (1:4);
%! factor = gpu_lof ([a(:), b(:)], 2);
%! assert (factor, ones (16, 1));

%!error <Invalid call> gpu_lof ()
%!error <minpts must be a whole number of at least 2, not 1> gpu_lof (1:3, 1)
%!error <minpts must be between 2 and the number of points, 3, not 4> gpu_lof ((1:3)', 4)
%!error <x must have finite distances from each point to 1 others, but point 2 has fewer> gpu_lof ([1; NaN; 2], 2)
%!demo
%! X = [randn(300, 2); 8 * rand(10, 2) - 4];
%! factor = gpu_lof (X, 10);
%! scatter (X(:,1), X(:,2), 10 * factor .^ 2);
