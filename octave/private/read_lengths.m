## -*- texinfo -*-
## @deftypefn {} {@var{options} =} read_lengths (@var{options}, @var{graph})
## Replace lengths "weights" in the options by the weights of a graph of @code{read_graph}.
## @end deftypefn

function options = read_lengths (options, graph)

  if (! isfield (options, "lengths") || isempty (options.lengths))
    return;
  elseif (! ischar (options.lengths) || ! strcmp (options.lengths, "weights"))
    if (graph.is_adjacency)
      fail_message ("lengths of edges");
    endif
    return;
  elseif (isempty (graph.weights) && rows (graph.edges) > 0)
    fail_message ("no weights");
  endif
  options.lengths = graph.weights;

endfunction
