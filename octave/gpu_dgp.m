## -*- texinfo -*-
## @deftypefn  {} {@var{s} =} gpu_dgp (@var{d})
## @deftypefnx {} {@var{s} =} gpu_dgp (@var{d}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{s}, @var{info}] =} gpu_dgp (@dots{})
## Count the choices of signs for which the distances @var{d} sum to 0 within a tolerance, and return the
## best: realizations on the line of a cycle of n distances.  The count is exact.
##
## @var{d} is a vector of at most 127 positive, finite numbers.  @var{s} is a structure with the fields
##
## @table @code
## @item count
## The number of solutions; @code{count_text} has all its digits.
## @item expected
## The number expected for random distances, 2^n 2 tol / sqrt (2 pi sum (d.^2)): if it is far above 1, most
## solutions are due to the tolerance.
## @item rows
## The row numbers in the matrix M, from 1, of the solutions returned: a column, or a cell array of strings
## if one is above 2^53.  Column j of row i of M is -1 where bit j of i - 1 (both from the lowest on) is 0,
## else 1.
## @item signs
## A row for each solution, -1 or 1 for each distance.
## @item positions
## A row for each solution, the n + 1 partial sums from 0.
## @item residual
## The absolute values of the sums, each rounded once.
## @item algorithm
## @itemx backend
## Those that were used.
## @end table
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"tol"}
## A sum of at most this size is a solution: at least 0, by default 1e-4.
## @item @qcode{"algorithm"}
## The algorithm, which never changes the result: @qcode{"branch-and-prune"} (on the CPU only),
## @qcode{"exhaustive"} (all 2^n rows of M), @qcode{"meet-in-the-middle"} (the sorted sums of two halves, in
## time and memory of about 2^(n/2)), or @qcode{"auto"} (the default), the fastest of them.
## @item @qcode{"max_solutions"}
## The number of solutions to return, by default 10: those with the smallest residual, ties by row number. 0
## counts only.
## @item @qcode{"exact"}
## @code{true} (the default) decides by the sum of the given doubles as real numbers, @code{false} by
## fixed-point sums of 2^-60 of the sum of @var{d}.
## @item @qcode{"symmetric"}
## @code{true} counts a solution and its mirror image, with all signs inverted, as one: the one with the
## smaller row number.
## @item @qcode{"prune"}
## For branch-and-prune: @code{true} (the default) prunes branches that cannot return to 0; @code{false}
## visits the whole tree, as the source does.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The option @qcode{"precision"} has no effect.
## @end table
##
## @var{info} is that of @code{gpu_pdist}.
##
## Equal distances and small whole numbers have fewer different sums: meet-in-the-middle counts them
## for any n.  Problems that would take too many steps are an error, which names the number of distances
## that the algorithm can handle.
##
## Source: S. B. Hengeveld and A. Mucherino (2022), A GPU approach to distance geometry in 1D, section II.
##
## @example
## s = gpu_dgp ([3 4 5 2], "tol", 0);
## s.count
##   @result{} 2
## s.signs
##   @result{} 1  1 -1 -1
##      -1 -1  1  1
## @end example
##
## @seealso{gpu_dgp_instance, gpu_dgp_sums, gpu_dgp_graph, gpu_options}
## @end deftypefn

