## -*- texinfo -*-
## @deftypefn  {} {@var{tree} =} gpu_seqlinkage (@var{D})
## @deftypefnx {} {@var{tree} =} gpu_seqlinkage (@var{D}, @var{method})
## @deftypefnx {} {@var{tree} =} gpu_seqlinkage (@var{D}, @var{method}, @var{names})
## @deftypefnx {} {@var{tree} =} gpu_seqlinkage (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{tree}, @var{info}] =} gpu_seqlinkage (@dots{})
## Make a rooted tree by hierarchical clustering, as @code{seqlinkage} of MATLAB does, on all CPU cores or an NVIDIA
## GPU.
##
## @var{D} has the distances of at least 2 points, as in @code{gpu_seqneighjoin}.  @var{method} is the linkage:
## @qcode{"average"}, the default (UPGMA), @qcode{"single"}, @qcode{"complete"}, or @qcode{"weighted"} (WPGMA), which
## are
## those of @code{gpu_linkage}.  @var{names} is a cell array with a string for each point; [] stands for their numbers.
##
## @var{tree} is a structure as of @code{gpu_seqneighjoin}.  Its root has two edges, and each tip is at half the last
## distance of @code{gpu_linkage} from it.
##
## The options are those of @code{gpu_options}.  @var{info} is that of @code{gpu_pdist}.
##
## @example
## tree = gpu_seqlinkage ([2 6 6])
##   @result{} tree.edges =
##        4   3
##        4   5
##        5   1
##        5   2
##      tree.lengths = [3; 2; 1; 1]
## @end example
##
## @seealso{gpu_seqneighjoin, gpu_linkage, gpu_pdist, gpu_options}
## @end deftypefn

function [tree, info] = gpu_seqlinkage (D, method = "average", names = [], varargin)

  if (nargin < 1)
    print_usage ();
  endif
  options = read_options ({}, varargin);
  linkage = choose_one (method, {"average", "single", "complete", "weighted"}, "method");
  options.linkage = strrep (linkage, "weighted", "mcquitty");
  [D, options, names] = read_tree_input (D, names, options);
  [edges, lengths, info] = __gpugeo__ ("linkage_tree", options, D);
  tree = struct ("edges", edges, "lengths", lengths, "names", {names});

endfunction

%!test
%! tree = gpu_seqlinkage ([2 6 6]);
%! assert (tree.edges, [4 3; 4 5; 5 1; 5 2]);
%! assert (tree.lengths, [3; 2; 1; 1]);
%! assert (tree.names, {"1"; "2"; "3"});
%!test  # tips are at half the last height from the root
%! rand ("twister", 1);
%! D = gpu_pdist (rand (40, 3));
%! for method = {"average", "single", "complete", "weighted"}
%!   tree = gpu_seqlinkage (D, method{1}, [], "threads", 2);
%!   depth = zeros (79, 1);
%!   for e = 1:rows (tree.edges)
%!     depth(tree.edges(e,2)) = depth(tree.edges(e,1)) + tree.lengths(e);
%!   endfor
%!   Z = gpu_linkage (D, method{1});
%!   assert (depth(1:40), repmat (Z(end,3) / 2, 40, 1), 1e-12);
%! endfor
%!assert (gpu_seqlinkage ([0 5; 5 0], "single", {"a", "b"}).lengths, [2.5; 2.5])
%!error <Invalid call> gpu_seqlinkage ()
%!error <D must have 2 to 1073741824 points to cluster, not 1> gpu_seqlinkage (zeros (1, 0))
%!error <method must be one of "average", "single", "complete", "weighted", not "ward"> gpu_seqlinkage ([1 2 3], "ward")
%!error <D must have finite distances only, but 1 of them is not; the first is Inf, between points 2 and 3>
%! gpu_seqlinkage ([1 2 Inf])
%!demo
%! tree = gpu_seqlinkage (gpu_pdist ([1 2 6 7 15]'), "average", {"a", "b", "c", "d", "e"});
%! printf ("%d - %d: %g\n", [tree.edges, tree.lengths]');
