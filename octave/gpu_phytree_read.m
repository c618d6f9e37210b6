## -*- texinfo -*-
## @deftypefn  {} {@var{tree} =} gpu_phytree_read (@var{file})
## @deftypefnx {} {@var{tree} =} gpu_phytree_read (@var{text})
## @deftypefnx {} {@var{tree} =} gpu_phytree_read (@dots{}, @var{name}, @var{value}, @dots{})
## Read a tree in the Newick format, as @code{phytreeread} of MATLAB does, without recursion: trees may have millions of
## tips and any depth.
##
## @var{file} is the name of a file, which may be compressed by gzip.  A string that begins with @qcode{"("} or
## @qcode{"["} is the text of a tree instead: @code{"((a:1,'b c':2)ab:0.5,d);"}.
##
## @var{tree} is a structure as of @code{gpu_seqneighjoin}.  Its nodes are numbered in the order in which they begin.
## @code{lengths} is empty if no edge has a length, and has NaN for edges without one.  It has the field
## @code{node_names} if an inner node has a name, and @code{root_length} if the root has a length.
##
## Names may be in single quotes, where two of them stand for one; the quotes are no part of the name.  In other names
## blanks and ends of lines become one blank, and underscores stay as they are.  Comments in brackets are left out.
## What is no tree is an error that gives the line and the byte.
##
## The options @qcode{"memory_limit"}, the most bytes of the tree while it is read, and @qcode{"progress"} are as in
## @code{gpu_options}.
##
## @example
## tree = gpu_phytree_read ("((human:0.1,chimp:0.12):0.05,gorilla:0.2);");
## tree.names'
##   @result{} "human" "chimp" "gorilla"
## @end example
##
## @seealso{gpu_phytree_write, gpu_seqneighjoin, gpu_tree_distances}
## @end deftypefn

function tree = gpu_phytree_read (file, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  options = read_options ({}, varargin);
  options.names.path = "file";
  text = [];
  if (ischar (file) && rows (file) == 1 && any (file(1) == "(["))
    text = file;
    file = [];
  endif
  tree = __gpugeo__ ("newick_read", options, file, text);

endfunction

%!test
%! tree = gpu_phytree_read ("((a:1,'b c':2)ab:0.5,d_e);");
%! assert (tree.edges, [4 5; 5 1; 5 2; 4 3]);
%! assert (tree.lengths, [0.5; 1; 2; NaN]);
%! assert (tree.names, {"a"; "b c"; "d_e"});
%! assert (tree.node_names, {""; "ab"});
%! assert (! isfield (tree, "root_length"));
%!test
%! tree = gpu_phytree_read ("[comment](a,\n b\n c,'it''s')root:2;");
%! assert (tree.names, {"a"; "b c"; "it's"});
%! assert (tree.lengths, zeros (0, 1));
%! assert ({tree.node_names, tree.root_length}, {{"root"}, 2});
%!test  # as deep as it has tips
%! n = 20000;
%! tree = gpu_phytree_read ([repmat('(', 1, n), 'a', repmat(',b)', 1, n), ';']);
%! assert (size (tree.edges), [2 * n, 2]);
%! assert (gpu_phytree_read (gpu_phytree_write (tree)), tree);
%!test  # a file
%! file = tempname ();
%! unwind_protect
%!   tree = gpu_seqneighjoin ([3 6 7 7 8 5]);
%!   gpu_phytree_write (file, tree);
%!   assert (sortrows ([gpu_phytree_read(file).lengths]), sortrows (tree.lengths));
%!   fid = fopen (file, "w");
%!   fputs (fid, "(a,b\n(c);");
%!   fclose (fid);
%!   fail ('gpu_phytree_read (file)', 'file ".*", line 2, byte 1: "\(" must follow "\(" or ","');
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%!error <Invalid call> gpu_phytree_read ()
%!error <file must be a single string, not 3> gpu_phytree_read (3)
%!error <text must be a tree in the Newick format, but line 1, byte 5: the tree does not end with ";"> ...
%! gpu_phytree_read ("(a,b")
%!error <line 1, byte 5: ":" stands twice> gpu_phytree_read ("(a:1::2,b);")
%!error <line 1, byte 6: a length must be a finite number, not "x1"> gpu_phytree_read ("(a:x1 ,b);")
%!demo
%! tree = gpu_phytree_read ("((human:0.1,chimp:0.12):0.05,gorilla:0.2);");
%! disp (tree.names);
