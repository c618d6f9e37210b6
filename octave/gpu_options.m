## -*- texinfo -*-
## @deftypefn  {} {@var{settings} =} gpu_options ()
## @deftypefnx {} {@var{value} =} gpu_options (@var{name})
## @deftypefnx {} {@var{old} =} gpu_options (@var{name}, @var{value})
## Return or set the defaults of the options that the functions of gpugeo share.
##
## Without arguments, @var{settings} is a structure with the default in effect of each option.  With one,
## @var{value} is the default of the option @var{name}.  With two, @var{value} becomes the default until
## Octave ends or it is set again, and @var{old} is the previous one.  @code{[]} as a @var{value} removes
## it.
##
## @table @asis
## @item @qcode{"backend"}
## @qcode{"cpu"}, @qcode{"cuda"}, or @qcode{"auto"}: a GPU if there is one and the estimated time on it,
## copies included, is shorter than on the CPU, else the CPU.
##
## @item @qcode{"threads"}
## CPU threads, a whole number of at least 1.
##
## @item @qcode{"device"}
## CUDA device, a whole number counted from 0 as CUDA does, see @code{gpu_info}; or @qcode{"all"}, the
## default: distances, correlations and neighbours of 2e11 pairs of coordinates, or 4 GB of points and
## result, are computed on all devices at the same time, with the same bits, and everything else on the
## current device.
##
## @item @qcode{"precision"}
## @qcode{"double"}, or @qcode{"single"} to round the input to single precision and to compute in it, for
## which consumer GPUs have more arithmetic units than for double precision.  Distances and correlations have
## this option; it has no effect in other functions.
##
## @item @qcode{"progress"}
## @code{true} or @code{false}: whether calls that take longer than two seconds show their progress.
##
## @item @qcode{"memory_limit"}
## The maximum working memory in bytes, at least 2^20, in addition to input and output, on the host and on
## each device; by default 256 MiB on the host, and the free memory of a device.  It never changes a result.
##
## @item @qcode{"cuda_lib"}
## The path of the CUDA library, see @code{gpu_info}.  It has no effect once a library is loaded, is not among
## the fields of @var{settings}, and is no option of a call.
## @end table
##
## If nothing was set, the environment variable @env{GPUGEO_BACKEND}, @env{GPUGEO_THREADS},
## @env{GPUGEO_DEVICE}, @env{GPUGEO_PRECISION}, @env{GPUGEO_PROGRESS} (1 or 0), @env{GPUGEO_MEMORY_LIMIT}
## or @env{GPUGEO_CUDA_LIB} gives the default.  Without that too it is @code{[]}, which stands for: @qcode{"auto"}, all processors
## that this process may use, all devices, the precision of the input, and progress in interactive sessions.
## An option in a call takes precedence over all of these.
##
## A result that is larger than the machine's memory and swap is an error before the computation begins; the
## environment variable @env{GPUGEO_MEMORY} gives another limit, in GiB.
##
## @example
## gpu_options ("backend", "cpu");
## gpu_options ("threads", 2);
## gpu_options ()
## @end example
##
## @seealso{gpu_pdist, gpu_pdist2, gpu_corr, gpu_info}
## @end deftypefn

