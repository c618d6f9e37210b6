## -*- texinfo -*-
## @deftypefn {} {@var{options} =} read_options (@var{own}, @var{pairs})
## Make the structure of options of a call, for the functions of gpugeo only.
##
## @var{pairs} is a cell array of names and values.  Names are those in the cell array @var{own}, or those
## of the options that all functions take; lower and upper case are the same.  What the call does not
## give has its default from @code{gpu_options}.
## @end deftypefn

function options = read_options (own, pairs)

  options = gpu_options ();
  if (isempty (pairs))
    return;
  endif
  known = [own, fieldnames(options)'];

  for i = 1:2:numel (pairs)
    name = pairs{i};
    if (! ischar (name) || rows (name) != 1)
      error ("gpugeo:argument", "option names must be single strings, not %s", ...
             __gpugeo__ ("show", name));
    elseif (! any (strcmp (tolower (name), known)))
      error ("gpugeo:argument", "option must be one of %s, not \"%s\"", ...
             strjoin (strcat ("\"", known, "\""), ", "), name);
    elseif (i == numel (pairs))
      error ("gpugeo:argument", "option \"%s\" has no value", name);
    endif
    value = pairs{i+1};
    if (! (isnumeric (value) && isempty (value)))  # [] stands for the default
      options.(tolower (name)) = value;
    endif
  endfor

endfunction
