## -*- texinfo -*-
## @deftypefn  {} {@var{p} =} gpu_permanova (@var{X}, @var{group})
## @deftypefnx {} {@var{p} =} gpu_permanova (@var{D}, @var{group}, @qcode{"Distance"}, @qcode{"precomputed"})
## @deftypefnx {} {@var{p} =} gpu_permanova (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{p}, @var{tbl}, @var{stats}, @var{info}] =} gpu_permanova (@dots{})
## Test whether groups of points differ, by permutational analysis of variance (PERMANOVA, Anderson 2001) of
## their distances.
##
## @var{X} is an n by m matrix with a point in each row.  @var{group} has the group of each point: a vector of
## numbers or truth values, or a cell array of n strings.  Several factors are the columns of a matrix of
## numbers, or the elements of a cell array of vectors; each is tested after those before it, see @qcode{"by"}.
##
## @var{p} has a p-value for each factor: the share of permutations whose statistic F is not smaller than that of
## the points as they are, which count as a permutation.  Statistics that are smaller by at most 2^-26 count as
## equal.  A factor that adds nothing to those before it has NaN.  @var{tbl} is a table as @code{anova1} returns it.
## @var{stats} is a structure with the fields @code{F}, a row of statistics for each permutation, @code{R2} and
## @code{df}.  @var{info} is that of @code{gpu_pdist}.
##
## With @qcode{"precomputed"}, @var{D} is the n by n matrix of distances, or a row vector as
## @code{gpu_pdist} returns it, which needs no @qcode{"precomputed"}.  The structure of @code{gpu_dist_file} stands for the distances in
## a file, and that of @code{gpu_dist_device} for those on a device.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"permutations"}
## The number of permutations, 999 by default, which @code{randperm} makes; or a matrix with a permutation of the
## numbers from 1 to n in each row.  If n points have no more other orders than that, n! - 1, each of them is taken
## once and the p-value is exact.  Up to 7 points the permutations are different from each other.
## @item @qcode{"by"}
## What is tested: @qcode{"terms"}, each factor after those before it, by default; @qcode{"margin"}, each after all
## others, but for those that are part of an interaction; or @qcode{"all"}, all of them together.  @var{p} and
## @var{tbl} have an element and a row for each test.  A test of @qcode{"margin"} that adds nothing has NaN.
## @item @qcode{"interactions"}
## Whether the products of the factors are terms, too, after the factors: those of two, then those of three.  The
## table names them as @code{anovan} does, @qcode{"X1*X2"}.
## @item @qcode{"continuous"}
## The numbers of the factors whose values are taken as they are, not for groups, as in @code{anovan}.
## @item @qcode{"Distance"}, @qcode{"method"} or @qcode{"metric"}
## The metric, as in @code{gpu_pdist}; by default @qcode{"euclidean"}.
## @item @qcode{"P"}, @qcode{"Scale"}, @qcode{"Cov"}, @qcode{"singular"}, @qcode{"types"}, @qcode{"column_weights"}
## The parameters of metrics, as in @code{gpu_pdist}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The option @qcode{"precision"} has no effect.
## @end table
##
## Distances must be finite and not negative.  For the same permutations the result is the same on any number of
## threads, on the CPU and on a GPU.
##
## @example
## X = [1; 2; 3; 6; 7; 8];
## [p, tbl] = gpu_permanova (X, [1 1 1 2 2 2], "permutations", [6 5 4 3 2 1; 1 4 2 5 3 6]);
## p
##   @result{} p = 0.6667
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_dbrda, gpu_betadisper, gpu_anosim, gpu_mantel, gpu_pdist, gpu_dist_file, gpu_options}
## @end deftypefn

