## -*- texinfo -*-
## @deftypefn  {} {@var{s} =} gpu_dgp_graph (@var{edges})
## @deftypefnx {} {@var{s} =} gpu_dgp_graph (@var{file})
## @deftypefnx {} {@var{s} =} gpu_dgp_graph (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{s}, @var{info}] =} gpu_dgp_graph (@dots{})
## Count the positions on the line of the vertices of a graph with given distances between some of them, and
## return the first.  Distances may be exact or intervals.
##
## @var{edges} is a matrix with a row for each known distance and the columns u, v, lower, upper, or u, v,
## distance: between the vertices u and v, numbers from 1, the distance is at least lower and at most
## upper.  @var{s} is a structure with the fields
##
## @table @code
## @item count
## The number of realizations, Inf for 2^128 or more; @code{count_text} has all digits.
## @item positions
## A row for each realization returned, a column for each vertex; the first vertex is at 0.
## @item vertices
## The numbers of the vertices.
## @item order
## A row for each vertex, in the order in which the search places them: its number, that of its predecessor,
## from which it is placed, and its block; NaN for the first.
## @item blocks
## @itemx bridges
## The number of biconnected components, and the number of those that are a single edge.
## @item backend
## The backend that was used.
## @end table
##
## A realization is determined by which end of each edge is to the left.  If u is to the left of v, x(v) -
## x(u) is within a tolerance of the interval from lower to upper.  Mirror images count separately.  Rows
## for the same two vertices are one edge, whose interval is the intersection of theirs.  The ends of an
## edge with lower = upper = 0 have the same position, and neither is to the left.  If intervals allow a
## vertex several positions, the middle is returned.  Sums are exact: the count does not depend on
## rounding.
##
## The count is the product of the counts of the blocks; a bridge has 2.  Realizations are ordered by those
## of the blocks, and that of the last block changes fastest.  A cycle of n exact distances d is counted as
## by @code{gpu_dgp (d, "tol", n * tol)}; within other blocks, each realization comes before its mirror
## image, a vertex to the right of its predecessor first.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"tol"}
## The largest deviation of a distance from its interval: at least 0, by default 1e-6.
## @item @qcode{"max_solutions"}
## The number of realizations to return, by default 10. 0 counts only.
## @item @qcode{"format"}
## The fields of a line of @var{file}, see below.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  Graphs are searched on the CPU only.  The option @qcode{"precision"} has no
## effect.
## @end table
##
## @var{file} is the path of a file in the text format of MDjeep: a line for each distance, fields separated
## by blanks.  The two vertices, numbers that need not begin with 1, and the two bounds are read; empty
## lines and lines that begin with # are ignored.  Two formats are recognized, @qcode{"Id1 Id2 lb ub"}
## (MDjeep 0.1 and 0.2) and @qcode{"Id1 Id2 groupId1 groupId2 lb ub"} (0.3), with any further fields.
## Otherwise @qcode{"format"} has a word for each field: Id1, Id2, lb and ub, and Name1, Name2, groupId1,
## groupId2, groupName1, groupName2 or ignore for fields that are ignored.  An MDfile, whose name ends in
## @file{.mdf}, contains the path of its list, the format and the separator.
##
## @var{info} is that of @code{gpu_pdist}.
##
## Sources: A. Mucherino (2018), On the exact solution of the distance geometry with interval distances in
## dimension 1; A. Mucherino and others, MDjeep 0.3.2; R. Dechter, I. Meiri and J. Pearl (1991), Temporal
## constraint networks.
##
## @example
## s = gpu_dgp_graph ([1 2 3; 2 3 4; 3 1 7; 3 4 1]);
## s.count
##   @result{} 4
## s.positions
##   @result{} 0  3  7  8
##       0  3  7  6
##       0 -3 -7 -6
##       0 -3 -7 -8
## @end example
##
## @seealso{gpu_dgp, gpu_options}
## @end deftypefn

