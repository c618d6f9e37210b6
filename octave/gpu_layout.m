## -*- texinfo -*-
## @deftypefn  {} {@var{xy} =} gpu_layout (@var{A})
## @deftypefnx {} {@var{xy} =} gpu_layout (@var{edges})
## @deftypefnx {} {@var{xy} =} gpu_layout (@var{file})
## @deftypefnx {} {@var{xy} =} gpu_layout (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{xy}, @var{info}] =} gpu_layout (@dots{})
## Compute positions in the plane or in space for the vertices of a graph, by the forces of Fruchterman and
## Reingold, or by stress.  @code{gplot (@var{A}, @var{xy})} draws the result.
##
## The graph is a symmetric adjacency matrix @var{A}, in which a nonzero element is the weight of an edge; or
## a matrix of @var{edges}, m by 2 with the numbers of two vertices in each row, from 1, or m by 3 with a
## weight in the third column; or the path of a @var{file}, see @code{gpu_read_edges}.  A sparse
## matrix is an adjacency matrix.  A full matrix of 3 by 3 is one if it is symmetric, and one of 2 by 2 if also
## its diagonal is 0; other full matrices of 2 or 3 columns list edges.  Edges have no direction, the weights of edges between the same two vertices are added,
## and edges from a vertex to itself are ignored.
##
## @var{xy} has a row for each vertex.  Two vertices at a distance d repel each other by 1 / d, and an edge of
## weight w attracts its ends by w d^2.  The components of a graph are laid out separately and packed next to
## each other, unless @qcode{"init"}, @qcode{"fixed"} or bounds are given.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"dim"}
## 2 (the default) or 3.
## @item @qcode{"weights"}
## The weight of each of @var{edges}, between 0 and 1e9, by default 1; attraction is proportional to it.
## @item @qcode{"vertices"}
## The number of vertices, if the last ones have no edge.
## @item @qcode{"iterations"}
## Maximum number of iterations on the full graph; by default 500, or 50 after coarser graphs.
## @item @qcode{"init"}
## Initial positions: a matrix of the size of @var{xy}; by default random positions.
## @item @qcode{"fixed"}
## Vertices that keep their positions in init: a logical value for each vertex, or vertex numbers.
## @item @qcode{"lower"}, @qcode{"upper"}
## Bounds of the positions: a number, one for each dimension, or a matrix of the size of @var{xy}.
## @item @qcode{"start_temp"}
## The temperature of the first iteration, which is the longest move allowed; it falls linearly to 0.  By
## default about the square root of the number of vertices, a tenth of it with init, and half the mean length
## of the edges after coarser graphs.
## @item @qcode{"tolerance"}
## Iterations stop when no vertex moves further than this, by default 0.
## @item @qcode{"repulsion"}
## How the repulsion between all vertices is summed: @qcode{"exact"}, over all pairs; @qcode{"barnes-hut"},
## groups of distant vertices by one expansion each; @qcode{"auto"} (the default), exact up to 700 vertices
## on the CPU and 20,000 on a GPU, as measured to be faster.
## @item @qcode{"theta"}
## Barnes-Hut: a group is summed by its expansion if its size is less than theta times its distance; between
## 0 and 2, by default 1.2 in the plane and 1 in space.
## @item @qcode{"expansion_order"}
## Barnes-Hut: order of the multipole expansion of a group: 0, 2 or 4 (the default) in the plane, 0 or 2 (the
## default) in space.
## @item @qcode{"multilevel"}
## @code{true} lays out coarser graphs first: smaller graphs in which pairs of vertices are contracted.  They
## are not made of components of up to 128 vertices.  The smallest graph starts from classical scaling of the
## distances in it, and so does a component that has none; components of up to 64 vertices that are not the
## largest start from random positions.
## @code{false} does not.  @qcode{"auto"} (the default) does unless init, fixed or bounds are given, with
## which @code{true} is an error.
## @item @qcode{"seed"}
## A whole number, the seed of all random numbers.  By default it is drawn by @code{rand}.
## @item @qcode{"algorithm"}
## @qcode{"fr"} (the default): the forces of Fruchterman and Reingold, which show neighbours and clusters.
## @qcode{"stress"}: distances in the layout are those in the graph, which shows the shape of the whole.
## @qcode{"stress-fr"}: a layout between both, which keeps at least 0.9 of the neighbours that @qcode{"fr"} keeps.
## @item @qcode{"pivots"}
## Stress: the number of vertices from which distances in the graph are computed, by default 200.  In components
## of up to 1,000 vertices it is all of them.
## @item @qcode{"lengths"}
## Stress: the length of each of @var{edges}, between 1e-300 and 1e300, by default 1.  @qcode{"weights"} takes
## the weights of the graph.
## @item @qcode{"constrain"}
## Stress: coordinates that vertices keep, a matrix of the size of @var{xy}, NaN where they are free.
## @item @qcode{"radius"}
## Stress: the distance of each vertex from the origin, at least 0, in the unit of the lengths; NaN: free.
## @item @qcode{"focus"}
## Stress: the number of a vertex, which is placed at the origin; all others are at their distance in the graph
## from it.
## @item @qcode{"init_weight"}
## Stress: how strongly vertices are pulled to their positions in init, between 0 (the default) and 1, for
## example those of the same vertices in the graph of an earlier time.  A vertex moves to the mean of init, with
## this weight, and of the minimum of its stress, with the rest.
## @item @qcode{"callback"}, @qcode{"callback_every"}
## A function handle that is called with the positions, the iteration and the temperature every
## callback_every (by default 10) iterations, for example to store the frames of an animation.
## @item @qcode{"coords"}, @qcode{"niter"}, @qcode{"start.temp"}
## The names of init, iterations and start_temp in @code{layout_with_fr} of igraph.
## @item @qcode{"minx"}, @qcode{"miny"}, @qcode{"minz"}, @qcode{"maxx"}, @qcode{"maxy"}, @qcode{"maxz"}
## As in igraph, the columns of lower and upper: a number, or one for each vertex.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## How to compute, see @code{gpu_options}.  The option precision of @code{gpu_options} is ignored.
## @end table
##
## @var{info} describes how the result was computed, as in @code{gpu_pdist}, with the further fields
## @code{iterations}, the number of iterations on the full graph; @code{converged}, true if no vertex moved
## further than the tolerance in the last one; @code{energy}, the sum over edges of w d^3 / 3 minus the sum
## over pairs of vertices of a component of log (d); and @code{temperature}: with it as start_temp and
## @var{xy} as init, another call continues the layout.
##
## Layouts by stress minimize the sum of w (d - g)^2 over pairs of vertices, where d is their distance in the
## layout, g their distance in the graph, and w = 1 / g^2: over all pairs of up to 1,000 vertices; in larger
## components over the edges, and over the pairs of a vertex and a pivot with the weight s / g^2, where s is the
## number of vertices for which the pivot stands.  The first 50 pivots are each the vertex that is farthest from
## those before it; others are drawn in proportion to the squares of these distances.  start_temp, repulsion, theta, expansion_order, multilevel and
## weights must not be given.  Weights in @var{A} or @var{edges} are ignored
## unless they are the lengths.  With one of constrain, radius and focus, which bounds exclude, the layout without
## it is turned and moved to fit, unless init is given, and stress is minimized among the layouts that keep it.
## Layouts with lengths, constrain, radius, focus or init_weight, components of up to 1,000 vertices and paths of
## more than 65,000 edges are computed on the CPU.
## @var{info} has the field @code{algorithm} and, of these layouts, @code{pivots}
## and @code{stress}, which is defined as in @code{gpu_layout_quality}.  @qcode{"stress-fr"} has the options of
## stress but radius, focus and init_weight, and is moved by up to 30 iterations of forces in the end.  A component
## that then keeps fewer than 0.9 of the neighbours that it keeps with @qcode{"fr"}, or does not have less stress,
## starts again from the layout of @qcode{"fr"}, in steps that lower its stress as long as 0.9 of these neighbours
## are kept, unless init, iterations, bounds or constrain are given.
##
## On 22 graphs of up to 40,000 vertices the geometric mean of the stress was .046 with @qcode{"fr"}, .029 with
## @qcode{"stress"} and .038 with @qcode{"stress-fr"}, which kept .55, .51 and .54 of the neighbours.
##
## For the same seed the result has the same bits on any number of threads and in every run of the same
## backend.  The CPU and a GPU give different layouts.
##
## Sources: T. M. J. Fruchterman and E. M. Reingold (1991), Graph drawing by force-directed placement;
## M. Ortmann, M. Klimenta and U. Brandes (2017), A sparse stress model; U. Brandes and C. Pich (2007),
## Eigensolver methods for progressive multidimensional scaling of large data.
##
## @example
## A = sparse ([1 2 3 4], [2 3 4 1], 1, 4, 4);  A = A + A';
## gplot (A, gpu_layout (A))
## @end example
##
## @seealso{gpu_layout_quality, gpu_read_edges, gplot, gpu_options}
## @end deftypefn

