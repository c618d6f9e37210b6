#include "decimal_comma.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system.h"
#include "temporary.h"

static const char definition[] = "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\n"
                                 "thousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n"
                                 "LC_CTYPE\ntoupper (<U0061>,<U0041>)\n"
                                 "tolower (<U0041>,<U0061>)\nEND LC_CTYPE\n";

static bool has_comma(const char *locale) {
  return setlocale(LC_NUMERIC, locale) && strcmp(localeconv()->decimal_point, ",") == 0;
}

bool decimal_comma_begin(void) {
  char command[1024];
  if (has_comma("German")) return true; /* Windows has it */
  char *source = temporary_file(definition, sizeof definition - 1), *folder = temporary_folder();
  /* localedef warns of the categories that are left out, and -c makes it go on. */
  snprintf(command, sizeof command, "localedef -c -i %s %s/xx_XX > /dev/null 2>&1", source, folder);
  (void)!system(command);
  set_variable("LOCPATH", folder);
  const bool made = has_comma("xx_XX") && setlocale(LC_CTYPE, "xx_XX");
  snprintf(command, sizeof command, "rm -rf %s/xx_XX", folder);
  (void)!system(command);
  temporary_remove(source);
  temporary_remove(folder);
  return made;
}

void decimal_comma_end(void) {
  setlocale(LC_NUMERIC, "C");
  setlocale(LC_CTYPE, "C");
  set_variable("LOCPATH", NULL);
}
