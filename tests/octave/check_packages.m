## [passed, failed, skipped] = check_packages ()
##
## gpu_pdist and the statistics package: the results go into squareform and linkage and are those of
## pdist and pdist2.  Prints what failed or was left out.

function [passed, failed, skipped] = check_packages ()

  passed = failed = skipped = 0;
  if (isempty (pkg ("list", "statistics")))
    printf ("skipped: squareform, linkage and pdist: the statistics package is not installed\n");
    skipped = 1;
    return;
  endif
  before = pkg ("list", "statistics"){1}.loaded;
  warning ("off", "Octave:shadowed-function", "local");  # some versions shadow mean and others
  pkg load statistics
  unwind_protect
    for check = {@into_squareform, @into_linkage, @same_as_pdist, @same_as_pdist2}
      try
        check{1} ();
        passed++;
      catch failure
        printf ("FAILED: %s: %s\n", func2str (check{1}), strtok (failure.message, "\n"));
        failed++;
      end_try_catch
    endfor
  unwind_protect_cleanup
    if (! before)
      pkg unload statistics
    endif
  end_unwind_protect

endfunction

## Points with structure, but without ties.
function x = points ()
  x = [sin((1:30)'), cos((1:30)' * 2), (1:30)' / 10, mod((1:30)' * 7, 11)];
endfunction

function into_squareform ()
  x = points ();
  S = squareform (gpu_pdist (x));
  assert (size (S), [30 30]);
  assert (S, gpu_pdist2 (x, x));
  assert (squareform (S), gpu_pdist (x));
endfunction

function into_linkage ()
  x = points ();
  for method = {"single", "complete", "average"}
    tree = linkage (gpu_pdist (x), method{1});
    assert (size (tree), [29 3]);
    assert (tree, linkage (pdist (x), method{1}), 1e-12);
  endfor
endfunction

## But for a given scale or covariance: some versions of the package take variances, and no covariance.
function same_as_pdist ()
  x = points ();
  for metric = {"euclidean", "squaredeuclidean", "seuclidean", "mahalanobis", "cityblock", "minkowski", ...
                "cosine", "correlation", "spearman", "hamming", "jaccard", "chebychev"}
    assert (gpu_pdist (x, metric{1}), pdist (x, metric{1}), 1e-12);
  endfor
  assert (gpu_pdist (x, "minkowski", 3), pdist (x, "minkowski", 3), 1e-12);
endfunction

## The metrics whose names all versions of the package know.
function same_as_pdist2 ()
  x = points ();
  y = points ()(1:9,:) + 0.5;
  for metric = {"euclidean", "cosine"}
    assert (gpu_pdist2 (x, y, metric{1}), pdist2 (x, y, metric{1}), 1e-12);
  endfor
endfunction
