#include "common/cgroup.h"
#include "common/test_hooks.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 4096 };

/* The limits of this process's groups. */
typedef struct limits {
  double memory;     /* bytes; infinity: no limit */
  double processors; /* infinity: no limit */
} limits;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static bool known;
static bool incomplete; /* a file was not opened, because the process may open no more */
static limits found;
static char root[PATH_ROOM];

/* --- Files of a group ------------------------------------------------------------------------- */

/* Opens a file for reading at its path below root. Returns NULL if it cannot be opened. */
static FILE *open_below_root(const char *path) {
  char full[2 * PATH_ROOM];
  const int length = snprintf(full, sizeof full, "%s%s", root, path);
  if (length <= 0 || length >= (int)sizeof full) return NULL;
  FILE *file = fopen(full, "r");
  if (!file && (errno == EMFILE || errno == ENFILE)) incomplete = true;
  return file;
}

/* Reads the first two numbers of a file in a group's folder into value; "max" is infinity. Returns
   how many there are. */
static int read_numbers(const char *folder, const char *name, double value[2]) {
  char path[2 * PATH_ROOM], word[2][64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = open_below_root(path);
  if (!file) return 0;
  const int words = fscanf(file, "%63s %63s", word[0], word[1]);
  fclose(file);
  int count = 0;
  for (; count < words; ++count) {
    char *end;
    value[count] =
        strcmp(word[count], "max") == 0 ? INFINITY : (double)strtoll(word[count], &end, 10);
    if (isfinite(value[count]) && *end) break;
  }
  return count;
}

/* Lowers *least to the number in a file. Limits below 1 mean that there is none. */
static void lower_memory(const char *folder, const char *name, double *least) {
  double value[2];
  if (read_numbers(folder, name, value) >= 1 && value[0] >= 1 && value[0] < *least)
    *least = value[0];
}

/* Lowers *least to the quota per period. */
static void lower_processors(double quota, double period, double *least) {
  if (quota >= 1 && period >= 1 && quota / period < *least) *least = quota / period;
}

/* Lowers the limits to those of a group's folder in version 2 of control groups. */
static void read_version2(const char *folder, limits *all) {
  double quota[2];
  lower_memory(folder, "memory.max", &all->memory);
  lower_memory(folder, "memory.high", &all->memory);
  if (read_numbers(folder, "cpu.max", quota) == 2)
    lower_processors(quota[0], quota[1], &all->processors);
}

/* Lowers the limits to those of a group's folder in version 1 of control groups. */
static void read_version1(const char *folder, limits *all) {
  double quota[2], period[2];
  lower_memory(folder, "memory.limit_in_bytes", &all->memory);
  if (read_numbers(folder, "cpu.cfs_quota_us", quota) >= 1 &&
      read_numbers(folder, "cpu.cfs_period_us", period) >= 1)
    lower_processors(quota[0], period[0], &all->processors);
}

/* --- Which groups ----------------------------------------------------------------------------- */

/* True if `word` is one of the words between commas in `list`. */
static bool has_word(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = list; at; at = strchr(at, ',')) {
    if (*at == ',') ++at;
    if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == 0)) return true;
  }
  return false;
}

/* A line of mountinfo that mounts control groups. */
typedef struct mount {
  char within[PATH_ROOM]; /* the group that is mounted */
  char point[PATH_ROOM];  /* where */
  char kind[64];          /* "cgroup2", or "cgroup" for version 1 */
  char options[PATH_ROOM];
} mount;

/* Reads a line of mountinfo. Returns false if fields are missing. */
static bool parse_mount(const char *line, mount *one) {
  const char *rest = strstr(line, " - ");
  if (!rest || sscanf(line, "%*s %*s %*s %4095s %4095s", one->within, one->point) != 2)
    return false;
  return sscanf(rest, " - %63s %*s %4095s", one->kind, one->options) == 2;
}

/*
 * Finds the process's group in the hierarchy that is mounted with `controller` (NULL: version 2).
 * /proc/self/cgroup has lines "number:controllers:path"; version 2 has no controllers.
 */
static bool find_group(const char *controller, char *path) {
  char line[PATH_ROOM];
  bool there = false;
  FILE *file = open_below_root("/proc/self/cgroup");
  while (file && !there && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) continue;
    *group = 0;
    ++controllers;
    there = controller ? has_word(controllers, controller) : *controllers == 0;
    if (there) snprintf(path, PATH_ROOM, "%s", group + 1);
  }
  if (file) fclose(file);
  return there;
}

/* Reads the limits of a group and its parents, up to the one that is mounted. */
static void read_groups(const mount *one, const char *group, void (*read)(const char *, limits *),
                        limits *all) {
  const size_t within = strcmp(one->within, "/") == 0 ? 0 : strlen(one->within);
  /* A group outside what is mounted ("/..", or of another container) cannot be seen: the mounted
     one is what limits it here. */
  const bool inside = strncmp(group, one->within, within) == 0 && strncmp(group, "/..", 3) != 0 &&
                      (group[within] == '/' || group[within] == 0);
  char folder[2 * PATH_ROOM];
  snprintf(folder, sizeof folder, "%s%s", one->point, inside ? group + within : "");
  const size_t least = strlen(one->point);
  for (;;) {
    read(folder, all);
    char *last = strrchr(folder, '/');
    if (!last || strlen(folder) <= least || (size_t)(last - folder) < least) return;
    *last = 0;
  }
}

/* Lowers the limits to those of the groups of this process below a mount of control groups. */
static void read_mount(const mount *one, limits *all) {
  static const char *const controllers[] = {"memory", "cpu"};
  char group[PATH_ROOM];
  if (strcmp(one->kind, "cgroup2") == 0) {
    if (find_group(NULL, group)) read_groups(one, group, read_version2, all);
  } else if (strcmp(one->kind, "cgroup") == 0) {
    for (int i = 0; i < 2; ++i)
      if (has_word(one->options, controllers[i]) && find_group(controllers[i], group))
        read_groups(one, group, read_version1, all);
  }
}

/* Returns the lowest limits of all mounts of control groups, infinity where there is none. */
static limits read_limits(void) {
  limits all = {INFINITY, INFINITY};
  char line[3 * PATH_ROOM];
  mount one;
  FILE *file = open_below_root("/proc/self/mountinfo");
  while (file && fgets(line, sizeof line, file))
    if (parse_mount(line, &one)) read_mount(&one, &all);
  if (file) fclose(file);
  return all;
}

/* Returns the limits, which are read from files by the first call that can open all of them. */
static limits limits_here(void) {
  pthread_mutex_lock(&lock);
  if (!known) {
    incomplete = false;
    found = read_limits();
    known = !incomplete;
  }
  const limits here = found;
  pthread_mutex_unlock(&lock);
  return here;
}

double gg_cgroup_memory(void) { return limits_here().memory; }

int32_t gg_cgroup_processors(void) {
  const double processors = limits_here().processors;
  return processors < 1e6 ? (int32_t)ceil(processors) : 0;
}

void gg_set_cgroup_root(const char *folder) {
  pthread_mutex_lock(&lock);
  snprintf(root, sizeof root, "%s", folder ? folder : "");
  known = false;
  pthread_mutex_unlock(&lock);
}
