## Runs the tests of every user function and of tests/octave on what make built, and closes with the line
## that tools/check adds up. GPUGEO_OCTAVE is the folder that was built.
built = getenv ("GPUGEO_OCTAVE");
addpath (built);
files = [glob(fullfile (built, "gpu_*.m")); glob("tests/octave/*.tst")];
passed = failed = skipped = 0;
for k = 1:numel (files)
  [n, all, ~, ~, no_feature, no_condition] = test (files{k}, "quiet", stdout);
  passed += n;
  failed += all - n;
  skipped += no_feature + no_condition;
  printf ("%s: %d of %d\n", files{k}, n, all);
endfor
printf ("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
exit (failed > 0);
