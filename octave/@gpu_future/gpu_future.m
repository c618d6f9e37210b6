## -*- texinfo -*-
## @deftp {Class} gpu_future
## The result of @code{gpu_collisions_launch}: a computation that is running or done.  Copies are the same
## future.  The computation ends and its memory is released when the last copy is cleared.
## @end deftp

classdef gpu_future

  ## Readable, because Octave forgets which functions are methods after `clear functions`.
  properties (SetAccess = private, Hidden)
    handle   # what __gpugeo__ takes: a structure with the number of the future
    groups   # the groups that the rows of a table stand for
    form     # how pairs are listed, as read_collide () returns it
    points   # if form is not empty, the points, and the box that they are in
    box
    released # releases the future when the last copy is cleared
  endproperties

  methods

    function p = gpu_future (number, groups, form, points, box)

      handle = struct ("future", number);
      p.handle = handle;
      p.groups = groups;
      p.form = form;
      p.points = points;
      p.box = box;
      p.released = onCleanup (@() __gpugeo__ ("release", handle));

    endfunction

    ## [result, info, d] = fetch (p, options): returns the results of gpu_collisions_fetch before they are listed in
    ## a form, for which d has the distances of pairs.
    function [result, info, d] = fetch (p, options)

      d = [];
      if (isempty (p.form))
        [result, info] = __gpugeo__ ("fetch", options, p.handle);
      else
        [result, info, d] = __gpugeo__ ("fetch", options, p.handle, p.points{:});
      endif
      if (! isempty (p.groups))
        info.groups = p.groups{1};
      endif

    endfunction

    function text = disp (p)

      state = {"running", "done"}{1 + __gpugeo__("done", p.handle)};
      text = sprintf ("<gpu_future: collisions, %s>\n", state);
      if (nargout == 0)
        printf ("%s", text);
        clear text;
      endif

    endfunction

    function display (p)

      printf ("%s = %s", inputname (1), disp (p));

    endfunction

  endmethods

endclassdef
