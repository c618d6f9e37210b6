## -*- texinfo -*-
## @deftypefn  {} {@var{r} =} gpu_mantel (@var{X}, @var{Y})
## @deftypefnx {} {@var{r} =} gpu_mantel (@var{X}, @var{Y}, @var{Z})
## @deftypefnx {} {@var{r} =} gpu_mantel (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{r}, @var{p}, @var{permuted}, @var{info}] =} gpu_mantel (@dots{})
## Test whether distances between the same points are correlated (Mantel 1967).
##
## @var{X} and @var{Y} are n by n matrices of distances, or row vectors as @code{gpu_pdist} returns them.  The
## structure of @code{gpu_dist_file} stands for the distances in a file, and that of @code{gpu_dist_device} for those
## on a device.  With @var{Z} the correlation is the partial one, given its distances.
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
## numbers from 1 to n in each row.  If n points have no more other orders than that, n! - 1, each of them is taken
## once and the p-value is exact.  Up to 7 points the permutations are different from each other.
## @item @qcode{"Type"}
## @qcode{"pearson"}, the default, @qcode{"spearman"} or @qcode{"kendall"}, or the beginning of such a name.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The option @qcode{"precision"} has no effect.
## @end table
##
## Kendall's correlations are those of @code{gpu_corr}, whose time for each permutation grows with the number of
## distances times its logarithm; distances in a file or on a device are read as a whole.
##
## There may be at most 65,536 points.  Distances must be finite.  For the same permutations the result is the same
## on any number of threads, on the CPU and on a GPU.
##
## The CPU reads row vectors of distances where they are.  In addition to them, and 4 n bytes for each permutation, it
## takes about 256 MiB of working memory, or @qcode{"memory_limit"}; @qcode{"spearman"} takes 2 n^2 bytes more for
## the ranks of each side.  A square matrix becomes a row vector of 4 n^2 bytes, and distances in a file or on a
## device are stored in as many, with @qcode{"spearman"} one side after the other.  A GPU takes 4 n^2 bytes of its
## memory for each side, and with ranks 8 n^2 more.
##
## @example
## X = gpu_pdist ([1; 2; 4; 8]);
## Y = gpu_pdist ([2; 3; 5; 7]);
## gpu_mantel (X, Y, "permutations", [2 1 4 3; 3 1 4 2; 4 3 2 1])
##   @result{} 0.9287
## @end example
##
## The help of @code{gpugeo} says under "Points or distances" what a matrix means.
##
## @seealso{gpugeo, gpu_permanova, gpu_anosim, gpu_pdist, gpu_dist_file, gpu_corr, gpu_options}
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
  options = read_options ([{"permutations"}, option_names("mantel")], varargin);
  names = {"x", "y", "z"};
  for k = 1:numel (sides)
    sides{k} = read_side (sides{k}, names{k});
  endfor
  options = read_permutations (options, count_points (sides{1}, true));
  options.names.method = "type";
  if (isfield (options, "type"))
    options.type = choose_one (options.type, __gpugeo__ ("names", "mantel", "type"), "type");
  endif
  if (isfield (options, "type") && strcmp (options.type, "kendall"))
    [statistic, info] = kendall (sides, options);
  else
    [statistic, info] = __gpugeo__ ("mantel", options, sides{:});
  endif
  r = statistic(1);
  permuted = statistic(2:end,1);
  p = permutation_p (permuted, r);

endfunction

