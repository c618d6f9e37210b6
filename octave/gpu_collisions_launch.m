## -*- texinfo -*-
## @deftypefn  {} {@var{p} =} gpu_collisions_launch (@var{X}, @var{radius})
## @deftypefnx {} {@var{p} =} gpu_collisions_launch (@dots{}, @var{name}, @var{value}, @dots{})
## Begin to search for collisions and return at once.
##
## The arguments are those of @code{gpu_collisions}, whose result @code{gpu_collisions_fetch (@var{p})}
## returns.  The computation continues while Octave evaluates other code.  Any number of them can run and be
## fetched in any order.  Displaying @var{p} shows whether it is running or done.  When the last copy of
## @var{p} is cleared, its computation ends and its memory is freed.  It is valid only in the process that
## created it and cannot be saved.
##
## Launching copies the points.
##
## @example
## p = gpu_collisions_launch (rand (1e6, 3), 0.01)
##   @result{} p = <gpu_future: collisions, running>
## n = gpu_collisions_fetch (p);
## @end example
##
## @seealso{gpu_collisions_fetch, gpu_collisions}
## @end deftypefn

function p = gpu_collisions_launch (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  [inputs, options, groups, form] = read_collide (X, varargin);
  number = __gpugeo__ ("launch", options, inputs{:});
  box = [];
  if (isempty (form))
    inputs = {};
  elseif (isfield (options, "box"))
    box = options.box;
  endif
  p = gpu_future (number, groups, form, inputs, box);

endfunction

%!test
%! rand ("twister", 1);
%! x = rand (2000, 3);
%! for what = {"count", "per_point", "pairs"}
%!   p = gpu_collisions_launch (x, "radius", 0.1, "what", what{1});
%!   assert (class (p), "gpu_future");
%!   assert (gpu_collisions_fetch (p), gpu_collisions (x, "radius", 0.1, "what", what{1}));
%! endfor
%!test
%! rand ("twister", 1);
%! x = rand (200, 3);
%! for given = {{"what", "all"}, {"what", "ijd"}, {"what", "indices"}, {"what", "pairs", "twice", true}, ...
%!              {"what", "all", "box", [1 1 1]}, {"what", "all", "y", rand(50, 3)}, {"what", "ijd", "twice", true}, ...
%!              {"what", "all", "twice", true, "box", [1 0 1]}}
%!   p = gpu_collisions_launch (x, 0.2, given{1}{:});
%!   [result, info] = gpu_collisions_fetch (p);
%!   assert (result, gpu_collisions (x, 0.2, given{1}{:}));
%!   assert (info.backend, "cpu");
%!   assert (gpu_collisions_fetch (p), result);
%! endfor
%!test
%! p = gpu_collisions_launch ([1; 2], 0.5, "y", [2.5; 5]);
%! assert (gpu_collisions_fetch (p), 1);

## The points are its own.
%!test
%! rand ("twister", 1);
%! x = rand (1e5, 3);
%! expected = gpu_collisions (x, "radius", 0.02);
%! p = gpu_collisions_launch (x, "radius", 0.02);
%! x(:) = 0;
%! assert (gpu_collisions_fetch (p), expected);

## Displaying it shows its state.
%!test
%! rand ("twister", 1);
%! p = gpu_collisions_launch (rand (3e4, 3), 1, "algorithm", "usual", "threads", 1, "backend", "cpu");
%! assert (disp (p), "<gpu_future: collisions, running>\n");
%! gpu_collisions_fetch (p);
%! assert (disp (p), "<gpu_future: collisions, done>\n");
%! assert (evalc ("p"), "p = <gpu_future: collisions, done>\n");

## Dropped while running; a copy keeps one alive.
%!test
%! rand ("twister", 1);
%! x = rand (3e4, 3);
%! given = {1, "algorithm", "usual", "threads", 1, "backend", "cpu"};
%! c = cell (1, 3);
%! for i = 1:3
%!   c{i} = gpu_collisions_launch (x, given{:});
%! endfor
%! q = c{2};
%! c = 0;
%! assert (gpu_collisions_fetch (q), gpu_collisions (x, 1));

%!error <gpu_future> gpu_collisions_launch ([1; 2], 1) + 1;
%!test
%! p = gpu_collisions_launch ([1; 2], 1);
%! assert (isempty (p), false);
%! assert (isa (p, "gpu_future"));
%! s.p = p;
%! assert (gpu_collisions_fetch (s.p), 1);
%! file = tempname ();
%! try
%!   evalc ("save (file, 'p');");  # Octave 11 warns, and saves what is no future
%!   saved = load (file);
%!   assert (isfield (saved, "p") && isa (saved.p, "gpu_future"), false);
%! catch err
%!   assert (! isempty (strfind (err.message, "wrong type argument")));
%! end_try_catch
%! [~, ~] = unlink (file); # Octave 9 leaves none

%!error <Invalid call> gpu_collisions_launch ()
%!error <x must be a numeric matrix, not text> gpu_collisions_launch ("text", 1)
%!error <twice must be false, except for pairs of rows of X> gpu_collisions_launch ([1; 2], 1, "twice", true)
%!error <twice must be true or false, not 2> gpu_collisions_launch ([1; 2], 1, "what", "pairs", "twice", 2)
%!error <radius must be given, or radii> gpu_collisions_launch ([1; 2])
%!error <radius must be .*, not -1> gpu_collisions_launch ([1; 2], "radius", -1)
%!error <row 2 > gpu_collisions_launch ([1; NaN], 1)

%!demo
%! X = rand (1e5, 3);
%! p = gpu_collisions_launch (X, 0.02)
%! middle = mean (X);
%! printf ("%d pairs around %s\n", gpu_collisions_fetch (p), mat2str (middle, 3));
