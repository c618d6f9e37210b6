## -*- texinfo -*-
## @deftypefn  {} {@var{R} =} gpu_corr (@var{X})
## @deftypefnx {} {@var{R} =} gpu_corr (@var{X}, @var{Y})
## @deftypefnx {} {@var{R} =} gpu_corr (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{R}, @var{P}] =} gpu_corr (@dots{})
## @deftypefnx {} {[@var{R}, @var{P}, @var{info}] =} gpu_corr (@dots{})
## Compute the correlations between the columns of @var{X}, or between those of @var{X} and those of
## @var{Y}, on all CPU cores or on a GPU.
##
## @var{X} is n by k and @var{Y} n by l.  @var{R} is k by k, or k by l, and single when an input is.  The
## correlation of a constant column is NaN, with a warning, and so is that of a single row, for which @code{corr} of
## Octave 7 returns 1.  For vectors, @code{corrcoef (X)} is @code{gpu_corr (X(:))}, and @code{corrcoef (X, Y)} is
## @code{gpu_corr ([X(:), Y(:)])}.  Sparse matrices are expanded in blocks of columns,
## never as a whole, and have the correlations of full ones, bit for bit.  For those of Kendall, ranks of all
## columns are kept as well, which take half of the memory of the full matrix.  An empty @var{Y}, @code{[]}, stands for none.
## @var{P}, of the size and class of @var{R}, has the probability of a correlation that is as far from 0 or
## farther, if the columns are independent.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"type"}, @qcode{"method"} or @qcode{"metric"}
## @qcode{"Pearson"} (the default), @qcode{"Spearman"} for the correlation of ranks, those of ties
## averaged, @qcode{"Kendall"} for Kendall's tau-b, @qcode{"bicor"} for the biweight midcorrelation of R's
## package WGCNA: the cosine of the angle between two columns of deviations from the median, which are
## weighted so that outliers count less or not at all, or @qcode{"dcor"} for the distance correlation, between 0
## and 1, which is 0 only for independent variables, of whatever relation, and for a constant column.
## @item @qcode{"rows"} or @qcode{"use"}
## How missing values, which are NaN, are treated: with @qcode{"all"} (the default) the correlations of a
## column that has one are NaN (except 1 with itself, as in R); @qcode{"complete"} leaves out the rows that
## have one, and is an error when no row is left; @qcode{"pairwise"} leaves them out for each pair of
## columns separately.  The names of R's @code{cor} are understood as well: @qcode{"everything"},
## @qcode{"all.obs"}, @qcode{"complete.obs"}, @qcode{"na.or.complete"}, @qcode{"pairwise.complete.obs"}.
## @item @qcode{"robustx"}, @qcode{"robusty"}, @qcode{"maxpoutliers"}, @qcode{"quick"}
## @itemx @qcode{"pearsonfallback"}, @qcode{"cosine"}, @qcode{"cosinex"}, @qcode{"cosiney"}
## Of @qcode{"bicor"}, as in WGCNA.  @qcode{"robustx"} and @qcode{"robusty"} (true): false treats the columns
## of @var{X}, or of @var{Y}, as for Pearson's correlation.  @qcode{"maxpoutliers"} (1): the share of values
## on each side of the median that may be outliers; the others have a weight of at least 9/16.
## @qcode{"quick"} (0): with missing values, a column keeps its median and deviation for pairs that lack at
## most this share of the rows; with 0 each pair is exact.  @qcode{"pearsonfallback"}: a column whose median
## absolute deviation is 0 is treated as for Pearson's correlation with @qcode{"individual"} (the default),
## all columns of its matrix are with @qcode{"all"}, and its correlations are NaN with @qcode{"none"}; a
## warning counts such columns.  @qcode{"cosine"} (false), or @qcode{"cosinex"} and @qcode{"cosiney"} for each
## matrix: true weights the values, not their deviations.  With the type @qcode{"Pearson"} the cosine of the
## angle between two columns is their product, too, divided by their lengths.
## @item @qcode{"weights"}, @qcode{"weightsy"}
## Of @qcode{"Pearson"}: weights of the values of @var{X} and of @var{Y}, as in WGCNA's @code{cor}: a matrix of
## the same size, or a column for all columns.  None may be negative or infinite.  A column x with weights w
## becomes w .* (x - sum (w .* x) / sum (w)), and the correlation is the cosine of the angle between two such
## columns.  A value of weight 0 has no effect; one whose weight is missing is missing, too.
## @item @qcode{"tail"}
## The alternative of @var{P}: a correlation other than 0 for @qcode{"both"} (the default), above 0 for
## @qcode{"right"}, below 0 for @qcode{"left"}.  @qcode{"dcor"} has no sign, and takes @qcode{"both"} only.
## @item @qcode{"permutations"}
## For @var{P} of @qcode{"dcor"}: the number of permutations of the rows of @var{Y}, 999 by default, or a matrix
## with one in each row.  @var{P} is the share of them, and of the rows as they are, whose correlation is not
## smaller.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"precision"}, @qcode{"progress"}
## @itemx @qcode{"memory_limit"}
## How to compute, see @code{gpu_options}.  The precision is by default that of the input.
## @end table
##
## Probabilities of Pearson's correlations, and of @qcode{"bicor"}, are those of Student's t, r * sqrt ((n - 2) / (1 - r^2)) with n -
## 2 degrees of freedom, exact for normal variables.  Those of Spearman's are exact, from all n!
## permutations, for at most 9 rows without ties in the two columns, and those of the same t otherwise.
## Those of Kendall's are exact, from all permutations, for fewer than 50 rows without ties in the two
## columns, and those of the normal distribution, its variance corrected for ties, otherwise, as in R's
## @code{cor.test}.
## (MATLAB may use another approximation there: it describes its own as exact for small samples only.)  n is
## the number of rows that the correlation is computed from.  @var{P} is NaN for n < 3, and where @var{R} is
## NaN; without @var{Y}, its diagonal is 1.
##
## @var{info} is that of @code{gpu_pdist}.
##
## Sources of the probabilities: R. A. Fisher (1915), Frequency distribution of the values of the correlation
## coefficient in samples from an indefinitely large population, Biometrika 10; M. G. Kendall (1948), Rank
## Correlation Methods.  Distance correlations: G. J. Székely, M. L. Rizzo and N. K. Bakirov (2007), Measuring
## and testing dependence by correlation of distances, The Annals of Statistics 35; X. Huo and G. J. Székely
## (2016), Fast computing for distance covariance, Technometrics 58.
##
## @example
## R = gpu_corr ([1 2 3 4; 2 4 6 9; 4 3 2 1]');
## R = gpu_corr (rand (20, 3), rand (20, 2), "type", "Spearman");
## [R, P] = gpu_corr ([1 2 3 4 5]', [2 1 3 5 4]', "type", "Spearman")
##   @result{} R = 0.8000
##       P = 0.1333
## @end example
##
## @seealso{gpu_pdist, gpu_pdist2, gpu_options, gpu_info, corr, spearman}
## @end deftypefn

