## -*- texinfo -*-
## @deftypefn  {} {@var{h} =} gpu_diversity (@var{X})
## @deftypefnx {} {@var{h} =} gpu_diversity (@var{X}, @var{index})
## @deftypefnx {} {@var{h} =} gpu_diversity (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{h}, @var{groups}] =} gpu_diversity (@dots{})
## Compute the diversity of communities, as @code{diversity} and @code{fisher.alpha} of R's package vegan do.
##
## @var{X} has a site in each row and a species in each column; it may be sparse.  @var{h} is a column with a value
## for each site, or for each of the @var{groups}, which are sorted.  With the N individuals and S species of a site
## and the shares p = x / N, @var{index} is one of these, or the beginning of one:
##
## @table @asis
## @item @qcode{"shannon"} (default)
## - sum (p .* log (p)) / log (base)
## @item @qcode{"simpson"}
## 1 - sum (p .^ 2)
## @item @qcode{"invsimpson"}
## 1 / sum (p .^ 2)
## @item @qcode{"fisher"}
## the solution of S = h * log (1 + N / h), of whole numbers only; Inf, with a warning, if each species has one
## individual
## @item @qcode{"faith"}
## the sum of the lengths of all branches between the root of a tree and the species (Faith 1992)
## @end table
##
## Sites without individuals have the values 0, 1, Inf, NaN and 0.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"groups"}
## A value for each site: sites with the same value are added up before.
## @item @qcode{"equalize_groups"}
## true: sites are divided by their sums before they are added up.
## @item @qcode{"margin"}
## 1, the default, for the diversity of rows, 2 for that of columns.
## @item @qcode{"base"}
## The base of the logarithm of shannon, by default e.
## @item @qcode{"tree"}, @qcode{"taxa"}, @qcode{"root"}
## For faith: a tree as of @code{gpu_phytree_read}; the names of the columns of @var{X}, which are tips of the tree, by
## default its first ones; and whether its base is its root, as in @code{gpu_unifrac}.
## @end table
##
## Reference: R. A. Fisher, A. S. Corbet and C. B. Williams (1943), Journal of Animal Ecology 12, 42-58.
##
## @example
## gpu_diversity ([3 0 1 2; 0 5 1 0])
##   @result{} 1.0114
##             0.4506
## @end example
##
## @seealso{gpu_rarefy, gpu_vegdist, gpu_unifrac}
## @end deftypefn

