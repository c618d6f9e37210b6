## [passed, failed, skipped] = check_golden ()
##
## Runs every row of tests/golden/cases.csv on every backend there is, also with sparse matrices where the
## function takes them, and prints what failed and what was left out.  The format of the rows is that of
## tests/golden/README.md.

function [passed, failed, skipped] = check_golden ()

  passed = failed = skipped = 0;
  folder = fullfile (fileparts (mfilename ("fullpath")), "..", "golden");
  cases = read_cases (fullfile (folder, "cases.csv"));
  with_opt = ! cellfun (@isempty, regexp ({cases.options}, "(^|;)opt=", "once"));
  cases(strcmp ({cases.function}, "cov") & ! with_opt) = [];  # those of R's gpu_cov
  info = gpu_info ();

  for backend = info.backends
    if (! backend.available)
      printf ("skipped: all golden cases on backend %s: %s\n", backend.backend, backend.reason);
      skipped += numel (cases);
      continue;
    endif
    for row = cases
      left_out = why_not (row, folder);
      if (! isempty (left_out))
        printf ("skipped: golden case %s: %s\n", row.case, left_out);
        skipped++;
        continue;
      endif
      for is_sparse = unique ([false, takes_sparse(row)])
        problem = run_case (row, folder, backend.backend, is_sparse);
        if (isempty (problem))
          passed++;
        else
          printf ("FAILED: golden case %s%s on %s: %s\n", row.case, {"", ", sparse"}{1+is_sparse}, ...
                  backend.backend, problem);
          failed++;
        endif
      endfor
    endfor
  endfor

endfunction

## The matrices of matrices.txt in a structure, by their names; read once.
function matrices = all_matrices (folder)

  persistent kept = [];
  if (isempty (kept))
    kept = read_matrices (fullfile (folder, "matrices.txt"));
  endif
  matrices = kept;

endfunction

## A matrix by its name.
function matrix = read_matrix (name, folder)

  shape = regexp (name, "^(\\d+)x(\\d+)$", "tokens", "once");
  if (! isempty (shape))
    matrix = zeros (str2double (shape));
    return;
  endif
  matrix = all_matrices (folder).(name);

endfunction

## Why a case can't be put in Octave, or "".
function why = why_not (row, folder)

  why = "";
  if (strcmp (row.storage, "integer") && any (isnan (read_matrix (row.x, folder)(:))))
    why = "Octave's integers have no missing value";
  elseif (! isempty (strfind (row.options, "file=")) && isempty (gpu_info ().hdf5))
    why = "built without HDF5";
  elseif (any (strcmp (row.case, {"knn-error-k-n", "knn-error-k-query"})))
    why = "K may be larger than the number of points, as in knnsearch";
  elseif (strcmp (row.case, "knn-error-none"))
    why = "X may be empty, as in knnsearch";
  endif

endfunction

## True if a case can be run with sparse matrices, which are of doubles.  Great circles refuse them.
function yes = takes_sparse (row)

  yes = any (strcmp (row.function, {"dist", "cdist", "cor", "cov", "knn", "radius", "unifrac"})) ...
        && ! strcmp (row.storage, "single") && isempty (strfind (row.options, "file=")) ...
        && ! strcmp (row.method, "great-circle");

endfunction

