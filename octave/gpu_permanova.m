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
## numbers, or the elements of a cell array of vectors; each is tested after those before it.
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
## @seealso{gpugeo, gpu_anosim, gpu_mantel, gpu_pdist, gpu_dist_file, gpu_options}
## @end deftypefn

function [p, tbl, stats, info] = gpu_permanova (X, group, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  [X, options, n] = read_tested (X, varargin, {}, group);
  factors = read_factors (group, n);
  [options, df] = make_design (options, factors, n);
  [sums, total, info] = __gpugeo__ ("permanova", options, X);
  [p, tbl, stats] = make_table (sums, total, df, n, isfield (options, "group"));

endfunction

## Adds the design of the factors to the options, and returns the degrees of freedom of each: groups for one
## factor with four or more, else an orthonormal basis.
function [options, df] = make_design (options, factors, n)

  if (columns (factors) == 1 && max (factors) >= 4)
    options.group = int32 (factors - 1);
    options.groups = max (factors);
    df = options.groups - 1;
    return;
  endif
  basis = zeros (n, 0);
  df = zeros (1, columns (factors));
  for k = 1:columns (factors)
    x = double (factors(:,k) == 2:max (factors(:,k)));
    for column = x - mean (x, 1)
      before = norm (column);
      for again = 1:2
        column -= basis * (basis' * column);
      endfor
      if (norm (column) > 1e-7 * before)
        basis(:,end+1) = column / norm (column);
        df(k)++;
      endif
    endfor
  endfor
  if (isempty (basis))
    fail_message ("two values", "group");
  endif
  options.basis = basis;

endfunction

function [p, tbl, stats] = make_table (sums, total, df, n, by_groups)

  if (by_groups)
    tested = sums;
  else
    owner = repelems (1:numel (df), [1:numel(df); df]);
    tested = cell2mat (arrayfun (@(k) sum (sums(:,owner == k), 2), 1:numel (df), "UniformOutput", false));
  endif
  left = n - 1 - sum (df);
  residual = total - sum (tested, 2);
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
      tbl{k+1,1} = sprintf ("X%d", k);
      tbl(k+1,5:6) = {F(1,k), p(k)};
    endif
  endfor
  tbl(end-1:end,1) = {"Error"; "Total"};

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
