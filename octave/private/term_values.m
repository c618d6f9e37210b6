## -*- texinfo -*-
## @deftypefn {} {[@var{values}, @var{term}] =} term_values (@var{factors}, @var{given}, @var{asked})
## Return the columns of each term of a model in a cell array, and a row of truth values for each: which factors it has.
## @var{factors} and @var{given} are those of @code{read_factors}, @var{asked} is that of @code{read_terms}.
## @end deftypefn

function [values, term] = term_values (factors, given, asked)

  term = logical (eye (numel (given)));
  if (asked.interactions)
    term = all_products (numel (given));
  endif
  values = cell (1, rows (term));
  for k = 1:rows (term)
    values{k} = term_columns (factors, given, asked.continuous, find (term(k,:)));
  endfor

endfunction

## Rows of truth values for all products of factors: first those of one factor, then of two.
function term = all_products (count)

  term = zeros (0, count);
  for many = 1:count
    for chosen = nchoosek (1:count, many)'
      term(end+1,chosen) = 1;
    endfor
  endfor
  term = logical (term);

endfunction

## The columns of a term: of a factor its values, or a column for each group but the first; of several factors all
## products of their columns.
function x = term_columns (factors, given, continuous, chosen)

  x = ones (rows (factors), 1);
  for k = chosen
    if (continuous(k))
      own = given{k}(:);
      if (! isnumeric (own) || any (isinf (own)))
        fail_value (given{k}, sprintf ("factor %d of group", k), "finite numbers");
      endif
      own = double (own);
    else
      own = double (factors(:,k) == 2:max (factors(:,k)));
    endif
    x = repmat (x, 1, columns (own)) .* repelem (own, 1, columns (x));
  endfor

endfunction
