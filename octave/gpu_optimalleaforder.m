## -*- texinfo -*-
## @deftypefn  {} {@var{leafOrder} =} gpu_optimalleaforder (@var{tree}, @var{D})
## @deftypefnx {} {@var{leafOrder} =} gpu_optimalleaforder (@var{tree}, @var{D}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{leafOrder}, @var{info}] =} gpu_optimalleaforder (@dots{})
## Find the order of the leaves of a hierarchical clustering in which branches do not cross and the similarities of
## neighbours have the largest sum, as @code{optimalleaforder} does, on all CPU cores.
##
## @var{tree} is the n - 1 by 3 matrix that @code{gpu_linkage} or @code{linkage} returns for n points.  @var{D} has the
## distances of these points, which must be finite: a vector as @code{gpu_pdist} returns it, a square matrix, or the
## structure of @code{gpu_dist_file} or of @code{gpu_dist_device}.  @var{leafOrder} is the row of the numbers of the
## points from left to right, which @code{gpu_dendrogram} takes as the option @qcode{"Reorder"}.  @var{info} is that of
## @code{gpu_pdist} with the field @code{sum}, what the order makes the smallest: the sum of distances, or of negative
## similarities.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"Criteria"}
## @qcode{"adjacent"}, the default: the sum of the similarities of neighbours.  @qcode{"group"}: for each two
## neighbours, the sum of the similarities of each of them to all leaves of the cluster of the other one that the same
## merge joins.
## @item @qcode{"Transformation"}
## How similarities are made of distances: @qcode{"linear"}, the default, the largest distance minus each;
## @qcode{"inverse"}, the inverse of distances, which must be positive; or a function of the row vector of distances
## that returns as many finite similarities.  The last two need distances in memory.
## @item The options of @code{gpu_options}
## By default those that are set there.
## @end table
##
## The algorithm is that of Bar-Joseph et al. (2001).  Its time grows with n^3 / 6 if each merge halves its cluster,
## and with n^2 in a chain; 8.5 n^2 bytes of memory are needed.  If several orders have the same sum, that of
## @var{tree} is taken, or else one that differs little from it: the first cluster of the last merge is on the left;
## then, from the last merge on, the leaf on the left end has the lowest position in the order of @var{tree}, that on
## the right end the highest, and of the neighbours that a merge joins that of the first cluster the highest, then that
## of the second the lowest.  The result has the same bits for any number of threads and for every kind of @var{D} that
## holds the same distances.
##
## @example
## gpu_optimalleaforder ([2 3 1; 1 4 2], [4 2 1])
##   @result{} 1  3  2
## @end example
##
## @seealso{gpu_linkage, gpu_dendrogram, gpu_pdist, gpu_options}
## @end deftypefn

function [leafOrder, info] = gpu_optimalleaforder (tree, D, varargin)

  if (nargin < 2)
    print_usage ();
  endif
  options = read_options ({"criteria", "transformation"}, varargin);
  options.names = struct ("merge", "tree", "d", "D", "x", "D", "criterion", "criteria");
  transformation = "linear";
  if (isfield (options, "transformation"))
    transformation = options.transformation;
    options = rmfield (options, "transformation");
  endif
  if (! isstruct (D))
    D = condensed (D);
    options.condensed = true;
  endif
  D = transformed (D, transformation);
  [leafOrder, total, info] = __gpugeo__ ("leaf_order", options, D, tree);
  info.sum = total;

endfunction

