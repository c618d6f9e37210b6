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
