## -*- texinfo -*-
## @deftypefn {} {} gpugeo ()
## Show this help: the functions of gpugeo for functions of Octave, its packages and MATLAB.
##
## Points are rows everywhere, and variables of correlations are columns.
##
## @multitable @columnfractions .34 .33 .33
## @headitem Instead of @tab gpugeo @tab What is different
## @item @code{pdist (X, metric)}
## @tab @code{gpu_pdist (X, metric)}
## @tab missing values as in R
## @item @code{squareform (pdist (X))}
## @tab @code{gpu_pdist2 (X, X)}
## @tab the same
## @item @code{pdist2 (X, Y, metric)}
## @tab @code{gpu_pdist2 (X, Y, metric)}
## @tab the same
## @item @code{corr (X, Y)}, @code{corrcoef (X)}
## @tab @code{gpu_corr (X, Y)}
## @tab the same, and p-values
## @item R's @code{WGCNA::bicor (x, y)}
## @tab @code{gpu_corr (X, Y, "type", "bicor")}
## @tab the same
## @item R's @code{energy::dcor (x, y)}
## @tab @code{gpu_corr (x, y, "type", "dcor")}
## @tab the same
## @item R's @code{WGCNA::pickSoftThreshold (x, powerVector)}
## @tab @code{gpu_soft_threshold (X, powers)}
## @tab a matrix with the same columns
## @item R's @code{WGCNA::adjacency (x)}
## @tab @code{gpu_adjacency (X)}
## @tab the same
## @item R's @code{WGCNA::TOMsimilarityFromExpr (x)}
## @tab @code{gpu_tom (X)}
## @tab the same; @code{gpu_tom (A, "input", "adjacency")} for @code{WGCNA::TOMsimilarity (A)}
## @item R's @code{propr::propr (counts, metric)}
## @tab @code{gpu_propr (X, "metric", metric)}
## @tab a matrix
## @item R's @code{propr::updateCutoffs (pr, cutoff)}
## @tab @code{gpu_propr_cutoffs (X, cutoff)}
## @tab a matrix with the same columns
## @item R's @code{SpiecEasi::sparcc (counts)}
## @tab @code{gpu_sparcc (X)}
## @tab correlations and covariances
## @item R's @code{WGCNA::moduleEigengenes (x, colors)}
## @tab @code{gpu_module_eigengenes (X, colors)}
## @tab a matrix with the same columns, and the names of the modules
## @item R's @code{vegan::vegdist (x, method)}
## @tab @code{gpu_vegdist (X, "method", method)}
## @tab a row vector; @code{gpu_decostand} for @code{vegan::decostand}
## @item R's @code{vegan::designdist (x, formula)}, @code{vegan::betadiver (x, index)}
## @tab @code{gpu_designdist (X, formula)}, @code{gpu_betadiver (X, index)}
## @tab row vectors
## @item R's @code{vegan::diversity (x)}
## @tab @code{gpu_diversity (X)}
## @tab the same; @qcode{"fisher"} for @code{vegan::fisher.alpha}
## @item R's @code{phyloseq::UniFrac (x)}
## @tab @code{gpu_unifrac (X, tree)}
## @tab a row vector, of five definitions
## @item R's @code{vegan::rarefy (x, n)}, @code{vegan::rrarefy (x, n)}
## @tab @code{gpu_rarefy (X, n)}, @code{gpu_rrarefy (X, n)}
## @tab the numbers of @code{rand}
## @item @code{cov (X)}
## @tab @code{gpu_cov (X)}
## @item MATLAB's @code{partialcorr (X, Y, Z)}
## @tab @code{gpu_partialcorr (X, Y, Z)}
## @tab the same
## @item @code{knnsearch (X, Y, "K", k)}
## @tab @code{gpu_knnsearch (X, Y, "K", k)}
## @tab without @var{Y}: the neighbours of each row of @var{X}, itself not among them
## @item R's @code{FNN::get.knn (x, k)}
## @tab @code{gpu_knnsearch (X, "K", k)}
## @tab any metric
## @item @code{rangesearch (X, Y, r)}
## @tab @code{gpu_rangesearch (X, Y, r)}
## @tab the same
## @item @code{linkage (X, method, metric)}
## @tab @code{gpu_linkage (X, method, metric)}
## @tab the same; more than 65,536 points
## @item @code{cophenet (Z, Y)}
## @tab @code{gpu_cophenetic (Z, Y)}
## @tab the same; without @var{Y}: the distances alone
## @item @code{optimalleaforder (Z, Y)}
## @tab @code{gpu_optimalleaforder (Z, Y)}
## @tab the same; more than 1,000 leaves
## @item @code{dendrogram (Z)}
## @tab @code{gpu_dendrogram (Z)}
## @tab the same; a line object for each colour
## @item @code{dbscan (X, epsilon, minpts)}
## @tab @code{gpu_dbscan (X, epsilon, minpts)}
## @tab the same; @code{gpu_hdbscan (X, minpts)} and @code{gpu_optics (X)} need no @var{epsilon}
## @item @code{kmeans (X, k)}
## @tab @code{gpu_kmeans (X, k)}
## @tab the same by squared Euclidean distances
## @item @code{kmedoids (X, k)}
## @tab @code{gpu_kmedoids (X, k)}
## @tab the same; nothing is random
## @item @code{silhouette (X, clust, metric)}
## @tab @code{gpu_silhouette (X, clust, metric)}
## @tab the same, without the matrix and the plot
## @item @code{evalclusters (X, clust, criterion)}
## @tab @code{gpu_evalclusters (X, clust, criterion)}
## @tab a structure with the same fields; @code{gpu_validity} has more indices
## @item @code{cmdscale (D, p)}
## @tab @code{gpu_cmdscale (D, p)}
## @tab the same; also points and files of distances
## @item @code{mdscale (D, p)}
## @tab @code{gpu_mdscale (D, p)}
## @tab the same criteria; also points and files of distances
## @item @code{minspantree (graph (squareform (pdist (X))))}
## @tab @code{gpu_mst (X)}
## @tab the same, without the matrix
## @item @code{pdist2 (X, Y) < r} and @code{find}
## @tab @code{gpu_collisions (X, r, "Y", Y, "what", "pairs")}
## @tab without the matrix, in one to three dimensions
## @item R's @code{spatstat.geom::closepairs (X, r, twice = FALSE)}
## @tab @code{gpu_collisions (X, r, "what", "pairs")}
## @tab without the matrix
## @item @code{min (pdist (X))}
## @tab @code{gpu_closest_pair (X)}
## @tab the same
## @item @code{layout (graph (...), "force")}, @code{plot (graph (...))}
## @tab @code{gpu_layout (edges)}, @code{gpu_layout_plot (edges, xy)}
## @tab millions of edges
## @item Python's @code{datashader.tiles.render_tiles ()}
## @tab @code{gpu_layout_image (edges, xy, "zoom", 3, "file", pattern)}
## @tab edges, by the same scale in all tiles of a zoom
## @item @code{distances (graph (...))}
## @tab @code{gpu_graph_distances (edges)}
## @tab the same
## @item R's @code{igraph::layout_with_fr (g)}
## @tab @code{gpu_layout (edges)}
## @tab millions of edges
## @item @code{fastaread (file)}
## @tab @code{gpu_fastaread (file)}
## @tab the same, also of files compressed by gzip
## @item @code{seqpdist (S, "Method", m)}, R's @code{ape::dist.dna (x, m)}
## @tab @code{gpu_seqpdist (S, "Method", m)}
## @tab aligned sequences only; R's models, too
## @item R's @code{phangorn::dist.ml (x, m)}
## @tab @code{gpu_seqpdist (S, "Method", m, "Alphabet", "AA")}
## @tab aligned proteins
## @item the program cgmlst-dists
## @tab @code{gpu_dist_alleles (X)}
## @tab a matrix of alleles
## @item @code{editDistance (a, b)}, R's @code{stringdist::stringdistmatrix (x, y)}
## @tab @code{gpu_dist_edit (S, T)}
## @tab also all neighbours within a distance
## @item @code{seqneighjoin (D, method, names)}, @code{seqlinkage (D, method, names)}
## @tab @code{gpu_seqneighjoin (D, method, names)}, @code{gpu_seqlinkage (D, method, names)}
## @tab a structure of edges, lengths and names
## @item R's @code{ape::boot.phylo (tree, x, FUN, B)}
## @tab @code{gpu_boot_phylo (S, "B", B)}
## @tab trees of aligned DNA by neighbour joining, BIONJ or UPGMA
## @item @code{phytreeread (file)}, @code{phytreewrite (file, tree)}, @code{pdist (tree)}
## @tab @code{gpu_phytree_read (file)}, @code{gpu_phytree_write (file, tree)}, @code{gpu_tree_distances (tree)}
## @tab that structure instead of a @code{phytree}
## @item R's @code{phyloseq::import_biom (file)}
## @tab @code{gpu_read_biom (file)}
## @tab a sparse matrix of samples by taxa, their names and metadata
## @item @code{pinv (cov (X))} and @code{pdist (X, "mahalanobis", C)}
## @tab @code{gpu_pdist (X, "mahalanobis", "singular", "pinv")}
## @tab the same
## @item @code{knnsearch} and @code{sparse}
## @tab @code{gpu_neighbor_graph (X, "k", k)}
## @tab a list of edges, each once
## @end multitable
##
## @strong{Points or distances}
##
## A row vector of n * (n - 1) / 2 distances, as @code{gpu_pdist} returns it, and the structures of
## @code{gpu_dist_file} and @code{gpu_dist_device} mean distances in all functions that take them.
## @code{gpu_dbscan} and @code{gpu_hdbscan} take a row vector for distances only with the metric
## @qcode{"precomputed"}; without a metric it is one point, and the warning @code{gpugeo:points} says so.
## @code{gpu_silhouette} takes distances as its third argument.  @code{gpu_knnsearch}, @code{gpu_rangesearch} and
## @code{gpu_neighbor_graph} take points only: a row vector of distances is an error.  A column vector has points of
## one dimension in all functions of points.
##
## A square matrix means distances in @code{gpu_cmdscale} and @code{gpu_mdscale} without a metric, in
## @code{gpu_mantel}, and with the metric @qcode{"precomputed"}.  Elements that should be equal and differ by at most
## 1e-8 of the largest are replaced by their mean; a larger difference, or one triangle that is missing, is an error
## that names the pair.
##
## Any other matrix means points, a row each.  If it has the form of distances, that is if it is square, not negative,
## 0 on the diagonal and symmetric up to 100 times @code{eps}, the warning @code{gpugeo:points} says so;
## @code{squareform (x)} of the package statistics makes a row vector of distances of it.  A matrix of zeros is taken
## without a warning.
##
## @code{gpu_info} lists the backends and devices, and @code{gpu_options} sets defaults.
##
## @seealso{gpu_pdist, gpu_knnsearch, gpu_layout, gpu_info, gpu_options}
## @end deftypefn

function gpugeo ()

  help gpugeo

endfunction

## The functions of the table exist, and those of this package are all that begin with gpu_.
%!test
%! text = get_help_text ("gpugeo");
%! names = unique (regexp (text, "gpu_[a-z0-9_]+", "match"));
%! assert (numel (names) > 10);
%! for i = 1:numel (names)
%!   assert (exist (names{i}) == 2, names{i});
%! endfor
