## -*- texinfo -*-
## @deftypefn  {} {@var{D} =} gpu_unifrac (@var{X}, @var{tree})
## @deftypefnx {} {@var{D} =} gpu_unifrac (@var{X}, @var{parent}, @var{length})
## @deftypefnx {} {@var{D} =} gpu_unifrac (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{D}, @var{info}] =} gpu_unifrac (@dots{})
## Compute UniFrac distances between samples of taxa along a tree, on all CPU cores, and
## three of them on a CUDA device.
##
## @var{X} has a sample in each row and a taxon in each column: numbers of at least 0; it may be sparse.  @var{tree} is
## a structure as of @code{gpu_phytree_read}, with lengths of at least 0.  Instead, @var{parent} has the number of the
## parent of each node, 0 for the root, and @var{length} the length of the branch above each node; that of the root
## does not count.  Tips are then the nodes that are no parent.  Columns are the first tips, in their order, unless
## @qcode{"taxa"} has their names.  The tree may have polytomies, nodes of one child, and any depth.
##
## @var{D} is the row vector of the n * (n - 1) / 2 distances of n samples, in the order of @code{gpu_pdist}.
##
## For a branch of length L let a and b be the shares of the individuals of two samples that are below it, and n the
## number of individuals of both below it, of N in all.  Sums run over the branches above individuals of at least one
## of both samples.  The option @qcode{"Type"} is one of these:
##
## @table @asis
## @item @qcode{"unweighted"} (default)
## sum (L where a = 0 or b = 0) / sum (L) (Lozupone and Knight 2005)
## @item @qcode{"weighted"}
## sum (L * abs (a - b)) (Lozupone et al. 2007)
## @item @qcode{"normalized"}
## sum (L * abs (a - b)) / sum (L * (a + b)) (Lozupone et al. 2007)
## @item @qcode{"generalized"}
## sum (L * (a + b) ^ alpha * abs (a - b) / (a + b)) / sum (L * (a + b) ^ alpha) (Chen et al. 2012); the option
## @qcode{"Alpha"} is from 0 to 1, by default 0.5
## @item @qcode{"variance"}
## sum (L * abs (a - b) / v) / sum (L * (a + b) / v), v = sqrt (n * (N - n)), without branches of n = N (Chang et al.
## 2011)
## @end table
##
## Other options:
##
## @table @asis
## @item @qcode{"taxa"}
## A cell array of the names of the columns, which are tips of @var{tree}.
## @item @qcode{"root"}
## @code{true}: the base of the tree is its root also if three or more branches meet there, as in a tree without a
## root.  By default such a tree is an error.  Roots are never chosen here.
## @end table
##
## A sample without individuals has no branches and shares of 0, with a warning.  The distance between two of them is
## NaN.  Two other samples have distance 0 if the formula is 0 / 0.
##
## CUDA computes the first three types, and generalized with Alpha 1.
##
## Results have the same bits on the CPU and on CUDA, for any number of threads, and for sparse and full matrices.  Sums of all types but
## variance are exact: terms are rounded to whole multiples of a power of two, at most 2^-49 of a bound of the sum,
## which is the length of the whole tree (unweighted) or its height (weighted, normalized).
##
## The other options are those of @code{gpu_options}; @qcode{"precision"} has no effect.
## @var{info} is that of @code{gpu_pdist}.
##
## @example
## tree = gpu_phytree_read ("((a:1,b:2):1,(c:1,d:3):2);");
## gpu_unifrac ([3 0 1 0; 0 5 1 0; 0 0 2 7], tree, "Type", "weighted")
##   @result{} 2.7500  5.3611  6.5556
## @end example
##
## @seealso{gpu_phytree_read, gpu_vegdist, gpu_diversity, gpu_linkage, gpu_cmdscale}
## @end deftypefn

