## -*- texinfo -*-
## @deftypefn {} {@var{result} =} list_pairs (@var{form}, @var{pairs}, @var{d}, @var{inputs}, @var{box})
## List the rows [i j] of @var{pairs} and their distances @var{d} in the form that @code{read_collide} returns, for points in
## the periodic @var{box} or [].
## @end deftypefn

function result = list_pairs (form, pairs, d, inputs, box)

  if (form.twice)
    [pairs, order] = sortrows ([pairs; fliplr(pairs)]);
    d = [d; d](order);
  endif
  if (any (strcmp (form.what, {"ijd", "all"})))
    result = struct ("i", pairs(:,1), "j", pairs(:,2));
    if (strcmp (form.what, "all"))
      result = add_coordinates (result, double (inputs{1}), double (inputs{end}), box);
    endif
    result.d = d;
  else
    result = pairs;
  endif

endfunction

function result = add_coordinates (result, x, y, box)

  if (isempty (y))
    y = x;
  endif
  from = x(result.i,:);
  to = y(result.j,:);
  between = to - from;
  for k = find (box(:)' > 0)
    between(:,k) -= box(k) * round (between(:,k) / box(k));
  endfor
  letters = "xyz";
  for k = 1:columns (x)
    result.([letters(k) "i"]) = from(:,k);
  endfor
  for k = 1:columns (x)
    result.([letters(k) "j"]) = to(:,k);
  endfor
  for k = 1:columns (x)
    result.(["d" letters(k)]) = between(:,k);
  endfor

endfunction
