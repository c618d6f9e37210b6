## -*- texinfo -*-
## @deftypefn {} {@var{X} =} propagate_missing (@var{options}, @var{X})
## Return points in which rows with NaN have nothing but NaN, and so no distance, if the option @qcode{"nan"} is
## @qcode{"propagate"}.
## @end deftypefn

function X = propagate_missing (options, X)

  if (! isfield (options, "nan"))
    return;
  elseif (! (ischar (options.nan) && any (strcmp (tolower (options.nan), {"omit", "propagate"}))))
    fail_value (options.nan, "nan", "\"omit\" or \"propagate\"");
  elseif (strcmp (tolower (options.nan), "omit"))
    return;
  elseif (isstruct (X))
    error ("gpugeo:argument", "nan must be \"omit\" for points that are not in memory");
  elseif (isfloat (X))
    X(any (isnan (X), 2),:) = NaN;
  endif

endfunction
