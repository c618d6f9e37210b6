## -*- texinfo -*-
## @deftypefn {} {} check_tree (@var{tree})
## Raise an error unless @var{tree} has the fields of a tree with the types that the core takes.  The core checks the
## edges.
## @end deftypefn

function check_tree (tree)

  if (! (isstruct (tree) && isscalar (tree) && all (isfield (tree, {"edges", "lengths", "names"}))))
    error ("gpugeo:argument", "tree must be a structure with the fields edges, lengths and names, not %s", ...
           __gpugeo__ ("show", tree));
  endif
  edges = tree.edges;
  lengths = tree.lengths;
  if (! (isnumeric (edges) && isreal (edges) && ndims (edges) == 2 && columns (edges) == 2))
    error ("gpugeo:argument", "tree must have a matrix of two columns as edges, not %s", __gpugeo__ ("show", edges));
  elseif (! (isnumeric (lengths) && isreal (lengths) && any (numel (lengths) == [0, rows(edges)])))
    error ("gpugeo:argument", "tree must have a length for each of the %d edges, or none, not %s", rows (edges), ...
           __gpugeo__ ("show", lengths));
  elseif (! iscellstr (tree.names))
    error ("gpugeo:argument", "tree must have a cell array of strings as names, not %s", ...
           __gpugeo__ ("show", tree.names));
  elseif (isfield (tree, "node_names") && ! iscellstr (tree.node_names))
    error ("gpugeo:argument", "tree must have a cell array of strings as node_names, not %s", ...
           __gpugeo__ ("show", tree.node_names));
  endif

endfunction
