## -*- texinfo -*-
## @deftypefn  {} {@var{S} =} gpu_fastaread (@var{file})
## @deftypefnx {} {[@var{header}, @var{sequence}] =} gpu_fastaread (@var{file})
## @deftypefnx {} {@dots{} =} gpu_fastaread (@var{file}, @var{name}, @var{value}, @dots{})
## Read sequences from a file in the FASTA format, plain or compressed by gzip, as @code{fastaread} of MATLAB's
## Bioinformatics Toolbox does.
##
## A line that begins with > is a header, and the lines after it are a sequence, of any length.  Empty lines, lines
## that begin with ;, and blanks within sequences are ignored.  Letters of sequences may be any printable characters
## of ASCII; @code{gpu_seqpdist} says which ones it takes.
##
## @var{S} is a column of structures with the fields @code{Header} and @code{Sequence}, rows of characters.  With two
## results, these are cell arrays, or for a file of one sequence rows of characters.
##
## The options @qcode{"memory_limit"}, the maximum memory in bytes for headers and sequences while they are read (by
## default the memory of the machine), and @qcode{"progress"} are as in @code{gpu_options}.
##
## @seealso{gpu_seqpdist}
## @end deftypefn

function [first, second] = gpu_fastaread (file, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  options = read_options ({}, varargin);
  options.names.path = "file";
  [header, sequence] = __gpugeo__ ("fasta", options, file);
  if (nargout < 2)
    first = struct ("Header", header, "Sequence", sequence);
  elseif (numel (header) == 1)
    first = header{1};
    second = sequence{1};
  else
    first = header;
    second = sequence;
  endif

endfunction

%!function file = written (text)
%!  file = tempname ();
%!  fid = fopen (file, "w");
%!  fwrite (fid, text);
%!  fclose (fid);
%!endfunction

%!test
%! file = written (">a b\nAC\nGT\n\n>c\r\nac-n\r\n");
%! unwind_protect
%!   S = gpu_fastaread (file);
%!   assert (size (S), [2 1]);
%!   assert ({S.Header}, {"a b", "c"});
%!   assert ({S.Sequence}, {"ACGT", "ac-n"});
%!   [header, sequence] = gpu_fastaread (file, "progress", false);
%!   assert (header, {"a b"; "c"});
%!   assert (sequence, {"ACGT"; "ac-n"});
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%!test
%! file = written (">x\nMKV*");
%! unwind_protect
%!   [header, sequence] = gpu_fastaread (file);
%!   assert ({header, sequence}, {"x", "MKV*"});
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%!test
%! file = written ("");
%! unwind_protect
%!   assert (size (gpu_fastaread (file)), [0 1]);
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%!test
%! file = written ("ACGT");
%! unwind_protect
%!   message = "";
%!   try
%!     gpu_fastaread (file);
%!   catch failure
%!     message = failure.message;
%!   end_try_catch
%!   assert (! isempty (strfind (message, 'the first line of a FASTA file must begin with ">", not with "A"')));
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect

%!error <Invalid call> gpu_fastaread ()
%!error <file must be .*, not 1> gpu_fastaread (1)
%!error <cannot be read> gpu_fastaread ("/nowhere/x.fa")
%!error <option must be one of .*, not "colour"> gpu_fastaread ("x", "colour", 1)

%!demo
%! file = tempname ();
%! fid = fopen (file, "w");
%! fputs (fid, ">one\nACGTACGT\n>two\nACGAACGT\n");
%! fclose (fid);
%! S = gpu_fastaread (file);
%! delete (file);
%! gpu_seqpdist (S, "Method", "N")