function [xy, info] = gpu_layout (graph, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  own = [option_names("layout"), {"weights", "vertices", "callback"}];
  foreign = {"coords", "niter", "start.temp", "minx", "miny", "minz", "maxx", "maxy", "maxz"};
  options = take_igraph_names (read_options ([own, foreign], varargin));
  graph = read_graph (graph, options);
  if (isfield (options, "weights") && isfield (options, "algorithm") && ischar (options.algorithm) ...
      && strncmpi (options.algorithm, "s", 1))
    fail_message ("weights by stress", options.algorithm);
  endif
  options = read_lengths (options, graph);
  if (! isfield (options, "seed"))
    options.seed = floor (rand () * 2 ^ 53);
  endif
  if (isfield (options, "fixed"))
    options.fixed = read_fixed (options.fixed, graph.vertices);
  endif
  for name = {"lower", "upper"}
    if (isfield (options, name{1}))
      options.(name{1}) = read_bounds (options.(name{1}), graph.vertices, options);
    endif
  endfor
  [xy, info] = __gpugeo__ ("layout", options, graph);

endfunction

## Returns options without those of the names that igraph gives them.
function options = take_igraph_names (options)

  names = {"coords", "niter", "start.temp"; "init", "iterations", "start_temp"};
  for pair = names(:,isfield (options, names(1,:)))
    options = set_once (options, pair{2}, options.(pair{1}), pair{1});
  endfor
  options = rmfield (options, intersect (fieldnames (options), names(1,:)));
  sides = {"lower", "upper"; "min", "max"; -Inf, Inf};
  for side = sides
    columns = cellfun (@(axis) [side{2} axis], {"x", "y", "z"}, "UniformOutput", false);
    given = isfield (options, columns);
    if (! any (given))
      continue;
    endif
    columns = columns(1:2 + (isfield (options, "dim") && isequal (options.dim, 3)));
    if (any (given(numel (columns)+1:end)))
      error ("gpugeo:argument", "%sz must be given with dim 3 only", side{2});
    endif
    bounds = cellfun (@(name) column_bounds (options, name, side{3}), columns, "UniformOutput", false);
    options = set_once (options, side{1}, bind_bounds (bounds, columns), columns{find (given, 1)});
    options = rmfield (options, columns(given(1:numel (columns))));
  endfor

endfunction

## The bounds of a column of the positions, a number or a column vector with one for each vertex.
function bounds = column_bounds (options, name, free)

  bounds = free;
  if (isfield (options, name))
    bounds = options.(name);
    if (! (isnumeric (bounds) && isreal (bounds) && isvector (bounds)))
      fail_value (bounds, name, "a number or one for each vertex");
    endif
    bounds = bounds(:);
  endif

endfunction

function bounds = bind_bounds (bounds, names)

  lengths = cellfun (@numel, bounds);
  longest = max (lengths);
  if (any (lengths != 1 & lengths != longest))
    error ("gpugeo:argument", "%s must be a number or one for each vertex, as many as others, not %d numbers", ...
           names{find (lengths != 1 & lengths != longest, 1)}, min (lengths(lengths > 1)));
  endif
  bounds = cellfun (@(column) repmat (column, longest / numel (column), 1), bounds, "UniformOutput", false);
  bounds = [bounds{:}];

endfunction

## Sets an option that must not be given by its own name, too.
function options = set_once (options, own, value, name)

  if (isfield (options, own))
    fail_message ("same argument", name, own);
  endif
  options.(own) = value;

endfunction

## Returns 1 for fixed vertices and 0 for others.
function fixed = read_fixed (fixed, vertices)

  if (islogical (fixed))
    fixed = int32 (fixed(:));
    return;
  endif
  allowed = isnumeric (fixed) & ismember (fixed, 1:vertices);
  if (! all (allowed(:)))
    wrong = fixed;
    if (isnumeric (fixed))
      wrong = fixed(! allowed)(1);
    endif
    fail_message ("fixed", vertices, "", __gpugeo__ ("show", wrong));
  endif
  numbers = fixed;
  fixed = zeros (vertices, 1, "int32");
  fixed(numbers) = 1;

endfunction

## Repeats bounds to a value for each vertex and dimension; the core refuses other lengths.
function bounds = read_bounds (bounds, vertices, options)

  dim = 2;
  if (isfield (options, "dim"))
    dim = options.dim;
  endif
  if (isnumeric (bounds) && isscalar (dim) && any (numel (bounds) == [1, dim]) ...
      && numel (bounds) != vertices * dim)
    bounds = repmat (bounds(:).', vertices, dim / numel (bounds));
  endif

endfunction

%!shared A, edges
%! edges = [1 2; 2 3; 3 4; 4 1; 4 5];
%! A = sparse (edges(:,1), edges(:,2), 1, 5, 5);
%! A = A + A';

## All forms of a graph.
%!test
%! [xy, info] = gpu_layout (A, "seed", 1);
%! assert (size (xy), [5 2]);
%! assert (all (isfinite (xy(:))));
%! assert (info.backend, gpu_info ().backends(1).backend);
%! assert (isfinite (info.energy) && info.iterations == 500 && info.temperature == 0);
%! assert (gpu_layout (full (A), "seed", 1), xy);
%! assert (gpu_layout (edges, "seed", 1), xy);
%! assert (gpu_layout ([edges, ones(5, 1)], "seed", 1), xy);
%! assert (gpu_layout (edges, "weights", ones (5, 1), "seed", 1), xy);
%! assert (gpu_layout (int32 (edges), "seed", 1), xy);
%! assert (gpu_layout (A > 0, "seed", 1), xy);
%! assert (gpu_layout ([edges; 3 3], "seed", 1), xy);
%!test
%! file = tempname ();
%! unwind_protect
%!   id = fopen (file, "w");
%!   fprintf (id, "%d %d\n", edges' - 1);
%!   fclose (id);
%!   assert (gpu_layout (file, "seed", 1), gpu_layout (edges, "seed", 1));
%! unwind_protect_cleanup
%!   unlink (file);
%! end_unwind_protect
## The names of igraph.
%!test
%! rand ("twister", 1);
%! given = {"seed", 1, "dim", 3};
%! start = rand (5, 3);
%! low = -rand (5, 1);
%! xy = gpu_layout (edges, given{:}, "init", start, "iterations", 20, "start_temp", 0.3, ...
%!                  "lower", [low, -ones(5, 1), -Inf(5, 1)], "upper", [Inf, 1, 0.9]);
%! assert (gpu_layout (edges, given{:}, "coords", start, "niter", 20, "start.temp", 0.3, "minx", low', "minY", -1, ...
%!                     "maxy", 1, "maxz", 0.9), xy);
%! assert (gpu_layout (edges, "seed", 1, "minx", -1), gpu_layout (edges, "seed", 1, "lower", [-1, -Inf]));
%! assert (gpu_layout (edges, "seed", 1, "niter", []), gpu_layout (edges, "seed", 1));
%!error <coords must not be given with init, which is the same argument> gpu_layout (edges, "coords", 1, "init", 1)
%!error <start.temp must not be given with start_temp> gpu_layout (edges, "start.temp", 1, "start_temp", 1)
%!error <maxy must not be given with upper> gpu_layout (edges, "maxy", 1, "upper", 1)
%!error <minz must be given with dim 3 only> gpu_layout (edges, "minz", 1)
%!error <minx must be a number or one for each vertex, not "a"> gpu_layout (edges, "minx", "a")
%!error <minx must be a number or one for each vertex, as many as others, not 2 numbers> gpu_layout (edges, "minx", [1 2], "miny", 1:5)
%!error <iterations must be a whole number> gpu_layout (edges, "niter", 1.5)

%!assert (size (gpu_layout (edges, "dim", 3)), [5 3])
%!assert (size (gpu_layout (edges, "vertices", 7)), [7 2])
%!assert (size (gpu_layout (zeros (0, 2))), [0 2])
%!assert (size (gpu_layout (sparse (3, 3))), [3 2])

## Small full matrices: adjacency matrices and lists of edges.
%!assert (gpu_layout ([0 1 1; 1 0 1; 1 1 0], "seed", 2), gpu_layout ([1 2; 1 3; 2 3], "seed", 2))
%!assert (gpu_layout (ones (3), "seed", 2), gpu_layout ([1 2; 1 3; 2 3], "seed", 2))
%!assert (gpu_layout ([1 2 1; 2 3 4; 3 1 1], "seed", 2), gpu_layout ([1 2; 2 3; 3 1], "weights", [1 4 1], "seed", 2))
%!assert (gpu_layout ([0 3; 3 0], "seed", 2), gpu_layout ([1 2], "weights", 3, "seed", 2))
%!assert (gpu_layout ([1 2; 2 1], "seed", 2), gpu_layout ([1 2], "weights", 2, "seed", 2))
%!assert (gpu_layout ([1 2; 2 3], "seed", 2), gpu_layout ([1 2 1; 2 3 1], "seed", 2))
%!assert (size (gpu_layout (zeros (2), "seed", 2)), [2 2])
%!error <edge 1: the first vertex must be a whole number between 1 and 2> gpu_layout ([0 2 1])

## The same bits for any number of threads; rand draws the seed.
%!test
%! xy = gpu_layout (edges, "seed", 3, "threads", 1);
%! assert (gpu_layout (edges, "seed", 3, "threads", 3), xy);
%! assert (! isequal (gpu_layout (edges, "seed", 4), xy));
%! rand ("twister", 5);
%! first = gpu_layout (edges);
%! rand ("twister", 5);
%! assert (gpu_layout (edges), first);

## A layout is continued.
%!test
%! start = [0 0; 1 0; 2 1; 0 3; -1 1];
%! whole = gpu_layout (edges, "init", start, "iterations", 40, "start_temp", 1);
%! [half, info] = gpu_layout (edges, "init", start, "iterations", 0, "start_temp", 1);
%! assert (half, start);
%! assert (info.iterations, 0);
%! fixed = gpu_layout (edges, "init", start, "fixed", [2 5]);
%! assert (fixed([2 5],:), start([2 5],:));
%! assert (! isequal (fixed(1,:), start(1,:)));
%! assert (gpu_layout (edges, "init", start, "fixed", logical ([0 1 0 0 1])), fixed);
%! bounded = gpu_layout (edges, "lower", [0 -1], "upper", 1);
%! assert (all (bounded(:,1) >= 0 & bounded(:,2) >= -1) && all (bounded(:) <= 1));

## Stress: a grid is not folded.
%!test
%! [i, j] = ndgrid (1:12, 1:9);
%! at = reshape (1:108, 12, 9);
%! grid = [at(1:end-1,:)(:), at(2:end,:)(:); at(:,1:end-1)(:), at(:,2:end)(:)];
%! [xy, info] = gpu_layout (grid, "algorithm", "stress", "seed", 1);
%! assert (info.algorithm, "stress");
%! assert (info.pivots, 108);
%! q = gpu_layout_quality (grid, xy);
%! assert (info.stress, q.stress, 1e-12);
%! assert (q.crossings, 0);
%! assert (info.stress < 0.02);
%! assert (gpu_layout (grid, "algorithm", "stress", "seed", 1, "threads", 3), xy);
%! [near, info] = gpu_layout (grid, "algorithm", "stress-fr", "seed", 1);
%! assert (info.algorithm, "stress-fr");
%! assert (info.stress, gpu_layout_quality (grid, near).stress, 1e-12);
%! assert (near, xy, 2);
%! assert (! isequal (near, xy));
%! line = gpu_layout ([1 2; 2 3], "algorithm", "stress", "lengths", [2 5], "seed", 1);
%! assert (norm (line(1,:) - line(3,:)), 7, 1e-2);
%! assert (gpu_layout ([1 2 2; 2 3 5], "algorithm", "stress", "lengths", "weights", "seed", 1), line);
%! [~, info] = gpu_layout (edges, "seed", 1);
%! assert (info.algorithm, "fr");
%! assert (! isfield (info, "stress"));
%!error <algorithm must be one of "fr", "stress", "stress-fr", not "kk"> gpu_layout (edges, "algorithm", "kk")
%!error <pivots must be a whole number of at least 1, not 0> gpu_layout (edges, "algorithm", "stress", "pivots", 0)
%!error <lengths must not be given with algorithm "fr"> gpu_layout (edges, "lengths", 1:5)
%!error <radius must not be given with algorithm "stress-fr">
%! gpu_layout ([1 2], "algorithm", "stress-fr", "radius", [0 1]);
%!error <weights must not be given with algorithm "stress"> gpu_layout (edges, "algorithm", "stress", "weights", 1:5)
%!error <theta must not be given with algorithm "stress"> gpu_layout (edges, "algorithm", "stress", "theta", 1)
%!error <edge 2 \(2, 3\): length must be between 1e-300 and 1e\+300, not 0> gpu_layout ([1 2; 2 3], "algorithm", "stress", "lengths", [1 0])

## Constraints.
%!test
%! [i, j] = ndgrid (1:6, 1:5);
%! at = reshape (1:30, 6, 5);
%! grid = [at(1:end-1,:)(:), at(2:end,:)(:); at(:,1:end-1)(:), at(:,2:end)(:)];
%! given = {"algorithm", "stress", "seed", 1};
%! xy = gpu_layout (grid, given{:}, "focus", 3);
%! assert (sqrt (sumsq (xy, 2)), gpu_graph_distances (grid, 3)', 1e-13);
%! radius = [NaN, 1:29];
%! xy = gpu_layout (grid, given{:}, "radius", radius);
%! assert (sqrt (sumsq (xy(2:end,:), 2)), (1:29)', 1e-13);
%! xy = gpu_layout (grid, given{:}, "constrain", [i(:), NaN(30, 1)]);
%! assert (xy(:,1), i(:));
%! start = [i(:), 2 * j(:)];
%! near = gpu_layout (grid, given{:}, "init", start, "init_weight", 0.9);
%! far = gpu_layout (grid, given{:}, "init", start, "init_weight", 0.1);
%! assert (norm (near - start) < norm (far - start));
%!error <focus must not be given with algorithm "fr"> gpu_layout (edges, "focus", 1)
%!error <focus must be between 1 and 5 \(the vertices\), not 6> gpu_layout (edges, "algorithm", "stress", "focus", 6)
%!error <radius must have a value for each of the 5 vertices, not 2 values> gpu_layout (edges, "algorithm", "stress", "radius", 1:2)
%!error <constrain must have 10 values> gpu_layout (edges, "algorithm", "stress", "constrain", 1:2)
%!error <init_weight must be given with init> gpu_layout (edges, "algorithm", "stress", "init_weight", 1)

## Frames.
%!function keep (xy, iteration, temperature)
%!  global gpu_layout_frames
%!  gpu_layout_frames(end+1,:) = [size(xy), iteration, temperature];
%!endfunction
%!test
%! global gpu_layout_frames
%! gpu_layout_frames = zeros (0, 4);
%! gpu_layout (edges, "iterations", 40, "callback", @keep, "callback_every", 20);
%! assert (rows (gpu_layout_frames), 2);
%! assert (gpu_layout_frames(:,1:2), [5 2; 5 2]);
%! assert (diff (gpu_layout_frames(:,3)), 20);
%! assert (diff (gpu_layout_frames(:,4)) < 0);
%! clear -global gpu_layout_frames
%!error <enough> gpu_layout (edges, "callback", @(varargin) error ("enough"))

%!error <Invalid call> gpu_layout ()
%!error <graph must be an adjacency matrix> gpu_layout ({})
%!error <graph must have 2 columns, or 3 with weights, or be square .*, not 2 x 5> gpu_layout (ones (2, 5))
%!error <graph must be symmetric> gpu_layout (triu (ones (4)))
%!error <graph must have no missing values, but row 2 and column 1> gpu_layout ([0 1 1 1; NaN 0 1 1; 1 1 0 1; 1 1 1 0])
%!error <edge 1: the first vertex must be a whole number between 1 and 2 \(the vertices\), not 0> gpu_layout ([0 1; 1 2])
%!error <edge 1 \(1, 2\): weight must be between 0 and 1000000000, not -1> gpu_layout ([1 2 -1])
%!error <weights must have a value for each of the 5 edges, not 2> gpu_layout (edges, "weights", [1 2])
%!error <weights are for lists of edges> gpu_layout (A, "weights", 1:5)
%!error <vertices must be a whole number> gpu_layout (edges, "vertices", 2.5)
%!error <dim must be 2 or 3, not 4> gpu_layout (edges, "dim", 4)
%!error <dim must be a whole number, not "two"> gpu_layout (edges, "dim", "two")
%!error <iterations must be a whole number of at least 0, not -1> gpu_layout (edges, "iterations", -1)
%!error <init must have 10 values> gpu_layout (edges, "init", ones (4, 2))
%!error <fixed must be true or false .* from 1 to 5, not 6> gpu_layout (edges, "init", ones (5, 2), "fixed", 6)
%!error <fixed must be given with init> gpu_layout (edges, "fixed", 1)
%!error <lower must be at most upper> gpu_layout (edges, "lower", 1, "upper", 0)
%!error <start_temp must be a positive finite number, not "hot"> gpu_layout (edges, "start_temp", "hot")
%!error <tolerance must be at least 0 and finite, not a cell array> gpu_layout (edges, "tolerance", {})
%!error <repulsion must be one of "auto", "exact", "barnes-hut", not "fast"> gpu_layout (edges, "repulsion", "fast")
%!error <theta must be between 0 and 2, not 3> gpu_layout (edges, "theta", 3)
%!error <expansion_order must be 0, 2 or 4 in the plane, not 1> gpu_layout (edges, "expansion_order", 1)
%!error <multilevel must be true, false or "auto", not "some"> gpu_layout (edges, "multilevel", "some")
%!error <seed must be a whole number of at least 0, not -1> gpu_layout (edges, "seed", -1)
%!error <callback must be a function, not 1> gpu_layout (edges, "callback", 1)
%!error <callback_every must be a whole number of at least 1, not 0> gpu_layout (edges, "callback", @plot, "callback_every", 0)
%!error <cannot be read> gpu_layout ("no such file")
%!error <option must be one of "dim", .*, not "colour"> gpu_layout (edges, "colour", 1)
%!error id=gpugeo:argument gpu_layout (edges, "theta", -1)

%!demo
%! edges = [2:255; fix((2:255) / 2)]';
%! A = sparse (edges(:,1), edges(:,2), 1, 255, 255);
%! [x, y] = gplot (A + A', gpu_layout (edges));
%! plot (x, y, "-o", "color", "#0072B2", "markersize", 3);
%! axis equal off
