## -*- texinfo -*-
## @deftypefn  {} {[@var{X}, @var{info}] =} gpu_read_biom (@var{file})
## @deftypefnx {} {[@dots{}] =} gpu_read_biom (@var{file}, @var{name}, @var{value}, @dots{})
## Read a table of counts in the format BIOM 2.1 (HDF5), as QIIME 2 and other programs write it.
##
## @var{X} is a sparse matrix of samples by taxa, the observations of the file.  All functions of communities and of
## points take it as it is.
##
## @var{info} is a structure with the fields @code{samples} and @code{taxa}, columns of their names, @code{taxonomy}, a
## cell array with a row for each taxon and a column for each rank (empty if the file has none), and
## @code{sample_data} and @code{taxon_data}, structures of the other metadata: of each a column of strings or numbers,
## or a row of them for each sample or taxon.  Names of fields are made of the names in the file by
## @code{matlab.lang.makeValidName}.  Metadata that have neither a string nor a number, nor as many of them, for each
## sample or taxon are left out, and group metadata are, too.
##
## Values may be of any type of numbers, and chunks may be compressed by gzip or by any other filter of the HDF5
## library.  Values of 0 are left out.  A file whose numbers contradict each other is an error.  A file of BIOM 1.0
## (JSON) is an error that says how to convert it.  gpugeo must have been built with HDF5.
##
## The options @qcode{"memory_limit"}, the most bytes of the table while it is read (by default the memory of the
## machine), and @qcode{"progress"} are as in @code{gpu_options}.
##
## @seealso{gpu_vegdist, gpu_diversity, gpu_rarefy, gpu_phytree_read}
## @end deftypefn

function [X, info] = gpu_read_biom (file, varargin)

  if (nargin < 1)
    print_usage ();
  endif
  options = read_options ({}, varargin);
  options.names.path = "file";
  [X, samples, taxa, sample_data, taxon_data] = __gpugeo__ ("biom_read", options, file);
  is_taxonomy = strcmp (taxon_data(:,1), "taxonomy") & cellfun (@iscell, taxon_data(:,2));
  taxonomy = cell (0, 0);
  if (any (is_taxonomy))
    taxonomy = taxon_data{is_taxonomy,2};
  endif
  info = struct ("samples", {samples}, "taxa", {taxa}, "taxonomy", {taxonomy}, ...
                 "sample_data", make_fields (sample_data), "taxon_data", make_fields (taxon_data(! is_taxonomy,:)));

endfunction

## Returns a structure of names and values.
function made = make_fields (data)

  names = matlab.lang.makeUniqueStrings (matlab.lang.makeValidName (data(:,1)));
  made = struct ();
  for k = 1:rows (data)
    made.(names{k}) = data{k,2};
  endfor

endfunction