function answer = gpu_options (name, value)

  persistent settings = struct ("backend", [], "threads", [], "device", [], ...
                                "precision", [], "progress", [], "memory_limit", []);
  persistent keys = fieldnames (settings)';
  persistent variables = strcat ('GPUGEO_', upper (keys));
  persistent cuda_lib = [];
  mlock ();  # `clear all` does not take the settings back
  persistent is_checked = false;
  if (! is_checked)
    is_checked = true;
    text = __gpugeo__ ("unknown_setting");
    if (! isempty (text))
      warning ("gpugeo:setting", "%s", text);
    endif
  endif

  if (nargin == 0)
    answer = settings;
    texts = cellfun (@getenv, variables, "UniformOutput", false);
    for k = find (! cellfun ("isempty", texts))
      answer.(keys{k}) = in_force (keys{k}, settings.(keys{k}));
    endfor
    return;
  endif

  names = [fieldnames(settings)', "cuda_lib"];
  if (! ischar (name) || ! any (strcmp (tolower (name), names)))
    error ("gpugeo:argument", "name must be one of %s, not %s", ...
           strjoin (strcat ("\"", names, "\""), ", "), __gpugeo__ ("show", name));
  endif
  name = tolower (name);
  if (strcmp (name, "cuda_lib"))
    answer = in_force (name, cuda_lib);
    if (nargin == 2)
      __gpugeo__ ("name_cuda_library", value);
      cuda_lib = value;
    endif
    return;
  endif
  answer = in_force (name, settings.(name));
  if (nargin == 2)
    __gpugeo__ ("check", struct (name, {value}));
    settings.(name) = value;
  endif

endfunction

## Returns the value that was set, else that of the environment variable, else [].
function value = in_force (name, value)

  text = getenv (sprintf ("GPUGEO_%s", toupper (name)));
  if (! isempty (value) || isempty (text))
    return;
  endif
  switch (name)
    case {"threads", "memory_limit", "device"}
      value = str2double (text);
      if (isnan (value))
        value = text;  # "all", or refused where it is used
      endif
    case "progress"
      known = {"0", "false", "1", "true"};
      value = find (strcmp (tolower (text), known)) > 2;
      if (isempty (value))
        value = text;
      endif
    otherwise
      value = text;
  endswitch

endfunction

%!shared old
%! old = gpu_options ("threads");
%!test
%! rand ("twister", 1);
%! assert (gpu_options ("threads", 2), old);
%! assert (gpu_options ("Threads"), 2);
%! assert (gpu_options ().threads, 2);
%! [~, info] = gpu_pdist (rand (9, 3), "euclidean", "backend", "cpu");
%! assert (info.threads, 2);
%! [~, info] = gpu_pdist (rand (9, 3), "euclidean", "backend", "cpu", "threads", 1);
%! assert (info.threads, 1);
%! gpu_options ("threads", []);
%!test
%! before = getenv ("GPUGEO_PRECISION");
%! unwind_protect
%!   setenv ("GPUGEO_PRECISION", "single");
%!   assert (gpu_options ("precision"), "single");
%!   assert (gpu_pdist ([0; 1/3]) == double (single (1/3)));
%!   gpu_options ("precision", "double");
%!   assert (gpu_pdist ([0; 1/3]) == 1/3);
%! unwind_protect_cleanup
%!   gpu_options ("precision", []);
%!   setenv ("GPUGEO_PRECISION", before);
%! end_unwind_protect
%!test
%! before = getenv ("GPUGEO_PROGRESS");
%! unwind_protect
%!   setenv ("GPUGEO_PROGRESS", "0");
%!   assert (gpu_options ("progress"), false);
%!   setenv ("GPUGEO_PROGRESS", "TRUE");
%!   assert (gpu_options ("progress"), true);
%!   setenv ("GPUGEO_PROGRESS", "perhaps");
%!   fail ("gpu_pdist ([1; 2])", "progress must be true or false");
%! unwind_protect_cleanup
%!   setenv ("GPUGEO_PROGRESS", before);
%! end_unwind_protect
%!error <name must be one of "backend", "threads", "device", "precision", "progress", "memory_limit", "cuda_lib", not "colour">
%! gpu_options ("colour")
%!error <backend must be one of "auto", "cpu", "cuda", not "tpu"> gpu_options ("backend", "tpu")
%!error <threads must be a whole number between 1 and 1024, not 0> gpu_options ("threads", 0)
%!error <threads must be a whole number between 1 and 1024, not 100000> gpu_options ("threads", 1e5)
%!test
%! before = getenv ("GPUGEO_THREADS");
%! unwind_protect
%!   setenv ("GPUGEO_THREADS", "100000");
%!   fail ("gpu_pdist ([1; 2])", "threads must be a whole number between 1 and 1024, not 100000");
%! unwind_protect_cleanup
%!   setenv ("GPUGEO_THREADS", before);
%! end_unwind_protect
%!error <device must be "all" or a whole number of at least 0, not -1> gpu_options ("device", -1)
%!error <device must be "all" or a whole number of at least 0, not 1.5> gpu_options ("device", 1.5)
%!error <device must be "all" or a whole number of at least 0, not NaN> gpu_options ("device", NaN)
%!error <device must be "all" or a whole number of at least 0, not "x"> gpu_options ("device", "x")
%!test
%! before = getenv ("GPUGEO_DEVICE");
%! unwind_protect
%!   setenv ("GPUGEO_DEVICE", "all");
%!   assert (gpu_options ("device"), "all");
%!   setenv ("GPUGEO_DEVICE", "3");
%!   assert (gpu_options ("device"), 3);
%!   setenv ("GPUGEO_DEVICE", "first");
%!   fail ("gpu_pdist ([1; 2])", "device must be \"all\" or a whole number of at least 0, not \"first\"");
%! unwind_protect_cleanup
%!   setenv ("GPUGEO_DEVICE", before);
%! end_unwind_protect
%!test
%! unwind_protect
%!   gpu_options ("device", "all");
%!   assert (gpu_options ("device"), "all");
%!   assert (gpu_pdist ([0; 3]), 3);
%! unwind_protect_cleanup
%!   gpu_options ("device", []);
%! end_unwind_protect
%!test
%! before = gpu_options ("cuda_lib", "/nowhere.so");
%! unwind_protect
%!   assert (gpu_options ("cuda_lib"), "/nowhere.so");
%!   info = gpu_info ();
%!   if (isempty (info.cuda_library.file)) # else one is loaded already
%!     assert (info.cuda_library.reason, "/nowhere.so does not exist");
%!     assert (info.backends(2).reason, "/nowhere.so does not exist");
%!     fail ('gpu_pdist ([1; 2], "euclidean", "backend", "cuda")', ...
%!           'backend "cuda" cannot be used: /nowhere.so does not exist');
%!   endif
%! unwind_protect_cleanup
%!   gpu_options ("cuda_lib", before);
%! end_unwind_protect
%!error <cuda_lib must be a single string, not 3> gpu_options ("cuda_lib", 3)
%!error <precision must be a single string> gpu_options ("precision", 1)
%!error <memory_limit must be .*1048576.*, not 7> gpu_options ("memory_limit", 7)
%!error <progress must be true or false> gpu_options ("progress", 2)
%!error gpu_options (1, 2, 3)

%!demo
%! old = gpu_options ("threads", 2);
%! gpu_options ()
%! gpu_options ("threads", old);
