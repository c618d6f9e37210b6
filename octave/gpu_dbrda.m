## -*- texinfo -*-
## @deftypefn  {} {@var{Y} =} gpu_dbrda (@var{X}, @var{group})
## @deftypefnx {} {@var{Y} =} gpu_dbrda (@var{D}, @var{group}, @qcode{"Distance"}, @qcode{"precomputed"})
## @deftypefnx {} {@var{Y} =} gpu_dbrda (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{Y}, @var{e}, @var{stats}, @var{info}] =} gpu_dbrda (@dots{})
## Distance-based redundancy analysis (McArdle and Anderson 2001): the axes of an ordination of distances that are
## combinations of the columns of factors.  @code{gpu_permanova} tests the same model.
##
## @var{X} is an n by m matrix with a point in each row.  @var{group} has the factors as in @code{gpu_permanova}: a
## vector or a cell array of strings, or several in the columns of a matrix or the elements of a cell array.
##
## Let A have the squares of the distances and G = -1/2 J A J, where J takes the mean from a vector (Gower 1966).  H
## projects on the centered columns of all terms.  @var{e} has the eigenvalues of H G H in decreasing order, and
## @var{Y} a column for each positive one, an eigenvector of the length sqrt (e).  Negative eigenvalues belong to
## imaginary axes.  @var{stats} is a structure with the fields
##
## @table @code
## @item weighted
## the points on these axes by their distances, G u ./ e for the eigenvectors u of length 1;
## @item residual, residual_eigenvalue
## the unconstrained axes, those of (I - H) G (I - H), as @var{Y} and @var{e};
## @item inertia
## the traces of G, of H G H and of (I - H) G (I - H).
## @end table
##
## Eigenvalues that are smaller than the largest one by a factor of 1e-8 count as 0.  Signs of axes are arbitrary.
## Inertia is a sum of squares; @code{dbrda} of R divides it by n - 1 if a distance is above 4.  @var{info} is that
## of @code{gpu_pdist}, empty for distances.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"interactions"}, @qcode{"continuous"}
## The terms of the model, as in @code{gpu_permanova}.
## @item @qcode{"Distance"}, @qcode{"method"} or @qcode{"metric"}
## The metric, as in @code{gpu_pdist}; by default @qcode{"euclidean"}.
## @item @qcode{"P"}, @qcode{"Scale"}, @qcode{"Cov"}, @qcode{"singular"}, @qcode{"types"}, @qcode{"column_weights"}
## The parameters of metrics, as in @code{gpu_pdist}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}, for the distances of points.  The option @qcode{"precision"} has no effect.
## @end table
##
## @example
## [Y, e] = gpu_dbrda ([1; 2; 3; 6; 7; 8], [1 1 1 2 2 2]);
## e
##   @result{} e = 37.500
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_permanova, gpu_cmdscale, gpu_pdist, gpu_options}
## @end deftypefn

