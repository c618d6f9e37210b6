## -*- texinfo -*-
## @deftypefn {} {@var{options} =} dna_options (@var{options})
## Turn the options of distances of DNA into those of the core, for the functions of gpugeo only: a logical value of
## gamma, and base_freq @qcode{"pair"}.
## @end deftypefn

function options = dna_options (options)

  if (isfield (options, "gamma") && islogical (options.gamma))
    options.gamma = double (options.gamma);
  endif
  if (isfield (options, "base_freq") && isequal (options.base_freq, "pair"))
    options = rmfield (options, "base_freq");
    options.pair_base_freq = true;
  endif

endfunction
