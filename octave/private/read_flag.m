## -*- texinfo -*-
## @deftypefn {} {@var{flag} =} read_flag (@var{options}, @var{name}, @var{default})
## Return the option @var{name}, which must be true or false, or 1 or 0; @var{default} if it is not given.
## @end deftypefn

function flag = read_flag (options, name, default)

  flag = default;
  if (isfield (options, name))
    flag = options.(name);
    if (! ((islogical (flag) || isnumeric (flag)) && isscalar (flag) && any (flag == [0 1])))
      error ("gpugeo:argument", "%s must be true or false, not %s", name, __gpugeo__ ("show", flag));
    endif
    flag = logical (flag);
  endif

endfunction
