## -*- texinfo -*-
## @deftypefn  {} {@var{installed} =} gpu_install (@var{from})
## @deftypefnx {} {@var{installed} =} gpu_install (@var{from}, @var{sha256})
## @deftypefnx {} {@var{removed} =} gpu_install ("remove", true)
## Copy or download the file @file{libgpugeo_cuda.so}, with which gpugeo computes on NVIDIA GPUs, into the user's
## cache, or remove it there.
##
## This is for machines that have an NVIDIA GPU and its driver, but no CUDA compiler: where @command{nvcc} is,
## the installation of gpugeo has built the file already, see @code{gpu_info}.
##
## @var{from} is the path of a file, or an address that begins with @code{file://}, @code{http://} or
## @code{https://}.  It has no default, because there is no release of gpugeo yet; @command{make cuda-library}
## in its sources builds such a file on any machine with the CUDA compiler.
##
## @var{sha256} is the SHA-256 of the file, 64 hexadecimal digits.  An address of @code{http} or @code{https}
## must have one; other files are checked if it is given.
##
## The file is written to the folder of the cache under another name, checked, and then renamed.  What was
## installed before remains if a check fails.  The checks are its SHA-256, that it is complete and was built
## from the sources of this gpugeo, and that the distances it computes on the default CUDA device have the same
## bits as those of the CPU.  Without such a device it is only loaded, and the result has the reason.  gpugeo
## never installs anything without this call.
##
## The fields of @var{installed} are:
##
## @table @code
## @item file
## The path of the file that was installed, @file{~/.cache/R/gpugeo/libgpugeo_cuda.so} unless the environment
## variable @env{R_USER_CACHE_DIR} or @env{XDG_CACHE_HOME} names another cache.  R and Octave share it.
##
## @item sha256
## Its SHA-256.
##
## @item version
## The version of gpugeo that it belongs to.
##
## @item architectures
## The GPU architectures that it has code for, separated by @code{+}.
##
## @item device
## The name of the CUDA device that has computed distances in the test, or @qcode{""}.
##
## @item reason
## Why there was no test, or @qcode{""}.
## @end table
##
## @code{gpu_install ("remove", true)} removes the file; @var{removed} is whether there was one.  What was done is
## printed.  A session that has loaded a CUDA library keeps it: the new one is then used from the next session
## on.
##
## @example
## gpu_install ("/media/usb/libgpugeo_cuda.so");
## gpu_install ("https://example.org/libgpugeo_cuda.so", ...
##              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
## gpu_install ("remove", true);
## @end example
##
## @seealso{gpu_info, gpu_options}
## @end deftypefn

function result = gpu_install (from = [], sha256 = [])

  options = struct ("sha256", {sha256}, "remove", false);
  if (nargin == 2 && ischar (from) && strcmp (tolower (from), "remove"))
    options = struct ("sha256", [], "remove", {sha256});
    from = [];
  elseif (ischar (from) && rows (from) == 1)
    from = tilde_expand (from);
  endif

  [done, text] = __gpugeo__ ("cuda_install", options, from, []);
  if (numfields (done) == 0)
    file = [tempname() '.so'];
    unwind_protect
      [~, is_downloaded, reason] = urlwrite (from, file);
      if (! is_downloaded)
        __gpugeo__ ("cuda_download_failed", from, reason);
      endif
      [done, text] = __gpugeo__ ("cuda_install", options, from, file);
    unwind_protect_cleanup
      if (! isempty (stat (file)))
        unlink (file);
      endif
    end_unwind_protect
  endif

  printf ("%s\n", text);
  if (nargout > 0)
    if (isfield (done, "removed"))
      result = done.removed;
    else
      result = done;
    endif
  endif

endfunction

%!error <from must be the path or the address of a libgpugeo_cuda.so: gpugeo 0.1.0 has no default for it>
%! gpu_install ()
%!error <from must be a single string, not 3> gpu_install (3)
%!error <from must be a path or an address of file, http or https, not "ftp://host/x.so"> gpu_install ("ftp://host/x.so")
%!error <sha256 must be 64 hexadecimal digits for an address of http or https, not \[\]>
%! gpu_install ("https://host/x.so")
%!error <sha256 must be 64 hexadecimal digits, not "abc"> gpu_install ("/nowhere.so", "abc")
%!error <sha256 must be 64 hexadecimal digits, not 5> gpu_install ("/nowhere.so", 5)
%!error <file "/nowhere.so" cannot be read: No such file or directory> gpu_install ("/nowhere.so")
%!error <remove must be true or false, not "yes"> gpu_install ("remove", "yes")
%!error gpu_install (1, 2, 3)

%!demo
%! try
%!   gpu_install ("libgpugeo_cuda.txt");
%! catch failure
%!   disp (failure.message);
%! end_try_catch
