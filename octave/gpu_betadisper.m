## -*- texinfo -*-
## @deftypefn  {} {@var{p} =} gpu_betadisper (@var{X}, @var{group})
## @deftypefnx {} {@var{p} =} gpu_betadisper (@var{D}, @var{group}, @qcode{"Distance"}, @qcode{"precomputed"})
## @deftypefnx {} {@var{p} =} gpu_betadisper (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{p}, @var{tbl}, @var{stats}, @var{info}] =} gpu_betadisper (@dots{})
## Test whether groups of points are equally dispersed (Anderson 2006): whether their points have the same mean distance
## from the center of their group, in the space of all principal coordinates.
##
## @var{X} is an n by m matrix with a point in each row.  @var{group} has the group of each point: a vector of
## numbers or truth values, or a cell array of n strings.
##
## @var{p} is the share of permutations of the residuals, the distances from the center less their mean in the group,
## whose statistic F is not smaller than that of the distances, which count as a permutation.  Statistics
## that are smaller by at most 2^-26 count as equal.  @var{tbl} is a table as @code{anova1} returns it.
## @var{stats} is a structure with the fields @code{distance}, of each point from its center, @code{mean}, of each
## group in the order of @code{unique}, and @code{F}, a statistic for each permutation.  @var{info} is that of
## @code{gpu_pdist}, empty for distances.
##
## With @qcode{"precomputed"}, @var{D} is the n by n matrix of distances, or a row vector as
## @code{gpu_pdist} returns it, which needs no @qcode{"precomputed"}.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"type"}
## The center of a group: its spatial @qcode{"median"}, by default, or its @qcode{"centroid"}.
## @item @qcode{"bias_adjust"}
## Whether to multiply distances in a group of n points by sqrt (n / (n - 1)).
## @item @qcode{"permutations"}
## As in @code{gpu_permanova}, 999 by default.
## @item @qcode{"Distance"}, @qcode{"method"} or @qcode{"metric"}
## The metric, as in @code{gpu_pdist}; by default @qcode{"euclidean"}.
## @item @qcode{"P"}, @qcode{"Scale"}, @qcode{"Cov"}, @qcode{"singular"}, @qcode{"types"}, @qcode{"column_weights"}
## The parameters of metrics, as in @code{gpu_pdist}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}, for the distances of points.  The option @qcode{"precision"} has no effect.
## @end table
##
## Distances must be finite and not negative.  The squared distance of point i from the centroid of a group is the mean
## of the squared distances d(i,j)^2 to its points j less half of the mean of all d(j,k)^2 in it (Gower 1966).
## Medians are found in the principal coordinates of @code{eig}, apart in those of positive and of negative eigenvalues,
## by the iteration of Vardi and Zhang (2000) until it moves by less than 1e-10 of the spread of the group.  Squared
## distances along axes of negative eigenvalues count as negative; sums below 0 are taken as 0, with a warning.
##
## @example
## X = [1; 2; 3; 4; 10; 20];
## [p, tbl, stats] = gpu_betadisper (X, [1 1 1 2 2 2], "type", "centroid");
## stats.distance'
##   @result{} ans = 1.0000 0 1.0000 7.3333 1.3333 8.6667
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_permanova, gpu_pdist, gpu_options}
## @end deftypefn

