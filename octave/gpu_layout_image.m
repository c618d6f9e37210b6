## -*- texinfo -*-
## @deftypefn  {} {@var{image} =} gpu_layout_image (@var{graph}, @var{xy})
## @deftypefnx {} {@var{image} =} gpu_layout_image (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{image}, @var{scale}, @var{xlim}, @var{ylim}, @var{info}] =} gpu_layout_image (@dots{})
## Draw the edges of a graph with given positions of the vertices into an image of any size, or into the tiles of
## one that is too large for memory, as web maps show them.
##
## @var{graph} is a graph as in @code{gpu_layout}, and @var{xy} has a row for each vertex and at least 2
## columns, of which the first 2 are drawn.  @var{image} is height by width by 3, of type uint8.  The colour of a
## pixel is that of the logarithm of the length of all edges in it; pixels without an edge are white.
## @var{scale} is that of the colours, and @var{xlim} and @var{ylim} are the part of the plane that the picture shows.
## @var{info} describes how the image was computed, as in @code{gpu_pdist}.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"width"}, @qcode{"height"}
## The number of pixels in a row, by default 1000, and in a column, by default what square pixels need; up to 16,384.
## @item @qcode{"xlim"}, @qcode{"ylim"}
## The part of the plane to draw, two ascending numbers; by default all of it with a border of 4 %, or of more where
## @qcode{"height"} needs it for square pixels.
## @item @qcode{"zoom"}
## The picture has 2^zoom columns and 2^zoom rows of tiles, each of width by height pixels; by default 0.
## @item @qcode{"tile"}
## The column and the row of the tile to draw, from 0 at the left and at the top; needed for zoom above 0, unless
## @qcode{"file"} is given: then the default is all tiles.
## @item @qcode{"file"}
## A name of PNG files, in which @{z@}, @{x@} and @{y@} stand for the zoom, the column and the row of a tile, such as
## @qcode{"@{z@}/@{x@}/@{y@}.png"}.  Folders are made.  @var{image} is then a cell array of the names of the files.
## @item @qcode{"palette"}
## Colours of pixels, from those of few edges to those of many: a matrix with a row for each colour and
## columns red, green and blue between 0 and 1.
## @item @qcode{"scale"}
## The number of lines in a pixel that has the last colour.  By default, or 0, the value that 99.9 % of the pixels
## with a line in all tiles of the picture do not exceed, rounded down to 8 binary digits, and at least 4.
## @item @qcode{"vertices"}
## As in @code{gpu_layout}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The lengths of edges take 8 bytes for each pixel of a tile and 16 for each vertex; if
## these are more than @qcode{"memory_limit"}, the call is an error.  The CPU takes up to 12 MB more.  A GPU takes
## up to 12 bytes more for each edge if that is within the limit.
## @end table
##
## An edge is a line of one pixel's width at each zoom.  Tiles have the same pixels as the picture of 2^zoom width by
## 2^zoom height pixels: edges are cut at their borders, and all have the same scale.  A picture can have 2^24 rows
## and columns.  Pixels are the same on any number of threads and on any backend.  To find the scale, all tiles of
## the picture are drawn, one after the other.  Give the @var{scale} of an earlier call to draw one tile of many.
##
## @example
## @group
## edges = [1:12; 2:12, 1]';
## xy = [cos(1:12); sin(1:12)]';
## size (gpu_layout_image (edges, xy, "width", 64, "height", 64, "zoom", 3, "tile", [7 0]))
##   @result{} 64 64 3
## @end group
## @end example
##
## @seealso{gpu_layout, gpu_layout_plot, gpu_read_edges}
## @end deftypefn