function [D, info] = gpu_unifrac (X, tree, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  lengths = [];
  if (! isstruct (tree) && mod (numel (varargin), 2))
    lengths = varargin{1};
    varargin(1) = [];
  endif
  options = read_options ({"type", "alpha", "root", "taxa"}, varargin);
  taxa = [];
  if (isfield (options, "taxa"))
    taxa = options.taxa;
    options = rmfield (options, "taxa");
  endif
  options.names = struct ("type", "Type", "alpha", "Alpha");
  [tree, tips] = tree_and_tips (tree, lengths, taxa, columns (X));
  [D, info] = __gpugeo__ ("unifrac", options, X, tree, tips);
  empty = find (! any (X, 2), 1);
  if (! isempty (empty))
    warning ("gpugeo:community", __gpugeo__ ("message", "without individuals"), sprintf ("row %d of x has", empty));
  endif

endfunction

%!shared X, tree
%! X = [3 0 1 0; 0 5 1 0; 0 0 2 7];
%! tree = gpu_phytree_read ("((a:1,b:2):1,(c:1,d:3):2);");
%!assert (gpu_unifrac (X, tree), [3/7 5/8 6/9], eps)
%!assert (gpu_unifrac (X, tree, "Type", "weighted"), [11/4 193/36 59/9], 1e-13)
%!assert (gpu_unifrac (X, [5 5 6 6 7 7 0], [1 2 1 3 1 2 9]), gpu_unifrac (X, tree))
%!test  # names
%! D = gpu_unifrac (X(:,[3 1 4 2]), tree, "taxa", {"c", "a", "d", "b"});
%! assert (D, gpu_unifrac (X, tree));
%!test  # full and sparse, threads
%! for type = {"unweighted", "weighted", "normalized", "generalized", "variance"}
%!   D = gpu_unifrac (X, tree, "Type", type{1}, "threads", 1);
%!   assert (gpu_unifrac (sparse (X), tree, "Type", type{1}, "threads", 3), D);
%! endfor
%!test
%! D = gpu_unifrac (X, tree, "Type", "gen", "Alpha", 1);
%! assert (D, gpu_unifrac (X, tree, "Type", "normalized"));
%! assert (gpu_unifrac (X, tree, "type", "generalized", "alpha", 0.5), gpu_unifrac (X, tree, "Type", "generalized"));
%!test  # as deep as it has tips
%! n = 20000;
%! ladder = gpu_phytree_read ([repmat('(', 1, n), 'a:1', repmat(',b:1):1', 1, n), ';']);
%! assert (gpu_unifrac ([sparse(1, 1, 1, 1, n + 1); sparse(1, n + 1, 1, 1, n + 1)], ladder, "Type", "weighted"), n + 1);
%!warning <row 2 of x has no individuals> assert (gpu_unifrac ([1 0; 0 0; 0 0], tree), [1 1 NaN]);
%!error <Invalid call> gpu_unifrac (1)
%!error <tree must be a structure> gpu_unifrac (X, 1)
%!error <parent must be the number of the parent of each node, and 0 for the root, not> gpu_unifrac (X, [1 2], [1 1])
%!error <length must be a number for each of the 3 nodes, not 1> gpu_unifrac (X, [3 3 0], 1)
%!error <Type must be one of "unweighted", .*, not "foo"> gpu_unifrac (X, tree, "Type", "foo")
%!error <Alpha must be a number from 0 to 1, not 2> gpu_unifrac (X, tree, "Alpha", 2)
%!error <x must be finite numbers of at least 0, but row 1, column 1 is -3> gpu_unifrac (-X, tree)
%!error <x must be finite numbers of at least 0, but row 2, column 1 is missing> gpu_unifrac ([1; NaN], tree)
%!error <x must have taxa that are tips of tree, not "q", "r"> gpu_unifrac ([1 1 1], tree, "taxa", {"q", "a", "r"})
%!error <x must have at most as many columns as the tree has tips, 4, not 5> gpu_unifrac (ones (2, 5), tree)
%!error <root must be true for a tree with 3 branches at its base> gpu_unifrac (1, gpu_phytree_read ("(a:1,b:1,c:1);"))
%!assert (gpu_unifrac ([1; 1], gpu_phytree_read ("(a:1,b:1,c:1);"), "root", true), 0)
%!error <tree must have a length for each edge, but edge 2 has none> gpu_unifrac (1, gpu_phytree_read ("(a:1,b);"))
%!error <tree must have finite lengths of at least 0, but that of edge 1 is -1> ...
%! gpu_unifrac (1, gpu_phytree_read ("(a:-1,b:1);"))

%!demo
%! tree = gpu_phytree_read ("((a:1,b:2):1,(c:1,d:3):2);");
%! gpu_unifrac ([3 0 1 0; 0 5 1 0; 0 0 2 7], tree)