function [R, P, info] = gpu_corr (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif

  [inputs, pairs] = read_inputs (X, varargin);
  of_bicor = {"robustx", "robusty", "maxpoutliers", "quick", "pearsonfallback", "cosinex", "cosiney"};
  options = read_options ([{"type", "rows", "method", "use", "metric", "tail", "permutations"}, of_bicor, ...
                            {"cosine", "weights", "weightsy"}], pairs);
  options.names.maxPOutliers = "maxpoutliers";
  options.names.pearsonFallback = "pearsonfallback";
  options.names.("weights.x") = "weights";
  options.names.("weights.y") = "weightsy";
  for name = {"cosinex", "cosiney"}
    if (isfield (options, "cosine") && ! isfield (options, name{1}))
      options.(name{1}) = options.cosine;
      options.names.(name{1}) = "cosine";
    endif
  endfor
  ## The core knows R's names.
  names = {"type", "method", "metric"};
  options.names.method = [names(isfield (options, names)), {"type"}]{1};
  options = choose_metric (options, names);
  if (isfield (options, "rows"))
    options.use = options.rows;
    options.names.use = "rows";
  endif
  tail = read_tail (options);
  if (! begins (options, "method", {"dcor"}))
    options = rmfield (options, intersect (fieldnames (options), {"permutations"}));
  elseif (! strcmp (tail, "both"))
    error ("gpugeo:argument", 'tail must be "both" for "dcor", not "%s"', tail);
  endif
  [R, info] = __gpugeo__ ("cor", options, inputs{:});
  P = [];
  if (nargout > 1 && isargout (2))
    cosines = {"cosinex", "cosiney"};
    if (any (isfield (options, {"weights", "weightsy"})) ...
        || any (cellfun (@(name) read_flag (options, name, false), cosines)))
      fail_message ("p-values of weights", "P");
    endif
    P = probabilities (R, inputs, options, tail);
  endif

endfunction

## True if an option is a beginning of one of the names, as the core understands it.
function yes = begins (options, name, words)

  yes = isfield (options, name) && any (strncmp (tolower (options.(name)), words, numel (options.(name))));

endfunction

function P = probabilities (R, inputs, options, tail)

  if (begins (options, "method", {"dcor"}))
    P = permuted_probabilities (R, inputs, options);
    return;
  endif

  inputs = used_rows (inputs, options);
  X = inputs{1};
  Y = inputs{end};
  r = double (R);
  r(abs (r) > 1) = sign (r(abs (r) > 1));  # rounded
  n = repmat (rows (X), size (r));
  if (begins (options, "use", {"pairwise.complete.obs"}))
    n = rows_of_pairs (X, Y);
  endif

  if (begins (options, "method", {"kendall"}))
    P = cast (kendall_probabilities (r, n, X, Y, tail), class (R));
    P(logical (eye (size (P)) * (numel (inputs) == 1)) & ! isnan (P)) = 1;
    return;
  endif
  P = NaN (size (r));
  known = n >= 3 & ! isnan (r);
  P(known) = t_probabilities (r(known), n(known) - 2, tail);
  if (begins (options, "method", {"spearman"}))
    few = known & n <= 9 & ! has_ties (X)' & ! has_ties (Y);
    for count = unique (n(few))'
      same = few & n == count;
      P(same) = permutation_probabilities (r(same), count, tail);
    endfor
  endif
  if (numel (inputs) == 1)
    own = logical (eye (columns (X)));
    P(own) = merge (isnan (r(own)), NaN, 1);
  endif
  P = cast (P, class (R));

endfunction

## The inputs without the rows that are left out of all.  Sparse matrices stay sparse.
function inputs = used_rows (inputs, options)

  inputs = cellfun (@double, inputs, "UniformOutput", false);
  if (begins (options, "use", {"complete.obs", "na.or.complete"}))
    whole = true (rows (inputs{1}), 1);
    for i = 1:numel (inputs)
      whole &= ! full (any (isnan (inputs{i}), 2));
    endfor
    inputs = cellfun (@(input) input(whole,:), inputs, "UniformOutput", false);
  endif

endfunction

## Probabilities of distance correlations.
function P = permuted_probabilities (R, inputs, options)

  within = numel (inputs) == 1;
  inputs = used_rows (inputs, options);
  gaps = cellfun (@(input) any (isnan (input(:))), inputs);
  if (any (gaps) && begins (options, "use", {"pairwise.complete.obs"}))
    name = "use";
    if (isfield (options, "rows"))
      name = "rows";
    endif
    error ("gpugeo:argument", ['%s must be "everything", "all.obs", "complete.obs" or "na.or.complete" for ' ...
                               'p-values of "dcor" with missing values, not "pairwise.complete.obs"'], name);
  endif
  order = double (read_permutations (options, rows (inputs{1})).order) + 1;
  options = rmfield (options, intersect (fieldnames (options), {"permutations", "use"}));
  reached = 1 + 0 * R;
  for k = 1:columns (order)
    other = __gpugeo__ ("cor", options, inputs{1}, inputs{end}(order(:,k),:));
    reached += other.^2 >= R.^2 - sqrt (eps);
  endfor
  if (within)
    reached = tril (reached) + tril (reached, -1)';
  endif
  P = reached / (columns (order) + 1);

endfunction

## The number of rows without NaN for each pair of columns.
function n = rows_of_pairs (X, Y)

  x = double (isnan (X));
  y = double (isnan (Y));
  n = rows (X) - full (sum (x, 1))' - full (sum (y, 1)) + full (x' * y);

