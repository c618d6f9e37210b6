## -*- texinfo -*-
## @deftypefn  {} {[@var{edges}, @var{d}] =} gpu_neighbor_graph (@var{X}, @qcode{"K"}, @var{k})
## @deftypefnx {} {[@var{edges}, @var{d}] =} gpu_neighbor_graph (@var{X}, @qcode{"Radius"}, @var{r})
## @deftypefnx {} {[@var{edges}, @var{d}] =} gpu_neighbor_graph (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{edges}, @var{d}, @var{info}] =} gpu_neighbor_graph (@dots{})
## Join each row of @var{X} with its k nearest rows, or with all rows within a radius.
##
## @var{edges} has a row for each edge, ordered by its first column, then its second: two row numbers of
## @var{X}, the smaller one first.  @var{d} is the column of their distances.  With n rows in @var{X},
## @code{sparse (edges, fliplr (edges), [w w], n, n)} is the matrix of a graph with weights w.
##
## Options in addition to @qcode{"K"} and @qcode{"Radius"}, of which one must be given:
##
## @table @asis
## @item @qcode{"Join"}
## With @qcode{"K"}, @qcode{"union"} (the default) joins two points if at least one is among the nearest of
## the other, @qcode{"mutual"} if both are.
## @item @qcode{"Weights"}
## With @qcode{"K"}: @qcode{"rank"}, @qcode{"number"}, @qcode{"jaccard"} or @qcode{"fuzzy"}.  @var{d} is then the
## column of these weights, of class double.  The first three join all pairs of points that share at least one
## neighbour, each point being its own neighbour of rank 0; @qcode{"Join"} has no effect.  With r the smallest
## sum of the ranks of a shared neighbour among those of both points, and s the number of shared ones, the
## weight is k - r / 2, at least 1e-6; s; or s / (2 (k + 1) - s).  These are the graphs of bluster's
## @code{makeSNNGraph}.
##
## @qcode{"fuzzy"} joins as without weights.  The weight of the edge from a point to a neighbour at distance d is
## exp (-max (0, d - nearest) / scale), with the smallest positive distance of the point's neighbours and the
## scale for which its weights have the sum log2 (k + 1).  Both weights a and b of an edge, 0 for a point that is
## not a neighbour, give a + b - a b.  These are the fuzzy sets of UMAP.
## @item others
## Those of @code{gpu_knnsearch} but @qcode{"IncludeTies"}.
## @end table
##
## Points whose distance is missing are not joined.  With few columns trees are searched, by the rule
## of @code{gpu_knnsearch}.  @var{d} is single if @var{X} is.  @var{info} is that of @code{gpu_pdist}.
##
## @example
## gpu_neighbor_graph ([0; 1; 4; 6], "K", 1)
##   @result{} 1  2
##       3  4
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_knnsearch, gpu_rangesearch}
## @end deftypefn

