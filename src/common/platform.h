/*
 * What differs between operating systems. platform_posix.c has it for Linux, macOS and other POSIX
 * systems, platform_windows.c for Windows. No other file has a condition on the system.
 *
 * Names of files are UTF-8 on Windows. Functions that fail set errno there as on POSIX systems.
 */
#ifndef GG_PLATFORM_H
#define GG_PLATFORM_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/c_linkage.h"

GG_C_BEGIN

#if defined(_WIN32)
#define GG_WINDOWS
#endif

/* --- memory ----------------------------------------------------------------------------------- */

/* Allocate memory at a multiple of `alignment`, a power of two of at least 16, and change its size,
   after which only Windows keeps the alignment. Return NULL without memory. To be freed by
   gg_aligned_free() alone: on Windows it does not belong to malloc(). */
void *gg_aligned_allocate(size_t alignment, size_t bytes);
void *gg_aligned_reallocate(void *memory, size_t alignment, size_t bytes);
void gg_aligned_free(void *memory);

/* Returns the memory and swap of the machine in bytes. */
double gg_installed_memory(void);

/* Returns the bytes that ulimit (RLIMIT_AS, RLIMIT_DATA) allows this process; infinity without a
   limit. */
double gg_process_memory(void);

/* Asks for huge pages for a large result that has not been written to, which makes fewer page
   faults. */
void gg_prefer_huge_pages(void *start, int64_t bytes);

/* Has the system provide the pages that lie within memory that is about to be written: by one call,
   which takes half as long as a fault for each. What the memory has stays. Nothing on systems other
   than Linux. */
void gg_pages_populate(void *start, int64_t bytes);

/* Gives the pages that lie within memory back to the system. What they have is lost, and the memory
   remains to be freed. Nothing on systems other than Linux. */
void gg_pages_discard(void *start, int64_t bytes);

/* Takes fresh memory from the system and not from malloc(), aligned to huge pages where the system
   has them; NULL without memory. */
void *gg_pages_take(size_t bytes);

/* Gives such memory back. */
void gg_pages_give(void *start, size_t bytes);

/* --- threads and processes -------------------------------------------------------------------- */

/* Returns the number of processors that this process may run on, without quotas. */
int32_t gg_system_processors(void);

/* Starts a thread that blocks all signals, so Ctrl-C reaches a thread of the host program.
   Its stack has so many bytes; 0: as many as usual. Returns 0 or the system's error number. */
int gg_thread_start(pthread_t *thread, size_t stack, void *(*work)(void *), void *argument);

/* Sleeps while *word is `value`, until gg_wake() is called for it; it may also wake for no reason.
   gg_wake() wakes so many of the threads that sleep. */
void gg_sleep_while(const uint32_t *word, uint32_t value);
void gg_wake(const uint32_t *word, int32_t count);

/* Has functions called at each fork: before it, and after it in this process and in the new one.
   Each may be NULL. Returns false without memory. */
bool gg_at_fork(void (*before)(void), void (*after)(void), void (*in_child)(void));

/* Has a function called, which ends this library's threads, at the end of the process and before
   this library is unloaded. Windows can do neither, since the threads of a process that ends are
   gone before its libraries are asked: there the library is not unloaded before the end. Returns
   false if that is not possible. */
bool gg_at_unload(void (*function)(void));

/* Returns the variables of the environment, "NAME=value" each; NULL after the last. */
char **gg_environment(void);

/* --- text ------------------------------------------------------------------------------------- */

/* Do the same as strtod() and vsnprintf() in the "C" locale, whatever locale the process has. */
double gg_strtod_c(const char *text, char **end);
int gg_vsnprintf_c(char *text, size_t size, const char *format, va_list arguments);

/* Stands before a function whose parameter number `text` is a format as printf() has it, for the
   arguments from number `first` on: the compiler checks them. */
#if defined(GG_WINDOWS)
#define GG_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define GG_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define GG_PRINTF(text, first)
#endif

/* --- files ------------------------------------------------------------------------------------ */

typedef enum gg_file_kind {
  GG_FILE_REGULAR,
  GG_FILE_FOLDER,
  GG_FILE_PIPE,
  GG_FILE_SOCKET,
  GG_FILE_DEVICE /* or something else that is no regular file, such as a link that is not followed
                  */
} gg_file_kind;

typedef struct gg_file_about {
  gg_file_kind kind;
  uint64_t device, number; /* the same for all names of a file */
  int64_t size;            /* in bytes */
  bool own;                /* it belongs to the user of this process */
} gg_file_about;

/* Describe what has a path, and what has a handle. Return false and set errno if that fails. A link
   is followed. */
bool gg_path_describe(const char *path, gg_file_about *about);
bool gg_handle_describe(int handle, gg_file_about *about);