endfunction

## True for each column with two equal numbers.
function yes = has_ties (X)

  yes = false (1, columns (X));
  for j = 1:columns (X)
    yes(j) = any (diff (sort (full (X(:,j))), 1, 1) == 0);
  endfor

endfunction

## The probability of a tail; of both, twice the smaller one.
function P = of_tail (left, right, tail)

  switch (tail)
    case "right"
      P = right;
    case "left"
      P = left;
    otherwise
      P = min (1, 2 * min (right, left));
  endswitch

endfunction

## Exact probabilities of Spearman's correlations of n rows without ties, from the sums of the squared
## differences of ranks of all permutations.
function P = permutation_probabilities (r, n, tail)

  persistent kept = cell (1, 9);
  if (isempty (kept{n}))
    halves = sumsq (perms (1:n) - (1:n), 2) / 2;  # all sums are even
    kept{n} = cumsum (accumarray (halves + 1, 1)) / factorial (n);
  endif
  below = [0; kept{n}];
  half = round ((1 - r) * (n^3 - n) / 12);
  right = below(half + 2);
  left = 1 - below(half + 1);
  P = of_tail (left, right, tail);

endfunction

## Probabilities of Kendall's correlations r of n rows.
function P = kendall_probabilities (r, n, X, Y, tail)

  P = NaN (size (r));
  [rows, columns] = find (! isnan (r));
  for pair = [rows(:), columns(:)]'
    x = full (X(:,pair(1)));
    y = full (Y(:,pair(2)));
    both = ! isnan (x) & ! isnan (y);
    [of_x, of_y] = deal (tie_sums (x(both)), tie_sums (y(both)));
    [i, j] = deal (pair(1), pair(2));
    if (of_x(1) + of_y(1) == 0 && n(i,j) < 50)
      P(i,j) = kendall_exact (r(i,j), n(i,j), tail);
    else
      P(i,j) = kendall_normal (r(i,j), n(i,j), of_x, of_y, tail);
    endif
  endfor

