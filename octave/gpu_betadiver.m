## -*- texinfo -*-
## @deftypefn  {} {[@var{a}, @var{b}, @var{c}] =} gpu_betadiver (@var{X})
## @deftypefnx {} {@var{D} =} gpu_betadiver (@var{X}, @var{method})
## @deftypefnx {} {[@var{D}, @var{info}] =} gpu_betadiver (@var{X}, @var{method}, @var{name}, @var{value}, @dots{})
## Compute indices of beta diversity, as @code{betadiver} of R's package vegan does.
##
## @var{X} has a site in each row and a species in each column; it may be sparse.  Results are row vectors as
## @code{gpu_pdist} returns them.  a is the number of species of both sites, b of the one with the larger number only,
## and c of the other one only.  Without a @var{method} these are returned; otherwise it is a number of this table, or a
## name, and the index is returned:
##
## @multitable @columnfractions .2 .3 .5
## @item 1, 2, 8, 9, 20 @tab w, -1, t, me, hk @tab (b + c) / (2 a + b + c)
## @item 3, 18 @tab c, l @tab (b + c) / 2
## @item 4 @tab wb @tab b + c
## @item 5 @tab r @tab 2 b c / ((a + b + c)^2 - 2 b c)
## @item 6 @tab I @tab log (n) - 2 a log (2) / n - (f (a + b) + f (a + c)) / n, with n = 2 a + b + c and
## f (x) = x log (x)
## @item 7 @tab e @tab exp (I) - 1
## @item 10 @tab j @tab a / (a + b + c)
## @item 11 @tab sor @tab 2 a / (2 a + b + c)
## @item 12 @tab m @tab (2 a + b + c) (b + c) / (a + b + c)
## @item 13 @tab -2 @tab min (b, c) / (max (b, c) + a)
## @item 14 @tab co @tab (a c + a b + 2 b c) / (2 (a + b) (a + c))
## @item 15, 16 @tab cc, g @tab (b + c) / (a + b + c)
## @item 17 @tab -3 @tab min (b, c) / (a + b + c)
## @item 19 @tab 19 @tab 2 (b c + 1) / (a + b + c) / (a + b + c - 1)
## @item 21 @tab rlb @tab a / (a + c)
## @item 22 @tab sim @tab min (b, c) / (min (b, c) + a)
## @item 23 @tab gl @tab 2 abs (b - c) / (2 a + b + c)
## @item 24 @tab z @tab (log (2) - log (2 a + b + c) + log (a + b + c)) / log (2)
## @end multitable
##
## Options are @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"} and
## @qcode{"memory_limit"}, see @code{gpu_options}.
##
## Reference: P. Koleff, K. J. Gaston and J. J. Lennon (2003), Journal of Animal Ecology 72, 367-382.
##
## @example
## gpu_betadiver ([3 0 1 2; 0 5 1 0; 4 1 0 2], "sor")
##   @result{} 0.4000   0.6667   0.4000
## @end example
##
## @seealso{gpu_designdist, gpu_vegdist}
## @end deftypefn

function varargout = gpu_betadiver (X, method = [], varargin)

  if (nargin < 1)
    print_usage ();
  endif
  check_table (X);
  index = [];
  if (! isequal (method, []))
    index = index_name (method);
  endif
  [~, pairs] = read_pairs (struct (), varargin, {"backend", "threads", "device", "progress", "memory_limit"});
  if (isempty (index))
    [A, B, a] = shared_terms (double (X), "binary", pairs);
    varargout = {a, B - a, A - a};
  else
    X = double (X > 0);
    [D, info] = gpu_pdist (X, "cityblock", pairs{:});
    varargout = {__gpugeo__("betadiver", on_host (struct ("method", index)), full (sum (X, 2)), D), info};
  endif

endfunction

## Return the name of an index, which is given by its number or its name.
function index = index_name (method)

  names = __gpugeo__ ("names", "betadiver", "method");
  k = [];
  if (ischar (method))
    k = find (strcmp (method, names));
  elseif (isnumeric (method) && isscalar (method))
    k = find (method == 1:numel (names));
  endif
  if (isempty (k))
    fail_value (method, "method", sprintf ("a number from 1 to 24 or one of %s", ...
                                           strjoin (strcat ("\"", names, "\""), ", ")));
  endif
  index = names{k};

endfunction

%!shared X
%! X = [3 0 1 2 1; 0 5 1 0 0; 4 1 0 2 2];

## a = [1 3 1], b = [1 1 3], c = [3 1 1].
%!test
%! [a, b, c] = gpu_betadiver (X);
%! assert ([a; b; c], [1 3 1; 1 1 3; 3 1 1]);
%!test
%! names = {"w", "-1", "c", "wb", "r", "I", "e", "t", "me", "j", "sor", "m", "-2", "co", "cc", "g", "-3", "l", "19", ...
%!          "hk", "rlb", "sim", "gl", "z"};
%! first = [4/6 4/6 2 4 6/19 0 0 4/6 4/6 1/5 2/6 24/5 1/4 10/16 4/5 4/5 1/5 2 8/20 4/6 1/4 1/2 4/6 0];
%! first(6) = log (6) - (2 * log (2) + 2 * log (2) + 4 * log (4)) / 6;
%! first(7) = exp (first(6)) - 1;
%! first(24) = (log (2) - log (6) + log (5)) / log (2);
%! for k = 1:24
%!   D = gpu_betadiver (X, names{k});
%!   assert (D(1), first(k), 1e-15);
%!   assert (gpu_betadiver (sparse (X), k), D);
%! endfor
%!assert (gpu_betadiver (X, "rlb"), [1/4 3/4 1/2], eps)
%!assert (gpu_betadiver (X, "sor", "threads", 1), [2/6 6/8 2/6], eps)
%!error <method must be a number from 1 to 24 or one of "w", .*, not "foo"> gpu_betadiver (X, "foo")
%!error <method must be a number from 1 to 24 .*, not 25> gpu_betadiver (X, 25)
%!error <option must be one of "backend", .*, not "foo"> gpu_betadiver (X, "w", "foo", 1)
%!error <x must be a numeric matrix, not> gpu_betadiver ({1})

%!demo
%! gpu_betadiver ([3 0 1 2; 0 5 1 0; 4 1 0 2], "sim")
