## -*- texinfo -*-
## @deftypefn  {} {} gpu_phytree_write (@var{file}, @var{tree})
## @deftypefnx {} {@var{text} =} gpu_phytree_write (@var{tree})
## @deftypefnx {} {@dots{} =} gpu_phytree_write (@dots{}, @var{name}, @var{value}, @dots{})
## Write a tree in the Newick format, as @code{phytreewrite} of MATLAB does, without recursion.
##
## @var{file} is the name of the file; one that exists is replaced when the new one is complete.  Without it, or if it
## is [], the text is returned.  @var{tree} is a structure as @code{gpu_seqneighjoin} and @code{gpu_phytree_read} return
## it.
##
## Lengths are written with 15 digits, or as many as keep all their bits, and names with blanks or marks in quotes, so
## that @code{gpu_phytree_read} reads the same tree.  The option @qcode{"progress"} is as in @code{gpu_options}.
##
## @example
## gpu_phytree_write (gpu_seqlinkage ([2 6 6], "average", @{"a", "b", "c"@}))
##   @result{} (c:3,(a:1,b:1):2);
## @end example
##
## @seealso{gpu_phytree_read, gpu_seqneighjoin, gpu_seqlinkage}
## @end deftypefn

function text = gpu_phytree_write (file, varargin)

  if (nargin < 1 || (! isstruct (file) && nargin < 2))
    print_usage ();
  endif
  if (isstruct (file))
    tree = file;
    file = [];
  else
    tree = varargin{1};
    varargin(1) = [];
  endif
  options = read_options ({}, varargin);
  options.names.path = "file";
  check_tree (tree);
  if (isempty (file) && ! ischar (file))
    text = strtrim (__gpugeo__ ("newick_write", options, tree, []));
  else
    __gpugeo__ ("newick_write", options, tree, file);
  endif

endfunction

%!assert (gpu_phytree_write (gpu_seqlinkage ([2 6 6], "average", {"a", "b", "c"})), "(c:3,(a:1,b:1):2);")
%!assert (gpu_phytree_write ([], gpu_seqneighjoin ([3 4 5])), "(3:3,2:2,1:1);")
%!test
%! tree = struct ("edges", [4 5; 5 1; 5 2; 4 3], "lengths", [0.1; 1e-20; NaN; 1/3], "names", {{"a", "b c", "it's"}}, ...
%!                "node_names", {{"r", ""}}, "root_length", 2);
%! assert (gpu_phytree_write (tree), "((a:1e-20,'b c'):0.1,'it''s':0.3333333333333333)r:2;");
%!error <tree must be a structure with a name for each inner node as node_names, not .*> ...
%! gpu_phytree_write (struct ("edges", [4 1; 4 2; 4 3], "lengths", [], "names", {{"a", "b", "c"}}, "node_names", {{"x", "y"}}))
%!error <Invalid call> gpu_phytree_write ()
%!error <Invalid call> gpu_phytree_write ("file")
%!error <tree must be a structure with the fields edges, lengths and names, not 3> gpu_phytree_write ("file", 3)
%!error <tree must have edges from the root, node tips \+ 1, to all other nodes, but there is a circle of 4>
%! gpu_phytree_write (struct ("edges", [3 1; 3 2; 5 4; 4 5], "lengths", [], "names", {{"a", "b"}}))
%!error <tree must have edges from the root, node tips \+ 1, to all other nodes, but a node has two above it in edge 2>
%! gpu_phytree_write (struct ("edges", [3 1; 3 1], "lengths", [], "names", {{"a", "b"}}))
%!error <tree must have a length for each of the 2 edges, or none, not 1>
%! gpu_phytree_write (struct ("edges", [3 1; 3 2], "lengths", 1, "names", {{"a", "b"}}))
%!error <tree must have a cell array of strings as names, not 1>
%! gpu_phytree_write (struct ("edges", [3 1; 3 2], "lengths", [], "names", 1))
%!demo
%! disp (gpu_phytree_write (gpu_seqneighjoin (gpu_pdist ([1 2 6 7 15]'), "equivar", {"a", "b", "c", "d", "e"})));
