## -*- texinfo -*-
## @deftypefn {} {[@var{inputs}, @var{options}, @var{groups}, @var{form}] =} read_collide (@var{X}, @var{args})
## Read the arguments of @code{gpu_collisions} and @code{gpu_collisions_launch}: @var{args} begins with the
## radius if its length is odd.  @var{inputs} is a cell array of @var{X} and Y.  The field @code{group} of
## @var{options} holds whole numbers from 0, -1 where it is missing, and @code{groups} how many groups there
## are.  @var{groups} is a cell with the groups that these numbers stand for when the result is a table, else
## empty.  @var{form}, if it is asked for, is how pairs are listed if not as the rows [i j]: a structure with the
## fields @code{what} and @code{twice}, else empty.
## @end deftypefn

function [inputs, options, groups, form] = read_collide (X, args)

  positional = mod (numel (args), 2) == 1;
  if (positional)
    args = [{"radius"}, args];
  endif
  options = read_options ([option_names("collisions", {"groups"}), {"y", "twice"}], args);
  if (positional && any (strcmp (tolower (args(3:2:end)), "radius")))
    error ("gpugeo:argument", "radius must not be given twice");
  endif
  inputs = {X};
  if (isfield (options, "y"))
    inputs{2} = options.y;
  endif

  names = [];
  if (isfield (options, "group"))
    group = options.group;
    if (! (iscellstr (group) || ((isnumeric (group) || islogical (group)) && isreal (group))))
      fail_value (group, "group", "a vector with a value for each point");
    endif
    group = group(:);
    there = true (numel (group), 1);
    if (isfloat (group))
      there = ! isnan (group);
    endif
    codes = zeros (numel (group), 1);
    [names, ~, codes(there)] = unique (group(there));
    options.group = int32 (codes - 1);
  endif
  options.groups = numel (names);
  groups = {};
  if (isfield (options, "what") && ischar (options.what) ...
      && strncmp (tolower (options.what), "table", max (1, numel (options.what))))
    groups = {names};
  endif
  [form, options] = read_form (options);

endfunction

## How pairs are listed, and the options that find them.
function [form, options] = read_form (options)

  form = struct ("what", "count", "twice", read_flag (options, "twice", false));
  if (isfield (options, "what") && ischar (options.what))
    form.what = options.what;
  endif
  listed = any (strcmp (form.what, {"indices", "ijd", "all"}));
  pairs = listed || strncmp (tolower (form.what), "pairs", max (2, numel (form.what)));
  if (form.twice && (! pairs || (isfield (options, "y") && ! isempty (options.y))))
    error ("gpugeo:argument", "twice must be false, except for pairs of rows of X");
  endif
  if (strcmp (form.what, "all") && isfield (options, "metric") && strcmp (options.metric, "great-circle"))
    fail_message ("great circles");
  endif
  if (listed)
    options.what = "pairs";
  elseif (! form.twice)
    form = [];
  endif

endfunction
