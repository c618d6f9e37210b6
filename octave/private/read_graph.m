## -*- texinfo -*-
## @deftypefn {} {@var{graph} =} read_graph (@var{input}, @var{options})
## Make the structure of a graph that @code{__gpugeo__} takes, with the fields edges, vertices, first and
## weights, of what the user gave: a file, an adjacency matrix, or a list of edges.
## @end deftypefn

function graph = read_graph (input, options)

  if (ischar (input))
    graph = __gpugeo__ ("edges", options, input, []);
    report_edges (graph, input, false, false);
  elseif (! (isnumeric (input) || islogical (input)) || ! isreal (input) || ndims (input) != 2)
    error ("gpugeo:argument",
           "graph must be an adjacency matrix, a matrix of edges, or the path of a file, not %s", ...
           __gpugeo__ ("show", input));
  elseif (is_list (input))
    input = double (input);
    ends = input(:,1:2);
    vertices = floor (max ([0; ends(isfinite (ends))(:)]));
    graph = struct ("edges", ends, "weights", input(:,3:end), "first", 1, "vertices", vertices);
  else
    graph = of_adjacency (input);
    if (isfield (options, "weights"))
      error ("gpugeo:argument", ...
             "weights are for lists of edges: an adjacency matrix has its own");
    endif
  endif

  if (isfield (options, "weights"))
    graph.weights = options.weights;
  endif
  if (isfield (options, "vertices"))
    graph.vertices = options.vertices;
    if (! (isnumeric (graph.vertices) && isscalar (graph.vertices) && graph.vertices >= 0 ...
           && graph.vertices == fix (graph.vertices)))
      error ("gpugeo:argument", "vertices must be a whole number of at least 0, not %s", ...
             __gpugeo__ ("show", graph.vertices));
    endif
  endif

endfunction

## True if a matrix lists edges, by the rule of is_edge_matrix() in R: a full matrix of two columns, or of
## three with weights in the last.  Square ones that are symmetric are adjacency matrices: those of 2 by 2 if
## also the diagonal is 0, which is the number of no vertex.
function yes = is_list (input)

  yes = false;
  if (! issparse (input) && any (columns (input) == [2 3]))
    symmetric = issymmetric (double (input));
    yes = ! (symmetric && (columns (input) == 3 || ! any (diag (input))));
  endif

endfunction

## Each pair of vertices is an edge, the diagonal none.
function graph = of_adjacency (input)

  if (rows (input) != columns (input))
    error ("gpugeo:argument", ...
           ["graph must have 2 columns, or 3 with weights, or be square as an adjacency matrix is, " ...
            "not %d x %d"], ...
           rows (input), columns (input));
  endif
  input = double (input);
  [i, j] = find (isnan (input), 1);
  if (! isempty (i))
    error ("gpugeo:argument", ...
           "graph must have no missing values, but row %d and column %d has one", i, j);
  elseif (! isequal (input, input.'))
    error ("gpugeo:argument", ...
           "graph must be symmetric where it is an adjacency matrix: graph + graph' is");
  endif
  [j, i, weights] = find (tril (input, -1));
  graph = struct ("edges", [i(:), j(:)], "weights", weights(:), "first", 1, ...
                  "vertices", rows (input));

endfunction
