## -*- texinfo -*-
## @deftypefn  {} {} gpu_layout_plot (@var{graph}, @var{xy})
## @deftypefnx {} {} gpu_layout_plot (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {@var{image} =} gpu_layout_plot (@dots{})
## Draw the edges of a graph with given positions of the vertices, up to millions of them.
##
## @var{graph} is a graph as in @code{gpu_layout}, and @var{xy} has a row for each vertex and at least 2
## columns, of which the first 2 are drawn.  The colour of a pixel is that of the logarithm of the length
## of all edges in it; pixels without an edge are white.  With a result, nothing is drawn: @var{image} is
## height by width by 3, of type uint8.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"width"}
## The number of pixels in a row, by default 1000.  The height follows from the limits.
## @item @qcode{"xlim"}, @qcode{"ylim"}
## The part of the plane to draw, two ascending numbers; by default all of it with a border of 4 %.
## @item @qcode{"palette"}
## Colours of pixels, from those of few edges to those of many: a matrix with a row for each colour and
## columns red, green and blue between 0 and 1.
## @item @qcode{"vertices"}
## As in @code{gpu_layout}.
## @item @qcode{"threads"}, @qcode{"progress"}, @qcode{"memory_limit"}
## See @code{gpu_options}.  The lengths of edges take 8 bytes for each pixel and 16 for each vertex; if these
## are more than @qcode{"memory_limit"}, the call is an error.
## @end table
##
## @example
## @group
## edges = [1:12; 2:12, 1]';
## size (gpu_layout_plot (edges, [cos(1:12); sin(1:12)]', "width", 200))(3)
##   @result{} 3
## @end group
## @end example
##
## @seealso{gpu_layout, gpu_read_edges}
## @end deftypefn

function picture = gpu_layout_plot (graph, xy, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  options = read_options ({"width", "xlim", "ylim", "palette", "vertices"}, varargin);
  graph = read_graph (graph, options);
  if (! (isnumeric (xy) && ismatrix (xy) && columns (xy) >= 2))
    error ("gpugeo:argument", "layout must have at least 2 columns, not %s", __gpugeo__ ("show", xy));
  endif
  options.xlim = limits (options, "xlim", xy(:,1));
  options.ylim = limits (options, "ylim", xy(:,2));
  options.width = given (options, "width", 1000);
  options.height = 1;
  if (isnumeric (options.width) && isscalar (options.width))
    side = options.width * diff (options.ylim) / diff (options.xlim);
    options.height = min (max (round (side), 1), 16384);
  endif
  lines = __gpugeo__ ("layout_raster", options, graph, xy)';
  made = colours (lines, given (options, "palette", default_palette ()));
  if (nargout > 0)
    picture = made;
  else
    image (options.xlim, options.ylim, flipud (made));
    set (gca (), "climmode", "auto");  # image () fixes the limits of colours, which a picture does not use
    axis ("xy", "equal", "off");
  endif

endfunction

## An option, or its default where it was not given.
function value = given (options, name, value)

  if (isfield (options, name))
    value = options.(name);
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
function picture = colours (lines, palette)

  if (! (isnumeric (palette) && columns (palette) == 3 && rows (palette) >= 2))
    error ("gpugeo:argument", "palette must have 3 columns and at least 2 rows, not %s", ...
           __gpugeo__ ("show", palette));
  endif
  drawn = sort (lines(lines > 0));
  most = 4;
  if (! isempty (drawn))
    most = max (most, drawn(ceil (0.999 * numel (drawn))));
  endif
  level = min (log1p (lines) / log1p (most), 1);
  opacity = min (lines, 1);
  at = linspace (0, 1, rows (palette));
  picture = zeros ([size(lines), 3], "uint8");
  for channel = 1:3
    colour = interp1 (at, palette(:,channel), level);
    picture(:,:,channel) = uint8 (255 * (1 - opacity .* (1 - colour)));
  endfor

endfunction

%!test
%! ## A square whose sides are 1 pixel wide.
%! xy = [2 2; 8 2; 8 8; 2 8] + 0.5;
%! edges = [1 2; 2 3; 3 4; 4 1];
%! picture = gpu_layout_plot (edges, xy, "xlim", [0 12], "ylim", [0 12], "width", 12);
%! assert (class (picture), "uint8");
%! assert (size (picture), [12 12 3]);
%! dark = picture(:,:,1) < 255;
%! expected = false (12);
%! expected(4:10,[3 9]) = true;
%! expected([4 10],3:9) = true;
%! assert (dark, expected);
%!test
%! rand ("twister", 1);
%! xy = rand (200, 2);
%! edges = [1:199; 2:200]';
%! picture = gpu_layout_plot (edges, xy, "width", 300, "threads", 1);
%! assert (gpu_layout_plot (edges, xy, "width", 300, "threads", 3), picture);
%! assert (columns (picture), 300);
%! white = gpu_layout_plot (zeros (0, 2), zeros (0, 2), "width", 5);
%! assert (all (white(:) == 255));
%!testif ; ! isempty (available_graphics_toolkits ())
%! shown = figure ("visible", "off");
%! unwind_protect
%!   gpu_layout_plot ([1 2], eye (2), "width", 20);
%!   assert (get (gca (), "climmode"), "auto");
%! unwind_protect_cleanup
%!   close (shown);
%! end_unwind_protect
%!error <Invalid call> gpu_layout_plot ([1 2])
%!error <layout must have a row for each of the 2 vertices, not 3 rows> p = gpu_layout_plot ([1 2], ones (3, 2));
%!error <layout must be finite, but row 2 is not> p = gpu_layout_plot ([1 2], [1 1; NaN 1]);
%!error <layout must have at least 2 columns, not 5> p = gpu_layout_plot ([1 2], 5);
%!error <width must be a whole number between 1 and 16384, not 0> p = gpu_layout_plot ([1 2], eye (2), "width", 0);
%!error <xlim must be two finite numbers in ascending order, not 2 and 1> p = gpu_layout_plot ([1 2], eye (2), "xlim", [2 1]);
%!error <ylim must be two numbers, not> p = gpu_layout_plot ([1 2], eye (2), "ylim", 1);
%!error <memory_limit must be at least 1280032 bytes for an image of 400 by 400 pixels and 2 vertices, not 1048576>
%! p = gpu_layout_plot ([1 2], eye (2), "width", 400, "memory_limit", 2^20);
%!assert (size (gpu_layout_plot ([1 2], eye (2), "width", 400, "memory_limit", 1280032)), [400 400 3])
%!error <palette must have 3 columns and at least 2 rows, not 1> p = gpu_layout_plot ([1 2], eye (2), "palette", 1);

%!demo
%! graph = gpu_neighbor_graph (rand (2000, 2), "k", 6);
%! gpu_layout_plot (graph, gpu_layout (graph, "seed", 1));
