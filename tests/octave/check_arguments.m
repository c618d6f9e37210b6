## [passed, failed, skipped] = check_arguments ()
##
## Calls with wrong arguments: the value is shown as it was given, in the words that R has.  Also options
## of [], messages in UTF-8, the one warning of missing distances, and settings that are misspelt or not valid.

function [passed, failed, skipped] = check_arguments ()

  passed = failed = skipped = 0;
  X = reshape (1:12, 4, 3);
  edges = [1 2; 2 3];
  plan = gpu_tiles_plan (X, "euclidean", "side", 2);
  whole = "threads must be a whole number between 1 and 1024, not ";
  large = "x must have 64-bit integers between -2^53 and 2^53, but in row %d and column %d it is %s";
  cases = {
    @() gpu_knnsearch(X, "K", [1 2]), "k must be a whole number, not [1 2]"
    @() gpu_knnsearch(X, "K", [1; 2]), "k must be a whole number, not [1; 2]"
    @() gpu_knnsearch(X, "K", "3"), "k must be a whole number, not \"3\""
    @() gpu_knnsearch(X, "K", true), "k must be a whole number, not true"
    @() gpu_knnsearch(X, "K", NA), "k must be a whole number, not NA"
    @() gpu_knnsearch(X, "K", NaN), "k must be a whole number, not NaN"
    @() gpu_knnsearch(X, "K", 1:9), "k must be a whole number, not [1 2 3 4 5 ...]"
    @() gpu_knnsearch(X, "K", ["ab"; "cd"]), "k must be a whole number, not a matrix of characters"
    @() gpu_knnsearch(X, "K", {}), "k must be a whole number, not a cell array"
    @() gpu_knnsearch(X, "K", struct()), "k must be a whole number, not a structure"
    @() gpu_knnsearch(X, "K", @sin), "k must be a whole number, not a function"
    @() gpu_knnsearch(X, "K", 1i), "k must be a whole number, not a complex number"
    @() gpu_knnsearch(X, "K", eye(2)), "k must be a whole number, not a 2 x 2 matrix"
    @() gpu_knnsearch(X, "K", ""), "k must be a whole number, not \"\""
    @() gpu_pdist(X, "euclidean", "threads", "2"), [whole "\"2\""]
    @() gpu_pdist(X, "euclidean", "threads", [true false]), [whole "[true false]"]
    @() gpu_pdist(X, "euclidean", "memory_limit", "4GB"), ...
      "memory_limit must be a whole number of at least 1048576, not \"4GB\""
    @() gpu_pdist(X, "euclidean", "p", -2), "p must be a positive number, not -2"
    @() gpu_pdist(X, "euclidean", "progress", "yes"), "progress must be true or false, not \"yes\""
    @() gpu_pdist(X, 3), "metric must be a single string, not 3"
    @() gpu_pdist(X, "seuclidean", "scale", [1 NA 1]), "scale must be positive and finite, but value 2 is NA"
    @() gpu_layout(edges, "seed", "a"), "seed must be a whole number of at least 0, not \"a\""
    @() gpu_layout(edges, "dim", {2}), "dim must be a whole number, not a cell array"
    @() gpu_layout([edges, [1; NA]]), "edge 2 (2, 3): weight must be between 0 and 1000000000, not NA"
    @() gpu_layout(edges, "fixed", "a"), ...
      "fixed must be true or false for each vertex, or numbers of vertices from 1 to 3, not \"a\""
    @() gpu_dgp(1:3, "tol", "small"), "tol must be at least 0 and finite, not \"small\""
    @() gpu_dgp_instance("n"), "n must be a whole number, not \"n\""
    @() gpu_dgp_instance(3, int64(9007199254740992) + int64(1)), ...
      "seed must be a whole number between 0 and 9007199254740992, not 9007199254740993"
    @() gpu_collisions_fetch(1), "future must be one that gpu_collisions_launch() gave, not 1"
    @() gpu_dist_tile(X, plan, 4), "tile must be between 1 and 3 (the tiles there are), not 4"
    @() gpu_dist_tile(X, 1, 1), "plan must be a result of gpu_tiles_plan(), not 1"
    @() gpu_knnsearch(X, "K", repmat ("ab", 1, 50)), sprintf("k must be a whole number, not \"%s...\"", repmat ("ab", 1, 20))
    @() gpu_dgp_instance([]), "n must be a whole number, not []"
    @() gpu_dgp_instance(3, []), "seed must be a whole number of at least 0, not []"
    @() gpu_dgp(1:3, []), "option names must be single strings, not []"
    @() gpu_dgp([]), "d must have between 1 and 127 distances, not 0"
    @() gpu_dgp_sums([]), "d must have between 1 and 30 distances, not 0"
    @() gpu_dist_tile(X, plan, []), "tile must be between 1 and 3 (the tiles there are), not []"
    @() gpu_dist_tile(X, [], 1), "plan must be a result of gpu_tiles_plan(), not []"
    @() gpu_rangesearch(X, X, []), "r must be a number of at least 0, not []"
    @() gpu_collisions(X, []), ...
      "radius must be given, or radii: the largest distance at which points collide"
    @() gpu_collisions_fetch([]), "future must be one that gpu_collisions_launch() gave, not []"
    @() gpu_linkage(X, []), "method must be a single string, not []"
    @() gpu_pdist(X, []), "metric must be a single string, not []"
    @() gpu_pdist2(X, []), "y must have 3 columns, as x has, not 0"
    @() gpu_neighbor_graph(X, "k", []), "one of k and radius must be given, and not both"
    @() gpu_silhouette(X, []), "clust must have a number for each of the 4 points, not 0 numbers"
    @() gpu_layout_quality(edges, []), "xy must have 2 or 3 columns, not 0"
    @() gpu_dist_file([]), "file must be a single string, not []"
    @() gpu_hdf5("f", []), "name must be a single string, not []"
    @() gpu_read_edges([]), "file must be a single string, not []"
    @() gpu_pdist(uint64([18446744073709551615; 18446744073709551610])), ...
      sprintf(large, 1, 1, "18446744073709551615")
    @() gpu_pdist([int64(1), int64(2); int64(3), -(int64(9007199254740992) + int64(1))]), ...
      sprintf(large, 2, 2, "-9007199254740993")
    @() gpu_layout(edges, "lower", intmax("int64")), ...
      strrep(sprintf(large, 1, 1, "9223372036854775807"), "x must", "lower must")
  };
  for i = 1:rows (cases)
    message = identifier = "";
    try
      cases{i,1} ();
    catch failure
      message = failure.message;
      identifier = failure.identifier;
    end_try_catch
    [passed, failed] = count (strcmp (message, cases{i,2}) && strcmp (identifier, "gpugeo:argument"), ...
                              sprintf ("\"%s\" (%s), not \"%s\"", message, identifier, cases{i,2}), ...
                              passed, failed);
  endfor

  for check = {@check_defaults, @check_utf8, @check_misspelt, @check_missing, @check_invalid}
    [p, f] = check{1} ();
    passed += p;
    failed += f;
  endfor

