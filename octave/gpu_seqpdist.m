## -*- texinfo -*-
## @deftypefn  {} {@var{D} =} gpu_seqpdist (@var{S})
## @deftypefnx {} {@var{D} =} gpu_seqpdist (@var{S}, @var{name}, @var{value}, @dots{})
## @deftypefnx {} {[@var{D}, @var{variance}, @var{info}, @var{sites}] =} gpu_seqpdist (@dots{})
## Compute distances of aligned sequences of DNA or proteins, on all CPU cores, as @code{seqpdist} of MATLAB's
## Bioinformatics Toolbox and R's @code{ape::dist.dna} and @code{phangorn::dist.ml} do.
##
## @var{S} is a cell array of rows of characters, a matrix of characters with a sequence in each row, or an array of
## structures with the field @code{Sequence}, as @code{gpu_fastaread} returns it.  All sequences must have the same
## length.  Upper and lower case are equal.  The letters of DNA are A, C, G, T or U, the codes of IUPAC for ambiguous
## bases, N or X, - for a gap, and ? or . for a site without information.
##
## @var{D} is the row vector of the n * (n - 1) / 2 distances of n sequences, in the order of @code{gpu_pdist}.  A
## distance is NaN if its formula is not defined (a pair without common sites, or a logarithm of a negative number:
## sequences that differ too much), and Inf for a logarithm of 0.
##
## Options in pairs of @var{name} and @var{value}:
##
## @table @asis
## @item @qcode{"Alphabet"}
## @qcode{"NT"} (the default), DNA or RNA, or @qcode{"AA"}, proteins: see below.
## @item @qcode{"Method"}
## The model; ambiguous bases are not known, a transition is between A and G or C and T, every other difference a
## transversion:
## @table @asis
## @item @qcode{"N"}, @qcode{"TS"}, @qcode{"TV"}
## the number of differences, transitions, transversions
## @item @qcode{"raw"} or @qcode{"p-distance"}
## the share of sites that differ
## @item @qcode{"JC69"} or @qcode{"Jukes-Cantor"} (the default)
## Jukes and Cantor (1969)
## @item @qcode{"K80"} or @qcode{"Kimura"}, @qcode{"K81"}
## Kimura (1980, 1981)
## @item @qcode{"F81"}, @qcode{"F84"}
## Felsenstein (1981, 1984)
## @item @qcode{"T92"} or @qcode{"Tamura"}, @qcode{"TN93"} or @qcode{"Nei-Tamura"}
## Tamura (1992), Tamura and Nei (1993)
## @item @qcode{"GG95"}, @qcode{"logdet"}, @qcode{"paralin"}
## Galtier and Gouy (1995), Lockhart et al. (1994), Lake (1994)
## @item @qcode{"BH87"}
## Barry and Hartigan (1987): an n by n matrix, not symmetric, of distances from the row to the column
## @item @qcode{"indel"}, @qcode{"indelblock"}
## the number of sites with a gap in one of both sequences; of gaps, by first site and length, in one of both
## @item @qcode{"snp"}
## @qcode{"N"} with @qcode{"pairwise_deletion"}, what the program snp-dists counts
## @end table
## @item @qcode{"pairwise_deletion"}
## @code{true}: all sites count at which both sequences of a pair have a known base.  By default only sites count at
## which all sequences have one.
## @item @qcode{"gamma"}
## The shape of a gamma distribution of rates among sites, for @qcode{"JC69"}, @qcode{"K80"}, @qcode{"F81"} and
## @qcode{"TN93"}; @code{true} is 1.
## @item @qcode{"base_freq"}
## The shares of A, C, G and T, for @qcode{"F81"}, @qcode{"F84"}, @qcode{"T92"} and @qcode{"TN93"}; by default those
## of all known bases; @qcode{"pair"}: for each pair those of both sequences, at the sites that count for it.
## @item @qcode{"variance"}
## @code{true}: @var{variance} has the variance of each distance; else it is empty.
## @item @qcode{"all_letters"}
## @code{true}, for @qcode{"snp"}: all sites count whose letters differ, also gaps and ambiguous bases, as with option
## @samp{-a} of snp-dists.  Its option @samp{-k}, which keeps lower and upper case apart, has no counterpart:
## @code{regexprep (S, "[acgtu]", "N")} makes bases in lower case unknown.
## @item @qcode{"sites"}
## @code{true}: @var{sites} has the number of sites that count for each distance (all of them for @qcode{"indel"},
## @qcode{"indelblock"} and with @qcode{"all_letters"}); else it is empty.
## @item @qcode{"SquareForm"}
## @code{true}: @var{D} is a symmetric matrix.
## @item @qcode{"keep"}
## @qcode{"sequences"}: @var{D} is a structure that @code{gpu_linkage}, @code{gpu_mst}, @code{gpu_dbscan},
## @code{gpu_hdbscan}, @code{gpu_knnsearch}, @code{gpu_rangesearch} and the other functions of distances take.  They compute the distances when they need them, on
## the CPU; @qcode{"single"} linkage, trees and clusters by density do not store all of them.
## @item @qcode{"file"}, @qcode{"file_shape"}, @qcode{"file_name"}, @qcode{"file_precision"}
## For distances that do not fit into memory: an HDF5 file to which they are written, as by @code{gpu_pdist}, on the
## CPU.  @var{D} is then the structure that @code{gpu_dist_file} returns.
## @end table
##
## Proteins have the letters of the 20 amino acids; B, Z and J, which are N or D, Q or E, I or L; and X, U, O, *, -, ?
## and ., which can be any.  Let d be the number of sites that differ, at which no amino acid can be the same, and p its
## share.  Of the options above they take @qcode{"SquareForm"}, and:
##
## @table @asis
## @item @qcode{"Method"}
## @qcode{"hamming"}, d; @qcode{"p"} or @qcode{"p-distance"}, p; @qcode{"poisson"}, -log (1 - p); @qcode{"kimura"},
## -log (1 - p - p^2 / 5) (Kimura 1983); by maximum likelihood, substitutions a site, at most 10, with the rates of
## @qcode{"JTT"} (the default; Jones, Taylor and Thornton 1992), @qcode{"WAG"} (Whelan and Goldman 2001), @qcode{"LG"}
## (Le and Gascuel 2008), @qcode{"Dayhoff"} (Dayhoff, Schwartz and Orcutt 1978)
## @item @qcode{"exclude"}
## @qcode{"none"} (the default): all sites count; @qcode{"all"}: those at which all sequences have one of the 20 amino
## acids; @qcode{"pairwise"}: those at which both have one
## @item @qcode{"bf"}
## for the methods of maximum likelihood, the shares of the amino acids in the order ARNDCQEGHILKMFPSTWYV instead of
## those of the method: 20 numbers of at least 1e-10 whose sum is 1
## @item @qcode{"Q"}
## for the methods of maximum likelihood, relative rates instead of those of the method: the 190 numbers below the
## diagonal of a symmetric matrix of amino acids in the same order, column by column, at least 0, by which all amino acids
## can change into all others.  A change from i to j has the rate of i and j times the share of j, times a factor for
## all by which 1 is the number of substitutions a site and unit of time
## @item @qcode{"k"}, @qcode{"shape"}
## for the methods of maximum likelihood, the number of categories of sites, 1 (the default) to 64, and the shape of a
## gamma distribution, by default 1: each category has the same share of all sites, and the mean rate of its part of
## the distribution (Yang 1994, Journal of Molecular Evolution 39, 306)
## @end table
##
## The other options are those of @code{gpu_options}; @qcode{"precision"} has no effect.  Results have the same bits
## on a GPU; @qcode{"GG95"}, @qcode{"indelblock"}, @qcode{"all_letters"}, @qcode{"sites"} and the @qcode{"base_freq"}
## of pairs are computed on the CPU.  @var{info} is that of @code{gpu_pdist}.
##
## @example
## gpu_seqpdist (@{"ACGT", "ACGA", "AC-A"@}, "Method", "N", "pairwise_deletion", true)
##   @result{} 1  1  0
## @end example
##
## @seealso{gpu_fastaread, gpu_boot_phylo, gpu_dist_alleles, gpu_linkage}
## @end deftypefn

