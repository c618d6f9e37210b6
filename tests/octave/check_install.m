## [passed, failed, skipped] = check_install ()
##
## gpu_install in sessions and with caches of their own, of files that need no GPU: GPUGEO_TEST_VARIANTS has the
## folder in which make has built them.  Prints what failed or was left out.

function [passed, failed, skipped] = check_install ()

  passed = failed = skipped = 0;
  folder = getenv ("GPUGEO_TEST_VARIANTS");
  if (! exist (fullfile (folder, "right.so"), "file"))
    printf ("skipped: gpu_install: GPUGEO_TEST_VARIANTS names no folder with right.so\n");
    skipped = 1;
    return;
  endif
  for check = {@wrong_files, @wrong_sum, @installs_and_removes, @other_file, @disk, @downloads}
    try
      left_out = check{1} (folder);
      passed += isempty (left_out);
      if (! isempty (left_out))
        printf ("skipped: %s: %s\n", func2str (check{1}), left_out);
        skipped++;
      endif
    catch failure
      printf ("FAILED: %s: %s\n", func2str (check{1}), failure.message);
      failed++;
    end_try_catch
  endfor

endfunction

## Runs code in another Octave, with the gpugeo in a folder, and returns what it prints; of an error its identifier
## and message.
function text = run_code (code, cache, variables = "", gpugeo = fileparts (which ("gpu_install")))

  script = [tempname() '.m'];
  program = fullfile (OCTAVE_HOME (), "bin", sprintf ("octave-cli-%s", OCTAVE_VERSION ()));
  if (! exist (program, "file"))
    program = "octave-cli";
  endif
  id = fopen (script, "w");
  fprintf (id, "addpath ('%s');\ntry\n%s\ncatch e\n  printf ('%%s: %%s\\n', e.identifier, e.message);\nend\n", ...
           gpugeo, code);
  fclose (id);
  unwind_protect
    [~, text] = system (sprintf ("GPUGEO_CUDA_LIB= R_USER_CACHE_DIR='%s' %s '%s' --no-gui --norc --no-history --quiet '%s' 2>&1", ...
                                 cache, variables, program, script));
    text = strtrim (text);
  unwind_protect_cleanup
    unlink (script);
  end_unwind_protect

endfunction

## An empty cache, which is not created, and the path of the library in it.
function [cache, place] = new_cache ()

  cache = tempname ();
  place = fullfile (cache, "R", "gpugeo", "libgpugeo_cuda.so");

endfunction

function remove_cache (cache)

  confirm_recursive_rmdir (false, "local");
  if (exist (cache, "dir"))
    rmdir (cache, "s");
  endif

endfunction

## Returns a copy of this gpugeo without a CUDA library of its own, which is used before the one in the cache.
function copy = bare_gpugeo ()

  copy = tempname ();
  mkdir (copy);
  names = setdiff (readdir (fileparts (which ("gpu_install"))), {".", "..", "libgpugeo_cuda.so"});
  for i = 1:numel (names)
    [is_copied, text] = copyfile (fullfile (fileparts (which ("gpu_install")), names{i}), copy);
    assert (is_copied, text);
  endfor

endfunction

## The names of all files below a folder, in one line.
function names = files_in (folder)

  [~, names] = system (sprintf ("cd '%s' 2>/dev/null && find . -type f", folder));
  names = strtrim (names);

endfunction

## Checks that a call fails with a message and leaves no file.
function refused (arguments, message, cache = "")

  if (isempty (cache))
    cache = new_cache ();
  endif
  unwind_protect
    text = run_code (sprintf ("gpu_install (%s);", arguments), cache);
    text = regexprep (text, {'^gpugeo:\w+: ', 'ABI number \d+(.*needs) \d+$'}, {"", "ABI number #$1 #"});
    assert (text, message);
    assert (files_in (cache), "");
  unwind_protect_cleanup
    remove_cache (cache);
  end_unwind_protect

endfunction

function left_out = wrong_files (folder)

  left_out = "";
  reasons = {"abi", "has ABI number #, and this gpugeo needs #"; ...
             "version", "is of gpugeo 0.0.9, and this is gpugeo 0.1.0"; ...
             "sources", "was built from other sources of gpugeo 0.1.0"; ...
             "good", "computes wrong distances on variant"};
  for i = 1:rows (reasons)
    file = fullfile (folder, [reasons{i,1} ".so"]);
    refused (sprintf ("'%s'", file), sprintf ("file \"%s\" cannot be installed: it %s", file, reasons{i,2}));
  endfor
  part = [tempname() '.so'];
  id = fopen (fullfile (folder, "right.so"));
  bytes = fread (id, 4000, "*uint8");
  fclose (id);
  id = fopen (part, "w");
  fwrite (id, bytes);
  fclose (id);
  unwind_protect
    refused (sprintf ("'%s'", part), ...
             sprintf ("file \"%s\" cannot be installed: it is not a complete shared object", part));
  unwind_protect_cleanup
    unlink (part);
  end_unwind_protect

endfunction

