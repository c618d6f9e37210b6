## -*- texinfo -*-
## @deftypefn  {} {@var{n} =} gpu_collisions (@var{X}, @var{radius})
## @deftypefnx {} {@var{n} =} gpu_collisions (@var{X}, @qcode{"radii"}, @var{r})
## @deftypefnx {} {@var{result} =} gpu_collisions (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{result}, @var{info}] =} gpu_collisions (@dots{})
## Find the rows of @var{X}, or the rows of @var{X} and of another matrix, within a distance of each other: their
## number, or by the option @qcode{"what"} the number for each point or each pair of groups, or the pairs.
## The time grows with the number of points and of collisions, not with the number of all pairs.
##
## @var{X} is n by 1, 2 or 3 with a point in each row.  NaN and infinite values are an error.  Singles
## are computed as they are in doubles.  Two points collide at a distance of at most
## @var{radius}, a positive number.  There is no default: a call with neither @var{radius} nor
## @qcode{"radii"} is an error.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"radius"}
## @var{radius} by name.
## @item @qcode{"radii"}
## Instead, a positive number for each row of @var{X} and then for each row of @var{Y}: two points collide
## at a distance of at most the sum of theirs.
## @item @qcode{"Y"}
## @var{Y}, a matrix with as many columns as @var{X}: the collisions of a row of @var{X} and a row of
## @var{Y} are searched instead of those within @var{X}.  An empty one, @code{[]}, is the same as none.
## @item @qcode{"exclude"}
## A whole number: points of a chain, one in each row, do not collide with those at most so many rows before
## or after.  Without @var{Y} only.
## @item @qcode{"group"}
## For @qcode{"table"}: the group of each row of @var{X} and then of @var{Y}, a vector of numbers without
## NaN or a cell array of text.
## @item @qcode{"box"}
## For points in a periodic box: a length for each column that is at least twice the radius (or the
## largest sum of two radii), or 0 for a column that is not periodic.
## @item @qcode{"what"}
## The content of @var{result}:
##
## @table @asis
## @item @qcode{"count"} (the default)
## the number of pairs that collide, exact up to 2^53;
## @item @qcode{"per_point"}
## a column with the number of collisions of each row of @var{X};
## @item @qcode{"pairs"}
## a row [i j] for each pair, ordered by i, then j: without @var{Y} both are row numbers of @var{X} and
## i < j, with it j is one of @var{Y};
## @item @qcode{"indices"}, @qcode{"ijd"} or @qcode{"all"}
## the same pairs as closepairs in R's spatstat: the rows [i j]; or a structure with the columns @code{i}, @code{j}
## and the distance @code{d}; or with the coordinates @code{xi}, @code{yi}, @code{zi}, @code{xj}, @code{yj},
## @code{zj} and the differences @code{dx}, @code{dy} and @code{dz} from i to j, too, in a periodic box to the
## nearest image of j.  @qcode{"all"} is not for great circles;
## @item @qcode{"table"}
## a symmetric matrix with the number of collisions for each pair of groups; with @var{Y}, the groups of
## @var{X} are in rows and those of @var{Y} in columns.  @code{info.groups} has the groups, sorted.
## @end table
## @item @qcode{"twice"}
## @code{true}: pairs are listed twice, also as j and i.  Without @var{Y} only.
## @item @qcode{"algorithm"}
## The algorithm, which never changes the result: @qcode{"grid"}, points sorted into the cells of a grid;
## @qcode{"usual"} or @qcode{"cyclic"}, all pairs in one of two orders (each point with those after it, or
## with the half of all others that follows it in a circle; @qcode{"cyclic"} without @var{Y} only);
## @qcode{"lattice"}, for whole numbers and a radius below 1: only equal points collide;
## @qcode{"auto"} (the default), one of these.
## @item @qcode{"metric"}
## @qcode{"euclidean"} (the default), or @qcode{"great-circle"} for points on a sphere, as for
## @code{gpu_closest_pair}: the columns of @var{X} are longitude (between -180 and 360) and latitude (between
## -90 and 90) in degrees.  Great circles go without a box and @qcode{"lattice"}, and are computed on the CPU
## unless @qcode{"backend"} is @qcode{"cuda"}; the CPU then tests the pairs that the GPU finds, which are in memory
## until then.
## @item @qcode{"sphere_radius"}
## The radius of the sphere, positive; radii have its unit.  By default the mean radius of the earth in metres,
## 6371008.8.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The option @qcode{"precision"} has no effect.
## @end table
##
## @var{info} is that of @code{gpu_pdist}.
##
## Points collide if their distance, rounded as @code{gpu_pdist} and @code{gpu_closest_pair} round it, is at
## most the radius (or sum of radii): those of @code{gpu_rangesearch} are the same pairs.  The result is the
## same for any algorithm, on any number of threads, on the CPU and on a GPU.
## Memory is proportional to the number of points, for any range of coordinates, and with @qcode{"pairs"} to
## the number of points and pairs.
##
## Source: ElfColCnt, counting collisions among objects in the three-dimensional space.
##
## @example
## X = [0 0 0; 0 0 1; 0 0 3];
## gpu_collisions (X, 1)
##   @result{} 1
## gpu_collisions (X, 2, "what", "pairs")
##   @result{} 1 2
##      2 3
## @end example
##
## @seealso{gpu_collisions_launch, gpu_closest_pair, gpu_pdist, gpu_options, gpu_info}
## @end deftypefn

