## Checks that the help of each function has all names that the core's options may have.
function [passed, failed, skipped] = check_names ()

  passed = failed = skipped = 0;
  options = {"gpu_pdist", "metric", "method"; "gpu_pdist", "metric", "singular"; ...
             "gpu_closest_pair", "closest", "metric"; "gpu_closest_pair", "closest", "algorithm"; ...
             "gpu_collisions", "collisions", "algorithm"; "gpu_corr", "cor", "method"; "gpu_corr", "cor", "use"; ...
             "gpu_corr", "bicor", "pearsonfallback"; ...
             "gpu_dgp", "dgp", "algorithm"; "gpu_layout", "layout", "repulsion"; "gpu_layout", "layout", "algorithm"; ...
             "gpu_options", "run", "backend"; "gpu_options", "run", "precision"; ...
             "gpu_linkage", "hclust", "linkage"; "gpu_cmdscale", "pcoa", "correction"};
  for i = 1:rows (options)
    names = __gpugeo__ ("names", options{i,2:3});
    help = lower (get_help_text (options{i,1}));
    absent = names(cellfun (@(name) isempty (strfind (help, lower (name))), names));
    if (numel (names) > 1 && isempty (absent))
      passed++;
    else
      failed++;
      printf ("the help of %s lacks %s\n", options{i,1}, strjoin (absent, ", "));
    endif
  endfor

endfunction