function [h, groups] = gpu_diversity (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  index = "shannon";
  if (mod (numel (varargin), 2))
    index = varargin{1};
    varargin(1) = [];
  endif
  index = choose_one (index, [__gpugeo__("names", "diversity", "index"), {"faith"}], "index");
  options = read_options ({"groups", "equalize_groups", "margin", "base", "tree", "taxa", "root"}, varargin);
  given = {"tree", "taxa", "root"}(isfield (options, {"tree", "taxa", "root"}));
  if (! strcmp (index, "faith") && ! isempty (given))
    error ("gpugeo:argument", "%s must be given with index \"faith\", not \"%s\"", given{1}, index);
  endif
  X = check_counts (X, false);
  if (isfield (options, "margin"))
    if (! isequal (options.margin, 1) && ! isequal (options.margin, 2))
      fail_value (options.margin, "margin", "1 or 2");
    elseif (options.margin == 2)
      X = X';
    endif
    options = rmfield (options, "margin");
  endif
  groups = [];
  if (isfield (options, "groups"))
    if (numel (options.groups) != rows (X))
      error ("gpugeo:argument", "groups must have a value for each of %d rows, not %d", rows (X), numel (options.groups));
    endif
    [groups, ~, code] = unique (options.groups(:));
    options.groups = int32 (code(:)');
  endif
  if (strcmp (index, "faith"))
    h = faith_diversity (X, on_host (options, varargin), numel (groups));
    return;
  endif
  options.index = index;
  h = __gpugeo__ ("diversity", on_host (options, varargin), X);
  single = find (h == Inf, 1);
  if (strcmp (index, "fisher") && ! isempty (single))
    warning ("gpugeo:community", __gpugeo__ ("message", "single individuals"), sprintf ("row %d of x has", single));
  endif

endfunction

## Return the lengths of the branches above the individuals of sites, or of groups of them.
function h = faith_diversity (X, options, groups)

  if (groups > 0)  # presences: weights of sites would change nothing
    X = sparse (double (options.groups), 1:rows (X), 1, groups, rows (X)) * X;
    options = rmfield (options, "groups");
  endif
  read_flag (options, "equalize_groups", false);
  for name = {"tree", "taxa"}
    if (! isfield (options, name{1}))
      options.(name{1}) = [];
    endif
  endfor
  [tree, tips] = tree_and_tips (options.tree, [], options.taxa, columns (X));
  h = __gpugeo__ ("faith", rmfield (options, {"tree", "taxa"}), X, tree, tips);

endfunction

%!shared X, shannon
%! X = [3 0 1 2; 0 5 1 0; 4 1 0 2];
%! shannon = @(p) -sum (p(p > 0) .* log (p(p > 0)));

%!assert (gpu_diversity (X), [shannon([3 1 2] / 6); shannon([5 1] / 6); shannon([4 1 2] / 7)], -1e-14)
%!assert (gpu_diversity (X, "base", 2), gpu_diversity (X) / log (2), -1e-14)
%!assert (gpu_diversity (X, "simp"), 1 - [14/36; 26/36; 21/49], -1e-14)
%!assert (gpu_diversity (X, "invsimpson"), [36/14; 36/26; 49/21], -1e-14)
%!assert (gpu_diversity (X, "margin", 2), gpu_diversity (X'))
%!assert (gpu_diversity ([0 0; NaN 1]), [0; NaN])
%!assert (gpu_diversity ([0 0; NaN 1], "simpson"), [1; NaN])
%!assert (gpu_diversity ([0 0], "invsimpson"), Inf)
%!test
%! [h, groups] = gpu_diversity (X, "simpson", "groups", {"v"; "u"; "v"});
%! assert (groups, {"u"; "v"});
%! assert (h, [1 - 26/36; 1 - 67/169], -1e-14);
%! h = gpu_diversity (X, "groups", [2 1 2], "equalize_groups", true);
%! assert (h(2), shannon (([3 0 1 2] / 6 + [4 1 0 2] / 7) / 2), -1e-14);
%!test
%! alpha = gpu_diversity (X, "fisher");
%! assert (alpha .* log1p ([6; 6; 7] ./ alpha), [3; 2; 3], -1e-14);
%!test
%! for index = {"shannon", "simpson", "invsimpson", "fisher"}
%!   assert (gpu_diversity (sparse (X), index{1}), gpu_diversity (X, index{1}), -1e-14);
%! endfor
%!test
%! tree = gpu_phytree_read ("((a:1,b:2):1,(c:1,d:3):2);");
%! assert (gpu_diversity ([3 0 1 2; 0 5 0 0; 0 0 0 0], "faith", "tree", tree), [8; 3; 0]);
%! assert (gpu_diversity (sparse ([1 1]), "faith", "tree", tree, "taxa", {"c", "b"}), 6);
%! assert (gpu_diversity ([1; 1], "faith", "tree", tree, "taxa", {"c", "b"}, "margin", 2), 6);
%! assert (gpu_diversity ([1 0; 0 1; 1 0], "faith", "tree", tree, "groups", [1 1 2]), [4; 2]);
%!error <tree must be given with index "faith", not "simpson">
%! gpu_diversity (X, "simpson", "tree", gpu_phytree_read ("(a:1,b:1);"))
%!error <tree must be a structure .*, not \[\]> gpu_diversity (X, "faith")
%!error <root must be true for a tree with 3 branches at its base>
%! gpu_diversity ([1 1], "faith", "tree", gpu_phytree_read ("(a:1,b:1,c:1);"))
%!assert (gpu_diversity ([0 0], "fisher"), NaN)
%!warning <row 2 of x has only species with one individual> assert (gpu_diversity ([1 2; 1 1], "fisher")(2), Inf);
%!error <index must be one of "shannon", .*, not "foo"> gpu_diversity (X, "foo")
%!error <x must be numbers of at least 0, but row 1, column 1 is -3> gpu_diversity (-X)
%!error <x must be whole numbers of at least 0, but row 1, column 1 is 1.5> gpu_diversity (X / 2, "fisher")
%!error <base must be a number above 0 other than 1, not 1> gpu_diversity (X, "base", 1)
%!error <margin must be 1 or 2, not 3> gpu_diversity (X, "margin", 3)
%!error <groups must have a value for each of 3 rows, not 2> gpu_diversity (X, "groups", [1 2])
%!error <x must be a numeric matrix, not> gpu_diversity ({1})

%!demo
%! gpu_diversity ([3 0 1 2; 0 5 1 0; 4 1 0 2], "invsimpson")
