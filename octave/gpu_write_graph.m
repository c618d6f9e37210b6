## -*- texinfo -*-
## @deftypefn  {} {} gpu_write_graph (@var{graph}, @var{xy}, @var{file})
## @deftypefnx {} {} gpu_write_graph (@dots{}, @var{name}, @var{value}, @dots{})
## Write a graph with given positions of the vertices as GraphML, which Gephi, yEd, NetworkX and other programs
## read, or as CX2, which Cytoscape and NDEx read.
##
## @var{graph} is a graph as in @code{gpu_layout}, and @var{xy} has a row for each vertex and 2 or 3 columns.  A
## @var{file} that exists is replaced when the new one is complete.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"format"}
## @qcode{"graphml"} or @qcode{"cx2"}; by default CX2 if the name of the file ends in .cx2, else GraphML.
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
  if (! (isnumeric (xy) && isreal (xy) && ismatrix (xy) && any (columns (xy) == [2 3])))
    error ("gpugeo:argument", "layout must have 2 or 3 columns, not %s", __gpugeo__ ("show", xy));
  elseif (rows (xy) < graph.vertices)
    error ("gpugeo:argument", "layout must have a row for each of the %d vertices, not %d rows", ...
           graph.vertices, rows (xy));
  elseif (! all (isfinite (xy(:))))
    error ("gpugeo:argument", "layout must have no missing or infinite positions");
  elseif (! (ischar (file) && rows (file) == 1))
    error ("gpugeo:argument", "file must be a single string, not %s", __gpugeo__ ("show", file));
  endif
  what.xy = double (xy);
  what.ends = double (graph.edges) + (1 - graph.first);
  what.weights = double (graph.weights(:));
  what.names = read_names (options, rows (xy));
  if (read_format (options, file))
    write = @write_cx2;
  else
    write = @write_graphml;
  endif

  beside = sprintf ("%s.new-%d", file, getpid ());
  out = fopen (beside, "wb");
  if (out < 0)
    error ("gpugeo:file", "file \"%s\" cannot be written", file);
  endif
  unwind_protect
    write (out, what);
    written = isempty (ferror (out)) && fclose (out) == 0;
    out = -1;
    if (! written || rename (beside, file) != 0)
      error ("gpugeo:file", "file \"%s\" cannot be written", file);
    endif
  unwind_protect_cleanup
    if (out >= 0)
      fclose (out);
    endif
    if (exist (beside, "file"))
      delete (beside);
    endif
  end_unwind_protect

endfunction

## True for CX2.
function cx2 = read_format (options, file)

  cx2 = numel (file) >= 4 && strcmpi (file(end-3:end), ".cx2");
  if (isfield (options, "format"))
    cx2 = strcmp (choose_one (options.format, {"graphml", "cx2"}, "format"), "cx2");
  endif

endfunction

## The names of the vertices, a column, or {}.
function names = read_names (options, count)

  names = {};
  if (isfield (options, "names"))
    names = options.names(:);
    if (! iscellstr (options.names) || numel (names) != count)
      error ("gpugeo:argument", "names must be a cell array with a text for each of the %d vertices, not %s", ...
             count, __gpugeo__ ("show", options.names));
    endif
  endif

endfunction

## Writes all items of a list, with a separator between them: a format for each, and its arguments, a cell array
## with a column for each item.
function put_items (out, format, items, separator)

  if (columns (items) > 0)
    fprintf (out, [format separator "\n"], items{:,1:end-1});
    fprintf (out, [format "\n"], items{:,end});
  endif

endfunction

