## -*- texinfo -*-
## @deftypefn {} {@var{options} =} network_options (@var{options}, @var{given}, @var{refused})
## Return the options of a network of correlations as the core has them: the correlations' method and use, by default
## of pairs of complete rows.  @var{given} is the name of the option @qcode{"input"} for a matrix that is not
## expression; @qcode{""}: the function has no such option.  @var{refused} are names of options that must not be given
## with it.
## @end deftypefn

function options = network_options (options, given, refused)

  if (! isempty (given) && isfield (options, "input"))
    options.given = strcmp (choose_one (options.input, {"expression", given}, "input"), given);
    wrong = refused(isfield (options, refused));
    if (options.given && ! isempty (wrong))
      fail_message ("with input", wrong{1}, given);
    endif
  endif
  options.names = struct ("method", "type", "use", "rows", "powerVector", "powers", ...
                          "maxPOutliers", "maxpoutliers", "pearsonFallback", "pearsonfallback", ...
                          "RsquaredCut", "rsquaredcut", "weights.x", "weights");
  options.use = "pairwise";
  for pair = {"type", "rows"; "method", "use"}
    if (isfield (options, pair{1}))
      options.(pair{2}) = options.(pair{1});
    endif
  endfor

endfunction
