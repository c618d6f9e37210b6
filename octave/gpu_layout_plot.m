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
## Options are those of @code{gpu_layout_image} but @qcode{"zoom"}, @qcode{"tile"} and @qcode{"file"}, in pairs of
## @var{name} and @var{value}.
##
## @example
## @group
## edges = [1:12; 2:12, 1]';
## size (gpu_layout_plot (edges, [cos(1:12); sin(1:12)]', "width", 200))(3)
##   @result{} 3
## @end group
## @end example
##
## @seealso{gpu_layout, gpu_layout_image, gpu_read_edges}
## @end deftypefn

function picture = gpu_layout_plot (graph, xy, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  read_options ({"width", "height", "xlim", "ylim", "palette", "scale", "vertices"}, varargin);
  [made, ~, xlim, ylim] = gpu_layout_image (graph, xy, varargin{:});
  if (nargout > 0)
    picture = made;
  else
    image (xlim, ylim, flipud (made));
    set (gca (), "climmode", "auto");  # image () fixes the limits of colours, which a picture does not use
    axis ("xy", "equal", "off");
  endif

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
