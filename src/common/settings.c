#include "common/settings.h"

#include <stdio.h>
#include <string.h>

#include "common/platform.h"

static const char prefix[] = "GPUGEO_";
static const char *const settings[] = {"BACKEND",      "THREADS", "DEVICE", "PRECISION", "PROGRESS",
                                       "MEMORY_LIMIT", "MEMORY",  "SIMD",   "CUDA_LIB"};
enum { SETTINGS = sizeof settings / sizeof *settings, LONGEST = 16 };

/* Returns the smaller of two numbers. */
static int least(int a, int b) { return a < b ? a : b; }

/* Returns the edit distance of two names: letters to insert, delete or replace. a has at most
   LONGEST letters. */
static int distance(const char *a, size_t length_a, const char *b, size_t length_b) {
  int row[LONGEST + 1];
  for (size_t i = 0; i <= length_a; ++i)
    row[i] = (int)i;
  for (size_t j = 0; j < length_b; ++j) {
    int diagonal = row[0]++;
    for (size_t i = 0; i < length_a; ++i) {
      const int replaced = diagonal + (a[i] != b[j]);
      diagonal = row[i + 1];
      row[i + 1] = least(replaced, 1 + least(row[i + 1], row[i]));
    }
  }
  return row[length_a];
}

/* Returns the setting that a name misspells; NULL if it is a setting or is not close to any. */
static const char *meant(const char *name, size_t length) {
  const char *nearest = NULL;
  int best = 3;
  for (int i = 0; i < SETTINGS && length <= LONGEST; ++i) {
    const int letters = distance(name, length, settings[i], strlen(settings[i]));
    if (letters == 0) return NULL;
    if (letters < best) {
      best = letters;
      nearest = settings[i];
    }
  }
  return nearest;
}

bool gg_unknown_setting(gg_setting_text *warning) {
  for (char **variable = gg_environment(); variable && *variable; ++variable) {
    if (strncmp(*variable, prefix, sizeof prefix - 1) != 0) continue;
    const char *name = *variable + sizeof prefix - 1;
    const size_t length = strcspn(name, "=");
    const char *setting = meant(name, length);
    if (!setting) continue;
    snprintf(warning->text, sizeof warning->text,
             "environment variable %s%.*s is not known; the setting is %s%s", prefix, (int)length,
             name, prefix, setting);
    return true;
  }
  return false;
}