function [s, info] = gpu_dgp_graph (edges, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  options = read_options ([option_names("dgp_graph"), {"format"}], varargin);
  [s, info] = __gpugeo__ ("dgp_graph", options, edges);

endfunction

%!test
%! s = gpu_dgp_graph ([1 2 3; 2 3 4; 3 1 7; 3 4 1]);
%! assert (s.count, 4);
%! assert (s.count_text, "4");
%! assert (sortrows (s.positions), sortrows ([0 3 7 8; 0 3 7 6; 0 -3 -7 -6; 0 -3 -7 -8]), 1e-12);
%! assert (s.vertices, 1:4);
%! assert (sort (s.order(:,1)), (1:4)');
%! assert (s.order(1,:), [1 NaN NaN]);
%! assert ([s.blocks s.bridges], [2 1]);
%! assert (s.backend, "cpu");

## Each realization is within its intervals, and the first ones are the first of all.
%!test
%! edges = [1 2 1 2; 2 3 0.5 1; 3 4 1 1; 4 1 0 3; 2 4 0.5 2; 4 5 0 1];
%! [s, info] = gpu_dgp_graph (edges, "tol", 0, "max_solutions", 100, "threads", 1);
%! assert (s.count, rows (s.positions));
%! for k = 1:rows (edges)
%!   d = abs (s.positions(:,edges(k,1)) - s.positions(:,edges(k,2)));
%!   assert (all (d >= edges(k,3) - 1e-12 & d <= edges(k,4) + 1e-12));
%! endfor
%! assert (info.threads, 1);
%! t = gpu_dgp_graph (edges, "tol", 0, "max_solutions", 3);
%! assert (t.positions, s.positions(1:3,:));
%! assert (isempty (gpu_dgp_graph (edges, "max_solutions", 0).positions));

## Counts beyond 2^53 and 2^128.
%!assert (gpu_dgp_graph ([1:100; 2:101; ones(1, 100)]', "max_solutions", 0).count_text, "1267650600228229401496703205376")
%!test
%! s = gpu_dgp_graph ([1:128; 2:129; ones(1, 128)]', "max_solutions", 1);
%! assert (s.count, Inf);
%! assert (s.count_text, "2^128 or more");
%! assert (s.positions, 0:128);

## A cycle has the count of gpu_dgp.
%!test
%! d = gpu_dgp_instance (40, 2);
%! s = gpu_dgp_graph ([1:40; 2:40 1; d']', "tol", 0);
%! t = gpu_dgp (d, "tol", 0);
%! assert (s.count, t.count);
%! assert (sortrows (s.positions), sortrows (t.positions(:,1:40)), 1e-12);

## No realization, single and integer storage.
%!assert (gpu_dgp_graph ([1 2 1; 2 3 1; 3 1 1]).count, 0)
%!assert (size (gpu_dgp_graph ([1 2 1; 2 3 1; 3 1 1]).positions), [0 3])
%!assert (gpu_dgp_graph (int32 ([1 2 1; 2 3 1])).count, 4)
%!assert (gpu_dgp_graph (single ([1 2 1; 2 3 1])).count, 4)

## Files.
%!function write_file (file, varargin)
%!  id = fopen (file, "w");
%!  fprintf (id, "%s\n", varargin{:});
%!  fclose (id);
%!endfunction
%!test
%! file = tempname ();
%! unwind_protect
%!   write_file (file, "  5   6  1.0  1.0  N   CA  THR THR", "# a remark", "", ...
%!               "  6   7  2.0  2.0  CA  C   THR THR", "  7   5  2.9  3.1  C   N   THR THR");
%!   s = gpu_dgp_graph (file);
%!   assert (s.vertices, 5:7);
%!   assert (s.count, 2);
%!   assert (abs (s.positions), [0 1 3; 0 1 3], 1e-12);
%!   write_file (file, "2 1 9 9 1.5 2", "3 2 9 9 1 1");
%!   assert (gpu_dgp_graph (file).positions(1,:), [0 1.75 2.75]);
%!   assert (gpu_dgp_graph (file, "format", "Id1 Id2 ignore ub ignore lb").count, 0 + 4);
%! unwind_protect_cleanup
%!   unlink (file);
%! end_unwind_protect
%!test
%! folder = tempname ();
%! mkdir (folder);
%! list = fullfile (folder, "list.txt");
%! file = fullfile (folder, "one.mdf");
%! unwind_protect
%!   write_file (list, "1;a;2;0.5;1.5");
%!   write_file (file, "# remark", "instance: one", "with file: list.txt", ...
%!               "with format: Id1 ignore Id2 lb ub", "with separator: ';'", "algorithm: bp");
%!   assert (gpu_dgp_graph (file).positions, [0 1; 0 -1]);
%! unwind_protect_cleanup
%!   unlink (list);
%!   unlink (file);
%!   rmdir (folder);
%! end_unwind_protect
%!test
%! file = tempname ();
%! unwind_protect
%!   write_file (file, "5 6 1 1", "7 8 1 1");
%!   fail ("gpu_dgp_graph (file)", "must be connected; it has 2 components: \\{5, 6\\}, \\{7, 8\\}");
%!   write_file (file, "5 6 1 1", "7 x 1 1");
%!   fail ("gpu_dgp_graph (file)", "line 2: Id2 must be a whole number of at least 0, not \"x\"");
%!   write_file (file, "5 6 1");
%!   fail ("gpu_dgp_graph (file)", "line 1: there must be 4 fields, not 3");
%!   write_file (file, "5 6 1 y");
%!   fail ("gpu_dgp_graph (file)", "line 1: ub must be a number, not \"y\"");
%!   write_file (file, "");
%!   fail ("gpu_dgp_graph (file)", "must hold a distance");
%!   fail ("gpu_dgp_graph (file, \"format\", \"Id1 Id2 lb\")", "format must have each of Id1, Id2, lb and ub once");
%!   fail ("gpu_dgp_graph (file, \"format\", \"Id1 Id2 lb top\")", "format must consist of .*, not \"top\"");
%! unwind_protect_cleanup
%!   unlink (file);
%! end_unwind_protect

%!error <Invalid call> gpu_dgp_graph ()
%!error <file "no such file" cannot be read: No such file> gpu_dgp_graph ("no such file")
%!error <format is for files only> gpu_dgp_graph ([1 2 1], "format", "Id1 Id2 lb ub")
%!error <edges must be a numeric matrix, not a cell array> gpu_dgp_graph ({})
%!error <edges must have 3 or 4 columns .*, not 2> gpu_dgp_graph ([1 2])
%!error <the graph must have a vertex> gpu_dgp_graph (zeros (0, 3))
%!error <edge 2 must join two vertices, not 2 with itself> gpu_dgp_graph ([1 2 1; 2 2 1])
%!error <edge 1 \(1, 2\): lower must be at most upper, which is 1, not 2> gpu_dgp_graph ([1 2 2 1])
%!error <edge 1: the first vertex must be a whole number of at least 1, not NaN> gpu_dgp_graph ([NaN 2 2 1])
%!error <it has 2 components: \{1, 2\}, \{3, 4\}> gpu_dgp_graph ([1 2 1; 3 4 1])
%!error <tol must be at least 0 and finite, not Inf> gpu_dgp_graph ([1 2 1], "tol", Inf)
%!error <max_solutions must be a whole number, not 0.5> gpu_dgp_graph ([1 2 1], "max_solutions", 0.5)
%!error <backend must be "auto" or "cpu" for graphs, not "cuda"> gpu_dgp_graph ([1 2 1], "backend", "cuda")
%!error id=gpugeo:argument gpu_dgp_graph ([1 2 -1])

%!demo
%! s = gpu_dgp_graph ([1 2 3; 2 3 4; 3 4 5; 4 1 2; 1 5 1]);
%! lines = plot (s.positions', "o-");
%! set (lines(:), {"linewidth"}, num2cell (10 ./ (1:numel (lines))'));  # so that all show where they have one way
%! colours = {"#0072B2", "#E69F00", "#009E73", "#CC79A7"};
%! set (lines(:), {"color"}, colours(mod (0:numel (lines)-1, 4) + 1)');
%! xlabel ("vertex"); ylabel ("position");
%! legend (strsplit (strtrim (sprintf ("solution %d\n", 1:numel (lines))), "\n"), "location", "northoutside");
%!error <memory_limit must be at least 2739750 bytes for a graph of 10000 vertices and 9999 edges, not 1048576>
%! gpu_dgp_graph ([1:9999; 2:10000; ones(2, 9999)]', "memory_limit", 2^20, "max_solutions", 0)
%!test
%! gpu_dgp_graph ([1:9999; 2:10000; ones(2, 9999)]', "memory_limit", 2739750, "max_solutions", 0);
