## -*- texinfo -*-
## @deftypefn  {} {} gpu_write_graph (@var{graph}, @var{xy}, @var{file})
## @deftypefnx {} {} gpu_write_graph (@dots{}, @var{name}, @var{value}, @dots{})
## Write a graph with given positions of the vertices as GraphML, which Gephi, yEd, NetworkX and other programs
## read, or as CX2, which Cytoscape and NDEx read.  Or write the edges alone in a binary format, compressed sparse
## rows, that @code{gpu_read_edges} reads faster than text.
##
## @var{graph} is a graph as in @code{gpu_layout}, and @var{xy} has a row for each vertex and 2 or 3 columns; it may be
## @code{[]} for compressed sparse rows.  A @var{file} that exists is replaced when the new one is complete.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"format"}
## @qcode{"graphml"}, @qcode{"cx2"} or @qcode{"csr"}; by default CX2 or CSR if the name of the file ends in .cx2 or
## .csr, else GraphML.
## @item @qcode{"names"}
## Names of the vertices, a cell array of text.
## @item @qcode{"weights"}, @qcode{"vertices"}
## As in @code{gpu_layout}.
## @end table
##
## Vertices have the attributes x, y and, in space, z, and name if there are names; edges have weight if the
## graph has weights.  Numbers are written with 17 digits, which keep all their bits.  In CX2, a JSON document,
## vertices and edges are numbered from 1.
##
## CSR has the number of vertices, the edges and their weights, without names and positions.  Edges are sorted by
## their first vertex; those with the same first vertex stay in their order.  Its numbers have the byte order of the
## machine: the 8 bytes 89 47 47 43 53 52 0d 0a; 32-bit integers, 16909060 for the byte order and 1, the version;
## 64-bit integers, the numbers of vertices and of edges; 32-bit integers, the number of the first vertex, and 1 if
## there are weights, else 0; for each vertex the number of edges before its own as a 64-bit integer, then the number
## of all edges; for each edge the second vertex as a 32-bit integer, numbered from 0; zeros up to a multiple of 8
## bytes; weights as doubles.
##
## @example
## edges = [1:12; 2:12, 1]';
## file = tempname ();
## gpu_write_graph (edges, gpu_layout (edges), file, "format", "cx2");
## @end example
##
## @seealso{gpu_layout, gpu_layout_plot, gpu_read_edges}
## @end deftypefn

function gpu_write_graph (graph, xy, file, varargin)

  if (nargin < 3)
    print_usage ();
  endif
  options = read_options ({"format", "names", "vertices", "weights"}, varargin);
  graph = read_graph (graph, options);
  graph.vertices = max (graph.vertices, rows (xy));
  names = [];
  if (isfield (options, "names"))
    names = options.names;
    if (! iscellstr (names))
      error ("gpugeo:argument", "names must be a cell array with a text for each of the %d vertices, not %s", ...
             graph.vertices, __gpugeo__ ("show", names));
    endif
    options = rmfield (options, "names");
  endif
  __gpugeo__ ("graph_write", options, graph, xy, names, file);

endfunction

%!shared E, xy, names
%! E = [1 2 0.1; 2 3 1e-300; 3 1 1e9];
%! xy = [0.1 -2; 1/3 1e300; -5e-324 7];
%! names = {"a\\\"<&>"; "\tb\n"; "c"};

%!function aspects = read_cx2 (varargin)
%!  file = [tempname() '.cx2'];
%!  gpu_write_graph (varargin{1:2}, file, varargin{3:end});
%!  list = jsondecode (fileread (file), "makeValidName", false);
%!  delete (file);
%!  aspects = struct ();
%!  for k = 1:numel (list)
%!    for name = fieldnames (list{k})'
%!      aspects.(name{1}) = list{k}.(name{1});
%!    endfor
%!  endfor
%!endfunction