## What went wrong, or "".
function problem = run_case (row, folder, backend, is_sparse)

  storages = struct ("double", @double, "integer", @int32, "single", @single);
  class_in = storages.(row.storage);
  if (is_sparse)
    class_in = @sparse;
  endif
  arguments = {class_in(read_matrix (row.x, folder))};
  if (! isempty (row.y))
    arguments{end+1} = class_in (read_matrix (row.y, folder));
  endif
  [fcn, arguments] = prepare (row, arguments);
  arguments = [arguments, read_options(row.options, folder)];
  own_backend = regexp (row.options, "backend=(\\w+)", "tokens", "once");
  if (isempty (own_backend))
    arguments = [arguments, {"backend", backend}];
  else
    backend = own_backend{1};
  endif

  file = "";
  at = find (strcmp (arguments, "file"));
  if (! isempty (at))
    arguments{at+1} = file = make_file (arguments{at+1}, folder);
  endif

  warned = "";
  message = "";
  warning ("off", "gpugeo:monotone", "local");
  warning ("off", "gpugeo:converged", "local");
  lastwarn ("", "");
  try
    evalc ("[result, info] = call (fcn, arguments);");  # keeps warnings off the screen
    [text, warned] = lastwarn ();
    if (! isempty (warned) && strcmp (warning ("query", warned).state, "off"))
      warned = "";  # Octave 11 writes warnings that are off to lastwarn, too
    elseif (strcmp (warned, "gpugeo:missing"))
      warned = text;
    endif
  catch failure
    message = failure.message;
  end_try_catch
  if (! isempty (file))
    message = strrep (message, file, "{file}");
    remove_file (file);
  endif

  problem = "";
  wanted = own_words (row);
  if (! strcmp (message, wanted))
    problem = sprintf ("error \"%s\", not \"%s\"", message, wanted);
  elseif (isempty (row.error))
    expected = read_matrix (row.expected, folder);
    if (strcmp (row.function, "mds"))
      expected(2:end,:) = turn_to_axes (expected(2:end,:));
    endif
    problem = compare (row, result, expected, warned);
    if (isempty (problem) && ! strcmp (info.backend, backend))
      problem = sprintf ("made by backend %s", info.backend);
    endif
  endif

endfunction

## A file of a kind that tests/golden/README.md describes.
function file = make_file (kind, folder)

  file = [tempname() '.h5'];
  plain = @(shape) gpu_pdist (read_matrix ("plain", folder), "euclidean", "file", file, ...
                              "file_shape", shape);
  switch (kind)
    case "new"
    case "nameless"
      file = "";
    case "no-folder"
      file = fullfile (file, "d.h5");
    case "folder"
      mkdir (file);
    case "pipe"
      assert (mkfifo (file, 600), 0);
    case "block"
      plain ("square");
      fid = fopen (file);
      bytes = fread (fid, Inf, "*uint8");
      fclose (fid);
      fid = fopen (file, "w");
      fwrite (fid, [zeros(512, 1, "uint8"); bytes]);
      fclose (fid);
    case {"text", "empty"}
      fid = fopen (file, "w");
      if (strcmp (kind, "text"))
        fputs (fid, "no HDF5\n");
      endif
      fclose (fid);
    case {"condensed", "square"}
      plain (kind);
    case "read-only"
      plain ("condensed");
      assert (system (sprintf ("chmod 444 '%s'", file)), 0);
    otherwise
      error ("unknown kind of file: %s", kind);
  endswitch

endfunction

function remove_file (file)

  if (isfolder (file))
    rmdir (file);
  elseif (exist (file, "file"))
    delete (file);
  endif

endfunction

## The result, and the last one, which is the report.
function [result, info] = call (fcn, arguments)

  if (isequal (fcn, @gpu_corr))
    [result, ~, info] = fcn (arguments{:});  # weighted correlations have no probabilities
    return;
  endif
  results = cell (1, max (2, abs (nargout (fcn))));
  [results{:}] = fcn (arguments{:});
  result = results{1};
  info = results{end};

endfunction

## The fit of a power, with the options that cases have.
function [result, info] = power_fit (X, varargin)

  varargin(strcmp (varargin, "bins")) = {"nbreaks"};
  varargin(strcmp (varargin, "no_first")) = {"removefirst"};
  at = find (strcmp (varargin, "power"));
  power = varargin{at+1};
  varargin(at:at+1) = [];
  [result, ~, ~, info] = gpu_soft_threshold (X, power, varargin{:});

endfunction

## Overlaps of weights, with the options that cases have.
function [result, info] = overlap_matrix (X, varargin)

  names = {"mean", "no_zero", "no_negative"};
  values = {{"denominator", "mean"}, {"suppresszero", true}, {"suppressnegative", true}};
  for i = 1:3
    at = find (strcmp (varargin, names{i}));
    if (! isempty (at))
      varargin(at:at+1) = values{i};
    endif
  endfor
  [result, info] = gpu_tom (X, "input", "adjacency", varargin{:});

