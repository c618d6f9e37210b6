## -*- texinfo -*-
## @deftypefn  {} {} gpu_dendrogram (@var{tree})
## @deftypefnx {} {} gpu_dendrogram (@var{tree}, @var{P})
## @deftypefnx {} {} gpu_dendrogram (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {} gpu_dendrogram (@var{ax}, @dots{})
## @deftypefnx {} {[@var{H}, @var{T}, @var{outperm}, @var{lines}] =} gpu_dendrogram (@dots{})
## Draw the dendrogram of a hierarchical clustering, as @code{dendrogram} does, up to tens of thousands of leaves.
##
## @var{tree} is the n - 1 by 3 matrix that @code{gpu_linkage} or @code{linkage} returns for n points.  At most @var{P}
## leaf nodes are drawn, by default 30; 0: a leaf for each point.  If there are more points, the lowest merges are left
## out, and a leaf node may have several points.  @var{ax} are the axes to draw in, by default the current ones.
##
## Branches do not cross: the first cluster of each row of @var{tree} is on the left.  @code{gpu_optimalleaforder}
## finds a better order.
##
## @var{H} has a line object for each colour, which draws all merges of that colour; MATLAB has an object for each
## merge.  @var{T} is the column of the leaf node of each point.  The number of a leaf node is that of its first point
## if this is at most @var{P}, and one of those that remain, in the order of first points, if it is not.  @var{outperm}
## is the row of leaf nodes from left to right, or from bottom to top.
##
## @var{lines} is a structure.  The columns of the fields @code{x} and @code{y}, 4 by the number of merges that are
## drawn, are the ends of their lines: x goes along the leaves, and y has the heights.  @code{group} is the number of
## the cluster below @qcode{"ColorThreshold"} to which a merge belongs, from left to right, or 0.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"ColorThreshold"}
## A number: the largest clusters whose merges are all lower have colours of their own, and what is above is black.
## @qcode{"default"}: 0.7 times the largest height.  Without this option everything is blue.  There are 30 colours,
## which are repeated.
## @item @qcode{"Reorder"}
## The order of the n points from left to right, a permutation.  A leaf node is where its first point is.
## @item @qcode{"CheckCrossing"}
## True, the default: there is a warning if @qcode{"Reorder"} makes branches cross.
## @item @qcode{"Orientation"}
## Where the last merge is: @qcode{"top"}, the default, @qcode{"bottom"}, @qcode{"left"} or @qcode{"right"}.
## @item @qcode{"Labels"}
## A name for each point: a cell array of strings, a char matrix with a name in each row, or numbers.  A leaf node of
## several points has its number.  By default all have their numbers if there are at most 200, and none if there are
## more.
## @item @qcode{"Draw"}
## False: nothing is drawn, and @var{H} is empty.  By default true.
## @end table
##
## @example
## [~, T, outperm] = gpu_dendrogram ([2 3 1; 1 4 2], "Draw", false)
##   @result{} T = [1; 2; 3]
##   @result{} outperm = 1  2  3
## @end example
##
## @seealso{gpu_linkage, gpu_optimalleaforder, gpu_cophenetic}
## @end deftypefn

function [H, T, outperm, lines] = gpu_dendrogram (varargin)

  ax = [];
  if (numel (varargin) > 1 && isscalar (varargin{1}) && isaxes (varargin{1}))
    ax = varargin{1};
    varargin(1) = [];
  endif
  if (isempty (varargin))
    print_usage ();
  endif
  tree = varargin{1};
  check_heights (tree);
  tree = full (double (tree));
  [P, options] = read_own (varargin(2:end));
  n = rows (tree) + 1;
  threshold = threshold_of (options.colorthreshold, tree);
  order = order_of (options.reorder, n);
  labels = labels_of (options.labels, n);
  [lines, T, outperm, crossing] = dendrogram_lines (tree, P, order, threshold);
  if (crossing && options.checkcrossing)
    warning ("gpugeo:crossing", "gpu_dendrogram: branches cross in the order that reorder gives");
  endif
  made = [];
  if (options.draw)
    if (isempty (ax))
      ax = newplot ();
    else
      cla (ax);
    endif
    made = draw (ax, lines, options);
    set_axes (ax, lines, options.orientation);
    label_leaves (ax, T, outperm, labels, options.orientation);
  endif
  if (nargout > 0)
    H = made;
  endif

endfunction

