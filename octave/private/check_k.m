## -*- texinfo -*-
## @deftypefn {} {} check_k (@var{k}, @var{most}, @var{those})
## Raise an error unless @var{k} is a whole number of neighbours between 1 and @var{most}, the number of
## @var{those}.
## @end deftypefn

function check_k (k, most, those)

  if (! (isnumeric (k) && isreal (k) && isscalar (k) && k == fix (k)))
    error ("gpugeo:argument", "k must be a whole number, not %s", __gpugeo__ ("show", k));
  elseif (k < 1 || k > most)
    error ("gpugeo:argument", "k must be between 1 and %d (%s), not %d", most, those, k);
  endif

endfunction
