## -*- texinfo -*-
## @deftypefn  {} {@var{T} =} gpu_propr_cutoffs (@var{X}, @var{cutoff})
## @deftypefnx {} {@var{T} =} gpu_propr_cutoffs (@dots{}, @var{name}, @var{value}, @dots{})
## Estimate how many pairs of parts that are beyond a cutoff of proportionality are so by chance, by permutations.
##
## @var{T} has a row for each number of @var{cutoff}, by default 0.05:0.3:0.95, and four columns: the cutoff; the mean
## number of pairs beyond it in tables in which the samples of each part are permuted independently; their number in
## @var{X}; and the quotient of both, the false discovery rate.  A pair is beyond a cutoff if its value is above it
## for @qcode{"rho"}, and below it for other metrics.  Of @qcode{"phi"} the values below the diagonal count.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"permutations"}
## The number of permutations, by default 100, by @code{randperm}.
## @item @qcode{"metric"}, @qcode{"ivar"}, @qcode{"alpha"}
## As in @code{gpu_propr}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"precision"}, @qcode{"progress"}
## @itemx @qcode{"memory_limit"}
## How to compute, see @code{gpu_options}.
## @end table
##
## @example
## T = gpu_propr_cutoffs (randi (100, 20, 6), [0.5, 0.9]);
## @end example
##
## @seealso{gpu_propr, gpu_options}
## @end deftypefn

function T = gpu_propr_cutoffs (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  cutoff = 0.05:0.3:0.95;
  if (! isempty (varargin) && ! ischar (varargin{1}))
    cutoff = varargin{1};
    varargin(1) = [];
  endif
  if (! (isnumeric (cutoff) && isreal (cutoff) && ! isempty (cutoff) && ! any (isnan (cutoff(:)))))
    fail_value (cutoff, "cutoff", "a vector of numbers");
  endif
  options = read_options ({"permutations", "metric", "ivar", "alpha"}, varargin);
  permutations = 100;
  if (isfield (options, "permutations"))
    permutations = options.permutations;
    if (! (isnumeric (permutations) && isscalar (permutations) && permutations >= 1 && permutations < 2^31
           && permutations == fix (permutations)))
      fail_value (permutations, "permutations", "a whole number between 1 and 2147483647");
    endif
  endif
  given = {"as", "dist"};
  for name = setdiff (fieldnames (options)', {"permutations"})
    given(end+(1:2)) = {name{1}, options.(name{1})};
  endfor
  is_rho = true;
  if (isfield (options, "metric"))
    is_rho = strcmp (choose_one (options.metric, __gpugeo__ ("names", "proportionality", "metric"), "metric"), "rho");
  endif
  check_table (X, "counts");
  X = full (X);
  found = count_beyond (gpu_propr (X, given{:}), is_rho, cutoff);
  random = zeros (numel (cutoff), 1);
  for k = 1:permutations
    for j = 1:columns (X)
      X(:,j) = X(randperm (rows (X)),j);
    endfor
    random += count_beyond (gpu_propr (X, given{:}), is_rho, cutoff);
  endfor
  random /= permutations;
  T = [cutoff(:), random, found, random ./ found];

endfunction

## How many distances are beyond each cutoff.
function count = count_beyond (d, is_rho, cutoff)

  count = zeros (numel (cutoff), 1);
  for k = 1:numel (cutoff)
    if (is_rho)
      count(k) = sum (1 - d > cutoff(k));
    else
      count(k) = sum (d < cutoff(k));
    endif
  endfor

endfunction

%!shared X, cutoff
%! X = mod ((1:9)'.^2 * (1:12) + 7 * (1:9)' * (1:12).^2, 31);
%! cutoff = [0.9, 0.1, 1.2, -0.2];
%!test
%! for metric = {"rho", "phi", "phs", "vlr"}
%!   T = gpu_propr_cutoffs (X, cutoff, "permutations", 2, "metric", metric{1});
%!   P = gpu_propr (X, "metric", metric{1});
%!   p = P(tril (true (12), -1));
%!   if (strcmp (metric{1}, "rho"))
%!     beyond = sum (p > cutoff, 1)';
%!   else
%!     beyond = sum (p < cutoff, 1)';
%!   endif
%!   assert (T(:,1), cutoff');
%!   assert (T(:,3), beyond);
%!   assert (T(:,4), T(:,2) ./ T(:,3));
%! endfor
%!test
%! rand ("twister", 2);
%! T = gpu_propr_cutoffs (X, 0.2, "permutations", 1);
%! rand ("twister", 2);
%! for j = 1:12
%!   X(:,j) = X(randperm (9),j);
%! endfor
%! P = gpu_propr (X);
%! assert (T(2), sum (P(tril (true (12), -1)) > 0.2));
%!assert (rows (gpu_propr_cutoffs (sparse (X), "permutations", 1)), 4)
%!error <Invalid call> gpu_propr_cutoffs ()
%!error <cutoff must be a vector of numbers, not NaN> gpu_propr_cutoffs (X, NaN)
%!error <permutations must be a whole number between 1 and 2147483647, not 0> gpu_propr_cutoffs (X, "permutations", 0)
%!error <metric must be one of "rho", "phi", "phs", "vlr", not "x"> gpu_propr_cutoffs (X, "metric", "x")

%!demo
%! x = randi (100, 20, 6);
%! gpu_propr_cutoffs ([x, 2 * x(:,1)], [0.5 0.9])
