## [passed, failed, skipped] = check_interrupt ()
##
## Ctrl-C during long calls, by interrupt.py, and prints what failed or was left out.

function [passed, failed, skipped] = check_interrupt ()

  passed = failed = skipped = 0;
  if (system ("python3 -c 'import pty' 2>/dev/null") != 0)
    printf ("skipped: Ctrl-C: there is no python3 to press it\n");
    skipped = 1;
    return;
  endif

  octave = fullfile (OCTAVE_EXEC_HOME (), "bin", "octave-cli");
  compiled = fileparts (which ("__gpugeo__"));
  scripts = fileparts (which ("gpu_pdist"));
  script = fullfile (fileparts (mfilename ("fullpath")), "interrupt.py");
  [~, text] = system (sprintf ("python3 '%s' '%s' '%s' '%s'", script, octave, compiled, scripts));

  for line = strsplit (strtrim (text), "\n")
    if (strncmp (line{1}, "passed: ", 8))
      passed++;
    else
      printf ("%s\n", line{1});
      failed++;
    endif
  endfor
  if (passed == 0 && failed == 0)
    printf ("FAILED: %s checked nothing\n", script);
    failed = 1;
  endif

endfunction
