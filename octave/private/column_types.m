## Replaces the names of column types in the options of a call, if there are any, by the numbers that
## __gpugeo__ takes.  Those with a metric that is a function stay, and are refused elsewhere.
function options = column_types (options)

  with_function = isfield (options, "method") && is_function_handle (options.method);
  if (with_function || ! (isfield (options, "types") && iscellstr (options.types)))
    return;
  endif
  names = {"numeric", "nominal", "asymmetric"};
  [known, number] = ismember (options.types, names);
  if (! all (known))
    error ("gpugeo:argument", "types must be \"numeric\", \"nominal\" or \"asymmetric\" for each column, not \"%s\"", ...
           options.types{find (! known, 1)});
  endif
  options.types = double (number) - 1;

endfunction
