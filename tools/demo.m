% The Octave half of the demo; see tools/demo. Argument: the output folder.

out = argv (){end};
file = fopen (fullfile (out, "expression.bin"));
expression = reshape (fread (file, Inf, "double"), 12625, []);
fclose (file);

gpu_pdist (expression(1:2, :));   % start the backends
tic;
[genes, info] = gpu_pdist (expression);
printf ("Octave  gpu_pdist, genes:                         %7.2f s, on %s\n", toc, info.backend);
samples = gpu_pdist (expression', "correlation");

file = fopen (fullfile (out, "genes-octave.bin"), "w");
fwrite (file, genes, "double");
fclose (file);
file = fopen (fullfile (out, "samples-octave.bin"), "w");
fwrite (file, samples, "double");
fclose (file);
