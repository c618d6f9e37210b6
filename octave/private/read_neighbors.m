## -*- texinfo -*-
## @deftypefn {} {@var{options} =} read_neighbors (@var{own}, @var{pairs})
## Read the options of a function that looks for neighbours: those in the cell array @var{own}, and
## a metric in the words of @code{knnsearch}.  @var{options} is the structure that @code{__gpugeo__} takes.
## @end deftypefn

function options = read_neighbors (own, pairs)

  options = read_options ([own, {"distance", "p", "scale", "cov"}], pairs);
  options.method = "euclidean";
  if (isfield (options, "distance"))
    options.method = options.distance;
  endif

endfunction
