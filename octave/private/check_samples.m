## -*- texinfo -*-
## @deftypefn {} {} check_samples (@var{X}, @var{sample}, @var{sites})
## Check the numbers of individuals of subsamples, for the functions of gpugeo only.
##
## There may be one, or @var{sites} of them; @code{[]}: any number.  Counts in @var{X} that are multiples are warned of.
## @end deftypefn

function check_samples (X, sample, sites)

  if (! isnumeric (sample) || ! isreal (sample) || isempty (sample) || ! all (sample(:) >= 0 & sample(:) < Inf)
      || any (sample(:) != round (sample(:))))
    fail_value (sample, "sample", "whole numbers of at least 0");
  endif
  if (! isempty (sites) && ! any (numel (sample) == [1 sites]))
    error ("gpugeo:argument", "sample must have a value, or one for each of %d rows, not %d", sites, numel (sample));
  endif
  least = min (nonzeros (X));
  if (least > 1)
    warning ("gpugeo:community", __gpugeo__ ("message", "multiples"), least);
  endif

endfunction