endfunction

## Sums over the sizes t of groups of equal values.
function sums = tie_sums (values)

  [~, ~, group] = unique (values);
  t = accumarray (group(:), 1);
  pairs = t .* (t - 1);
  sums = [sum(pairs), sum(pairs .* (2 * t + 5)), sum(pairs .* (t - 2))];

endfunction

## From the number of permutations with each number of concordant pairs.
function P = kendall_exact (r, n, tail)

  persistent kept = cell (1, 49);
  if (isempty (kept{n}))
    share = 1;
    for k = 2:n
      share = conv (share, ones (1, k)) / k;
    endfor
    kept{n} = [0, cumsum(share)];
  endif
  most = n * (n - 1) / 2;
  concordant = round ((r + 1) * most / 2);
  left = kept{n}(concordant + 2);
  right = kept{n}(most - concordant + 2);
  P = of_tail (left, right, tail);

endfunction

function P = kendall_normal (r, n, of_x, of_y, tail)

  all = n * (n - 1);
  score = r * sqrt ((all - of_x(1)) * (all - of_y(1))) / 2;
  variance = (all * (2 * n + 5) - of_x(2) - of_y(2)) / 18 + of_x(1) * of_y(1) / (2 * all);
  if (n > 2)
    variance += of_x(3) * of_y(3) / (9 * all * (n - 2));
  endif
  z = score / sqrt (variance);
  switch (tail)
    case "right"
      P = erfc (z / sqrt (2)) / 2;
    case "left"
      P = erfc (-z / sqrt (2)) / 2;
    otherwise
      P = erfc (abs (z) / sqrt (2));
  endswitch

endfunction