%!function file = table ()  # a small file in base64, in which 0 and a number n stand for n zeros
%!  text = [ ...
%!    "iUhERg0KGgoCCAgACf//////////PhMABjAAB4V7WpNPSERSAgABeAISAAT/////////////////////CgIAAQEAAgYWAAIBAAELb2JzZXJ2YX" ...
%!    "Rpb26/AQAGBhEAAgEAAQZzYW1wbGVeAwAHKQAr8j42SE9IRFICAQABAQEUAAICAQEBAwAHAwAHAwgAAQETAQACBAADBQIAAQEDCggSAAIDAQAB" ...
%!    "CAAGDAAIvAC+NKVD309IRFICIFpeC2taXgtrWl4La1peC2t4AhIABP////////////////////8KAgABAQACBg4AAgEAAQNpZHOzAAcGEQACAQ" ...
%!    "ABBm1hdHJpeP0EAAYGEwACAQABCG1ldGFkYXRhDBEABxoAHDNZAYBPSERSAgEAAQEBFAACAgEBAQMABwMABwMIAAEBEwEAAgQAAwUCAAEBAwoI" ...
%!    "EgACAwEMCAAGDAAIvAC+goOIeU9IRFICIFpeC2taXgtrWl4La1peC2t4AhIABP////////////////////8KAgABAQACBg4AAgEAAQNpZHNSAg" ...
%!    "AGBhMAAgEAAQhtZXRhZGF0YasSAAcvADHcW/+DT0hEUgIBAAEBARQAAgIBAQEEAAcEAAcDDAABARAIAAIEAAUgAAEFAgABAQMKCBIAAgMBGAgA" ...
%!    "BhAACLgAup0N9PpPSERSAiBaXgtrWl4La1peC2taXgtreAISAAT/////////////////////CgIAAQEAAgYRAAIBAAEGaW5kcHRy8QMABgYSAA" ...
%!    "IBAAEHaW5kaWNlc5AFAAYGDwACAQABBGRhdGGcBgAHGgAcRKS15E9IRFICAQABAQEUAAICAQEBBQAHBQAHAwwAAQEQCAACBAAFIAABBQIAAQED" ...
%!    "CggSAAIDASgIAAYUAAi4ALoFu/OeT0hEUgIBAAEBARQAAgIBAQEFAAcFAAcDFAABAREgHwABBAAFIAABFwgAARd/AAMFAgABAQMKCBIAAgMBPA" ...
%!    "gABhQACLAAsrM3ZqAAWHQxAAJ0MgACdDMAAmEAA2IAA2MABwEAAwMAAwUAAwIABwEABwEABYA/AAKgQAACgD8AA0AAAiBAazFwMWsxcDJrMgAI" ...
%!    "GkAABhxAAAYgQAD/AP8A/wD/AP8A/wD/AJNPSERSAgEAAQEBJAACAgIBAQMABwIABwMABwIABwMIAAEBEwEAAgIAAwUCAAEBAwoIEgACAwFQCA" ...
%!    "AGDAAIrACuQwmOCU9IRFICIFpeC2taXgtrWl4La1peC2t4AhIABP////////////////////8KAgABAQACBhMAAgEAAQh0YXhvbm9teQABEAAH" ...
%!    "QQBDNb9PPU9IRFICAQABAQEUAAICAQEBAwAHAwAHAxQAAQERID8AAQgABUAAATQLAAE0/wMAAgUCAAEBAwoIEgACAwFcCAAGGAAIsACyfuLEEE" ...
%!    "9IRFICIFpeC2taXgtrWl4La1peC2t4AhIABP////////////////////8KAgABAQACBg4AAgEAAQNwIEifEQAHRgBIatPLqw==" ...
%!  ];
%!  coded = double (matlab.net.base64decode (text));
%!  bytes = [];
%!  k = 1;
%!  while (k <= numel (coded))
%!    if (coded(k))
%!      bytes(end+1) = coded(k);
%!    else
%!      bytes(end+(1:coded(++k))) = 0;
%!    endif
%!    k++;
%!  endwhile
%!  file = tempname ();
%!  fid = fopen (file, "w");
%!  fwrite (fid, bytes);
%!  fclose (fid);
%!endfunction

%!testif ; ! isempty (gpu_info ().hdf5)
%! file = table ();
%! unwind_protect
%!   [X, info] = gpu_read_biom (file);
%!   assert (issparse (X));
%!   assert (full (X), [0 5 2; 0 1 2.5; 1 0 0]);
%!   assert ({info.samples, info.taxa}, {{"a"; "b"; "c"}, {"t1"; "t2"; "t3"}});
%!   assert (info.taxonomy, {"k1", "p1"; "k1", "p2"; "k2", ""});
%!   assert (info.sample_data, struct ("pH", [6.5; 7; 8]));
%!   assert (info.taxon_data, struct ());
%!   assert (gpu_vegdist (X), gpu_vegdist (full (X)));
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%!testif ; ! isempty (gpu_info ().hdf5)
%! file = tempname ();
%! fid = fopen (file, "w");
%! fputs (fid, '{"format": "Biological Observation Matrix 1.0.0"}');
%! fclose (fid);
%! unwind_protect
%!   fail ('gpu_read_biom (file)', 'must be a BIOM 2.1 table \(HDF5\), not one of BIOM 1.0 \(JSON\)');
%! unwind_protect_cleanup
%!   delete (file);
%! end_unwind_protect
%!error <Invalid call> gpu_read_biom ()
%!error <file must be a single string, not 1> gpu_read_biom (1)
%!error <option must be one of .*, not "colour"> gpu_read_biom ("x", "colour", 1)
%!demo
%! if (exist ("table.biom", "file"))
%!   [X, info] = gpu_read_biom ("table.biom");
%!   gpu_vegdist (X)
%! endif
