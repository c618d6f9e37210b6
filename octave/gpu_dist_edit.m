## -*- texinfo -*-
## @deftypefn  {} {@var{D} =} gpu_dist_edit (@var{S})
## @deftypefnx {} {@var{D} =} gpu_dist_edit (@var{S}, @var{T})
## @deftypefnx {} {[@var{idx}, @var{D}] =} gpu_dist_edit (@var{S}, @var{T}, "Neighbors", true, @dots{})
## @deftypefnx {} {[@dots{}, @var{info}] =} gpu_dist_edit (@var{S}, @var{T}, @var{name}, @var{value}, @dots{})
## Compute edit distances of texts, as R's package stringdist does, on all CPU cores.
##
## @var{S} and @var{T} are cell arrays of rows of characters, matrices of characters with a text in each row, or arrays
## of structures with the field @code{Sequence}.  @var{D} is the row vector of the n * (n - 1) / 2 distances within
## @var{S}, in the order of @code{gpu_pdist}; with @var{T}, unless it is [], a matrix with a row for each text of
## @var{S} and a column for each of @var{T}.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"Method"}
## the edits that are counted: @qcode{"lv"} (Levenshtein, the default), insertions, deletions and substitutions of a
## letter; @qcode{"osa"} (optimal string alignment), also exchanges of two neighbouring letters, where no part of a text
## is edited twice; @qcode{"hamming"}, substitutions, Inf for texts of different lengths
## @item @qcode{"Max"}
## the largest distance: larger ones are Inf, and no neighbours
## @item @qcode{"Neighbors"}
## @code{true}: @var{idx} and @var{D} are cell arrays, as @code{gpu_rangesearch} returns them, of the texts of @var{T},
## or others of @var{S}, within @qcode{"Max"} of each text of @var{S}, the nearest first
## @item @qcode{"UseBytes"}
## @code{true}: letters are bytes; by default they are the characters of UTF-8
## @end table
##
## The distance D(m,n) of texts a and b of m and n letters is defined by D(i,j) = min (D(i-1,j) + 1, D(i,j-1) + 1,
## D(i-1,j-1) + (a(i) != b(j))) with D(i,0) = i and D(0,j) = j, and computed for 64 rows at a time by bit vectors
## (Myers 1999, J. ACM 46, 395; Hyyro 2003, Nordic J. Computing 10, 29).  For neighbours within up to 4, texts are
## compared only if they become equal by deleting at most as many letters from both, as all neighbours do.
##
## The other options are those of @code{gpu_options}; @qcode{"device"} and @qcode{"precision"} have no effect.
## @var{info}, the last result, is that of @code{gpu_pdist}.
##
## @example
## gpu_dist_edit (@{"kitten", "sitting", "mitten"@})
##   @result{} 3  1  3
## @end example
##
## @seealso{gpu_seqpdist, gpu_rangesearch, gpu_linkage}
## @end deftypefn

function varargout = gpu_dist_edit (S, T = [], varargin)

  if (nargin < 1)
    print_usage ();
  endif
  options = read_options ({"method", "max", "neighbors", "usebytes"}, varargin);
  options.names = struct ("method", "Method", "max", "Max", "usebytes", "UseBytes", "x", "S", "y", "T");
  wanted = false;
  if (isfield (options, "neighbors"))
    wanted = __gpugeo__ ("check_flag", options.neighbors, "Neighbors");
    options = rmfield (options, "neighbors");
  endif
  inputs = {sequence_texts(S)};
  if (! (isnumeric (T) && isempty (T)))
    inputs{2} = sequence_texts (T, "T");
  endif
  if (wanted)
    [idx, D, counts, info] = __gpugeo__ ("edit_neighbors", options, inputs{:});
    varargout = {mat2cell(idx, 1, counts)(:), mat2cell(D, 1, counts)(:), info};
  else
    [D, info] = __gpugeo__ ("dist_edit", options, inputs{:});
    varargout = {D, info};
  endif

endfunction

%!assert (gpu_dist_edit ({"kitten", "sitting", "mitten"}), [3 1 3])
%!assert (gpu_dist_edit ({"ab", "ba", "", "abc"}, [], "Method", "osa"), [1 2 1 2 2 3])
%!assert (gpu_dist_edit (["ab"; "bb"; "ba"], [], "Method", "hamming"), [1 2 1])
%!assert (gpu_dist_edit ({"ab", "abc"}, [], "Method", "hamming"), Inf)
%!assert (gpu_dist_edit ({"abc", "xyz"}, {"abd", "", "xyz"}), [1 3 3; 3 3 0])
%!assert (gpu_dist_edit ({"abc", "xyz", "abd"}, [], "Max", 2), [Inf 1 Inf])
%!assert (gpu_dist_edit ({"café", "cafe"}), 1)
%!assert (gpu_dist_edit ({"café", "cafe"}, [], "UseBytes", true), 2)
%!assert (isempty (gpu_dist_edit ({})))
%!assert (gpu_dist_edit (struct ("Sequence", {"AC", "AG"})), 1)
%!test
%! [idx, D, info] = gpu_dist_edit ({"CASS", "CAST", "CAT", "WWWW"}, [], "Max", 1, "Neighbors", true);
%! assert (idx, {2; [1 3]; 2; zeros(1, 0)});
%! assert (D, {1; [1 1]; 1; zeros(1, 0)});
%! assert (info.backend, "cpu");
%! assert (gpu_dist_edit ({"CASS"}, {"CASS", "CAT", "CAS"}, "Max", 1, "Neighbors", true), {[1 3]});
%!test  # the same on any number of threads, as all pairs
%! rand ("twister", 1);
%! S = arrayfun (@(k) char (97 + floor (5 * rand (1, 5))), 1:400, "UniformOutput", false);
%! D = gpu_dist_edit (S, S);
%! for threads = [1 3]
%!   idx = gpu_dist_edit (S, [], "Max", 1, "Neighbors", true, "threads", threads);
%!   for i = 1:400
%!     near = D(i,:) <= 1;
%!     near(i) = false;
%!     assert (sort (idx{i}), reshape (find (near), 1, []));
%!   endfor
%! endfor
%!error <Invalid call> gpu_dist_edit ()
%!error <S must be sequences: .*, not 1> gpu_dist_edit (1)
%!error <T must be sequences: .*, not 1> gpu_dist_edit ({"a"}, 1)
%!error <Method must be one of "lv", "osa", "hamming", not "jw"> gpu_dist_edit ({"a"}, [], "Method", "jw")
%!error <Max must be a number of at least 0, not -1> gpu_dist_edit ({"a"}, [], "Max", -1)
%!error <S must be UTF-8, but text 2 is not> gpu_dist_edit ({"a", char(255)})
%!error <Neighbors must be true or false> gpu_dist_edit ({"a"}, [], "Neighbors", 7)
%!error <backend must be .*, not "cuda"> gpu_dist_edit ({"a"}, [], "backend", "cuda")
%!error <option must be one of .*, not "colour"> gpu_dist_edit ({"a"}, [], "colour", 1)
%!demo
%! S = {"CASSLGTEAFF", "CASSLGTDAFF", "CASSPGTEAFF", "CASRQGYEQYF"};
%! [idx, D] = gpu_dist_edit (S, [], "Max", 1, "Neighbors", true)
