## Plans the tiles of a distance matrix as gpu_tiles_plan describes it, from its arguments after X.  Warns of
## all distances that points make missing if X is points and not their number.
function plan = plan_tiles (X, args)

  options = read_metric (args, {"y", "side"});
  Y = [];
  if (isfield (options, "y"))
    Y = options.y;
    options = rmfield (options, "y");
  endif
  shared = [];
  if (isnumeric (X) && isscalar (X))
    sizes = [X, -1, 0];
    if (! (X >= 0 && X <= 2^40 && X == fix (X)))
      fail_message ("tiles points", "x", sprintf ("%g", X));
    endif
  else
    shared = __gpugeo__ ("dist_metric_params", options, X, Y);
    size_x = __gpugeo__ ("point_source_size", X);
    sizes = [size_x(1), -1, size_x(2)];
  endif
  if (! isempty (Y))
    sizes(2) = __gpugeo__ ("point_source_size", Y)(1);
  endif
  [side, tiles] = __gpugeo__ ("tiles_plan", options, sizes);
  plan = struct ("tiles", tiles, "size", [sizes(1:2), side], "options", options, "shared", shared);

endfunction
