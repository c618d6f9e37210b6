## -*- texinfo -*-
## @deftypefn {} {@var{P} =} t_probabilities (@var{r}, @var{freedom}, @var{tail})
## Return the probabilities of correlations by Student's t, for the functions of gpugeo only.
##
## Its two tails are an incomplete beta function.  @var{tail} is "both", "right" or "left".
## @end deftypefn

function P = t_probabilities (r, freedom, tail)

  P = betainc ((1 - r) .* (1 + r), freedom / 2, 0.5);
  if (strcmp (tail, "left"))
    r = -r;
  endif
  if (! strcmp (tail, "both"))
    P = merge (r > 0, P / 2, 1 - P / 2);
  endif

endfunction
