## -*- texinfo -*-
## @deftypefn {} {[@var{inputs}, @var{pairs}] =} read_inputs (@var{X}, @var{args})
## Tell the matrices from the options of a call, for the functions of gpugeo only.
##
## Options come in pairs, so the number of @var{args} tells whether the first is a Y.  @var{inputs} is a
## cell array of X and Y; an empty Y, @code{[]}, stands for none.  @var{pairs} is the rest.
## @end deftypefn

function [inputs, pairs] = read_inputs (X, args)

  inputs = {X};
  if (mod (numel (args), 2) == 1)
    Y = args{1};
    if (! (isnumeric (Y) && isequal (size (Y), [0 0])))
      inputs{2} = Y;
    endif
    args(1) = [];
  endif
  pairs = args;

endfunction
