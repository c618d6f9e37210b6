## -*- texinfo -*-
## @deftypefn {} {[@var{options}, @var{asked}] =} read_terms (@var{options}, @var{count})
## Move the options of the terms of @var{count} factors to the structure @var{asked}: what is tested (@code{by}), whether
## factors have interactions, and which of them are numbers, a truth value for each.
## @end deftypefn

function [options, asked] = read_terms (options, count)

  asked = struct ("by", "terms", "interactions", read_flag (options, "interactions", false), ...
                  "continuous", false (1, count));
  if (isfield (options, "by"))
    asked.by = choose_one (options.by, {"terms", "margin", "all"}, "by");
  endif
  if (isfield (options, "continuous"))
    at = options.continuous;
    if (! (isnumeric (at) && all (ismember (at(:), 1:count))))
      fail_value (at, "continuous", sprintf ("numbers of factors, 1 to %d", count));
    endif
    asked.continuous(at) = true;
  endif
  own = {"by", "interactions", "continuous"};
  options = rmfield (options, own(isfield (options, own)));

endfunction
