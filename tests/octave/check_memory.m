## [passed, failed, skipped] = check_memory ()
##
## The core writes into the memory of the result: a call takes hardly more than that.  Prints what failed
## or was left out.

function [passed, failed, skipped] = check_memory ()

  passed = failed = skipped = 0;
  if (exist ("/proc/self/clear_refs", "file") != 2 || ! reset_peak ())
    printf ("skipped: memory of a call: this system does not tell it\n");
    skipped = 2;
    return;
  endif
  rand ("twister", 1);
  x = rand (7000, 2);
  y = rand (7000, 3);
  gpu_pdist (x(1:9,:));  # what is kept from the first call on does not count
  for call = {@() gpu_pdist(x, "euclidean", "backend", "cpu"), ...
              @() gpu_pdist2(y, y, "euclidean", "backend", "cpu")}
    reset_peak ();
    before = memory ("VmRSS");
    result = call{1} ();
    taken = memory ("VmHWM") - before;
    wanted = 8 * numel (result);
    clear result
    if (taken < 1.3 * wanted)
      passed++;
    else
      printf ("FAILED: %s takes %.0f MiB for a result of %.0f MiB\n", func2str (call{1}), ...
              taken / 2^20, wanted / 2^20);
      failed++;
    endif
  endfor

endfunction

## Let the system count the peak anew; false where it refuses.
function done = reset_peak ()
  file = fopen ("/proc/self/clear_refs", "w");
  done = file >= 0;
  if (done)
    done = fprintf (file, "5") == 1;
    done = fclose (file) == 0 && done;
  endif
endfunction

## Bytes that Linux counts for this process.
function bytes = memory (name)
  text = regexp (fileread ("/proc/self/status"), [name ":\\s*(\\d+) kB"], "tokens"){1}{1};
  bytes = 1024 * str2double (text);
endfunction
