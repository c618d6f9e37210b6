## -*- texinfo -*-
## @deftypefn  {} {@var{Z} =} gpu_decostand (@var{X}, @var{method})
## @deftypefnx {} {@var{Z} =} gpu_decostand (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{Z}, @var{parameters}] =} gpu_decostand (@dots{})
## Standardize or transform counts of species at sites, as @code{decostand} of R's package vegan does.
##
## @var{X} has a site in each row and a species in each column.  It may be sparse; @var{Z} then is, too, where zeros
## remain zeros.  @var{method} is one of these, or the beginning of one; sums and extremes are those of each row, or
## of each column with those marked (2):
##
## @table @asis
## @item @qcode{"total"}
## x / sum (x)
## @item @qcode{"max"} (2)
## x / max (x)
## @item @qcode{"frequency"} (2)
## x * sum (x > 0) / sum (x)
## @item @qcode{"normalize"}
## x / norm (x)
## @item @qcode{"range"} (2)
## (x - min (x)) / range (x)
## @item @qcode{"rank"}, @qcode{"rrank"}
## the ranks of values above 0, those of ties averaged, and 0 for others; rrank divides them by their number
## @item @qcode{"standardize"} (2)
## (x - mean (x)) / std (x)
## @item @qcode{"pa"}
## 1 for values above 0, else 0
## @item @qcode{"chi.square"}
## x * sqrt (sum of all) / (sum of the row * sqrt (sum of the column))
## @item @qcode{"hellinger"}
## sqrt (x / sum (x))
## @item @qcode{"log"}
## log (x / least) / log (logbase) + 1 for values above 0, else 0; least is 1, or the smallest value above 0 if one is
## below 1, with a warning
## @item @qcode{"clr"}
## log (x) - mean (log (x)) of x with the pseudocount added
## @item @qcode{"rclr"}
## the same of the values above 0, and 0 for others
## @item @qcode{"alr"}
## log (x) - log (reference), without the reference, a row, or a column with @qcode{"margin"} 2
## @end table
##
## Divisors below @code{eps} are replaced by it: an empty row remains 0.  Rows without a value above 0 become NaN
## by rrank and rclr, and constant columns by standardize; in sparse matrices they remain 0.
##
## @var{parameters} is a structure with the numbers that were used, by vegan's names.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"margin"}
## 1 for rows or 2 for columns.
## @item @qcode{"range_global"}
## For range: a matrix from which the ranges are taken.
## @item @qcode{"logbase"}
## For log: the base, by default 2; Inf gives presences.
## @item @qcode{"na_rm"}
## true: sums and extremes leave out NaN.  By default false.  As in vegan rclr always leaves them out, clr and alr never.
## @item @qcode{"pseudocount"}
## For clr and alr: a number that is added to all values, by default 0.
## @item @qcode{"reference"}
## For alr: the number of the row or column that others are divided by, by default 1.
## @end table
##
## @example
## gpu_decostand ([3 1; 0 4], "total")
##   @result{} 0.7500   0.2500
##             0        1.0000
## @end example
##
## @seealso{gpu_vegdist}
## @end deftypefn