## Kendall's correlations of the points as they are and of their permutations, in blocks that take at most 64 MiB.
function [statistic, info] = kendall (sides, options)

  names = {"x", "y", "z"};
  for k = 1:numel (sides)
    sides{k} = read_stored (sides{k});
    check_kendall (sides{k}, sides{1}, names{k});
  endfor
  order = double (options.order) + 1;
  n = count_points (sides{1}, true);
  order = [(1:n)', order];
  below = tril (true (n), -1);
  square = zeros (n);
  square(below) = sides{1};
  square += square';
  given = rmfield (options, intersect (fieldnames (options), {"order", "type", "names"}));
  given.type = "kendall";
  given = [fieldnames(given), struct2cell(given)]';
  others = cell2mat (cellfun (@(side) side(:), sides(2:end), "UniformOutput", false));
  statistic = zeros (columns (order), 1);
  width = max (1, floor (2 ^ 23 / numel (sides{1})));
  for first = 1:width:columns (order)
    block = first:min (first + width - 1, columns (order));
    moved = zeros (numel (sides{1}), numel (block));
    for k = 1:numel (block)
      moved(:,k) = square(order(:,block(k)),order(:,block(k)))(below);
    endfor
    [tau, ~, info] = gpu_corr (moved, others, given{:});
    if (columns (others) == 2)
      yz = gpu_corr (others(:,1), others(:,2), given{:});
      tau = (tau(:,1) - tau(:,2) * yz) ./ sqrt (1 - tau(:,2) .^ 2) / sqrt (1 - yz ^ 2);
    endif
    statistic(block) = tau;
  endfor

endfunction

## Distances in a file or on a device as a row.
function D = read_stored (D)

  if (isfield (D, "device_distances"))
    D = gpu_dist_device (D, ":", ":");
  elseif (isstruct (D))
    D = gpu_dist_file (D.file, D.name, ":", ":");
  else
    return;
  endif
  D = D(tril (true (size (D)), -1))';

endfunction

## Raises an error for distances that are not those of the points of D1, or not finite.
function check_kendall (D, D1, name)

  if (numel (D) != numel (D1))
    fail_message ("as many points", name, "x", count_points (D1, true), count_points (D, true));
  endif
  bad = sum (! isfinite (D));
  if (bad)
    error ("gpugeo:argument", "%s must have finite distances only, but %d of them are not", name, bad);
  endif

endfunction

## Distances as a row, or the structure that stands for them.
function D = read_side (D, name)

  if (isstruct (D))
    return;
  endif
  if (! (isnumeric (D) && isreal (D) && ndims (D) == 2))
    fail_value (D, name, ...
                "a matrix or a row vector of distances, or a structure of gpu_dist_file or gpu_dist_device");
  endif
  if (rows (D) != 1)
    if (! issquare (D))
      error ("gpugeo:argument", "%s must be a square matrix or a row vector of distances, not %d x %d", name, size (D));
    endif
    D = lower_triangle (D, name, "");
  endif

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

## Few points: all permutations but the identity, each once.
%!function X = squareform_of (x)
%!  X = zeros ((1 + sqrt (1 + 8 * numel (x))) / 2);
%!  X(tril (true (size (X)), -1)) = x;
%!  X += X';
%!endfunction
%!test
%! x = [1 2 4 7 12 20];
%! y = [3 1 9 5 20 11];
%! X4 = squareform_of (x);
%! r = zeros (0, 1);
%! for a = 1:4
%!   for b = setdiff (1:4, a)
%!     for c = setdiff (1:4, [a b])
%!       s = [a b c, 10-a-b-c];
%!       r(end+1,1) = corr (X4(s,s)(tril (true (4), -1)), y');
%!     endfor
%!   endfor
%! endfor
%! [got, p, permuted] = gpu_mantel (x, y);
%! assert ([got; permuted], r, 1e-14);  # in the order of the loops
%! assert (p, sum (r >= r(1) - sqrt (eps)) / 24, 1e-15);
%! rand ("twister", 1);
%! [~, ~, permuted] = gpu_mantel (rand (1, 21), rand (1, 21));
%! assert (numel (unique (permuted)), 999);
%! [~, ~, permuted] = gpu_mantel (rand (1, 21), rand (1, 21), "permutations", 9999);
%! assert (numel (unique (permuted)), 5039);

## Distances and statistics of the tests of scikit-bio 0.7.4 (BSD 3-Clause License); its p-values, 0.319 and 0.172, are
## estimates of these.
%!test
%! x = [1 2 3];
%! y = [2 7 6];
%! z = [0.5 0.25 0.1];
%! for type = {"pearson", "spearman"; 0.7559289, 0.5; -0.9897433, -1}
%!   assert (gpu_mantel (x, y, "Type", type{1}), type{2}, 5e-8);
%!   assert (gpu_mantel (y, x, "Type", type{1}), type{2}, 5e-8);
%!   assert (gpu_mantel (x, z, "Type", type{1}), type{3}, 5e-8);
%!   assert (gpu_mantel (x, x, "Type", type{1}), 1, 1e-15);
%! endfor
%! assert (nthargout (2, @gpu_mantel, x, y), 2 / 6, 1e-15);
%! assert (nthargout (2, @gpu_mantel, x, x), 1 / 6, 1e-15);

## Distances in files, alone and together with numbers.
%!testif ; ! isempty (gpu_info ().hdf5)
%! files = {[tempname() '.h5'], [tempname() '.h5'], [tempname() '.h5']};
%! columns = {X, Y, Z};
%! unwind_protect
%!   for k = 1:3
%!     in_file{k} = gpu_pdist (columns{k}, "euclidean", "file", files{k});
%!     number{k} = gpu_pdist (columns{k});
%!   endfor
%!   for type = {"pearson", "spearman"}
%!     options = {"permutations", permutations, "Type", type{1}};
%!     [r, p, permuted] = gpu_mantel (number{:}, options{:});
%!     for which = (dec2bin (1:7) == "1")'
%!       sides = number;
%!       sides(which) = in_file(which);
%!       [r1, p1, permuted1] = gpu_mantel (sides{:}, options{:});
%!       assert ({r1, p1, permuted1}, {r, p, permuted});
%!     endfor
%!   endfor
%!   fail ("gpu_mantel (in_file{1}, [1 2 3])", "y must have as many points as x, 12, not 3");
%! unwind_protect_cleanup
%!   delete (files{:});
%! end_unwind_protect

%!error <Invalid call> gpu_mantel (1)
%!error <y must be symmetric, but element \(1, 3\) is 5 and element \(3, 1\) is 2$>
%! gpu_mantel (1:3, [0 1 5; 1 0 3; 2 3 0])
%!error <x must be a square matrix or a row vector of distances, not 2 x 3> gpu_mantel (ones (2, 3), 1)
%!error <x must be a square matrix or a row vector of distances, not 3 x 1> gpu_mantel ([3; 4; 5], [3 4 5])
%!error <y must have n \(n - 1\) / 2 distances, not 2> gpu_mantel (1, [1 2])
%!error <y must be a matrix or a row vector .* gpu_dist_file or gpu_dist_device, not "text"> gpu_mantel (1, "text")
%!error <y must be a matrix or a row vector .* gpu_dist_file or gpu_dist_device, not > gpu_mantel (1, {1})
%!error <file must be a single string> gpu_mantel (1, struct ("size", 2))
%!error <y must be distances that this session has on a device>
%! gpu_mantel (1, struct ("device_distances", 5, "size", 2))
%!error <y must have as many points as x, 12, not 3> gpu_mantel (X, [1 2 3])
%!error <z must have as many points as x, 12, not 3> gpu_mantel (X, Y, [1 2 3])
%!error <y must have finite distances only, but 1 of them is not; the first is missing, between points 1 and 3>
%! gpu_mantel ([1 2 3], [1 NaN 2])
%!error <type must be one of "pearson", "spearman", "kendall", not "tau"> gpu_mantel (X, Y, "Type", "tau")
%!error <y must have as many points as x, 12, not 3> gpu_mantel (X, [1 2 3], "Type", "kendall")
%!error <y must have finite distances only, but 1 of them are not> gpu_mantel ([1 2 3], [1 NaN 2], "Type", "k")

## Kendall's correlation by counting pairs of distances.
%!function r = tau_b (x, y)
%!  dx = sign (x - x');
%!  dy = sign (y - y');
%!  r = sum (dx(:) .* dy(:)) / sqrt (sum (abs (dx(:))) * sum (abs (dy(:))));
%!endfunction
%!test
%! below = tril (true (12), -1);
%! r = partial = zeros (31, 1);
%! yz = tau_b (Y(below), Z(below));
%! for k = 0:30
%!   s = [1:12; permutations](k+1,:);
%!   r(k+1) = tau_b (X(s,s)(below), Y(below));
%!   xz = tau_b (X(s,s)(below), Z(below));
%!   partial(k+1) = (r(k+1) - xz * yz) / sqrt ((1 - xz ^ 2) * (1 - yz ^ 2));
%! endfor
%! [got, p, permuted, info] = gpu_mantel (X, Y, "permutations", permutations, "Type", "Kendall", "threads", 2);
%! assert ([got; permuted], r, 1e-13);
%! assert (p, sum (r >= r(1) - sqrt (eps)) / 31, 1e-15);
%! assert (info.backend, "cpu");
%! [got, p, permuted] = gpu_mantel (X(below)', Y, Z, "permutations", permutations, "Type", "ken");
%! assert ([got; permuted], partial, 1e-13);
%!testif ; ! isempty (gpu_info ().hdf5)
%! file = [tempname() '.h5'];
%! unwind_protect
%!   in_file = gpu_pdist ([1 4 9 11 3 8]', "euclidean", "file", file);
%!   other = gpu_pdist ([2 3 5 7 11 13]');
%!   got = gpu_mantel (in_file, other, "permutations", 0, "Type", "kendall");
%!   assert (got, gpu_mantel (gpu_pdist ([1 4 9 11 3 8]'), other, "permutations", 0, "Type", "kendall"));
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%!testif ; numel (gpu_info ().devices) > 0
%! for type = {"pearson", "spearman"}
%!   options = {"permutations", permutations, "Type", type{1}, "backend"};
%!   [r, p, permuted] = gpu_mantel (X, Y, Z, options{:}, "cuda");
%!   [r1, p1, permuted1] = gpu_mantel (X, Y, Z, options{:}, "cpu");
%!   assert ({r, p, permuted}, {r1, p1, permuted1});
%!   kept = gpu_pdist (X, "euclidean", "keep", true);
%!   [r, p, permuted] = gpu_mantel (kept, Y, Z, options{:}, "cuda");
%!   [r1, p1, permuted1] = gpu_mantel (gpu_pdist (X), Y, Z, options{:}, "cpu");
%!   assert ({r, p, permuted}, {r1, p1, permuted1});
%! endfor

%!demo
%! X = randn (30, 2);
%! [r, p] = gpu_mantel (gpu_pdist (X), gpu_pdist (X + randn (30, 2)))