%!testif HAVE_RAPIDJSON
%! cx = read_cx2 (E, xy, "names", names);
%! assert (cx.CXVersion, "2.0");
%! assert (cx.hasFragments, false);
%! assert ({cx.metaData.name}, {"attributeDeclarations", "nodes", "edges"});
%! assert ([cx.metaData.elementCount], [1 3 3]);
%! assert (cx.attributeDeclarations.nodes.name.d, "string");
%! assert (cx.attributeDeclarations.edges.weight.d, "double");
%! assert ([cx.nodes.id], 1:3);
%! assert ([cx.nodes.x; cx.nodes.y]', xy);
%! assert (cx.nodes(1).v.name, "a\\\"<&>");
%! assert ({cx.nodes(2).v.name, cx.nodes(3).v.name}, {"\tb\n", "c"});
%! assert ([cx.edges.id; cx.edges.s; cx.edges.t]', [(1:3)', E(:,1:2)]);
%! assert (arrayfun (@(e) e.v.weight, cx.edges), E(:,3));
%! assert (cx.status.success, true);
%!testif HAVE_RAPIDJSON
%! cx = read_cx2 (E(:,1:2), [xy, xy(:,1)]);
%! assert ([cx.nodes.z]', xy(:,1));
%! assert (! isfield (cx.nodes, "v") && ! isfield (cx.edges, "v"));
%! cx = read_cx2 (zeros (0, 2), zeros (0, 2));
%! assert (isempty (cx.nodes) && isempty (cx.edges));

%!function lines = read_graphml (varargin)
%!  file = tempname ();
%!  gpu_write_graph (varargin{1:2}, file, varargin{3:end});
%!  lines = strsplit (strtrim (fileread (file)), "\n");
%!  delete (file);
%!endfunction

%!test
%! lines = read_graphml (E, xy, "names", {"a&<>"; "b"; "c"});
%! assert (numel (lines), 15);
%! assert (lines{8}, "<node id=\"n1\"><data key=\"name\">a&amp;&lt;&gt;</data><data key=\"x\">0.10000000000000001</data><data key=\"y\">-2</data></node>");
%! assert (lines{13}, "<edge source=\"n3\" target=\"n1\"><data key=\"weight\">1000000000</data></edge>");
%!test
%! lines = read_graphml (E(:,1:2), xy, "format", "graphml");
%! assert (lines(end-4:end-2), {"<edge source=\"n1\" target=\"n2\"></edge>", "<edge source=\"n2\" target=\"n3\"></edge>", "<edge source=\"n3\" target=\"n1\"></edge>"});

%!test
%! file = [tempname() '.csr'];
%! edges = [3 1 2; 1 2 0.5; 3 1 1e-300; 1 1 0];
%! gpu_write_graph (edges, [], file, "vertices", 5);
%! [again, first, vertices] = gpu_read_edges (file);
%! assert ({again, first, vertices}, {edges([2 4 1 3],:), 1, 5});
%! gpu_write_graph (edges, [], file, "vertices", 2e5);
%! assert (gpu_read_edges (file, 1, "memory_limit", 2^21), again);
%! fail ("gpu_read_edges (file, 1, \"memory_limit\", 2^20)", "memory_limit must be at least 1600072 bytes for file");
%! fail ("gpu_read_edges (file, 0)", "first must be 1 for the file .*, not 0");
%! gpu_write_graph (edges(:,1:2), ones (3, 2), file, "format", "csr");
%! [again, first, vertices] = gpu_read_edges (file);
%! assert ({again, first, vertices}, {edges([2 4 1 3],1:2), 1, 3});
%! id = fopen (file, "r+");
%! fseek (id, 40);
%! fwrite (id, 1);
%! fclose (id);
%! fail ("gpu_read_edges (file)", "start 1 must be between 0 and 0, not 1");
%! fail ("gpu_write_graph (edges, [], file, \"format\", \"graphml\")", "layout must have 2 or 3 columns, not 0");
%! unlink (file);
%!error <Invalid call> gpu_write_graph (E, xy)
%!error <layout must have a row for each of the 3 vertices, not 2 rows> gpu_write_graph (E, xy(1:2,:), "a")
%!error <layout must be finite, but row 1 is not> gpu_write_graph (E, xy + NaN, "a")
%!error <file must be a single string, not 1> gpu_write_graph (E, xy, 1)
%!error <format must be one of "auto", "graphml", "cx2", "csr", not "gml"> gpu_write_graph (E, xy, "a", "format", "gml")
%!error <names must be a cell array with a text for each of the 3 vertices, not > gpu_write_graph (E, xy, "a", "names", {"b"})
%!error <names must not contain control characters in GraphML, but that of vertex 1 contains "\\001"> gpu_write_graph (E, xy, "a", "names", {"\001"; "b"; "c"})
%!error <cannot be written> gpu_write_graph (E, xy, fullfile (tempname (), "a"))

%!demo
%! ## A grid of 5 by 5 vertices, with its layout, as GraphML
%! [i, j] = ndgrid (1:5);
%! edges = [find(i < 5), find(i < 5) + 1; find(j < 5), find(j < 5) + 5];
%! file = [tempname(), ".graphml"];
%! gpu_write_graph (edges, gpu_layout (edges, "seed", 1), file);
%! disp (numel (strfind (fileread (file), "<node")))
%! delete (file);
