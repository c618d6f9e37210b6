## Checks that each function which takes options refuses one that it does not know, by an error that names it.
function [passed, failed, skipped] = check_unknown ()

  passed = failed = skipped = 0;
  X = [0 0; 1 0; 0 3; 4 4; 9 1];
  g = [1; 1; 2; 2; 2];
  edges = [1 2; 2 3];
  xy = [0 0; 1 1; 2 0];
  calls = {
    "gpu_anosim", {X, g}; "gpu_closest_pair", {X}; "gpu_cmdscale", {gpu_pdist(X), 2};
    "gpu_collisions", {X, 1}; "gpu_collisions_fetch", {gpu_collisions_launch(X, 1)};
    "gpu_collisions_launch", {X, 1}; "gpu_cophenetic", {gpu_linkage(X)}; "gpu_corr", {X};
    "gpu_cov", {X}; "gpu_partialcorr", {X}; "gpu_propr", {X}; "gpu_propr_cutoffs", {X}; "gpu_sparcc", {[X X]};
    "gpu_soft_threshold", {X}; "gpu_adjacency", {X}; "gpu_tom", {X};
    "gpu_module_eigengenes", {X, 1:columns(X)};
    "gpu_dbscan", {X, 1, 2}; "gpu_dgp", {[1 1]}; "gpu_dgp_graph", {[1 2 1]}; "gpu_dgp_sums", {[1 1]};
    "gpu_dist_alleles", {X}; "gpu_fastaread", {"file"}; "gpu_dist_edit", {{"A", "C"}, []}; "gpu_seqpdist", {{"A", "C"}};
    "gpu_dist_tiles", {X, @(varargin) []}; "gpu_hdbscan", {X, 2}; "gpu_kmedoids", {X, 2}; "gpu_kmeans", {X, 2};
    "gpu_validity", {X, g}; "gpu_optics", {X, [], 2}; "gpu_lof", {X, 2}; "gpu_evalclusters", {X, g(:), "silhouette"};
    "gpu_graph_distances", {edges}; "gpu_knnsearch", {X}; "gpu_layout", {edges}; "gpu_layout_plot", {edges, xy};
    "gpu_layout_image", {edges, xy};
    "gpu_layout_quality", {edges, xy}; "gpu_linkage", {X, "single", "euclidean"};
    "gpu_mantel", {gpu_pdist(X), gpu_pdist(X)}; "gpu_mdscale", {gpu_pdist(X), 2};
    "gpu_boot_phylo", {{"AC", "AG", "CC"}}; "gpu_optimalleaforder", {gpu_linkage(X), gpu_pdist(X)};
    "gpu_dendrogram", {gpu_linkage(X)};
    "gpu_seqneighjoin", {gpu_pdist(X), "equivar", []};
    "gpu_seqlinkage", {gpu_pdist(X), "average", []};
    "gpu_phytree_read", {"(a,b);"}; "gpu_phytree_write", {[], gpu_seqneighjoin([1 2 3])};
    "gpu_tree_distances", {gpu_seqneighjoin([1 2 3])};
    "gpu_mrpp", {X, g}; "gpu_betadisper", {X, g}; "gpu_dbrda", {X, g};
    "gpu_mst", {X, "euclidean"}; "gpu_neighbor_graph", {X, "K", 1}; "gpu_options", {};
    "gpu_unifrac", {X, gpu_seqneighjoin([1 2 3])}; "gpu_diversity", {X}; "gpu_rarefy", {X, 1}; "gpu_designdist", {X}; "gpu_betadiver", {X, "w"};
    "gpu_pdist", {X, "euclidean"}; "gpu_pdist2", {X, X, "euclidean"}; "gpu_permanova", {X, g};
    "gpu_read_biom", {"file"};
    "gpu_rangesearch", {X, X, 1}; "gpu_read_edges", {"file", []}; "gpu_silhouette", {X, g, "euclidean"};
    "gpu_tiles_plan", {X}; "gpu_write_graph", {edges, xy, "file.gexf"}};
  for i = 1:rows (calls)
    message = "nothing";
    try
      feval (calls{i,1}, calls{i,2}{:}, "nonsense", 1);
    catch err
      message = err.message;
    end_try_catch
    if (isempty (strfind (message, "nonsense")))
      failed++;
      printf ("%s with the option \"nonsense\": %s\n", calls{i,1}, message);
    else
      passed++;
    endif
  endfor

endfunction
