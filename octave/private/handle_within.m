## -*- texinfo -*-
## @deftypefn {} {[@var{idx}, @var{D}, @var{info}] =} handle_within (@var{X}, @var{Y}, @var{options})
## Return the neighbours of each row of @var{Y} within @code{options.radius}, as @code{handle_neighbors} does.
## Messages name the radius as @code{options.names.radius}.
## @end deftypefn

function [idx, D, info] = handle_within (X, Y, options)

  r = __gpugeo__ ("check_number", options.radius, options.names.radius);
  [idx, D, info] = handle_neighbors (X, Y, options, @(d) sum (d <= r));

endfunction
