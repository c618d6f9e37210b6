## -*- texinfo -*-
## @deftypefn {} {} fail_value (@var{value}, @var{name}, @var{allowed})
## Raise the error that the argument @var{name} must be what is @var{allowed}, not @var{value}.
## @end deftypefn

function fail_value (value, name, allowed)

  error ("gpugeo:argument", "%s must be %s, not %s", name, allowed, __gpugeo__ ("show", value));

endfunction
