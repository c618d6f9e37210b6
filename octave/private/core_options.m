## -*- texinfo -*-
## @deftypefn {} {@var{defaults} =} core_options (@var{family})
## Return the core's options of a family, a structure of their defaults in the order in which messages list them.
## Those of several numbers have @code{[]}.
## @end deftypefn

function defaults = core_options (family)

  persistent kept = struct ();
  if (! isfield (kept, family))
    kept.(family) = __gpugeo__ ("options", family);
  endif
  defaults = kept.(family);

endfunction