function [image, scale, xlim, ylim, info] = gpu_layout_image (graph, xy, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  own = {"width", "height", "xlim", "ylim", "zoom", "tile", "file", "palette", "scale", "vertices"};
  options = read_options (own, varargin);
  file = given (options, "file", []);
  if (isfield (options, "file"))
    check_pattern (file, options);
    options = rmfield (options, "file");
  endif
  graph = read_graph (graph, options);
  if (! (isnumeric (xy) && ismatrix (xy) && columns (xy) >= 2))
    error ("gpugeo:argument", "layout must have at least 2 columns, not %s", __gpugeo__ ("show", xy));
  endif
  options = frame_options (options, xy);
  xlim = options.xlim;
  ylim = options.ylim;
  palette = given (options, "palette", default_palette ());
  if (isempty (file))
    [image, scale, info] = draw (options, graph, xy, palette);
  else
    [image, scale, info] = draw_files (options, graph, xy, palette, file);
  endif

endfunction

## Draws a tile, or the picture.
function [image, scale, info] = draw (options, graph, xy, palette)

  [lines, scale, info] = __gpugeo__ ("layout_raster", options, graph, xy);
  image = colours (lines', palette, scale);

endfunction

## Draws one tile or all into files.  The first call finds the scale.
function [names, scale, info] = draw_files (options, graph, xy, palette, file)

  zoom = given (options, "zoom", 0);
  side = 1;
  if (isnumeric (zoom) && isscalar (zoom) && any (zoom == 1:24))
    side = 2 ^ zoom;
  endif
  all_tiles = ! isfield (options, "tile");
  count = 1 + all_tiles * (side ^ 2 - 1);
  names = cell (count, 1);
  for t = 1:count
    if (all_tiles)
      options.tile = [floor((t - 1) / side), mod(t - 1, side)];
    endif
    [image, options.scale, info] = draw (options, graph, xy, palette);
    names{t} = tile_name (file, zoom, given (options, "tile", [0 0]));
    write_png (image, names{t});
  endfor
  scale = options.scale;

endfunction

function write_png (image, file)

  folder = fileparts (file);
  if (! isempty (folder) && ! isfolder (folder))
    mkdir (folder);
  endif
  try
    imwrite (image, file, "png");
  catch
    error ("gpugeo:file", "file \"%s\" cannot be written", file);
  end_try_catch

endfunction

## The name of the file of a tile.
function file = tile_name (file, zoom, tile)

  file = strrep (strrep (strrep (file, "{z}", sprintf ("%d", zoom)), "{x}", sprintf ("%d", tile(1))), ...
                 "{y}", sprintf ("%d", tile(2)));

endfunction

## Checks the name of the files of tiles.
function check_pattern (file, options)

  if (! (ischar (file) && rows (file) == 1))
    fail_value (file, "file", "a single string");
  endif
  zoom = given (options, "zoom", 0);
  several = isnumeric (zoom) && isscalar (zoom) && zoom > 0 && ! isfield (options, "tile");
  if (several && isempty (strfind (file, "{x}")) || several && isempty (strfind (file, "{y}")))
    fail_message ("pattern of tiles", file);
  endif

endfunction

## An option, or its default where it was not given.
function value = given (options, name, value)

  if (isfield (options, name))
    value = options.(name);
  endif

endfunction

## The options with the size and the limits of an image; the core refuses what is none.
function options = frame_options (options, xy)

  square = ! isfield (options, "xlim") && ! isfield (options, "ylim") && isfield (options, "height");
  options.xlim = limits (options, "xlim", xy(:,1));
  options.ylim = limits (options, "ylim", xy(:,2));
  options.width = given (options, "width", 1000);
  if (! isfield (options, "height"))
    options.height = 1;
    if (isnumeric (options.width) && isscalar (options.width))
      side = options.width * diff (options.ylim) / diff (options.xlim);
      options.height = min (max (round (side), 1), 16384);
    endif
  endif
  if (square && isnumeric (options.width) && isscalar (options.width) && isnumeric (options.height)
      && isscalar (options.height))
    unit = max (diff (options.xlim) / options.width, diff (options.ylim) / options.height);
    options.xlim = mean (options.xlim) + [-0.5, 0.5] * unit * options.width;
    options.ylim = mean (options.ylim) + [-0.5, 0.5] * unit * options.height;
  endif

endfunction

## The limits of an axis, as doubles; the core refuses others than ascending numbers.
function value = limits (options, name, positions)

  if (isfield (options, name))
    value = options.(name);
    if (! (isnumeric (value) && numel (value) == 2))
      fail_value (value, name, "two numbers");
    endif
    value = double (value(:)');
    return;
  endif
  positions = double (positions(isfinite (positions)));
  value = [0 1];
  if (! isempty (positions))
    value = [min(positions), max(positions)];
    border = max (0.04 * diff (value), 0.5 * (diff (value) == 0));
    value += border * [-1 1];
  endif

endfunction

function palette = default_palette ()

  palette = [198 219 239; 107 174 214; 33 113 181; 8 48 107; 63 0 125; 181 0 106; 255 127 63] / 255;

endfunction

## The picture of the lengths of lines in each pixel, as uint8.
function picture = colours (lines, palette, scale)

  if (! (isnumeric (palette) && columns (palette) == 3 && rows (palette) >= 2))
    error ("gpugeo:argument", "palette must have 3 columns and at least 2 rows, not %s", ...
           __gpugeo__ ("show", palette));
  endif
  level = min (log1p (lines) / log1p (scale), 1);
  opacity = min (lines, 1);
  at = linspace (0, 1, rows (palette));
  picture = zeros ([size(lines), 3], "uint8");
  for channel = 1:3
    colour = interp1 (at, palette(:,channel), level);
    picture(:,:,channel) = uint8 (255 * (1 - opacity .* (1 - colour)));
  endfor

endfunction

%!shared edges, xy, options
%! rand ("twister", 3);
%! edges = [1:199; 2:200]';
%! xy = rand (200, 2);
%! options = {"xlim", [0.1 0.9], "ylim", [0 1], "threads", 2};
%!test
%! ## Tiles fit together: the same pixels as the whole picture.
%! [whole, scale] = gpu_layout_image (edges, xy, "width", 56, "height", 40, options{:});
%! tiles = cell (4);
%! for row = 0:3
%!   for column = 0:3
%!     [tiles{row+1,column+1}, same] = gpu_layout_image (edges, xy, "width", 14, "height", 10, "zoom", 2, ...
%!                                                       "tile", [column row], options{:});
%!     assert (same, scale);
%!   endfor
%! endfor
%! assert (cell2mat (tiles), whole);
%! part = gpu_layout_image (edges, xy, "width", 28, "height", 20, "zoom", 1, "tile", [1 0], "scale", scale, options{:});
%! assert (part, whole(1:20,29:56,:));
%!test
%! ## Pixels are square.
%! [image, scale, xlim, ylim] = gpu_layout_image ([1 2], [0 0; 4 1], "width", 60, "height", 30);
%! assert (size (image), [30 60 3]);
%! assert (scale, 4);
%! assert (diff (xlim) / 60, diff (ylim) / 30, 1e-15);
%! assert ([mean(xlim), mean(ylim)], [2 0.5], 1e-15);
%! assert (size (gpu_layout_image ([1 2], [0 0; 4 1], "width", 60)), [15 60 3]);
%!testif HAVE_MAGICK
%! folder = tempname ();
%! pattern = fullfile (folder, "{z}", "{x}-{y}.png");
%! names = gpu_layout_image (edges, xy, "width", 14, "height", 10, "zoom", 1, "file", pattern, options{:});
%! unwind_protect
%!   assert (names, strcat (fullfile (folder, "1"), filesep (), {"0-0"; "0-1"; "1-0"; "1-1"}, ".png"));
%!   whole = gpu_layout_image (edges, xy, "width", 28, "height", 20, options{:});
%!   assert ([imread(names{1}), imread(names{3}); imread(names{2}), imread(names{4})], whole);
%!   one = gpu_layout_image (edges, xy, "width", 28, "height", 20, "file", names{1}, options{:});
%!   assert (imread (one{1}), whole);
%! unwind_protect_cleanup
%!   confirm_recursive_rmdir (false, "local");
%!   rmdir (folder, "s");
%! end_unwind_protect
%!testif ; numel (gpu_info ().devices) > 0
%! for zoom = 0:2
%!   parts = {"width", 60, "height", 40, "zoom", zoom, "tile", [0 0], options{:}};
%!   [image, scale, ~, ~, info] = gpu_layout_image (edges, xy, parts{:}, "backend", "cuda");
%!   assert (info.backend, "cuda");
%!   [same, same_scale] = gpu_layout_image (edges, xy, parts{:}, "backend", "cpu");
%!   assert (image, same);
%!   assert (scale, same_scale);
%! endfor
%!error <Invalid call> gpu_layout_image ([1 2])
%!error <zoom must be a whole number between 0 and 17 for tiles of 128 by 9 pixels, not 18>
%! gpu_layout_image ([1 2], eye (2), "width", 128, "height", 9, "zoom", 18);
%!error <tile must be two whole numbers between 0 and 3 at zoom 2, the column and the row, not 1 and 4>
%! gpu_layout_image ([1 2], eye (2), "zoom", 2, "tile", [1 4]);
%!error <tile must be two whole numbers between 0 and 3 at zoom 2, the column and the row, not 0>
%! gpu_layout_image ([1 2], eye (2), "zoom", 2);
%!error <scale must be at least 0 and finite, not -1> gpu_layout_image ([1 2], eye (2), "scale", -1)
%!error <file must be a single string, not 1> gpu_layout_image ([1 2], eye (2), "file", 1)
%!error <file must have \{x\} and \{y\} for the tiles of a picture, not "\{x\}.png">
%! gpu_layout_image ([1 2], eye (2), "file", "{x}.png", "zoom", 1);

%!demo
%! graph = gpu_neighbor_graph (rand (2000, 2), "k", 6);
%! image (gpu_layout_image (graph, gpu_layout (graph, "seed", 1)));