function [s, info] = gpu_dgp (d, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  [s, info] = __gpugeo__ ("dgp", read_options (option_names ("dgp"), varargin), d);
  numbers = str2double (s.rows);
  if (all (numbers < 2^53))
    s.rows = numbers(:);
  endif

endfunction

%!test
%! s = gpu_dgp ([3 4 5 2], "tol", 0);
%! assert (s.count, 2);
%! assert (s.count_text, "2");
%! assert (s.rows, [4; 13]);
%! assert (s.signs, [1 1 -1 -1; -1 -1 1 1]);
%! assert (s.positions, [0 3 7 2 0; 0 -3 -7 -2 0]);
%! assert (s.residual, [0; 0]);
%! assert (s.algorithm, "meet-in-the-middle");

%!test
%! d = gpu_dgp_instance (18, 3);
%! sums = gpu_dgp_sums (d);
%! [~, order] = sort (abs (sums));
%! for algorithm = {"auto", "branch-and-prune", "exhaustive", "meet-in-the-middle"}
%!   for prune = [true false]
%!     [s, info] = gpu_dgp (d, "tol", 1e-3, "algorithm", algorithm{1}, "prune", prune, "backend", "cpu");
%!     assert (s.count, sum (abs (sums) <= 1e-3));
%!     assert (s.residual, abs (sums(s.rows)));
%!     assert (s.residual, abs (sums(order(1:10))));
%!     assert (s.positions, [zeros(10, 1), cumsum(s.signs .* d', 2)], 1e-15);
%!     assert (info.backend, "cpu");
%!   endfor
%! endfor
%!testif ; numel (gpu_info ().devices) > 0
%! d = gpu_dgp_instance (30, 4);
%! for algorithm = {"exhaustive", "meet-in-the-middle"}
%!   s = gpu_dgp (d, "algorithm", algorithm{1}, "backend", "cpu");
%!   t = gpu_dgp (d, "algorithm", algorithm{1}, "backend", "cuda");
%!   assert (t.backend, "cuda");
%!   assert (rmfield (t, "backend"), rmfield (s, "backend"));
%! endfor

## Counts and row numbers beyond 2^53.
%!test
%! s = gpu_dgp (ones (1, 100), "tol", 0, "max_solutions", 0);
%! assert (s.count_text, "100891344545564193334812497256");
%! assert (s.count, 100891344545564193334812497256);
%! assert (isempty (s.rows) && isempty (s.residual));
%!test
%! s = gpu_dgp (2.^(0:54), "tol", 1, "max_solutions", 1);
%! assert (s.rows, {"18014398509481984"});
%! assert (s.count, 2);

## Half of the solutions, and none.
%!assert (gpu_dgp ([3 4 5 2], "tol", 0, "symmetric", true).rows, 4)
%!assert (gpu_dgp ([3 1]).count, 0)
%!assert (gpu_dgp (1, "tol", 1).count, 2)
%!assert (gpu_dgp (single ([1 2 3]), "tol", 0).count, 2)
%!assert (gpu_dgp (int8 ([1 2 3]), "tol", 0, "exact", false).count, 2)

%!error <Invalid call> gpu_dgp ()
%!error <d must be a numeric matrix, not text> gpu_dgp ("text")
%!error <d must have between 1 and 127 distances, not 0> gpu_dgp ([])
%!error <d must have between 1 and 127 distances, not 128> gpu_dgp (1:128)
%!error <d must hold positive, finite distances, not 0 \(the one numbered 2\)> gpu_dgp ([1 0])
%!error <d must hold positive, finite distances, not NaN> gpu_dgp ([NaN 1])
%!error <tol must be at least 0 and finite, not -1> gpu_dgp (1:3, "tol", -1)
%!error <algorithm must be one of > gpu_dgp (1:3, "algorithm", "guess")
%!error <max_solutions must be a whole number, not 0.5> gpu_dgp (1:3, "max_solutions", 0.5)
%!error <max_solutions must be at least 0, not -1> gpu_dgp (1:3, "max_solutions", -1)
%!error <exact must be true or false, not "yes"> gpu_dgp (1:3, "exact", "yes")
%!error <d must have at most .* for algorithm "exhaustive"> gpu_dgp (sqrt (2:91), "algorithm", "exhaustive")
%!error id=gpugeo:argument gpu_dgp (1:3, "tol", Inf)

%!demo
%! s = gpu_dgp (gpu_dgp_instance (24, 1), "tol", 1e-5);
%! lines = plot (0:24, s.positions');
%! set (lines, "color", "#0072B2");
%! title (sprintf ("%d solutions", s.count));
%! xlabel ("vertex"); ylabel ("position");
%! printf ("%d solutions, %.1f by chance\n", s.count, s.expected);
