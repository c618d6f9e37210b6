## -*- texinfo -*-
## @deftypefn {} {@var{options} =} read_neighbors (@var{own}, @var{pairs})
## Read the options of a function that looks for neighbours: those in the cell array @var{own}, and
## a metric, which is @qcode{"distance"} as in @code{knnsearch}, @qcode{"method"} or @qcode{"metric"}.  @var{options} is the structure that @code{__gpugeo__} takes.
## @end deftypefn

function options = read_neighbors (own, pairs)

  names = {"distance", "method", "metric"};
  options = column_types (read_options ([own, {"distance", "p", "scale", "cov", "singular", "types", ...
                                               "column_weights", "method", "metric"}], pairs));
  options = choose_metric (options, names);
  if (! isfield (options, "method"))
    options.method = "euclidean";
  endif

endfunction
