## [passed, failed, skipped] = check_peers ()
##
## Compares the clusterings of other packages in tests/peers (see its README.md) with those of gpugeo, and
## prints what failed and what was left out.

function [passed, failed, skipped] = check_peers ()

  passed = failed = skipped = 0;
  warning ("off", "gpugeo:monotone", "local");
  folder = fullfile (fileparts (mfilename ("fullpath")), "..", "peers");
  matrices = read_matrices (fullfile (folder, "matrices.txt"));
  has_statistics = ! isempty (pkg ("list", "statistics"));
  is_loaded = has_statistics && pkg ("list", "statistics"){1}.loaded;
  before = warning ();
  if (has_statistics && ! is_loaded)
    warning ("off", "all");  # the package warns that it shadows functions of Octave
    pkg load statistics
  endif
  unwind_protect
    for row = read_cases (fullfile (folder, "cases.csv"))
      if (any (strcmp (row.function, {"cluster", "inconsistent"})) && ! has_statistics)
        printf ("skipped: %s: the statistics package is not installed\n", row.case);
        skipped++;
        continue;
      endif
      problem = run_case (row, matrices.(row.x), matrices.(row.expected));
      if (isempty (problem))
        passed++;
      else
        printf ("FAILED: %s: %s\n", row.case, problem);
        failed++;
      endif
    endfor
  unwind_protect_cleanup
    if (has_statistics && ! is_loaded)
      pkg unload statistics
    endif
    warning (before);
  end_unwind_protect

endfunction

## What went wrong, or "".
function problem = run_case (row, x, expected)

  tolerance = str2double (row.tolerance);
  options = read_options (row.options);
  switch (row.function)
    case "linkage"
      Z = gpu_linkage (x, row.method);
      problem = differ (Z(:,3), expected(:,3), tolerance, "heights");
      if (isempty (problem))
        problem = differ (heights_between (Z), heights_between (expected), tolerance, "cophenetic distances");
      endif
      if (isempty (problem) && strcmp (row.compare, "all"))
        problem = differ (Z(:,1:2), expected(:,1:2), 0, "merges");
      endif
    case "cluster"
      Z = gpu_linkage (x, row.method);
      if (isfield (options, "height"))
        found = cluster (Z, "Cutoff", options.height, "Criterion", "distance");
      else
        found = cluster (Z, "MaxClust", options.count);
      endif
      problem = differ_partitions (found, expected);
    case "inconsistent"
      found = inconsistent (gpu_linkage (x, row.method), options.depth);
      problem = differ (found, expected, tolerance, "inconsistencies");
    case "mst"
      problem = differ (gpu_mst (x), expected, tolerance, "edges");
    case "dbscan"
      [found, is_core] = gpu_dbscan (x, options.eps, options.min_points);
      if (! options.border)
        found(! is_core) = -1;
      endif
      found(found < 0) = 0;
      problem = differ (found, expected, 0, "clusters");
    case "hdbscan"
      [found, tree] = gpu_hdbscan (x, options.min_points);
      found(found < 0) = 0;
      problem = differ_partitions (found, expected(:,1));
      if (isempty (problem))
        actual = [tree.coredist, tree.membership, [tree.Z(:,3); 0]];
        problem = differ (actual, expected(:,2:4), tolerance, "core distances, memberships or heights");
      endif
  endswitch

endfunction

## The options of a case as a structure.
function options = read_options (text)

  options = struct ();
  for pair = regexp (text, "(\\w+)=([^;]+)", "tokens")
    [name, value] = pair{1}{:};
    if (any (strcmp (value, {"true", "false"})))
      options.(name) = strcmp (value, "true");
    else
      options.(name) = str2double (value);
    endif
  endfor

endfunction

## Says that values differ by more than the tolerance, relative to those expected and at least to 1e-3; or "".
function problem = differ (actual, expected, tolerance, what)

  problem = "";
  if (! isequal (size (actual), size (expected)))
    problem = [what " have another size"];
  else
    error = max ((abs (actual - expected) ./ max (abs (expected), 1e-3))(:));
    if (! (error <= tolerance))
      problem = sprintf ("%s differ by %g of their values", what, error);
    endif
  endif

endfunction

## Says that two vectors have different groups, or noise, 0, whatever the numbers of the groups are; or "".
function problem = differ_partitions (found, expected)

  problem = "";
  pairs = unique ([found(:), expected(:)], "rows");
  is_map = @(k) numel (unique (pairs(:,k))) == rows (pairs);
  if (! (is_map (1) && is_map (2) && isequal (found(:) == 0, expected(:) == 0)))
    problem = "the groups differ";
  endif

endfunction

## The matrix of cophenetic distances, by the definition.
function heights = heights_between (Z)

  n = rows (Z) + 1;
  members = num2cell (1:n);
  heights = zeros (n);
  for k = 1:n-1
    [a, b] = members{Z(k,1:2)};
    heights(a,b) = heights(b,a) = Z(k,3);
    members{n+k} = [a, b];
  endfor

endfunction
