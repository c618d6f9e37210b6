## -*- texinfo -*-
## @deftypefn  {} {@var{tree} =} gpu_boot_phylo (@var{S})
## @deftypefnx {} {@var{tree} =} gpu_boot_phylo (@var{S}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{tree}, @var{BP}, @var{trees}, @var{info}] =} gpu_boot_phylo (@dots{})
## Make the tree of aligned sequences of DNA, and count how many trees of resampled sites have each of its clades, as
## R's @code{ape::boot.phylo} does, on all CPU cores.
##
## @var{S} has the sequences as @code{gpu_seqpdist} takes them.  @var{tree} is a structure as
## @code{gpu_seqneighjoin} returns it, whose field @code{node_names} has the supports.  @var{BP} has for each inner
## node the number of replicates whose tree has its clade or bipartition; NaN for nodes without one, as the root of an
## unrooted tree.  @var{trees} is an array of structures, the trees of the replicates.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"B"}
## the number of replicates, by default 100
## @item @qcode{"tree"}
## how trees are made of distances: @qcode{"nj"} (the default), @qcode{"bionj"} or @qcode{"upgma"}
## @item @qcode{"block"}
## the number of neighbouring sites that are resampled together, by default 1; 3 for codons.  It must divide the number
## of sites.
## @item @qcode{"rooted"}
## @code{true}: clades are compared, the tips below a node.  @code{false}: bipartitions, the tips on both sides of an
## edge.  @qcode{"auto"}, the default: clades for @qcode{"upgma"} only.
## @item @qcode{"jumble"}
## @code{true} (the default): each replicate has the sequences in another order, so that arbitrary choices between
## equal pairs are not the same in all replicates
## @item @qcode{"Method"}, @qcode{"pairwise_deletion"}, @qcode{"gamma"}, @qcode{"base_freq"}
## as in @code{gpu_seqpdist}; @qcode{"Method"} is not @qcode{"BH87"}
## @end table
##
## A replicate has as many sites as @var{S}, drawn with replacement (Felsenstein 1985, Evolution 39, 783) by
## @code{randi} and @code{randperm}, whose states decide it.  The support of a clade is the number of b with the clade in
## the tree of replicate b.  Clades are compared exactly, as intervals of tips in the order of @var{tree} (Day 1985,
## Journal of Classification 2, 7).
##
## The other options are those of @code{gpu_options}; @qcode{"device"} and @qcode{"precision"} have no effect.
## @var{info}, the last result, is that of @code{gpu_pdist}.
##
## @example
## S = @{"ACGTACGTAC", "ACGTACGTAT", "ACGAACTTAC", "TCGAACTTAC"@};
## [tree, BP] = gpu_boot_phylo (S, "B", 20);
## @end example
##
## @seealso{gpu_seqpdist, gpu_seqneighjoin, gpu_seqlinkage, gpu_phytree_write}
## @end deftypefn

