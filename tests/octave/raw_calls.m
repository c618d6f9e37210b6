## raw_calls (count, seed, shown)
##
## Calls __gpugeo__ with random arguments, most of which are wrong: each call must return or raise an error.  If
## `shown` is true, each call is printed before it is made.

function raw_calls (count, seed, shown = false)

  rand ("twister", seed);
  setenv ("GPUGEO_MEMORY", "0.5");  # GiB: sums of 30 distances would take 4
  commands = commands_of_source ();
  warning ("off", "all");
  folder = tempname ();
  mkdir (folder);
  before = cd (folder);  # files that calls write
  right = 0;
  unwind_protect
    for i = 1:count
      [name, args] = draw_call (commands);
      if (shown)
        printf ("%d: %s %s\n", i, disp (name), strtrim (evalc ("disp (args)")));
        fflush (stdout);
      endif
      results = {};
      try
        [results{1:draw(0:6)}] = __gpugeo__ (name, args{:});
        right++;
      catch err
        if (isempty (err.message))
          printf ("no message: %s\n", disp (name));
        endif
      end_try_catch
    endfor
  unwind_protect_cleanup
    cd (before);
    confirm_recursive_rmdir (false, "local");
    rmdir (folder, "s");
  end_unwind_protect
  printf ("lives: %d calls, %d right, %d\n", count, right, gpu_pdist ([0 0; 3 4]));

endfunction

## Returns a row for each command of the MEX function: its name, whether it takes options, and the least and the most
## inputs after them.  Those that install or name a library are left out.
function commands = commands_of_source ()

  source = fullfile (fileparts (mfilename ("fullpath")), "..", "..", "octave", "mex.c");
  commands = regexp (fileread (source), '\{"(\w+)", gg_mex_\w+, (\w+), (\d), (\d)\}', "tokens");
  commands = vertcat (commands{:});
  commands(ismember (commands(:,1), {"cuda_install", "name_cuda_library"}),:) = [];

endfunction

function value = draw (values)

  value = values(randi (numel (values)));
  if (iscell (value))
    value = value{1};
  endif

endfunction

## Returns a command and its arguments, whose number is right in nine of ten calls.
function [name, args] = draw_call (commands)

  row = commands(randi (rows (commands)),:);
  name = row{1};
  least = str2double (row{3});
  args = arrayfun (@(k) draw_input (), 1:randi ([least, str2double(row{4})]), "UniformOutput", false);
  if (strcmp (row{2}, "true"))
    args = [{draw_options()}, args];
  endif
  if (rand () < 0.05)
    name = draw_value (true);
  elseif (rand () < 0.05)
    args = [args, args];
  endif

endfunction

function input = draw_input ()

  if (rand () < 0.3)
    input = draw_value (true);
    return;
  endif
  n = draw (2:6);
  graph = struct ("edges", randi (n, n, 2), "vertices", n, "first", 1, "weights", []);
  if (rand () < 0.5)
    graph.(draw (fieldnames (graph))) = draw_value (false);
  endif
  input = draw ({rand(n, 2), rand(n, 3), rand(n), randi(9, n, 2), single(rand (n, 2)), int32(rand (n, 2) * 9), ...
                 rand(n, 2) > 0.5, sprand(n, 3, 0.5), rand(1, n * (n - 1) / 2), [rand(n, 2); NaN 1], 1:n, ...
                 gpu_linkage(rand (n, 2)), graph, struct("file", {"a.h5"}, "name", {""}), ...
                 struct("future", {rand()}), struct("device_distances", {1}), n, [n -1 2], randi(n, n, n - 1)});

endfunction

## Returns a structure of options, most of which have allowed values.
function options = draw_options ()

  if (rand () < 0.03)
    options = draw ({struct([]), struct("method", {"euclidean", "cosine"}), 5, {}});
    return;
  endif
  n = draw (2:6);
  right = {"method", "euclidean"; "method", "pearson"; "method", "jaccard"; "k", 1; "k", 2; "condensed", true; "radius", 1; ...
           "linkage", "average"; "epsilon", 0.5; "minpts", 2; "clusters", int32(randi (2, n, 1)); "what", "pairs"; ...
           "what", "table"; "group", int32(randi (3, n, 1) - 1); "groups", 3; "order", int32([randperm(n)'; (1:n)'] - 1); ...
           "basis", rand(n, 2); "type", "spearman"; "type", "ordinal"; "weights", "rank"; "weights", rand(n, 1); ...
           "weights", "fuzzy"; "start", rand(n, 1); "scale", rand(1, 2); "cov", eye(2); "p", 3; "box", [1 1]; ...
           "radii", rand(n, 1); "init", rand(n, 2); "fixed", int32(1); "dim", 2; "iterations", 1; "metric", "great-circle"; ...
           "file", "a.h5"; "medoids", int32([1 2]); "use", "pairwise"; "members", ones(n, 1); "side", 2; "width", 8; ...
           "height", 8; "xlim", [0 1]; "lower", zeros(n, 2); "max_solutions", 2; "multilevel", true; "callback", @(varargin) 0; ...
           "types", ones(1, 3); "column_weights", rand(1, 3); "covariance", 1; "seed", 1; "threads", 1; ...
           "names", struct("x", {"X"}); "max_iterations", 3; "max_passes", 5; "crossings", 10; "pivots", 2};
  right(end+(1:4),:) = {"backend", "cpu"; "precision", "single"; "progress", false; "memory_limit", 2^21};
  options = struct ("method", {"euclidean"}, "k", 2, "radius", 1, "epsilon", 0.5, "minpts", 2, "linkage", "single");
  for k = 1:draw (0:4)
    pair = right(randi (rows (right)),:);
    options.(pair{1}) = pair{2};
    if (rand () < 0.3)
      slow = any (strcmp (pair{1}, {"iterations", "max_iterations", "crossings", "width", "height", "max_solutions"}));
      options.(pair{1}) = draw_value (! slow);
    endif
  endfor

endfunction

## Returns a value that most arguments must not have; it may be a large number if `large` is true.
function value = draw_value (large)

  values = {[], {}, "", "a", "euclidean", ["a"; "b"], {"a"}, {1, 2}, struct(), struct([]), @sin, 1i, NaN, Inf, -Inf, -1, ...
            0, 1, 2, 0.5, true, false, int8(-3), uint8(7), single(2), zeros(0, 3), zeros(3, 0), zeros(2, 2, 2), eye(3), ...
            sparse(3, 2), [1 NaN], (1:5)', -rand(3), [NaN NaN; NaN NaN], int32([1 -5 9]), {struct()}, "pairs", 1:0, ...
            sparse(1i), logical([1 0; 0 1])};
  if (large)
    values = [values, {2^31, 2^53, 1e300, -2^31, intmax("int64"), intmin("int64"), intmax("uint64"), intmin("int32"), ...
                       [1e300 1; 2 3], realmax(), 2^40}];
  endif
  value = draw (values);

endfunction