endfunction

function [passed, failed] = count (good, text, passed, failed)

  passed += good;
  failed += ! good;
  if (! good)
    printf ("FAILED: %s\n", text);
  endif

endfunction

## An option whose value is [] has its default.
function [passed, failed] = check_defaults ()

  passed = failed = 0;
  X = [0 0; 3 4; 9 1];
  edges = [1 2; 2 3];
  cases = {
    @() gpu_knnsearch(X, "K", []), @() gpu_knnsearch(X)
    @() gpu_pdist(X, "minkowski", []), @() gpu_pdist(X, "minkowski")
    @() gpu_pdist(X, "minkowski", "p", []), @() gpu_pdist(X, "minkowski")
    @() gpu_pdist(X, "euclidean", "threads", []), @() gpu_pdist(X)
    @() gpu_pdist(X, "euclidean", "memory_limit", []), @() gpu_pdist(X)
    @() gpu_closest_pair(X, "k", []), @() gpu_closest_pair(X)
    @() gpu_layout(edges, "dim", [], "theta", [], "seed", 1), @() gpu_layout(edges, "seed", 1)
    @() gpu_dgp(1:3, "tol", []), @() gpu_dgp(1:3)
    @() gpu_cmdscale(gpu_pdist (X), []), @() gpu_cmdscale(gpu_pdist (X))
  };
  for i = 1:rows (cases)
    [passed, failed] = count (isequal (cases{i,1} (), cases{i,2} ()), func2str (cases{i,1}), passed, failed);
  endfor

endfunction

## Messages are cut between the characters of UTF-8.
function [passed, failed] = check_utf8 ()

  passed = failed = 0;
  e_acute = char ([195 169]);
  face = char ([240 159 152 128]);
  for before = 0:3
    name = [repmat('a', 1, before), repmat(e_acute, 1, 100), repmat(face, 1, 100)];
    path = fullfile (tempdir (), [name name name]);
    for call = {@() gpu_pdist([1; 2], name), @() gpu_knnsearch([1; 2], "Distance", name), ...
                @() gpu_knnsearch([1; 2], "K", name), @() gpu_linkage([1; 2], name), ...
                @() gpu_pdist([1; 2], "euclidean", "backend", name), @() gpu_read_edges(path), ...
                @() gpu_options(name)}
      message = "";
      try
        call{1} ();
      catch failure
        message = failure.message;
      end_try_catch
      good = ! isempty (strfind (message, e_acute)) && is_utf8 (message);
      [passed, failed] = count (good, sprintf ("%s: %s", func2str (call{1}), message), passed, failed);
    endfor
  endfor
  [passed, failed] = count (is_utf8 (['a' e_acute face]), "is_utf8 accepts", passed, failed);
  [passed, failed] = count (! is_utf8 (face(1:3)) && ! is_utf8 ([e_acute(1) 'a']) && ! is_utf8 (face(2:4)), ...
                            "is_utf8 refuses", passed, failed);

endfunction

