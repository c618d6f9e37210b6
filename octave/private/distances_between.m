## -*- texinfo -*-
## @deftypefn {} {[@var{D}, @var{info}] =} distances_between (@var{X}, @var{Y}, @var{options})
## Return the distances between the rows of @var{X} and those of @var{Y} by a metric or a function.
## @end deftypefn

function [D, info] = distances_between (X, Y, options)

  if (! is_function_handle (options.method))
    [D, info] = __gpugeo__ ("dist", options, X, Y);
    return;
  endif
  start = tic;
  X = full (X);
  Y = full (Y);
  D = zeros (rows (X), rows (Y), class_of_distances (X, Y));
  for j = 1:rows (Y)
    D(:,j) = handle_distances (options, Y(j,:), X);
  endfor
  info = report_of_handle (start);

endfunction
