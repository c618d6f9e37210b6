## -*- texinfo -*-
## @deftypefn {} {@var{graph} =} read_graph (@var{input}, @var{options})
## Make the structure of a graph that @code{__gpugeo__} takes, with the fields edges, vertices, first and
## weights, of what the user gave: a file, an adjacency matrix, or a list of edges; and is_adjacency.
## @end deftypefn

function graph = read_graph (input, options)

  is_adjacency = false;
  if (ischar (input))
    graph = __gpugeo__ ("edges", options, input, []);
    report_edges (graph, input, false, false);
  elseif (! (isnumeric (input) || islogical (input)) || ! isreal (input) || ndims (input) != 2)
    error ("gpugeo:argument",
           "graph must be an adjacency matrix, a matrix of edges, or the path of a file, not %s", ...
           __gpugeo__ ("show", input));
  else
    graph = __gpugeo__ ("adjacency", input);
    if (isempty (graph))
      input = double (input);
      ends = input(:,1:2);
      vertices = floor (max ([0; ends(isfinite (ends))(:)]));
      graph = struct ("edges", ends, "weights", input(:,3:end), "first", 1, "vertices", vertices);
    elseif (isfield (options, "weights"))
      fail_message ("weights of edges");
    else
      is_adjacency = true;
    endif
  endif
  graph.is_adjacency = is_adjacency;

  if (isfield (options, "weights"))
    graph.weights = options.weights;
  endif
  if (isfield (options, "vertices"))
    graph.vertices = __gpugeo__ ("check_whole", options.vertices, "vertices", 0);
  endif

endfunction