## True if a text consists of whole characters: a first byte, and as many others as it announces.
function whole = is_utf8 (text)

  codes = double (text);
  kinds = repmat ("X", size (codes));
  kinds(codes < 128) = "1";
  kinds(codes >= 128 & codes < 192) = "N";
  kinds(codes >= 194 & codes < 224) = "2";
  kinds(codes >= 224 & codes < 240) = "3";
  kinds(codes >= 240 & codes < 245) = "4";
  whole = ! isempty (regexp (kinds, "^(1|2N|3NN|4NNN)*$", "once"));

endfunction

## An environment variable with a misspelt name gives one warning in a session.
function [passed, failed] = check_misspelt ()

  passed = failed = 0;
  code = sprintf ("addpath ('%s'); gpu_pdist ([1; 2]); gpu_pdist ([1; 2]); gpu_options ();", getenv ("GPUGEO_OCTAVE"));
  cases = {"GPUGEO_THREAD", 1; "GPUGEO_THREADS", 0};
  for i = 1:rows (cases)
    command = sprintf ("%s=2 '%s' --norc --quiet --no-gui --eval \"%s\" 2>&1", cases{i,1}, ...
                       fullfile (OCTAVE_HOME (), "bin", "octave-cli"), code);
    [~, printed] = system (command);
    warned = numel (strfind (printed, "GPUGEO_THREAD is not known; the setting is GPUGEO_THREADS"));
    [passed, failed] = count (warned == cases{i,2}, printed, passed, failed);
  endfor

endfunction

## Warnings of missing distances.  2^53 itself is a number like others.
function [passed, failed] = check_missing ()

  passed = failed = 0;
  X = [1 2 4; 5 5 5; 2 9 1; NaN NaN NaN; 3 3 NaN];
  cases = {
    @() gpu_pdist(X), ""
    @() gpu_pdist(X, "correlation"), "9 distances are missing: rows 2, 4, 5 are constant or have no values"
    @() gpu_pdist(X, "squaredeuclidean"), "4 distances are missing: row 4 has no values"
    @() gpu_pdist2(X(1:3,:), X(4:5,:), "spearman"), ...
      "6 distances are missing: row 2 of x and rows 1, 2 of y are constant or have no values"
    @() gpu_knnsearch(X, X(2:3,:), "Distance", "correlation"), ...
      "1 distance is missing: row 1 of y is constant"
    @() gpu_pdist(int64([9007199254740992; 0])), ""
    @() gpu_tiles_plan(X, "correlation", "side", 2), ""
    @() gpu_dist_tile(X, gpu_tiles_plan (X, "correlation", "side", 2), 2), ...
      "3 distances are missing: rows 2, 4 are constant or have no values"
    @() gpu_dist_tile(X(1:3,:), gpu_tiles_plan (X(1:3,:), "spearman", "y", X(4:5,:), "side", 2), 2, X(4:5,:)), ...
      "2 distances are missing: rows 1, 2 of y are constant or have no values"
    @() gpu_dist_tiles(X, @(varargin) [], "correlation", "side", 2), ...
      "9 distances are missing: rows 2, 4, 5 are constant or have no values"
    @() gpu_rangesearch(X, [], 9, "Distance", "correlation"), ""
  };
  file = [tempname() '.h5'];
  if (! isempty (gpu_info ().hdf5))
    ## Rows 2, 4 and 5 of the square matrix are missing, so that it is an example of points.
    points = @() gpu_hdf5 (file, "matrix");
    cases = [cases; {
      @() gpu_pdist(X, "correlation", "file", file, "file_shape", "square"), cases{2,2}
      @() gpu_pdist(points (), "squaredeuclidean"), "9 distances are missing: rows 2, 4, 5 have no values"
    }];
  endif
  for i = 1:rows (cases)
    lastwarn ("", "");
    evalc ("cases{i,1} ();");  # keeps warnings off the screen
    text = lastwarn ();
    [passed, failed] = count (strcmp (text, cases{i,2}), ...
                              sprintf ("warning \"%s\", not \"%s\"", text, cases{i,2}), passed, failed);
  endfor
  if (exist (file, "file"))
    delete (file);
  endif

endfunction

## gpu_info tells which defaults a call would refuse.
function [passed, failed] = check_invalid ()

  passed = failed = 0;
  kept = getenv ("GPUGEO_PRECISION");
  [passed, failed] = count (isempty (fieldnames (gpu_info ().invalid)), "no default is wrong", passed, failed);
  setenv ("GPUGEO_PRECISION", "half");
  unwind_protect
    invalid = gpu_info ().invalid;
    shown = evalc ("gpu_info ()");
  unwind_protect_cleanup
    setenv ("GPUGEO_PRECISION", kept);
  end_unwind_protect
  wanted = "precision must be one of \"double\", \"single\", not \"half\"";
  [passed, failed] = count (isequal (invalid, struct ("precision", wanted)), "gpu_info ().invalid", passed, failed);
  [passed, failed] = count (! isempty (strfind (shown, ["Not valid: " wanted])), "gpu_info prints it", passed, failed);

endfunction
