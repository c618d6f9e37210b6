## -*- texinfo -*-
## @deftypefn  {} {@var{E} =} gpu_module_eigengenes (@var{X}, @var{colors})
## @deftypefnx {} {@var{E} =} gpu_module_eigengenes (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{E}, @var{names}, @var{average}, @var{explained}, @var{info}] =} gpu_module_eigengenes (@dots{})
## Find the first principal component of each module of genes, as @code{moduleEigengenes} of R's package WGCNA.
##
## @var{X} has a gene in each column and a sample in each row.  @var{colors} has the module of each gene: numbers or
## a cell array of names.  Genes with NaN belong to none.  @var{E} has an eigengene of length 1 in each column, and
## @var{names} the modules in the order of @code{unique}.  @var{average} has the means of the scaled genes, and
## @var{explained} the share of the variance that each component of a module explains.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"components"}
## Number of components whose shares of the variance are returned, by default 1.
## @item @qcode{"align"}
## True (the default) gives an eigengene the sign of its correlation with the average; with false its value of
## largest magnitude is positive.
## @item @qcode{"excludegrey"}
## True leaves out module 0 or @qcode{"grey"}, of genes without a module; by default false.
## @item @qcode{"scale"}
## False if genes have mean 0 and standard deviation 1 already; by default true.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"precision"}, @qcode{"progress"}
## @itemx @qcode{"memory_limit"}
## How to compute, see @code{gpu_options}.
## @end table
##
## Values that are missing or infinite count as the mean of their gene, or as 0 without scaling.  Constant genes are
## left out.  A module without other genes has an eigengene of NaN.  @var{info} is that of @code{gpu_pdist}.
##
## Source: P. Langfelder and S. Horvath (2007), Eigengene networks for studying the relationships between
## co-expression modules, BMC Systems Biology 1.
##
## @example
## X = randn (20, 60) + randn (20, 1) * [2 * ones(1, 30), zeros(1, 30)];
## E = gpu_module_eigengenes (X, [ones(1, 30), 2 * ones(1, 30)]);
## @end example
##
## @seealso{gpu_tom, gpu_linkage, gpu_options}
## @end deftypefn

function [E, names, average, explained, info] = gpu_module_eigengenes (X, colors, varargin)

  if (nargin < 2)
    print_usage ();
  endif

  options = read_options ({"components", "align", "excludegrey", "scale"}, varargin);
  if (! (isnumeric (colors) || islogical (colors) || iscellstr (colors)))
    fail_value (colors, "colors", "numbers or a cell array of names");
  endif
  grey = 0;
  if (iscellstr (colors))
    grey = {"grey"};
  else
    colors = double (colors);
  endif
  names = unique (colors(:));
  if (isnumeric (names))
    names(isnan (names)) = [];
  endif
  if (read_flag (options, "excludegrey", false))
    names = setdiff (names, grey);
  endif
  if (isempty (names))
    error ("gpugeo:argument", "colors must have at least one module");
  endif
  [~, module] = ismember (colors(:), names);
  options.modules = numel (names);
  [E, average, explained, info] = __gpugeo__ ("eigengenes", options, X, double (module));

endfunction

%!shared X, colors
%! X = mod ((1:12)'.^2 * (1:9) + 7 * (1:12)' * (1:9).^2, 31);
%! colors = {"blue", "grey", "blue", "red", "red", "grey", "blue", "red", "red"};
%!test
%! [E, names, average, explained] = gpu_module_eigengenes (X, colors, "components", 5);
%! assert (names, {"blue"; "grey"; "red"});
%! for i = 1:3
%!   z = zscore (X(:,strcmp (colors, names{i})));
%!   [u, s, ~] = svd (z, "econ");
%!   assert (abs (E(:,i)), abs (u(:,1)), 1e-12);
%!   assert (average(:,i), mean (z, 2), 1e-14);
%!   assert (E(:,i)' * average(:,i) > 0);
%!   share = diag (s).^2 / sumsq (diag (s));
%!   assert (explained(:,i), [share; NaN(5 - numel (share), 1)], 1e-14);
%! endfor
%! assert (gpu_module_eigengenes (X, colors, "threads", 1), E);
%! [some, names] = gpu_module_eigengenes (X, colors, "excludegrey", true);
%! assert ({some, names}, {E(:,[1 3]), {"blue"; "red"}});
## More genes than samples, numbers, missing and constant genes, without scaling.
%!test
%! Y = [X(1:4,:), [NaN; 1; 2; 4], 7 * ones(4, 1)];
%! colors = [3 3 3 3 3 3 3 3 NaN 3 3];
%! [E, names, average, explained] = gpu_module_eigengenes (Y, colors);
%! z = zscore (Y(:,1:8));
%! filled = [z, [0; [-4; -1; 5] / sqrt(21)]];
%! [u, s, ~] = svd (filled);
%! assert (names, 3);
%! assert (abs (E), abs (u(:,1)), 1e-12);
%! assert (average, [mean(z(1,:)); mean(filled(2:4,:), 2)], 1e-14);
%! assert (explained, s(1)^2 / sumsq (diag (s)), 1e-14);
%! [E, ~, average] = gpu_module_eigengenes (1e200 * X, 1:9 > 4, "scale", false, "align", false);
%! for i = 1:2
%!   [u, ~, ~] = svd (X(:,(1:9 > 4) == i - 1));
%!   assert (E(:,i), u(:,1) * sign (u(abs (u(:,1)) == max (abs (u(:,1))),1)), 1e-12);
%! endfor
%! assert (average(:,1), mean (1e200 * X(:,1:4), 2), 1e187);
%!assert (gpu_module_eigengenes (ones (3), [1 1 1]), NaN (3, 1))

%!error <Invalid call> gpu_module_eigengenes (X)
%!error <colors must have 9 elements, one for each column of x, not 2> gpu_module_eigengenes (X, [1 2])
%!error <colors must be numbers or a cell array of names, not "a"> gpu_module_eigengenes (X, "a")
%!error <colors must have at least one module> gpu_module_eigengenes (X, zeros (1, 9), "excludegrey", true)
%!error <components must be a whole number .*, not 0> gpu_module_eigengenes (X, 1:9, "components", 0)
%!error <backend must be "auto" or "cpu" for eigengenes, not "cuda"> gpu_module_eigengenes (X, 1:9, "backend", "cuda")

%!demo
%! x = randn (20, 60) + randn (20, 1) * [2 * ones(1, 30), zeros(1, 30)];
%! E = gpu_module_eigengenes (x, [ones(1, 30), 2 * ones(1, 30)]);
