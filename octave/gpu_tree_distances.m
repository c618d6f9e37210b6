## -*- texinfo -*-
## @deftypefn  {} {@var{D} =} gpu_tree_distances (@var{tree})
## @deftypefnx {} {@var{D} =} gpu_tree_distances (@var{tree}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{D}, @var{info}] =} gpu_tree_distances (@dots{})
## Distances between the tips of a tree along its edges, on all CPU cores.
##
## @var{tree} is a structure as of @code{gpu_seqneighjoin} or @code{gpu_phytree_read}, with lengths.  @var{D} is a
## symmetric matrix with a row and a column for each tip.  An edge whose length is NaN makes the distances across it
## NaN. The result has the same bits for any number of threads.
##
## The options are those of @code{gpu_options}; @qcode{"device"} and @qcode{"precision"} have no effect, and
## @qcode{"memory_limit"} is for the working memory of 32 bytes for each node and 8 more for each thread.  @var{info} is
## that of @code{gpu_pdist}.
##
## @example
## gpu_tree_distances (gpu_phytree_read ("((a:1,b:2):3,c:4);"))
##   @result{}  0   3   8
##       3   0   9
##       8   9   0
## @end example
##
## @seealso{gpu_seqneighjoin, gpu_phytree_read, gpu_cophenetic}
## @end deftypefn

function [D, info] = gpu_tree_distances (tree, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  options = read_options ({}, varargin);
  check_tree (tree);
  [D, info] = __gpugeo__ ("tree_distances", options, tree);

endfunction

%!assert (gpu_tree_distances (gpu_phytree_read ("((a:1,b:2):3,c:4);")), [0 3 8; 3 0 9; 8 9 0])
%!assert (gpu_tree_distances (gpu_phytree_read ("((a:1,b):3,c:4);")), [0 NaN 8; NaN 0 NaN; 8 NaN 0])
%!test  # an additive matrix comes back
%! d = [3 6 7 7 8 5];
%! D = zeros (4);
%! D(tril (true (4), -1)) = d;
%! [got, info] = gpu_tree_distances (gpu_seqneighjoin (d), "threads", 1);
%! assert (got, D + D');
%! assert (info.threads, 1);
%!test
%! rand ("twister", 1);
%! tree = gpu_seqneighjoin (gpu_pdist (rand (200, 3)));
%! assert (gpu_tree_distances (tree, "threads", 3), gpu_tree_distances (tree, "threads", 1));
%!error <Invalid call> gpu_tree_distances ()
%!error <tree must have lengths of its edges, not none> gpu_tree_distances (gpu_phytree_read ("(a,b);"))
%!error <tree must be a structure with the fields edges, lengths and names, not \[\]> gpu_tree_distances ([])
%!error <tree must have finite lengths, but that of edge 2 is not>
%! gpu_tree_distances (struct ("edges", [3 1; 3 2], "lengths", [1 Inf], "names", {{"a", "b"}}))
%!demo
%! D = gpu_pdist (rand (10, 2));
%! tree = gpu_seqneighjoin (D);
%! c = corrcoef (D, gpu_tree_distances (tree)(tril (true (10), -1))')(1,2);
%! printf ("%.3f\n", c);
