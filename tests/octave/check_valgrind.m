## [passed, failed, skipped] = check_valgrind ()
##
## smoke.m under valgrind: Octave's own leaks aside, no report may name a function of gpugeo.  Prints what
## failed or was left out.

function [passed, failed, skipped] = check_valgrind ()

  passed = failed = skipped = 0;
  if (system ("command -v valgrind >/dev/null") != 0)
    printf ("skipped: smoke.m under valgrind, which is not installed\n");
    skipped = 1;
    return;
  elseif (numel (gpu_info ().devices) > 0)
    printf ("skipped: smoke.m under valgrind, which does not know what a CUDA driver does\n");
    skipped = 1;
    return;
  endif

  folder = fileparts (mfilename ("fullpath"));
  log = tempname ();
  ## Octave unloads the compiled function before valgrind looks for leaks: keep its names.  What is only
  ## "possibly lost" are the threads of the pool, which wait for the next call.
  [status, text] = system (sprintf (["valgrind --leak-check=full --show-leak-kinds=definite " ...
                                     "--keep-debuginfo=yes --log-file='%s' '%s' --norc " ...
                                     "--path '%s' --path '%s' '%s' 2>&1"], ...
                                    log, fullfile (OCTAVE_EXEC_HOME (), "bin", "octave-cli"), ...
                                    fileparts (which ("__gpugeo__")), fileparts (which ("gpu_pdist")), ...
                                    fullfile (folder, "smoke.m")));
  named = regexp (fileread (log), "[^\\n]*(__gpugeo__|gpugeo::|gpugeo_|gg_)[^\\n]*", "match");
  unlink (log);
  if (status == 0 && isempty (named))
    passed = 1;
  else
    printf ("FAILED: smoke.m under valgrind ends with %d\n%s%s\n", status, text, strjoin (named, "\n"));
    failed = 1;
  endif

endfunction
