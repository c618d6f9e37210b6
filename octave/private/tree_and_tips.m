## -*- texinfo -*-
## @deftypefn {} {[@var{tree}, @var{tips}] =} tree_and_tips (@var{tree}, @var{lengths}, @var{taxa}, @var{count})
## Return the tree of samples of @var{count} taxa, and the number of the tip of each taxon, for the functions of gpugeo
## only.
##
## @var{tree} is a structure, or with @var{lengths} the parent of each node, 0 for the root.  @var{taxa} has the names
## of the taxa; @code{[]}: they are the first tips, and @var{tips} is @code{[]}.
## @end deftypefn

function [tree, tips] = tree_and_tips (tree, lengths, taxa, count)

  if (! isstruct (tree) && ! isempty (lengths))
    tree = tree_of_parents (tree, lengths);
  endif
  check_tree (tree);
  tips = [];
  if (isempty (taxa))
    return;
  endif
  if (! iscellstr (taxa) || numel (taxa) != count)
    fail_value (taxa, "taxa", sprintf ("a cell array of %d strings, the names of the columns", count));
  endif
  [found, tips] = ismember (taxa(:), tree.names(:));
  if (! all (found))
    fail_message ("taxa without tips", first_names (taxa(! found)));
  endif
  [sorted, order] = sort (tree.names(:));
  twice = intersect (sorted(find (strcmp (sorted(1:end-1), sorted(2:end)))), taxa(:));
  if (! isempty (twice))
    fail_message ("equal tips", twice{1});
  endif

endfunction

## Return the first five names as text, and the number of all if there are more.
function text = first_names (names)

  text = strjoin (strcat ('"', names(1:min (5, end)), '"')(:)', ', ');
  if (numel (names) > 5)
    text = sprintf ('%s, ..., %d in all', text, numel (names));
  endif

endfunction

## Return the structure of a tree.  Tips are the nodes that are no parent, in their order.
function tree = tree_of_parents (parent, lengths)

  n = numel (parent);
  if (! isnumeric (parent) || ! isvector (parent) || n < 2 || any (parent(:) != round (parent(:)))
      || ! all (parent(:) >= 0 & parent(:) <= n) || sum (parent(:) == 0) != 1)
    fail_value (parent, "parent", "the number of the parent of each node, and 0 for the root");
  endif
  if (! isnumeric (lengths) || numel (lengths) != n)
    fail_value (lengths, "length", sprintf ("a number for each of the %d nodes", n));
  endif
  parent = double (parent(:));
  below = find (parent > 0);
  is_tip = true (n, 1);
  is_tip(parent(below)) = false;
  tips = find (is_tip);
  inner = find (! is_tip & parent > 0);
  number = zeros (n, 1);
  number([tips; find(parent == 0); inner]) = 1:n;
  tree = struct ("edges", [number(parent(below)), number(below)], "lengths", double (lengths(below)(:)), ...
                 "names", {repmat({""}, numel (tips), 1)});

endfunction
