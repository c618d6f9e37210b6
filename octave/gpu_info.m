## -*- texinfo -*-
## @deftypefn  {} {} gpu_info ()
## @deftypefnx {} {@var{info} =} gpu_info ()
## Show the backends, devices and defaults of gpugeo, and how the last call was computed, or return them as
## a structure.
##
## The fields of @var{info} are:
##
## @table @code
## @item hdf5
## Version of the HDF5 library, @qcode{""} if gpugeo was built without it.
##
## @item version
## Version of the core library.
##
## @item simd
## The vector instructions in use: @qcode{"avx512"}, @qcode{"avx2"} or @qcode{"sse2"} (x86-64),
## @qcode{"neon"} (64-bit ARM) or @qcode{"generic"} (plain C).
##
## @item threads
## The number of CPU threads that a call uses by default.
##
## @item backends
## A structure array with the fields @code{backend}, @code{available}, and @code{reason}, if it is not
## available, else @qcode{""}.
##
## @item devices
## A structure array with an element for each CUDA device: @code{device} (its number, from 0),
## @code{name}, @code{capability} (compute capability), @code{multiprocessors}, @code{total_bytes} and
## @code{free_bytes} of memory.
##
## @item cuda_library
## A structure with the @code{file} of the CUDA library that was loaded, the @code{version} of gpugeo that it
## belongs to, and the @code{architectures} that it has code for, separated by @code{+}; or the @code{reason}
## why none was loaded, with a line for each file that was tried.
##
## @item defaults
## The defaults in effect, see @code{gpu_options}.
##
## @item invalid
## A structure with the error message of each default that is not valid, in a field with its name, and of the
## environment variable @env{GPUGEO_MEMORY}, in a field with its name.  It has no fields if all are valid.
##
## @item last
## How the last call that succeeded was computed, as in the result @var{info} of @code{gpu_pdist}; @code{[]}
## before the first call.  Calls with a function as metric are not computed by the core and are not among
## them.
## @end table
##
## The code for NVIDIA GPUs is in a file of its own, @file{libgpugeo_cuda.so}, which is loaded when CUDA is
## first needed.  The option @qcode{"cuda_lib"} of @code{gpu_options} or else the environment variable
## @env{GPUGEO_CUDA_LIB} names the file.  Without them it is the first of these that exists and belongs to
## this version of gpugeo: the one in the folder of the package's compiled code, where the installation puts
## it if it finds the CUDA compiler @command{nvcc}; the one in the user's cache, @file{~/.cache/R/gpugeo} on
## Linux, where each installation that builds the file leaves a copy for later ones, of R and Octave, and
## where @code{gpu_install} puts a file that was built elsewhere; the one in the folders of the system's loader.
##
## @example
## gpu_info ()
## @end example
##
## @seealso{gpu_install, gpu_options, gpu_release, gpu_pdist, gpu_pdist2, gpu_corr}
## @end deftypefn

function varargout = gpu_info ()

  if (nargin != 0) # Octave 6 does not check it
    print_usage ();
  endif
  info = __gpugeo__ ("info");
  info.defaults = gpu_options ();
  if (isempty (info.defaults.threads))
    info.defaults.threads = info.threads;
  endif
  info.invalid = invalid_settings (info.defaults);
  if (nargout > 0)
    varargout{1} = info;
    return;
  endif

  printf ("gpugeo %s\n", info.version);
  printf ("CPU:  %s instructions, %d thread%s by default\n", info.simd, info.threads, ...
          merge (info.threads == 1, "", "s"));
  for entry = info.backends
    if (! entry.available)
      printf ("%s: not used, %s\n", toupper (entry.backend), entry.reason);
    endif
  endfor
  if (! isempty (info.cuda_library.file))
    printf ("CUDA: %s (%s)\n", info.cuda_library.file, info.cuda_library.architectures);
  endif
  for device = info.devices
    printf ("CUDA: device %d, %s, compute capability %s, %.1f of %.1f GiB free\n", ...
            device.device, device.name, device.capability, ...
            double (device.free_bytes) / 2^30, double (device.total_bytes) / 2^30);
  endfor
  defaults = "";
  for [value, name] = info.defaults
    defaults = sprintf ("%s, %s %s", defaults, name, disp_default (value));
    if (isfield (info.invalid, name))
      defaults = [defaults " (not valid)"];
    endif
  endfor
  printf ("Defaults: %s\n", defaults(3:end));
  for [problem, name] = info.invalid
    printf ("Not valid: %s\n", problem);
  endfor
  if (! isempty (info.last))
    printf ("Last call: on %s, %s, %.3g s\n", info.last.backend, where_of (info.last), info.last.seconds);
  endif

