## -*- texinfo -*-
## @deftypefn {} {[@var{idx}, @var{D}, @var{info}] =} handle_within (@var{X}, @var{Y}, @var{options})
## Return the neighbours of each row of @var{Y} within @code{options.radius}, as @code{handle_neighbors} does.
## Messages name the radius as @code{options.names.radius}.
## @end deftypefn

function [idx, D, info] = handle_within (X, Y, options)

  r = options.radius;
  if (! (isnumeric (r) && isreal (r) && isscalar (r) && r >= 0))
    error ("gpugeo:argument", "%s must be a number of at least 0, not %s", options.names.radius, ...
           __gpugeo__ ("show", r));
  endif
  [idx, D, info] = handle_neighbors (X, Y, options, @(d) sum (d <= r));

endfunction