%!shared X, Y
%! X = [1 4; 2 3; 3 1; 4 2];
%! Y = [2; 4; 6; 9];
%!assert (gpu_corr (X), [1 -0.8; -0.8 1], 1e-15)
%!assert (gpu_corr (X, Y), corr (X, Y), 1e-15)
%!assert (gpu_corr (X, []), gpu_corr (X))
%!assert (gpu_corr (X, Y, "type", "Spearman"), [1; -0.8], 1e-15)
%!assert (gpu_corr (X, "method", "spearman"), [1 -0.8; -0.8 1], 1e-15)
%!assert (gpu_corr (X, "metric", "spearman"), gpu_corr (X, "method", "spearman"))
%!error <metric must not be given with type, which means the same> gpu_corr (X, "type", "pearson", "metric", "spearman")
%!assert (class (gpu_corr (single (X))), "single")
%!assert (gpu_corr (int8 (X)), [1 -0.8; -0.8 1], 1e-15)
%!assert (gpu_corr (X, single (Y)), single (corr (X, Y)), 1e-6)
%!assert (gpu_corr (zeros (3, 0)), zeros (0, 0))
%!assert (gpu_corr (sparse (X), sparse (Y)), gpu_corr (X, Y))
%!test
%! z = [1 2 0; NaN 3 0; 4 1 5; 0 0 NaN; 7 0 1; 2 2 2];
%! for type = {"pearson", "spearman", "kendall"}
%!   for use = {"all", "complete", "pairwise"}
%!     given = {"type", type{1}, "rows", use{1}};
%!     [R, P] = gpu_corr (z, given{:});
%!     [R2, P2] = gpu_corr (sparse (z), given{:});
%!     assert ({R2, P2, issparse(P2)}, {R, P, false});
%!     [R, P] = gpu_corr (z, z(:,2), given{:});
%!     [R2, P2] = gpu_corr (sparse (z), z(:,2), given{:});
%!     assert ({R2, P2}, {R, P});
%!   endfor
%! endfor

