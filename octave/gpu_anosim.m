## -*- texinfo -*-
## @deftypefn  {} {@var{p} =} gpu_anosim (@var{X}, @var{group})
## @deftypefnx {} {@var{p} =} gpu_anosim (@var{D}, @var{group}, @qcode{"Distance"}, @qcode{"precomputed"})
## @deftypefnx {} {@var{p} =} gpu_anosim (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{p}, @var{R}, @var{permuted}, @var{info}] =} gpu_anosim (@dots{})
## Test whether groups of points differ, by an analysis of similarities (ANOSIM, Clarke 1993): the ranks of their
## distances.
##
## @var{X} is an n by m matrix with a point in each row.  @var{group} has the group of each point: a vector of
## numbers or truth values, or a cell array of n strings.
##
## @var{R} is the difference of the mean ranks of distances between and within groups, over n (n - 1) / 4, and
## @var{permuted} the column of the same for each permutation.  @var{p} is the share of permutations whose
## statistic is not smaller than @var{R}; the points as they are count as a permutation, and statistics that are
## smaller by at most 2^-26 count as equal.  @var{info} is that of @code{gpu_pdist}.
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
## There may be at most 65,536 points.  Distances may be infinite, but not missing.  For the same permutations the
## result is the same on any number of threads, on the CPU and on a GPU.
##
## In addition to the distances the CPU takes 2 n^2 bytes for their ranks and about 256 MiB of working memory, or
## @qcode{"memory_limit"}.  Distances that are not in memory as a row vector are stored, too, in 4 n^2 bytes.  Ranks
## on a GPU take 12 n^2 bytes of its memory, which include the distances unless they are there.
##
## @example
## X = [1; 2; 3; 6; 7; 8];
## [p, R] = gpu_anosim (X, [1 1 1 2 2 2], "permutations", [6 5 4 3 2 1; 1 4 2 5 3 6])
##   @result{} p = 0.6667
##   @result{} R = 1
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_permanova, gpu_mrpp, gpu_mantel, gpu_pdist, gpu_options}
## @end deftypefn

function [p, R, permuted, info] = gpu_anosim (X, group, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  [X, options] = read_test_of_groups (X, group, varargin);
  [statistic, info] = __gpugeo__ ("anosim", options, X);
  R = statistic(1);
  permuted = statistic(2:end,1);
  p = permutation_p (permuted, R);

endfunction

%!shared X, g
%! X = [1 0; 2 1; 3 0; 6 2; 7 1; 8 0; 12 5; 13 5; 15 4; 20 1; 21 2; 22 0];
%! g = [1 1 1 2 2 2 3 3 3 4 4 4];

## Against the definition, permutation by permutation.
%!test
%! rand ("twister", 1);
%! permutations = cell2mat (arrayfun (@(k) randperm (12), (1:30)', "UniformOutput", false));
%! [i, j] = find (tril (true (12), -1));
%! for group = {g, g > 2, {"b"; "a"; "a"; "b"; "c"; "d"; "e"; "f"; "g"; "h"; "i"; "j"}'}
%!   D = gpu_pdist (X, "cityblock");
%!   [~, ~, number] = unique (group{1}(:));
%!   [~, ~, order] = unique (D);
%!   counts = accumarray (order(:), 1);
%!   rank = (cumsum (counts) - (counts - 1) / 2)(order(:));
%!   ranks = zeros (12);
%!   ranks(sub2ind ([12 12], i, j)) = rank;
%!   ranks += ranks';
%!   R = zeros (31, 1);
%!   for k = 0:30
%!     s = [1:12; permutations](k+1,:);
%!     value = ranks(s,s)(sub2ind ([12 12], i, j));
%!     same = number(i) == number(j);
%!     R(k+1) = (mean (value(! same)) - mean (value(same))) / 33;
%!   endfor
%!   for threads = [1 3]
%!     [p, got, permuted, info] = gpu_anosim (X, group{1}, "permutations", permutations, "Distance", "cityblock", ...
%!                                            "threads", threads);
%!     assert ([got; permuted], R, 1e-13);
%!     assert (p, sum (R >= R(1) - sqrt (eps)) / 31, 1e-15);
%!     assert ({info.backend, info.threads}, {"cpu", threads});
%!   endfor
%!   [~, again] = gpu_anosim (D, group{1}, "permutations", 0, "Distance", "precomputed");
%!   assert (again, got);
%! endfor
%!test
%! p = gpu_anosim (X, g);
%! assert (p > 0 && p <= 0.01);
%!assert (nthargout (2, @gpu_anosim, [1 2 Inf 4 5 6], [1 1 2 2], "permutations", 0, "Distance", "precomputed"), ...
%!        ((2 + 6 + 3 + 4) / 4 - (1 + 5) / 2) / 3, 1e-15)

## Few points: all permutations but the identity, each once.  The distances are those of the tests of scikit-bio 0.7.4
## (BSD 3-Clause License), as are their statistics; its p-values, 0.345 and 0.68, are estimates of those here.
%!test
%! D = [0 1 5 4; 1 0 3 2; 5 3 0 3; 4 2 3 0];
%! [p, R, permuted] = gpu_anosim (D, {"a", "a", "b", "b"}, "Distance", "precomputed");
%! assert (R, 0.625, 1e-15);
%! assert (numel (permuted), 23);
%! assert (p, 8 / 24, 1e-15);
%! [p, R] = gpu_anosim ([1 1 4 3 2 3], [1 1 2 2], "Distance", "precomputed");
%! assert (R, 0.25, 1e-15);
%! assert (p, 16 / 24, 1e-15);
%! D = [1 0.1 0.5678 1 1, 0.002 0.42 0.998 0, 1 0.123 1, 0.123 0.43, 0.5];
%! [~, R, permuted] = gpu_anosim (D, {"c", "t1", "t2", "t1", "c", "c"}, "Distance", "precomputed");
%! assert (R, -0.363636, 5e-7);
%! assert (numel (permuted), 719);

%!error <Invalid call> gpu_anosim (1)
%!error <group must have a value for each of the 12 points, not 2 values> gpu_anosim (X, [1 2])
%!error <x must have its 10 distances in a row, not in a column; each row of a matrix is a point> gpu_anosim ((1:10)', [1 1 2 2 2])
%!error <group must have at least two groups, and one of at least two points> gpu_anosim (X, 1:12)
%!error <group must have at least two groups, and one of at least two points> gpu_anosim (X, ones (12, 1))
%!error <group must have one factor, not 2> gpu_anosim (X, [g; g]')
%!error <x must have finite distances only, but 11 of them are not> gpu_anosim ([NaN NaN; X(2:end,:)], g)
%!error <distance must be one of > gpu_anosim (X, g, "Distance", "hyperbolic")
%!testif ; numel (gpu_info ().devices) > 0
%! order = [12:-1:1; 2:12 1];
%! [p, R, permuted] = gpu_anosim (X, g, "permutations", order, "backend", "cuda");
%! [p1, R1, permuted1] = gpu_anosim (X, g, "permutations", order, "backend", "cpu");
%! assert ({p, R, permuted}, {p1, R1, permuted1});

%!warning <x is taken for points, but has the form of distances: square, symmetric and 0 on the diagonal; the metric "precomputed" takes it for distances>
%! D = [0 1 2; 1 0 3; 2 3 0];
%! gpu_anosim (D, [1 1 2], "permutations", 9);
%!demo
%! X = [randn(30, 2); randn(30, 2) + 0.7];
%! [p, R] = gpu_anosim (X, [ones(30, 1); 2 * ones(30, 1)])
