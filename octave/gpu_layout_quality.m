## -*- texinfo -*-
## @deftypefn  {} {@var{q} =} gpu_layout_quality (@var{graph}, @var{xy})
## @deftypefnx {} {@var{q} =} gpu_layout_quality (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{q}, @var{info}] =} gpu_layout_quality (@dots{})
## Measure how well given positions of the vertices show a graph.
##
## @var{graph} is a graph as in @code{gpu_layout}, and @var{xy} has a row for each vertex and 2 or 3 columns.
## @var{q} is a structure with the fields below; a measure that is not defined for the graph is NaN.
##
## @table @code
## @item stress
## The mean of (s d / g - 1)^2 over all connected pairs of vertices, where d is their distance in the layout,
## g the number of edges on a shortest path between them, and s the factor that makes the mean least.
## @item scale
## The factor s.
## @item neighborhood
## The mean over all vertices with neighbours of Jaccard's index of two sets: the g neighbours of the vertex,
## and the g vertices nearest to it in the layout, ties by vertex number.
## @item edge_variation
## The standard deviation of the lengths of edges divided by their mean.
## @item crossings
## @itemx crossings_error
## The number of pairs of edges without a common vertex that have a point in common, ends included, decided
## exactly; and its standard error if pairs were drawn, otherwise 0.  In the plane only.
## @item energy
## As in @code{gpu_layout}.
## @item pivots
## The number of vertices from which distances in the graph were computed for the stress.
## @end table
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"weights"}, @qcode{"vertices"}
## As in @code{gpu_layout}.  Weights change only the energy.
## @item @qcode{"pivots"}
## The number of pivots; by default all of at most 5,000 vertices, otherwise 200.
## @item @qcode{"crossings"}
## The number of pairs of edges to test, drawn at random if there are more; by default all of at most 10^7
## pairs, otherwise 10^6 of them.  0: no pairs.
## @item @qcode{"seed"}
## A whole number, the seed of both samples, by default 0.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## How to compute, see @code{gpu_options}.  Layouts are measured on the CPU only.
## @end table
##
## @var{info} describes how the result was computed, as in @code{gpu_pdist}.
##
## Sources: E. R. Gansner, Y. Hu and S. North (2013), A maxent-stress model for graph layout; J. R. Shewchuk
## (1997), Adaptive precision floating-point arithmetic and fast robust geometric predicates.
##
## @example
## q = gpu_layout_quality ([1 2; 2 3; 3 4; 4 1; 1 3; 2 4], [0 0; 1 0; 1 1; 0 1]);
## q.crossings
##   @result{} 1
## @end example
##
## @seealso{gpu_layout, gpu_options}
## @end deftypefn

function [q, info] = gpu_layout_quality (graph, xy, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  options = read_options ([{"weights", "vertices"}, option_names("layout_quality")], varargin);
  graph = read_graph (graph, options);
  options.names.layout = "xy";
  [q, info] = __gpugeo__ ("layout_quality", options, graph, xy);

endfunction

%!test
%! [q, info] = gpu_layout_quality ([1 2; 2 3; 3 4; 4 1; 1 3; 2 4], [0 0; 1 0; 1 1; 0 1]);
%! assert (q.crossings, 1);
%! assert (q.crossings_error, 0);
%! assert (q.neighborhood, 1);
%! assert (q.stress, 1 - (4 + 2 * sqrt (2)) ^ 2 / 48, 1e-15);
%! assert (q.scale, (4 + 2 * sqrt (2)) / 8, 1e-15);
%! assert (q.edge_variation, std ([1 1 1 1 sqrt(2) sqrt(2)], 1) / mean ([1 1 1 1 sqrt(2) sqrt(2)]), 1e-14);
%! assert (q.energy, (4 + 2 * sqrt (8)) / 3 - log (2), 1e-12);
%! assert (q.pivots, 4);
%! assert (info.backend, "cpu");

## A line, in the plane and in space; nothing to measure.
%!test
%! q = gpu_layout_quality ([1:9; 2:10]', [2 * (1:10)', zeros(10, 1)]);
%! assert ([q.stress q.scale q.neighborhood q.edge_variation q.crossings], [0 0.5 1 0 0], 1e-12);
%! q = gpu_layout_quality ([1:9; 2:10]', int32 ([2 * (1:10)', zeros(10, 2)]));
%! assert (q.crossings, NaN);
%! assert (q.stress, 0, 1e-12);
%! q = gpu_layout_quality (zeros (0, 2), zeros (4, 2), "vertices", 4);
%! assert ([q.stress q.neighborhood q.edge_variation], NaN (1, 3));

## Samples.
%!test
%! edges = [1:300; mod(7 * (1:300), 300) + 1]';
%! xy = [sin(1:300); cos(2 * (1:300))]';
%! q = gpu_layout_quality (edges, xy);
%! s = gpu_layout_quality (edges, xy, "pivots", 100, "crossings", 20000, "seed", 3, "threads", 1);
%! assert (s.pivots, 100);
%! assert (s.crossings_error > 0 && abs (s.crossings - q.crossings) < 5 * s.crossings_error);
%! assert (abs (s.stress - q.stress) < 0.1);
%! assert (s, gpu_layout_quality (edges, xy, "pivots", 100, "crossings", 20000, "seed", 3, "threads", 3));

%!error <Invalid call> gpu_layout_quality ([1 2])
%!error <xy must be a numeric matrix, not text> gpu_layout_quality ([1 2], "text")
%!error <xy must have 2 or 3 columns, not 1> gpu_layout_quality ([1 2], [1; 2])
%!error <xy must have a row for each of the 2 vertices, not 3 rows> gpu_layout_quality ([1 2], ones (3, 2))
%!error <xy must have no missing or infinite coordinates, but row 2 has NaN> gpu_layout_quality ([1 2], [1 2; NaN 2])
%!error <pivots must be between 0 and 2 \(the vertices\), not 3> gpu_layout_quality ([1 2], ones (2), "pivots", 3)
%!error <crossings must be a whole number of at least 0, not -1> gpu_layout_quality ([1 2], ones (2), "crossings", -1)
%!error <backend must be "auto" or "cpu" for the quality of layouts, not "cuda"> gpu_layout_quality ([1 2], ones (2), "backend", "cuda")
%!error <memory_limit must be at least 1339948 bytes for a layout of 10000 vertices and 9999 edges, not 1048576>
%! gpu_layout_quality ([1:9999; 2:10000]', [1:10000; zeros(1, 10000)]', "memory_limit", 2^20)
%!test
%! gpu_layout_quality ([1:9999; 2:10000]', [1:10000; zeros(1, 10000)]', "memory_limit", 1339948);

%!demo
%! edges = [1:12; 2:12, 1]';
%! q = gpu_layout_quality (edges, gpu_layout (edges, "seed", 1));
%! printf ("stress %.3f, %d crossings\n", q.stress, q.crossings);
