/* Misspelt settings in the environment. */
#ifndef GG_SETTINGS_H
#define GG_SETTINGS_H

#include <stdbool.h>

#include "common/c_linkage.h"

GG_C_BEGIN

/* A warning, which is given once in a session. */
typedef struct gg_setting_text {
  char text[256];
} gg_setting_text;

/* True if the environment has a variable whose name is at most two letters away from that of a
   setting; the warning names both. Other variables with the prefix GPUGEO_ are left alone. */
bool gg_unknown_setting(gg_setting_text *warning);

GG_C_END

#endif
