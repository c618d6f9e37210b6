## -*- texinfo -*-
## @deftypefn  {} {@var{result} =} gpu_collisions_fetch (@var{future})
## @deftypefnx {} {[@var{result}, @var{info}] =} gpu_collisions_fetch (@var{future}, @qcode{"progress"}, @var{shown})
## Wait for the computation that @code{gpu_collisions_launch} has begun, and return the result of
## @code{gpu_collisions}.
##
## A @var{future} can be fetched more than once.  An error of the computation is raised here, each time.
## Ctrl-C ends the waiting, not the computation: @var{future} can be fetched again.  For @qcode{"progress"} see
## @code{gpu_options}.
##
## @example
## p = gpu_collisions_launch ([0 0; 0 1; 5 5], 1);
## gpu_collisions_fetch (p)
##   @result{} 1
## @end example
##
## @seealso{gpu_collisions_launch, gpu_collisions}
## @end deftypefn

function [result, info] = gpu_collisions_fetch (future, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  options = read_options ({}, varargin);
  if (isa (future, "gpu_future"))
    [result, info, d] = future.fetch (options);  # fetch () is unknown after `clear functions`
    if (! isempty (future.form))
      result = list_pairs (future.form, result, d, future.points, future.box);
    endif
  else
    [result, info] = __gpugeo__ ("fetch", options, future);
  endif

endfunction

## Several at once, in any order, and twice.
%!test
%! rand ("twister", 1);
%! x = rand (5000, 3);
%! radii = [0.02 0.1 0.05];
%! for i = 1:3
%!   p{i} = gpu_collisions_launch (x, "radius", radii(i));
%! endfor
%! for i = [3 1 2 1]
%!   assert (gpu_collisions_fetch (p{i}), gpu_collisions (x, "radius", radii(i)));
%! endfor

%!test
%! p = gpu_collisions_launch ([0; 1; 3], 1, "what", "table", "group", {"u"; "v"; "v"}, "backend", "cpu");
%! [table, info] = gpu_collisions_fetch (p, "progress", false);
%! assert (table, [0 1; 1 0]);
%! assert (info.groups, {"u"; "v"});
%! assert (info.backend, "cpu");

## A future outlives its class.  A process of its own, since functions of this one would be cleared.
%!test
%! folders = strjoin (cellfun (@(name) fileparts (which (name)), {"gpu_collisions_fetch", "__gpugeo__"}, "UniformOutput", false), pathsep ());
%! code = sprintf ("addpath ('%s'); p = gpu_collisions_launch ([0; 1; 3], 1); clear functions; printf ('%%d pairs', gpu_collisions_fetch (p));", folders);
%! [~, printed] = system (sprintf ("'%s' --norc --quiet --no-gui --eval \"%s\" 2>&1", ...
%!                                 fullfile (OCTAVE_HOME (), "bin", "octave-cli"), code));
%! assert (! isempty (strfind (printed, "1 pairs")), printed);
%!error <Invalid call> gpu_collisions_fetch ()
%!error <future must be one that gpu_collisions_launch\(\) gave> gpu_collisions_fetch (7)
%!error <future must be one that gpu_collisions_launch\(\) gave> gpu_collisions_fetch ({1})
## Structures made by hand find nothing, whatever is running.
%!test
%! p = gpu_collisions_launch ([0; 1; 3], 1);
%! for number = {0, 1, 2, NaN, [], "1", 1:3, [p.handle.future 2], struct()}
%!   fail ("gpu_collisions_fetch (struct (\"future\", {number{1}}))", "future must be one that");
%!   __gpugeo__ ("release", struct ("future", {number{1}}));
%!   assert (__gpugeo__ ("done", struct ("future", {number{1}})), false);
%!   fail ("gpu_linkage (struct (\"device_distances\", {number{1}}))", "on a device");
%! endfor
%! assert (gpu_collisions_fetch (p), 1);
%!error <progress must be true or false>
%! gpu_collisions_fetch (gpu_collisions_launch ([1; 2], 1), "progress", 2)

%!demo
%! p = gpu_collisions_launch (rand (1e4, 2), 0.01, "what", "pairs");
%! pairs = gpu_collisions_fetch (p);
%! printf ("%d pairs, the first %d and %d\n", rows (pairs), pairs(1,:));