## Returns a format and the values for it with those of another one behind them.
function [format, items] = with_values (format, items, more, values)

  format = [format more];
  if (isnumeric (values))
    values = num2cell (values);
  endif
  items = [items; values(:)'];

endfunction

function write_cx2 (out, what)

  n = rows (what.xy);
  m = rows (what.ends);
  declared = {};
  [node, nodes] = with_values ("{\"id\":%d", cell (0, n), "", 1:n);
  for c = 1:columns (what.xy)
    [node, nodes] = with_values (node, nodes, [",\"" "xyz"(c) "\":%.17g"], what.xy(:,c));
  endfor
  if (! isempty (what.names))
    declared{end+1} = "\"nodes\":{\"name\":{\"d\":\"string\"}}";
    [node, nodes] = with_values (node, nodes, ",\"v\":{\"name\":\"%s\"}", escape_json (what.names));
  endif
  [edge, edges] = with_values ("{\"id\":%d", cell (0, m), "", 1:m);
  [edge, edges] = with_values (edge, edges, ",\"s\":%d", what.ends(:,1));
  [edge, edges] = with_values (edge, edges, ",\"t\":%d", what.ends(:,2));
  if (! isempty (what.weights))
    declared{end+1} = "\"edges\":{\"weight\":{\"d\":\"double\"}}";
    [edge, edges] = with_values (edge, edges, ",\"v\":{\"weight\":%.17g}", what.weights);
  endif
  fprintf (out, "[{\"CXVersion\":\"2.0\",\"hasFragments\":false},\n{\"metaData\":[");
  fprintf (out, "{\"name\":\"attributeDeclarations\",\"elementCount\":1},");
  fprintf (out, "{\"name\":\"nodes\",\"elementCount\":%d},{\"name\":\"edges\",\"elementCount\":%d}]},\n", n, m);
  fprintf (out, "{\"attributeDeclarations\":[{%s}]},\n{\"nodes\":[\n", strjoin (declared, ","));
  put_items (out, [node "}"], nodes, ",");
  fprintf (out, "]},\n{\"edges\":[\n");
  put_items (out, [edge "}"], edges, ",");
  fprintf (out, "]},\n{\"status\":[{\"success\":true}]}]\n");

endfunction

function write_graphml (out, what)

  n = rows (what.xy);
  m = rows (what.ends);
  key = "<key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n";
  fprintf (out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  fprintf (out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
  [node, nodes] = with_values ("<node id=\"n%d\">", cell (0, n), "", 1:n);
  if (! isempty (what.names))
    fprintf (out, key, "name", "node", "name", "string");
    [node, nodes] = with_values (node, nodes, "<data key=\"name\">%s</data>", escape_xml (what.names));
  endif
  for c = 1:columns (what.xy)
    axis = "xyz"(c);
    fprintf (out, key, axis, "node", axis, "double");
    [node, nodes] = with_values (node, nodes, ["<data key=\"" axis "\">%.17g</data>"], what.xy(:,c));
  endfor
  [edge, edges] = with_values ("<edge source=\"n%d\"", cell (0, m), "", what.ends(:,1));
  [edge, edges] = with_values (edge, edges, " target=\"n%d\">", what.ends(:,2));
  if (! isempty (what.weights))
    fprintf (out, key, "weight", "edge", "weight", "double");
    [edge, edges] = with_values (edge, edges, "<data key=\"weight\">%.17g</data>", what.weights);
  endif
  fprintf (out, "<graph edgedefault=\"undirected\">\n");
  put_items (out, [node "</node>"], nodes, "");
  put_items (out, [edge "</edge>"], edges, "");
  fprintf (out, "</graph>\n</graphml>\n");

endfunction

## Replaces the characters that cannot be in a string of JSON.
function text = escape_json (text)

  text = strrep (strrep (text, "\\", "\\\\"), "\"", "\\\"");
  for code = 0:31
    text = strrep (text, char (code), sprintf ("\\u%04x", code));
  endfor

endfunction

## Replaces the characters that have a meaning in XML.  Control characters cannot be written.
function text = escape_xml (text)

  wrong = find (! cellfun (@isempty, regexp (text, "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]")), 1);
  if (! isempty (wrong))
    error ("gpugeo:argument", "names must be without control characters, but vertex %d is named %s", wrong, ...
           __gpugeo__ ("show", text{wrong}));
  endif
  text = strrep (strrep (strrep (strrep (text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;"), "\r", "&#13;");

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

%!error <Invalid call> gpu_write_graph (E, xy)
%!error <layout must have a row for each of the 3 vertices, not 2 rows> gpu_write_graph (E, xy(1:2,:), "a")
%!error <layout must have no missing or infinite positions> gpu_write_graph (E, xy + NaN, "a")
%!error <file must be a single string, not 1> gpu_write_graph (E, xy, 1)
%!error <format must be one of "graphml", "cx2", not "gml"> gpu_write_graph (E, xy, "a", "format", "gml")
%!error <names must be a cell array with a text for each of the 3 vertices, not > gpu_write_graph (E, xy, "a", "names", {"b"})
%!error <names must be without control characters, but vertex 1 is named > gpu_write_graph (E, xy, "a", "names", {"\001"; "b"; "c"})
%!error <cannot be written> gpu_write_graph (E, xy, fullfile (tempname (), "a"))

%!demo
%! ## A grid of 5 by 5 vertices, with its layout, as GraphML
%! [i, j] = ndgrid (1:5);
%! edges = [find(i < 5), find(i < 5) + 1; find(j < 5), find(j < 5) + 5];
%! file = [tempname(), ".graphml"];
%! gpu_write_graph (edges, gpu_layout (edges, "seed", 1), file);
%! disp (numel (strfind (fileread (file), "<node")))
%! delete (file);
