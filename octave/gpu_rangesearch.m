## -*- texinfo -*-
## @deftypefn  {} {[@var{idx}, @var{D}] =} gpu_rangesearch (@var{X}, @var{Y}, @var{r})
## @deftypefnx {} {[@var{idx}, @var{D}] =} gpu_rangesearch (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{idx}, @var{D}, @var{info}] =} gpu_rangesearch (@dots{})
## Find all rows of @var{X} at a distance of at most @var{r} from each row of @var{Y}, without storing the
## matrix of all distances: memory grows with the number of neighbours.
##
## @var{X} is n by m and @var{Y} q by m.  @var{idx} and @var{D} are q by 1 cell arrays of row vectors: row
## numbers of @var{X} and distances, the nearest first and ties by row number.  With an empty @var{Y},
## @code{[]}, the neighbours are those of the rows of @var{X}.  A point is not its own neighbour.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"Distance"}, @qcode{"method"} or @qcode{"metric"}
## The metric, as in @code{gpu_pdist}; by default @qcode{"euclidean"}.
## @item @qcode{"P"}, @qcode{"Scale"}, @qcode{"Cov"}
## The parameter of @qcode{"minkowski"}, @qcode{"seuclidean"} and @qcode{"mahalanobis"}, and those of
## @qcode{"gower"}, which are also @qcode{"types"} and @qcode{"column_weights"}, as in
## @code{gpu_knnsearch}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The option @qcode{"precision"} has no effect, and @var{D} is double.
## @end table
##
## Distances and @var{info} are those of @code{gpu_knnsearch}.  A missing distance is within no radius.
##
## @example
## idx = gpu_rangesearch ([0; 1; 4; 6], [1; 5], 1);
## idx@{1@}
##   @result{} 2  1
## idx@{2@}
##   @result{} 3  4
## @end example
##
## @seealso{gpu_knnsearch, gpu_neighbor_graph, gpu_collisions, gpu_options, rangesearch}
## @end deftypefn

function [idx, D, info] = gpu_rangesearch (X, Y, r, varargin)

  if (nargin < 3)
    print_usage ();
  endif
  inputs = read_inputs (X, {Y});
  options = read_neighbors ({}, varargin);
  options.radius = r;
  [idx, D, counts, info] = __gpugeo__ ("radius", options, inputs{:});
  idx = mat2cell (idx, 1, counts)(:);
  D = mat2cell (D, 1, counts)(:);

endfunction

%!shared X
%! X = [0; 1; 4; 6; 1];
%!test
%! [idx, D] = gpu_rangesearch (X, [1; 5; 20], 1);
%! assert (idx, {[2 5 1]; [3 4]; zeros(1, 0)});
%! assert (D, {[0 0 1]; [1 1]; zeros(1, 0)});
%!test
%! [idx, D] = gpu_rangesearch (X, [], 2);
%! assert (idx, {[2 5]; [5 1]; 4; 3; [2 1]});
%! assert (D, {[1 1]; [0 1]; 2; 2; [0 1]});
%!assert (gpu_rangesearch (X, [], 0), {zeros(1, 0); 5; zeros(1, 0); zeros(1, 0); 2})
%!assert (gpu_rangesearch (X, zeros (0, 1), 1), cell (0, 1))
%!assert (gpu_rangesearch ([0 0; 3 4], [1 1], 3, "Distance", "chebychev"), {[1 2]})
%!assert (gpu_rangesearch ([0 0; 3 4], [1 1], 3, "metric", "chebychev"), {[1 2]})
%!assert (gpu_rangesearch ([0 0; 3 4], [1 1], 3, "method", "chebychev"), {[1 2]})
%!assert (gpu_rangesearch ([1 NaN; NaN 2], [], Inf), {zeros(1, 0); zeros(1, 0)})

## Against all distances.
%!test
%! x = round (rand (150, 3) * 10);
%! y = round (rand (40, 3) * 10);
%! all_distances = gpu_pdist2 (x, y, "cityblock");
%! [idx, D, info] = gpu_rangesearch (x, y, 6, "Distance", "cityblock", "backend", "cpu");
%! for i = 1:40
%!   [expected, order] = sort (all_distances(:,i)');
%!   assert (D{i}, expected(expected <= 6));
%!   assert (idx{i}, order(expected <= 6));
%! endfor
%! assert (info.backend, "cpu");
%!testif ; numel (gpu_info ().devices) > 0
%! x = rand (1000, 5);
%! [idx, D] = gpu_rangesearch (x, [], 0.3, "backend", "cpu");
%! [idx2, D2, info] = gpu_rangesearch (x, [], 0.3, "backend", "cuda");
%! assert ({idx2, D2, info.backend}, {idx, D, "cuda"});

%!error <Invalid call> gpu_rangesearch (X, X)
%!error <radius must be a number of at least 0, not -1> gpu_rangesearch (X, X, -1)
%!error <radius must be a number of at least 0, not "far"> gpu_rangesearch (X, X, "far")
%!error <query must have 1 columns, as x has, not 2> gpu_rangesearch (X, [1 2], 1)
%!error <method must be one of > gpu_rangesearch (X, X, 1, "Distance", "hyperbolic")
%!error <option must be one of "distance", .*, not "K"> gpu_rangesearch (X, X, 1, "K", 1)

%!demo
%! X = rand (2000, 2);
%! idx = gpu_rangesearch (X, [0.5 0.5], 0.1);
%! plot (X(:,1), X(:,2), ".", X(idx{1},1), X(idx{1},2), "ro");
