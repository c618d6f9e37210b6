## -*- texinfo -*-
## @deftypefn {} {@var{texts} =} sequence_texts (@var{S}, @var{name})
## Return sequences, which messages call @var{name}, by default S, as a cell array of rows of characters.
##
## @var{S} is such an array, a matrix of characters with a sequence in each row, or an array of structures with the
## field @code{Sequence}.
## @end deftypefn

function texts = sequence_texts (S, name = "S")

  if (isstruct (S) && isfield (S, "Sequence"))
    texts = {S.Sequence};
  elseif (ischar (S) && ndims (S) == 2)
    texts = num2cell (S, 2);
  else
    texts = S;
  endif
  good = @(text) ischar (text) && (isrow (text) || isempty (text));
  if (! (iscell (texts) && all (cellfun (good, texts(:)))))
    fail_value (S, name, ["sequences: a cell array of rows of characters, a matrix of characters or structures " ...
                         "with the field Sequence"]);
  endif

endfunction
