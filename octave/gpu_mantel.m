## -*- texinfo -*-
## @deftypefn  {} {@var{r} =} gpu_mantel (@var{X}, @var{Y})
## @deftypefnx {} {@var{r} =} gpu_mantel (@var{X}, @var{Y}, @var{Z})
## @deftypefnx {} {@var{r} =} gpu_mantel (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{r}, @var{p}, @var{permuted}, @var{info}] =} gpu_mantel (@dots{})
## Test whether distances between the same points are correlated (Mantel 1967).
##
## @var{X} and @var{Y} are n by n matrices of distances, or row vectors as @code{gpu_pdist} returns them.  With
## @var{Z} the correlation is the partial one, given its distances.
##
## @var{r} is the correlation, and @var{permuted} the column of the same for each permutation of the points of
## @var{X}.  @var{p} is the share of permutations whose correlation is not smaller than @var{r}; the points as
## they are count as a permutation, and correlations that are smaller by at most 2^-26 count as equal.
## @var{info} is that of @code{gpu_pdist}.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"permutations"}
## The number of permutations, 999 by default, which @code{randperm} makes; or a matrix with a permutation of the
## numbers from 1 to n in each row.
## @item @qcode{"Type"}
## @qcode{"pearson"}, the default, or @qcode{"spearman"}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The option @qcode{"precision"} has no effect.
## @end table
##
## There may be at most 65,536 points.  Distances must be finite.  For the same permutations the result is the same
## on any number of threads, on the CPU and on a GPU.
##
## @example
## X = gpu_pdist ([1; 2; 4; 8]);
## Y = gpu_pdist ([2; 3; 5; 7]);
## gpu_mantel (X, Y, "permutations", [2 1 4 3; 3 1 4 2; 4 3 2 1])
##   @result{} 0.9287
## @end example
##
## @seealso{gpu_permanova, gpu_anosim, gpu_pdist, gpu_corr, gpu_options}
## @end deftypefn

function [r, p, permuted, info] = gpu_mantel (X, Y, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  sides = {X, Y};
  if (numel (varargin) > 0 && ! ischar (varargin{1}))
    sides{3} = varargin{1};
    varargin(1) = [];
  endif
  options = read_options ({"permutations", "type"}, varargin);
  counts = {"nx", "ny", "nz"};
  names = {"x", "y", "z"};
  for k = 1:numel (sides)
    sides{k} = read_side (sides{k}, names{k});
    options.(counts{k}) = (1 + sqrt (1 + 8 * numel (sides{k}))) / 2;
  endfor
  options = read_permutations (options, options.nx);
  options.names.method = "type";
  [statistic, info] = __gpugeo__ ("mantel", options, sides{:});
  r = statistic(1);
  permuted = statistic(2:end,1);
  p = permutation_p (permuted, r);

endfunction

## Distances as a row.
function D = read_side (D, name)

  if (! (isnumeric (D) && isreal (D) && ndims (D) == 2))
    error ("gpugeo:argument", "%s must be a matrix or a row vector of distances, not %s", name, ...
           __gpugeo__ ("show", D));
  endif
  if (rows (D) != 1)
    if (! issquare (D))
      error ("gpugeo:argument", "%s must be a square matrix of distances, not %d x %d", name, size (D));
    endif
    D = D(tril (true (size (D)), -1))';
  endif
  n = (1 + sqrt (1 + 8 * numel (D))) / 2;
  if (n != fix (n))
    error ("gpugeo:argument", "%s must have n (n - 1) / 2 distances, not %d", name, numel (D));
  endif
  D = double (D);

endfunction

%!shared X, Y, Z, permutations
%! points = [1 0; 2 1; 3 0; 6 2; 7 1; 8 0; 12 5; 13 5; 15 4; 20 1; 21 2; 22 0];
%! X = gpu_pdist2 (points, points, "cityblock");
%! Y = gpu_pdist2 (points(:,2), points(:,2)) + 0.1 * gpu_pdist2 (points(:,1) .^ 2, points(:,1) .^ 2);
%! Z = gpu_pdist2 (cos (1:12)', cos (1:12)');
%! rand ("twister", 1);
%! permutations = cell2mat (arrayfun (@(k) randperm (12), (1:30)', "UniformOutput", false));

## Against the definition, permutation by permutation.
%!test
%! below = tril (true (12), -1);
%! ranks = @(d) arrayfun (@(v) sum (d < v) + (sum (d == v) + 1) / 2, d);
%! for type = {"pearson", "spearman"}
%!   if (strcmp (type{1}, "pearson"))
%!     of = @(d) d;
%!   else
%!     of = ranks;
%!   endif
%!   r = partial = zeros (31, 1);
%!   for k = 0:30
%!     s = [1:12; permutations](k+1,:);
%!     x = of (X(s,s)(below));
%!     y = of (Y(below));
%!     z = of (Z(below));
%!     xy = corr (x, y);
%!     xz = corr (x, z);
%!     yz = corr (y, z);
%!     r(k+1) = xy;
%!     partial(k+1) = (xy - xz * yz) / sqrt ((1 - xz ^ 2) * (1 - yz ^ 2));
%!   endfor
%!   options = {"permutations", permutations, "Type", type{1}};
%!   for threads = [1 3]
%!     [got, p, permuted, info] = gpu_mantel (X, Y, options{:}, "threads", threads);
%!     assert ([got; permuted], r, 1e-13);
%!     assert (p, sum (r >= r(1) - sqrt (eps)) / 31, 1e-15);
%!     assert ({info.backend, info.threads}, {"cpu", threads});
%!     [got, p, permuted] = gpu_mantel (X(below)', Y, Z, options{:}, "threads", threads);
%!     assert ([got; permuted], partial, 1e-13);
%!     assert (p, sum (partial >= partial(1) - sqrt (eps)) / 31, 1e-15);
%!   endfor
%! endfor
%!assert (gpu_mantel (X, X), 1)
%!assert (gpu_mantel (X, ones (12)), NaN)
%!assert (nthargout (2, @gpu_mantel, X, Y, "permutations", 0), 1)

%!error <Invalid call> gpu_mantel (1)
%!error <x must be a square matrix of distances, not 2 x 3> gpu_mantel (ones (2, 3), 1)
%!error <y must have n \(n - 1\) / 2 distances, not 2> gpu_mantel (1, [1 2])
%!error <y must be a matrix or a row vector of distances, not "text"> gpu_mantel (1, "text")
%!error <y must have as many points as x, 12, not 3> gpu_mantel (X, [1 2 3])
%!error <z must have as many points as x, 12, not 3> gpu_mantel (X, Y, [1 2 3])
%!error <y must have finite distances only, but 1 of them is not; the first is missing, between points 1 and 3>
%! gpu_mantel ([1 2 3], [1 NaN 2])
%!error <type must be "pearson" or "spearman", not "kendall", which would compare> gpu_mantel (X, Y, "Type", "kendall")
%!testif ; numel (gpu_info ().devices) > 0
%! for type = {"pearson", "spearman"}
%!   options = {"permutations", permutations, "Type", type{1}, "backend"};
%!   [r, p, permuted] = gpu_mantel (X, Y, Z, options{:}, "cuda");
%!   [r1, p1, permuted1] = gpu_mantel (X, Y, Z, options{:}, "cpu");
%!   assert ({r, p, permuted}, {r1, p1, permuted1});
%! endfor

%!demo
%! X = randn (30, 2);
%! [r, p] = gpu_mantel (gpu_pdist (X), gpu_pdist (X + randn (30, 2)))
