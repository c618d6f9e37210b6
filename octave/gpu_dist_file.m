## -*- texinfo -*-
## @deftypefn  {} {@var{about} =} gpu_dist_file (@var{file})
## @deftypefnx {} {@var{about} =} gpu_dist_file (@var{file}, @var{name})
## @deftypefnx {} {@var{D} =} gpu_dist_file (@var{file}, @var{name}, @var{i}, @var{j})
## Read distances from an HDF5 file that @code{gpu_pdist} wrote with the option @qcode{"file"}.
##
## @var{name} is that of the dataset; @code{[]} stands for @qcode{"dist"}, or @qcode{"matrix"} if there is
## no such dataset.
##
## @var{about} is a structure: @code{file}, @code{name}, @code{metric} (as R names it), @code{size} (the
## number of points), @code{shape}, @code{precision}, @code{labels}, the number of @code{tiles}, and the
## number of those that are written (@code{tiles_done}).
##
## @var{D} is a matrix of the distances between the points @var{i} and the points @var{j}, which are
## numbers from 1 or @qcode{":"} for all.
##
## On Linux, disk space for the whole file is allocated first: a full disk is an error before the
## computation.  If a call of @code{gpu_pdist} is stopped by Ctrl-C or a full disk, or Octave is killed, the
## file keeps the tiles that were written, and the same call continues with the first missing tile.
## Octave's @code{load} and R read the file.
##
## @example
## gpu_pdist (rand (1000, 3), "euclidean", "file", "d.h5");
## D = gpu_dist_file ("d.h5", [], 1:3, ":")
## @end example
##
## @seealso{gpu_pdist, gpu_dist_tiles, gpu_hdf5}
## @end deftypefn

function result = gpu_dist_file (file, name = [], i, j)

  if (nargin < 1 || nargin == 3)
    print_usage ();
  endif
  result = __gpugeo__ ("dist_file_info", file, name);
  if (nargin == 4)
    result = __gpugeo__ ("dist_file_read", file, name, point_numbers (i, result.size), ...
                        point_numbers (j, result.size));
  endif

endfunction

