## -*- texinfo -*-
## @deftypefn  {} {@var{T} =} gpu_tom (@var{X})
## @deftypefnx {} {@var{T} =} gpu_tom (@var{X}, @var{power})
## @deftypefnx {} {@var{T} =} gpu_tom (@dots{}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{T}, @var{info}] =} gpu_tom (@dots{})
## Compute the topological overlaps of all pairs of genes in a weighted network, as @code{TOMsimilarityFromExpr},
## @code{TOMsimilarity} and @code{TOMdist} of R's package WGCNA.
##
## @var{X} has a gene in each column and a sample in each row.  @var{power} is that of the network, by default 6.
## @var{T} is a symmetric matrix with 1 on its diagonal.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"network"}
## @qcode{"unsigned"} (the default), @qcode{"signed"} or @qcode{"signed hybrid"}, as in @code{gpu_adjacency}.
## @item @qcode{"overlap"}
## The definition: @qcode{"none"}, which returns the weights; @qcode{"unsigned"}, @qcode{"signed"} (the default),
## @qcode{"signed Nowick"}, @qcode{"unsigned 2"}, @qcode{"signed 2"} or @qcode{"signed Nowick 2"}.  Let a be the
## weights, k the sums of their magnitudes for each gene without the gene itself, l the sum of the products
## a(i,m) a(m,j) over all other genes m, and f the minimum or mean of k(i) and k(j).  The overlap is
## (l + a) / (f + 1 - |a|) and, for the names with 2, (a + l / (f - |a|)) / 2, with a quotient of 0 if f is |a|.
## @qcode{"signed"} and @qcode{"signed 2"} are the magnitudes of this.  For signed overlaps of an unsigned network
## the weights have the signs of the correlations.  With weights that are not negative, all three definitions are
## the same.
## @item @qcode{"denominator"}
## @qcode{"min"} (the default) or @qcode{"mean"}: f.
## @item @qcode{"suppresszero"}, @qcode{"suppressnegative"}
## True for an overlap of 0 where the weight is 0, and where the overlap is negative; by default false.
## @item @qcode{"as"}
## @qcode{"dist"} returns 1 minus the overlap as a row of distances, for @code{gpu_linkage}; by default
## @qcode{"similarity"}.
## @item @qcode{"file"}, @qcode{"file_shape"}, @qcode{"file_name"}, @qcode{"file_precision"}
## A file to which distances are written, as in @code{gpu_pdist}.  They need not fit into memory: weights are then
## computed anew for each part of the file.  @var{T} is the structure that @code{gpu_dist_file} returns.
## @item @qcode{"keep"}
## True: the distances stay on a CUDA device, as those of @code{gpu_pdist}, see @code{gpu_dist_device}.
## @item @qcode{"input"}
## @qcode{"adjacency"} if @var{X} is a matrix of weights, which must be symmetric, with elements between 0 and 1, or
## -1 and 1 for signed definitions; by default @qcode{"expression"}.  Options of correlations and their powers must
## not be given then.  Missing weights count as 0, and those on the
## diagonal as 1.
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
## The sums take n^3 / 2 multiplications.  Each is computed in the order of the genes and does not depend on threads.
## The memory has the weights and the result.  @var{info} is that of @code{gpu_pdist}.
##
## Sources: B. Zhang and S. Horvath (2005), A general framework for weighted gene co-expression network analysis,
## Statistical Applications in Genetics and Molecular Biology 4; K. Nowick, T. Gernat, E. Almaas and L. Stubbs (2009),
## PNAS 106.
##
## @example
## X = randn (20, 60) + randn (20, 1) * [2 * ones(1, 30), zeros(1, 30)];
## Z = gpu_linkage (gpu_tom (X, 6, "as", "dist"), "average");
## @end example
##
## @seealso{gpu_adjacency, gpu_soft_threshold, gpu_linkage, gpu_options}
## @end deftypefn

