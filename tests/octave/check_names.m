## Checks that the help of each function has all names of the core's enums that its options take, by their
## numbers in gpugeo.h.
function [passed, failed, skipped] = check_names ()

  passed = failed = skipped = 0;
  options = {"gpu_pdist", 2; "gpu_closest_pair", 5; "gpu_closest_pair", 6; "gpu_collisions", 8; ...
             "gpu_corr", 3; "gpu_corr", 4; "gpu_dgp", 9; "gpu_layout", 10; "gpu_pdist", 11; "gpu_options", 0; ...
             "gpu_options", 1; "gpu_linkage", 12; "gpu_cmdscale", 13};
  for i = 1:rows (options)
    names = strsplit (__gpugeo__ ("names", options{i,2}), " ");
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
