## -*- texinfo -*-
## @deftypefn {} {@var{replicates} =} read_replicates (@var{options})
## Return the option @qcode{"replicates"}, by default 1.
## @end deftypefn

function replicates = read_replicates (options)

  replicates = 1;
  if (isfield (options, "replicates"))
    replicates = __gpugeo__ ("check_whole", options.replicates, "replicates", 1);
  endif

endfunction
