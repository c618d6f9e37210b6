## -*- texinfo -*-
## @deftypefn  {} {@var{D} =} gpu_designdist (@var{X})
## @deftypefnx {} {@var{D} =} gpu_designdist (@var{X}, @var{method})
## @deftypefnx {} {@var{D} =} gpu_designdist (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{D}, @var{info}] =} gpu_designdist (@dots{})
## Compute dissimilarities of communities by a formula, as @code{designdist} of R's package vegan does.
##
## @var{X} has a site in each row and a species in each column; it may be sparse.  @var{D} is the row vector of
## distances that @code{gpu_pdist} returns.  @var{method} is the formula as text, by default
## @qcode{"(A+B-2*J)/(A+B)"}; its operators are taken element by element.  For two rows u and v, of which v has the
## larger number, its letters are those of a line of this table:
##
## @multitable @columnfractions .25 .25 .25 .25
## @headitem terms @tab A @tab B @tab J
## @item @qcode{"binary"} @tab sum (u > 0) @tab sum (v > 0) @tab sum (u > 0 & v > 0)
## @item @qcode{"quadratic"} @tab sum (u .^ 2) @tab sum (v .^ 2) @tab sum (u .* v)
## @item @qcode{"minimum"} @tab sum (u) @tab sum (v) @tab sum (min (u, v))
## @end multitable
##
## N is the number of sites and P the number of species.  J of @qcode{"binary"} is exact; that of @qcode{"quadratic"}
## and of @qcode{"minimum"} is (A + B - D) / 2 for the squared Euclidean or the Manhattan distance D, exact for counts.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"terms"}
## A name of the table, by default @qcode{"binary"}.
## @item @qcode{"abcd"}
## true: the letters are a = J, b = A - J, c = B - J and d = P - A - B + J, and N and P.
## @item @qcode{"alphagamma"}
## true: they are alpha = (A + B) / 2, gamma = A + B - J and delta = abs (A - B), and N and P.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## How to compute, see @code{gpu_options}.
## @end table
##
## @example
## gpu_designdist ([3 0 1 2; 0 5 1 0; 4 1 0 2], "1 - J / sqrt (A * B)")
##   @result{} 0.5918   0.3333   0.5918
## @end example
##
## @seealso{gpu_betadiver, gpu_vegdist}
## @end deftypefn

function [D, info] = gpu_designdist (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  method = "(A+B-2*J)/(A+B)";
  if (mod (numel (varargin), 2))
    method = varargin{1};
    varargin(1) = [];
  endif
  settings = {"backend", "threads", "device", "progress", "memory_limit"};
  [options, pairs] = read_pairs (struct ("terms", "binary", "abcd", false, "alphagamma", false), varargin, settings);
  terms = choose_one (options.terms, {"binary", "quadratic", "minimum"}, "terms");
  abcd = read_flag (options, "abcd", false);
  alphagamma = read_flag (options, "alphagamma", false);
  if (! ischar (method) || rows (method) != 1)
    fail_value (method, "method", "a formula");
  endif
  check_table (X);
  [A, B, J, info] = shared_terms (double (X), terms, pairs);
  P = columns (X);
  if (abcd)
    values = struct ("a", J, "b", A - J, "c", B - J, "d", P - A - B + J);
  elseif (alphagamma)
    values = struct ("alpha", (A + B) / 2, "gamma", A + B - J, "delta", abs (A - B));
  else
    values = struct ("A", A, "B", B, "J", J);
  endif
  values.N = rows (X);
  values.P = P;
  D = evaluate_formula (method, values, numel (J));

endfunction

## Return the values of a formula for all pairs.
function D = evaluate_formula (method, values, count)

  letters = strjoin (fieldnames (values)', ", ");
  text = sprintf ("@(%s) %s", letters, regexprep (method, '\.?([*/^])', '.$1'));
  try
    D = str2func (text) (struct2cell (values){:});
  catch err
    fail_message ("formula of pairs", letters, method, ...
                  strtrim (regexprep (strrep (err.message, "parse error:", ""), '\s+', " ")));
  end_try_catch
  if (! isnumeric (D) || ! any (numel (D) == [1 count]))
    fail_message ("number of pairs", method);
  endif
  D = zeros (1, count) + double (reshape (D, 1, []));

endfunction

%!shared X
%! X = [3 0 1 2; 0 5 1 0; 4 1 0 2];

%!assert (gpu_designdist (X), [3/5 2/6 3/5], eps)
%!assert (gpu_designdist (X, "A+B-2*J", "terms", "quadratic"), gpu_pdist (X) .^ 2, 1e-13)
%!assert (gpu_designdist (X, "(A+B-2*J)/(A+B)", "terms", "minimum"), gpu_vegdist (X), 1e-15)
%!assert (gpu_designdist ([X, [0; 0; 0]], "10*a+b+c/10+d/100", "abcd", true), [12.11 21.11 11.21], 1e-13)
%!assert (gpu_designdist (X, "alpha+10*gamma+100*delta", "alphagamma", true), [142.5 43 142.5], 1e-13)
%!assert (gpu_designdist (X, "N+10*P"), [43 43 43])
%!assert (gpu_designdist (X, "J^2./A"), [1/3 4/3 1/2], eps)
%!assert (gpu_designdist (sparse (X)), gpu_designdist (X))
%!assert (gpu_designdist (X, "J", "threads", 1), [1 2 1])
%!assert (gpu_designdist (X(1,:)), zeros (1, 0))
%!error <method must be a formula, not 3> gpu_designdist (X, 3)
%!error <method must be a formula of A, B, J, N, P, not "J\+Q": > gpu_designdist (X, "J+Q")
%!error <method must be a formula of A, B, J, N, P, not "J\+": > gpu_designdist (X, "J+")
%!error <method must give a number for each pair, not "\[1 2\]"> gpu_designdist (X, "[1 2]")
%!error <terms must be one of "binary", .*, not "foo"> gpu_designdist (X, "J", "terms", "foo")
%!error <x must be a numeric matrix, not> gpu_designdist ({1})

%!demo
%! gpu_designdist ([3 0 1 2; 0 5 1 0; 4 1 0 2], "1 - J / sqrt (A * B)")
