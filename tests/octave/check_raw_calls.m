## [passed, failed, skipped] = check_raw_calls ()
##
## Random calls of the MEX function in a process of their own: the session lives.  Prints what failed.

function [passed, failed, skipped] = check_raw_calls ()

  passed = failed = skipped = 0;
  octave = fullfile (OCTAVE_HOME (), "bin", "octave-cli");
  code = sprintf ("addpath ('%s', '%s'); raw_calls (1000, 1)", getenv ("GPUGEO_OCTAVE"), ...
                  fileparts (mfilename ("fullpath")));
  [status, printed] = system (sprintf ('"%s" --norc --quiet --no-gui --eval "%s" 2>&1', octave, code));
  right = regexp (printed, '^lives: 1000 calls, (\d+) right, 5$', "tokens", "once", "lineanchors");
  if (status == 0 && ! isempty (right) && str2double (right{1}) > 50)
    passed++;
  else
    printf ("FAILED: raw_calls (1000, 1): %s\n", printed);
    failed++;
  endif

endfunction
