## -*- texinfo -*-
## @deftypefn  {} {@var{D} =} gpu_vegdist (@var{X})
## @deftypefnx {} {@var{D} =} gpu_vegdist (@var{X}, @qcode{"method"}, @var{method})
## @deftypefnx {} {@var{D} =} gpu_vegdist (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{D}, @var{info}] =} gpu_vegdist (@dots{})
## Compute dissimilarities of communities, as @code{vegdist} of R's package vegan does.
##
## @var{X} has a site in each row and a species in each column; it may be sparse.  @var{D} is the row vector of
## distances that @code{gpu_pdist} returns.  @var{method} is one of these, or the beginning of one, by default
## @qcode{"bray"}.  For two rows a and b: A and B are their sums, or numbers of values above 0 for the indices of
## presences; J is the number of species that both have; n = a + b; S is the number of columns that are not 0 in both.
##
## @table @asis
## @item @qcode{"manhattan"}, @qcode{"euclidean"}
## as in @code{gpu_pdist}
## @item @qcode{"canberra"}
## sum (abs (a - b) ./ (abs (a) + abs (b))) / S
## @item @qcode{"clark"}
## sqrt (sum (((a - b) ./ n) .^ 2) / S)
## @item @qcode{"bray"}, @qcode{"jaccard"}
## d = sum (abs (a - b)) / sum (n), and 2 d / (1 + d)
## @item @qcode{"kulczynski"}
## 1 - (sum (min (a, b)) / A + sum (min (a, b)) / B) / 2
## @item @qcode{"gower"}, @qcode{"altGower"}
## the mean of abs (a - b) divided by the ranges of the columns, and sum (abs (a - b)) / S
## @item @qcode{"morisita"}, @qcode{"horn"}
## 1 - 2 sum (a .* b) / ((la + lb) A B), at least 0, with la = sum (a .* (a - 1)) / (A (A - 1)), or with
## la = sum (a .^ 2) / A ^ 2
## @item @qcode{"mountford"}
## log (2) - M, where exp (A M) + exp (B M) = 1 + exp ((A + B - J) M)
## @item @qcode{"raup"}
## the probability of at least J shared species among all columns
## @item @qcode{"binomial"}
## sum ((a .* log (a ./ n) + b .* log (b ./ n) + n * log (2)) ./ n)
## @item @qcode{"chao"}
## 1 - U V / (U + V - U V), where U is the share of individuals of a in species of b and unseen ones, at most 1:
## U = C / A + (B - 1) / B * f1 / (2 f2) * S1 / A, with the sum C of a over shared species, the numbers f1 and f2 (at
## least 1) of species of a with 1 and 2 individuals in b, and the sum S1 of a over the f1 species
## @item @qcode{"cao"}
## sum (log (n / 2) - (a .* log (b) + b .* log (a)) ./ n) / S, with 0.1 for values below
## @item @qcode{"mahalanobis"}
## as in @code{gpu_pdist} with @qcode{"singular"} @qcode{"pinv"}
## @item @qcode{"chisq"}, @qcode{"chord"}, @qcode{"hellinger"}, @qcode{"aitchison"}, @qcode{"robust.aitchison"}
## Euclidean distances of @code{gpu_decostand} by chi.square, normalize, hellinger, clr and rclr
## @end table
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"binary"}
## true: values above 0 are taken as 1 and others as 0.  It is an error for gower, mahalanobis, chisq, aitchison and
## robust.aitchison.
## @item @qcode{"na_rm"}
## true: coordinates that are NaN in one of two rows are left out.  By default they are an error.
## @item @qcode{"range_global"}, @qcode{"pseudocount"}
## For gower and aitchison, see @code{gpu_decostand}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## How to compute, see @code{gpu_options}.
## @end table
##
## Warnings, of class @code{gpugeo:community}, tell of rows without any value, of negative values and, for morisita, chao
## and cao, of values that are not whole numbers, where an index has no meaning for them; and of missing results.
##
## @example
## gpu_vegdist ([3 0 1 2; 0 5 1 0; 4 1 0 2])
##   @result{} 0.8333   0.2308   0.8462
## @end example
##
## @seealso{gpu_decostand, gpu_pdist, gpu_permanova}
## @end deftypefn

