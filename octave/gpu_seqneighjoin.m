## -*- texinfo -*-
## @deftypefn  {} {@var{tree} =} gpu_seqneighjoin (@var{D})
## @deftypefnx {} {@var{tree} =} gpu_seqneighjoin (@var{D}, @var{method})
## @deftypefnx {} {@var{tree} =} gpu_seqneighjoin (@var{D}, @var{method}, @var{names})
## @deftypefnx {} {@var{tree} =} gpu_seqneighjoin (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{tree}, @var{info}] =} gpu_seqneighjoin (@dots{})
## Make an unrooted tree by neighbour joining, as @code{seqneighjoin} of MATLAB does, on all CPU cores.
##
## @var{D} has the distances of at least 3 points: a row vector as @code{gpu_pdist} returns it, a symmetric matrix with
## zeros on the diagonal, or the structure of @code{gpu_dist_file} or @code{gpu_dist_device}.  Distances must be finite.
##
## @var{method} is @qcode{"equivar"}, the default, for neighbour joining (Saitou and Nei 1987, Studier and Keppler
## 1988),
## or @qcode{"firstorder"} for BIONJ (Gascuel 1997), which weights the distances of two joined nodes so that those of
## the new one have the lowest variance.  @var{names} is a cell array with a string for each point; [] stands for their
## numbers.
##
## @var{tree} is a structure with the fields
##
## @table @code
## @item edges
## a matrix with a row for each edge: the node nearer to the root, and the other one.  Tips are 1 to n, and n + 1 is the
## root, with three edges.  Each edge is followed by those below it.
## @item lengths
## the lengths of the edges, which may be negative
## @item names
## the names of the tips
## @end table
##
## Two nodes with the lowest (m - 2) d(i,j) - r(i) - r(j) are joined, where m is the number of nodes that are left and r
## the sums of their distances, until three are left.  Of several pairs the first one is joined, in the order in which
## R's package ape has the nodes; criteria that differ by less than 2^-36 of the largest distance may count as equal.
## Rows of the matrix are searched only if a bound allows a better pair (Simonsen, Mailund and Pedersen 2008).  The
## matrix takes 8 n^2 bytes of memory, and 16 n^2 for @qcode{"firstorder"}.  The result has the same bits for any number
## of threads and for every kind of input that holds the same distances.
##
## The options are those of @code{gpu_options}; @qcode{"precision"} has no effect.  @var{info} is that of
## @code{gpu_pdist}.
##
## @example
## tree = gpu_seqneighjoin ([3 6 7 7 8 5])
##   @result{} tree.edges =
##        5   4
##        5   3
##        5   6
##        6   1
##        6   2
##      tree.lengths = [3; 2; 3; 1; 2]
## @end example
##
## @seealso{gpu_seqlinkage, gpu_linkage, gpu_pdist, gpu_options}
## @end deftypefn

function [tree, info] = gpu_seqneighjoin (D, method = "equivar", names = [], varargin)

  if (nargin < 1)
    print_usage ();
  endif
  options = read_options ({}, varargin);
  methods = {"equivar", "firstorder"};
  options.bionj = strcmp (choose_one (method, methods, "method"), "firstorder");
  [D, options, names] = read_tree_input (D, names, options);
  [edges, lengths, info] = __gpugeo__ ("nj", options, D);
  tree = struct ("edges", edges, "lengths", lengths, "names", {names});

endfunction

%!test  # an additive matrix has its tree exactly
%! tree = gpu_seqneighjoin ([3 6 7 7 8 5]);
%! assert (tree.edges, [5 4; 5 3; 5 6; 6 1; 6 2]);
%! assert (tree.lengths, [3; 2; 3; 1; 2]);
%! assert (tree.names, {"1"; "2"; "3"; "4"});
%! assert (gpu_seqneighjoin ([0 3 6 7; 3 0 7 8; 6 7 0 5; 7 8 5 0]), tree);
%!test
%! tree = gpu_seqneighjoin ([3 4 5], "firstorder", {"a", "b", "c"});
%! assert (tree.edges, [4 3; 4 2; 4 1]);
%! assert (tree.lengths, [3; 2; 1]);
%! assert (tree.names, {"a"; "b"; "c"});
%!test  # the same bits for any number of threads and from all sources
%! rand ("twister", 1);
%! D = gpu_pdist (rand (300, 3));
%! for method = {"equivar", "firstorder"}
%!   [tree, info] = gpu_seqneighjoin (D, method{1}, [], "threads", 1);
%!   assert (info.threads, 1);
%!   assert (rows (tree.edges), 597);
%!   assert (gpu_seqneighjoin (D, method{1}, [], "threads", 3), tree);
%!   square = zeros (300);
%!   square(tril (true (300), -1)) = D;
%!   assert (gpu_seqneighjoin (square + square', method{1}), tree);
%! endfor
%!testif ; ! isempty (gpu_info ().hdf5)
%! rand ("twister", 1);
%! X = rand (50, 3);
%! file = [tempname() '.h5'];
%! unwind_protect
%!   gpu_pdist (X, "cityblock", "file", file);
%!   assert (gpu_seqneighjoin (gpu_dist_file (file)), gpu_seqneighjoin (gpu_pdist (X, "cityblock")));
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%!error <Invalid call> gpu_seqneighjoin ()
%!error <D must have 3 to 1073741824 points to join, not 2> gpu_seqneighjoin (1)
%!error <D must have finite distances only, but 1 of them is not; the first is missing, between points 1 and 3>
%! gpu_seqneighjoin ([1 NaN 2])
%!error <D must be a symmetric matrix or a row vector of distances, .*, not "a"> gpu_seqneighjoin ("a")
%!error <D must be symmetric, but element \(1, 2\) is 1 and element \(2, 1\) is 3> gpu_seqneighjoin ([0 1 2; 3 0 1; 2 1 0])
%!error <method must be one of "equivar", "firstorder", not "nj"> gpu_seqneighjoin ([1 2 3], "nj")
%!error <names must have a name for each of the 3 points, not 2 names> gpu_seqneighjoin ([1 2 3], "equivar", {"a", "b"})
%!error <names must be a cell array of strings, not 3> gpu_seqneighjoin ([1 2 3], "equivar", 3)
%!error <memory_limit must be at least [0-9]+ bytes for the tree of 1000 points, not 1048576>
%! gpu_seqneighjoin (ones (1, 499500), "equivar", [], "memory_limit", 2^20)
%!demo
%! X = [randn(8, 2); randn(8, 2) + 6];
%! tree = gpu_seqneighjoin (gpu_pdist (X));
%! nodes = [X; zeros(14, 2)];
%! for e = rows (tree.edges):-1:1  # inner nodes at the mean of what is below them
%!   below = tree.edges(tree.edges(:,1) == tree.edges(e,1),2);
%!   nodes(tree.edges(e,1),:) = mean (nodes(below,:), 1);
%! endfor
%! plot (X(:,1), X(:,2), "o", "color", "#D55E00");
%! hold on
%! for edge = tree.edges'
%!   plot (nodes(edge,1), nodes(edge,2), "color", "#0072B2");
%! endfor
%! hold off
