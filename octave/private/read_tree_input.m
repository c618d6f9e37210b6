## -*- texinfo -*-
## @deftypefn {} {[@var{D}, @var{options}, @var{names}] =} read_tree_input (@var{D}, @var{names}, @var{options})
## Return distances as the core takes them, their options, and the names of the tips as a column; [] stands for their
## numbers.
## @end deftypefn

function [D, options, names] = read_tree_input (D, names, options)

  options.names = struct ("d", "D", "x", "D");
  if (! isstruct (D))
    if (! (isnumeric (D) && isreal (D) && ndims (D) == 2 && (rows (D) == 1 || issquare (D))))
      error ("gpugeo:argument", ["D must be a symmetric matrix or a row vector of distances, or the structure of a ", ...
                                 "file of them, not %s"], __gpugeo__ ("show", D));
    elseif (rows (D) > 1)
      D = lower_triangle (D, "D");
    endif
    options.condensed = true;
  endif
  n = count_points (D, ! isstruct (D));
  if (isempty (names) && ! iscell (names))
    names = arrayfun (@(i) sprintf ("%d", i), (1:n)', "uniformoutput", false);
  elseif (! iscellstr (names))
    error ("gpugeo:argument", "names must be a cell array of strings, not %s", __gpugeo__ ("show", names));
  elseif (numel (names) != n)
    error ("gpugeo:argument", "names must have a name for each of the %d points, not %d names", n, numel (names));
  endif
  names = names(:);

endfunction
