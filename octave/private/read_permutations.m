## -*- texinfo -*-
## @deftypefn {} {@var{options} =} read_permutations (@var{options}, @var{n})
## Replace the option @qcode{"permutations"} of @var{n} points, a number or a matrix with a permutation in each
## row, by the field @code{order} that @code{__gpugeo__} takes.  A number of permutations is drawn by package permute's
## rule: if there are no more than that, apart from the identity, all of them are taken, each once; if there are at most
## 5040, as many different ones are drawn from them; and if there are more, each one is drawn independently.
## @end deftypefn

function options = read_permutations (options, n)

  permutations = 999;
  if (isfield (options, "permutations"))
    permutations = options.permutations;
    options = rmfield (options, "permutations");
  endif
  if (isscalar (permutations) && isnumeric (permutations) && permutations >= 0 ...
      && permutations == fix (permutations))
    options.order = draw (permutations, n);
    return;
  elseif (! (isnumeric (permutations) && columns (permutations) == n
             && all (permutations(:) == fix (permutations(:)))))
    error ("gpugeo:argument", ["permutations must be a whole number of at least 0 or a matrix with a row of the " ...
                               "numbers 1 to %d for each permutation, not %s"], n, ...
           __gpugeo__ ("show", permutations));
  endif
  options.order = int32 (double (permutations)' - 1);

endfunction

## Permutations of the numbers from 0, a column for each.
function order = draw (count, n)

  others = factorial (n) - 1;
  if (count >= others || others <= 5040)
    order = int32 (sortrows (perms (0:n-1))(2:end,:)');  # the first is the identity
    if (count < others)
      order = order(:,randperm (others, count));
    endif
    return;
  endif
  order = zeros (n, count, "int32");
  for k = 1:count
    order(:,k) = randperm (n) - 1;
  endfor

endfunction