function [T, info] = gpu_tom (X, varargin)

  if (nargin < 1)
    print_usage ();
  endif

  of_expression = {"power", "network", "type", "rows", "maxpoutliers", "pearsonfallback", "weights"};
  of_file = {"file", "file_shape", "file_name", "file_precision"};
  own = [{"overlap", "denominator", "suppresszero", "suppressnegative", "as", "input", "keep"}, of_file];
  options = read_options ([own, of_expression], leading_power (varargin));
  options = network_options (options, "adjacency", of_expression);
  keep = read_flag (options, "keep", false);
  if (! keep && ! isfield (options, "file"))
    [T, info] = __gpugeo__ ("overlap", options, X);
    return;
  endif
  check_stored (options, keep);
  distances = struct ("overlap", X, "options", rmfield (options, intersect (fieldnames (options), [of_file, "keep"])));
  if (keep)
    [T, info] = on_device (options, distances);
    return;
  endif
  info = __gpugeo__ ("dist_file", options, distances);
  name = [];
  if (isfield (options, "file_name"))
    name = options.file_name;
  endif
  T = gpu_dist_file (options.file, name);

endfunction

## Check the options of distances that are not returned.
function check_stored (options, keep)

  if (keep && isfield (options, "file"))
    error ("gpugeo:argument", "file must not be given with keep");
  endif
  as = "similarity";
  if (isfield (options, "as"))
    as = choose_one (options.as, __gpugeo__ ("names", "overlap", "as"), "as");
  endif
  if (! strcmp (as, "dist"))
    fail_message ("only distances", {"file", "keep"}{1 + keep}, as);
  endif

endfunction

