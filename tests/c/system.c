#include "system.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "common/platform.h"

#if !defined(GG_WINDOWS)

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

void set_variable(const char *name, const char *value) {
  if (value)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

const char *temporary_root(void) {
  const char *folder = getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

bool make_folder(char *name) { return mkdtemp(name) != NULL; }

bool make_pipe(const char *path) { return mkfifo(path, 0600) == 0; }

bool make_hole(const char *path, int64_t bytes) { return truncate(path, (off_t)bytes) == 0; }

const char *const device_path = "/dev/zero";

/* Returns the exit status of a process that was started. */
static int status_of(pid_t process) {
  int status = -1;
  if (process < 0 || waitpid(process, &status, 0) != process) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int run_forked(int (*work)(void *data), void *data, bool by_exit) {
  fflush(stdout);
  const pid_t process = fork();
  if (process == 0) {
    const int found = work(data);
    if (by_exit) exit(found); /* with all that is to be done at a process's end */
    _exit(found);
  }
  return status_of(process);
}

int run_program(const char *program, const char *argument) {
  fflush(stdout);
  const pid_t process = fork();
  if (process == 0) {
    execl(program, program, argument, (char *)NULL);
    _exit(99);
  }
  return status_of(process);
}

bool send_interrupts(int count) {
  for (int k = 0; k < count; ++k)
    kill(getpid(), SIGINT); /* a signal for this thread has come when kill() returns */
  return true;
}

#else

#include <direct.h>
#include <process.h>

void set_variable(const char *name, const char *value) { _putenv_s(name, value ? value : ""); }

const char *temporary_root(void) {
  const char *folder = getenv("TEMP");
  return folder && *folder ? folder : ".";
}

bool make_folder(char *name) { return _mktemp(name) && _mkdir(name) == 0; }

bool make_pipe(const char *path) {
  (void)path;
  check_skip(1, "Windows: no pipes with a path in a folder");
  return false;
}

bool make_hole(const char *path, int64_t bytes) {
  (void)path, (void)bytes;
  return false;
}

const char *const device_path = "NUL";

int run_forked(int (*work)(void *data), void *data, bool by_exit) {
  (void)work, (void)data, (void)by_exit;
  check_skip(1, "Windows: no forked processes");
  return NO_FORK;
}

int run_program(const char *program, const char *argument) {
  fflush(stdout);
  return (int)_spawnl(_P_WAIT, program, program, argument, (char *)NULL);
}

bool send_interrupts(int count) {
  (void)count;
  check_skip(1, "Windows: no signals between threads");
  return false;
}

#endif