function [D, variance, info, sites] = gpu_seqpdist (S, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  of_proteins = {"exclude", "bf", "q", "k", "shape"};
  own = {"method", "pairwise_deletion", "gamma", "base_freq", "variance", "all_letters", "sites", ...
         "squareform", "keep", "file", "file_shape", "file_name", "file_precision", "alphabet", of_proteins{:}};
  options = read_options (own, varargin);
  if (isfield (options, "alphabet"))
    alphabet = choose_one (options.alphabet, {"NT", "AA"}, "Alphabet");
    options = rmfield (options, "alphabet");
    if (strcmp (alphabet, "AA"))
      variance = sites = [];
      others = own(! ismember (own, [of_proteins, {"method", "squareform"}]));
      [D, info] = protein_distances (S, options, others);
      return;
    endif
  endif
  refuse_others (options, of_proteins, "AA");
  options.names = struct ("model", "Method", "letters", "S", "x", "S");
  options.model = "JC69";
  if (isfield (options, "method"))
    options.model = options.method;
    options = rmfield (options, "method");
  endif
  options = dna_options (options);
  if (isfield (options, "sites"))
    options.count_sites = __gpugeo__ ("check_flag", options.sites, "sites");
    options = rmfield (options, "sites");
  endif
  square = false;
  if (isfield (options, "squareform"))
    square = __gpugeo__ ("check_flag", options.squareform, "SquareForm");
    options = rmfield (options, "squareform");
  endif
  if (isfield (options, "file"))
    if (square || isfield (options, "keep"))
      error ("gpugeo:argument", "file must not be given with keep or SquareForm");
    endif
    [D, variance, info] = sequences_in_file (options, sequence_texts (S));
    sites = [];
    return;
  elseif (isfield (options, "keep"))
    choose_one (options.keep, {"sequences"}, "keep");
    if (square)
      error ("gpugeo:argument", "SquareForm must be false with keep \"sequences\"");
    endif
    sites = [];
    [D, variance, info] = kept_sequences (rmfield (options, "keep"), sequence_texts (S));
    return;
  endif
  [D, variance, info, sites] = __gpugeo__ ("dist_dna", options, sequence_texts (S));
  if (square && rows (D) == 1)
    D = square_of (D);
  endif

endfunction

## Raise an error if an option was given that sequences of another alphabet have.
function refuse_others (options, names, alphabet)

  given = names(isfield (options, names));
  if (! isempty (given))
    error ("gpugeo:argument", "%s must be given with Alphabet \"%s\"", given{1}, alphabet);
  endif

endfunction

## Distances of proteins.
function [D, info] = protein_distances (S, options, others)

  refuse_others (options, others, "NT");
  square = false;
  if (isfield (options, "squareform"))
    square = __gpugeo__ ("check_flag", options.squareform, "SquareForm");
    options = rmfield (options, "squareform");
  endif
  options.names = struct ("model", "Method", "x", "S", "q", "Q");
  if (isfield (options, "method"))
    options.model = options.method;
    options = rmfield (options, "method");
  endif
  [D, info] = __gpugeo__ ("dist_aa", options, sequence_texts (S));
  if (square)
    D = square_of (D);
  endif

endfunction

## A structure that functions of distances take, whose options are checked by distances of no sequences.
function [D, variance, info] = kept_sequences (options, texts)

  [~, variance, info] = __gpugeo__ ("dist_dna", options, {});
  D = struct ("sequences", {texts}, "options", options);

endfunction

## Distances in a file.
function [D, variance, info] = sequences_in_file (options, texts)

  of_file = {"file", "file_shape", "file_name", "file_precision"};
  [D, variance] = kept_sequences (rmfield (options, intersect (fieldnames (options), of_file)), texts);
  info = __gpugeo__ ("dist_file", options, D);
  name = [];
  if (isfield (options, "file_name"))
    name = options.file_name;
  endif
  D = gpu_dist_file (options.file, name);

endfunction

## A symmetric matrix of a row of distances; of one sequence 0.
function square = square_of (D)

  n = (1 + sqrt (1 + 8 * numel (D))) / 2;
  square = zeros (n);
  square(tril (true (n), -1)) = D;
  square += square';

endfunction

%!shared S
%! S = {"ACGTACGTAC"; "ACGTACGTAT"; "ACGAACTTAC"};
%!assert (gpu_seqpdist (S, "Method", "N"), [1 2 3])
%!assert (gpu_seqpdist (S, "Method", "TS"), [1 0 1])
%!assert (gpu_seqpdist (S, "Method", "tv"), [0 2 2])
%!assert (gpu_seqpdist (char (S), "Method", "p-distance"), [1 2 3] / 10, eps)
%!assert (gpu_seqpdist (S), -3 / 4 * log (1 - 4 / 3 * [1 2 3] / 10), 4 * eps)
%!assert (gpu_seqpdist (struct ("Sequence", S), "Method", "Jukes-Cantor"), gpu_seqpdist (S))
%!assert (gpu_seqpdist (S, "Method", "JC69", "gamma", true), 3 / 4 * ((1 - 4 / 3 * [1 2 3] / 10) .^ -1 - 1), 4 * eps)
%!assert (gpu_seqpdist (S, "Method", "N", "SquareForm", true), [0 1 2; 1 0 3; 2 3 0])
%!assert (gpu_seqpdist (S(1), "SquareForm", true), 0)
%!assert (gpu_seqpdist ({"ACGT", "ACGA", "AC-A"}, "Method", "N", "pairwise_deletion", true), [1 1 0])
%!assert (gpu_seqpdist ({"ACGT", "ACGA", "AC-A"}, "Method", "N"), [1 1 0])
%!assert (gpu_seqpdist ({"A-GT", "ACGA", "AC-A"}, "Method", "snp"), [1 1 0])
%!assert (gpu_seqpdist ({"A--T", "ACGA", "A-CA"}, "Method", "indel"), [2 1 1])
%!assert (gpu_seqpdist ({"AC", "NN"}), NaN)
%!assert (isempty (gpu_seqpdist ({})))
%!assert (isempty (gpu_seqpdist (S(1))))
%!assert (size (gpu_seqpdist (S, "Method", "BH87")), [3 3])
%!test
%! [D, variance, info] = gpu_seqpdist (S, "Method", "JC69", "variance", true, "threads", 1);
%! p = [1 2 3] / 10;
%! assert (variance, p .* (1 - p) ./ (10 * (1 - 4 / 3 * p) .^ 2), 4 * eps);
%! assert ({info.backend, info.threads}, {"cpu", 1});
%!test
%! [D, variance] = gpu_seqpdist (S, "Method", "F81", "base_freq", [1 1 1 1] / 4);
%! assert (D, gpu_seqpdist (S), 4 * eps);
%! assert (isempty (variance));
%!test
%! T = {"AAAA", "ACGT", "CC-T"};  # shares of A, C, G and T of the pairs: 5/8 1/8 1/8 1/8, and of the common sites
%! [D, ~, ~, sites] = gpu_seqpdist (T, "Method", "F81", "base_freq", "pair", "pairwise_deletion", true, "sites", true);
%! assert (sites, [4 3 3]);
%! b = 1 - [28/64, (9+4+1)/36, (1+9+4)/36];
%! p = [3/4, 1, 1/3];
%! assert (D(3), -b(3) * log (1 - p(3) / b(3)), 4 * eps);
%! assert (D(1:2), [NaN NaN]);

%!testif ; numel (gpu_info ().devices) > 0
%! rand ("twister", 1);
%! x = num2cell ("ACGTN"(ceil (5 * rand (70, 300))), 2);
%! for method = {"Nei-Tamura", "paralin", "N"}
%!   [D, ~, info] = gpu_seqpdist (x, "Method", method{1}, "pairwise_deletion", true, "backend", "cuda");
%!   assert (info.backend, "cuda");
%!   assert (D, gpu_seqpdist (x, "Method", method{1}, "pairwise_deletion", true, "backend", "cpu"));
%! endfor

%!error <Invalid call> gpu_seqpdist ()
%!error <S must be sequences: .*, not 1> gpu_seqpdist (1)
%!error <S must be sequences: .*> gpu_seqpdist ({"AC", 1})
%!error <S must have sequences of equal lengths, but sequence 2 has 3 sites and sequence 1 has 2>
%! gpu_seqpdist ({"AC", "ACG"})
%!error <S must be one of ACGTURYSWKMBDHVNX-.\?, but letter 2 is "Z"> gpu_seqpdist ({"AZ", "AC"})
%!error <Method must be one of "RAW", .*, not "HKY85"> gpu_seqpdist (S, "Method", "HKY85")
%!error <gamma must be false for model "RAW", which has none> gpu_seqpdist (S, "Method", "raw", "gamma", 2)
%!error <variance must be false for model "N", which has none> gpu_seqpdist (S, "Method", "N", "variance", true)
%!error <base_freq must be the shares of A, C, G and T> gpu_seqpdist (S, "Method", "F81", "base_freq", [1 2])
%!error <base_freq must be "pair" only with model "F81", .* not with "K80"> gpu_seqpdist (S, "Method", "K80", ...
%!                                                                                       "base_freq", "pair")
%!assert (gpu_seqpdist ({"A-GTN", "ACGA?", "AC-AN"}, "Method", "snp", "all_letters", true), [3 3 2])
%!error <all_letters must be false for model "N", which has none> gpu_seqpdist (S, "Method", "N", "all_letters", true)
%!error <sites must be true or false, not 7> gpu_seqpdist (S, "sites", 7)
%!error <SquareForm must be true or false> gpu_seqpdist (S, "SquareForm", 7)
%!error <backend must be "auto" or "cpu" for model "GG95", not "cuda"> gpu_seqpdist (S, "Method", "GG95", "backend", "cuda")
%!error <option must be one of .*, not "colour"> gpu_seqpdist (S, "colour", 1)

%!demo
%! S = {"ACGTACGTAC", "ACGTACGTAT", "ACGAACTTAC", "TCGAACTTAC"};
%! Z = gpu_linkage (gpu_seqpdist (S, "Method", "K80"), "average")

## Distances in a file.
%!testif ; ! isempty (gpu_info ().hdf5)
%! rand ("twister", 1);
%! x = num2cell ("ACGTN-"(ceil (6 * rand (300, 40))), 2);
%! for method = {"snp", "K80", "indel", "indelblock", "F81"}
%!   d = gpu_seqpdist (x, "Method", method{1}, "SquareForm", true, "pairwise_deletion", true);
%!   for shape = {"condensed", "square"}
%!     for precision = {"double", "float"}
%!       file = [tempname() '.h5'];
%!       how = {"Method", method{1}, "pairwise_deletion", true, "file", file, "file_shape", shape{1}, ...
%!              "file_precision", precision{1}, "memory_limit", 2^20};
%!       unwind_protect
%!         [D, ~, info] = gpu_seqpdist (x, how{:});
%!         assert ({D.size, D.tiles_done, lower(D.metric), info.backend}, {300, D.tiles, lower(method{1}), "cpu"});
%!         wanted = d;
%!         if (strcmp (precision{1}, "float"))
%!           wanted = double (single (d));
%!         endif
%!         assert (gpu_dist_file (file, D.name, ":", ":"), wanted);
%!         assert (gpu_seqpdist (x, how{:}).tiles_done, D.tiles);
%!         fail ("gpu_seqpdist (x([2 1 3:end]), how{:})", "holds those of another data or parameters");
%!         fail ("gpu_seqpdist (x, how{:}, \"Method\", \"N\")", "holds those of another metric");
%!         fail ("gpu_seqpdist (x(1:9), how{:})", "holds those of another number of points");
%!       unwind_protect_cleanup
%!         delete (file);
%!       end_unwind_protect
%!     endfor
%!   endfor
%! endfor
%!error <symmetric distances> gpu_seqpdist ({"A", "C"}, "Method", "BH87", "file", "x.h5")
%!error <variance must be false where distances are not the result>
%! gpu_seqpdist ({"A", "C"}, "variance", true, "file", "x.h5")
%!error <sites must be false where> gpu_seqpdist ({"A", "C"}, "sites", true, "file", "x.h5")
%!error <file must not be given with keep or SquareForm> gpu_seqpdist ({"A", "C"}, "SquareForm", true, "file", "x.h5")

## Distances that are computed when they are asked for.

%!test
%! S = {"ACGTACGTAC", "ACGTACGTAT", "ACGAACTTAC", "TCGAACTTAC", "ACGTACGTAC"};
%! d = gpu_seqpdist (S, "Method", "snp");
%! kept = gpu_seqpdist (S, "Method", "snp", "keep", "sequences");
%! assert (gpu_linkage (kept, "single"), gpu_linkage (d, "single"));
%! assert (gpu_linkage (kept, "average"), gpu_linkage (d, "average"));
%! assert (gpu_mst (kept), gpu_mst (d));
%! assert (gpu_dbscan (kept, 1, 2), gpu_dbscan (d, 1, 2, "Distance", "precomputed"));

%!error <keep must be> gpu_seqpdist ({"A", "C"}, "keep", "device")
%!error <SquareForm must be false> gpu_seqpdist ({"A", "C"}, "keep", "sequences", "SquareForm", true)
%!error <symmetric distances> gpu_mst (gpu_seqpdist ({"A", "C"}, "Method", "BH87", "keep", "sequences"))
%!error <metric must be given with points> gpu_mst (gpu_seqpdist ({"A", "C"}, "keep", "sequences"), "euclidean")

## Proteins.

%!shared P
%! P = {"ARNDCQEGHI", "ARNDCQEGHL", "AKBDC-EGWI"};
%!assert (gpu_seqpdist (P, "Alphabet", "AA", "Method", "hamming"), [1 2 3])
%!assert (gpu_seqpdist (char (P), "Alphabet", "aa", "Method", "p-distance"), [1 2 3] / 10)
%!assert (gpu_seqpdist (P, "Alphabet", "AA", "Method", "p", "exclude", "all"), [1 2 3] / 8)
%!assert (gpu_seqpdist (P, "Alphabet", "AA", "Method", "p", "exclude", "pairwise"), [1/10 2/8 3/8])
%!assert (gpu_seqpdist (P, "Alphabet", "AA", "Method", "poisson"), -log (1 - [1 2 3] / 10), 4 * eps)
%!test
%! p = [1 2 3] / 10;
%! D = gpu_seqpdist (P, "Alphabet", "AA", "Method", "kimura", "SquareForm", true);
%! assert (D([2 3 6]), -log (1 - p - p .^ 2 / 5), 4 * eps);
%! assert (D, D');
%!test  # one site, which differs: the most likely distance is the largest one
%! [D, variance, info, sites] = gpu_seqpdist ({"A", "W", "A", "-"}, "Alphabet", "AA", "threads", 1);
%! assert (D, [10 0 0 10 0 0]);
%! assert ({variance, info.backend, info.threads, sites}, {[], "cpu", 1, []});
%!assert (gpu_seqpdist (P, "Alphabet", "AA", "shape", 0.5), gpu_seqpdist (P, "Alphabet", "AA"))
%!assert (gpu_seqpdist (P, "Alphabet", "AA", "k", 4, "shape", 0.5) > gpu_seqpdist (P, "Alphabet", "AA"))
%!test  # the numbers of phangorn::dist.ml 2.11.1, which stops within 1e-2
%! P3 = {"MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVVHSLAKWKR", ...
%!       "MKTAYVAKQRQLSFVKTHFSRQLEDRLGMIEVQAPILSRIGDGTQDNLSGCEKAVQVHVKQLPDAQFEVVHSLAKWKR", ...
%!       "MRSAFIGKQKNISYLKSHYARQ-EEKFGLVDVBAPLLTRVADXTZENLSGSERSVRVKIKAIPNASYDVIHTLSRWKK"};
%! bf = (1:20)' / 210;
%! Q = mod ((0:189) * 37, 101) + 1;
%! distances = @(varargin) gpu_seqpdist (P3, "Alphabet", "AA", "exclude", "all", varargin{:});
%! assert (distances ("Method", "LG", "bf", bf), [0.1315114522 0.5402306619 0.7129615975], -5e-3);
%! assert (distances ("Q", Q), [0.1355072269 0.7010277785 0.9562291077], -5e-3);
%! assert (distances ("bf", bf, "Q", Q), [0.1312987809 0.6750969121 0.9136307720], -5e-3);
%! assert (distances ("Method", "WAG", "bf", bf, "Q", Q), distances ("bf", bf, "Q", Q));
%! assert (distances ("bf", [], "Q", []), distances ());
%! p = distances ("Method", "p");
%! assert (distances ("bf", ones (1, 20) / 20, "Q", ones (190, 1)), -19 / 20 * log (1 - 20 / 19 * p), -1e-9);
%!error <bf must be the shares of the amino acids> gpu_seqpdist (P, "Alphabet", "AA", "bf", ones (1, 20))
%!error <Q must be the lower triangle of a matrix of rates> gpu_seqpdist (P, "Alphabet", "AA", "Q", 1)
%!error <Q must be left out for model "p", which has no rates>
%! gpu_seqpdist (P, "Alphabet", "AA", "Method", "p", "Q", ones (1, 190))
%!error <bf must be given with Alphabet "AA"> gpu_seqpdist ({"A"}, "bf", 1)
%!error <k must be given with Alphabet "AA"> gpu_seqpdist ({"A"}, "k", 4)
%!error <k must be 1 for model "p", which has one rate, not 4> gpu_seqpdist (P, "Alphabet", "AA", "Method", "p", "k", 4)
%!error <shape must be a number between 0.001 and 1000, not 0> gpu_seqpdist (P, "Alphabet", "AA", "shape", 0)
%!error <Alphabet must be .*, not "RNA"> gpu_seqpdist ({"A"}, "Alphabet", "RNA")
%!error <Method must be one of "hamming", .*, not "K80"> gpu_seqpdist ({"A"}, "Alphabet", "AA", "Method", "K80")
%!error <exclude must be one of "none", .*, not "some"> gpu_seqpdist ({"A"}, "Alphabet", "AA", "exclude", "some")
%!error <exclude must be given with Alphabet "AA"> gpu_seqpdist ({"A"}, "exclude", "all")
%!error <gamma must be given with Alphabet "NT"> gpu_seqpdist ({"A"}, "Alphabet", "AA", "gamma", 1)
%!error <S must have sequences of equal lengths> gpu_seqpdist ({"A", "AA"}, "Alphabet", "AA")
%!error <S must be one of ARND.*, but letter 2 of sequence 1 is "1"> gpu_seqpdist ({"A1"}, "Alphabet", "AA")
