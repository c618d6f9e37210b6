## -*- texinfo -*-
## @deftypefn  {} {@var{D} =} gpu_cophenetic (@var{Z})
## @deftypefnx {} {[@var{c}, @var{D}] =} gpu_cophenetic (@var{Z}, @var{Y})
## @deftypefnx {} {@dots{} =} gpu_cophenetic (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@dots{}, @var{info}] =} gpu_cophenetic (@dots{})
## Cophenetic distances of a hierarchical clustering, and their correlation with the distances of the points, as
## @code{cophenet} computes them, on all CPU cores.
##
## @var{Z} is the n - 1 by 3 matrix that @code{gpu_linkage} or @code{linkage} returns for n points.  @var{D} is the
## row vector of the n * (n - 1) / 2 cophenetic distances, in the order of @code{gpu_pdist}: for two points the
## height in @var{Z} of the merge that joins them.
##
## @var{Y} is a vector of n * (n - 1) / 2 distances of the same points, as @code{gpu_pdist} returns it, and @var{c} the
## linear correlation of @var{D} and @var{Y}, NaN if all elements of one of them are equal.
##
## The options are those of @code{gpu_options}; @qcode{"device"} and @qcode{"precision"} have no effect, and
## @qcode{"memory_limit"} is for the working memory of 30 n bytes and 8 n more for each thread.  @var{info}, the last
## result, is that of @code{gpu_pdist}.
##
## @example
## gpu_cophenetic (gpu_linkage ([0; 1; 3; 7]))
##   @result{} 1  2  4  2  4  4
## @end example
##
## @seealso{gpu_linkage, gpu_pdist, gpu_options}
## @end deftypefn

