## -*- texinfo -*-
## @deftypefn  {} {@var{R} =} gpu_partialcorr (@var{X})
## @deftypefnx {} {@var{R} =} gpu_partialcorr (@var{X}, @var{Z})
## @deftypefnx {} {@var{R} =} gpu_partialcorr (@var{X}, @var{Y}, @var{Z})
## @deftypefnx {} {@var{R} =} gpu_partialcorr (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{R}, @var{P}, @var{info}] =} gpu_partialcorr (@dots{})
## Compute the partial correlations between the columns of @var{X}, or between those of @var{X} and those of
## @var{Y}: of what remains of them after their linear regression on the columns of @var{Z}, on all CPU cores or
## on a GPU.
##
## All matrices have the samples in rows.  With @var{X} alone, the correlation of each two columns is that after
## regression on all others.  @var{P}, of the size of @var{R}, has the probability of a correlation that is as
## far from 0 or farther, if the true one is 0: that of Student's t with n - 2 - k degrees of freedom, where k is
## the number of columns of @var{Z}, or of others of @var{X}.  It is NaN for fewer than 1.  A column of which
## nothing remains has correlations of NaN.
##
## Options in pairs of @var{name} and @var{value}, those of MATLAB's @code{partialcorr}:
##
## @table @asis
## @item @qcode{"type"}
## @qcode{"Pearson"} (the default), or @qcode{"Spearman"} for the partial correlations of ranks.
## @item @qcode{"rows"}
## How missing values, which are NaN, are treated: with @qcode{"all"} (the default) the correlations of a column
## that has one are NaN, all of them if @var{Z} has one; @qcode{"complete"} leaves out the rows that have one;
## @qcode{"pairwise"} leaves out for each pair of columns the rows that have one there or in @var{Z}.
## @item @qcode{"tail"}
## The alternative of @var{P}: a correlation other than 0 for @qcode{"both"} (the default), above 0 for
## @qcode{"right"}, below 0 for @qcode{"left"}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"precision"}, @qcode{"progress"}
## @itemx @qcode{"memory_limit"}
## How to compute the correlations, see @code{gpu_options}.
## @end table
##
## @var{info} is that of @code{gpu_pdist}.
##
## Source: R. A. Fisher (1924), The distribution of the partial correlation coefficient, Metron 3.
##
## @example
## X = [1 2 3 4 5 6; 2 1 4 3 6 5; 1 3 2 5 4 7]';
## R = gpu_partialcorr (X);
## [R, P] = gpu_partialcorr (X(:,1), X(:,2), X(:,3))
##   @result{} R = 0.9819
##       P = 2.9178e-03
## @end example
##
## @seealso{gpu_corr, gpu_options, gpu_info}
## @end deftypefn

