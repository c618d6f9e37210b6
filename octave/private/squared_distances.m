## -*- texinfo -*-
## @deftypefn {} {[@var{squares}, @var{info}] =} squared_distances (@var{X}, @var{options}, @var{n})
## Return the n by n matrix of the squares of distances among points, or of condensed distances, which must be finite
## and not negative.  @var{options} is that of @code{read_tested}.
## @end deftypefn

function [squares, info] = squared_distances (X, options, n)

  info = [];
  if (isstruct (X))
    error ("gpugeo:argument", "x must be points or distances in memory, not in a file or on a device");
  elseif (isfield (options, "condensed"))
    d = double (X);
  else
    given = {"type", "bias_adjust", "group", "groups", "order"};
    [d, info] = __gpugeo__ ("dist", rmfield (options, given(isfield (options, given))), X);
  endif
  wrong = find (! isfinite (d) | d < 0, 1);
  if (! isempty (wrong))
    error ("gpugeo:argument", "x must have finite distances of at least 0 only, not %s", ...
           __gpugeo__ ("show", d(wrong)));
  endif
  squares = zeros (n);
  squares(tril (true (n), -1)) = d .^ 2;
  squares += squares';

endfunction
