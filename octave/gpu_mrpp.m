## -*- texinfo -*-
## @deftypefn  {} {@var{p} =} gpu_mrpp (@var{X}, @var{group})
## @deftypefnx {} {@var{p} =} gpu_mrpp (@var{D}, @var{group}, @qcode{"Distance"}, @qcode{"precomputed"})
## @deftypefnx {} {@var{p} =} gpu_mrpp (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{p}, @var{A}, @var{stats}, @var{info}] =} gpu_mrpp (@dots{})
## Test whether distances within groups of points are small, by a multiresponse permutation procedure (MRPP, Mielke,
## Berry and Johnson 1976).
##
## @var{X} is an n by m matrix with a point in each row.  @var{group} has the group of each point: a vector of
## numbers or truth values, or a cell array of n strings.
##
## The statistic delta is the weighted mean of the mean distances within groups.  Groups of one point have no
## weight.  @var{A} is 1 - delta / (mean of all distances).  @var{p} is the share of permutations whose delta is not
## larger than that of the points as they are, which count as a permutation; statistics that are larger by at most
## 2^-26 count as equal.  @var{stats} is a structure with the fields @code{delta}, @code{permuted} (a column of the
## same for each permutation), @code{mean} (of all distances), and @code{group_mean} (the mean distance within each
## group, NaN for a group of one point).  @var{info} is that of @code{gpu_pdist}.
##
## With @qcode{"precomputed"}, @var{D} is the n by n matrix of distances, or a row vector as
## @code{gpu_pdist} returns it, which needs no @qcode{"precomputed"}.  The structure of @code{gpu_dist_file} stands for the distances in
## a file, and that of @code{gpu_dist_device} for those on a device.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"weight_type"}
## The weight of a group of k points: 1 for k, the default; 2 for k - 1; 3 for k (k - 1) / 2.
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
## threads.
##
## @example
## X = [1; 2; 3; 6; 7; 8];
## [p, A] = gpu_mrpp (X, [1 1 1 2 2 2], "permutations", [6 5 4 3 2 1; 1 4 2 5 3 6])
##   @result{} p = 0.6667
##   @result{} A = 0.6226
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_anosim, gpu_permanova, gpu_pdist, gpu_options}
## @end deftypefn