## The distances as a row vector.
function D = condensed (D)

  if (! (isnumeric (D) && isreal (D) && ndims (D) == 2 && (isvector (D) || issquare (D))))
    fail_value (D, "D", "a vector or a square matrix of distances");
  elseif (isvector (D))
    D = full (D(:)');
  else
    D = lower_triangle (D, "D");
  endif

endfunction

## The distances, or negative similarities, which have the same order as these.
function D = transformed (D, transformation)

  if (ischar (transformation))
    if (strcmp (choose_one (transformation, {"linear", "inverse"}, "transformation"), "linear"))
      return;
    endif
    wanted = @(d) 1 ./ d;
  elseif (is_function_handle (transformation))
    wanted = transformation;
  else
    fail_value (transformation, "transformation", "\"linear\", \"inverse\" or a function");
  endif
  if (isstruct (D))
    error ("gpugeo:argument", "D must be distances in memory, not in a file or on a device, if they are transformed");
  elseif (ischar (transformation) && any (D <= 0))
    error ("gpugeo:argument", "D must have distances above 0 only for the transformation \"inverse\", not %s", ...
           __gpugeo__ ("show", D(find (D <= 0, 1))));
  endif
  S = wanted (double (D));
  if (! (isnumeric (S) && isreal (S) && numel (S) == numel (D) && all (isfinite (S(:)))))
    error ("gpugeo:argument", "transformation must return %d finite numbers", numel (D));
  endif
  D = -double (full (S(:)'));

endfunction

%!assert (gpu_optimalleaforder ([2 3 1; 1 4 2], [4 2 1]), [1 3 2])
%!assert (gpu_optimalleaforder ([1 2 5], 5), [1 2])
%!assert (gpu_optimalleaforder ([1 3 1; 2 5 1; 4 6 1], ones (1, 6)), [4 2 1 3])  # the order of the tree is kept
%!test
%! [order, info] = gpu_optimalleaforder ([2 3 1; 1 4 2], [4; 2; 1], "threads", 1);
%! assert (order, [1 3 2]);
%! assert ({info.sum, info.backend, info.threads}, {3, "cpu", 1});
%!assert (gpu_optimalleaforder (single ([2 3 1; 1 4 2]), [0 4 2; 4 0 1; 2 1 0]), [1 3 2])
%!assert (gpu_optimalleaforder ([2 3 1; 1 4 2], single ([4 2 1]), "criteria", "adj"), [1 3 2])

## Against all orders in which branches do not cross.
%!function orders = all_orders (tree)
%!  n = rows (tree) + 1;
%!  found = num2cell (1:n);
%!  for k = 1:n-1
%!    [a, b] = found{tree(k,1:2)};
%!    both = {};
%!    for i = 1:rows (a)
%!      for j = 1:rows (b)
%!        both(end+1:end+2,1) = {[a(i,:), b(j,:)]; [b(j,:), a(i,:)]};
%!      endfor
%!    endfor
%!    found{n+k} = cell2mat (both);
%!  endfor
%!  orders = found{end};
%!endfunction
%!function members = members_of (tree)
%!  n = rows (tree) + 1;
%!  members = num2cell (1:n);
%!  for k = 1:n-1
%!    members{n+k} = [members{tree(k,1:2)}];
%!  endfor
%!endfunction
%!function total = sum_of (tree, S, order, group)
%!  members = members_of (tree);
%!  total = 0;
%!  for p = 1:numel (order)-1
%!    pair = order(p:p+1);
%!    if (! group)
%!      total += S(pair(1),pair(2));
%!      continue;
%!    endif
%!    k = find (cellfun (@(m) all (ismember (pair, m)), members(rows (tree)+2:end)), 1);
%!    [a, b] = members{tree(k,1:2)};
%!    if (ismember (pair(2), a))
%!      [a, b] = deal (b, a);
%!    endif
%!    total += sum (S(pair(1),b)) + sum (S(a,pair(2)));
%!  endfor
%!endfunction
%!test
%! rand ("twister", 3);
%! transformations = {"linear", "inverse", @(d) exp (-d)};
%! for n = 2:7
%!   D = gpu_pdist (rand (n, 2));
%!   tree = gpu_linkage (D, "average");
%!   similarities = {max(D) - D, 1 ./ D, exp(-D)};
%!   for t = 1:3
%!     S = zeros (n);
%!     S(tril (true (n), -1)) = similarities{t};
%!     S += S';
%!     for criterion = {"adjacent", "group"}
%!       sums = cellfun (@(order) sum_of (tree, S, order, strcmp (criterion{1}, "group")), ...
%!                       num2cell (all_orders (tree), 2));
%!       order = gpu_optimalleaforder (tree, D, "Criteria", criterion{1}, "Transformation", transformations{t});
%!       assert (ismember (order, all_orders (tree), "rows"));
%!       assert (sum_of (tree, S, order, strcmp (criterion{1}, "group")), max (sums), 1e-12 * max (abs (sums)));
%!     endfor
%!   endfor
%! endfor

%!test  # points on a line
%! x = [3; 1; 4; 1.5; 9; 2.6];
%! tree = gpu_linkage (x);
%! order = gpu_optimalleaforder (tree, gpu_pdist (x));
%! assert (any (isequal (x(order), sort (x)) || isequal (x(order), sort (x, "descend"))));
%!testif ; ! isempty (pkg ("list", "statistics"))  # the sums of optimalleaforder
%! rand ("twister", 4);
%! pkg load statistics
%! for n = [10 25]
%!   D = gpu_pdist (rand (n, 2));
%!   tree = gpu_linkage (D, "average");
%!   for transformation = {"linear", "inverse"}
%!     S = squareform (D);
%!     if (strcmp (transformation{1}, "inverse"))
%!       S = 1 ./ S;
%!     endif
%!     orders = {gpu_optimalleaforder(tree, D, "Transformation", transformation{1}), ...
%!               optimalleaforder(tree, D, "Transformation", transformation{1})};
%!     total = cellfun (@(o) sum (S(sub2ind ([n, n], o(1:end-1)(:), o(2:end)(:)))), orders);
%!     assert (total(1), total(2), 1e-12 * total(2));
%!   endfor
%! endfor
%!testif ; ! isempty (gpu_info ().hdf5)
%! rand ("twister", 1);
%! X = rand (50, 3);
%! file = [tempname() '.h5'];
%! tree = gpu_linkage (X, "average");
%! unwind_protect
%!   gpu_pdist (X, "euclidean", "file", file);
%!   assert (gpu_optimalleaforder (tree, gpu_dist_file (file)), gpu_optimalleaforder (tree, gpu_pdist (X)));
%!   fail ("gpu_optimalleaforder (tree, gpu_dist_file (file), 'transformation', 'inverse')", ...
%!         "D must be distances in memory, not in a file or on a device, if they are transformed");
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect

%!error <Invalid call> gpu_optimalleaforder ([1 2 5])
%!error <tree must be a matrix of three columns with a row for each merge, not \[\]\(0 x 3\)> gpu_optimalleaforder (zeros (0, 3), 1)
%!error <tree must have each point and each earlier merge once, but row 2 does not> gpu_optimalleaforder ([1 2 1; 1 3 2], [1 2 3])
%!error <D must have the 2 leaves of the tree, not 3 points> gpu_optimalleaforder ([1 2 5], [1 2 3])
%!error <D must have n \(n - 1\) / 2 distances, not 2> gpu_optimalleaforder ([1 2 5], [1 2])
%!error <D must be a vector or a square matrix of distances, not "text"> gpu_optimalleaforder ([1 2 5], "text")
%!error <D must be a vector or a square matrix of distances, not a 2 x 3 matrix> gpu_optimalleaforder ([1 2 5], ones (2, 3))
%!error <D must have finite distances only, but 1 of them is not; the first is Inf, between points 1 and 2> ...
%! gpu_optimalleaforder ([1 2 5], Inf)
%!error <criteria must be one of "adjacent", "group", not "best"> gpu_optimalleaforder ([1 2 5], 1, "Criteria", "best")
%!error <transformation must be one of "linear", "inverse", not "log"> gpu_optimalleaforder ([1 2 5], 1, "Transformation", "log")
%!error <transformation must be "linear", "inverse" or a function, not 3> gpu_optimalleaforder ([1 2 5], 1, "Transformation", 3)
%!error <transformation must return 1 finite numbers> gpu_optimalleaforder ([1 2 5], 1, "Transformation", @(d) 1 / 0)
%!error <D must have distances above 0 only for the transformation "inverse", not 0> gpu_optimalleaforder ([1 2 5], 0, "Transformation", "inverse")
%!demo
%! X = [randn(15, 2); randn(15, 2) + 4; randn(15, 2) - 4];
%! D = gpu_pdist (X);
%! tree = gpu_linkage (D, "average");
%! order = gpu_optimalleaforder (tree, D);
%! imagesc (gpu_pdist2 (X(order,:), X(order,:)));
%! axis square
%! title ("distances in the optimal order of leaves");
