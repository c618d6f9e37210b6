## -*- texinfo -*-
## @deftypefn {} {[@var{lines}, @var{T}, @var{outperm}, @var{crossing}] =} dendrogram_lines (@var{tree}, @var{P}, @var{order}, @var{threshold})
## Compute the lines of a dendrogram of at most @var{P} leaf nodes, 0: of all points.  @var{order} is that of the points
## from left to right, or [] for that of the tree.  @var{T} is the leaf node of each point, @var{outperm} the row of
## leaf nodes from left to right, and @var{crossing} is true if @var{order} makes branches cross.
##
## The fields @code{x} and @code{y} of @var{lines} have a column of four ends for each merge that is shown, and the row
## @code{group} the number from left to right of the cluster below @var{threshold} to which it belongs, 0: to none.
## @end deftypefn

function [lines, T, outperm, crossing] = dendrogram_lines (tree, P, order, threshold)

  n = rows (tree) + 1;
  [sizes, starts] = __gpugeo__ ("lay_out", struct ("names", struct ("merge", "tree")), tree);
  if (P == 0 || P > n)
    P = n;
  endif
  if (isempty (order))
    order(starts(1:n)) = 1:n;
  endif
  hidden = 2 * n - P;  # clusters up to this number are leaf nodes or in one
  shown = n-P+1:n-1;
  pairs = tree(shown,1:2);
  [T, nodes] = leaf_nodes (pairs(pairs <= hidden), sizes, starts, P);
  [outperm, first] = unique (T(order), "first");
  [~, first] = sort (first);
  outperm = outperm(first)';
  position(outperm) = 1:P;
  [x, crossing] = centers (pairs, nodes, position, hidden);
  lines = struct ("x", x([pairs(:,[1 1]), pairs(:,[2 2])]'), "y", [], "group", []);
  heights = [zeros(1, hidden), tree(shown,3)'];
  lines.y = [heights(pairs(:,1)); tree(shown,[3 3])'; heights(pairs(:,2))];
  lines.x = reshape (lines.x, 4, []);
  lines.group = groups_below (pairs, tree(shown,3)', hidden, threshold, x(hidden+1:end));

endfunction

## The leaf node of each point, and that of each cluster that is one.  Its number is that of its first point if this is
## at most P; others have the numbers that remain, in the order of their first points.
function [T, nodes] = leaf_nodes (clusters, sizes, starts, P)

  n = (numel (sizes) + 1) / 2;
  [~, along] = sort (starts(clusters));
  clusters = clusters(along);  # from left to right
  owner = repelem (1:P, sizes(clusters)')(starts(1:n));
  first = accumarray (owner(:), (1:n)', [P, 1], @min);
  [~, rank] = sort (first);
  number = zeros (P, 1);
  small = first <= P;
  number(small) = first(small);
  rank = rank(! small(rank));
  number(rank) = setdiff (1:P, first(small));
  T = number(owner(:));
  nodes(clusters) = number;

endfunction

## The horizontal centres of all clusters, and whether one of them has leaves that do not follow each other.
function [x, crossing] = centers (pairs, nodes, position, hidden)

  count = rows (pairs);
  x = low = high = zeros (1, hidden + count);
  leaves = find (nodes);
  x(leaves) = low(leaves) = high(leaves) = position(nodes(leaves));
  members = double (x > 0);
  crossing = false;
  for k = 1:count
    a = pairs(k,1);
    b = pairs(k,2);
    c = hidden + k;
    x(c) = (x(a) + x(b)) / 2;
    low(c) = min (low(a), low(b));
    high(c) = max (high(a), high(b));
    members(c) = members(a) + members(b);
    crossing = crossing || high(c) - low(c) >= members(c);
  endfor

endfunction

## The numbers, by their centres, of the largest clusters all of whose merges are below the threshold.
function group = groups_below (pairs, heights, hidden, threshold, x)

  count = rows (pairs);
  highest = [-Inf(1, hidden), heights];
  for k = 1:count
    highest(hidden+k) = max (highest([hidden+k, pairs(k,:)]));
  endfor
  below = highest < threshold;
  group = zeros (1, hidden + count);
  for k = count:-1:1
    c = hidden + k;
    if (below(c))
      group(c) += (group(c) == 0) * c;
      group(pairs(k,:)) = group(c);
    endif
  endfor
  group = group(hidden+1:end);
  [roots, ~, number] = unique (group(group > 0));
  [~, along] = sort (x(roots - hidden));
  rank(along) = 1:numel (roots);
  group(group > 0) = rank(number);

endfunction
