## One small call of each kind, good and bad, for a run under valgrind, which must name no function of
## gpugeo in what it reports:
##
##   valgrind --leak-check=full --show-leak-kinds=definite --keep-debuginfo=yes \
##     octave-cli --norc --path build/octave tests/octave/smoke.m
##
## Nothing here asks for CUDA devices: what marks the process that did is there for the process's life.

rand ("twister", 1);
x = rand (20, 5);
x(3,2) = NaN;
warning ("off", "gpugeo:missing");  # of row 3
pairs = 190;
for metric = {"euclidean", "minkowski", "mahalanobis", "seuclidean", "binary", "correlation", "spearman"}
  assert (size (gpu_pdist (x, metric{1})), [1 pairs]);
  assert (size (gpu_pdist2 (single (x), x, metric{1})), [20 20]);
endfor
assert (size (gpu_pdist (int32 (x))), [1 pairs]);
assert (size (gpu_pdist (sparse (x))), [1 pairs]);
assert (gpu_pdist (repmat (intmin ("int32"), 2, 2)), 0);
assert (gpu_pdist (zeros (0, 3)), zeros (1, 0));
assert (size (gpu_corr (x, "rows", "pairwise")), [5 5]);
assert (size (gpu_corr (x, x(:,1:2), "type", "Spearman", "rows", "pairwise")), [5 2]);

p = x(:,[1 3 5]);
p(3,:) = p(4,:);
assert (gpu_closest_pair (p), 0);
assert (size (gpu_closest_pair (single (p), p(1:9,:), "k", 12)), [12 1]);
assert (gpu_closest_pair (int32 (9 * p), "algorithm", "sweep-v2") >= 0);
for algorithm = {"grid", "usual", "cyclic"}
  for what = {"count", "per_point", "pairs", "table"}
    given = {"radius", 0.3, "algorithm", algorithm{1}, "what", what{1}};
    if (strcmp (what{1}, "table"))
      given = [given, {"group", {"a"; "b"}(1 + mod (1:20, 2))}];
    endif
    future = gpu_collisions_launch (p, given{:});
    assert (gpu_collisions_fetch (future), gpu_collisions (p, given{:}));
    future = gpu_collisions_launch (p, given{:});  # and never fetched
  endfor
endfor
assert (gpu_collisions (int32 (9 * p), "radius", 0.5, "algorithm", "lattice") >= 1);

q = rand (20, 2);
assert (size (gpu_knnsearch (q, "K", 3)), [20 3]);
assert (size (gpu_rangesearch (q, q(1:9,:), 0.3)), [9 1]);
assert (columns (gpu_neighbor_graph (q, "K", 3, "Weights", "fuzzy")), 2);
assert (size (gpu_linkage (q)), [19 3]);
assert (size (gpu_mst (q)), [19 3]);
assert (size (gpu_dbscan (q, 0.2, 3)), [20 1]);
assert (size (gpu_hdbscan (q, 4)), [20 1]);
assert (size (gpu_hdbscan (gpu_pdist (q), 4, "metric", "precomputed")), [20 1]);
assert (size (gpu_kmedoids (q, 3)), [20 1]);
assert (size (gpu_kmeans (q, 3)), [20 1]);
assert (numel (gpu_optics (q).order), 20);
assert (size (gpu_lof (q)), [20 1]);
assert (gpu_validity (q, 1 + mod (1:20, 3)).n, 20);
assert (gpu_evalclusters (q, "kmeans", "DaviesBouldin", "KList", 2:3).InspectedK, 2:3);
assert (size (gpu_seqneighjoin (gpu_pdist (q)).edges), [37 2]);
assert (size (gpu_seqlinkage (gpu_pdist (q)).edges), [38 2]);
assert (gpu_optimalleaforder ([2 3 1; 1 4 2], [4 2 1]), [1 3 2]);
assert (nthargout (3, @gpu_dendrogram, [2 3 1; 1 4 2], "Draw", false), 1:3);
assert (size (gpu_silhouette (q, 1 + mod (1:20, 3))), [20 1]);
d = gpu_pdist (q);
group = 1 + mod (1:20, 3);
few = {"permutations", 9};
given = [few, {"Distance", "precomputed"}];
for threads = [1 2]
  assert (size (gpu_permanova (q, {group, group > 1}, few{:}, "threads", threads)), [2 1]);
  assert (size (gpu_permanova (d, 1 + mod (1:20, 5), given{:}, "threads", threads)), [1 1]);
  assert (size (gpu_anosim (d, group, given{:}, "threads", threads)), [1 1]);
  assert (size (gpu_mrpp (d, group, given{:}, "threads", threads)), [1 1]);
  for type = {"pearson", "spearman"}
    assert (gpu_mantel (d, d, gpu_pdist (p), few{:}, "Type", type{1}, "threads", threads), 1, 1e-12);
  endfor
  assert (size (gpu_cmdscale (d, 2, "threads", threads)), [20 2]);
  assert (size (gpu_cmdscale (d .^ 2, 2, "correction", "cailliez", "threads", threads)), [20 2]);
  assert (size (gpu_mdscale (d, 2, "Criterion", "sammon", "threads", threads)), [20 2]);
  assert (size (gpu_mdscale (d, 2, "Criterion", "strain", "threads", threads)), [20 2]);
endfor
assert (rows (gpu_cmdscale (rand (400, 3), 2, "metric", "cityblock")), 400);
assert (gpu_permanova ([1; 2; 4], [1 1 2]) > 0);
path = [tempname(), ".h5"];
if (! isempty (gpu_info ().hdf5))
  unwind_protect
    in_file = gpu_pdist (q, "euclidean", "file", path);
    assert (gpu_mantel (in_file, d, few{:}), 1, 1e-12);
    assert (size (gpu_anosim (in_file, group, few{:})), [1 1]);
  unwind_protect_cleanup
    unlink (path);
  end_unwind_protect
endif
assert (size (gpu_layout ([1 2; 2 3; 3 1])), [3 2]);
path = tempname ();
unwind_protect
  dlmwrite (path, [1 2; 2 3; 3 1], " ");
  assert (size (gpu_read_edges (path)), [3 2]);
unwind_protect_cleanup
  unlink (path);
end_unwind_protect

bad = {@() gpu_pdist("text"), @() gpu_pdist(x, "minkowski", -1), @() gpu_pdist(ones (3), "mahalanobis"), ...
       @() gpu_pdist2(x, x(:,1)), @() gpu_corr(x, "rows", 1), @() gpu_pdist(x, "euclidean", "backend", "gpu"), ...
       @() gpu_closest_pair(x), @() gpu_closest_pair(p, "k", 191), @() gpu_collisions(p, "radius", 0), ...
       @() gpu_collisions_launch([NaN; 1], 1), @() gpu_collisions_fetch(1), @() gpu_mantel(d, struct ("file", 1)), ...
       @() gpu_mantel(d, [d, 1]), @() gpu_mantel(d, [NaN, d(2:end)]), @() gpu_permanova(q, group(1:3)), ...
       @() gpu_anosim(q, group, "permutations", ones (1, 20)), @() gpu_cmdscale(d, 0), @() gpu_mrpp(-d, group, given{:}), ...
       @() gpu_mdscale(d, 2, "Start", ones (20, 2)), @() gpu_kmedoids(q, 0)};
for call = bad
  try
    call{1} ();
    error ("smoke: no error from %s", func2str (call{1}));
  catch failure
    assert (strncmp (failure.identifier, "gpugeo:", 7));
  end_try_catch
endfor
