## -*- texinfo -*-
## @deftypefn  {} {[@var{d}, @var{i}, @var{j}] =} gpu_closest_pair (@var{X})
## @deftypefnx {} {[@var{d}, @var{i}, @var{j}] =} gpu_closest_pair (@var{X}, @var{Y})
## @deftypefnx {} {[@var{d}, @var{i}, @var{j}] =} gpu_closest_pair (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{d}, @var{i}, @var{j}, @var{ties}, @var{info}] =} gpu_closest_pair (@dots{})
## Find the closest pairs among the rows of @var{X}, or of a row of @var{X} and a row of @var{Y}, in time
## that grows with the number of points and not with the number of pairs.
##
## @var{X} is n by 1, 2 or 3 with a point in each row, and @var{Y} has as many columns.  NaN and infinite
## values are an error. int32 matrices are computed exactly, singles as they are in doubles.  An empty
## @var{Y}, @code{[]}, is the same as none.
##
## @var{d} is a column of distances, the smallest first, and @var{i} and @var{j} are the numbers of the
## rows: both of @var{X}, with i < j, or i of @var{X} and j of @var{Y}.  Ties are ordered by i, then j.
## @var{ties} is the number of pairs, returned or not, with the smallest distance.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"k"}
## The number of pairs, a whole number between 1 (the default) and the number of all pairs.
## @item @qcode{"distinct"}
## @code{true} leaves out pairs of coincident points.  The result may then have fewer than k pairs.
## @item @qcode{"metric"}
## @qcode{"euclidean"} (the default), or @qcode{"great-circle"} for points on a sphere: the columns of
## @var{X} are longitude (between -180 and 360) and latitude (between -90 and 90) in degrees.
## @item @qcode{"sphere_radius"}
## The radius of the sphere, positive; by default the mean radius of the earth in metres, 6371008.8.
## @item @qcode{"box"}
## For points in a periodic box: a positive length for each column, or 0 for a column that is not
## periodic.  Not for great circles.
## @item @qcode{"algorithm"}
## The algorithm, which never changes the result: @qcode{"auto"} or @qcode{"grid"}, points sorted into the
## cells of a grid; or one of the schemes of Baroni, Braga and Moreano, to reproduce their measurements:
## @qcode{"sweep-v0"}, @qcode{"sweep-v1"} and @qcode{"sweep-v2"} (points sorted along the first column in
## regions of 32, without and with their optimisations 1 and 2), and @qcode{"divide-conquer"} (on the CPU
## only).  These schemes take neither @var{Y} nor a box nor great circles.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The option @qcode{"precision"} has no effect.
## @end table
##
## @var{info} is that of @code{gpu_pdist}.
##
## Distances are compared by their squares, the differences of the coordinates and their sum rounded as
## fma does, those of int32 by the exact squares.  The result is the same for any algorithm, on any number of
## threads, on the CPU and on a GPU.
##
## Source of these schemes: E. F. Baroni, G. M. Braga and N. Moreano (2020), on the closest pair of points
## on GPUs.
##
## @example
## X = [0 0; 3 4; 1 1; 9 9];
## [d, i, j] = gpu_closest_pair (X)
##   @result{} d = 1.4142
##       i = 1
##       j = 3
## @end example
##
## @seealso{gpu_collisions, gpu_pdist, gpu_options, gpu_info}
## @end deftypefn