function [result, info] = gpu_collisions (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  [inputs, options, groups, form] = read_collide (X, varargin);
  if (isempty (form))
    [result, info] = __gpugeo__ ("collide", options, inputs{:});
  else
    [pairs, info, d] = __gpugeo__ ("collide", options, inputs{:});
    box = [];
    if (isfield (options, "box"))
      box = options.box;
    endif
    result = list_pairs (form, pairs, d, inputs, box);
  endif
  if (! isempty (groups))
    info.groups = groups{1};
  endif

endfunction

%!shared X
%! X = [0 0 0; 0 0 1; 0 0 3; 0 0 3];
%!assert (gpu_collisions (X, 1), 2)
%!assert (gpu_collisions (X, 2), 4)
%!assert (gpu_collisions (X, 2, "what", "pairs"), [1 2; 2 3; 2 4; 3 4])
%!assert (gpu_collisions (X, 1, "what", "per_point"), [1; 1; 1; 1])
%!assert (gpu_collisions (X, "exclude", 1, "radius", 2, "what", "pairs"), [2 4])
%!assert (gpu_collisions (X, "radii", [0.5 0.5 1.5 1e-3], "what", "pairs"), [1 2; 2 3; 3 4])
%!assert (gpu_collisions (X, 1, "box", [0 0 4], "what", "pairs"), [1 2; 1 3; 1 4; 3 4])
%!assert (gpu_collisions (X, 1, "y", [0 0 4; 0 1 1], "what", "pairs"), [2 2; 3 1; 4 1])
%!assert (gpu_collisions (X, 1, "y", [0 0 4; 0 1 1], "what", "per_point"), [0; 1; 1; 1])
%!assert (gpu_collisions (X, "y", [0 0 4], "radii", [1 1 1 1 2]), 3)
%!assert (gpu_collisions (X, 1, "y", []), 2)
%!assert (gpu_collisions (zeros (0, 3), 1), 0)
%!assert (gpu_collisions (zeros (0, 3), 1, "what", "pairs"), zeros (0, 2))
%!assert (gpu_collisions ([1 2 3], 1), 0)

## Great circles: over the date line and a pole, and locations with several names.
%!shared X, G
%! G = [179.9 0; -179.9 0; 20 90; -70 90; 200 0; 0 89.5; 180 89.5];
%!assert (gpu_collisions (G, 0.9, "metric", "great-circle", "sphere_radius", 180 / pi), 6)
%!assert (gpu_collisions (G, 30000, "metric", "great-circle", "what", "pairs"), [1 2; 3 4])
%!assert (gpu_collisions (G, 0.6, "y", [0 90], "metric", "great-circle", "sphere_radius", 180 / pi, "what", "per_point"), [0; 0; 1; 1; 0; 1; 1])
%!error <algorithm must not be "lattice" with metric "great-circle"> gpu_collisions (G, 1, "metric", "great-circle", "algorithm", "lattice")
%!error <box must be given with metric "euclidean", not "great-circle"> gpu_collisions (G, 1, "metric", "great-circle", "box", [1 1])
%!shared X
%! X = [0 0 0; 0 0 1; 0 0 3; 0 0 3];
%!assert (gpu_collisions ([1 2 3], 1, "what", "per_point"), 0)
%!test
%! [table, info] = gpu_collisions (X, 2, "what", "table", "group", [7 5 7 7]);
%! assert (table, [0 3; 3 1]);
%! assert (info.groups, [5; 7]);
%!test
%! for what = {"table", "TABLE", "ta"}
%!   [table, info] = gpu_collisions (X, 2, "what", what{1}, "group", {"b", "a", "b", "b"});
%!   assert (table, [0 3; 3 1]);
%!   assert (info.groups, {"a"; "b"});
%! endfor
%!test
%! [table, info] = gpu_collisions (X, 1, "y", [0 0 4; 0 1 1], "what", "table", "group", [1 1 2 2 3 1]);
%! assert (table, [1 0 0; 0 0 2; 0 0 0]);
%!assert (gpu_collisions (X, 1, "what", "table", "group", int8 ([1 2 3 3])), [0 1 0; 1 0 0; 0 0 1])
%!assert (gpu_collisions (zeros (0, 3), 1, "what", "table", "group", []), [])

## All classes of real numbers.
%!test
%! for type = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "single"}
%!   result = gpu_collisions (feval (type{1}, X), 1, "what", "pairs");
%!   assert (result, [1 2; 3 4]);
%!   assert (class (result), "double");
%! endfor
%!assert (gpu_collisions (sparse (X), 1, "what", "pairs"), [1 2; 3 4])
%!assert (gpu_collisions (int32 (X), "algorithm", "lattice", "radius", 0.5), 1)