function [Y, e, stats, info] = gpu_dbrda (X, group, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  if (any (strcmpi (varargin(1:2:end), "permutations")))
    error ("gpugeo:argument", "permutations must be given to gpu_permanova, which tests the model of gpu_dbrda");
  endif
  given = split_factors (group);
  own = {"interactions", "continuous"};
  [X, options, n] = read_tested (X, [varargin, {"permutations", 0}], own, [given, {[]}]{1});
  [factors, given] = read_factors (group, n);
  [options, asked] = read_terms (options, numel (given));
  basis = extend_basis (zeros (n, 0), term_values (factors, given, asked));
  if (isempty (basis))
    fail_message ("two values", "group");
  endif
  [squares, info] = squared_distances (X, options, n);
  gower = gower_matrix (squares);
  product = basis' * gower * basis;
  least = trace (gower) / n;
  [u, e] = axes_of (product, least);
  u = basis * u;
  kept = e > 0;
  Y = u(:,kept) .* sqrt (e(kept))';
  stats.weighted = gower * u(:,kept) ./ e(kept)';
  rest = eye (n) - basis * basis';
  left = rest * gower * rest;
  if (columns (basis) == n - 1)
    left(:) = 0;
  endif
  [v, residual] = axes_of (left, least);
  stats.residual = v(:,residual > 0) .* sqrt (residual(residual > 0))';
  stats.residual_eigenvalue = residual;
  stats.inertia = [trace(gower), trace(product), trace(left)];

endfunction

## Eigenvectors and eigenvalues in decreasing order, those that are not 0.
function [vector, value] = axes_of (x, least)

  [vector, value] = eig ((x + x') / 2, "vector");
  [value, order] = sort (value, "descend");
  vector = vector(:,order);
  kept = abs (value) > 1e-8 * max ([abs(value); least]);
  value = value(kept);
  vector = vector(:,kept);

endfunction

## The values of vegan 2.6-4 for dune meadows (see gpu_betadisper).
%!shared X, D, m, a
%! X = double (["100000000004000070420000000000"; "300203400004000050470000505000"; "040702000004000060560000202020"; ...
%!      "080202302004000050450050201020"; "200042200004000025260500322020"; "200030000000000065340600355060"; ...
%!      "200020200000000265450300322020"; "040500000040004040442020302020"; "030300000006004420450220203020"; ...
%!      "400042400000000063440000306120"; "000000000000020073400020503240"; "040800000000000400040240203040"; ...
%!      "050500010000000300292020202000"; "040000000240000000002000206004"; "040000000250003000002000201040"; ...
%!      "070400000080003000022000000043"; "202040000000020002100000200000"; "000002000000000023300003502160"; ...
%!      "003040000000250000000033602030"; "050000000040004000004005200043"]) - 48;
%! D = gpu_pdist (X, "braycurtis");
%! m = [4 1 4 4 2 2 2 2 2 1 1 4 4 3 3 4 3 3 3 3];
%! a = [2.8 3.5 4.3 4.2 6.3 4.3 2.8 4.2 3.7 3.3 3.5 5.8 6 9.3 11.5 5.7 4 4.6 3.7 3.5];
%!test
%! [Y, e, stats] = gpu_dbrda (gpu_pdist (X, "cityblock"), {a, m}, "continuous", 1, "interactions", true);
%! assert (e / 19, [277.217233; 161.68479; 67.5425804; 27.4909728; 19.7590899; 9.94211824; -1.19239431], 1e-6);
%! assert (stats.inertia(1) / 19, 994.092105, 1e-6);
%! assert (size (Y), [20, 6]);

## The sums of the test, and the axes of all distances, from both parts.
%!test
%! [Y, e, stats, info] = gpu_dbrda (D, {a, m}, "continuous", 1);
%! [~, tbl] = gpu_permanova (D, {a, m}, "continuous", 1, "by", "all", "permutations", 0);
%! assert (stats.inertia, [tbl{4,2}, tbl{2,2}, tbl{3,2}], 1e-12);
%! assert (sum (e), stats.inertia(2), 1e-12);
%! assert (sum (stats.residual_eigenvalue), stats.inertia(3), 1e-9);
%! assert (sumsq (Y, 1)', e(e > 0), 1e-12);
%! assert (Y' * stats.residual, zeros (columns (Y), columns (stats.residual)), 1e-12);
%! x = [ones(20, 1), a', m' == 2:4];
%! assert (x * (x \ Y), Y, 1e-12);
%! assert (isempty (info));
%! C = eye (20) - 1 / 20;
%! G = -C * gpu_pdist2 (X, X, "braycurtis") .^ 2 * C / 2;
%! u = Y ./ sqrt (sumsq (Y, 1));
%! assert (stats.weighted, G * u ./ e', 1e-9);
%! [~, again] = gpu_dbrda (X, {a, m}, "continuous", 1, "Distance", "braycurtis");
%! assert (again, e, 1e-12);

## Euclidean distances: a factor of all points, and redundancy analysis.
%!test
%! x = X(:,1:3);
%! [Y, e, stats] = gpu_dbrda (x, 1:20);
%! assert (stats.inertia(2), sumsq ((x - mean (x))(:)), 1e-9);
%! assert ({stats.residual, stats.residual_eigenvalue}, {zeros(20, 0), zeros(0, 1)});
%! assert (columns (Y), 3);
%! [~, e] = gpu_dbrda (x, m);
%! design = [ones(20, 1), m' == 2:4];
%! fitted = design * (design \ x);
%! assert (e, svd (fitted - mean (x)) .^ 2, 1e-9);

%!error <Invalid call> gpu_dbrda (1)
%!error <group must have at least two different values> gpu_dbrda (X, ones (1, 20))
%!error <group must have a value for each of the 20 points, not 2 values> gpu_dbrda (X, [1 2])
%!error <permutations must be given to gpu_permanova> gpu_dbrda (X, m, "permutations", 9)
%!error <continuous must be numbers of factors, 1 to 1, not 2> gpu_dbrda (D, m, "continuous", 2)
%!error <x must have finite distances of at least 0 only, not -1> gpu_dbrda ([-1 2 3], [1 1 2])
%!demo
%! X = [randn(30, 3); randn(30, 3) + 2];
%! [Y, e, stats] = gpu_dbrda (X, {repelem([1 2], 30), rand(1, 60)}, "continuous", 2);
%! e