## Refuses what is no matrix of linkage, whose merges are checked later.
function check_heights (tree)

  if (! (isnumeric (tree) && isreal (tree) && ndims (tree) == 2 && columns (tree) == 3 && rows (tree) > 0))
    fail_value (tree, "tree", "a matrix of three columns with a row for each merge");
  endif
  wrong = find (! isfinite (tree(:,3)), 1);
  if (! isempty (wrong))
    error ("gpugeo:argument", "tree must have finite distances of clusters, but row %d has %s", wrong, ...
           __gpugeo__ ("show", tree(wrong,3)));
  endif

endfunction

## The number of leaf nodes, and the options with their defaults.
function [P, options] = read_own (arguments)

  P = 30;
  if (numel (arguments) > 0 && ! ischar (arguments{1}))
    P = arguments{1};
    arguments(1) = [];
    if (! (isnumeric (P) && isreal (P) && isscalar (P) && P >= 0 && P == fix (P) && P != 1))
      fail_value (P, "P", "0 or a whole number of at least 2");
    endif
  endif
  own = {"colorthreshold", "reorder", "checkcrossing", "orientation", "labels", "draw"};
  given = read_options (own, arguments);
  options = struct ("colorthreshold", [], "reorder", [], "checkcrossing", true, "orientation", "top", "labels", [], ...
                    "draw", true);
  for name = own(isfield (given, own))
    options.(name{1}) = given.(name{1});
  endfor
  options.checkcrossing = read_flag (given, "checkcrossing", true);
  options.draw = read_flag (given, "draw", true);
  options.orientation = choose_one (options.orientation, {"top", "bottom", "left", "right"}, "orientation");

endfunction

function threshold = threshold_of (value, tree)

  if (isempty (value))
    threshold = -Inf;
  elseif (ischar (value) && strcmp (tolower (value), "default"))
    threshold = 0.7 * max (tree(:,3));
  elseif (isnumeric (value) && isreal (value) && isscalar (value) && ! isnan (value))
    threshold = double (value);
  else
    fail_value (value, "colorthreshold", "a number or \"default\"");
  endif

endfunction

