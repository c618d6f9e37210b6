## -*- texinfo -*-
## @deftypefn {} {[@var{X}, @var{options}, @var{n}] =} read_tested (@var{X}, @var{pairs}, @var{own})
## Read the distances or the @var{n} points of a permutation test, and its options, the permutations and those in
## the cell array @var{own} among them.  @var{options} is the structure that @code{__gpugeo__} takes.
## @end deftypefn

function [X, options, n] = read_tested (X, pairs, own = {})

  options = read_neighbors ([{"permutations"}, own], pairs);
  [X, options] = condensed_distances (X, options);
  n = count_points (X, isfield (options, "condensed"));
  options = read_permutations (options, n);

endfunction

function n = count_points (X, is_condensed)

  if (isstruct (X))
    n = X.size(1);
  elseif (is_condensed)
    n = floor ((1 + sqrt (1 + 8 * numel (X))) / 2);
  else
    n = rows (X);
  endif

endfunction
