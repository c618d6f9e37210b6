## -*- texinfo -*-
## @deftypefn {} {@var{yes} =} stands_for_distances (@var{X})
## True for the structures of distances that @code{gpu_dist_file}, @code{gpu_pdist} and @code{gpu_seqpdist} return.
## @end deftypefn

function yes = stands_for_distances (X)

  yes = isstruct (X) && (isfield (X, "sequences") || isfield (X, "metric"));

endfunction
