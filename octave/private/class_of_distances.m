## -*- texinfo -*-
## @deftypefn {} {@var{name} =} class_of_distances (@var{X}, @var{Y})
## Return the class of distances between points: single if a matrix of points is.
## @end deftypefn

function name = class_of_distances (varargin)

  name = "double";
  if (any (cellfun (@(points) isa (points, "single"), varargin)))
    name = "single";
  endif

endfunction
