## Runs the tests of other packages on gpugeo's functions:
##
##   octave-cli tools/bist.m STATISTICS [GPUGEO]
##
## STATISTICS is the folder of an installed or unpacked statistics package, whose tests of pdist, pdist2,
## knnsearch and rangesearch are taken; those of corr are Octave's.  GPUGEO is the folder of gpugeo's functions,
## by default build/octave.  The names in the tests are replaced: pdist becomes gpu_pdist.  Prints how many pass,
## how many are errors that gpugeo raises in other words, and why the others fail.

## Returns the lines of tests in a file, without demos, for gpugeo's functions.  assert_equal belongs to a
## package that Octave 7 cannot install.
function text = tests_of (file)

  lines = strsplit (fileread (file), "\n");
  text = "";
  demo = false;
  for i = 1:numel (lines)
    line = lines{i};
    if (! strncmp (line, "%!", 2))
      continue;
    elseif (! isempty (regexp (line, '^%![a-z]', "once")))
      demo = strncmp (line, "%!demo", 6);
    endif
    if (! demo)
      text = [text, line, "\n"];
    endif
  endfor
  text = regexprep (text, '(?<!\w)(pdist2|pdist|knnsearch|rangesearch|corr)(?=\s*\()', "gpu_$1");
  text = strrep (text, "assert_equal", "assert");

endfunction

## Runs tests.  Returns a structure array with an element for each: its text, whether it passed, and the
## message if it did not.
function results = run_tests (text)

  folder = tempname ();
  mkdir (folder);
  file = fullfile (folder, "bist_tests.m");
  fid = fopen (file, "w");
  fputs (fid, text);
  fclose (fid);
  log = [file ".log"];
  fid = fopen (log, "w");
  evalc ("test (file, \"verbose\", fid);");
  fclose (fid);
  blocks = regexp (fileread (log), '(?<=\n|^)\*{5} ', "split")(2:end);
  confirm_recursive_rmdir (false, "local");
  rmdir (folder, "s");

  results = struct ("test", {}, "passed", {}, "message", {});
  for block = blocks
    [code, failure] = strtok_at (block{1}, "!!!!!");
    if (! any (strncmp (code, {"shared", "functio", "endfunc"}, 6)))
      results(end+1) = struct ("test", code, "passed", isempty (failure), "message", failure);
    endif
  endfor

endfunction

function [before, after] = strtok_at (text, mark)

  at = strfind (text, mark);
  before = text;
  after = "";
  if (! isempty (at))
    before = text(1:at(1)-1);
    after = text(at(1)+numel (mark):end);
  endif

endfunction

## True if gpugeo raised an error of its own where the test wants one.
function yes = in_other_words (result)

  yes = ! result.passed && strncmp (result.test, "error", 5) ...
        && isempty (strfind (result.message, "no error")) && isempty (strfind (result.message, "undefined"));

endfunction

## One line of a text, at most so long.
function line = one_line (text, width)

  line = strtrim (regexprep (text, '\s+', " "));
  if (numel (line) > width)
    line = [line(1:width-3) "..."];
  endif

endfunction

function print_results (name, results)

  passed = sum ([results.passed]);
  others = sum (arrayfun (@in_other_words, results));
  printf ("%-12s %3d of %3d pass, %3d are errors in other words, %3d fail\n", name, passed, numel (results), ...
          others, numel (results) - passed - others);
  for result = results
    if (! result.passed)
      kind = merge (in_other_words (result), "words", "FAILS");
      printf ("  %s  %s\n         %s\n", kind, one_line (result.test, 110), one_line (result.message, 200));
    endif
  endfor

endfunction

arguments = [argv()(:); {"build/octave"}];
if (numel (arguments) < 2)
  error ("give the folder of a statistics package");
endif
addpath (make_absolute_filename (arguments{2}));
[~, data] = system (sprintf ("find '%s' -name 'fisheriris.*'", arguments{1}));  # which some tests load
if (! isempty (data))
  addpath (fileparts (strtok (data, "\n")));
endif
for name = {"pdist", "pdist2", "knnsearch", "rangesearch", "corr"}
  file = which (name{1});
  if (! strcmp (name{1}, "corr"))
    [~, found] = system (sprintf ("find '%s' -name %s.m", arguments{1}, name{1}));
    file = strtok (found, "\n");
  endif
  if (isempty (file))
    printf ("%-12s has no file there\n", name{1});
  else
    print_results (name{1}, run_tests (tests_of (file)));
  endif
endfor
