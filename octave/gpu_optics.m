## -*- texinfo -*-
## @deftypefn  {} {@var{o} =} gpu_optics (@var{X})
## @deftypefnx {} {@var{o} =} gpu_optics (@var{X}, @var{epsilon}, @var{minpts})
## @deftypefnx {} {@var{o} =} gpu_optics (@var{D}, @dots{}, @qcode{"Distance"}, @qcode{"precomputed"})
## @deftypefnx {} {@var{o} =} gpu_optics (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{o}, @var{info}] =} gpu_optics (@dots{})
## Order points by density (OPTICS, Ankerst, Breunig, Kriegel and Sander 1999).
##
## @var{X} is an n by m matrix with a point in each row, and @var{D} what @code{gpu_dbscan} takes.  The core distance of a
## point is the smallest within which it has @var{minpts} points, itself included, by default 5.  A point is reached from
## another one, at a distance of at most @var{epsilon}, by the larger of that one's core distance and their distance.  The
## next point is the one with the smallest reachability from all points before; of several the one with the highest
## number.  If there is none, the first point that is left begins a part.  @var{epsilon} @code{[]}, the default, is the
## largest distance of a point to its neighbour of number @var{minpts}.
##
## @var{o} is a structure of column vectors: @code{order}, the points as they are visited; @code{reachdist}, the
## reachability of each point, Inf if it begins a part; @code{coredist}, its core distance, Inf if it is larger than
## @var{epsilon}; @code{predecessor}, the point from which it is reached, 0 for none; and the numbers @code{minpts} and
## @code{epsilon}.  @var{info} is that of @code{gpu_pdist}.
##
## Options are those of @code{gpu_dbscan} but for @qcode{"weights"}.
##
## With @var{epsilon} the neighbours of all points are stored.  Without it the distances of a point are computed when it is
## visited, in memory that grows with n; those of great circles are stored.  Points at a missing distance are not
## near each other.  The result has the same bits for any number of threads.
##
## @example
## gpu_optics ([1; 1.2; 1.4; 5; 5.1; 9], 1, 2).order'
##   @result{} 1  2  3  4  5  6
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_lof, gpu_dbscan, gpu_hdbscan, gpu_options}
## @end deftypefn

function [o, info] = gpu_optics (X, epsilon = [], minpts = 5, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  options = read_neighbors ({}, varargin);
  options.epsilon = epsilon;
  options.minpts = minpts;
  options.names.eps = "epsilon";
  options.names.min_points = "minpts";
  [X, options] = condensed_distances (X, options);
  [values, epsilon, info] = __gpugeo__ ("optics", options, X);
  o = struct ("order", values(:,1), "reachdist", values(:,2), "coredist", values(:,3), "predecessor", values(:,4), ...
              "minpts", minpts, "epsilon", epsilon);

endfunction

%!shared X
%! X = [1; 1.2; 1.4; 5; 5.1; 9];
%!test
%! [o, info] = gpu_optics (X, 1, 2, "threads", 1);
%! assert (o.order, (1:6)');
%! assert (o.reachdist, [Inf; 0.2; 0.2; Inf; 0.1; Inf], 1e-14);
%! assert (o.coredist, [0.2; 0.2; 0.2; 0.1; 0.1; Inf], 1e-14);
%! assert (o.predecessor, [0; 1; 2; 0; 4; 0]);
%! assert ({o.minpts, o.epsilon, info.threads}, {2, 1, 1});
%!test  # of equal reachabilities the highest number is first
%! assert (gpu_optics ([0; -1; 1; -2; 2], 1, 2).order, [1; 3; 5; 2; 4]);
%!test
%! o = gpu_optics (X, [], 2);
%! assert (o.epsilon, 4, 1e-14);
%! assert (o.reachdist, [Inf; 0.2; 0.2; 3.6; 0.1; 3.9], 1e-14);
%! assert (o, gpu_optics (X, o.epsilon, 2));
%! assert (o, gpu_optics (gpu_pdist (X), [], 2, "Distance", "precomputed"));
%! assert (o, gpu_optics (X, [], 2, "Distance", @(a, B) abs (B - a)));
%!assert (gpu_optics (X).minpts, 5)

%!error <Invalid call> gpu_optics ()
%!error <epsilon must be a number of at least 0, not -1> gpu_optics (X, -1, 2)
%!error <minpts must be a whole number of at least 1, not 0> gpu_optics (X, 1, 0)
%!error <minpts must be less than the number of points, 6, unless eps is given, not 6> gpu_optics (X, [], 6)
%!error <option must be one of > gpu_optics (X, 1, 2, "weights", 1)
%!demo
%! X = [randn(300, 2); randn(300, 2) * 0.5 + 5];
%! o = gpu_optics (X, [], 10);
%! bar (o.reachdist(o.order));
%! ylabel ("reachability");
