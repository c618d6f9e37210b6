## Times whole calls in Octave, from the prompt's view: arguments read, distances computed, the result
## returned.  Builds are timed in turns, each turn in a process of its own.
##
##   octave-cli --norc bench/octave_call.m FOLDER...
##
## FOLDER is build/octave of a build, one or several.  Prints for each call and backend the median and the
## least of all turns, in seconds, and for all but the first build the median of its ratios to the first in
## the same turn.  OCTAVE_CALL_POINTS (24158), OCTAVE_CALL_TURNS (7) and OCTAVE_CALL_BACKENDS
## (those there are, "cpu,cuda") change what is timed.

1;

function value = setting (name, default)
  value = getenv (name);
  if (isempty (value))
    value = default;
  endif
endfunction

## What is timed: a label and a call of the points and the backend.
function calls = timed_calls ()
  calls = {
    "pdist, 64 columns", 64, @(x, backend) gpu_pdist(x, "euclidean", "backend", backend)
    "pdist, 2 columns", 2, @(x, backend) gpu_pdist(x, "euclidean", "backend", backend)
    "pdist2, 2 columns", 2, @(x, backend) gpu_pdist2(x, x, "euclidean", "backend", backend)
    "pdist, 64 columns, single", 64, @(x, backend) gpu_pdist(single (x), "euclidean", "backend", backend)
  };
endfunction

## One turn with one build: prints a line "label|backend|seconds" for each call.
function run_turn (folder)
  addpath (folder);
  rand ("seed", 1);
  points = str2double (setting ("OCTAVE_CALL_POINTS", "24158"));
  there = gpu_info ().backends;
  backends = {there([there.available]).backend};
  backends = intersect (backends, strsplit (setting ("OCTAVE_CALL_BACKENDS", "cpu,cuda"), ","));
  for call = timed_calls ()'
    x = rand (points, call{2});
    for backend = backends
      d = call{3} (x(1:100,:), backend{1});  # loads, starts threads, opens the device
      clear d
      start = tic ();
      d = call{3} (x, backend{1});
      seconds = toc (start);
      clear d
      printf ("%s|%s|%.6f\n", call{1}, backend{1}, seconds);
    endfor
  endfor
endfunction

## The seconds of all turns: a structure with the fields build, label (with the backend) and seconds.
function rows = run_turns (folders, turns)
  octave = fullfile (OCTAVE_EXEC_HOME (), "bin", "octave-cli");
  script = [mfilename("fullpath") ".m"];
  rows = struct ("turn", {}, "build", {}, "label", {}, "seconds", {});
  for turn = 1:turns
    for build = 1:numel (folders)
      [status, text] = system (sprintf ("OCTAVE_CALL_TURN=1 '%s' --norc --quiet --no-gui '%s' '%s'", ...
                                        octave, script, folders{build}));
      if (status != 0)
        error ("octave_call: %s failed: %s", folders{build}, text);
      endif
      for line = strsplit (strtrim (text), "\n")
        fields = strsplit (line{1}, "|");
        rows(end+1) = struct ("turn", turn, "build", build, "label", [fields{1} ", " fields{2}], ...
                              "seconds", str2double (fields{3}));
      endfor
    endfor
  endfor
endfunction

function print_table (folders, rows)
  printf ("%-36s %-40s %9s %9s %9s\n", "call", "build", "median s", "least s", "ratio");
  for label = unique ({rows.label}, "stable")
    same = rows(strcmp ({rows.label}, label{1}));
    first = [same([same.build] == 1).seconds];
    for build = 1:numel (folders)
      seconds = [same([same.build] == build).seconds];
      printf ("%-36s %-40s %9.4f %9.4f %9.3f\n", label{1}, folders{build}, median (seconds), ...
              min (seconds), median (seconds ./ first));
    endfor
  endfor
endfunction

folders = cellfun (@make_absolute_filename, argv (), "UniformOutput", false);
if (isempty (folders))
  error ("octave_call: which build?  octave-cli bench/octave_call.m FOLDER...");
elseif (! isempty (getenv ("OCTAVE_CALL_TURN")))
  run_turn (folders{1});
else
  turns = str2double (setting ("OCTAVE_CALL_TURNS", "7"));
  print_table (folders, run_turns (folders, turns));
endif