function order = order_of (order, n)

  if (isempty (order))
    return;
  elseif (! (isnumeric (order) && isreal (order) && numel (order) == n && isequal (sort (double (order(:))), (1:n)')))
    fail_value (order, "reorder", sprintf ("a permutation of the numbers from 1 to %d", n));
  endif
  order = double (order(:));

endfunction

## The names of points as a cell array, {} if none are given.
function labels = labels_of (labels, n)

  if (isempty (labels))
    labels = {};
    return;
  elseif (ischar (labels))
    labels = cellstr (labels);
  elseif (isnumeric (labels) && isreal (labels))
    labels = arrayfun (@num2str, double (labels(:)), "UniformOutput", false);
  endif
  if (! iscellstr (labels))
    fail_value (labels, "labels", "names or numbers");
  elseif (numel (labels) != n)
    error ("gpugeo:argument", "labels must have a name for each of the %d points, not %d", n, numel (labels));
  endif

endfunction

## Draws a line object for each colour, the lines of merges one after the other with NaN between them.
function H = draw (ax, lines, options)

  palette = [0 0 1];
  if (! isempty (options.colorthreshold))
    palette = [0 0 0; hsv(min (30, max ([1, lines.group])))];
  endif
  color = lines.group;
  color(color > 0) = 1 + mod (color(color > 0) - 1, 30);
  H = [];
  for c = unique (color)
    at = color == c;
    x = [lines.x(:,at); NaN(1, sum (at))](:);
    y = [lines.y(:,at); NaN(1, sum (at))](:);
    if (is_sideways (options.orientation))
      [x, y] = deal (y, x);
    endif
    H(end+1,1) = line (ax, x, y, "color", palette(c+1,:));
  endfor

endfunction

function sideways = is_sideways (orientation)

  sideways = any (strcmp (orientation, {"left", "right"}));

endfunction

## Sets the limits and directions of the axes.
function set_axes (ax, lines, orientation)

  low = min (0, min (lines.y(:)));
  high = max (lines.y(:));
  limits = [low, high + 0.05 * (high - low) + (high == low)];
  along = [0, columns(lines.x) + 1] + 0.5;
  names = {"x", "y"}([1, 2] + [1, -1] * is_sideways (orientation));
  set (ax, [names{1} "lim"], along, [names{2} "lim"], limits, "box", "off");
  set (ax, "xaxislocation", "bottom", "yaxislocation", "left", "xdir", "normal", "ydir", "normal");
  if (strcmp (orientation, "bottom"))
    set (ax, "ydir", "reverse", "xaxislocation", "top");
  elseif (strcmp (orientation, "left"))
    set (ax, "xdir", "reverse", "yaxislocation", "right");
  endif

endfunction

## Writes the names of leaf nodes.
function label_leaves (ax, T, outperm, labels, orientation)

  name = {"x", "y"}{1 + is_sideways(orientation)};
  P = numel (outperm);
  if (isempty (labels) && P > 200)
    set (ax, [name "tick"], []);
    return;
  endif
  texts = arrayfun (@num2str, outperm, "UniformOutput", false);
  if (! isempty (labels))
    [~, first] = unique (T, "first");
    alone = accumarray (T, 1)(outperm) == 1;
    texts(alone) = labels(first(outperm(alone)));
  endif
  set (ax, [name "tick"], 1:P, [name "ticklabel"], texts);

endfunction

%!shared tree
%! tree = [3 4 1; 1 2 2; 6 5 3; 7 8 4];
%!test
%! [H, T, outperm, lines] = gpu_dendrogram ([2 3 1; 1 4 2], "Draw", false);
%! assert ({H, T, outperm}, {[], [1; 2; 3], 1:3});
%! assert (lines.x, [2 2 3 3; 1 1 2.5 2.5]');
%! assert (lines.y, [0 1 1 0; 0 2 2 1]');
%! assert (lines.group, [0 0]);
%!test  # colours are those of the largest clusters below the threshold, from left to right
%! [~, T, outperm, lines] = gpu_dendrogram (tree, 0, "Draw", false, "ColorThreshold", 3);
%! assert ({T, outperm}, {(1:5)', 1:5});
%! assert (lines.x, [3 3 4 4; 1 1 2 2; 3.5 3.5 5 5; 1.5 1.5 4.25 4.25]');
%! assert (lines.y, [0 1 1 0; 0 2 2 0; 1 3 3 0; 2 4 4 3]');
%! assert (lines.group, [2 1 0 0]);
%! assert (nthargout (4, @gpu_dendrogram, tree, "Draw", false, "ColorThreshold", 3.5).group, [2 1 2 0]);
%! assert (nthargout (4, @gpu_dendrogram, tree, "Draw", false, "ColorThreshold", 9).group, [1 1 1 1]);
%! assert (nthargout (4, @gpu_dendrogram, tree, "Draw", false, "ColorThreshold", "default").group, [2 1 0 0]);
%!assert (nthargout (3, @gpu_dendrogram, sparse (tree), 3, "Draw", false), [1 3 2])
%!test  # a cluster below the threshold that has a merge above it is none
%! lines = nthargout (4, @gpu_dendrogram, [1 2 3; 4 3 2], "Draw", false, "ColorThreshold", 2.5);
%! assert (lines.group, [0 0]);
%!test  # leaf nodes of several points
%! [~, T, outperm, lines] = gpu_dendrogram (tree, 3, "Draw", false);
%! assert (T, [1; 1; 3; 3; 2]);
%! assert (outperm, [1 3 2]);
%! assert (lines.x, [2 2 3 3; 1 1 2.5 2.5]');
%! assert (lines.y, [0 3 3 0; 0 4 4 3]');
%!test
%! [~, T, outperm, lines] = gpu_dendrogram (tree, "Reorder", [5 3 4 2 1], "Draw", false);
%! assert ({T, outperm}, {(1:5)', [5 3 4 2 1]});
%! assert (lines.x(:,[1 4]), [2 2 3 3; 4.5 4.5 1.75 1.75]');
%! assert (nthargout (3, @gpu_dendrogram, tree, 3, "Reorder", [5 3 4 2 1], "Draw", false), [2 3 1]);
%!test  # against the definition
%! rand ("twister", 1);
%! x = rand (60, 2);
%! Z = gpu_linkage (x, "average");
%! for P = [2 7 30 59 60 61 0]
%!   [~, T, outperm, lines] = gpu_dendrogram (Z, P, "Draw", false);
%!   count = min (60, P + 99 * (P == 0));
%!   clusters = num2cell (1:60);
%!   for k = 1:60-count
%!     clusters{60+k} = [clusters{Z(k,1:2)}];
%!     clusters(Z(k,1:2)) = {[]};
%!   endfor
%!   clusters = clusters(! cellfun (@isempty, clusters));
%!   assert (sort (outperm), 1:count);
%!   assert (unique (T)', 1:count);
%!   for members = clusters
%!     node = unique (T(members{1}));
%!     assert (isscalar (node));
%!     assert (node == min (members{1}) || min (members{1}) > count);
%!   endfor
%!   assert (size (lines.x), [4, count - 1]);
%!   assert (lines.y([2 3],:), Z(61-count:59,[3 3])');
%!   assert (sort (mean (lines.x(2:3,:)))(end) <= count);
%! endfor
%!test  # no branches cross in an optimal order
%! rand ("twister", 2);
%! x = rand (300, 2);
%! Z = gpu_linkage (x, "average");
%! order = gpu_optimalleaforder (Z, gpu_pdist (x));
%! [~, T, outperm] = gpu_dendrogram (Z, 0, "Reorder", order, "Draw", false);
%! assert (outperm, order);
%!warning <branches cross in the order that reorder gives> gpu_dendrogram (tree, "Reorder", [3 1 2 4 5], "Draw", false);
%!test
%! lastwarn ("");
%! gpu_dendrogram (tree, "Reorder", [3 1 2 4 5], "CheckCrossing", false, "Draw", false);
%! assert (lastwarn (), "");
%!testif ; ! isempty (available_graphics_toolkits ())
%! visible = get (0, "defaultfigurevisible");
%! unwind_protect
%!   set (0, "defaultfigurevisible", "off");
%!   H = gpu_dendrogram (tree, "ColorThreshold", 3, "Labels", {"a", "b", "c", "d", "e"});
%!   assert (numel (H), 3);
%!   assert (get (H(1), "color"), [0 0 0]);
%!   x = get (H(1), "xdata");
%!   y = get (H(1), "ydata");
%!   assert (x(:)', [3.5 3.5 5 5 NaN 1.5 1.5 4.25 4.25 NaN]);
%!   assert (y(:)', [1 3 3 0 NaN 2 4 4 3 NaN]);
%!   assert (get (gca (), "xticklabel")(:)', {"a", "b", "c", "d", "e"});
%!   H = gpu_dendrogram (gca (), tree, 3, "Orientation", "left", "Labels", 11:15);
%!   assert (get (H, "ydata")(1:4)(:)', [2 2 3 3]);
%!   assert ({get(gca (), "xdir"), get(gca (), "ydir")}, {"reverse", "normal"});
%!   assert (get (gca (), "yticklabel")(:)', {"1", "3", "15"});
%! unwind_protect_cleanup
%!   set (0, "defaultfigurevisible", visible);
%!   close all
%! end_unwind_protect
%!testif ; ! isempty (pkg ("list", "statistics")) && ! isempty (available_graphics_toolkits ())
%! rand ("twister", 4);
%! pkg load statistics
%! Z = gpu_linkage (rand (60, 2), "average");
%! visible = get (0, "defaultfigurevisible");
%! unwind_protect
%!   set (0, "defaultfigurevisible", "off");
%!   for P = [0 10 30]  # the same points in the same places; the numbers of nodes of several points differ
%!     [~, T, outperm] = dendrogram (Z, P);
%!     [~, T2, outperm2] = gpu_dendrogram (Z, P, "Draw", false);
%!     for k = 1:numel (outperm2)
%!       assert (find (T == outperm(k))(:), find (T2 == outperm2(k)));
%!     endfor
%!   endfor
%! unwind_protect_cleanup
%!   set (0, "defaultfigurevisible", visible);
%!   close all
%! end_unwind_protect

%!error <Invalid call> gpu_dendrogram ()
%!error <tree must be a matrix of three columns with a row for each merge, not \[\]\(0 x 3\)> gpu_dendrogram (zeros (0, 3))
%!error <tree must have each point and each earlier merge once, but row 2 does not> gpu_dendrogram ([1 2 1; 1 3 2])
%!error <tree must have finite distances of clusters, but row 1 has NaN> gpu_dendrogram ([1 2 NaN])
%!error <P must be 0 or a whole number of at least 2, not 1> gpu_dendrogram (tree, 1)
%!error <P must be 0 or a whole number of at least 2, not 2.5> gpu_dendrogram (tree, 2.5)
%!error <colorthreshold must be a number or "default", not "high"> gpu_dendrogram (tree, "ColorThreshold", "high")
%!error <reorder must be a permutation of the numbers from 1 to 5, not \[1 2 3\]> gpu_dendrogram (tree, "Reorder", 1:3)
%!error <orientation must be one of "top", "bottom", "left", "right", not "up"> gpu_dendrogram (tree, "Orientation", "up")
%!error <labels must have a name for each of the 5 points, not 2> gpu_dendrogram (tree, "Labels", {"a", "b"})
%!error <labels must be names or numbers, not a cell array> gpu_dendrogram (tree, "Labels", {1, 2, 3, 4, 5})
%!error <draw must be true or false, not 2> gpu_dendrogram (tree, "Draw", 2)
%!demo
%! X = [randn(15, 2); randn(15, 2) + 4; randn(15, 2) - 4];
%! tree = gpu_linkage (X, "average");
%! order = gpu_optimalleaforder (tree, gpu_pdist (X));
%! gpu_dendrogram (tree, 0, "Reorder", order, "ColorThreshold", "default");
%! title ("three clusters, in the optimal order of leaves");
