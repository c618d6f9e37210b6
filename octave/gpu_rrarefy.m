## -*- texinfo -*-
## @deftypefn {} {@var{Y} =} gpu_rrarefy (@var{X}, @var{sample})
## Draw random subsamples of communities, as @code{rrarefy} of R's package vegan does.
##
## @var{X} has counts with a site in each row and a species in each column.  @var{Y} has @var{sample} individuals of
## each site, a number, or one for each site, drawn without replacement; it is sparse if @var{X} is.  A site with at
## most this number of individuals is returned unchanged, with a warning if it has fewer.
##
## Individuals of a site are numbered along the species, and @code{randperm} draws them: @code{rand ("twister", seed)}
## makes the result reproducible.
##
## @example
## rand ("twister", 1);
## Y = gpu_rrarefy ([3 0 1 2; 0 5 1 0], 4);
## sum (Y, 2)
##   @result{} 4
##             4
## @end example
##
## @seealso{gpu_rarefy, gpu_diversity, rand}
## @end deftypefn

function Y = gpu_rrarefy (X, sample)

  if (nargin < 2)
    print_usage ();
  endif
  X = check_counts (X, true);
  check_samples (X, sample, rows (X));
  sample = repmat (sample(:), rows (X) / numel (sample), 1);
  total = full (sum (X, 2));
  fewer = find (total < sample, 1);
  if (! isempty (fewer))
    warning ("gpugeo:community", __gpugeo__ ("message", "few individuals"), sprintf ("row %d of x has", fewer), ...
             "is not rarefied");
  endif
  Y = X';
  for i = find (total > sample)'
    Y(:,i) = draw_site (Y(:,i), sample(i));
  endfor
  Y = Y';

endfunction

## Return the counts of the individuals that are drawn from a site.
function drawn = draw_site (count, sample)

  [species, ~, number] = find (count);
  limit = cumsum ([0; number(:)]);
  taken = lookup (limit, randperm (limit(end), sample)' - 1);
  drawn = accumarray ([species(taken(:)); rows(count)], [ones(sample, 1); 0], size (count), [], 0, issparse (count));

endfunction

%!shared X
%! X = [3 0 1 2 9; 0 5 1 0 4; 4 1 0 2 2; 1 1 0 0 0];
%!test
%! rand ("twister", 7);
%! Y = gpu_rrarefy (X(1:3,:), [5 6 4]);
%! assert (sum (Y, 2), [5; 6; 4]);
%! assert (all (all (Y <= X(1:3,:) & Y >= 0)));
%! rand ("twister", 7);
%! Z = gpu_rrarefy (sparse (X(1:3,:)), [5 6 4]);
%! assert (issparse (Z));
%! assert (full (Z), Y);
%!test
%! rand ("twister", 7);
%! counts = zeros (1, 3);
%! for k = 1:2000
%!   counts += gpu_rrarefy ([1 3 6], 5);
%! endfor
%! assert (counts / 2000, [0.5 1.5 3], 0.1);
%!assert (gpu_rrarefy (X, [15 10 9 2]), X)
%!assert (gpu_rrarefy (X, 0), zeros (4, 5))
%!error <sample must be whole numbers of at least 0, not 1.5> gpu_rrarefy (X, 1.5)
%!error <sample must have a value, or one for each of 4 rows, not 2> gpu_rrarefy (X, [1 2])
%!error <x must be whole numbers of at least 0, but row 1, column 2 is NaN> gpu_rrarefy ([1 NaN], 1)
%!warning <row 4 of x has fewer individuals than sample and is not rarefied> gpu_rrarefy (X, 3);

%!demo
%! gpu_rrarefy ([3 0 1 2; 0 5 1 0; 4 1 0 2], 4)