function [p, tbl, stats, info] = gpu_betadisper (X, group, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  [X, options] = read_test_of_groups (X, group, varargin, {"type", "bias_adjust"});
  type = "median";
  if (isfield (options, "type"))
    type = choose_one (options.type, {"median", "centroid"}, "type");
  endif
  adjust = read_flag (options, "bias_adjust", false);
  number = double (options.group) + 1;
  check_sizes (number);
  order = double (options.order) + 1;
  [squares, info] = squared_distances (X, options, numel (number));
  if (strcmp (type, "centroid"))
    squared = from_centroids (squares, number);
  else
    squared = from_medians (squares, number);
  endif
  if (any (squared < 0))
    warning ("gpugeo:dispersion", "some squared distances from centers are negative, and are taken as 0");
  endif
  distance = sqrt (max (squared, 0));
  if (adjust)
    count = accumarray (number, 1)(number);
    distance .*= sqrt (count ./ (count - 1));
  endif
  [p, tbl, stats] = test_means (distance, number, order);

endfunction

function check_sizes (number)

  if (max (number) < 2)
    fail_message ("two values", "group");
  elseif (numel (number) <= max (number))
    error ("gpugeo:argument", "group must have fewer groups than points, not %d groups of %d points", max (number), ...
           numel (number));
  endif

endfunction

function squared = from_centroids (squares, number)

  squared = zeros (rows (squares), 1);
  for k = 1:max (number)
    own = number == k;
    inner = squares(own,own);
    squared(own) = mean (inner, 2) - mean (inner(:)) / 2;
    squared(own & squared < 0 & squared > -1e-12 * max (squares(:))) = 0;  # rounding
  endfor

endfunction

function squared = from_medians (squares, number)

  [vector, value] = eig (gower_matrix (squares), "vector");
  squared = zeros (rows (squares), 1);
  for sign_of = [1, -1]
    kept = sign_of * value > 1e-8 * max (abs (value));
    points = vector(:,kept) .* sqrt (abs (value(kept)))';
    for k = 1:max (number)
      own = points(number == k,:);
      squared(number == k) += sign_of * sumsq (own - spatial_median (own), 2);
    endfor
  endfor

endfunction

## The point whose distances to the rows of x have the smallest sum (Vardi and Zhang 2000).
function center = spatial_median (x)

  center = mean (x, 1);
  spread = max (sqrt (sumsq (x - center, 2)));
  for pass = 1:10000
    gap = x - center;
    d = sqrt (sumsq (gap, 2));
    apart = d > 1e-14 * spread;
    if (! any (apart))
      return;
    endif
    weight = 1 ./ d(apart);
    pull = norm (sum (gap(apart,:) .* weight, 1));
    at_point = min (1, sum (! apart) / max (pull, realmin));
    before = center;
    center = (1 - at_point) * sum (x(apart,:) .* weight, 1) / sum (weight) + at_point * center;
    if (norm (center - before) <= 1e-10 * spread)
      return;
    endif
  endfor
  warning ("gpugeo:dispersion", "a spatial median was not found in 10000 steps");

endfunction

## Tests the means of groups by permutations of residuals, a column of `order` for each.
function [p, tbl, stats] = test_means (distance, number, order)

  count = accumarray (number, 1);
  means = accumarray (number, distance) ./ count;
  residual = distance - means(number);
  n = numel (distance);
  groups = numel (count);
  freedom = [groups - 1, n - groups, n - 1];
  between = sum (count .* (means - mean (distance)) .^ 2);
  within = sumsq (residual);
  observed = between / freedom(1) / (within / freedom(2));
  F = zeros (columns (order), 1);
  for k = 1:columns (order)
    permuted = residual(order(:,k));
    moved = accumarray (number, permuted) ./ count;
    among = sum (count .* (moved - mean (permuted)) .^ 2);
    F(k) = among / freedom(1) / (sumsq (permuted - moved(number)) / freedom(2));
  endfor
  p = permutation_p (F, observed);
  stats = struct ("distance", distance, "mean", means, "F", F);
  tbl = {"Source", "SS", "df", "MS", "F", "Prob>F"; ...
         "Groups", between, freedom(1), between / freedom(1), observed, p; ...
         "Error", within, freedom(2), within / freedom(2), [], []; ...
         "Total", between + within, freedom(3), [], [], []};

endfunction

## Dune meadows (see tests/testthat/helper-dune.R) and the values of betadisper() and permutest() of vegan 2.6-4, whose
## search for medians ends at about 1e-4.
%!shared D, g, order
%! X = double (["100000000004000070420000000000"; "300203400004000050470000505000"; "040702000004000060560000202020"; ...
%!      "080202302004000050450050201020"; "200042200004000025260500322020"; "200030000000000065340600355060"; ...
%!      "200020200000000265450300322020"; "040500000040004040442020302020"; "030300000006004420450220203020"; ...
%!      "400042400000000063440000306120"; "000000000000020073400020503240"; "040800000000000400040240203040"; ...
%!      "050500010000000300292020202000"; "040000000240000000002000206004"; "040000000250003000002000201040"; ...
%!      "070400000080003000022000000043"; "202040000000020002100000200000"; "000002000000000023300003502160"; ...
%!      "003040000000250000000033602030"; "050000000040004000004005200043"]) - 48;
%! D = gpu_pdist (X, "braycurtis");
%! g = [4 1 4 4 2 2 2 2 2 1 1 4 4 3 3 4 3 3 3 3];
%! k = (1:99)';
%! order = mod ((1:20) .* [3 7 9 11](mod (k, 4) + 1)' + k * 11, 20) + 1;
%!test
%! [p, tbl, stats, info] = gpu_betadisper (D, g, "type", "centroid", "permutations", order);
%! distance = [0.570881128 0.255285045 0.165246786 0.256849793 0.27140186 0.287419718 0.19069612 0.373437174 ...
%!             0.322055004 0.157238387 0.30542354 0.378538413 0.344300844 0.466785818 0.379887408 0.503785526 ...
%!             0.586364166 0.467827875 0.453302536 0.382430478]';
%! assert (stats.distance, distance, 1e-8);
%! assert (stats.mean, [0.239315657; 0.289001975; 0.456099713; 0.369933748], 1e-8);
%! assert (stats.F(1:3), [0.6879799; 0.6252275; 0.1013137], 1e-6);
%! assert (tbl{2,5}, 3.868699, 1e-6);
%! assert (cell2mat (tbl(2:4,2:3)), [0.1245740, 3; 0.1717359, 16; 0.2963099, 19], 1e-6);
%! assert (p, 0.01, 1e-12);
%! assert (isempty (info));
%! [p, tbl] = gpu_betadisper (D, g, "type", "centroid", "bias_adjust", true, "permutations", order);
%! assert ([p, tbl{2,5}], [0.11, 3.124847], 1e-6);
%!test
%! [p, tbl, stats] = gpu_betadisper (D, g, "permutations", order);
%! distance = [0.564437138 0.252516719 0.11109073 0.226626994 0.208722694 0.245672345 0.11504111 0.437513841 ...
%!             0.388789935 0.0388103367 0.367419608 0.381005424 0.349577595 0.424192636 0.301351813 0.551041508 ...
%!             0.656339859 0.507450422 0.512698704 0.303794789]';
%! assert (stats.distance, distance, 1e-3);
%! assert (stats.mean, [0.219582221; 0.279147985; 0.45097137; 0.363963232], 1e-3);
%! assert (tbl{2,5}, 1.95064, 1e-2);
%! assert (p, 0.11, 1e-12);

## A median has the smallest sum of distances; of a line it is the middle, of a triangle with a wide angle its corner.
%!test
%! X = [0 0; 4 0; 1 3; 2 1; 7 7; 7 8; 9 9];
%! [~, ~, stats] = gpu_betadisper (X, [1 1 1 1 2 2 2], "permutations", 0);
%! total = @(c) sum (sqrt (sumsq (X(1:4,:) - c, 2)));
%! best = fminsearch (@(c) total (c), [2 1], optimset ("TolX", 1e-10, "TolFun", 1e-12));
%! assert (sum (stats.distance(1:4)), total (best), 1e-8);
%! [~, ~, stats] = gpu_betadisper ([1; 2; 10; 0; 5; 50], [1 1 1 2 2 2], "permutations", 0);
%! assert (stats.distance, [1; 0; 8; 5; 0; 45], 1e-6);
%! [~, ~, stats] = gpu_betadisper ([-5 1; 0 0; 5 1; 0 3; 9 9], [1 1 1 2 2], "permutations", 0);
%! assert (stats.distance(1:3), [sqrt(26); 0; sqrt(26)], 1e-6);

## Euclidean distances from means; other sources of the same distances.
%!test
%! X = [1 0; 2 1; 3 0; 6 2; 7 1; 8 0; 12 5];
%! names = {"a", "a", "a", "b", "b", "b", "b"};
%! options = {"type", "cent", "permutations", [7:-1:1; 2:7, 1]};
%! [p, ~, stats, info] = gpu_betadisper (X, names, options{:});
%! expected = [sqrt(sumsq (X(1:3,:) - mean (X(1:3,:)), 2)); sqrt(sumsq (X(4:7,:) - mean (X(4:7,:)), 2))];
%! assert (stats.distance, expected, 1e-12);
%! assert (info.backend, "cpu");
%! [p1, ~, again] = gpu_betadisper (gpu_pdist (X), names, options{:});
%! assert (again.distance, stats.distance);
%! [~, ~, again] = gpu_betadisper (gpu_pdist2 (X, X), names, options{:}, "Distance", "precomputed");
%! assert (again.distance, stats.distance, 1e-12);
%! [~, ~, city] = gpu_betadisper (X, names, options{:}, "Distance", "cityblock");
%! [~, ~, again] = gpu_betadisper (gpu_pdist (X, "cityblock"), names, options{:});
%! assert (city.distance, again.distance);

%!warning <some squared distances from centers are negative, and are taken as 0>
%! gpu_betadisper ([9 1 1, 1 1 1, 9 9 1 9], [1 1 1 2 2], "type", "centroid", "permutations", 0);
%!error <Invalid call> gpu_betadisper (1)
%!error <type must be one of "median", "centroid", not "mode"> gpu_betadisper (D, g, "type", "mode")
%!error <bias_adjust must be true or false> gpu_betadisper (D, g, "bias_adjust", 2)
%!error <group must have at least two different values> gpu_betadisper (D, ones (1, 20))
%!error <group must have fewer groups than points, not 20 groups of 20 points> gpu_betadisper (D, 1:20)
%!error <group must have one factor, not 2> gpu_betadisper (D, [g; g]', "Distance", "precomputed")
%!error <x must have finite distances of at least 0 only, not -1> gpu_betadisper ([-1 2 3], [1 1 2])
%!error <x must have finite distances of at least 0 only, not NaN> gpu_betadisper ([1 NaN 3], [1 1 2])
%!demo
%! X = [randn(30, 2); 2 * randn(30, 2)];
%! [p, tbl, stats] = gpu_betadisper (X, repelem ([1 2], 30));
%! stats.mean
