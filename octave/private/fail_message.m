## -*- texinfo -*-
## @deftypefn {} {} fail_message (@var{name}, @dots{})
## Raise an error with a message that the core has for both languages (src/common/messages.c), and its values.
## @end deftypefn

function fail_message (name, varargin)

  error ("gpugeo:argument", __gpugeo__ ("message", name), varargin{:});

endfunction
