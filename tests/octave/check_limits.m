## [passed, failed, skipped] = check_limits ()
##
## Calls in a process with little address space, on so many threads that not all can be started, fail with
## an error, and the session lives.  Prints what failed or was left out.

function [passed, failed, skipped] = check_limits ()

  passed = failed = skipped = 0;
  if (system ("prlimit --version > /dev/null 2>&1") != 0 || exist ("/proc/self/statm", "file") != 2)
    printf ("skipped: limits of memory: there is no prlimit or /proc\n");
    skipped = 3;
    return;
  endif
  script = [tempname() ".m"];
  unwind_protect
    write_script (script);
    for kib = [40e3, 80e3, 160e3]
      command = sprintf ("GPUGEO_THREADS=16 GPUGEO_TEST_KIB=%d '%s' --norc --quiet --no-gui '%s' 2>&1", kib, ...
                         fullfile (OCTAVE_HOME (), "bin", "octave-cli"), script);
      [~, printed] = system (command);
      if (! isempty (strfind (printed, "lives: 5")) && isempty (strfind (printed, "other:")))
        passed++;
      else
        printf ("FAILED: with %d KiB more: %s\n", kib, printed);
        failed++;
      endif
    endfor
  unwind_protect_cleanup
    delete (script);
  end_unwind_protect

endfunction

function write_script (name)
  lines = {
    "1;"
    ["addpath ('" getenv("GPUGEO_OCTAVE") "');"]
    "x = rand (10000, 3); e = [1:200000; 2:200001]';"
    "gpu_pdist (x(1:2,:));"
    "calls = {@() gpu_pdist(x), @() gpu_corr(rand (10, 3000)), @() gpu_knnsearch(x, x, 'K', 50), ..."
    "  @() gpu_closest_pair(x, 'k', 100000), @() gpu_collisions(x, 'radius', 0.2, 'what', 'pairs'), ..."
    "  @() gpu_dgp_sums(sqrt (2:26)), @() gpu_layout(e, 'iterations', 1)};"
    "pages = fscanf (fopen ('/proc/self/statm'), '%d', 1);"
    "more = str2double (getenv ('GPUGEO_TEST_KIB')) * 1024;"
    "system (sprintf ('prlimit --pid %d --as=%d:', getpid (), pages * 4096 + more));"
    "for k = 1:numel (calls)"
    "  try"
    "    calls{k} ();"
    "    printf ('right\\n');"
    "  catch err"
    "    ours = strcmp (err.identifier, 'gpugeo:memory');"
    "    if (ours || ! isempty (strfind (err.message, 'out of memory')))"
    "      printf ('memory\\n');"
    "    else"
    "      printf ('other: %s %s\\n', err.identifier, err.message);"
    "    endif"
    "  end_try_catch"
    "endfor"
    "printf ('lives: %d\\n', gpu_pdist ([0 0; 3 4]));"
  };
  file = fopen (name, "w");
  fprintf (file, "%s\n", lines{:});
  fclose (file);
endfunction