function [D, info] = gpu_vegdist (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  check_table (X);
  [options, pairs] = split_options (varargin);
  X = double (X);
  late = any (strcmp (options.method, {"gower", "mahalanobis", "chisq", "aitchison", "robust.aitchison"}));
  if (options.binary && late)
    error ("gpugeo:argument", "binary must be false for method \"%s\", not true", options.method);
  elseif (options.binary)
    X = gpu_decostand (X, "pa");
  endif
  check_values (X, options);
  [D, info] = distances_of (X, options, pairs);
  if (any (isnan (D)))
    warning ("gpugeo:community", __gpugeo__ ("message", "no distances"));
  endif

endfunction

## Return the options of this function, and the pairs of the computation.
function [options, pairs] = split_options (pairs)

  methods = {"manhattan", "euclidean", "canberra", "clark", "bray", "kulczynski", "jaccard", "gower", "altGower", ...
             "morisita", "horn", "mountford", "raup", "binomial", "chao", "cao", "mahalanobis", "chisq", "chord", ...
             "hellinger", "aitchison", "robust.aitchison"};
  settings = {"backend", "threads", "device", "progress", "memory_limit"};
  options = struct ("method", "bray", "binary", false, "na_rm", false, "range_global", [], "pseudocount", 0);
  [options, pairs] = read_pairs (options, pairs, settings);
  options.method = choose_one (options.method, methods, "method");
  options.binary = read_flag (options, "binary", false);
  options.na_rm = read_flag (options, "na_rm", false);

endfunction

## Raise an error if values are missing, unless they are left out; warn of what has no meaning.
function check_values (X, options)

  method = options.method;
  if (! options.na_rm && any (isnan (X(:))))
    [i, j] = find (isnan (X), 1);
    fail_message ("elements missing", i, j, "na_rm = true");
  endif
  empty = find (! any (X != 0 & ! isnan (X), 2));
  if (! isempty (empty) && ! any (strcmp (method, {"manhattan", "euclidean", "gower", "mahalanobis", "chisq"})))
    warning ("gpugeo:community", __gpugeo__ ("message", "without values"), ...
             sprintf ("row %d of the points has", empty(1)), method);
  endif
  signed = {"manhattan", "euclidean", "canberra", "gower", "mahalanobis", "chord", "hellinger"};
  if (! any (strcmp (method, signed)) && any (X(:) < 0))
    warning ("gpugeo:community", __gpugeo__ ("message", "negative values"), "points have", method);
  endif
  if (any (strcmp (method, {"morisita", "chao", "cao"})) && any (X(:) != round (X(:)) & ! isnan (X(:))))
    warning ("gpugeo:community", __gpugeo__ ("message", "not whole"), method);
  endif

endfunction

function [D, info] = distances_of (X, options, pairs)

  method = options.method;
  switch (method)
    case "jaccard"
      [D, info] = gpu_pdist (X, "braycurtis", pairs{:});
      D = 2 * D ./ (1 + D);
    case "canberra"
      [D, info] = gpu_pdist (X, "canberra", pairs{:});
      D /= columns (X);
    case {"euclidean", "manhattan"}
      [D, info] = gpu_pdist (X, method, pairs{:});
      D = undo_scale (D, X, method);
    case "gower"
      if (isempty (options.range_global))
        [D, info] = gpu_pdist (X, "gower", pairs{:});
      else
        X = gpu_decostand (X, "range", "range_global", options.range_global, "na_rm", true);
        [D, info] = gpu_pdist (X, "manhattan", pairs{:});
        D /= columns (X);
      endif
    case "mahalanobis"
      [D, info] = gpu_pdist (X, "mahalanobis", "singular", "pinv", pairs{:});
    case {"chord", "hellinger"}
      if (strcmp (method, "hellinger"))
        X = sqrt (X);
        X(imag (X) != 0) = NaN;
        X = real (X);
      endif
      warning ("off", "gpugeo:missing", "local");
      [D, info] = gpu_pdist (X, "cosine", pairs{:});
      D = sqrt (2 * D);
    case {"chisq", "aitchison", "robust.aitchison"}
      [D, info] = transformed (X, options, pairs);
    otherwise
      if (strcmp (method, "bray"))
        method = "braycurtis";
      endif
      [D, info] = gpu_pdist (X, tolower (method), pairs{:});
  endswitch

endfunction

## Undo what gpu_pdist scales sums up by where coordinates are missing.
function D = undo_scale (D, X, method)

  if (! any (isnan (X(:))))
    return;
  endif
  there = double (full (! isnan (X)));
  share = there * there' / columns (X);
  share = share(tril (true (rows (X)), -1))';
  if (strcmp (method, "euclidean"))
    share = sqrt (share);
  endif
  D .*= share;

endfunction

function [D, info] = transformed (X, options, pairs)

  names = struct ("chisq", "chi.square", "aitchison", "clr", "robust_aitchison", "rclr");
  method = options.method;
  pseudocount = 0;
  if (strcmp (method, "aitchison"))
    pseudocount = options.pseudocount;
  endif
  warning ("off", "gpugeo:community", "local");
  Z = gpu_decostand (X, names.(strrep (method, ".", "_")), "na_rm", any (isnan (X(:))), "pseudocount", pseudocount);
  [D, info] = gpu_pdist (Z, "euclidean", pairs{:});
  D = undo_scale (D, Z, "euclidean");
  empty = full (! any (X != 0 & ! isnan (X), 2));
  if (any (empty) && strcmp (method, "robust.aitchison"))
    either = empty | empty';
    D(either(tril (true (rows (X)), -1))) = NaN;
  endif

endfunction

%!shared X, d
%! X = [3 0 1 2 0 1; 0 5 1 0 2 0; 1 1 0 2 0 0; 1 2 1 1 0 0];
%! d = @(varargin) gpu_vegdist (X, varargin{:});

## Results of vegan 2.6-4.
%!assert (d (), [0.866666666666667 0.454545454545455 0.5 0.833333333333333 0.538461538461538 0.333333333333333], 1e-14)
%!assert (d ("method", "kulcz"), [0.8660714286 0.4107142857 0.4857142857 0.8125 0.5125 0.325], 1e-9)
%!assert (d ("method", "clark"), [0.9128709292 0.8062257748 0.6871842709 0.9428090416 0.7979565739 0.5527707984], 1e-9)
%!assert (d ("method", "alt"), [2.166666667 1 1.2 2 1.4 0.75], 1e-8)
%!assert (d ("method", "can"), [0.8333333333 0.7 0.5666666667 0.9333333333 0.6857142857 0.4166666667], 1e-9)
%!assert (d ("method", "morisita"), [0.9387755102 0 0 0.4414893617 0 0], 1e-9)
%!assert (d ("method", "horn"), [0.9539094650 0.2659176030 0.4150417827 0.6296296296 0.2654424040 0.2366412214], 1e-9)
%!assert (d ("method", "mount"), [0.57649116108 0.31090209472 0.03689120132 0.52871453370 0.31090209472 0], 1e-10)
%!assert (d ("method", "raup"), [1 0.8 0.6 0.95 0.8 0.2], 1e-14)
%!assert (d ("method", "binom"), [3.4657359028 2.2102535776 1.5737394093 3.0151746939 2.1743191337 0.8064132051], 1e-9)
%!assert (d ("method", "chao"), [0.8943985308 0.3225806452 0.3142857143 0.7598253275 0.4133333333 0], 1e-9)
%!assert (d ("method", "cao"), [1.9509934919 0.9809521265 0.8594107341 1.6477319329 1.0994768249 0.4610635676], 1e-9)
%!assert (d ("method", "jaccard"), [0.9285714286 0.625 0.6666666667 0.9090909091 0.7 0.5], 1e-9)
%!assert (d ("method", "chord"), [1.3804779 0.7240652 0.9104504 1.1201089 0.6941583 0.6759930], 1e-6)
%!assert (d ("method", "hellinger"), [1.3163354 0.7677352 0.7735029 1.0997411 0.8269052 0.5365402], 1e-6)
%!assert (d ("method", "gower"), ...
%!        gpu_pdist (X ./ [3 5 1 2 2 1], "cityblock") / 6, 1e-14)
%!assert (d ("method", "aitchison", "pseudocount", 1), gpu_pdist (gpu_decostand (X, "clr", "pseudocount", 1)), 1e-14)
%!assert (d ("method", "chisq"), gpu_pdist (gpu_decostand (X, "chi.square")))
%!assert (d ("method", "euclidean", "threads", 1), gpu_pdist (X))
%!assert (d ("binary", true), gpu_vegdist (double (X > 0)))
%!test
%! for method = {"bray", "clark", "chao", "raup", "hellinger"}
%!   assert (gpu_vegdist (sparse (X), "method", method{1}), d ("method", method{1}), 1e-15);
%! endfor
%!test
%! Y = X;
%! Y(1,1) = NaN;
%! assert (gpu_vegdist (Y, "na_rm", true)(1), 10 / 12, 1e-14);
%! assert (gpu_vegdist (Y, "method", "euclidean", "na_rm", true)(1), norm (X(1,2:end) - X(2,2:end)), 1e-14);
%!error <x must have no missing values, but row 1, column 2 is missing> gpu_vegdist ([1 NaN; 2 3])
%!error <method must be one of "manhattan", .*, not "foo"> d ("method", "foo")
%!error <x must be a numeric matrix, not> gpu_vegdist ({1})
%!warning <row 2 of the points has no value other than 0; "bray" may have no meaning there> gpu_vegdist ([1 2; 0 0]);
%!warning <points have negative values, for which "bray" may have no meaning> gpu_vegdist ([1 2; 3 -1]);
%!warning <points have values that are not whole numbers, for which "chao"> gpu_vegdist ([1 2; 3 1.5], "method", "chao");

%!demo
%! counts = [3 0 1 2; 0 5 1 0; 4 1 0 2; 1 1 6 0];
%! gpu_vegdist (counts, "method", "chao")
