#include "decimal_comma.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "temporary.h"

static const char definition[] = "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\n"
                                 "thousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n";

bool decimal_comma_begin(void) {
  char command[1024];
  char *source = temporary_file(definition, sizeof definition - 1), *folder = temporary_folder();
  /* localedef warns of the categories that are left out, and -c makes it go on. */
  snprintf(command, sizeof command, "localedef -c -i %s %s/xx_XX > /dev/null 2>&1", source, folder);
  (void)!system(command);
  setenv("LOCPATH", folder, 1);
  bool made = setlocale(LC_NUMERIC, "xx_XX") && strcmp(localeconv()->decimal_point, ",") == 0;
  snprintf(command, sizeof command, "rm -rf %s/xx_XX", folder);
  (void)!system(command);
  temporary_remove(source);
  temporary_remove(folder);
  return made;
}

void decimal_comma_end(void) {
  setlocale(LC_NUMERIC, "C");
  unsetenv("LOCPATH");
}
