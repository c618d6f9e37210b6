## [passed, failed, skipped] = check_locale ()
##
## Names in upper case are understood in a Turkish locale, in which "I" is not the capital of "i".  Prints what failed
## or was left out.

function [passed, failed, skipped] = check_locale ()

  passed = failed = skipped = 0;
  folder = tempname ();
  script = [tempname() '.m'];
  unwind_protect
    mkdir (folder);
    if (system (sprintf ("localedef -i tr_TR -f UTF-8 '%s/tr_TR.UTF-8' > /dev/null 2>&1", folder)) != 0)
      printf ("skipped: a Turkish locale: localedef cannot make it\n");
      skipped = 1;
      return;
    endif
    write_script (script);
    [status, printed] = system (sprintf ("LOCPATH='%s' LC_ALL=tr_TR.UTF-8 '%s' --norc --quiet --no-gui '%s' 2>&1", folder, ...
                                    fullfile (OCTAVE_HOME (), "bin", "octave-cli"), script));
    if (status == 0 && ! isempty (regexp (printed, '^all are understood$', "lineanchors")))
      passed++;
    else
      printf ("FAILED: in a Turkish locale: %s\n", printed);
      failed++;
    endif
  unwind_protect_cleanup
    if (exist (script, "file"))
      delete (script);
    endif
    confirm_recursive_rmdir (false, "local");
    rmdir (folder, "s");
  end_unwind_protect

endfunction

function write_script (name)

  lines = {
    "1;"
    sprintf("addpath ('%s');", getenv ("GPUGEO_OCTAVE"))
    "X = [0 0; 3 4; 9 9];"
    "assert (gpu_pdist (X(1:2,:), 'MINKOWSKI', 1), 7);"
    "assert (gpu_pdist (X(1:2,:), 'BINARY'), 1);"
    "assert (gpu_knnsearch (X, 'INCLUDETIES', true), {2; 1; 2});"
    "assert (gpu_knnsearch (X, 'SortIndices', true, 'CacheSize', 'MAXIMAL', 'Distance', 'CITYBLOCK'), [2; 1; 2]);"
    "assert (gpu_linkage ([3 4 5], 'SINGLE'), [1 2 3; 3 4 4]);"
    "assert (gpu_linkage (X(1:2,:), 'AVERAGE', 'MINKOWSKI'), [1 2 5]);"
    "assert (gpu_collisions (X, 6, 'WHAT', 'PAIRS'), [1 2]);"
    "assert (size (gpu_mdscale ([3 4 5], 1, 'CRITERION', 'METRICSTRESS')), [3 1]);"
    "assert (numel (gpu_kmedoids (X, 1, 'ONLINEPHASE', 'ON', 'Distance', 'CITYBLOCK')), 3);"
    "[~, p] = gpu_corr ([1 2 3 4]', [1 2 3 5]', 'TYPE', 'SPEARMAN', 'TAIL', 'RIGHT');"
    "assert (p, 1 / 24, eps);"
    "gpu_options ('MEMORY_LIMIT', 2^24);"
    "assert (gpu_options ('memory_limit'), 2^24);"
    "setenv ('GPUGEO_DEVICE', '7');"
    "assert (gpu_options ('DEVICE'), 7);"
    "disp ('all are understood')"
  };
  file = fopen (name, "w");
  fprintf (file, "%s\n", lines{:});
  fclose (file);

endfunction
