## Runs the tests in every user function that make built and the check_*.m of tests/octave, and closes with
## the line that tools/check adds up.  GPUGEO_OCTAVE is the folder that was built.  A warning that no test expects
## fails if a function of gpugeo or a test raises it.
1;

## Calls a function, prints what it prints, and returns its results and the number of warnings that the functions
## named raised.
function [results, unexpected] = watch (call, count, functions)

  text = evalc ("[results{1:count}] = call ();");
  raised = regexp (text, 'warning: ([^\n]+)\nwarning: called from\n *([@\w/]+)', "tokens");
  raised = raised(cellfun (@(pair) any (strcmp (pair{2}, functions)), raised));
  printf ("%s", regexprep (text, 'warning: [^\n]+\nwarning: called from\n( [^\n]*\n)+\n?', ""));
  for pair = raised
    printf ("FAILED: %s raises an unexpected warning: %s\n", pair{1}{[2 1]});
  endfor
  unexpected = numel (raised);

endfunction

## The functions of gpugeo and of its tests.
function names = our_functions (built)

  folders = {built, fullfile(built, "private"), fullfile(built, "@gpu_future"), "tests/octave"};
  names = {"__test__"};
  for folder = folders
    [~, found] = cellfun (@fileparts, glob (fullfile (folder{1}, "*.m")), "UniformOutput", false);
    names = [names, found'];
  endfor

endfunction

built = getenv ("GPUGEO_OCTAVE");
addpath (built, "tests/octave");
functions = our_functions (built);
passed = failed = skipped = 0;
warning ("on", "all");
warning ("off", "Octave:language-extension");  # ! and endif
for id = {"Octave:missing-semicolon", "Octave:variable-switch-label"}  # packages that tests load have them
  warning ("off", id{1});
endfor

for file = glob (fullfile (built, "gpu_*.m"))'
  [counts, unexpected] = watch (@() test (file{1}, "quiet", stdout), 6, functions);
  passed += counts{1};
  failed += counts{2} - counts{1} + unexpected;
  skipped += counts{5} + counts{6};
endfor

for file = glob ("tests/octave/check_*.m")'
  [~, name] = fileparts (file{1});
  printf (">>>>> %s\n", name);
  [counts, unexpected] = watch (@() feval (name), 3, functions);
  passed += counts{1};
  failed += counts{2} + unexpected;
  skipped += counts{3};
endfor

printf ("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
exit (failed > 0);