typedef enum gg_file_mode {
  GG_FILE_READ,
  GG_FILE_UPDATE,         /* to read and write */
  GG_FILE_UPDATE_NO_LINK, /* the same, unless the path is a link */
  GG_FILE_CREATE,         /* to write; fails if there is something with this path */
  GG_FILE_WRITE_DIRECT /* to write whole pages past the page cache; fails where there is no such */
} gg_file_mode;

/* Opens a file, which exists unless the mode is GG_FILE_CREATE, without ever waiting for it, and
   not for processes that this one starts. Returns its handle for read() and close(), or -1. */
int gg_handle_open(const char *path, gg_file_mode mode);

/* Read and write at an offset. Return the bytes, which may be fewer, or -1. */
int64_t gg_handle_read(int handle, void *to, int64_t bytes, int64_t offset);
int64_t gg_handle_write(int handle, const void *from, int64_t bytes, int64_t offset);

/* Locks an open file until it is closed, with others that lock it or alone. Never waits. Returns 0,
   EWOULDBLOCK if another one's lock is in the way, or the system's error number. */
int gg_handle_lock(int handle, bool alone);

/* Allocates disk space for a part of a file, so a full disk is found now and the file is not
   fragmented. Returns 0 or the system's error number; then, if `restore` is set, what has been
   allocated is given back. Systems without such a call return 0. */
int gg_handle_reserve(int handle, int64_t offset, int64_t bytes, bool restore);

/* Waits until what was written is on the disk. Returns 0 or the system's error number. */
int gg_handle_sync(int handle);

/* Starts writing to the disk, without waiting. */
void gg_handle_start_sync(int handle);

/* Drops what is on the disk from the page cache: a large file would displace everything else,
   and freeing pages one by one takes longer than writing. */
void gg_handle_drop_cache(int handle);

/* Gives a file another name, that of a file which is then gone. Returns 0 or -1. */
int gg_path_replace(const char *from, const char *to);

/* Creates a folder. Returns 0 or -1. */
int gg_folder_create(const char *path);

/* Removes a file. Returns 0 or -1. */
int gg_path_remove(const char *path);

/* Opens a file to be read as bytes, as fopen() does. */
FILE *gg_path_read(const char *path);

/* True if something has this path; of a link, the link itself. */
bool gg_path_taken(const char *path);

/* Returns the end of a path's folder: after the last separator, or the path's beginning. */
const char *gg_path_name(const char *path);

/* True if a path does not depend on the working folder. */
bool gg_path_absolute(const char *path);

/* Block SIGXFSZ on this thread and restore its mask. Writing beyond the limit of file sizes
   (ulimit -f) raises this signal, which ends the process; while it is blocked the write fails
   with EFBIG. The second function removes a pending signal and does not change errno. */
typedef struct gg_size_signal {
  uint64_t before[16]; /* the thread's mask */
} gg_size_signal;
void gg_size_signal_block(gg_size_signal *held);
void gg_size_signal_restore(const gg_size_signal *held);

/* True if the limit of file sizes allows files of `bytes`. */
bool gg_size_allowed(double bytes);

/* --- shared libraries ------------------------------------------------------------------------- */

/* The name of the file with the CUDA backend, and what is said after the message that there is
   none. */
#if defined(GG_WINDOWS)
#define GG_CUDA_FILE   "gpugeo_cuda.dll"
#define GG_CUDA_REMARK "; gpugeo cannot build it for Windows yet"
#else
#define GG_CUDA_FILE   "libgpugeo_cuda.so"
#define GG_CUDA_REMARK "; gpu_install() of R and Octave installs one"
#endif

/* Writes the path of a file in the folders of the system's loader, such as those of
   LD_LIBRARY_PATH. Returns false if there is none. */
bool gg_library_find(const char *name, char *path, size_t size);

/* Opens a shared library by its path, hidden from the rest of the process. Returns NULL and the
   reason, which is valid until the next call: for one thread at a time. */
void *gg_library_open(const char *file, const char **why);

/* Returns the address of a symbol, or NULL. */
void *gg_library_symbol(void *library, const char *name);

void gg_library_close(void *library);

/* Writes the path of the program or shared library that has an address. Returns false if it is not
   known. */
bool gg_library_of(const void *address, char *path, size_t size);

/* True if a file of so many bytes has all that the loader reads of it: bytes that are missing would
   end the process. */
bool gg_library_complete(FILE *file, int64_t bytes);

typedef enum gg_library_read {
  GG_LIBRARY_READ,
  GG_LIBRARY_LACKS,
  GG_LIBRARY_UNREADABLE
} gg_library_read;

/* Copies a constant that a complete file of so many bytes exports, without loading the file, which
   would run its code. It must have no fewer than `size` bytes and no addresses.
   GG_LIBRARY_UNREADABLE: not on this operating system. */
gg_library_read gg_library_constant(FILE *file, int64_t bytes, const char *name, void *constant,
                                    size_t size);

/* Writes the folder of caches in the user's home, as tools::R_user_dir() finds it when no variable
   names one. Returns false if there is no home folder. */
bool gg_user_cache(char *path, size_t size);

GG_C_END

#endif