## Against all distances; the same with any algorithm and number of threads.
%!test
%! rand ("twister", 1);
%! x = round (rand (200, 3) * 8) / 4;
%! close = gpu_pdist (x) <= 0.75;
%! [second, first] = find (tril (true (200), -1));
%! expected = sortrows ([first second](close,:));
%! for algorithm = {"auto", "grid", "usual", "cyclic"}
%!   for threads = 1:2
%!     given = {"radius", 0.75, "algorithm", algorithm{1}, "threads", threads, "backend", "cpu"};
%!     [result, info] = gpu_collisions (x, given{:}, "what", "pairs");
%!     assert (result, expected);
%!     assert (info.backend, "cpu");
%!     assert (gpu_collisions (x, given{:}), rows (expected));
%!     assert (gpu_collisions (x, given{:}, "what", "per_point"), accumarray (expected(:), 1, [200 1]));
%!   endfor
%! endfor
%!test # two points collide at their distance, and not below it
%! rand ("twister", 2);
%! for trial = 1:100
%!   x = rand (2, 3) / 4;
%!   r = gpu_closest_pair (x, "box", [1 1 1]);
%!   assert (gpu_collisions (x, r, "box", [1 1 1]), 1);
%!   assert (gpu_collisions (x, r * (1 - 2^-53), "box", [1 1 1]), 0);
%! endfor
%!testif ; numel (gpu_info ().devices) > 0
%! rand ("twister", 1);
%! x = rand (3000, 3);
%! [result, info] = gpu_collisions (x, "radius", 0.1, "what", "pairs", "backend", "cuda");
%! assert (result, gpu_collisions (x, "radius", 0.1, "what", "pairs", "backend", "cpu"));
%! assert (info.backend, "cuda");