function [p, tbl, stats, info] = gpu_permanova (X, group, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  given = split_factors (group);
  [X, options, n] = read_tested (X, varargin, {"by", "interactions", "continuous"}, [given, {[]}]{1});
  [factors, given] = read_factors (group, n);
  [options, asked] = read_terms (options, numel (given));
  design = make_design (factors, given, asked);
  [sums, total, info] = add_sums (design, options, X);
  [p, tbl, stats] = make_table (sums, total, design, n);

endfunction

## Returns the design: groups, for one factor with four or more; or an orthonormal basis, to whose columns the terms
## add one after the other, and after them what each term adds to all others.  It has the fields term, a truth value
## for each factor of each term; df; tested, the columns of each test; all, those of the model; and rank.
function design = make_design (factors, given, asked)

  count = numel (given);
  design = struct ("term", logical (eye (count)), "by", asked.by);
  if (count == 1 && ! asked.continuous && max (factors) >= 4)
    design.group = int32 (factors - 1);
    design.rank = design.df = max (factors) - 1;
    design.tested = {1};
    design.all = 1;
    return;
  endif
  [values, design.term] = term_values (factors, given, asked);
  [design.basis, owner] = extend_basis (zeros (rows (factors), 0), values);
  if (isempty (design.basis))
    fail_message ("two values", "group");
  endif
  design.rank = columns (design.basis);
  design.all = 1:design.rank;
  switch (asked.by)
    case "terms"
      design.tested = arrayfun (@(k) find (owner == k), 1:numel (values), "UniformOutput", false);
    case "margin"
      design = add_margins (design, values);
    otherwise
      design.tested = {design.all};
  endswitch
  design.df = cellfun (@numel, design.tested);

endfunction

## Tests what each term that is part of no other one adds to all others.
function design = add_margins (design, values)

  part = @(k) any (all (design.term >= design.term(k,:), 2) & any (design.term != design.term(k,:), 2));
  marginal = find (! arrayfun (part, 1:rows (design.term)));
  design.tested = {};
  for k = marginal
    others = extend_basis (zeros (rows (design.basis), 0), values(1:numel (values) != k));
    added = extend_basis (others, values(k))(:,columns (others)+1:end);
    design.tested{end+1} = columns (design.basis) + (1:columns (added));
    design.basis = [design.basis, added];
  endfor
  design.term = design.term(marginal,:);

endfunction

## Returns the sums of all columns of the design, of which the core takes as many at once as there are points.
function [sums, total, info] = add_sums (design, options, X)

  if (isfield (design, "group"))
    options.group = design.group;
    options.groups = design.rank + 1;
    [sums, total, info] = __gpugeo__ ("permanova", options, X);
    return;
  endif
  sums = [];
  most = rows (design.basis);
  for first = 1:most:columns (design.basis)
    options.basis = design.basis(:,first:min (first + most - 1, end));
    [more, total, info] = __gpugeo__ ("permanova", options, X);
    sums = [sums, more];
  endfor

endfunction

function [p, tbl, stats] = make_table (sums, total, design, n)

  df = design.df;
  tested = cell2mat (cellfun (@(at) sum (sums(:,at), 2), design.tested, "UniformOutput", false));
  left = n - 1 - design.rank;
  residual = total - sum (sums(:,design.all), 2);
  F = (tested ./ df) ./ (residual / left);
  p = permutation_p (F(2:end,:), F(1,:));
  p(df == 0) = NaN;
  stats = struct ("F", F(2:end,:), "R2", tested(1,:) / total, "df", df);
  ss = [tested(1,:), residual(1), total];
  freedom = [df, left, n - 1];
  tbl = [{"Source", "SS", "df", "MS", "F", "Prob>F"}; cell(numel (ss), 6)];
  for k = 1:numel (ss)
    tbl(k+1,2:3) = {ss(k), freedom(k)};
    if (k < numel (ss))
      tbl{k+1,4} = ss(k) / freedom(k);
    endif
    if (k <= numel (df))
      tbl{k+1,1} = name_of_test (design, k);
      tbl(k+1,5:6) = {F(1,k), p(k)};
    endif
  endfor
  tbl(end-1:end,1) = {"Error"; "Total"};

endfunction

## "X1*X2" for a product of factors, as in anovan.
function name = name_of_test (design, k)

  name = "Model";
  if (! strcmp (design.by, "all"))
    name = strjoin (arrayfun (@(at) sprintf ("X%d", at), find (design.term(k,:)), "UniformOutput", false), "*");
  endif

endfunction

%!shared X, g, h
%! X = [1 0; 2 1; 3 0; 6 2; 7 1; 8 0; 12 5; 13 5; 15 4; 20 1; 21 2; 22 0];
%! g = [1 1 1 2 2 2 3 3 3 4 4 4];
%! h = {"a"; "b"; "a"; "b"; "a"; "b"; "a"; "b"; "a"; "b"; "a"; "b"};
%!assert (nthargout (2, @gpu_permanova, gpu_pdist (X), g, "permutations", 0), ...
%!        nthargout (2, @gpu_permanova, X, g, "permutations", 0), 1e-12)
%!test
%! [p, tbl, stats, info] = gpu_permanova (X, g, "permutations", 0, "threads", 1);
%! total = sumsq ((X - mean (X))(:));
%! within = 0;
%! for k = 1:4
%!   within += sumsq ((X(g == k,:) - mean (X(g == k,:)))(:));
%! endfor
%! assert (cell2mat (tbl(2:4,2)), [total - within; within; total], -1e-12);
%! assert (cell2mat (tbl(2:4,3)), [3; 8; 11]);
%! assert (tbl{2,5}, (total - within) / 3 / (within / 8), -1e-12);
%! assert ([p, stats.R2], [1, 1 - within / total], 1e-12);
%! assert ({info.backend, info.threads}, {"cpu", 1});

## Against the definition, permutation by permutation.
%!test
%! rand ("twister", 1);
%! permutations = cell2mat (arrayfun (@(k) randperm (12), (1:30)', "UniformOutput", false));
%! D = gpu_pdist2 (X, X, "cityblock");
%! C = eye (12) - 1 / 12;
%! G = -C * D .^ 2 * C / 2;
%! H1 = [ones(12, 1), g' == 2:4];
%! H2 = [H1, strcmp(h, "b")];
%! H1 = H1 * pinv (H1);
%! H2 = H2 * pinv (H2);
%! F = zeros (31, 2);
%! for k = 0:30
%!   s = [1:12; permutations](k+1,:);
%!   ss = [trace(H1 * G(s,s)), trace(H2 * G(s,s))];
%!   F(k+1,:) = [ss(1) / 3, ss(2) - ss(1)] / ((trace (G) - ss(2)) / 7);
%! endfor
%! p = (sum (F >= F(1,:) - sqrt (eps)) / 31)';
%! for threads = [1 3]
%!   options = {"permutations", permutations, "Distance", "cityblock", "threads", threads};
%!   [got, ~, stats] = gpu_permanova (X, {g, h}, options{:});
%!   assert (stats.F, F(2:end,:), 1e-9 * max (F(:)));  # some are 0
%!   assert (got, p, 1e-15);
%!   [got, ~, again] = gpu_permanova (gpu_pdist (X, "cityblock"), {g, h}, options{:}, "Distance", "precomputed");
%!   assert (again.F, stats.F);
%! endfor
%! [~, ~, stats] = gpu_permanova (D, g, "permutations", permutations, "Distance", "precomputed");
%! for k = 1:30
%!   s = permutations(k,:);
%!   among = trace (H1 * G(s,s));
%!   assert (stats.F(k), among / 3 / ((trace (G) - among) / 8), 1e-9 * max (stats.F));
%! endfor

## Designs of several factors against projections, of which a test takes the difference of two.
%!function ss = squares (G, varargin)
%!  H = [ones(rows (G), 1), varargin{:}];
%!  H *= pinv (H);
%!  ss = trace (H * G);
%!endfunction
%!test
%! k = [1 1 2 2 1 2 1 2 2 1 1 2]' == 2;
%! v = [2 7 1 8 2 8 1 8 2 8 4 5]';
%! a = double (g' == 2:4);
%! C = eye (12) - 1 / 12;
%! D = gpu_pdist2 (X, X, "cityblock");
%! G = -C * D .^ 2 * C / 2;
%! permutations = [12:-1:1; 2:12, 1; 1:12];
%! options = {"permutations", permutations, "Distance", "cityblock"};
%! products = [k, v, k .* v];
%! whole = squares (G, products);
%! left = (trace (G) - whole) / 8;
%! [p, tbl, stats] = gpu_permanova (X, {k, v}, "interactions", true, "continuous", 2, options{:});
%! assert (tbl(2:end,1), {"X1"; "X2"; "X1*X2"; "Error"; "Total"});
%! expected = [squares(G, k); squares(G, k, v); whole; trace(G)];
%! assert (cell2mat (tbl(2:5,2)), diff ([0; expected]), 1e-9);
%! assert (cell2mat (tbl(2:6,3)), [1; 1; 1; 8; 11]);
%! assert (cell2mat (tbl(2:4,5)), diff ([0; expected(1:3)]) / left, 1e-9);
%! for row = 1:2
%!   s = permutations(row,:);
%!   of = @(varargin) squares (G(s,s), varargin{:});
%!   F = [of(k), of(k, v) - of(k), of(products) - of(k, v)] / ((trace (G) - of (products)) / 8);
%!   assert (stats.F(row,:), F, 1e-9);
%! endfor
%! assert (stats.F(3,:), [tbl{2:4,5}], 1e-9);
%! [~, tbl] = gpu_permanova (X, {k, v}, "interactions", true, "continuous", 2, "by", "margin", options{:});
%! assert (tbl(2:end,1), {"X1*X2"; "Error"; "Total"});
%! assert (tbl{2,2}, whole - squares (G, k, v), 1e-9);
%! [~, tbl] = gpu_permanova (X, {g, k, v}, "continuous", 3, "by", "MARGIN", options{:});
%! three = squares (G, a, k, v);
%! expected = three - [squares(G, k, v); squares(G, a, v); squares(G, a, k)];
%! assert (cell2mat (tbl(2:4,2)), expected, 1e-9);
%! assert (cell2mat (tbl(2:6,3)), [3; 1; 1; 6; 11]);
%! [p, tbl] = gpu_permanova (X, {g, k, v}, "continuous", 3, "by", "all", options{:});
%! assert (tbl(2:end,1), {"Model"; "Error"; "Total"});
%! assert (tbl{2,2}, three, 1e-9);
%! assert (size (p), [1, 1]);
%! [~, tbl] = gpu_permanova (X, [g', k], "interactions", true, options{:});
%! cells = squares (G, a, k, a .* k);
%! assert (tbl{4,2}, cells - squares (G, a, k), 1e-9);
%! assert (tbl{4,3}, rank ([ones(12, 1), a, k, a .* k]) - 5);

## More columns than points; a term that adds nothing; distances in a row.
%!test
%! v = (1:12)';
%! order = [12:-1:1; 2:12, 1];
%! [~, tbl] = gpu_permanova (X, {g, mod(v, 5), sin(v)}, "continuous", 3, "by", "margin", "permutations", order);
%! a = [ones(12, 1), g' == 2:4];
%! b = mod (v, 5) == 1:4;
%! df = rank ([a, b, sin(v)]) - [rank([ones(12, 1), b, sin(v)]); rank([a, sin(v)]); rank([a, b])];
%! assert (sum (df) + rank ([a, b, sin(v)]) - 1 > 12);
%! assert (cell2mat (tbl(2:4,3)), df);
%! C = eye (12) - 1 / 12;
%! G = -C * gpu_pdist2 (X, X) .^ 2 * C / 2;
%! assert (tbl{4,2}, squares (G, a, b, sin (v)) - squares (G, a, b), 1e-9);
%! [p, tbl] = gpu_permanova (gpu_pdist (X), {v, 2 * v}, "continuous", [1 2], "by", "margin", "permutations", order);
%! assert (cell2mat (tbl(2:3,2:3)), zeros (2));
%! assert (p, [NaN; NaN]);
%!test
%! p = gpu_permanova (X, g == 1);
%! assert (p > 0 && p <= 1);
%!assert (gpu_permanova (X, [g; g == 1]', "permutations", [1:12; 1:12]), [1; NaN])
%!assert (gpu_permanova (X, h, "permutations", 0), 1)

## Few points: all permutations but the identity, each once.  D of no ties and unequal are those of the tests of
## scikit-bio 0.7.4 (BSD 3-Clause License), as are their statistics; its p-values, 0.345 and 0.68, are estimates of
## those here, which count the divisions into two pairs.
%!test
%! D = [0 1 5 4; 1 0 3 2; 5 3 0 3; 4 2 3 0];
%! [p, tbl, stats] = gpu_permanova (D, {"a", "a", "b", "b"}, "Distance", "precomputed");
%! assert (tbl{2,5}, 4.4, -1e-14);
%! assert (rows (stats.F), 23);
%! assert (p, 8 / 24, 1e-15);
%! D = [0 1 1 4; 1 0 3 2; 1 3 0 3; 4 2 3 0];
%! [p, tbl] = gpu_permanova (D, [1 1 2 2], "Distance", "precomputed");
%! assert (tbl{2,5}, 2, -1e-14);
%! assert (p, 16 / 24, 1e-15);
%! D = [1 0.1 0.5678 1 1, 0.002 0.42 0.998 0, 1 0.123 1, 0.123 0.43, 0.5];
%! [~, tbl, stats] = gpu_permanova (D, {"c", "t1", "t2", "t1", "c", "c"}, "Distance", "precomputed");
%! assert (tbl{2,5}, 0.578848, 5e-7);
%! assert (rows (stats.F), 719);
%!test
%! rand ("twister", 1); randn ("twister", 1);
%! D = rand (1, 21);
%! [~, ~, stats] = gpu_permanova (D, 1:7 == 1, "permutations", 5038, "Distance", "precomputed");
%! assert (rows (stats.F), 5038);
%! [~, tbl, stats] = gpu_permanova (D, 1:7 == 1, "permutations", 5039, "Distance", "precomputed");
%! F = sort ([tbl{2,5}; stats.F]);
%! assert (F(1:720:end), F(720:720:end), -1e-9);  # 7 values of 720 permutations each
%! [~, ~, stats] = gpu_permanova (D, 1:7 == 1, "permutations", 6000, "Distance", "precomputed");
%! assert (rows (stats.F), 5039);
%! [~, ~, stats] = gpu_permanova (rand (1, 28), 1:8 == 1, "permutations", 40400, "Distance", "precomputed");
%! assert (rows (stats.F), 40319);

%!error <x must have a row for each of the 12 points in group or their 66 distances, not 65 numbers> gpu_permanova (1:65, g)
%!error <Invalid call> gpu_permanova (1)
%!error <group must have a value for each of the 12 points, not 2 values> gpu_permanova (X, [1 2])
%!error <x must have its 10 distances in a row, not in a column; each row of a matrix is a point> gpu_permanova ((1:10)', [1 1 2 2 2])
%!error <group must have at least two different values> gpu_permanova (X, ones (1, 12))
%!error <group must have no missing values> gpu_permanova (X, [NaN, g(2:end)])
%!error <by must be one of "terms", "margin", "all", not "axis"> gpu_permanova (X, g, "by", "axis")
%!error <interactions must be true or false> gpu_permanova (X, g, "interactions", 2)
%!error <continuous must be numbers of factors, 1 to 2, not 3> gpu_permanova (X, {g, h}, "continuous", 3)
%!error <factor 2 of group must be finite numbers, not > gpu_permanova (X, {g, h}, "continuous", 2)
%!error <permutations must be a whole number .* numbers 1 to 12 .*, not 1.5>
%! gpu_permanova (X, g, "permutations", 1.5)
%!error <permutations must have each of the numbers 1 to 12 once, but permutation 1 has two of 1>
%! gpu_permanova (X, g, "permutations", ones (1, 12))
%!error <x must have finite distances only, but 11 of them are not; the first is missing, between points 1 and 2>
%! gpu_permanova ([NaN NaN; X(2:end,:)], g)
%!error <x must have distances of at least 0, but 1 is negative; the first is -1, between points 1 and 2>
%! gpu_permanova ([-1 2 3], [1 1 2], "Distance", "precomputed")
%!error <distance must be one of > gpu_permanova (X, g, "Distance", "hyperbolic")
%!testif ; numel (gpu_info ().devices) > 0
%! order = [rows(X):-1:1; 2:rows(X) 1];
%! [p, tbl, stats] = gpu_permanova (X, g, "permutations", order, "backend", "cuda");
%! [p1, tbl1, stats1] = gpu_permanova (X, g, "permutations", order, "backend", "cpu");
%! assert ({p, tbl, stats}, {p1, tbl1, stats1});

%!warning <x is taken for points, but has the form of distances: square, symmetric and 0 on the diagonal; the metric "precomputed" takes it for distances>
%! D = [0 1 2; 1 0 3; 2 3 0];
%! gpu_permanova (D, [1 1 2], "permutations", 9);
%!demo
%! X = [randn(30, 2); randn(30, 2) + 0.7];
%! [p, tbl] = gpu_permanova (X, [ones(30, 1); 2 * ones(30, 1)])
%!demo
%! X = [randn(30, 2); randn(30, 2) + 0.7];
%! [p, tbl] = gpu_permanova (X, {repelem([1 2], 30), rand(1, 60)}, "continuous", 2, "by", "margin")