function [varargout] = gpu_cophenetic (Z, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  has_distances = numel (varargin) > 0 && ! ischar (varargin{1});
  options = read_options ({}, varargin(1+has_distances:end));
  options.names = struct ("merge", "Z");
  if (has_distances)
    Y = distances_of (Z, varargin{1});
  endif
  [D, info] = __gpugeo__ ("cophenetic", options, Z);
  varargout = {D, info};
  if (has_distances)
    varargout = {correlation(D, Y), D, info};
  endif

endfunction

## A distance for each pair of points, as a row vector of doubles.
function Y = distances_of (Z, Y)

  count = (rows (Z) + 1) * rows (Z) / 2;
  if (! (isnumeric (Y) && isreal (Y) && isvector (Y)))
    fail_value (Y, "Y", "a vector of distances");
  elseif (numel (Y) != count)
    error ("gpugeo:argument", "Y must have a distance for each of the %d pairs of points, not %d distances", ...
           count, numel (Y));
  endif
  Y = double (full (Y(:)'));

endfunction

function c = correlation (x, y)

  x -= mean (x);
  y -= mean (y);
  c = (x * y') / (norm (x) * norm (y));

endfunction

%!shared X, Z
%! X = [0; 1; 3; 7];
%! Z = gpu_linkage (X);
%!assert (gpu_cophenetic (Z), [1 2 4 2 4 4])
%!test
%! [c, D, info] = gpu_cophenetic (Z, gpu_pdist (X), "threads", 1);
%! assert (D, [1 2 4 2 4 4]);
%! assert (c, corrcoef (D, gpu_pdist (X))(1,2), 4 * eps);
%! assert ({info.backend, info.threads}, {"cpu", 1});
%!test
%! [D, info] = gpu_cophenetic (Z, "threads", 1);
%! assert (D, [1 2 4 2 4 4]);
%! assert (info.threads, 1);
%!assert (gpu_cophenetic ([1 2 5]), 5)
%!assert (isnan (gpu_cophenetic ([1 2 5], 5)))
%!assert (gpu_cophenetic (Z, gpu_pdist (X)'), gpu_cophenetic (Z, gpu_pdist (X)))
%!assert (gpu_cophenetic (Z, single (gpu_pdist (X))), gpu_cophenetic (Z, gpu_pdist (X)))
%!assert (gpu_cophenetic (single (Z)), gpu_cophenetic (Z))
%!assert (gpu_cophenetic (sparse (Z)), gpu_cophenetic (Z))

## Against the definition: the first merge that contains both points.
%!test
%! rand ("twister", 1);
%! for n = [2 3 40 150]
%!   x = rand (n, 2);
%!   warning ("off", "gpugeo:monotone", "local");
%!   for method = {"single", "complete", "average", "weighted", "ward", "centroid", "median"}
%!     tree = gpu_linkage (x, method{1});
%!     members = num2cell (1:n);
%!     wanted = zeros (n);
%!     for k = 1:n-1
%!       [a, b] = members{tree(k,1:2)};
%!       wanted(a,b) = tree(k,3);
%!       wanted(b,a) = tree(k,3);
%!       members{n+k} = [a b];
%!     endfor
%!     for threads = [1 3]
%!       assert (gpu_cophenetic (tree, "threads", threads), wanted(tril (true (n), -1))');
%!     endfor
%!   endfor
%! endfor

%!testif ; ! isempty (pkg ("list", "statistics"))
%! rand ("twister", 1);
%! pkg load statistics
%! x = rand (40, 3);
%! for method = {"single", "complete", "average", "weighted", "ward"}
%!   y = pdist (x);
%!   tree = linkage (y, method{1});
%!   [wanted, D] = cophenet (tree, y);
%!   [c, got] = gpu_cophenetic (tree, y);
%!   assert (got, D);
%!   assert (c, wanted, 1e-14);
%! endfor

%!error <Invalid call> gpu_cophenetic ()
%!error <Z must be a matrix of three columns with a row for each merge, not a 2 x 2 matrix> gpu_cophenetic (ones (2))
%!error <Z must be a matrix of three columns with a row for each merge, not "text"> gpu_cophenetic ("text")
%!error <Z must be a matrix of three columns with a row for each merge, not \[\]\(0 x 3\)>
%! gpu_cophenetic (zeros (0, 3))
%!error <Z must have each point and each earlier merge once, but row 2 does not> gpu_cophenetic ([1 2 1; 1 4 2])
%!error <Z must have each point and each earlier merge once, but row 2 does not> gpu_cophenetic ([1 2 1; 3 5 2])
%!error <Z must have each point and each earlier merge once, but row 1 does not> gpu_cophenetic ([0 2 1; 3 4 2])
%!error <Z must have each point and each earlier merge once, but row 1 does not> gpu_cophenetic ([1 NaN 1; 3 4 2])
%!error <Z must have each point and each earlier merge once, but row 1 does not> gpu_cophenetic ([1 1.5 1; 3 4 2])
%!error <Z must have each point and each earlier merge once, but row 1 does not> gpu_cophenetic ([1 1e300 1; 3 4 2])
%!error <Y must have a distance for each of the 6 pairs of points, not 3 distances> gpu_cophenetic (Z, 1:3)
%!error <Y must be a vector of distances, not > gpu_cophenetic (Z, {1})
%!error <option must be one of .*, not "colour"> gpu_cophenetic (Z, "colour", 1)
%!error <backend must be .*, not "cuda"> gpu_cophenetic (Z, "backend", "cuda")
%!error <memory_limit must be a whole number of at least 1048576, not 7> gpu_cophenetic (Z, "memory_limit", 7)
%!error <memory_limit must be at least 1520000 bytes for cophenetic distances of 40000 points, not 1048576>
%! n = 40000;
%! gpu_cophenetic ([[1, n+1:2*n-2]', (2:n)', (1:n-1)'], "memory_limit", 2^20)

%!demo
%! X = rand (200, 2);
%! Y = gpu_pdist (X);
%! for method = {"single", "average", "complete"}
%!   c = gpu_cophenetic (gpu_linkage (Y, method{1}), Y);
%!   printf ("%-10s %.3f\n", method{1}, c);
%! endfor