%!error <Invalid call> gpu_collisions ()
%!error <x must be a numeric matrix, not text> gpu_collisions ("text", 1)
%!error <y must be a numeric matrix, not text> gpu_collisions (X, 1, "y", "radius")
%!error <radius must be given, or radii> gpu_collisions (X)
%!error <radius must be given, or radii> gpu_collisions (X, [])
%!error <radius must be given, or radii> gpu_collisions (X, "what", "pairs")
%!error <radius must not be given twice> gpu_collisions (X, 1, "Radius", 2)
%!error <radius must be a positive finite number, not "radius"> gpu_collisions (X, "radius")
%!error <radius must be a positive finite number, not a 4 x 3 matrix> gpu_collisions (X, X)
%!error <radius must be .*, not 0> gpu_collisions (X, "radius", 0)
%!error <radius must be a positive finite number, not "one"> gpu_collisions (X, "radius", "one")
%!error <radii must have a value for each of the 4 points, not 3 values>
%! gpu_collisions (X, "radii", [1 1 1])
%!error <radii must be a numeric matrix, not text> gpu_collisions (X, "radii", "abcd")
%!error <exclude must be a whole number, not 0.5> gpu_collisions (X, 1, "exclude", 0.5)
%!error <exclude must be > gpu_collisions (X, 1, "exclude", -1)
%!error <group must be given with what = "table"> gpu_collisions (X, 1, "what", "table")
%!error <group must be a vector with a value for each point>
%! gpu_collisions (X, 1, "what", "table", "group", {1, 2, 3, 4})
%!error <group must be a vector with a value for each point>
%! gpu_collisions (X, 1, "what", "table", "group", "abcd")
%!error <group must have no missing values, but value 2 is missing>
%! gpu_collisions (X, 1, "what", "table", "group", [1 NaN 2 2])
%!error <group must have a value for each of the 4 points, not 3 values>
%! gpu_collisions (X, 1, "what", "table", "group", [1 2 2])
%!error <what must be one of "count", "per_point", "pairs", "table", not "some">
%! gpu_collisions (X, 1, "what", "some")
%!error <twice must be false, except for pairs of rows of X> gpu_collisions (X, 1, "twice", true)
%!error <twice must be false, except for pairs of rows of X>
%! gpu_collisions (X, 1, "what", "all", "Y", X, "twice", true)
%!error <twice must be true or false, not 2> gpu_collisions (X, 1, "what", "all", "twice", 2)
%!error <what must not be "all" for great circles; "ijd" is taken>
%! gpu_collisions ([0 0; 1 1], 1, "what", "all", "metric", "great-circle")
%!test
%! x = [0 0; 3 4; 10 0; 0 2];
%! all = gpu_collisions (x, 5, "what", "all");
%! assert (all, struct ("i", [1; 1; 2], "j", [2; 4; 4], "xi", [0; 0; 3], "yi", [0; 0; 4], "xj", [3; 0; 0], ...
%!                      "yj", [4; 2; 2], "dx", [3; 0; -3], "dy", [4; 2; -2], "d", [5; 2; sqrt(13)]));
%! assert (gpu_collisions (x, 5, "what", "ijd"), struct ("i", all.i, "j", all.j, "d", all.d));
%! assert (gpu_collisions (x, 5, "what", "indices"), [all.i, all.j]);
%! twice = gpu_collisions (x, 5, "what", "all", "twice", true);
%! assert ([twice.i, twice.j, twice.dx], [1 2 3; 1 4 0; 2 1 -3; 2 4 -3; 4 1 0; 4 2 3]);
%! assert (gpu_collisions (x, 5, "what", "pairs", "twice", true), [twice.i, twice.j]);
%! cross = gpu_collisions (x, 3, "Y", [1 1], "what", "all");
%! assert ([cross.i, cross.j, cross.dx, cross.dy], [1 1 1 1; 4 1 1 -1]);
%! box = gpu_collisions ([1; 9], 2, "box", 10, "what", "all");
%! assert ({box.dx, box.d}, {-2, 2});
%!error <algorithm must be one of > gpu_collisions (X, 1, "algorithm", "guess")
%!error <box must > gpu_collisions (X, 1, "box", 1)
%!error <row 3 > gpu_collisions ([1; 2; -Inf], 1)
%!error <option must be one of "radius", .*, not "k"> gpu_collisions (X, "k", 1)

%!demo
%! X = rand (1e5, 3);
%! n = gpu_collisions (X, 0.01, "what", "per_point");
%! hist (n, 0:max (n), "facecolor", "#0072B2");
%! xlabel ("points within 0.01"); ylabel ("number of points");
%! printf ("%d pairs of %d points are within 0.01.\n", sum (n) / 2, rows (X));
