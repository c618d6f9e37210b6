## -*- texinfo -*-
## @deftypefn {} {@var{options} =} choose_metric (@var{options}, @var{names})
## Copies the metric from the one of the options in the cell array @var{names} that is given to the option
## @code{method}.  Several of them are an error.
## @end deftypefn

function options = choose_metric (options, names)

  given = names(isfield (options, names));
  if (numel (given) > 1)
    fail_message ("same meaning", given{2}, given{1});
  elseif (numel (given) == 1)
    options.method = options.(given{1});
  endif

endfunction