endfunction

## The threads or devices of a report, in words.
function where = where_of (last)

  if (last.devices == 0)
    where = sprintf ("%d thread%s", last.threads, merge (last.threads == 1, "", "s"));
  elseif (last.devices == 1)
    where = sprintf ("device %d", last.device);
  else
    where = sprintf ("%d devices", last.devices);
  endif

endfunction

## Returns the messages of the defaults and environment variables that are not valid.
function problems = invalid_settings (defaults)

  problems = struct ();
  for [value, name] = defaults
    try
      __gpugeo__ ("check", struct (name, {value}));
    catch failure
      problems.(name) = failure.message;
    end_try_catch
  endfor
  for [message, name] = __gpugeo__ ("invalid_variables")
    problems.(name) = message;
  endfor

endfunction

## A default in one word.
function word = disp_default (value)

  if (isempty (value))
    word = "automatic";
  elseif (ischar (value))
    word = value;
  else
    word = __gpugeo__ ("show", value);
  endif

endfunction

%!test
%! info = gpu_info ();
%! assert (info.version, "0.1.0");
%! assert (any (strcmp (info.simd, {"avx512", "avx2", "sse2", "neon", "generic"})));
%! assert (info.threads >= 1);
%! assert ({info.backends.backend}, {"cpu", "cuda"});
%! assert (info.backends(1).available, true);
%! assert (info.backends(1).reason, "");
%! assert (info.backends(2).available, numel (info.devices) > 0);
%! assert (isempty (info.backends(2).reason), info.backends(2).available);
%! assert (fieldnames (info.cuda_library), {"file"; "version"; "architectures"; "reason"});
%! assert (isempty (info.cuda_library.file), ! isempty (info.cuda_library.reason));
%! assert (fieldnames (info.defaults), {"backend"; "threads"; "device"; "precision"; "progress"; "memory_limit"});
%!test
%! [~, info] = gpu_pdist ([1; 2], "euclidean", "backend", "cpu", "threads", 1);
%! assert (gpu_info ().last, info);
%! [~, ~, info] = gpu_knnsearch ([1; 2], "backend", "cpu");
%! assert (gpu_info ().last, info);
%!test
%! gpu_pdist ([1; 2], "euclidean", "backend", "cpu", "threads", 1);
%! text = evalc ("gpu_info ()");
%! assert (! isempty (strfind (text, "\nLast call: on cpu, 1 thread, ")));
%! assert (strncmp (text, "gpugeo 0.1.0\nCPU:  ", 19));
%! assert (! isempty (strfind (text, "\nDefaults: backend ")));
%!test
%! before = {getenv("GPUGEO_MEMORY"), getenv("GPUGEO_THREADS")};
%! unwind_protect
%!   setenv ("GPUGEO_MEMORY", "");
%!   setenv ("GPUGEO_THREADS", "");
%!   assert (fieldnames (gpu_info ().invalid), cell (0, 1));
%!   setenv ("GPUGEO_MEMORY", "0");
%!   setenv ("GPUGEO_THREADS", "1.5");
%!   assert (gpu_info ().invalid, struct (
%!     "threads", "threads must be a whole number between 1 and 1024, not 1.5", ...
%!     "GPUGEO_MEMORY", "GPUGEO_MEMORY must be a positive number of GiB, not \"0\""));
%!   assert (! isempty (strfind (evalc ("gpu_info ()"), "\nNot valid: GPUGEO_MEMORY must be")));
%! unwind_protect_cleanup
%!   setenv ("GPUGEO_MEMORY", before{1});
%!   setenv ("GPUGEO_THREADS", before{2});
%! end_unwind_protect
%!error gpu_info (1)

%!demo
%! gpu_info ()
