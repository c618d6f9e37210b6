## -*- texinfo -*-
## @deftypefn  {} {@var{edges} =} gpu_read_edges (@var{file})
## @deftypefnx {} {@var{edges} =} gpu_read_edges (@var{file}, @var{first})
## @deftypefnx {} {@var{edges} =} gpu_read_edges (@var{file}, @var{first}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{edges}, @var{first}, @var{vertices}, @var{ids}] =} gpu_read_edges (@dots{})
## Read the edges of a graph from a text file, plain or compressed by gzip, or from a binary file.  Bytes that follow
## compressed data are ignored.
##
## Each line of @var{file} is an edge: two whole numbers and perhaps a weight, between blanks, tabs or
## commas.  Empty lines and those that begin with # or % are left out.
##
## Or @var{file} is in the Matrix Market format, with a first line of @qcode{"%%MatrixMarket matrix"} and
## @qcode{"coordinate"} with @qcode{"pattern"}, @qcode{"real"} or @qcode{"integer"} and @qcode{"general"} or
## @qcode{"symmetric"}.  The matrix must be square.  Each entry is an edge, and its value the weight, which
## must be at least 0.
##
## Or @code{gpu_write_graph} wrote @var{file} with @qcode{"format"} = @qcode{"csr"}; it states what @var{first} and
## @qcode{"header"} are about.
##
## Or @var{file} begins with @qcode{"<"} and is GraphML, as @code{gpu_write_graph}, igraph, networkx and Gephi write it;
## gpugeo must have been built with the library expat.  Vertices are the nodes, numbered from 1 in the order in which
## the file has them, and @var{ids} is a cell array of their ids.  The edges' attribute named weight is the weight;
## edges without it have its default, or 1.  The directions of edges and all other attributes are ignored.
## Hyperedges, ports, graphs in graphs, and a document type are errors.
##
## @var{edges} has a row for each edge: two numbers as in the file, and the weight if there are weights.
## @var{first} is the number of the first vertex, 0 or 1: if it is not given or @code{[]}, 0 if a vertex has
## that number, else 1.  @var{vertices} is the number of vertices.
##
## With the option @qcode{"header"} the first line is a header: names of columns, or the numbers of vertices and of
## edges, which are checked: as many edges must follow, and no vertex may be larger than the first number.  If it is
## @code{false}, the first line is an edge.  By default a line is a header only if it cannot be an edge, because it
## has no numbers, or has two of these if all other lines have weights; a warning reports it.
##
## With @qcode{"ids"} = @qcode{"range"}, the default, all numbers from the first vertex to the largest are vertices,
## or as many as a header says.  A warning says so if fewer than half of them have an edge.  With
## @qcode{"compact"} only numbers with an edge are vertices: they are numbered from 1 in ascending order in
## @var{edges}, and @var{ids} holds the numbers in the file, otherwise those of all vertices.
##
## The options @qcode{"memory_limit"}, the maximum memory in bytes for the edges while they are read (32
## bytes each, from compressed sparse rows 16 and 8 for each vertex; by default the memory of the machine),
## @qcode{"threads"} and @qcode{"progress"} are as in @code{gpu_options}.
##
## @example
## [edges, first, n] = gpu_read_edges ("graph.txt.gz");
## xy = gpu_layout (edges + (1 - first), "vertices", n);
## @end example
##
## This is the same as @code{gpu_layout ("graph.txt.gz")} if there are no weights.
##
## @seealso{gpu_layout, gpu_write_graph}
## @end deftypefn

function [edges, first, vertices, ids] = gpu_read_edges (file, first = [], varargin)

  if (nargin < 1)
    print_usage ();
  endif
  options = read_options ({"header", "ids"}, varargin);
  compact = is_compact (options);
  options.names.path = "file";
  read = __gpugeo__ ("edges", options, file, first);
  report_edges (read, file, isfield (options, "header"), compact);
  if (compact)
    [ids, ~, place] = unique (read.edges(:));
    read.edges = reshape (place, size (read.edges));
    read.first = 1;
    read.vertices = numel (ids);
    if (! isempty (read.ids))
      ids = read.ids(ids);
    endif
  elseif (columns (read.ids))
    ids = read.ids;
  elseif (nargout > 3)
    ids = (read.first : read.first + read.vertices - 1)';
  endif
  edges = [read.edges, read.weights];
  first = read.first;
  vertices = read.vertices;

endfunction