function [p, A, stats, info] = gpu_mrpp (X, group, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  [X, options] = read_test_of_groups (X, group, varargin, option_names ("mrpp"));
  [delta, group_mean, all_mean, info] = __gpugeo__ ("mrpp", options, X);
  stats = struct ("delta", delta(1), "permuted", delta(2:end,1), "mean", all_mean, "group_mean", group_mean);
  A = 1 - stats.delta / stats.mean;
  p = permutation_p (-stats.permuted, -stats.delta);

endfunction

%!shared X, g
%! X = [1 0; 2 1; 3 0; 6 2; 7 1; 8 0; 12 5; 13 5; 15 4; 20 1; 21 2; 22 0];
%! g = [1 1 1 2 2 2 3 3 3 4 4 4];

## Against the definition, permutation by permutation.
%!test
%! rand ("twister", 1);
%! permutations = cell2mat (arrayfun (@(k) randperm (12), (1:30)', "UniformOutput", false));
%! D = gpu_pdist2 (X, X, "cityblock");
%! for group = {g, g > 2, {"b"; "a"; "a"; "b"; "c"; "a"; "e"; "c"; "a"; "h"; "a"; "c"}'}
%!   [~, ~, number] = unique (group{1}(:));
%!   size_of = accumarray (number(:), 1);
%!   for type = 1:3
%!     weight = {size_of, size_of - 1, size_of .* (size_of - 1) / 2}{type};
%!     weight(size_of < 2) = 0;
%!     delta = zeros (31, 1);
%!     for k = 0:30
%!       s = [1:12; permutations](k+1,:);
%!       means = NaN (size (size_of));
%!       for c = find (size_of > 1)'
%!         own = D(s,s)(number == c, number == c);
%!         means(c) = sum (own(:)) / size_of(c) / (size_of(c) - 1);
%!       endfor
%!       if (k == 0)
%!         group_mean = means;
%!       endif
%!       delta(k+1) = sum ((weight .* means)(size_of > 1)) / sum (weight);
%!     endfor
%!     for threads = [1 3]
%!       [p, A, stats, info] = gpu_mrpp (X, group{1}, "permutations", permutations, "Distance", "cityblock", ...
%!                                       "threads", threads, "weight_type", type);
%!       assert ([stats.delta; stats.permuted], delta, -1e-13);
%!       assert (stats.group_mean, group_mean, -1e-14);
%!       assert (stats.mean, sum (D(:)) / 132, -1e-14);
%!       assert (A, 1 - delta(1) / stats.mean, 1e-14);
%!       assert (p, sum (delta <= delta(1) + sqrt (eps)) / 31, 1e-15);
%!       assert ({info.backend, info.threads}, {"cpu", threads});
%!     endfor
%!     [~, ~, again] = gpu_mrpp (gpu_pdist (X, "cityblock"), group{1}, "permutations", permutations, ...
%!                               "Distance", "precomputed", "weight_type", type);
%!     assert (again, stats);
%!   endfor
%! endfor
%!test
%! p = gpu_mrpp (X, g);
%! assert (p > 0 && p <= 0.01);
%!assert (gpu_mrpp (X, ones (1, 12), "permutations", 9), 1)

## Few points: all permutations but the identity, each once.  Divisions of 0, 1, 4, 6 into pairs have the mean
## distances 3/2, 9/2 and 9/2 within.
%!test
%! [p, ~, stats] = gpu_mrpp ([0; 1; 4; 6], [1 1 2 2]);
%! assert (p, 8 / 24, 1e-15);
%! assert (sort (stats.permuted), [1.5 * ones(7, 1); 4.5 * ones(16, 1)], 1e-15);
%! assert (gpu_mrpp ([0; 1; 4; 6], [1 2 1 2]), 1);

%!error <Invalid call> gpu_mrpp (1)
%!error <group must have a value for each of the 12 points, not 2 values> gpu_mrpp (X, [1 2])
%!error <x must have its 10 distances in a row, not in a column; each row of a matrix is a point> gpu_mrpp ((1:10)', [1 1 2 2 2])
%!error <group must have a group of at least two points> gpu_mrpp (X, 1:12)
%!error <group must have one factor, not 2> gpu_mrpp (X, [g; g]')
%!error <weight_type must be a whole number between 1 and 3, not 0> gpu_mrpp (X, g, "weight_type", 0)
%!error <x must have finite distances only, but 11 of them are not> gpu_mrpp ([NaN NaN; X(2:end,:)], g)
%!error <x must have distances of at least 0, but 1 is negative; the first is -1, between points 1 and 2>
%! gpu_mrpp ([-1 2 3], [1 1 2], "Distance", "precomputed")
%!error <distance must be one of > gpu_mrpp (X, g, "Distance", "hyperbolic")
%!testif ; numel (gpu_info ().devices) > 0
%! order = [12:-1:1; 2:12 1];
%! [p, A, stats] = gpu_mrpp (X, g, "permutations", order, "backend", "cuda");
%! [p1, A1, stats1] = gpu_mrpp (X, g, "permutations", order, "backend", "cpu");
%! assert ({p, A, stats}, {p1, A1, stats1});

%!warning <x is taken for points, but has the form of distances: square, symmetric and 0 on the diagonal; the metric "precomputed" takes it for distances>
%! D = [0 1 2; 1 0 3; 2 3 0];
%! gpu_mrpp (D, [1 1 2], "permutations", 9);
%!demo
%! X = [randn(30, 2); randn(30, 2) + 0.7];
%! [p, A] = gpu_mrpp (X, [ones(30, 1); 2 * ones(30, 1)])
