## -*- texinfo -*-
## @deftypefn  {} {@var{fit} =} gpu_soft_threshold (@var{X})
## @deftypefnx {} {@var{fit} =} gpu_soft_threshold (@var{X}, @var{powers})
## @deftypefnx {} {@var{fit} =} gpu_soft_threshold (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{fit}, @var{power}, @var{K}, @var{info}] =} gpu_soft_threshold (@dots{})
## Find how well the connectivities of genes follow a power law, for several powers to which their correlations
## are raised, as @code{pickSoftThreshold} of R's package WGCNA.
##
## @var{X} has a gene in each column and a sample in each row.  @var{powers} are positive numbers, by default
## 1 to 10 and 12, 14, @dots{}, 20.  @var{fit} has a row for each power: the power; R squared and the slope of
## the regression of the logarithm of the share of genes in a bin of connectivities on that of their mean; R
## squared, adjusted, with the mean as a second predictor; the mean, median and maximum of the connectivities; and the
## density, centralization and heterogeneity of the network (Horvath and Dong 2008).
## @var{power} is the first power whose R squared is above 0.85, or NaN.  @var{K} has the connectivities: a row
## for each gene and a column for each power.  The connectivity of a gene is the sum of its weights to all
## others.  Missing correlations count as 0.  The matrix of all correlations is never stored.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"network"}
## The similarity of two genes with the correlation r, which is raised to the power: @qcode{"unsigned"} (the
## default), |r|; @qcode{"signed"}, (1 + r) / 2; @qcode{"signed hybrid"}, r, or 0 if it is negative.
## @item @qcode{"rsquaredcut"}
## The R squared above which a power is taken, by default 0.85.
## @item @qcode{"nbreaks"}
## Number of bins, by default 10 and at least 3.
## @item @qcode{"removefirst"}
## True leaves out the first bin; by default false.
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
## Sources: B. Zhang and S. Horvath (2005), A general framework for weighted gene co-expression network analysis,
## Statistical Applications in Genetics and Molecular Biology 4; S. Horvath and J. Dong (2008), Geometric interpretation
## of gene coexpression network analysis, PLoS Computational Biology 4.
##
## @example
## X = randn (20, 200) + randn (20, 1) * randn (1, 200);
## fit = gpu_soft_threshold (X, 1:6);
## @end example
##
## @seealso{gpu_corr, gpu_options}
## @end deftypefn

function [fit, power, K, info] = gpu_soft_threshold (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif

  powers = [1:10, 12:2:20];
  if (mod (numel (varargin), 2) == 1)
    powers = varargin{1};
    varargin(1) = [];
  endif
  own = {"network", "rsquaredcut", "nbreaks", "removefirst", "type", "rows", "maxpoutliers", "pearsonfallback", ...
         "weights"};
  options = read_options (own, varargin);
  options = network_options (options, "", {});
  [fit, power, K, info] = __gpugeo__ ("connectivity", options, X, powers);

endfunction

%!shared X
%! X = mod ((1:12)'.^2 * (1:15) + 7 * (1:12)' * (1:15).^2, 31);
## By WGCNA 1.72-1.
%!test
%! [fit, power, K] = gpu_soft_threshold (X, [1 2 5.5], "nbreaks", 4, "rsquaredcut", 0.3);
%! assert (fit, [1 0.318368452663028 -1.17379728998982 0.314652346626618 3.35258996818564 3.23659975011334 ...
%!               4.44655003750774 0.23947071201326 0.0901615441748984 0.157272913147708
%!               2 0.0992114751971921 -0.372329537093749 0.96943888207747 1.16010905002435 1.17028446899244 ...
%!               1.8710837097768 0.0828649321445963 0.0585968126169602 0.293335874704914
%!               5.5 0.313976476951072 -0.506868703498947 -1.02602785952074 0.0744972183324719 0.0603878550443873 ...
%!               0.176426786771378 0.00532122988089085 0.00840078860760214 0.691087136173748], 1e-11);
%! assert (power, 1);
%! A = abs (gpu_corr (X)) - eye (15);
%! assert (K, [sum(A)', sum(A.^2)', sum(A.^5.5)'], 1e-12);
%!test
%! [~, power, K] = gpu_soft_threshold (X, [1 2 5.5], "nbreaks", 4, "rsquaredcut", 0.3, "network", "signed h");
%! assert (power, 5.5);
%! A = max (gpu_corr (X), 0) - eye (15);
%! assert (K(:,2), sum (A.^2)', 1e-12);
%! [~, ~, K] = gpu_soft_threshold (X, 2, "network", "signed", "type", "bicor");
%! assert (K, sum (((1 + gpu_corr (X, "type", "bicor")) / 2 - eye (15)).^2)', 1e-12);

%!test
%! W = 1 + mod (X, 4);
%! [~, ~, K] = gpu_soft_threshold (X, 2, "weights", W);
%! assert (K, sum (gpu_adjacency (X, 2, "weights", W))' - 1, 1e-12);

%!error <Invalid call> gpu_soft_threshold ()
%!error <powers must be a positive finite number, not 0> gpu_soft_threshold (X, 0)
%!error <nbreaks must be a whole number between 3 and 1000000, not 2> gpu_soft_threshold (X, 1, "nbreaks", 2)
%!error <rsquaredcut must be a number between 0 and 1, not 2> gpu_soft_threshold (X, 1, "rsquaredcut", 2)
%!error <network must be one of "unsigned", "signed", "signed hybrid", not "x">
%! gpu_soft_threshold (X, 1, "network", "x");

%!demo
%! x = randn (20, 200) + randn (20, 1) * randn (1, 200);
%! fit = gpu_soft_threshold (x, 1:6)