function [tree, BP, trees, info] = gpu_boot_phylo (S, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  own = {"method", "pairwise_deletion", "gamma", "base_freq", "b", "tree", "block", "rooted", "jumble"};
  options = read_options (own, varargin);
  options.names = struct ("model", "Method", "letters", "S", "x", "S", "b", "B");
  given = struct ("method", "JC69", "b", 100, "block", 1, "jumble", true);
  for name = fieldnames (given)'
    if (isfield (options, name{1}))
      given.(name{1}) = options.(name{1});
      options = rmfield (options, name{1});
    endif
  endfor
  options = dna_options (options);
  options.model = given.method;
  options.b = __gpugeo__ ("check_whole", given.b, "B", 1);
  options.trees = nargout > 2;
  texts = sequence_texts (S);
  [options.sites, options.order] = draw_sites (texts, options.b, given.block, given.jumble);
  [edges, lengths, support, all, all_lengths, info] = __gpugeo__ ("boot_phylo", options, texts);

  BP = double (support);
  BP(BP < 0) = NaN;
  names = names_of (S, numel (texts));
  made = @(edges, lengths) struct ("edges", double (edges) + 1, "lengths", lengths, "names", {names});
  tree = made (edges, lengths);
  tree.node_names = arrayfun (@label_of, BP, "UniformOutput", false);
  trees = cell (1, columns (all_lengths));
  for b = 1:columns (all_lengths)
    trees{b} = made (reshape (all(:,b), [], 2), all_lengths(:,b));
  endfor
  trees = [trees{:}];

endfunction

## The sites of all replicates, and the orders of the sequences, from 0; [] for their own.
function [sites, order] = draw_sites (texts, B, block, jumble)

  block = __gpugeo__ ("check_whole", block, "block", 1);
  jumble = __gpugeo__ ("check_flag", jumble, "jumble");
  n = numel (texts);
  L = 0;
  if (n > 0)
    L = numel (texts{1});
  endif
  if (mod (L, block) != 0)
    fail_message ("block of sites", L, block);
  endif
  sites = zeros (0, B, "int32");
  if (L > 0)
    first = block * (randi (L / block, 1, L / block * B) - 1);
    sites = int32 (reshape (first + (0:block-1)', L, B));
  endif
  order = zeros (n, jumble * B, "int32");
  for b = 1:columns (order)
    order(:,b) = randperm (n) - 1;
  endfor

endfunction

## The names of sequences: those of a file, or their numbers.
function names = names_of (S, n)

  if (isstruct (S) && isfield (S, "Header"))
    names = {S.Header}(:);
  else
    names = arrayfun (@num2str, (1:n)', "UniformOutput", false);
  endif

endfunction

## A support as text, "" without one.
function label = label_of (support)

  label = "";
  if (! isnan (support))
    label = num2str (support);
  endif

endfunction

%!shared S
%! S = {"ACGTACGTACGGCA", "ACGTACGTATGGCA", "ACGAACTTACGGTA", "TCGAACTTACCGTT", "TCGAACTAACCGTT"};
%!test  # the tree of all sites is that of its distances
%! [tree, BP] = gpu_boot_phylo (S, "B", 10, "Method", "N");
%! wanted = gpu_seqneighjoin (gpu_seqpdist (S, "Method", "N"));
%! assert ({tree.edges, tree.lengths, tree.names}, {wanted.edges, wanted.lengths, wanted.names});
%! assert (size (BP), [3 1]);
%! assert (isnan (BP(1)));
%! assert (all (BP(2:3) >= 0 & BP(2:3) <= 10));
%! assert (tree.node_names, {""; num2str(BP(2)); num2str(BP(3))});
%!function c = clades (tree)
%!  n = numel (tree.names);
%!  nodes = max (tree.edges(:)) - n;
%!  has = [eye(n); zeros(nodes, n)];
%!  for e = rows (tree.edges):-1:1
%!    has(tree.edges(e,1),:) |= has(tree.edges(e,2),:);
%!  endfor
%!  c = cellstr (char (has(n+1:end,:) + "0"));
%!endfunction
%!test  # supports are what the trees say, on any number of threads
%! for method = {"nj", "bionj", "upgma"}
%!   rand ("twister", 3);
%!   given = {S, "B", 30, "tree", method{1}, "rooted", true, "Method", "raw", "threads"};
%!   [tree, BP, trees, info] = gpu_boot_phylo (given{:}, 1);
%!   assert (info.backend, "cpu");
%!   assert (numel (trees), 30);
%!   below = cellfun (@(t) clades (t), num2cell (trees), "UniformOutput", false);
%!   own = clades (tree);
%!   for k = 1:rows (BP)
%!     assert (BP(k), sum (cellfun (@(c) any (strcmp (c, own{k})), below)));
%!   endfor
%!   rand ("twister", 3);
%!   assert (nthargout (2, @gpu_boot_phylo, given{:}, 3), BP);
%! endfor
%!test  # sites that are all the same have the same tree
%! S4 = struct ("Sequence", {"AAAA", "AAAA", "CCCC", "CCCC"}, "Header", {"a", "b", "c", "d"});
%! [tree, BP] = gpu_boot_phylo (S4, "tree", "upgma", "Method", "N", "block", 2, "jumble", false, "B", 7);
%! assert (BP, [7; 7; 7]);
%! assert (tree.names, {"a"; "b"; "c"; "d"});
%!error <Invalid call> gpu_boot_phylo ()
%!error <S must be sequences: .*> gpu_boot_phylo (1)
%!error <S must have at least 3 sequences of 1 to 2147483647 sites, not 2 of 4> gpu_boot_phylo ({"ACGT", "ACGA"})
%!error <B must be a whole number of at least 1, not 0> gpu_boot_phylo (S, "B", 0)
%!error <block must divide the number of sites, 14, not 3> gpu_boot_phylo (S, "block", 3)
%!error <tree must be one of "nj", "bionj", "upgma", not "mp"> gpu_boot_phylo (S, "tree", "mp")
%!error <Method must be one whose distances are symmetric, not "BH87"> gpu_boot_phylo (S, "Method", "BH87")
%!error <S must have finite distances in all replicates, but in replicate 0 that of sequences 1 and 2 is not>
%! gpu_boot_phylo ({"ACGT", "NNNN", "ACGA"})
%!error <backend must be .*, not "cuda"> gpu_boot_phylo (S, "backend", "cuda")
%!error <option must be one of .*, not "colour"> gpu_boot_phylo (S, "colour", 1)
%!demo
%! S = {"ACGTACGTACGGCA", "ACGTACGTATGGCA", "ACGAACTTACGGTA", "TCGAACTTACCGTT", "TCGAACTAACCGTT"};
%! [tree, BP] = gpu_boot_phylo (S, "B", 100, "Method", "p-distance")
