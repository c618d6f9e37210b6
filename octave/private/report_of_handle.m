## -*- texinfo -*-
## @deftypefn {} {@var{info} =} report_of_handle (@var{start})
## Return the structure of a report of a computation by a function, on one thread, since @code{tic} returned
## @var{start}.
## @end deftypefn

function info = report_of_handle (start)

  info = struct ("backend", "cpu", "device", -1, "devices", 0, "threads", 1, "seconds", toc (start), ...
                 "device_seconds", 0);

endfunction
