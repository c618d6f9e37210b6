## -*- texinfo -*-
## @deftypefn {} {@var{flag} =} read_flag (@var{options}, @var{name}, @var{default})
## Return the option @var{name}, which must be true or false, or 1 or 0; @var{default} if it is not given.
## @end deftypefn

function flag = read_flag (options, name, default)

  flag = default;
  if (isfield (options, name))
    flag = __gpugeo__ ("check_flag", options.(name), name);
  endif

endfunction