function [d, i, j, ties, info] = gpu_closest_pair (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  [inputs, pairs] = read_inputs (X, varargin);
  options = read_options (option_names ("closest"), pairs);
  [d, i, j, ties, info] = __gpugeo__ ("closest", options, inputs{:});

endfunction

%!shared X
%! X = [0 0; 3 4; 1 1; 9 9; 1 1];
%!test
%! [d, i, j, ties] = gpu_closest_pair (X);
%! assert ({d, i, j, ties}, {0, 3, 5, 1});
%!test
%! [d, i, j, ties] = gpu_closest_pair (X, "distinct", true, "K", 2);
%! assert ({d, i, j, ties}, {sqrt([2; 2]), [1; 1], [3; 5], 2});
%!test
%! [d, i, j, ties] = gpu_closest_pair (X, [1 2; 9 9.5]);
%! assert ({d, i, j, ties}, {0.5, 4, 2, 1});
%!assert (gpu_closest_pair (X, []), 0)
%!assert (gpu_closest_pair (X, [], "k", 1), 0)
%!assert (gpu_closest_pair ([1; 5; 7]), 2)
%!assert (gpu_closest_pair ([1 1 1; 1 2 3; 0 0 0]), sqrt (3))
%!assert (gpu_closest_pair ([0.5; 5; 9.75], "box", 10), 0.75)
%!assert (gpu_closest_pair ([0.5 0; 5 6; 9.75 0.5], "box", [10 0]), sqrt (0.75^2 + 0.25))
%!assert (gpu_closest_pair ([0 0; 0 90], "metric", "great-circle", "sphere_radius", 2), pi, 1e-15)
%!assert (gpu_closest_pair ([0 0; 1 0], "metric", "great-circle"), 6371008.8 * pi / 180, 1e-8)
%!test
%! [d, i, j, ties] = gpu_closest_pair (ones (3, 2), "distinct", true);
%! assert (isempty (d) && isempty (i) && isempty (j));
%! assert (ties, 0);

## All classes of real numbers; int32 is exact.
%!test
%! for type = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "single"}
%!   [d, i, j] = gpu_closest_pair (feval (type{1}, X), "distinct", true);
%!   assert ({d, i, j}, {sqrt(2), 1, 3});
%!   assert (class (d), "double");
%! endfor
%!test
%! far = int32 ([-2147483647 0; 2147483647 1; 2147483647 -2147483647]);
%! [d, i, j, ties] = gpu_closest_pair (far);
%! assert ({i, j, ties}, {2, 3, 1});
%! assert (d, 2147483648);
%!assert (gpu_closest_pair (sparse (X), "distinct", 1), sqrt (2))
%!assert (gpu_closest_pair (X > 0, "k", 10)(end), sqrt (2))

## Against all distances.
%!test
%! rand ("twister", 1);
%! x = round (rand (300, 2) * 40) / 8;
%! all_pairs = gpu_pdist (x);
%! [first, second] = find (tril (true (300), -1));  # in the order of gpu_pdist: second is the smaller
%! [expected, order] = sortrows ([all_pairs', second, first]);
%! for algorithm = {"auto", "grid", "sweep-v0", "sweep-v1", "sweep-v2", "divide-conquer"}
%!   [d, i, j, ties, info] = gpu_closest_pair (x, "k", 50, "algorithm", algorithm{1}, "backend", "cpu");
%!   assert ([d i j], expected(1:50,:));
%!   assert (ties, sum (all_pairs == min (all_pairs)));
%!   assert (info.backend, "cpu");
%! endfor
%!testif ; numel (gpu_info ().devices) > 0
%! rand ("twister", 1);
%! x = rand (3000, 3);
%! [d, i, j, ties] = gpu_closest_pair (x, "k", 50, "backend", "cpu");
%! [e, k, l, same, info] = gpu_closest_pair (x, "k", 50, "backend", "cuda");
%! assert ({e, k, l, same}, {d, i, j, ties});
%! assert (info.backend, "cuda");

%!error <Invalid call> gpu_closest_pair ()
%!error <x must be a numeric matrix, not text> gpu_closest_pair ("text")
%!error <y must be a numeric matrix, not text> gpu_closest_pair (X, "k")
%!error <k must be a whole number, not 1.5> gpu_closest_pair (X, "k", 1.5)
%!error <k must be a whole number, not "two"> gpu_closest_pair (X, "k", "two")
%!error <k must be > gpu_closest_pair (X, "k", 11)
%!error <k must be > gpu_closest_pair (X, "k", 1e15)
%!error <distinct must be true or false, not 2> gpu_closest_pair (X, "distinct", 2)
%!error <metric must be one of > gpu_closest_pair (X, "metric", "hyperbolic")
%!error <metric must be a single string, not 1> gpu_closest_pair (X, "metric", 1)
%!error <algorithm must be one of > gpu_closest_pair (X, "algorithm", "guess")
%!error <box must be a numeric matrix, not text> gpu_closest_pair (X, "box", "ab")
%!error <box must > gpu_closest_pair (X, "box", [1 1 1])
%!error <sphere_radius must > gpu_closest_pair (X, "metric", "great-circle", "sphere_radius", "big")
%!error <row 2 > gpu_closest_pair ([1 2; NaN 1])
%!error <option must be one of "k", .*, not "colour"> gpu_closest_pair (X, "colour", 1)
%!error id=gpugeo:argument gpu_closest_pair (ones (2, 4))

%!demo
%! X = rand (1e5, 2);
%! [d, i, j] = gpu_closest_pair (X, "k", 3);
%! plot (X(1:10:end,1), X(1:10:end,2), ".", "color", "#56B4E9", "markersize", 2);
%! hold on
%! plot (X([i j](:),1), X([i j](:),2), "o", "color", "#D55E00", "markersize", 8, "linewidth", 2);
%! hold off
%! legend ("every tenth point", "the three closest pairs", "location", "northoutside");
%! printf ("The closest two of %d points are %g apart.\n", rows (X), d(1));
