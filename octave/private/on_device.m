## -*- texinfo -*-
## @deftypefn {} {[@var{D}, @var{info}] =} on_device (@var{options}, @var{x})
## Compute distances that stay on a device until the structure is cleared.
## @end deftypefn

function [D, info] = on_device (options, x)

  [D, info] = __gpugeo__ ("dist_device", options, x);
  number = struct ("device_distances", D.device_distances);
  D.owner = onCleanup (@() __gpugeo__ ("dist_device_free", number));

endfunction
