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
  check_table (X);
  options = read_options ({"margin", "range_global", "logbase", "na_rm", "pseudocount", "reference"}, varargin);
  options.method = method;
  [Z, made] = __gpugeo__ ("decostand", on_host (options, varargin), double (X));
  if (made.negative)
    warning ("gpugeo:community", __gpugeo__ ("message", "negative values"), "x has", made.method);
  endif
  if (strcmp (made.method, "log") && made.number < 1)
    warning ("gpugeo:community", __gpugeo__ ("message", "values below 1"));
  endif
  if (made.undefined)
    warning ("gpugeo:community", __gpugeo__ ("message", "no results"));
  endif
  if (strcmp (made.method, "chi.square") && made.margin == 2)
    Z = Z';
  endif
  defaults = core_options ("decostand");
  for name = {"logbase", "pseudocount", "reference"}
    if (! isfield (options, name{1}))
      options.(name{1}) = defaults.(name{1});
    endif
  endfor
  if (strcmp (made.method, "alr"))
    subs = {":", ":"};
    subs{made.margin} = options.reference;
    Z(subs{:}) = [];
  endif
  parameters = parameters_of (made, options);

endfunction

## Return the numbers that were used, by vegan's names.
function parameters = parameters_of (made, options)

  parameters = rmfield (made, {"number", "negative", "undefined", "method", "margin"});
  switch (made.method)
    case "pa"
      return;
    case "log"
      parameters = struct ("logbase", options.logbase, "minpos", made.number);
      return;
    case "chi.square"
      parameters.tot = made.number;
    case "clr"
      parameters.pseudocount = options.pseudocount;
    case "alr"
      parameters.index = options.reference;
      parameters.pseudocount = options.pseudocount;
  endswitch
  parameters.margin = made.margin;

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
%!error <margin must be .*, not 3> gpu_decostand (X, "total", "margin", 3)
%!error <x must be numbers of at least 0 for "rclr", but row 1, column 1 is -3> warning ("off", "gpugeo:community", "local"); gpu_decostand (-X, "rclr")
%!error <reference must be the number of a row of x, from 1 to 3, not 4> gpu_decostand (X + 1, "alr", "reference", 4)
%!warning <x has negative values, for which "total" may have no meaning> gpu_decostand (-X, "total");
%!warning <x has values below 1> gpu_decostand ([0.5 1], "log");

%!test  # a backend of gpu_options that it lacks
%! old = gpu_options ("backend", "cuda");
%! unwind_protect
%!   assert (gpu_decostand ([1 3], "total"), [0.25 0.75]);
%!   assert (gpu_decostand ([1 3], "total", "Backend", "cpu"), [0.25 0.75]);
%!   assert (gpu_decostand ([1 3], "total", "backend", []), [0.25 0.75]);
%!   assert (gpu_diversity ([1 1], "invsimpson"), 2);
%!   refused = 'backend must be "auto" or "cpu" for communities, not "cuda"';
%!   fail ('gpu_decostand ([1 3], "total", "backend", "cuda")', refused);
%!   fail ('gpu_diversity ([1 1], "invsimpson", "Backend", "cuda")', refused);
%!   tree = gpu_phytree_read ("(a:1,b:2);");
%!   fail ('gpu_diversity ([1 1], "faith", "tree", tree, "backend", "cuda")', refused);
%! unwind_protect_cleanup
%!   gpu_options ("backend", old);
%! end_unwind_protect
%!error <backend must be "auto" or "cpu" for communities, not "cuda"> gpu_decostand ([1 3], "total", "backend", "cuda")

%!demo
%! gpu_decostand ([3 0 1 2; 0 5 1 0; 4 1 0 2], "hellinger")