function [R, P, info] = gpu_partialcorr (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  given = {};
  while (! isempty (varargin) && ! ischar (varargin{1}) && numel (given) < 2)
    given{end+1} = varargin{1};
    varargin(1) = [];
  endwhile
  options = read_options ({"type", "rows", "tail"}, varargin);
  tail = read_tail (options);
  [type, use] = deal ("pearson", "all");
  if (isfield (options, "type"))
    type = choose_one (options.type, {"pearson", "spearman"}, "type");
  endif
  if (isfield (options, "rows"))
    use = choose_one (options.rows, {"all", "complete", "pairwise"}, "rows");
  endif
  options = rmfield (options, intersect (fieldnames (options), {"type", "rows", "tail"}));
  [X, Y, Z] = read_variables (X, given);
  if (strcmp (use, "complete"))
    whole = ! any (isnan ([X, Y, Z]), 2);
    [X, Y, Z] = deal (X(whole,:), Y(whole,:), Z(whole,:));
  endif
  if (isempty (given))
    [R, n, info] = correlate_others (X, use, type, options);
    others = max (0, columns (X) - 2);
  else
    [R, n, info] = correlate_rest (X, Y, Z, use, type, options);
    others = columns (Z);
  endif
  if (numel (given) < 2)
    own = logical (eye (size (R))) & ! isnan (R);
    R(own) = 1;
  endif
  if (nargout > 1 && isargout (2))
    P = find_probabilities (R, n - 2 - others, tail);
  endif

endfunction

function [X, Y, Z] = read_variables (X, given)

  check_table (X);
  [Y, Z] = deal (zeros (rows (X), 0));
  if (numel (given) > 1)
    check_table (given{1}, "y");
    Y = given{1};
  endif
  if (! isempty (given))
    check_table (given{end}, "z");
    Z = given{end};
  endif
  if (rows (Y) != rows (X) || rows (Z) != rows (X))
    error ("gpugeo:argument", "Y and Z must have %d rows, as X has, not %d and %d", rows (X), rows (Y), rows (Z));
  endif
  [X, Y, Z] = deal (full (double (X)), full (double (Y)), full (double (Z)));

endfunction

## Correlations of the columns of X with those of Y, or within X, after regression on Z, and their numbers of rows.
function [R, n, info] = correlate_rest (X, Y, Z, use, type, options)

  within = isempty (Y);
  if (within)
    Y = X;
  endif
  if (strcmp (use, "pairwise") && any (isnan ([X, Y, Z](:))))
    [R, n] = deal (NaN (columns (X), columns (Y)));
    for j = 1:columns (Y)
      for i = 1:columns (X)
        whole = ! any (isnan ([X(:,i), Y(:,j), Z]), 2);
        n(i,j) = sum (whole);
        [R(i,j), ~, info] = correlate_rest (X(whole,i), Y(whole,j), Z(whole,:), "all", type, options);
      endfor
    endfor
    return;
  endif
  if (strcmp (type, "spearman"))
    [X, Y, Z] = deal (ranks_of (X), ranks_of (Y), ranks_of (Z));
  endif
  [X, Y] = deal (remove_regression (X, Z), remove_regression (Y, Z));
  inputs = {X, Y}(1:2-within);
  [R, info] = __gpugeo__ ("cor", options, inputs{:});
  R(any (isnan (X), 1),:) = NaN;  # with itself, too
  n = repmat (rows (X), size (R));

endfunction

## Correlations of each two columns of X after regression on all others.
function [R, n, info] = correlate_others (X, use, type, options)

  if (strcmp (use, "pairwise"))  # all columns are regressors
    X = X(! any (isnan (X), 2),:);
  endif
  if (strcmp (type, "spearman"))
    X = ranks_of (X);
  endif
  k = columns (X);
  n = repmat (rows (X), k, k);
  [own, info] = __gpugeo__ ("cor", options, remove_regression (X, zeros (rows (X), 0)));
  if (any (isnan (own(:))) || rcond (double (own)) < k * eps (class (own)))
    R = NaN (k, k);  # a column depends on others: pair by pair
    for j = 1:k
      for i = 1:j-1
        others = X(:,setdiff (1:k, [i, j]));
        R(i,j) = R(j,i) = correlate_rest (X(:,i), X(:,j), others, "all", "pearson", options);
      endfor
      R(j,j) = merge (any (isnan (X(:,j))), NaN, 1);
    endfor
    return;
  endif
  inverse = inv (own);
  scale = 1 ./ sqrt (diag (inverse));
  R = -(inverse + inverse') / 2 .* (scale * scale');
  R(logical (eye (k))) = 1;

endfunction

## What remains of columns after regression on those of Z, NaN where it is no more than rounding.
function X = remove_regression (X, Z)

  X -= mean (X, 1);
  whole = norm (X, "columns");
  basis = extend_basis (zeros (rows (X), 0), {Z});
  for again = 1:2
    X -= basis * (basis' * X);
  endfor
  lost = ! (norm (X, "columns") > eps^(3/4) * whole);
  X(:,lost | any (isnan (Z)(:))) = NaN;

endfunction

function r = ranks_of (X)

  r = X;
  for j = 1:columns (X)
    r(:,j) = merge (any (isnan (X(:,j))), NaN, ranks (X(:,j)));
  endfor

endfunction

function P = find_probabilities (R, freedom, tail)

  P = NaN (size (R));
  known = freedom >= 1 & ! isnan (R);
  r = double (R(known));
  r(abs (r) > 1) = sign (r(abs (r) > 1));  # rounded
  P(known) = t_probabilities (r, freedom(known), tail);
  P = cast (P, class (R));

endfunction

%!demo
%! ## Two columns that a third one drives.
%! z = rand (100, 1);
%! X = z + 0.2 * rand (100, 2);
%! disp ([gpu_corr(X)(1,2), gpu_partialcorr(X, z)(1,2)])

%!shared X, Y, Z, residuals
%! X = [1 2 3 4 5 6 8; 2 1 4 3 6 5 5; 1 3 2 5 4 7 7]';
%! Y = [4 4 1 0 3 2 9; 7 1 8 2 8 1 8]';
%! Z = [1 4 9 16 25 36 49; 1 0 0 1 1 0 1]';
%! residuals = @(v, z) v - [ones(7, 1), z] * ([ones(7, 1), z] \ v);
%!assert (gpu_partialcorr (X, Y, Z), corr (residuals (X, Z), residuals (Y, Z)), 1e-13)
%!assert (gpu_partialcorr (X, Z), corr (residuals (X, Z)), 1e-13)
%!assert (gpu_partialcorr (X, Y, zeros (7, 0)), corr (X, Y), 1e-14)
%!assert (gpu_partialcorr (sparse (X), Y, single (Z)), gpu_partialcorr (X, Y, Z))
%!test # all others
%! R = gpu_partialcorr (X);
%! for pair = [1 2; 1 3; 2 3]'
%!   rest = X(:,setdiff (1:3, pair));
%!   wanted = corr (residuals (X(:,pair(1)), rest), residuals (X(:,pair(2)), rest));
%!   assert (R(pair(1),pair(2)), wanted, 1e-13);
%! endfor
%! assert (R, R');
%! assert (diag (R), ones (3, 1));
%!test # ranks
%! r = @(v) cell2mat (cellfun (@ranks, num2cell (v, 1), "UniformOutput", false));
%! assert (gpu_partialcorr (X, Y, Z, "type", "Spearman"), gpu_partialcorr (r (X), r (Y), r (Z)), 1e-14);
%! assert (gpu_partialcorr (X, "type", "spearman"), gpu_partialcorr (r (X)), 1e-14);
%!test # Student's t
%! [R, P, info] = gpu_partialcorr (X, Y, Z);
%! t = R .* sqrt (3 ./ (1 - R.^2));
%! assert (P, betainc (3 ./ (3 + t.^2), 1.5, 0.5), 1e-12);
%! [~, right] = gpu_partialcorr (X, Y, Z, "tail", "right");
%! [~, left] = gpu_partialcorr (X, Y, Z, "tail", "left");
%! assert (right + left, ones (3, 2), 1e-12);
%! assert (2 * min (left, right), P, 1e-12);
%! assert (info.backend, gpu_info ().last.backend);
%! [~, P] = gpu_partialcorr (X(1:3,:));
%! assert (isnan (P), true (3));
%!test # missing values
%! gaps = X;
%! gaps(2,1) = NaN;
%! R = gpu_partialcorr (gaps, Y, Z);
%! assert (isnan (R), [true(1, 2); false(2, 2)]);
%! [R, P] = gpu_partialcorr (gaps, Y, Z, "rows", "pairwise");
%! whole = [1, 3:7];
%! [own, p] = gpu_partialcorr (X(whole,:), Y(whole,:), Z(whole,:));
%! assert (R(1,:), own(1,:), 4 * eps);
%! assert (P(1,:), p(1,:), 1e-13);
%! assert (R(2:3,:), gpu_partialcorr (X, Y, Z)(2:3,:), 4 * eps);
%! assert (gpu_partialcorr (gaps, Y, Z, "rows", "complete"), own);
%! assert (gpu_partialcorr (gaps, "rows", "pairwise"), gpu_partialcorr (X(whole,:)));
%! assert (isnan (gpu_partialcorr (X, Y, [Z; NaN(0, 2)] + [NaN; zeros(6, 1)])), true (3, 2));
%!test # nothing remains
%! assert (gpu_partialcorr (X, Y, X(:,2))(2,:), [NaN NaN]);
%! R = gpu_partialcorr ([X, 2 * X(:,1)]);
%! assert (isnan (R([1 4],:)), [false true true false; false true true false]);
%! assert (R(1,4), 1, 1e-12);
%!error <Y and Z must have 7 rows, as X has, not 7 and 2> gpu_partialcorr (X, Y, Z(1:2,:))
%!error <rows must be one of "all", "complete", "pairwise", not "some"> gpu_partialcorr (X, "rows", "some")
%!error <y must be a numeric matrix> gpu_partialcorr (X, {1}, Z)