function left_out = wrong_sum (folder)

  left_out = "";
  file = fullfile (folder, "right.so");
  wrong = repmat ("0", 1, 64);
  refused (sprintf ("'%s', '%s'", file, wrong), ...
           sprintf ("sha256 must be that of the file, %s, not %s", hash ("sha256", fileread (file)), wrong));

endfunction

function left_out = installs_and_removes (folder)

  left_out = "";
  gpugeo = bare_gpugeo ();
  [cache, place] = new_cache ();
  file = fullfile (folder, "right.so");
  sum = hash ("sha256", fileread (file));
  unwind_protect
    text = run_code (sprintf (["i = gpu_install ('file://%s', '%s');\n" ...
                               "printf ('%%s\\n', strjoin (struct2cell (i)', '|'));\n" ...
                               "disp (gpu_pdist ([1; 4], 'euclidean', 'backend', 'cuda'));\n" ...
                               "gpu_install ('%s/no_device.so');\n"], file, upper (sum), folder), ...
                     cache, "", gpugeo);
    assert (text, sprintf (["%s is installed and was tested on variant\n%s|%s|0.1.0|none|variant|\n3\n" ...
                            "%s is installed; it was loaded, but not tested: there is no device\n" ...
                            "this session uses the library that it has loaded before; the new one is used " ...
                            "from the next session on"], place, place, sum, place));
    assert (files_in (cache), "./R/gpugeo/libgpugeo_cuda.so");
    assert (fileread (place), fileread (fullfile (folder, "no_device.so")));
    text = run_code ("x = gpu_install ('remove', true), gpu_install ('remove', true);", cache, "", gpugeo);
    assert (text, sprintf ("%s is removed\nx = 1\nthere is no %s", place, place));
  unwind_protect_cleanup
    remove_cache (cache);
    remove_cache (gpugeo);
  end_unwind_protect

endfunction

function left_out = other_file (folder)

  left_out = "";
  [cache, place] = new_cache ();
  unwind_protect
    text = run_code (sprintf ("gpu_options ('cuda_lib', '/nowhere.so'); gpu_install ('%s/right.so');", folder), cache);
    assert (text, sprintf (["%s is installed and was tested on variant\n" ...
                            "gpugeo does not use it: /nowhere.so does not exist"], place));
  unwind_protect_cleanup
    remove_cache (cache);
  end_unwind_protect

endfunction

function left_out = disk (folder)

  left_out = "";
  file = tempname ();
  fclose (fopen (file, "w"));
  cache = tempname ();
  place = fullfile (cache, "R", "gpugeo");
  mkdir (place);
  unwind_protect
    call = sprintf ("gpu_install ('%s/right.so');", folder);
    assert (run_code (call, file), sprintf ("gpugeo:file: folder \"%s/R/gpugeo\" cannot be created: Not a directory", file));
    system (sprintf ("chmod 0555 '%s'", place));
    if (system (sprintf ("test -w '%s'", place)) == 0)
      left_out = "a folder without permission, since root may write to any";
    else
      assert (run_code (call, cache), sprintf ("gpugeo:file: folder \"%s\" cannot be written to: Permission denied", place));
    endif
  unwind_protect_cleanup
    unlink (file);
    system (sprintf ("chmod 0755 '%s'", place));
    remove_cache (cache);
  end_unwind_protect

endfunction

## Returns the port that the server writes to a file, in a cell, or {} if the server has ended.
function [port, ended] = wait_for_port (output, pid)

  port = {};
  do
    ended = waitpid (pid, WNOHANG ()) == pid;
    if (exist (output, "file"))
      port = regexp (fileread (output), 'port (\d+)', "tokens", "once");
    endif
    pause (0.1);
  until (ended || ! isempty (port))

endfunction

function left_out = downloads (folder)

  left_out = "";
  [cache, place] = new_cache ();
  output = tempname ();
  ended = false;
  sum = hash ("sha256", fileread (fullfile (folder, "right.so")));
  pid = system (sprintf ("exec python3 -u -m http.server 0 --bind 127.0.0.1 --directory '%s' >'%s' 2>&1", folder, output), ...
                false, "async");
  unwind_protect
    [port, ended] = wait_for_port (output, pid);
    if (isempty (port))
      left_out = "no server by python3 -m http.server";
      return;
    endif
    address = sprintf ("http://127.0.0.1:%s/right.so", port{1});
    text = run_code (sprintf ("gpu_install ('%s', '%s');", address, sum), cache, "no_proxy=127.0.0.1");
    assert (strtok (text, "\n"), sprintf ("%s is installed and was tested on variant", place));
    assert (fileread (place), fileread (fullfile (folder, "right.so")));
    text = run_code (sprintf ("gpu_install ('%s.no', '%s');", address, sum), cache, "no_proxy=127.0.0.1");
    assert (! isempty (regexp (text, sprintf ('^gpugeo:argument: "%s.no" cannot be downloaded: .', address))), text);
  unwind_protect_cleanup
    if (! ended)
      kill (pid, SIG ().TERM);
      waitpid (pid);
    endif
    unlink (output);
    remove_cache (cache);
  end_unwind_protect

endfunction