%!testif ; ! isempty (gpu_info ().hdf5)
%! rand ("twister", 1);
%! X = round (rand (300, 3) * 100);
%! X(7,:) = NaN;
%! whole = gpu_pdist2 (X, X, "cityblock");
%! for shape = {"condensed", "square"}
%!   for precision = {"double", "float"}
%!     file = [tempname() '.h5'];
%!     unwind_protect
%!       about = gpu_pdist (X, "cityblock", "file", file, "file_shape", shape{1}, ...
%!                          "file_precision", precision{1}, "file_name", "d", "memory_limit", 2^20);
%!       assert (about.size, 300);
%!       assert (about.tiles_done, about.tiles);
%!       assert ({about.metric, about.shape, about.precision, about.name}, ...
%!               {"manhattan", shape{1}, precision{1}, "d"});
%!       assert (isempty (about.labels));
%!       assert (gpu_dist_file (file, "d", [1 5:9 2], 11:300), whole([1 5:9 2],11:300));
%!       assert (gpu_dist_file (file, "d", ":", 1), whole(:,1));
%!       read = load (file).d;
%!       if (strcmp (shape{1}, "square"))
%!         assert (read, whole);
%!       else
%!         assert (read(:), gpu_pdist (X, "cityblock")(:));
%!       endif
%!       fail ('gpu_dist_file (file, "d", 301, 1)', 'row must be between 1 and 300');
%!       fail ('gpu_dist_file (file, "d", 1, 1.5)', 'column must be between 1 and 300');
%!       fail ('gpu_dist_file (file, "d", "a", 1)', 'points must be numbers from 1 or ":"');
%!     unwind_protect_cleanup
%!       delete (file);
%!     end_unwind_protect
%!   endfor
%! endfor
%!testif ; ! isempty (gpu_info ().hdf5)  # the structure stands for distances, and takes no metric
%! X = rand (30, 2);
%! clust = mod ((1:30)', 3);
%! file = [tempname() '.h5'];
%! unwind_protect
%!   D = gpu_pdist (X, "cityblock", "file", file);
%!   d = gpu_pdist (X, "cityblock");
%!   for of = {@(d, varargin) gpu_linkage(d, "average", varargin{:}), @(d, varargin) gpu_mst(d, varargin{:}), ...
%!             @(d, varargin) gpu_kmedoids(d, 3, varargin{:}), ...
%!             @(d, varargin) gpu_silhouette([], clust, d, varargin{:})}
%!     assert (of{1}(D), of{1}(d));
%!     fail ('of{1}(D, "p", 3)', "p must be given with points, not with distances");
%!     fail ('of{1}(D, "Scale", 2)', "scale must be given with points, not with distances");
%!   endfor
%!   fail ('gpu_linkage (D, "average", "cityblock")', "metric must be given with points, not with distances");
%!   fail ('gpu_mst (D, "cityblock")', "metric must be given with points, not with distances");
%!   fail ('gpu_kmedoids (D, 3, "Distance", "cityblock")', "distance must be given with points, not with distances");
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%!function remove_last_tile (file)
%!  ## Makes a complete file one whose last tile is not there: lowers the number "tiles_done" in it.
%!  tiles = gpu_dist_file (file).tiles;
%!  fid = fopen (file, "r+");
%!  bytes = fread (fid, Inf, "uint8=>char")';
%!  for at = strfind (bytes, char (typecast (int64 (tiles), "uint8")))
%!    fseek (fid, at - 1, "bof");
%!    fwrite (fid, tiles - 1, "int64");
%!    fflush (fid);
%!    try
%!      found = gpu_dist_file (file).tiles_done == tiles - 1;
%!    catch
%!      found = false;
%!    end_try_catch
%!    if (found)
%!      fclose (fid);
%!      return;
%!    endif
%!    fseek (fid, at - 1, "bof");
%!    fwrite (fid, tiles, "int64");
%!    fflush (fid);
%!  endfor
%!  fclose (fid);
%!  error ("the file has no number of tiles");
%!endfunction
%!testif ; ! isempty (gpu_info ().hdf5)  # a file that is not complete is refused
%! clust = mod ((1:700)', 3);
%! file = [tempname() '.h5'];
%! unwind_protect
%!   D = gpu_pdist (rand (700, 2), "euclidean", "file", file, "memory_limit", 2^20);
%!   assert (D.tiles > 2);
%!   gpu_linkage (D);  # is taken
%!   remove_last_tile (file);
%!   message = sprintf ("file is not complete: %d of %d tiles are there", D.tiles - 1, D.tiles);
%!   for method = {"single", "average", "centroid"}
%!     fail ('gpu_linkage (D, method{1})', message);
%!   endfor
%!   fail ('gpu_mst (D)', message);
%!   fail ('gpu_dbscan (D, 1, 2)', message);
%!   fail ('gpu_hdbscan (D, 2)', message);
%!   fail ('gpu_silhouette ([], clust, D)', message);
%!   fail ('gpu_kmedoids (D, 2)', message);
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%!testif ; ! isempty (gpu_info ().hdf5)
%! file = tempname ();
%! fid = fopen (file, "w"); fputs (fid, "no HDF5"); fclose (fid);
%! unwind_protect
%!   fail ('gpu_dist_file (file)', 'file must be one of distances, but ".*" is no HDF5 file');
%!   fail ('gpu_pdist ([1; 2], "euclidean", "file", file)', 'is no HDF5 file');
%!   fail ('gpu_pdist ([1; 2], "euclidean", "file", file, "file_shape", "round")', ...
%!         'file_shape must be "condensed" or "square", not "round"');
%!   fail ('gpu_pdist ([1; 2], "euclidean", "file", "/nowhere/d.h5")', 'cannot be created: No such file');
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect

## Tests and scaling of distances in a file have the bits of those in a vector; one that is not complete is an error.
%!testif ; ! isempty (gpu_info ().hdf5)
%! rand ("twister", 1);
%! X = rand (300, 3);
%! D = gpu_pdist (X, "cityblock");
%! group = 1 + mod (1:300, 5);
%! order = cell2mat (arrayfun (@(k) randperm (300), (1:9)', "UniformOutput", false));
%! tested = {"permutations", order, "Distance", "precomputed"};
%! calls = {@(d, r) nthargout(1:3, @gpu_permanova, d, {group, group > 2}, r{:}), ...
%!          @(d, r) nthargout(1:3, @gpu_permanova, d, group, r{:}), ...
%!          @(d, r) nthargout(1:3, @gpu_anosim, d, group, r{:}), ...
%!          @(d, r) nthargout(1:3, @gpu_mrpp, d, group, r{:}), ...
%!          @(d, r) nthargout(1:3, @gpu_mantel, d, D, "permutations", order), ...
%!          @(d, r) nthargout(1:2, @gpu_cmdscale, d, 3), ...
%!          @(d, r) nthargout(1:2, @gpu_mdscale, d, 2)};
%! file = [tempname() '.h5'];
%! unwind_protect
%!   about = gpu_pdist (X, "cityblock", "file", file, "memory_limit", 2^20);
%!   for k = 1:numel (calls)
%!     expected = calls{k} (D, tested);
%!     assert (calls{k} (about, tested), expected);
%!     assert (calls{k} (about, tested(1:2)), expected);
%!   endfor
%!   remove_last_tile (file);
%!   assert (gpu_dist_file (file).tiles_done, about.tiles - 1);
%!   for k = 1:numel (calls)
%!     call = calls{k};
%!     fail ("call (about, tested)", "file is not complete: [0-9]+ of [0-9]+ tiles are there");
%!   endfor
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%!testif ; isempty (gpu_info ().hdf5)
%! fail ('gpu_dist_file ("d.h5")', 'file can.t be an HDF5 file: gpugeo was built without HDF5');
%! fail ('gpu_pdist ([1; 2], "euclidean", "file", "d.h5")', 'gpugeo was built without HDF5');
%!error <file must be a single string> gpu_dist_file (1)
%!error <Invalid call> gpu_dist_file ()

%!demo
%! if (! isempty (gpu_info ().hdf5))
%!   file = [tempname() '.h5'];
%!   gpu_pdist (rand (100, 3), "euclidean", "file", file);
%!   D = gpu_dist_file (file, [], 1:3, 1:3)
%!   delete (file);
%! endif