## Kendall's tau-b, against cor of R 4.2.2 and against Octave's kendall, which has no ties.
%!test
%! x = [1 2 2 4 5 6; 2 1 4 3 6 6; 3 3 3 1 2 2]';
%! tau = gpu_corr (x, "type", "Kendall");
%! assert (diag (tau), [1; 1; 1]);
%! assert (tau, tau');
%! assert (tau([2 3 6]), [0.64285714285714279, -0.56407607481776623, -0.40291148201269011], 1e-15);
%! z = [X, Y];
%! assert (gpu_corr (z, "type", "kendall"), kendall (z), 1e-15);
%! assert (gpu_corr (sparse (z), "type", "kendall"), gpu_corr (z, "type", "kendall"));
%! assert (gpu_corr ([z; NaN 1 2], "type", "kendall", "rows", "complete"), gpu_corr (z, "type", "kendall"));

## Biweight midcorrelation, by hand: deviations -2 -1 0 1 97 and -1 -2 0 2 1 with a MAD of 1, and by WGCNA 1.72.
%!test
%! x = [1 2 3 4 100; 2 1 3 5 4]';
%! [a, b] = deal (6400, 11858);
%! r = 3 * a * b / sqrt ((b^2 + 2 * a^2) * (2 * a^2 + 2 * b^2));
%! assert (gpu_corr (x, "type", "bicor"), [1 r; r 1], 1e-15);
%! assert (gpu_corr (x, "type", "bicor", "robustx", false), gpu_corr (x), 1e-15);
%! assert (gpu_corr (x, x, "type", "bicor", "cosiney", true)(2,2), ...
%!         gpu_corr (x, x, "type", "bicor", "cosine", true, "cosinex", false)(2,2));
%! assert (gpu_corr ([x; NaN 1], "type", "bicor", "rows", "pairwise"), [1 r; r 1], 1e-15);
%! assert (gpu_corr (sparse (x), "type", "bicor"), gpu_corr (x, "type", "bicor"));
%!test
%! x = [2 7 1 8 2 8 1 8 28 4 5 9; 3 1 4 1 5 9 2 6 5 3 5 89; 1 4 1 4 2 1 3 5 6 2 3 -73]';
%! upper = @(varargin) gpu_corr (varargin{:}, "type", "bicor")([4 7 8]);
%! assert (upper (x), [0.3042294911004188 0.3672400409487428 -0.1978256481847820], 1e-13);
%! assert (upper (x, "maxpoutliers", 0), [0.2230106872315935 -0.1037401179107423 -0.9854501187941518], 1e-13);
%! assert (upper (x, "cosine", true), [0.6451189802278678 0.6826641982467350 0.7532416277497267], 1e-13);
%!warning <the median absolute deviation is 0 in 1 column of x: 1; Pearson's correlation replaces bicor for them>
%! gpu_corr ([0 0 0 0 5; 2 1 3 5 4]', "type", "bicor");

## Weighted correlations and cosines, by hand and by WGCNA 1.72.
%!test
%! x = [1 2 3 5 8; 2 1 4 3 9; 7 1 2 2 0]';
%! w = [1 2 1 0 3; 1 1 2 2 0; 0 1 1 3 1]';
%! z = w .* (x - sum (w .* x) ./ sum (w));
%! z ./= sqrt (sumsq (z));
%! r = gpu_corr (x, "Weights", w);
%! assert (r, z' * z, 1e-14);
%! assert (gpu_corr (x, x(:,2:3), "weights", w, "weightsy", w(:,2:3)), r(:,2:3), 1e-15);
%! assert (gpu_corr (x, "weights", ones (5, 1)), corr (x), 1e-14);
%! assert (gpu_corr (sparse (x), "weights", w), r);
%! assert (gpu_corr (single (x), "weights", w), single (r), 1e-6);
%! c = x ./ sqrt (sumsq (x));
%! assert (gpu_corr (x, "cosine", true), c' * c, 1e-14);
%! assert (gpu_corr (x, x, "cosinex", true), c' * ((x - mean (x)) ./ sqrt (sumsq (x - mean (x)))), 1e-14);
%! gap = w;
%! gap(2,1) = NaN;
%! keep = [1 3 4 5];
%! assert (gpu_corr (x, "weights", gap, "rows", "complete"), gpu_corr (x(keep,:), "weights", w(keep,:)));
%! assert (isnan (gpu_corr (x, "weights", gap)), logical ([1 1 1; 1 0 0; 1 0 0]));
%!error <weights must be at least 0 and finite, not -1> gpu_corr ([1; 2; 3], "weights", [1; -1; 1])
%!error <weightsy must be at least 0 and finite, not Inf> gpu_corr ([1; 2], [1; 2], "weightsy", [1; Inf])
%!error <weights must be of the size of x, 3 x 1, or have 3 rows and one column, not 2 x 1> ...
%! gpu_corr ([1; 2; 3], "weights", [1; 1])
%!error <weightsy must be left out without y, not a matrix of 2 x 1> gpu_corr ([1; 2], "weightsy", [1; 1])
%!error <method must be "pearson" with weights, not "kendall"|type must be "pearson" with weights, not "kendall"> ...
%! gpu_corr ([1; 2], "type", "kendall", "weights", [1; 1])
%!error <P must not be asked for with weights or for cosines> [~, p] = gpu_corr ([1; 2; 4], "cosine", true);
%!error <maxpoutliers must be a number between 0 and 1, not 2> gpu_corr ([1; 2], "maxpoutliers", 2)
%!error <pearsonfallback must be one of "none", "individual", "all", not "x"> gpu_corr ([1; 2], "pearsonfallback", "x")

## Missing values.
%!test
%! x = [X; NaN 7];
%! assert (gpu_corr (x), [1 NaN; NaN 1]);
%! assert (gpu_corr (x, "rows", "complete"), gpu_corr (X));
%! assert (gpu_corr (x, "rows", "pairwise"), gpu_corr (X), 1e-15);
%! assert (gpu_corr (x, "use", "complete.obs"), gpu_corr (X));

%!test
%! rand ("twister", 1);
%! x = rand (50, 9);
%! [R, ~, info] = gpu_corr (x, "backend", "cpu", "threads", 1);
%! assert (R, R');
%! assert (R, corr (x), 1e-14);
%! assert (info.backend, "cpu");
%! assert (gpu_corr (x, "backend", "cpu", "threads", 2), R);
%!testif ; numel (gpu_info ().devices) > 0
%! rand ("twister", 1);
%! x = rand (50, 9);
%! assert (gpu_corr (x, "backend", "cuda"), gpu_corr (x, "backend", "cpu"), 1e-14);

## Probabilities, against cor.test of R 4.2.2 (exact for Spearman's without ties).
%!shared x, y, tails
%! x = [44.4 45.9 41.9 53.3 44.7 44.1 50.7 45.2 60.1]';
%! y = [2.6 3.1 2.5 5 3.6 4 5.2 2.8 3.8]';
%! tails = {"both", "right", "left"};
%!test
%! pearson = [0.10817305434949379 0.054086527174746893 0.94591347282525318];
%! exact_9 = [0.096797839506172836 0.048398919753086418 0.95713734567901232];
%! exact_5 = [0.083333333333333329 0.041666666666666664 0.9916666666666667];
%! t_10 = [0.04791172612997547 0.023955863064987735 0.97604413693501224];
%! t_ties = [0.059217891308772641 0.029608945654386321 0.97039105434561368];
%! for i = 1:3
%!   p = @(varargin) nthargout (2, @gpu_corr, varargin{:}, "tail", tails{i});
%!   assert (p (x, y), pearson(i), 1e-13);
%!   assert (p (x, y, "type", "spearman"), exact_9(i), 1e-14);
%!   assert (p (x(1:5), y(1:5), "type", "Spear"), exact_5(i), 1e-14);
%!   assert (p ([x; 44.45], [y; 2.7], "type", "spearman"), t_10(i), 1e-13);
%!   assert (p ([1 2 2 4 5 6]', [2 1 4 3 6 6]', "type", "spearman"), t_ties(i), 1e-13);
%!   assert (p (x, -y, "type", "spearman"), exact_9([1 3 2](i)), 1e-14);
%!   assert (p (x, -y), pearson([1 3 2](i)), 1e-13);
%! endfor
## Kendall's: exact, and by the normal distribution with ties and for 60 rows.
%!test
%! exact_9 = [0.1194389329805996 0.0597194664902998 0.96241181657848329];
%! ties = [0.07983871964585261 0.039919359822926305 0.96008064017707373];
%! for i = 1:3
%!   p = @(varargin) nthargout (2, @gpu_corr, varargin{:}, "type", "Kendall", "tail", tails{i});
%!   assert (p (x, y), exact_9(i), 1e-14);
%!   assert (p (x, -y), exact_9([1 3 2](i)), 1e-14);
%!   assert (p ([1 2 2 4 5 6]', [2 1 4 3 6 6]'), ties(i), 1e-13);
%!   assert (p ((1:60)', mod ((1:60)'.^2, 61)), [1 0.5 0.5](i), 1e-13);
%! endfor
%! [R, P] = gpu_corr ([x y; NaN 1], "rows", "pairwise", "type", "kendall");
%! assert (P, [1 exact_9(1); exact_9(1) 1], 1e-14);
## Symmetric, 1 on the diagonal; NaN where there are fewer than 3 rows or no correlation.
%!test
%! z = [x, y, [NaN; x(end:-1:2)]];
%! [R, P] = gpu_corr (z, "rows", "pairwise");
%! assert (P, P');
%! assert (diag (P), [1; 1; 1]);
%! assert (P(1,2), 0.10817305434949379, 1e-13);
%! assert (P(1,3), nthargout (2, @gpu_corr, x(2:end), z(2:end,3)), 1e-15);
%! [~, P] = gpu_corr (z, "rows", "complete", "type", "spearman");
%! assert (P(1,2), nthargout (2, @gpu_corr, x(2:end), y(2:end), "type", "spearman"), 1e-15);
%! [~, P] = gpu_corr (z);
%! assert (isnan (P), isnan (gpu_corr (z)));
%! assert (nthargout (2, @gpu_corr, [1; 2], [1; 3]), NaN);
%! assert (nthargout (2, @gpu_corr, (1:6)', (1:6)'), 0, 1e-30);
%! assert (class (nthargout (2, @gpu_corr, single (x), y)), "single");
%! assert (nthargout (2, @gpu_corr, zeros (3, 0)), zeros (0, 0));
%! assert (nthargout (2, @gpu_corr, [1 2 3], "type", "spearman"), NaN (3));
## All permutations of four ranks.
%!test
%! for ranks = perms (1:4)'
%!   [R, P] = gpu_corr ((1:4)', ranks, "type", "spearman", "tail", "right");
%!   others = arrayfun (@(i) gpu_corr ((1:4)', perms (1:4)(i,:)', "type", "spearman"), 1:24);
%!   assert (P, mean (others > R - 1e-9), 1e-15);
%! endfor

%!shared X, Y
%! X = [1 4; 2 3; 3 1; 4 2];
%! Y = [2; 4; 6; 9];
%!warning <the standard deviation is zero> gpu_corr ([1 1; 1 2]);

%!error <Invalid call> gpu_corr ()
%!error <x must be a numeric matrix, not text> gpu_corr ("text")
%!error <y must be a numeric matrix, not text> gpu_corr (X, "text")
%!error <y must have 4 rows, as x has, not 2> gpu_corr (X, [1; 2])
%!error <type must be one of "pearson", "spearman", "kendall", "bicor", "dcor", not "tau"> gpu_corr (X, "type", "tau")
%!error <metric must be one of "pearson", "spearman", "kendall", "bicor", "dcor", not "tau"> gpu_corr (X, "metric", "tau")
%!error <rows must be one of > gpu_corr (X, "rows", "some")
%!error <use must be one of > gpu_corr (X, "use", "some")
%!error id=gpugeo:argument gpu_corr (X, "rows", 1)
%!error id=gpugeo:data gpu_corr ([NaN 1; 1 NaN], "rows", "complete")
%!error <tail must be one of "both", "right", "left", not "two"> gpu_corr (X, "tail", "two")
%!error <tail must be a single string, not 1> gpu_corr (X, "tail", 1)
%!assert (nthargout (2, @gpu_corr, [1 2; 3 1; 2 5], "tail", "L"), nthargout (2, @gpu_corr, [1 2; 3 1; 2 5], "tail", "left"))
%!error <option must be one of "type", .*, not "tails"> gpu_corr (X, "tails", "left")

%!demo
%! x = randn (100, 3);
%! x(:,3) += x(:,1);
%! R = gpu_corr (x)
%!shared x
%! x = [1 3 0 5; 2 1 0 5; 3 4 1 5; 4 1 0 5; 5 5 0 5; 6 9 0 5; 7 2 7 5; 8 6 0 5];
%!test # the values of Python's dcor 0.7, and 0 for a constant column
%! r = gpu_corr (x, "type", "dcor");
%! assert (r(2:3,1), [0.6003320048798223; 0.4749262933870049], 1e-14);
%! assert (r(3,2), 0.3952739854642239, 1e-14);
%! assert (diag (r)', [1 1 1 0]);
%! assert (gpu_corr (sparse (x), "type", "dcor"), r);
%! assert (gpu_corr (x, x(:,1), "type", "DCOR"), r(:,1), 1e-14);
%! y = [x; NaN 1 2 3];
%! assert (gpu_corr (y, "type", "dcor", "rows", "complete"), r);
%! assert (isnan (gpu_corr (y, "type", "dcor"))(1,:), true (1, 4));
%!test # probabilities, from all pairs of rows
%! order = [8:-1:1; 2:8, 1; 3 1 4 2 8 5 7 6; 1 2 3 4 8 7 6 5];
%! [r, p] = gpu_corr (x, "type", "dcor", "permutations", order);
%! a = @(v) abs (v - v');
%! A = @(v) a (v) - mean (a (v), 1) - mean (a (v), 2) + mean (a (v)(:));
%! product = @(v, w) sum ((A (v) .* A (w))(:));
%! reached = 1;
%! for k = 1:4
%!   reached += product (x(:,2), x(order(k,:),1)) >= product (x(:,2), x(:,1)) - 1e-9;
%! endfor
%! assert (p(2,1), reached / 5, 1e-15);
%! assert (p, p');
%! assert (p(4,:), ones (1, 4));
%! [~, q] = gpu_corr (x(:,2), x(:,1), "type", "dcor", "permutations", order);
%! assert (q, p(2,1), 1e-15);
%! [~, q] = gpu_corr ([x; NaN(1, 4)], "type", "dcor", "rows", "complete", "permutations", order);
%! assert (q, p);
%!error <rows must be "everything", .* for p-values of "dcor" with missing values> ...
%! [~, p] = gpu_corr ([x; NaN(1, 4)], "type", "dcor", "rows", "pairwise");
%!error <tail must be "both" for "dcor", not "left"> gpu_corr (x, "type", "dcor", "tail", "left")
%!error <permutations must be a whole number> [~, p] = gpu_corr (x, "type", "dcor", "permutations", -1);
