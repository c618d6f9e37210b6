## -*- texinfo -*-
## @deftypefn  {} {@var{s} =} gpu_rarefy (@var{X}, @var{sample})
## @deftypefnx {} {@var{s} =} gpu_rarefy (@var{X}, @var{sample}, @qcode{"margin"}, 2)
## @deftypefnx {} {[@var{s}, @var{se}] =} gpu_rarefy (@dots{})
## Compute the expected number of species in random subsamples of communities, as @code{rarefy} of R's package vegan
## does.
##
## @var{X} has counts with a site in each row, or in each column with the margin 2, and may be sparse.  @var{s} and the
## standard errors @var{se} have a row for each site and a column for each number of individuals in @var{sample}.
##
## A site has N individuals, c of them of a species.  A subsample of n individuals lacks the species with the
## probability q = nchoosek (N - c, n) / nchoosek (N, n).  The expected number of species is the sum of 1 - q.  The
## variance is the sum of q (1 - q), and for each ordered pair of species of nchoosek (N - c - d, n) / nchoosek (N, n)
## less the product of their q.  A site with at most n individuals has its number of species and the standard error 0,
## with a warning if it has fewer.
##
## References: S. H. Hurlbert (1971), Ecology 52, 577-586; K. L. Heck, G. van Belle and D. Simberloff (1975), Ecology
## 56, 1459-1461.
##
## @example
## gpu_rarefy ([3 0 1 2; 0 5 1 0], 4)
##   @result{} 2.6000
##             1.6667
## @end example
##
## @seealso{gpu_rrarefy, gpu_diversity}
## @end deftypefn

function [s, se] = gpu_rarefy (X, sample, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  options = read_pairs (struct ("margin", 1), varargin);
  X = check_counts (X, true);
  if (options.margin == 2)
    X = X';
  endif
  check_samples (X, sample, []);
  least = min (full (sum (X, 2)));
  if (any (sample(:) > least))
    warning ("gpugeo:community", __gpugeo__ ("message", "many individuals"), least);
  endif
  [s, se] = __gpugeo__ ("expected_species", on_host (struct ("se", nargout > 1)), X, double (sample(:)'));

endfunction

%!shared X
%! X = [3 0 1 2 9; 0 5 1 0 4; 4 1 0 2 2];

## Against all subsamples.
%!test
%! for n = 1:5
%!   [s, se] = gpu_rarefy (X, n);
%!   for i = 1:3
%!     individuals = repelems (1:5, [1:5; X(i,:)]);
%!     species = sum (any (nchoosek (individuals, n) == reshape (1:5, 1, 1, 5), 2), 3);
%!     assert (s(i), mean (species), -1e-12);
%!     assert (se(i), std (species, 1), 1e-6);
%!   endfor
%! endfor
%!test
%! [s, se] = gpu_rarefy (X, [2 4]);
%! assert (s(:,2), gpu_rarefy (X, 4));
%! assert (se(:,1), nthargout (2, @gpu_rarefy, X, 2));
%! assert (gpu_rarefy (sparse (X), [2 4]), s, -1e-14);
%! assert (gpu_rarefy (X', [2 4], "margin", 2), s);
%!test
%! warning ("off", "gpugeo:community", "local");
%! [s, se] = gpu_rarefy ([1 1 0], 3);
%! assert ([s, se], [2 0]);
%!error <sample must be whole numbers of at least 0, not -1> gpu_rarefy (X, -1)
%!error <x must be whole numbers of at least 0, but row 1, column 1 is 1.5> gpu_rarefy (X / 2, 1)
%!warning <sample is above the smallest number of individuals of a row, 9> gpu_rarefy (X, 10);
%!warning <its smallest count above 0 is 3> gpu_rarefy (3 * X, 2);

%!demo
%! [s, se] = gpu_rarefy ([3 0 1 2; 0 5 1 0; 4 1 0 2], [2 4])
