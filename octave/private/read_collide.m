## -*- texinfo -*-
## @deftypefn {} {@var{options} =} read_collide (@var{pairs})
## Read the options of @code{gpu_collisions} and @code{gpu_collisions_launch}.  The field @code{group} of
## the result holds whole numbers from 0, -1 where it is missing, and @code{names} the groups they stand
## for.
## @end deftypefn

function options = read_collide (pairs)

  own = {"radius", "radii", "exclude", "group", "box", "what", "method"};
  options = read_options (own, pairs);
  options.names = [];
  if (isfield (options, "group"))
    group = options.group;
    if (! (iscellstr (group) || ((isnumeric (group) || islogical (group)) && isreal (group))))
      error ("gpugeo:argument", "group must be a vector with a value for each point, not %s", ...
             __gpugeo__ ("show", group));
    endif
    group = group(:);
    there = true (numel (group), 1);
    if (isfloat (group))
      there = ! isnan (group);
    endif
    codes = zeros (numel (group), 1);
    [options.names, ~, codes(there)] = unique (group(there));
    options.group = int32 (codes - 1);
  endif

endfunction
