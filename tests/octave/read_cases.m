## cases = read_cases (file)
##
## The rows of a file of cases as a structure array of text, one field a column.

function cases = read_cases (file)

  lines = strsplit (strtrim (fileread (file)), "\n");
  fields = cellfun (@split_line, lines, "UniformOutput", false);
  table = vertcat (fields{2:end});
  cases = cell2struct (table, fields{1}, 2)';

endfunction

## The fields of one line of CSV.
function fields = split_line (line)

  tokens = regexp (line, "(?:^|,)(\"(?:[^\"]|\"\")*\"|[^,]*)", "tokens");
  fields = cellfun (@(token) token{1}, tokens, "UniformOutput", false);
  quoted = strncmp (fields, "\"", 1);
  fields(quoted) = cellfun (@(text) regexprep (text(2:end-1), "\"\"", "\""), fields(quoted), ...
                            "UniformOutput", false);

endfunction