endfunction

## The error of a case, which begins with the name of an argument of Octave's function.
function text = own_words (row)

  names = struct ("dist", {{"method", "metric"}}, "knn", {{"method", "distance"; "query", "y"}}, ...
                  "radius", {{"method", "distance"; "query", "y"; "radius", "r"}});
  names.hclust = {"d", "x"};
  names.trees = {"d", "D"};
  names.unifrac = {"type", "Type"; "alpha", "Alpha"};
  names.hdbscan = {"method", "distance"; "min_points", "minpts"};
  names.silhouette = {"clusters", "clust"; "method", "metric"};
  names.dist_dna = names.dist_aa = {"model", "Method"};
  names.dist_edit = names.edit_neighbors = {"method", "Method"; "max", "Max"};
  names.cdist = names.tiles = names.dist_file = names.dist_points = names.dist_open = names.mst = names.dist;
  text = row.error;
  if (isfield (names, row.function))
    for name = names.(row.function)'
      text = regexprep (text, ["^(|.* must be given with )" name{1} " "], ["$1" name{2} " "]);
    endfor
  endif
  if (! isempty (strfind (text, 'must be one of "euclidean", "sqeuclidean"')))
    text = regexprep (text, {'"manhattan"', '"maximum"', '"pearson"'}, {'"cityblock"', '"chebychev"', '"correlation"'}, "once");
  endif

endfunction

## The function that computes a case, with its arguments so far.  Its value, as a matrix, is what
## tests/golden/README.md says.
function [fcn, arguments] = prepare (row, arguments)

  switch (row.function)
    case "dist"
      fcn = @gpu_pdist;
      arguments{end+1} = row.method;
    case "cdist"
      fcn = @cdist_matrix;
      arguments{end+1} = row.method;
    case "cor"
      fcn = @gpu_corr;
      arguments = [arguments, {"method", row.method}];
    case "adjacency"
      fcn = @gpu_adjacency;
      arguments = [arguments, {"network", row.method}];
    case "scale_free"
      fcn = @power_fit;
      arguments = [arguments, {"network", row.method}];
    case "overlap"
      fcn = @overlap_matrix;
      arguments = [arguments, {"overlap", row.method}];
    case "cov"
      fcn = @cov_matrix;
    case "tiles"
      fcn = @tiles_matrix;
      arguments = {arguments{1}, row.method, "y", [arguments(2:end), {[]}]{1}};
    case "dist_file"
      fcn = @file_matrix;
      arguments{end+1} = row.method;
    case "dist_open"
      fcn = @open_matrix;
    case "dist_points"
      fcn = @points_matrix;
      arguments{1} = row.method;
    case "knn"
      fcn = @knn_matrix;
      arguments = [arguments, {"distance", row.method}];
    case "radius"
      fcn = @radius_matrix;
      arguments = [arguments, {"distance", row.method}];
    case "hclust"
      fcn = @gpu_linkage;
      arguments = [arguments, {row.method, "cityblock", "squared", false}];
    case "hdbscan"
      fcn = @hdbscan_matrix;
      arguments = [arguments, {"distance", row.method}];
    case "permanova"
      fcn = @permanova_matrix;
      arguments = [arguments, {"permutations", 0, "distance", row.method}];
    case "pcoa"
      fcn = @pcoa_matrix;
      arguments = [arguments, {"metric", row.method}];
    case "mds"
      fcn = @mds_matrix;
      arguments = [arguments, {"metric", row.method}];
    case "mrpp"
      fcn = @mrpp_matrix;
      arguments = [arguments, {"permutations", 0, "distance", row.method}];
    case "mst"
      fcn = @gpu_mst;
      arguments{end+1} = row.method;
    case "trees"
      fcn = @tree_matrix;
      arguments{end+1} = row.method;
    case "unifrac"
      fcn = @unifrac_matrix;
      arguments = [arguments, {"type", row.method}];
    case "silhouette"
      fcn = @silhouette_matrix;
      arguments{end+1} = row.method;
    case "pam"
      fcn = @pam_matrix;
      arguments{end+1} = row.method;
    case "closest"
      fcn = @closest_matrix;
      arguments = [arguments, method_option(row)];
    case {"collide_count", "collide_per_point", "collide_pairs", "collide_table"}
      fcn = @gpu_collisions;
      if (numel (arguments) > 1)
        arguments = [arguments(1), {"y"}, arguments(2)];
      endif
      arguments = [arguments, method_option(row), {"what", row.function(9:end)}];
    case "dgp"
      fcn = @dgp_matrix;
      arguments = [arguments, method_option(row)];
    case "dgp_sums"
      fcn = @gpu_dgp_sums;
    case "dgp_graph"
      fcn = @dgp_graph_matrix;
    case "dist_dna"
      fcn = @dna_matrix;
      arguments = {arguments{1}, "method", row.method};
    case "boot_phylo"
      fcn = @boot_matrix;
      arguments{end+1} = row.method;
    case {"dist_edit", "edit_neighbors"}
      fcn = {@edit_matrix, @edit_neighbor_matrix}{1 + strcmp(row.function, "edit_neighbors")};
      arguments = [cellfun(@texts_of, arguments, "UniformOutput", false), {[]}(ones (1, numel (arguments) == 1))];
      arguments = [arguments, {"method", row.method}];
    case "dist_aa"
      fcn = @aa_matrix;
      arguments = {texts_of(arguments{1}), "Alphabet", "AA", "Method", row.method};
    case "layout"
      fcn = @layout_list;
    case "layout_matrix"
      fcn = @(x, init, varargin) gpu_layout (x, "init", init, "multilevel", false, varargin{:});
  endswitch

