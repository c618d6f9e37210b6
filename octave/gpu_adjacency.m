## -*- texinfo -*-
## @deftypefn  {} {@var{A} =} gpu_adjacency (@var{X})
## @deftypefnx {} {@var{A} =} gpu_adjacency (@var{X}, @var{power})
## @deftypefnx {} {@var{A} =} gpu_adjacency (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{A}, @var{info}] =} gpu_adjacency (@dots{})
## Compute the weights between all columns of a matrix, powers of their correlations, as @code{adjacency} of R's
## package WGCNA.
##
## @var{X} has a gene in each column and a sample in each row.  @var{power} is a positive number, by default 6.
## @var{A} is a symmetric matrix.  The weights of a constant column are NaN.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"network"}
## The similarity of two genes with the correlation r, which is raised to the power: @qcode{"unsigned"} (the
## default), |r|; @qcode{"signed"}, (1 + r) / 2; @qcode{"signed hybrid"}, r, or 0 if it is negative.
## @item @qcode{"selectcols"}
## Numbers of columns of @var{X}: the weights between all columns and these are computed.
## @item @qcode{"input"}
## @qcode{"similarity"} if @var{X} is a matrix of correlations, which must be symmetric, with elements between -1
## and 1; by default @qcode{"expression"}.  Options of correlations must not be given then.
## @item @qcode{"type"}, @qcode{"rows"}, @qcode{"maxpoutliers"}, @qcode{"pearsonfallback"}
## Of the correlations, as in @code{gpu_corr}; rows with missing values are by default left out for each pair.
## @item @qcode{"weights"}
## Of correlations of the type @qcode{"Pearson"}: weights of the values of @var{X}, a matrix of the same size or a column
## for all columns, as in @code{gpu_corr}.
## @item @qcode{"backend"}, @qcode{"threads"}, @qcode{"device"}, @qcode{"precision"}, @qcode{"progress"}
## @itemx @qcode{"memory_limit"}
## How to compute, see @code{gpu_options}.
## @end table
##
## @var{info} is that of @code{gpu_pdist}.
##
## Source: B. Zhang and S. Horvath (2005), A general framework for weighted gene co-expression network analysis,
## Statistical Applications in Genetics and Molecular Biology 4.
##
## @example
## A = gpu_adjacency (randn (20, 5), 2)
## @end example
##
## @seealso{gpu_soft_threshold, gpu_tom, gpu_options}
## @end deftypefn

function [A, info] = gpu_adjacency (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif

  of_expression = {"selectcols", "type", "rows", "maxpoutliers", "pearsonfallback", "weights"};
  options = read_options ([{"power", "network", "input"}, of_expression], leading_power (varargin));
  options = network_options (options, "similarity", of_expression);
  inputs = {X};
  if (isfield (options, "selectcols"))
    inputs{2} = select_columns (X, options.selectcols);
    if (isfield (options, "weights"))
      options.weightsy = options.weights;
      if (columns (options.weights) > 1)
        options.weightsy = select_columns (options.weights, options.selectcols);
      endif
    endif
  endif
  [A, info] = __gpugeo__ ("network", options, inputs{:});

endfunction

function Y = select_columns (X, numbers)

  n = columns (X);
  if (! (isnumeric (numbers) && all (ismember (numbers(:), 1:n))))
    fail_value (numbers, "selectcols", sprintf ("column numbers between 1 and %d", n));
  endif
  Y = X(:,numbers);

endfunction

%!shared X, R
%! X = mod ((1:12)'.^2 * (1:6) + 7 * (1:12)' * (1:6).^2, 31);
%! R = gpu_corr (X);
%!assert (gpu_adjacency (X), R.^6, 1e-15)
%!assert (gpu_adjacency (X, 3), abs (R).^3, 1e-15)
%!assert (gpu_adjacency (X, 2.5, "network", "signed"), ((1 + R) / 2).^2.5, 1e-15)
%!assert (gpu_adjacency (X, 3, "network", "signed h"), max (R, 0).^3, 1e-15)
%!assert (gpu_adjacency (X, 3, "type", "spearman"), abs (gpu_corr (X, "type", "spearman")).^3, 1e-15)
%!assert (gpu_adjacency (X, 3, "selectcols", [5 2]), abs (R(:,[5 2])).^3, 1e-15)
%!assert (gpu_adjacency (R, 3, "input", "similarity"), gpu_adjacency (X, 3))
%!test
%! W = 1 + mod (X, 4);
%! A = abs (gpu_corr (X, "weights", W)).^3;
%! assert (gpu_adjacency (X, 3, "weights", W), A, 1e-15);
%! assert (gpu_adjacency (X, 3, "weights", W, "selectcols", [5 2]), A(:,[5 2]), 1e-15);
%! A = abs (gpu_corr (X, "weights", W(:,1))).^3;
%! assert (gpu_adjacency (X, 3, "weights", W(:,1), "selectcols", 4), A(:,4), 1e-15);
%! fail ('gpu_adjacency (X, 3, "weights", W(1:2,:))', "^weights must");
%!assert (gpu_adjacency ([1 -0.5; -0.5 1], 3, "input", "sim"), [1 0.125; 0.125 1])
%!assert (gpu_adjacency (single ([1 0.5; 0.5 NaN]), 1, "input", "similarity"), [1 0.5; 0.5 NaN])
%!assert (gpu_adjacency (X, 2, "threads", 1), gpu_adjacency (X, 2, "threads", 2))

%!error <Invalid call> gpu_adjacency ()
%!error <power must be a positive finite number, not 0> gpu_adjacency (X, 0)
%!error <power must be a positive finite number, not \[1 2\]> gpu_adjacency (X, [1 2])
%!error <network must be one of "unsigned", "signed", "signed hybrid", not "x"> gpu_adjacency (X, 1, "network", "x")
%!error <input must be one of "expression", "similarity", not "x"> gpu_adjacency (X, 1, "input", "x")
%!error <selectcols must be column numbers between 1 and 6, not 7> gpu_adjacency (X, 1, "selectcols", 7)
%!error <x must be symmetric, but element \(1, 2\) is 0.5 and element \(2, 1\) is 0.25>
%! gpu_adjacency ([1 0.5; 0.25 1], 2, "input", "similarity");
%!error <x must be between -1 and 1, but element \(2, 1\) is 1.5>
%! gpu_adjacency ([1 1.5; 1.5 1], 2, "input", "similarity");
%!error <selectcols must not be given with input "similarity">
%! gpu_adjacency (R, 2, "input", "similarity", "selectcols", 1);
%!error <x must be a square matrix, not one of 1 rows and 2 columns> gpu_adjacency ([1 2], 2, "input", "similarity")

%!demo
%! A = gpu_adjacency (randn (20, 5), 2)