## True if only numbers with an edge are vertices.
function yes = is_compact (options)

  yes = false;
  if (isfield (options, "ids"))
    yes = strcmp (choose_one (options.ids, {"range", "compact"}, "ids"), "compact");
  endif

endfunction

%!shared file, removal
%! file = tempname ();
%! removal = onCleanup (@() unlink (file));
%!function write_file (file, varargin)
%!  id = fopen (file, "w");
%!  fprintf (id, "%s\n", varargin{:});
%!  fclose (id);
%!endfunction
%!test
%! write_file (file, "# remark", "1 2", "", "2,3", "% another", "3\t1");
%! [edges, first, vertices] = gpu_read_edges (file);
%! assert ({edges, first, vertices}, {[1 2; 2 3; 3 1], 1, 3});
%! [edges, first, vertices] = gpu_read_edges (file, 0);
%! assert ({edges, first, vertices}, {[1 2; 2 3; 3 1], 0, 4});
%! write_file (file, "6 2", "0 1", "1 2");
%! [edges, first, vertices] = gpu_read_edges (file, [], "header", true);
%! assert ({edges, first, vertices}, {[0 1; 1 2], 0, 6});
%! fail ("gpu_read_edges (file, 1)", "has a vertex 0: first must be 0, not 1");
%! fail ("gpu_read_edges (file, 2)", "first must be a whole number between 0 and 1, not 2");
%! write_file (file, "1 2 0.5", "2 3 4");
%! assert (gpu_read_edges (file), [1 2 0.5; 2 3 4]);
%! write_file (file, "1 2", "2 x");
%! fail ("gpu_read_edges (file)", "line 2");
%!test
%! write_file (file, "<graphml><key id='w' for='edge' attr.name='weight'><default>2</default></key><graph>", ...
%!             "<node id='a'/><node id='b&amp;'/><node id='c'/>", ...
%!             "<edge source='c' target='a'/><edge source='a' target='c'><data key='w'>0.5</data></edge>", ...
%!             "</graph></graphml>");
%! refusal = "";
%! try
%!   [edges, first, vertices, ids] = gpu_read_edges (file);
%! catch failure
%!   refusal = failure.message;
%! end_try_catch
%! if (isempty (refusal))
%!   assert ({edges, first, vertices, ids}, {[3 1 2; 1 3 0.5], 1, 3, {"a"; "b&"; "c"}});
%!   [edges, first, vertices, ids] = gpu_read_edges (file, [], "ids", "compact");
%!   assert ({edges, first, vertices, ids}, {[2 1 2; 1 2 0.5], 1, 2, {"a"; "c"}});
%!   assert (size (gpu_layout (file)), [3 2]);
%!   fail ("gpu_read_edges (file, 0)", "first must be 1 for the GraphML file .*, not 0");
%! else
%!   assert (refusal, sprintf ("file \"%s\" cannot be read: it is XML, and gpugeo was built without expat", file));
%! endif
%!test
%! write_file (file, "0 1", "1 2");
%! zipped = gzip (file){1};
%! refusal = "";
%! try
%!   edges = gpu_read_edges (zipped);
%! catch failure
%!   refusal = failure.message;
%! end_try_catch
%! if (isempty (refusal))
%!   assert (edges, [0 1; 1 2]);
%! else
%!   assert (refusal, sprintf (["file \"%s\" cannot be read: it is compressed, and " ...
%!                              "gpugeo was built without zlib"], zipped));
%! endif
%! unlink (zipped);
## Matrix Market files, a byte order mark, what is no text or no regular file, and the limit of memory.
%!test
%! write_file (file, "%%MatrixMarket matrix coordinate real symmetric", "% remark", "4 4 2", "2 1 0.5", "4 3 2");
%! [edges, first, vertices] = gpu_read_edges (file);
%! assert ({edges, first, vertices}, {[2 1 0.5; 4 3 2], 1, 4});
%! fail ("gpu_read_edges (file, 0)", "first must be 1 for the Matrix Market file .*, not 0");
%! write_file (file, "%%MatrixMarket matrix array real general", "1 1", "2");
%! fail ("gpu_read_edges (file)", "a Matrix Market file must be \"matrix coordinate\"");
%! write_file (file, [char([239 187 191]), '1 2'], "2 3");
%! assert (gpu_read_edges (file), [1 2; 2 3]);
%! write_file (file, "# remark", ['1 2', char(0), ' 1 1']);
%! fail ("gpu_read_edges (file)", "line 2 must be text, but holds a NUL byte");
%! fail ("gpu_layout (file)", "line 2 must be text, but holds a NUL byte");
%! fail ("gpu_dgp_graph (file)", "line 2 must be text, but holds a NUL byte");
%! lines = repmat ({"1 2"}, 1, 40000);
%! write_file (file, lines{:});
%! fail ("gpu_read_edges (file, [], \"memory_limit\", 2^20)", ...
%!       "memory_limit must be more than 1048576 bytes for file .* which has more than 32768 edges of 32 bytes each");
%! fail ("gpu_layout (file, \"memory_limit\", 2^20)", "which has more than 32768 edges of 32 bytes each");
%! assert (rows (gpu_read_edges (file, [], "memory_limit", 2^21)), 40000);
%!test
%! unlink (file);
%! assert (mkfifo (file, 600), 0);
%! fail ("gpu_read_edges (file)", "cannot be read: it must be a regular file, not a pipe");
%! fail ("gpu_layout (file)", "cannot be read: it must be a regular file, not a pipe");
%! fail ("gpu_dgp_graph (file)", "cannot be read: it must be a regular file, not a pipe");
%! unlink (file);
## A first line is an edge if it can be one, and what is left out or missing is reported.
%!test
%! write_file (file, "4 3", "1 2", "2 3", "1 3");
%! fail ("edges = gpu_read_edges (file);", "warning", "was read as an edge, but may be a header");
%! warning ("off", "gpugeo:header", "local");
%! [edges, ~, vertices] = gpu_read_edges (file);
%! assert ({edges, vertices}, {[4 3; 1 2; 2 3; 1 3], 4});
%! [edges, ~, vertices] = gpu_read_edges (file, [], "header", false);
%! assert ({edges, vertices}, {[4 3; 1 2; 2 3; 1 3], 4});
%! assert (gpu_read_edges (file, [], "header", true), [1 2; 2 3; 1 3]);
%! write_file (file, "4 3", "1 2", "2 3");
%! assert (gpu_read_edges (file), [4 3; 1 2; 2 3]);
%! fail ("gpu_read_edges (file, [], \"header\", true)", "a header must have names of columns, or the number");
%! fail ("gpu_read_edges (file, [], \"header\", 2)", "header must be true or false, not 2");
%! write_file (file, "from,to", "1,2", "2,3");
%! assert (gpu_read_edges (file), [1 2; 2 3]);
%! assert (gpu_read_edges (file, [], "header", true), [1 2; 2 3]);
%! fail ("gpu_read_edges (file, [], \"header\", false)", "line 1: a vertex must be a whole number");
%!test
%! write_file (file, "7 3091296 0.5", "12 7 1", "12 500 2");
%! fail ("edges = gpu_read_edges (file);", "warning", "fewer than half of the 3091296 vertices");
%! [edges, first, vertices, ids] = gpu_read_edges (file, [], "ids", "compact");
%! assert ({edges, first, vertices, ids}, {[1 4 0.5; 2 1 1; 2 3 2], 1, 4, [7; 12; 500; 3091296]});
%! write_file (file, "2 4", "4 2");
%! [~, ~, ~, ids] = gpu_read_edges (file);
%! assert (ids, (1:4)');
%! fail ("gpu_read_edges (file, [], \"ids\", \"all\")", "ids must be one of \"range\", \"compact\", not \"all\"");
%!test
%! ## More than a buffer, on any number of threads.
%! E = [1:150000; mod(7 * (1:150000), 100003)]';
%! file = tempname ();
%! fid = fopen (file, "w");
%! fprintf (fid, "%d %d\n", E');
%! fclose (fid);
%! unwind_protect
%!   for threads = 1:3
%!     assert (double (gpu_read_edges (file, [], "threads", threads)), E);
%!   endfor
%! unwind_protect_cleanup
%!   unlink (file);
%! end_unwind_protect
%!error <it must be a regular file, not a folder> gpu_read_edges (tempdir ())
%!error <option must be one of > gpu_read_edges ("no such file", [], "dim", 2)
%!error <Invalid call> gpu_read_edges ()
%!error <file must be a single string> gpu_read_edges (1)
%!error <file "no such file" cannot be read: No such file> gpu_read_edges ("no such file")

%!demo
%! file = tempname ();
%! fid = fopen (file, "w");
%! fputs (fid, "# a triangle\n1 2\n2 3\n3 1\n");
%! fclose (fid);
%! edges = gpu_read_edges (file)
%! delete (file);
