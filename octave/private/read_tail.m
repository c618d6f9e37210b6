## -*- texinfo -*-
## @deftypefn {} {@var{tail} =} read_tail (@var{options})
## Return the option tail, "both" by default, for the functions of gpugeo only.
## @end deftypefn

function tail = read_tail (options)

  tail = "both";
  if (isfield (options, "tail"))
    tail = choose_one (options.tail, {"both", "right", "left"}, "tail");
  endif

endfunction