function [edges, d, info] = gpu_neighbor_graph (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  refuse_row (X);
  warn_of_points (X, "neighbours are searched among points only");
  options = read_neighbors ({"k", "radius", "join", "weights"}, varargin);
  if (isfield (options, "k") == isfield (options, "radius"))
    fail_message ("k or radius");
  endif
  mutual = is_mutual (options);
  options = read_weights (options);

  if (is_function_handle (options.method))
    [from, to, d, info] = pairs_by_handle (X, options);
  elseif (isfield (options, "k"))
    [to, d, info] = __gpugeo__ ("knn", options, X);
    from = repmat ((1:rows (to))', columns (to), 1);
  else
    [to, d, counts, info] = __gpugeo__ ("radius", options, X);
    from = repelems (1:numel (counts), [1:numel(counts); counts])(:);
  endif
  if (isfield (options, "weights"))
    options.mutual = mutual;
    [edges, d] = __gpugeo__ ("neighbor_edges", options, to, double (d));
    return;
  endif
  to = to(:);
  d = d(:);

  there = ! isnan (d);
  pairs = [min(from, to), max(from, to), d](there,:);
  pairs = sortrows (pairs, [1 2]);
  again = [false(min (1, rows (pairs)), 1); all(diff (pairs(:,1:2)) == 0, 2)];
  if (mutual)
    pairs = pairs(again,:);
  else
    pairs = pairs(! again,:);
  endif
  edges = pairs(:,1:2);
  d = cast (pairs(:,3), class_of_distances (X));

endfunction

## Points and their neighbours by a metric that is a function.
function [from, to, d, info] = pairs_by_handle (X, options)

  if (isfield (options, "k"))
    __gpugeo__ ("check", options);
    refuse_parameters (options);
    check_k (options.k, rows (X) - 1, "the other points");  # gpu_knnsearch takes more
    warning ("off", "gpugeo:points", "local");  # this search has warned
    [to, d, info] = gpu_knnsearch (X, "K", options.k, options.names.method, options.method);
    from = repmat ((1:rows (to))', columns (to), 1);
  else
    options.names.radius = "radius";
    [to, d, info] = handle_within (X, [], options);
    from = repelem ((1:rows (to))', cellfun (@numel, to));
    to = [zeros(1, 0), to{:}];
    d = [zeros(1, 0), d{:}];
  endif
  from = from(:);

endfunction

## Replaces the option "weights" by its full name.
function options = read_weights (options)

  if (! isfield (options, "weights"))
    return;
  endif
  options.weights = choose_one (options.weights, {"rank", "number", "jaccard", "fuzzy"}, "weights");
  if (! isfield (options, "k"))
    fail_message ("weights with k", options.weights);
  endif

endfunction

## True if the option "join" is "mutual".
function mutual = is_mutual (options)

  mutual = false;
  if (isfield (options, "join"))
    mutual = strcmp (choose_one (options.join, {"union", "mutual"}, "join"), "mutual");
  endif

endfunction

%!shared X
%! X = [0; 1; 3; 4; 10];
%!test
%! [edges, d] = gpu_neighbor_graph (X, "K", 1);
%! assert (edges, [1 2; 3 4; 4 5]);
%! assert (d, [1; 1; 6]);
%!assert (gpu_neighbor_graph (X, "K", 1, "Join", "mutual"), [1 2; 3 4])
%!assert (gpu_neighbor_graph (X, "K", 4), nchoosek (1:5, 2))
%!test
%! [edges, d] = gpu_neighbor_graph (X, "Radius", 2);
%! assert (edges, [1 2; 2 3; 3 4]);
%! assert (d, [1; 2; 1]);
%!test
%! [edges, d] = gpu_neighbor_graph (X, "Radius", 0.5);
%! assert (size (edges), [0 2]);
%! assert (size (d), [0 1]);
%!assert (gpu_neighbor_graph (X, "Radius", 2, "Join", "mutual"), [1 2; 2 3; 3 4])
%!assert (gpu_neighbor_graph ([1 NaN; NaN 2; 3 NaN], "K", 2), [1 3])
%!assert (gpu_neighbor_graph ([0 0; 1 5; 2 1], "K", 1, "Distance", "chebychev"), [1 3; 2 3])
%!assert (gpu_neighbor_graph ([1; 1; 1], "K", 1), [1 2; 1 3])
%!assert (gpu_neighbor_graph (1, "Radius", 1), zeros (0, 2))
%!test
%! rand ("twister", 1);
%! x = round (rand (40, 2) * 9);
%! f = @(a, B) sum (abs (B - a), 2);
%! for given = {{"K", 3}, {"Radius", 4}, {"Radius", 0.5}, {"K", 3, "Join", "mutual"}}
%!   [edges, d] = gpu_neighbor_graph (x, given{1}{:}, "Distance", "cityblock");
%!   [edges2, d2, info] = gpu_neighbor_graph (x, given{1}{:}, "Distance", f);
%!   assert ({edges2, d2, info.backend}, {edges, d, "cpu"});
%! endfor
%! assert (class (nthargout (2, @gpu_neighbor_graph, single (x), "K", 2)), "single");
%!test
%! [~, ~, info] = gpu_neighbor_graph (X, "K", 1, "backend", "cpu");
%! assert (info.backend, "cpu");

## On a line at 0, 1, 3, 7 with k = 1: the members are {1, 2}, {2, 1}, {3, 2}, {4, 3}.
%!test
%! Y = [0; 1; 3; 7];
%! [edges, w] = gpu_neighbor_graph (Y, "K", 1, "Weights", "number");
%! assert (edges, [1 2; 1 3; 2 3; 3 4]);
%! assert (w, [2; 1; 1; 1]);
%! assert (nthargout (2, @gpu_neighbor_graph, Y, "K", 1, "Weights", "jaccard"), [1; 1; 1; 1] ./ [1; 3; 3; 3]);
%! assert (nthargout (2, @gpu_neighbor_graph, Y, "K", 1, "Weights", "rank"), [0.5; 1e-6; 0.5; 0.5]);
## The point without values has no neighbour and is a neighbour of no other.
%!test
%! warning ("off", "gpugeo:missing", "local");
%! [edges, w] = gpu_neighbor_graph ([0 0; 1 1; NaN NaN], "K", 2, "Distance", "sqeuclidean", "Weights", "number");
%! assert ({edges, w}, {[1 2], 2});
## The weights of each point have the sum log2 (k + 1), and both directions are joined.
%!test
%! rand ("twister", 1);
%! x = rand (30, 2);
%! k = 6;
%! [idx, D] = gpu_knnsearch (x, "K", k);
%! one = zeros (30);
%! for i = 1:30
%!   beyond = D(i,:) - D(i,1);
%!   excess = @(s) sum (exp (-beyond / exp (s))) - log2 (k + 1);
%!   one(i,idx(i,:)) = exp (-beyond / exp (fzero (excess, [-30 30], optimset ("TolX", 1e-15))));
%! endfor
%! both = one + one' - one .* one';
%! for join = {"union", "mutual"}
%!   [edges, w] = gpu_neighbor_graph (x, "K", k, "Weights", "fuzzy", "Join", join{1});
%!   assert (edges, gpu_neighbor_graph (x, "K", k, "Join", join{1}));
%!   assert (w, both(sub2ind ([30 30], edges(:,1), edges(:,2))), 1e-11);
%! endfor
%! f = @(a, B) sqrt (sumsq (B - a, 2));
%! [edges2, w2] = gpu_neighbor_graph (x, "K", k, "Weights", "fuzzy", "Join", "mutual", "Distance", f);
%! assert (edges2, edges);
%! assert (w2, w, 1e-12);
%!error <weights must be one of "rank", "number", "jaccard", "fuzzy", not "cosine"> gpu_neighbor_graph (X, "K", 1, "Weights", "cosine")
%!error <weights "rank" must be given with k> gpu_neighbor_graph (X, "Radius", 1, "Weights", "rank")

%!error <Invalid call> gpu_neighbor_graph ()
%!error <one of k and radius must be given, and not both> gpu_neighbor_graph (X)
%!error <one of k and radius must be given, and not both> gpu_neighbor_graph (X, "K", 1, "Radius", 1)
%!error <k must be between 1 and 4> gpu_neighbor_graph (X, "K", 5)
%!error <radius must be a number of at least 0, not -1>
%! gpu_neighbor_graph (X, "Radius", -1, "Distance", @(a, B) B)
%!error <k must be between 1 and 4> gpu_neighbor_graph (X, "K", 5, "Distance", @(a, B) B)
%!error <threads must be > gpu_neighbor_graph (X, "K", 1, "Distance", @(a, B) B, "threads", 0)
%!test
%! refused = {"p must be 2", "3", {"P", 3}; ...
%!            "scale must be \\[\\]", "1", {"Scale", 1}; ...
%!            "cov must be \\[\\]", "1", {"Cov", 1}; ...
%!            "types must be \\[\\]", "0", {"types", 0}; ...
%!            "types must be \\[\\]", "a cell array", {"types", {"numeric"}}; ...
%!            "column_weights must be \\[\\]", "1", {"column_weights", 1}; ...
%!            "singular must be \"error\"", "\"drop\"", {"singular", "drop"}; ...
%!            "sphere_radius must be 6371008.8", "1", {"sphere_radius", 1}};
%! for r = refused'
%!   for given = {{"K", 1}, {"Radius", 1}}
%!     call = @() gpu_neighbor_graph (X, given{1}{:}, "Distance", @(a, B) abs (B - a), r{3}{:});
%!     fail ("call ()", [r{1} " if the metric is a function, not " r{2} "$"]);
%!   endfor
%! endfor
%!test
%! defaults = {"p", 2, "scale", [], "cov", [], "types", [], "column_weights", [], "singular", "error", ...
%!             "sphere_radius", 6371008.8};
%! f = @(a, B) sum (abs (B - a), 2);
%! for given = {{"K", 1}, {"Radius", 2}}
%!   assert (gpu_neighbor_graph (X, given{1}{:}, "Distance", f, defaults{:}), gpu_neighbor_graph (X, given{1}{:}, "Distance", f));
%! endfor
%!error <p must be 2 if the metric is a function, not 3>
%! gpu_neighbor_graph (X, "K", 1, "Metric", @(a, B) abs (B - a), "P", 3)
%!error <metric must return a distance> gpu_neighbor_graph (X, "K", 1, "Metric", @(a, B) 1)
%!assert (gpu_neighbor_graph (X, "K", 2, "join", "MUT", "weights", "j"),
%!        gpu_neighbor_graph (X, "K", 2, "join", "mutual", "weights", "jaccard"))
%!error <join must be a single string> gpu_neighbor_graph (X, "K", 1, "Join", 1)
%!error <join must be one of "union", "mutual", not "all"> gpu_neighbor_graph (X, "K", 1, "Join", "all")

%!warning <x is taken for points, but has the form of distances: square, symmetric and 0 on the diagonal; neighbours are searched among points only>
%! D = [0 1 2; 1 0 3; 2 3 0];
%! gpu_neighbor_graph (D, "K", 1, "Distance", @(a, B) abs (B(:,1) - a(1)));
%!error <x must be points, not a vector of 6 distances; each row is a point> gpu_neighbor_graph (1:6, "K", 1)
%!demo
%! X = rand (300, 2);
%! edges = gpu_neighbor_graph (X, "K", 4);
%! plot (reshape (X(edges',1), 2, []), reshape (X(edges',2), 2, []), "-o", "color", "#0072B2", "markersize", 3);
%! axis equal
%! title ("four nearest neighbours");
