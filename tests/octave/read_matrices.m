## matrices = read_matrices (file)
##
## The matrices of a file such as tests/golden/matrices.txt in a structure, by their names.

function matrices = read_matrices (file)

  matrices = struct ();
  blocks = strsplit (strtrim (fileread (file)), "\n\n");
  for i = 1:numel (blocks)
    [name, rest] = strtok (blocks{i}, "\n");
    lines = strsplit (rest(2:end), "\n");
    values = cellfun (@(line) str2double (strsplit (line, ",")), lines, "UniformOutput", false);
    matrices.(name) = vertcat (values{:});
  endfor

endfunction
