## Runs the tests in every user function that make built and the check_*.m of tests/octave, and closes with
## the line that tools/check adds up.  GPUGEO_OCTAVE is the folder that was built.
built = getenv ("GPUGEO_OCTAVE");
addpath (built, "tests/octave");
passed = failed = skipped = 0;

for file = glob (fullfile (built, "gpu_*.m"))'
  [n, all, ~, ~, no_feature, no_condition] = test (file{1}, "quiet", stdout);
  passed += n;
  failed += all - n;
  skipped += no_feature + no_condition;
endfor

for file = glob ("tests/octave/check_*.m")'
  [~, name] = fileparts (file{1});
  printf (">>>>> %s\n", name);
  [n, bad, left_out] = feval (name);
  passed += n;
  failed += bad;
  skipped += left_out;
endfor

printf ("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
exit (failed > 0);
