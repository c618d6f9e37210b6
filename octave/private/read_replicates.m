## -*- texinfo -*-
## @deftypefn {} {@var{replicates} =} read_replicates (@var{options})
## Return the option @qcode{"replicates"}, by default 1.
## @end deftypefn

function replicates = read_replicates (options)

  replicates = 1;
  if (isfield (options, "replicates"))
    replicates = options.replicates;
    if (! (isnumeric (replicates) && isreal (replicates) && isscalar (replicates) && replicates >= 1 ...
           && replicates == fix (replicates)))
      error ("gpugeo:argument", "replicates must be a whole number of at least 1, not %s", ...
             __gpugeo__ ("show", replicates));
    endif
  endif

endfunction
