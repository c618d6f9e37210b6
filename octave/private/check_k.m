## -*- texinfo -*-
## @deftypefn {} {} check_k (@var{k}, @var{most}, @var{those})
## Raise an error unless @var{k} is a whole number of neighbours between 1 and @var{most}, the number of
## @var{those}.
## @end deftypefn

function check_k (k, most, those)

  if (! (isnumeric (k) && isreal (k) && isscalar (k) && k == fix (k)))
    fail_value (k, "k", "a whole number");
  elseif (k < 1 || k > most)
    fail_message ("between", most, those, k);
  endif

endfunction
