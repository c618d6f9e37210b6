## [passed, failed, skipped] = check_limits ()
##
## A call of each family in a process with little address space, on so many threads that not all can be
## started, fails with an error, and the session lives.  Prints what failed or was left out.

function [passed, failed, skipped] = check_limits ()

  passed = failed = skipped = 0;
  if (system ("prlimit --version > /dev/null 2>&1") != 0 || exist ("/proc/self/statm", "file") != 2)
    printf ("skipped: limits of memory: there is no prlimit or /proc\n");
    skipped = 2;
    return;
  endif
  script = [tempname() '.m'];
  unwind_protect
    write_script (script);
    for kib = [8e3, 1e5]
      command = sprintf ("GPUGEO_THREADS=16 GPUGEO_TEST_KIB=%d '%s' --norc --quiet --no-gui '%s' 2>&1", kib, ...
                         fullfile (OCTAVE_HOME (), "bin", "octave-cli"), script);
      [~, printed] = system (command);
      ## With the smaller limit, most calls fail.
      short = numel (strfind (printed, "memory:")) > numel (strfind (printed, "right:"));
      if (! isempty (strfind (printed, "lives: 5")) && isempty (strfind (printed, "other:")) && (kib > 8e3 || short))
        passed++;
      else
        printf ("FAILED: with %d KiB more: %s\n", kib, printed);
        failed++;
      endif
    endfor
  unwind_protect_cleanup
    delete (script);
  end_unwind_protect

endfunction

function write_script (name)
  lines = {
    "1;"
    sprintf("addpath ('%s');", getenv ("GPUGEO_OCTAVE"))
    "x = sin (reshape (1:30000, 10000, 3)); many = sin (reshape (1:600000, 200000, 3));"
    "wide = sin (reshape (1:30000, 10, 3000)); e = [1:200000; 2:200001]'; group = repmat ((1:4)', 2500, 1);"
    "points = gpu_pdist (x(1:2000,:)); file = '';"
    "if (! isempty (gpu_info ().hdf5))"
    "  file = [tempname() '.h5'];"
    "endif"
    "calls = {@() gpu_pdist(x), @() gpu_pdist2(x, x), @() gpu_corr(wide), @() gpu_knnsearch(many, many, 'K', 20), ..."
    "  @() gpu_dist_tile(x, gpu_tiles_plan (x, 'euclidean', 'side', 4000), 1), ..."
    "  @() gpu_rangesearch(x, x, 1), @() gpu_neighbor_graph(many, 'k', 20), ..."
    "  @() gpu_closest_pair(x, 'k', 1000000), @() gpu_collisions(x, 'radius', 0.2, 'what', 'pairs'), ..."
    "  @() gpu_collisions_fetch(gpu_collisions_launch (x, 'radius', 0.2, 'what', 'pairs')), ..."
    "  @() gpu_dgp(sqrt (2:33), 'max_solutions', 1e6), @() gpu_dgp_sums(sqrt (2:26)), ..."
    "  @() gpu_dgp_graph([e, ones(200000, 1)], 'max_solutions', 1), ..."
    "  @() gpu_layout(e, 'iterations', 1), @() gpu_layout_quality(e, many([1:end 1],1:2), 'pivots', 2), ..."
    "  @() gpu_linkage(x, 'average'), @() gpu_mst(many), @() gpu_dbscan(many, 0.001, 5), ..."
    "  @() gpu_hdbscan(many, 5), @() gpu_silhouette(many(1:20000,:), repmat ((1:200)', 100, 1)), ..."
    "  @() gpu_kmedoids(x, 3), @() gpu_permanova(x, group, 'metric', 'euclidean', 'permutations', 999), ..."
    "  @() gpu_anosim(x, group, 'metric', 'euclidean', 'permutations', 99), ..."
    "  @() gpu_mrpp(x, group, 'metric', 'euclidean', 'permutations', 999), ..."
    "  @() gpu_mantel(points, points, 'permutations', 999), ..."
    "  @() gpu_cmdscale(x, 2, 'metric', 'euclidean'), @() gpu_mdscale(x, 2, 'metric', 'euclidean')};"
    "if (! isempty (file))"
    "  calls{end+1} = @() gpu_pdist(x(1:4000,:), 'euclidean', 'file', file);"
    "endif"
    "pages = fscanf (fopen ('/proc/self/statm'), '%d', 1);"
    "more = str2double (getenv ('GPUGEO_TEST_KIB')) * 1024;"
    "system (sprintf ('prlimit --pid %d --as=%d:', getpid (), pages * 4096 + more));"
    "for k = 1:numel (calls)"
    "  try"
    "    calls{k} ();"
    "    printf ('right: %s\\n', func2str (calls{k}));"
    "  catch err"
    "    ours = strcmp (err.identifier, 'gpugeo:memory');"
    "    if (ours || ! isempty (strfind (err.message, 'out of memory')))"
    "      printf ('memory: %s\\n', func2str (calls{k}));"
    "    else"
    "      printf ('other: %s %s %s\\n', func2str (calls{k}), err.identifier, err.message);"
    "    endif"
    "  end_try_catch"
    "endfor"
    "printf ('lives: %d\\n', gpu_pdist ([0 0; 3 4]));"
    "if (exist (file, 'file'))"
    "  delete (file);"
    "endif"
  };
  file = fopen (name, "w");
  fprintf (file, "%s\n", lines{:});
  fclose (file);
endfunction
