/* What tests need of the operating system, where Windows has it in another way or not at all. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

/* Sets an environment variable; value NULL removes it. */
void set_variable(const char *name, const char *value);

/* Returns the folder of temporary files. */
const char *temporary_root(void);

/* Create a folder whose name ends in XXXXXX, which are replaced; a pipe; and a file of so many zero
   bytes that take no room on the disk. Return false where that is not possible. */
bool make_folder(char *name);
bool make_pipe(const char *path);
bool make_hole(const char *path, int64_t bytes);

/* The path of a device. */
extern const char *const device_path;

enum { NO_FORK = -2 };

/* Calls a function in a forked process, which ends with its result, by exit() or by _exit().
   Returns the exit status, -1 if the process was killed, or NO_FORK where processes cannot be
   forked: this is counted as a skipped check. */
int run_forked(int (*work)(void *data), void *data, bool by_exit);

/* Runs a program with one argument. Returns its exit status, -1 if it was killed. */
int run_program(const char *program, const char *argument);

/* Sends this process so many signals of Ctrl-C. Returns false where that is not possible. */
bool send_interrupts(int count);

#endif