## By hand: a path of four genes, and a triangle with one negative weight.
%!shared P, N, X
%! P = eye (4) + 0.5 * (diag ([1 1 1], 1) + diag ([1 1 1], -1));
%! N = [1 0.5 -0.25; 0.5 1 0.5; -0.25 0.5 1];
%! X = mod ((1:12)'.^2 * (1:15) + 7 * (1:12)' * (1:15).^2, 31);
%!test
%! T = gpu_tom (P, "input", "adjacency");
%! assert (T(1,:), [1, 0.5 / (0.5 + 1 - 0.5), 0.25 / 1.5, 0], 1e-15);
%! assert (T(2,:), [0.5, 1, 0.5 / 1.5, 0.25 / 1.5], 1e-15);
%! assert (T, T');
%! assert (gpu_tom (P, "input", "adjacency", "as", "dist"), 1 - T([2 3 4 7 8 12]));
%! assert (gpu_tom (P, "input", "adjacency", "denominator", "mean")(1,2), 0.5 / (0.75 + 0.5), 1e-15);
%! assert (gpu_tom (P, "input", "adjacency", "suppresszero", true)(1,:), [1 0.5 0 0], 1e-15);
%! assert (gpu_tom (P, "input", "adjacency", "overlap", "unsigned 2")(1,:), [1 0.25 0.25 0], 1e-15);
%! P(2,2) = 0;
%! P(1,4) = P(4,1) = NaN;
%! assert (gpu_tom (single (P), "input", "adjacency"), T);
%!test
%! nowick = @(varargin) gpu_tom (N, "input", "adjacency", varargin{:})([2 3 6]);
%! signed = [0.5 - 0.125, -0.25 + 0.25, 0.5 - 0.125] ./ (0.75 + 1 - [0.5 0.25 0.5]);
%! assert (nowick ("overlap", "signed Nowick"), signed, 1e-15);
%! assert (nowick (), abs (signed), 1e-15);
%! second = ([0.5 -0.25 0.5] + [-0.125 0.25 -0.125] ./ (0.75 - [0.5 0.25 0.5])) / 2;
%! assert (nowick ("overlap", "signed Nowick 2"), second, 1e-15);
%! assert (nowick ("overlap", "signed 2"), abs (second), 1e-15);
%!test
%! for network = {"unsigned", "signed", "signed hybrid"}
%!   A = gpu_adjacency (X, 3, "network", network{1});
%!   T = gpu_tom (A, "input", "adjacency");
%!   assert (gpu_tom (X, 3, "network", network{1}, "overlap", "unsigned"), T);
%!   assert (gpu_tom (X, 3, "network", network{1}, "overlap", "none"), A - diag (diag (A)) + eye (15));
%!   assert (gpu_tom (X, 3, "network", network{1}, "overlap", "unsigned", "threads", 1), T);
%! endfor
%! R = gpu_corr (X);
%! signed = gpu_tom (sign (R) .* abs (R).^3, "input", "adjacency");
%! assert (gpu_tom (X, 3), signed, 1e-15);
%!test
%! W = 1 + mod (X, 4);
%! A = gpu_adjacency (X, 3, "weights", W);
%! assert (gpu_tom (X, 3, "weights", W, "overlap", "unsigned"), gpu_tom (A, "input", "adjacency"), 1e-15);
%!assert (gpu_tom (1, "input", "adjacency"), 1)
%!assert (gpu_tom (1, "input", "adjacency", "as", "dist"), zeros (1, 0))
%!assert (gpu_tom (zeros (0, 0), "input", "adjacency"), zeros (0, 0))
%!assert (gpu_tom (ones (3), "input", "adjacency"), ones (3))

%!testif ; ! isempty (gpu_info ().hdf5)
%! file = [tempname(), '.h5'];
%! unwind_protect
%!   D = gpu_tom (X, 3, "as", "dist", "file", file);
%!   assert (D.metric, "TOM");
%!   d = gpu_tom (X, 3, "as", "dist");
%!   assert (gpu_linkage (D, "average"), gpu_linkage (d, "average"));
%!   assert (gpu_dist_file (file, [], 1:15, [2 9]), (1 - gpu_tom (X, 3))(:,[2 9]));
%!   delete (file);
%!   gpu_tom (P, "input", "adjacency", "as", "dist", "file", file, "file_name", "path");
%!   assert (gpu_dist_file (file, "path", 1:4, 1:4), 1 - gpu_tom (P, "input", "adjacency"));
%! unwind_protect_cleanup
%!   if (exist (file, "file"))
%!     delete (file);
%!   endif
%! end_unwind_protect

%!error <Invalid call> gpu_tom ()
%!testif ; numel (gpu_info ().devices) > 0
%! D = gpu_tom (X, 3, "as", "dist", "keep", true);
%! d = gpu_tom (X, 3, "as", "dist");
%! assert (gpu_dist_device (D), d);
%! assert (gpu_linkage (D, "average"), gpu_linkage (d, "average"));

%!error <as must be "dist" with file, not "similarity"> gpu_tom (X, 3, "file", "x.h5")
%!error <as must be "dist" with keep, not "similarity"> gpu_tom (X, 3, "as", "sim", "keep", true)
%!error <file must not be given with keep> gpu_tom (X, 3, "as", "dist", "keep", true, "file", "x.h5")
%!error <backend must be "auto" or "cuda" for distances that stay on a device, not "cpu">
%! gpu_tom (X, 3, "as", "dist", "keep", true, "backend", "cpu")
%!error <power must not be given with input "adjacency"> gpu_tom (P, 6, "input", "adjacency")
%!error <power must be a positive finite number, not -1> gpu_tom (X, -1)
%!error <overlap must be one of "none", "unsigned", "signed", .*, not "x"> gpu_tom (X, 1, "overlap", "x")
%!error <denominator must be one of "min", "mean", not "x"> gpu_tom (X, 1, "denominator", "x")
%!error <as must be one of "similarity", "dist", not "x"> gpu_tom (X, 1, "as", "x")
%!error <suppresszero must be true or false, not 2> gpu_tom (X, 1, "suppresszero", 2)
%!error <x must be between 0 and 1, but element \(3, 1\) is -0.25>
%! gpu_tom (N, "input", "adjacency", "overlap", "unsigned");
%!error <x must be symmetric, but element \(1, 2\) is 0.5 and element \(2, 1\) is 0>
%! gpu_tom ([1 0.5; 0 1], "input", "adjacency");

%!demo
%! x = randn (20, 60) + randn (20, 1) * [2 * ones(1, 30), zeros(1, 30)];
%! Z = gpu_linkage (gpu_tom (x, 6, "as", "dist"), "average");