endfunction

## A row for each point, and next to it one for each merge but the last, of which there is none.
function [result, info] = hdbscan_matrix (X, varargin)

  [min_points, options] = take_option ("min_points", varargin);
  [idx, tree, info] = gpu_hdbscan (X, min_points, options{:});
  idx(idx < 0) = 0;
  result = [idx, tree.membership, tree.outlier, tree.coredist, [tree.Z; 0 0 0]];

endfunction

## One column.
function [result, info] = unifrac_matrix (varargin)

  [edges, options] = take_option ("tree", varargin);
  tree = struct ("edges", edges(:,1:2), "lengths", edges(:,3), "names", {repmat({""}, min (edges(:,1)) - 1, 1)});
  [D, info] = gpu_unifrac (options{1}, tree, options{2:end});
  result = D(:);

endfunction

## A method goes by its name, if there is one.
function option = method_option (row)

  option = {};
  if (! isempty (row.method))
    option = {"algorithm", row.method};
  endif

endfunction

## The value of an option, and the others; [] without it.
function [value, others] = take_option (name, options)

  at = find (strcmp (options, name));
  value = [];
  others = options;
  if (! isempty (at))
    value = options{at+1};
    others(at:at+1) = [];
  endif

endfunction

## The values of the factors, without permutations.
function [result, info] = permanova_matrix (varargin)

  [~, tbl, stats, info] = gpu_permanova (varargin{:});
  factors = 1 + (1:numel (stats.R2));
  result = [cell2mat(tbl(factors,2)), stats.R2', cell2mat(tbl(factors,5))];

endfunction

## The eigenvalues, and below them the coordinates.
function [result, info] = pcoa_matrix (varargin)

  [k, options] = take_option ("k", varargin);
  [Y, e, info] = gpu_cmdscale (options{1}, k, options{2:end});
  result = [e'; Y];

endfunction

## Turns points to their principal axes, as mdscale does.
function Y = turn_to_axes (Y)

  [V, e] = eig (Y' * Y, "vector");
  [~, order] = sort (e, "descend");
  Y = (Y - mean (Y, 1)) * V(:,order);
  Y .*= 1 - 2 * (max (Y, [], 1) < max (abs (Y), [], 1));

endfunction

## The stress, and below it the configuration.  The iterations end too early.
function [result, info] = mds_matrix (varargin)

  [k, options] = take_option ("k", varargin);
  names = {"max_iterations", "tolerance"; "MaxIter", "TolFun"};
  given = struct ();
  for pair = names
    [given.(pair{2}), options] = take_option (pair{1}, options);
  endfor
  [Y, stress, ~, info] = gpu_mdscale (options{1}, k, "Criterion", "metricstress", options{2:end}, ...
                                       "Options", given);
  result = [stress, zeros(1, k - 1); Y];

endfunction

function [result, info] = mrpp_matrix (varargin)

  [~, ~, stats, info] = gpu_mrpp (varargin{:});
  result = [stats.delta; stats.mean; stats.group_mean];

endfunction

## The covariances, whose treatment of missing values is no option.
function [result, info] = cov_matrix (X, varargin)

  flags = struct ("everything", "includenan", "na_or_complete", "omitrows", "pairwise_complete_obs", "partialrows");
  [opt, options] = take_option ("opt", varargin);
  [use, options] = take_option ("use", options);
  flag = {};
  if (! isempty (use))
    flag = {flags.(strrep (use, ".", "_"))};
  endif
  [result, info] = gpu_cov (X, opt, flag{:}, options{:});

endfunction

## The positions of tiles, which no backend computes.
function [result, info] = tiles_matrix (varargin)

  [info.backend, options] = take_option ("backend", varargin);
  result = gpu_tiles_plan (options{:}).tiles;

endfunction

## All distances of a file.
function [result, info] = file_matrix (X, method, varargin)

  [~, info] = gpu_pdist (X, method, varargin{:});
  result = open_matrix (X, varargin{:});

endfunction

function [result, info] = open_matrix (X, varargin)

  info.backend = take_option ("backend", varargin);
  name = take_option ("name", varargin);
  if (isempty (name))
    name = take_option ("file_name", varargin);
  endif
  result = gpu_dist_file (take_option ("file", varargin), name, ":", ":");

endfunction

## Distances of points in a file.
function [result, info] = points_matrix (method, varargin)

  [file, options] = take_option ("file", varargin);
  [name, options] = take_option ("name", options);
  [D, info] = gpu_pdist (gpu_hdf5 (file, name), method, options{:});
  result = D';

endfunction

function [result, info] = cdist_matrix (varargin)

  [result, ~, info] = gpu_pdist2 (varargin{:});

endfunction

## The results of gpu_knnsearch in one matrix.
function [result, info] = knn_matrix (varargin)

  [idx, D, info] = gpu_knnsearch (varargin{:});
  result = [idx, D];

endfunction

## Those of gpu_rangesearch, of which the radius is no option.
function [result, info] = radius_matrix (X, varargin)

  Y = [];
  if (mod (numel (varargin), 2) == 1)
    Y = varargin{1};
    varargin(1) = [];
  endif
  at = find (strcmp (varargin, "radius"));
  r = varargin{at+1};
  varargin(at:at+1) = [];
  [idx, D, info] = gpu_rangesearch (X, Y, r, varargin{:});
  result = list_neighbors (idx, D);

endfunction

## A row for each neighbour: the point, the neighbour, the distance.
function result = list_neighbors (idx, D)

  point = repelem ((1:numel (idx))', cellfun (@numel, idx));
  result = [point(:), [zeros(1, 0), idx{:}]', [zeros(1, 0), D{:}]'];

endfunction

## The results of gpu_closest_pair in one matrix.
function [result, info] = closest_matrix (varargin)

  [d, i, j, ties, info] = gpu_closest_pair (varargin{:});
  result = [i, j, d, repmat(ties, rows (d), 1)];

endfunction

## The neighbours by the numbers that the case has, and the widths, which are 1 for points alone in Octave.
function [result, info] = silhouette_matrix (X, method, varargin)

  [clust, options] = take_option ("clusters", varargin);
  [s, neighbor, info] = gpu_silhouette (X, clust, method, options{:});
  codes = unique (clust);
  s(sum (clust == clust', 2) == 1) = 0;
  result = [codes(neighbor), s];

endfunction

## The edges of a tree of Manhattan distances.
function [result, info] = tree_matrix (X, method, varargin)

  D = zeros (1, 0);
  if (rows (X) > 0)
    D = gpu_pdist (X, "cityblock");
  endif
  if (strcmp (method, "upgma"))
    [tree, info] = gpu_seqlinkage (D, "average", [], varargin{:});
  else
    name = {"equivar", "firstorder"}{1 + strcmp(method, "bionj")};
    [tree, info] = gpu_seqneighjoin (D, name, [], varargin{:});
  endif
  result = [tree.edges, tree.lengths];

endfunction

## The clusters, medoids and distances of points.
function [result, info] = pam_matrix (X, method, varargin)

  [k, options] = take_option ("k", varargin);
  [variant, options] = take_option ("variant", options);
  eager = ! strcmp (variant, "original");
  [idx, ~, ~, D, midx, info] = gpu_kmedoids (X, k, "distance", method, "eager", eager, options{:});
  result = [idx, midx(idx), D(sub2ind (size (D), (1:rows (D))', idx))];

endfunction

## The distances, their variances or their numbers of sites, of sequences with codes as in R package ape.
function [result, info] = dna_matrix (codes, varargin)

  varargin(strcmp (varargin, "pairwise")) = {"pairwise_deletion"};
  of_pair = find (strcmp (varargin, "pair_freq"));
  varargin(union (of_pair, of_pair + 1)) = {"base_freq", "pair"}(1:2*numel (of_pair));
  [result, variance, info, sites] = gpu_seqpdist (letters_of (codes), varargin{:});
  if (! isempty (variance))
    result = variance;
  elseif (! isempty (sites))
    result = sites;
  endif
  if (rows (result) == 1)
    result = result';
  endif

endfunction

## The letters of codes of bases.
function text = letters_of (codes)

  letters = repmat ("?", 1, 256);
  codes_of_letters = [0x88 0x48 0x28 0x18 0xC0 0xA0 0x90 0x60 0x50 0x30 0xE0 0xB0 0xD0 0x70 0xF0 0x04];
  letters(1 + double (codes_of_letters)) = "AGCTRMWSKYVHDBN-";
  text = letters(1 + codes);

endfunction

## The edges of a tree, their lengths, and the supports of their lower nodes by given draws of sites, which
## gpu_boot_phylo makes by Octave's generator.
function [result, info] = boot_matrix (codes, draws, method, varargin)

  options = struct (varargin{:}, "tree", method, "pairwise_deletion", true, "trees", false, "b", columns (draws));
  options.sites = int32 (draws - 1);
  if (isfield (options, "order"))
    options.order = int32 (options.order - 1);
  endif
  [edges, lengths, support, ~, ~, info] = __gpugeo__ ("boot_phylo", options, num2cell (letters_of (codes), 2));
  support = [NaN(rows (codes), 1); double(support)];
  support(support < 0) = NaN;
  edges = double (edges) + 1;
  result = [edges, lengths, support(edges(:,2))];

endfunction

## Texts of a matrix of code points below 2048, a row each, which ends at NaN.
function texts = texts_of (codes)

  as_bytes = @(c) [c(c < 128), 192 + floor(c(c >= 128) / 64), 128 + mod(c(c >= 128), 64)];
  texts = cell (rows (codes), 1);
  for i = 1:rows (codes)
    letters = num2cell (codes(i,! isnan (codes(i,:))));
    texts{i} = char ([cellfun(as_bytes, letters, "UniformOutput", false){:}]);
  endfor

endfunction

function [result, info] = edit_matrix (S, T, varargin)

  [result, info] = gpu_dist_edit (S, T, varargin{:});
  if (isnumeric (T))
    result = result';
  endif

endfunction

function [result, info] = edit_neighbor_matrix (varargin)

  [idx, D, info] = gpu_dist_edit (varargin{:}, "Neighbors", true);
  result = list_neighbors (idx, D);

endfunction

function [result, info] = aa_matrix (varargin)

  [D, ~, info] = gpu_seqpdist (varargin{:});
  result = D';

endfunction

## The results of gpu_dgp in one matrix.
function [result, info] = dgp_matrix (varargin)

  [s, info] = gpu_dgp (varargin{:});
  lines = [s.rows, s.residual];
  most = find (strcmp (varargin, "max_solutions"));
  if (! isempty (most) && varargin{most+1} == 0)
    lines = [0 0];
  endif
  result = [lines, repmat([s.count s.expected], rows (lines), 1)];

endfunction

## The results of gpu_dgp_graph in one matrix.
function [result, info] = dgp_graph_matrix (varargin)

  [s, info] = gpu_dgp_graph (varargin{:});
  result = sortrows ([repmat(s.count, rows (s.positions), 1), s.positions]);

endfunction

## The positions of gpu_layout.  init tells how many vertices there are; fixed are 0 or 1.
function [result, info] = layout_list (x, init, varargin)

  fixed = find (strcmp (varargin, "fixed"));
  if (! isempty (fixed))
    varargin{fixed+1} = varargin{fixed+1} != 0;
  endif
  [result, info] = gpu_layout (x(:,1:2), "weights", x(:,3:end), "init", init, ...
                               "vertices", rows (init), "multilevel", false, varargin{:});

endfunction

## "a=1;b=text" as a cell array of names and values.
function pairs = read_options (text, folder)

  pairs = {};
  for option = strsplit (text, ";")
    if (isempty (option{1}))
      continue;
    endif
    [name, value] = strtok (option{1}, "=");
    value = value(2:end);
    if (value(1) == "\"")
      pairs = [pairs, {name, value(2:end-1)}];
      continue;
    endif
    number = str2double (value);
    if (isfield (all_matrices (folder), value))
      value = read_matrix (value, folder);
    elseif (any (strcmp (value, {"true", "false"})))
      value = strcmp (value, "true");
    elseif (! isnan (number) || strcmp (value, "NaN"))
      value = number;
    endif
    pairs = [pairs, {name, value}];
  endfor

endfunction

## What is wrong with a result, or "".
function problem = compare (row, result, expected, warned)

  problem = "";
  class_out = "double";
  if (strcmp (row.storage, "single") && any (strcmp (row.function, {"dist", "cdist", "cor", "cov", "knn", "radius"})))
    class_out = "single";
    if (any (strcmp (row.function, {"knn", "radius"})))
      expected = double (single (expected));  # computed in double
    endif
  endif
  notes = struct ("nonfinite", "gpugeo:nonfinite", "deviation", "gpugeo:deviation");
  warning_expected = "";
  if (isfield (notes, row.note))
    warning_expected = notes.(row.note);
  else
    warning_expected = row.note;
  endif
  if (strcmp (row.function, "dist"))
    expected = reshape (expected, 1, []);
  endif

  if (! strcmp (class (result), class_out))
    problem = sprintf ("class %s, not %s", class (result), class_out);
  elseif (! strcmp (warned, warning_expected))
    problem = sprintf ("warning \"%s\", not \"%s\"", warned, warning_expected);
  elseif (! isequal (size (result), size (expected)))
    problem = sprintf ("size %s, not %s", mat2str (size (result)), mat2str (size (expected)));
  else
    result = double (result);
    allowed = str2double (row.absolute) + str2double (row.tolerance) * abs (expected);
    same = (result == expected) | (isnan (result) & isnan (expected));
    near = isfinite (result) & isfinite (expected) & abs (result - expected) <= allowed;
    worst = find (! (same | near), 1);
    if (! isempty (worst))
      problem = sprintf ("element %d is %.17g, not %.17g", worst, result(worst), expected(worst));
    endif
  endif

endfunction
