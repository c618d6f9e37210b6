% The Octave half of the demo; see tools/demo. Argument: the output folder.

out = argv (){end};

function x = read_columns (name, rows)
  file = fopen (name);
  x = reshape (fread (file, Inf, "double"), rows, []);
  fclose (file);
endfunction

function write_row (name, x)
  file = fopen (name, "w");
  fwrite (file, x, "double");
  fclose (file);
endfunction

expression = read_columns (fullfile (out, "expression.bin"), 12625);
varying = read_columns (fullfile (out, "varying.bin"), 1000);

gpu_pdist (expression(1:2, :));   % start the backends
tic;
[genes, info] = gpu_pdist (expression);
printf ("Octave  gpu_pdist, genes:                         %7.2f s, on %s\n", toc, info.backend);
samples = gpu_pdist (varying', "correlation");
write_row (fullfile (out, "genes-octave.bin"), genes);
write_row (fullfile (out, "samples-octave.bin"), samples);
