## -*- texinfo -*-
## @deftypefn  {} {@var{D} =} gpu_graph_distances (@var{graph})
## @deftypefnx {} {@var{D} =} gpu_graph_distances (@var{graph}, @var{from})
## @deftypefnx {} {@var{D} =} gpu_graph_distances (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{D}, @var{info}] =} gpu_graph_distances (@dots{})
## Compute the lengths of shortest paths from some vertices of a graph, or from all, to all vertices.
##
## @var{graph} is a graph as in @code{gpu_layout}, and @var{from} are numbers of vertices; by default, and if
## it is [], all.  @var{D} has a row for each of them and a column for each vertex, Inf where there is no path,
## or where its length is beyond the range of numbers.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"from"}
## The same as the argument.
## @item @qcode{"lengths"}
## The length of each edge, positive and finite; by default 1, so that distances are numbers of edges.
## @qcode{"weights"} takes the weights of the graph: the third column, or the elements of an adjacency matrix.
## @item @qcode{"vertices"}
## The number of vertices, if the last ones have no edge.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## How to compute, see @code{gpu_options}.
## @end table
##
## Edges have no direction.  Of several edges between two vertices the shortest counts, and the weights of the
## graph are ignored unless they are the lengths.  The result has the same bits on any number of threads
## and on any backend.  Lengths are added from the vertex in @var{from} on.
##
## @var{info} describes how the result was computed, as in @code{gpu_pdist}.
##
## Sources: E. W. Dijkstra (1959), A note on two problems in connexion with graphs; M. Then and others (2014),
## The more the merrier: efficient multi-source graph traversal.
##
## @example
## gpu_graph_distances ([1 2; 2 3; 3 4], 1)
##   @result{} 0 1 2 3
## @end example
##
## @seealso{gpu_layout, gpu_options}
## @end deftypefn

function [D, info] = gpu_graph_distances (graph, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  from = [];
  if (nargin > 1 && ! ischar (varargin{1}))
    from = varargin{1};
    varargin(1) = [];
  endif
  options = read_options ([{"vertices"}, option_names("graph_distances")], varargin);
  if (! isempty (from))
    options.from = from;
  endif
  graph = read_graph (graph, options);
  graph.edges += (graph.first == 0);
  graph.first = 1;
  options = read_lengths (options, graph);
  graph.weights = [];
  [D, info] = __gpugeo__ ("graph_distances", options, graph);

endfunction

%!assert (gpu_graph_distances ([1 2; 2 3; 3 4], 1), [0 1 2 3])
%!assert (gpu_graph_distances ([1 2; 3 4]), [0 1 Inf Inf; 1 0 Inf Inf; Inf Inf 0 1; Inf Inf 1 0])
%!assert (gpu_graph_distances ([1 2; 2 3; 1 3; 3 1], [3 1 3], "lengths", [1 2 9 4]), [3 2 0; 0 1 3; 3 2 0])
%!assert (gpu_graph_distances ([1 2 1; 2 3 2; 1 3 9], "from", 3, "lengths", "weights"), [3 2 0])
%!assert (gpu_graph_distances ([1 2 1; 2 3 2; 1 3 9], 3), [1 1 0])
%!assert (gpu_graph_distances ([1 2], [], "vertices", 3), [0 1 Inf; 1 0 Inf; Inf Inf 0])
%!assert (size (gpu_graph_distances (zeros (0, 2))), [0 0])
%!assert (gpu_graph_distances (zeros (0, 2), "vertices", 1), 0)
%!test
%! A = sparse ([1 2 3], [2 3 4], [2 3 0.5], 4, 4);
%! A = A + A';
%! assert (gpu_graph_distances (A, 4, "lengths", "weights"), [5.5 3.5 0.5 0]);
%! assert (gpu_graph_distances (full (A), 4), [3 2 1 0]);

## A random graph against Floyd and Warshall's algorithm.  The lengths are whole numbers, so that sums are exact.
%!test
%! rand ("twister", 7);
%! edges = ceil (60 * rand (110, 2));
%! for lengths = {ones(110, 1), ceil(100 * rand (110, 1))}
%!   D = Inf (60);
%!   for e = 1:110
%!     D(edges(e,1),edges(e,2)) = D(edges(e,2),edges(e,1)) = min (D(edges(e,1),edges(e,2)), lengths{1}(e));
%!   endfor
%!   D(1:61:end) = 0;
%!   for k = 1:60
%!     D = min (D, D(:,k) + D(k,:));
%!   endfor
%!   [got, info] = gpu_graph_distances (edges, "lengths", lengths{1}, "vertices", 60);
%!   assert (got, D);
%!   assert (info.backend, "cpu");
%!   assert (gpu_graph_distances (edges, "lengths", lengths{1}, "vertices", 60, "threads", 3), D);
%! endfor
%!test
%! file = tempname ();
%! unwind_protect
%!   id = fopen (file, "w");
%!   fprintf (id, "%d %d\n", [0 1 2; 1 2 3]);
%!   fclose (id);
%!   assert (gpu_graph_distances (file, 1), [0 1 2 3]);
%! unwind_protect_cleanup
%!   unlink (file);
%! end_unwind_protect

%!error <Invalid call> gpu_graph_distances ()
%!error <graph must be an adjacency matrix> gpu_graph_distances ({})
%!error <from must be whole numbers between 1 and 2 \(the vertices\), not 3> gpu_graph_distances ([1 2], [1 3])
%!error <from must be whole numbers between 1 and 2 \(the vertices\), not NaN> gpu_graph_distances ([1 2], NaN)
%!error <lengths must have a value for each of the 1 edges, not 2 values> gpu_graph_distances ([1 2], 1, "lengths", [1 2])
%!error <edge 1 \(1, 2\): length must be positive and finite, not 0> gpu_graph_distances ([1 2], 1, "lengths", 0)
%!error <lengths must be numbers, not "weights": the graph has no weights> gpu_graph_distances ([1 2], 1, "lengths", "weights")
%!error <lengths are for lists of edges> gpu_graph_distances (ones (4), 1, "lengths", 1)
%!error <lengths must be a numeric .*, not text> gpu_graph_distances ([1 2], 1, "lengths", "long")

%!testif ; numel (gpu_info ().devices) > 0
%! rand ("twister", 1);
%! edges = randi (300, 900, 2);
%! for lengths = {[], rand(900, 1)}
%!   [D, info] = gpu_graph_distances (edges, "lengths", lengths{1}, "vertices", 300, "backend", "cuda");
%!   assert (info.backend, "cuda");
%!   assert (D, gpu_graph_distances (edges, "lengths", lengths{1}, "vertices", 300, "backend", "cpu"));
%! endfor

%!demo
%! edges = [1:12; 2:12, 1]';
%! disp (gpu_graph_distances (edges, [1 7]));
