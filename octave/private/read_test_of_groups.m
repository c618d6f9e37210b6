## -*- texinfo -*-
## @deftypefn {} {[@var{X}, @var{options}] =} read_test_of_groups (@var{X}, @var{group}, @var{pairs}, @var{own})
## Read the arguments of a permutation test of one factor, as @code{read_tested} does.  The groups are in
## @var{options}, too.
## @end deftypefn

function [X, options] = read_test_of_groups (X, group, pairs, own = {})

  [X, options, n] = read_tested (X, pairs, own, group);
  factors = read_factors (group, n);
  if (columns (factors) != 1)
    error ("gpugeo:argument", "group must have one factor, not %d", columns (factors));
  endif
  options.group = int32 (factors - 1);
  options.groups = max (factors);

endfunction