function [Z, parameters] = gpu_decostand (X, method, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  if (! (isnumeric (X) || islogical (X)) || ndims (X) != 2 || ! isreal (X))
    fail_value (X, "x", "a numeric matrix");
  endif
  methods = {"total", "max", "frequency", "normalize", "range", "rank", "rrank", "standardize", "pa", "chi.square", ...
             "hellinger", "log", "clr", "rclr", "alr"};
  method = choose_one (method, methods, "method");
  options = read_standard (method, varargin);
  X = double (X);
  if (any (strcmp (method, {"range", "standardize", "clr", "alr"})))
    X = full (X);
  endif
  signed = {"max", "normalize", "range", "standardize", "log", "clr", "alr"};
  if (! any (strcmp (method, signed)) && any (any (X < 0)))
    warning ("gpugeo:community", __gpugeo__ ("message", "negative values"), "x has", method);
  endif
  maker = str2func (sprintf ("make_%s", strrep (method, ".", "_")));
  [Z, parameters] = maker (X, options);
  if (any (isnan (Z(:))) && ! any (isnan (X(:))))
    warning ("gpugeo:community", __gpugeo__ ("message", "no results"));
  endif

endfunction

function options = read_standard (method, pairs)

  margin = 1 + any (strcmp (method, {"max", "frequency", "range", "standardize"}));
  options = struct ("margin", margin, "range_global", [], "logbase", 2, "na_rm", false, "pseudocount", 0, "reference", 1);
  options = read_pairs (options, pairs);
  options.na_rm = read_flag (options, "na_rm", false);
  if (! (isscalar (options.pseudocount) && isreal (options.pseudocount) && options.pseudocount >= 0
         && options.pseudocount < Inf))
    fail_value (options.pseudocount, "pseudocount", "a number of at least 0");
  endif
  if (! (isscalar (options.logbase) && isreal (options.logbase) && options.logbase > 1))
    fail_value (options.logbase, "logbase", "a number above 1");
  endif

endfunction

## Return the sums of rows (margin 1) or columns.
function s = margin_sum (X, margin, omit)

  if (omit)
    X(isnan (X)) = 0;
  endif
  s = full (sum (X, 3 - margin));

endfunction

## Return the extremes of rows or columns; max and min leave out NaN.
function s = margin_extreme (X, margin, extreme, omit)

  s = full (extreme (X, [], 3 - margin));
  if (! omit)
    s(full (any (isnan (X), 3 - margin))) = NaN;
  endif

endfunction

## Divide rows or columns by numbers.
function Z = divide_margin (X, by)

  if (! issparse (X))
    Z = X ./ by;
  elseif (iscolumn (by))
    Z = spdiags (1 ./ by, 0, rows (X), rows (X)) * X;
  else
    Z = X * spdiags (1 ./ by', 0, columns (X), columns (X));
  endif

endfunction

function [Z, parameters] = make_total (X, o)

  total = margin_sum (X, o.margin, o.na_rm);
  if (! any (X(:) < 0))
    total(total < eps) = eps;
  endif
  Z = divide_margin (X, total);
  parameters = struct ("total", total, "margin", o.margin);

endfunction

function [Z, parameters] = make_max (X, o)

  largest = margin_extreme (X, o.margin, @max, o.na_rm);
  largest(largest < eps) = eps;
  Z = divide_margin (X, largest);
  parameters = struct ("max", largest, "margin", o.margin);

endfunction

function [Z, parameters] = make_frequency (X, o)

  total = margin_sum (X, o.margin, o.na_rm);
  total(total < eps) = eps;
  above = margin_sum (X > 0, o.margin, false);
  scale = above ./ total;
  scale_by = 1 ./ scale;
  scale_by(above == 0) = 1;
  Z = divide_margin (X, scale_by);
  parameters = struct ("scale", scale, "margin", o.margin);

endfunction

function [Z, parameters] = make_normalize (X, o)

  length = sqrt (margin_sum (X .^ 2, o.margin, o.na_rm));
  length(length < eps) = eps;
  Z = divide_margin (X, length);
  parameters = struct ("norm", length, "margin", o.margin);

endfunction

function [Z, parameters] = make_range (X, o)

  within = X;
  if (! isempty (o.range_global))
    within = full (double (o.range_global));
    if (size (within, o.margin) != size (X, o.margin))
      fail_value (o.range_global, "range_global", "a matrix with the rows or columns of x");
    endif
  endif
  least = margin_extreme (within, o.margin, @min, o.na_rm);
  span = margin_extreme (within, o.margin, @max, o.na_rm) - least;
  span(span < eps) = eps;
  Z = (X - least) ./ span;
  parameters = struct ("min", least, "range", span, "margin", o.margin);

endfunction

function [Z, parameters] = make_rank (X, o)

  if (o.margin == 1)
    X = X';
  endif
  Z = X;
  for k = 1:columns (X)
    values = full (X(:,k));
    above = find (values > 0);
    [~, ~, group] = unique (values(above));
    count = accumarray (group(:), 1);
    last = cumsum (count);
    ranks = last - (count - 1) / 2;
    values(:) = 0;
    values(above) = ranks(group);
    Z(:,k) = values;
  endfor
  if (o.margin == 1)
    Z = Z';
  endif
  parameters = struct ("margin", o.margin);

endfunction

function [Z, parameters] = make_rrank (X, o)

  [Z, parameters] = make_rank (X, o);
  count = margin_sum (X > 0, o.margin, false);
  if (issparse (Z))
    count(count == 0) = 1;
  endif
  Z = divide_margin (Z, count);

endfunction

function [Z, parameters] = make_standardize (X, o)

  other = 3 - o.margin;
  there = ! isnan (X);
  count = sum (there, other);
  center = margin_sum (X, o.margin, true) ./ count;
  Z = X - center;
  scale = sqrt (margin_sum (Z .^ 2, o.margin, true) ./ (count - 1));
  Z = Z ./ scale;
  parameters = struct ("center", center, "scale", scale, "margin", o.margin);

endfunction

function [Z, parameters] = make_pa (X, o)

  Z = double (X > 0);
  if (any (isnan (X(:))))
    Z(isnan (X)) = NaN;
  endif
  parameters = struct ();

endfunction

function [Z, parameters] = make_chi_square (X, o)

  total = sum (margin_sum (X, 1, o.na_rm));
  row_sums = margin_sum (X, o.margin, o.na_rm);
  row_sums(row_sums < eps) = eps;
  column_sums = margin_sum (X, 3 - o.margin, o.na_rm);
  column_sums(column_sums < eps) = eps;
  Z = sqrt (total) * divide_margin (divide_margin (X, row_sums), sqrt (column_sums));
  if (o.margin == 2)
    Z = Z';
  endif
  parameters = struct ("tot", total, "rsum", row_sums, "csum", column_sums, "margin", o.margin);

endfunction

function [Z, parameters] = make_hellinger (X, o)

  [Z, parameters] = make_total (X, o);
  Z(Z < 0) = NaN;
  Z = sqrt (Z);

endfunction

function [Z, parameters] = make_log (X, o)

  Z = X;
  above = find (X > 0);
  least = min ([1; full(X(above))(:)]);
  if (least < 1)
    warning ("gpugeo:community", __gpugeo__ ("message", "values below 1"));
  endif
  Z(X < 0) = 0;
  Z(above) = log (X(above) / least) / log (o.logbase) + 1;
  parameters = struct ("logbase", o.logbase, "minpos", least);

endfunction

## Return the logarithms of x with the pseudocount, which must be above 0.
function X = log_above (X, o, method)

  X += o.pseudocount;
  if (any (X(:) <= 0))
    [i, j] = find (X <= 0, 1);
    fail_message ("above pseudocount", method, i, j, __gpugeo__ ("show", full (X(i,j))), __gpugeo__ ("show", o.pseudocount));
  endif
  X = log (X);

endfunction

function [Z, parameters] = make_clr (X, o)

  X = log_above (X, o, "clr");
  means = mean (X, 3 - o.margin);
  Z = X - means;
  parameters = struct ("means", means, "pseudocount", o.pseudocount, "margin", o.margin);

endfunction

function [Z, parameters] = make_rclr (X, o)

  if (any (X(:) < 0))
    [i, j] = find (X < 0, 1);
    fail_message ("elements", "numbers of at least 0 for \"rclr\"", i, j, __gpugeo__ ("show", full (X(i,j))));
  endif
  above = find (X > 0);
  Z = X;
  Z(above) = log (X(above));
  means = margin_sum (Z, o.margin, true) ./ margin_sum (X > 0, o.margin, false);
  [i, j] = ind2sub (size (X), above);
  if (o.margin == 2)
    i = j;
  endif
  Z(above) = full (Z(above))(:) - means(i)(:);
  if (! issparse (Z))
    empty = isnan (means) .* ones (size (X)) & ! isnan (X);
    Z(empty) = NaN;
  endif
  parameters = struct ("means", means, "margin", o.margin);

endfunction

function [Z, parameters] = make_alr (X, o)

  k = o.reference;
  if (! (isscalar (k) && isreal (k) && any (k == 1:size (X, o.margin))))
    fail_value (k, "reference", sprintf ("a whole number between 1 and %d", size (X, o.margin)));
  endif
  X = log_above (X, o, "alr");
  if (o.margin == 1)
    reference = X(k,:);
    X(k,:) = [];
  else
    reference = X(:,k);
    X(:,k) = [];
  endif
  Z = X - reference;
  parameters = struct ("reference", reference, "index", k, "pseudocount", o.pseudocount, "margin", o.margin);

endfunction

%!shared X
%! X = [3 0 1 2; 0 5 1 0; 4 1 0 2];
%!assert (gpu_decostand (X, "total"), X ./ [6; 6; 7], -eps)
%!assert (gpu_decostand (X, "max"), X ./ [4 5 1 2], -eps)
%!assert (gpu_decostand (X, "freq"), X .* [2/7, 2/6, 1, 2/4], -2 * eps)
%!assert (gpu_decostand (X, "normalize"), X ./ sqrt ([14; 26; 21]), -2 * eps)
%!assert (gpu_decostand (X, "range"), [3/4 0 1 1; 0 1 1 0; 1 1/5 0 1], -eps)
%!assert (gpu_decostand ([3 0 3 2; 0 5 1 0], "rank"), [2.5 0 2.5 1; 0 2 1 0])
%!assert (gpu_decostand ([3 0 3 2; 0 5 1 0], "rrank"), [2.5 0 2.5 1; 0 3 1.5 0] / 3, -eps)
%!assert (gpu_decostand ([1 2; 2 4; 3 6], "standardize"), [-1 -1; 0 0; 1 1], eps)
%!assert (gpu_decostand (X, "pa"), [1 0 1 1; 0 1 1 0; 1 1 0 1])
%!assert (gpu_decostand (X, "chi.square"), sqrt (19) * X ./ [6; 6; 7] ./ sqrt ([7 6 2 4]), -4 * eps)
%!assert (gpu_decostand (X, "hellinger"), sqrt (X ./ [6; 6; 7]), -2 * eps)
%!assert (gpu_decostand ([0 1 2 8], "log"), [0 1 2 4], -eps)
%!assert (gpu_decostand ([0 1 2 8], "log", "logbase", Inf), [0 1 1 1])
%!assert (gpu_decostand ([1 1 8], "clr"), log ([1/2 1/2 4]), 4 * eps)
%!assert (gpu_decostand ([0 1 3], "clr", "pseudocount", 1), log ([1 2 4]) - log (8) / 3, 4 * eps)
%!assert (gpu_decostand ([0 1 4], "rclr"), [0, -log(2), log(2)], 4 * eps)
%!assert (gpu_decostand ([1 2; 2 8; 4 4], "alr"), log ([2 4; 4 2]), 4 * eps)
%!assert (gpu_decostand ([1 2; 2 8], "alr", "margin", 2, "reference", 2), log ([1/2; 1/4]), 4 * eps)
%!test
%! for method = {"total", "max", "frequency", "normalize", "rank", "rrank", "pa", "chi.square", "hellinger", "log", "rclr"}
%!   Z = gpu_decostand (sparse (X), method{1});
%!   assert (issparse (Z));
%!   assert (full (Z), gpu_decostand (X, method{1}), -4 * eps);
%! endfor
%!test
%! [~, p] = gpu_decostand (X, "total");
%! assert (p, struct ("total", [6; 6; 7], "margin", 1));
%!assert (gpu_decostand ([0 0; 1 3], "total"), [0 0; 1/4 3/4])
%!assert (gpu_decostand ([NaN 1 3], "total", "na_rm", true), [NaN 1/4 3/4])
%!assert (gpu_decostand ([NaN 1 3], "total"), NaN (1, 3))
%!error <x must be above 0 for "clr", but row 1, column 2 is 0 with the pseudocount 0> gpu_decostand ([1 0], "clr")
%!error <method must be one of "total", .*, not "foo"> gpu_decostand (X, "foo")
%!error <margin must be 1 or 2, not 3> gpu_decostand (X, "total", "margin", 3)
%!error <x must be numbers of at least 0 for "rclr", but row 1, column 1 is -3> warning ("off", "gpugeo:community", "local"); gpu_decostand (-X, "rclr")
%!error <reference must be a whole number between 1 and 3, not 4> gpu_decostand (X + 1, "alr", "reference", 4)
%!warning <x has negative values, for which "total" may have no meaning> gpu_decostand (-X, "total");
%!warning <x has values below 1> gpu_decostand ([0.5 1], "log");

%!demo
%! gpu_decostand ([3 0 1 2; 0 5 1 0; 4 1 0 2], "hellinger")
