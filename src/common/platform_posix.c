#define _GNU_SOURCE    /* dladdr(), dlinfo(), fallocate(), sched_getaffinity(), sync_file_range(), \
                          O_DIRECT */
#include "common/platform.h"

#if !defined(GG_WINDOWS)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <elf.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#endif
#if defined(__APPLE__)
#include <xlocale.h>
#endif

/* --- memory ----------------------------------------------------------------------------------- */

void *gg_aligned_allocate(size_t alignment, size_t bytes) {
  void *memory = NULL;
  return posix_memalign(&memory, alignment, bytes) ? NULL : memory;
}

void *gg_aligned_reallocate(void *memory, size_t alignment, size_t bytes) {
  (void)alignment;
  return realloc(memory, bytes);
}

void gg_aligned_free(void *memory) { free(memory); }

double gg_installed_memory(void) {
#if defined(__linux__)
  struct sysinfo info;
  if (sysinfo(&info) == 0)
    return ((double)info.totalram + (double)info.totalswap) * (double)info.mem_unit;
#endif
  return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* Lowers *least to the limit that the system sets for a resource of this process. */
static void lower_to_resource(double *least, int resource) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      (double)limit.rlim_cur < *least)
    *least = (double)limit.rlim_cur;
}

double gg_process_memory(void) {
  double least = INFINITY;
  lower_to_resource(&least, RLIMIT_DATA);
#if defined(RLIMIT_AS)
  lower_to_resource(&least, RLIMIT_AS);
#endif
  return least;
}

static const size_t huge_page = (size_t)2 << 20;

#if defined(MADV_HUGEPAGE) || defined(MADV_POPULATE_WRITE)
/* Advises the system about the whole pages of a size within memory. If it refuses, the result is
   the same, but slower or in more memory. */
static void advise(void *start, int64_t bytes, size_t page, int advice) {
  const uintptr_t first = ((uintptr_t)start + page - 1) / page * page;
  const uintptr_t last = ((uintptr_t)start + (uintptr_t)bytes) / page * page;
  if (last > first) (void)madvise((void *)first, last - first, advice);
}
#endif

void gg_prefer_huge_pages(void *start, int64_t bytes) {
#if defined(MADV_HUGEPAGE)
  advise(start, bytes, huge_page, MADV_HUGEPAGE);
#else
  (void)start, (void)bytes;
#endif
}

void gg_pages_populate(void *start, int64_t bytes) {
#if defined(MADV_POPULATE_WRITE)
  advise(start, bytes, (size_t)sysconf(_SC_PAGESIZE), MADV_POPULATE_WRITE);
#else
  (void)start, (void)bytes;
#endif
}

void gg_pages_discard(void *start, int64_t bytes) {
#if defined(MADV_POPULATE_WRITE) /* Linux: other systems take MADV_DONTNEED otherwise */
  advise(start, bytes, (size_t)sysconf(_SC_PAGESIZE), MADV_DONTNEED);
#else
  (void)start, (void)bytes;
#endif
}

void *gg_pages_take(size_t bytes) {
  const int access = PROT_READ | PROT_WRITE, kind = MAP_PRIVATE | MAP_ANONYMOUS;
  char *mapped = mmap(NULL, bytes + huge_page, access, kind, -1, 0);
  if (mapped == MAP_FAILED) return NULL;
  const size_t before = huge_page - (uintptr_t)mapped % huge_page;
  munmap(mapped, before); /* a whole huge page if it is aligned already */
  if (before < huge_page) munmap(mapped + before + bytes, huge_page - before);
  return mapped + before;
}

void gg_pages_give(void *start, size_t bytes) { munmap(start, bytes); }

/* --- threads and processes -------------------------------------------------------------------- */

int32_t gg_system_processors(void) {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 && online < INT32_MAX ? (int32_t)online : 1;
}

int gg_thread_start(pthread_t *thread, size_t stack, void *(*work)(void *), void *argument) {
  pthread_attr_t attributes;
  int code = pthread_attr_init(&attributes);
  if (code) return code;
  if (stack) pthread_attr_setstacksize(&attributes, stack);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  code = pthread_create(thread, &attributes, work, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return code;
}

#if defined(__linux__)

/* Sleeps until woken, if *word is value, without a lock: 15 threads that wake from a condition
   variable take its mutex one after the other, which delays the last one by up to 0.5 ms. */
void gg_sleep_while(const uint32_t *word, uint32_t value) {
  (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void gg_wake(const uint32_t *word, int32_t count) {
  (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

#else

static pthread_mutex_t sleeping = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void gg_sleep_while(const uint32_t *word, uint32_t value) {
  pthread_mutex_lock(&sleeping);
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == value) pthread_cond_wait(&changed, &sleeping);
  pthread_mutex_unlock(&sleeping);
}

void gg_wake(const uint32_t *word, int32_t count) {
  (void)word; /* threads sleep on one word only */
  if (count <= 0) return;
  pthread_mutex_lock(&sleeping);
  for (; count > 0; --count)
    pthread_cond_signal(&changed);
  pthread_mutex_unlock(&sleeping);
}

#endif

bool gg_at_fork(void (*before)(void), void (*after)(void), void (*in_child)(void)) {
  return pthread_atfork(before, after, in_child) == 0;
}

bool gg_at_unload(void (*function)(void)) { return atexit(function) == 0; }

extern char **environ;

char **gg_environment(void) { return environ; }

/* --- text ------------------------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

/* Finds the "C" locale. glibc and musl return an object that they never free, so repeated
   loading does not leak memory. */
static void find_c_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

double gg_strtod_c(const char *text, char **end) {
  pthread_once(&once, find_c_locale);
  return c_locale ? strtod_l(text, end, c_locale) : strtod(text, end);
}

int gg_vsnprintf_c(char *text, size_t size, const char *format, va_list arguments) {
  pthread_once(&once, find_c_locale);
  const locale_t before = c_locale ? uselocale(c_locale) : (locale_t)0;
  const int length = vsnprintf(text, size, format, arguments);
  if (before) uselocale(before);
  return length;
}

/* --- files ------------------------------------------------------------------------------------ */

/* Returns what is known about a file. */
static gg_file_about about_of(const struct stat *status) {
  const mode_t mode = status->st_mode;
  return (gg_file_about){.kind = S_ISREG(mode)    ? GG_FILE_REGULAR
                                 : S_ISDIR(mode)  ? GG_FILE_FOLDER
                                 : S_ISFIFO(mode) ? GG_FILE_PIPE
                                 : S_ISSOCK(mode) ? GG_FILE_SOCKET
                                                  : GG_FILE_DEVICE,
                         .device = (uint64_t)status->st_dev,
                         .number = (uint64_t)status->st_ino,
                         .size = (int64_t)status->st_size,
                         .own = status->st_uid == geteuid()};
}

bool gg_path_describe(const char *path, gg_file_about *about) {
  struct stat status;
  if (stat(path, &status)) return false;
  *about = about_of(&status);
  return true;
}

bool gg_handle_describe(int handle, gg_file_about *about) {
  struct stat status;
  if (fstat(handle, &status)) return false;
  *about = about_of(&status);
  return true;
}

#if defined(O_DIRECT)
#define DIRECT O_DIRECT
#else
#define DIRECT -1
#endif

int gg_handle_open(const char *path, gg_file_mode mode) {
  static const int modes[] = {[GG_FILE_READ] = O_RDONLY,
                              [GG_FILE_UPDATE] = O_RDWR,
                              [GG_FILE_UPDATE_NO_LINK] = O_RDWR | O_NOFOLLOW,
                              [GG_FILE_CREATE] = O_WRONLY | O_CREAT | O_EXCL,
                              [GG_FILE_WRITE_DIRECT] = DIRECT == -1 ? -1 : O_WRONLY | DIRECT};
  if (modes[mode] != -1) return open(path, modes[mode] | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
  errno = EINVAL;
  return -1;
}

int64_t gg_handle_read(int handle, void *to, int64_t bytes, int64_t offset) {
  return pread(handle, to, (size_t)bytes, (off_t)offset);
}

int64_t gg_handle_write(int handle, const void *from, int64_t bytes, int64_t offset) {
  return pwrite(handle, from, (size_t)bytes, (off_t)offset);
}

int gg_handle_lock(int handle, bool alone) {
  return flock(handle, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 ? 0 : errno;
}

#if defined(__linux__)

int gg_handle_reserve(int handle, int64_t offset, int64_t bytes, bool restore) {
  gg_size_signal held;
  gg_size_signal_block(&held);
  const int failed = fallocate(handle, 0, (off_t)offset, (off_t)bytes) == 0 ? 0 : errno;
  gg_size_signal_restore(&held);
  /* Other errors mean that the file system does not support the call. */
  if (failed != ENOSPC && failed != EDQUOT && failed != EFBIG) return 0;
  /* The failed call may have allocated the rest of the disk. */
  const int hole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  if (restore) (void)fallocate(handle, hole, (off_t)offset, (off_t)bytes);
  return failed;
}

void gg_handle_start_sync(int handle) {
  (void)sync_file_range(handle, 0, 0, SYNC_FILE_RANGE_WRITE);
}

#else

int gg_handle_reserve(int handle, int64_t offset, int64_t bytes, bool restore) {
  (void)handle, (void)offset, (void)bytes, (void)restore;
  return 0;
}

void gg_handle_start_sync(int handle) { (void)handle; }

#endif

int gg_handle_sync(int handle) {
#if defined(__APPLE__)
  const int code = fsync(handle);
#else
  const int code = fdatasync(handle);
#endif
  return code && errno != EINVAL ? errno : 0; /* EINVAL: no file of a disk, nothing to wait for */
}

void gg_handle_drop_cache(int handle) {
#if defined(POSIX_FADV_DONTNEED)
  (void)posix_fadvise(handle, 0, 0, POSIX_FADV_DONTNEED);
#else
  (void)handle;
#endif
}

int gg_path_replace(const char *from, const char *to) { return rename(from, to); }

int gg_folder_create(const char *path) { return mkdir(path, 0777); }

int gg_path_remove(const char *path) { return unlink(path); }

FILE *gg_path_read(const char *path) { return fopen(path, "rb"); }

bool gg_path_taken(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0;
}

const char *gg_path_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool gg_path_absolute(const char *path) { return path[0] == '/'; }

/* Fills a set of signals with SIGXFSZ, which a write past the largest size of a file raises. */
static void only_size(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGXFSZ);
}

_Static_assert(sizeof(sigset_t) <= sizeof(gg_size_signal), "gg_size_signal holds a mask");

void gg_size_signal_block(gg_size_signal *held) {
  sigset_t set, before;
  only_size(&set);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  memcpy(held->before, &before, sizeof before);
}

void gg_size_signal_restore(const gg_size_signal *held) {
  sigset_t set, pending, before;
  memcpy(&before, held->before, sizeof before);
  if (sigismember(&before, SIGXFSZ)) return; /* it was blocked before: nothing has changed */
  const int failed = errno;
  int taken;
  only_size(&set);
  if (sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) > 0) sigwait(&set, &taken);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = failed;
}

bool gg_size_allowed(double bytes) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         bytes <= (double)limit.rlim_cur;
}

/* --- shared libraries ------------------------------------------------------------------------- */

#if defined(__GLIBC__)

/* Finds a file in the first of the folders that has one. */
static bool find_in_folders(const Dl_serinfo *folders, const char *name, char *path, size_t size) {
  struct stat status;
  for (unsigned i = 0; i < folders->dls_cnt; ++i) {
    const char *folder = folders->dls_serpath[i].dls_name;
    const int length = snprintf(path, size, "%s/%s", folder, name);
    if (folder[0] && (size_t)length < size && stat(path, &status) == 0) return true;
  }
  return false;
}

/* Finds a library by name in the folders of the loader, with LD_LIBRARY_PATH as it was when the
   process began. Returns false if there is none. */
bool gg_library_find(const char *name, char *path, size_t size) {
  Dl_serinfo needed;
  void *program = dlopen(NULL, RTLD_LAZY);
  if (!program || dlinfo(program, RTLD_DI_SERINFOSIZE, &needed)) return false;
  Dl_serinfo *folders = malloc(needed.dls_size);
  const bool found = folders && !dlinfo(program, RTLD_DI_SERINFOSIZE, folders) &&
                     !dlinfo(program, RTLD_DI_SERINFO, folders) &&
                     find_in_folders(folders, name, path, size);
  free(folders);
  dlclose(program);
  return found;
}

#else

bool gg_library_find(const char *name, char *path, size_t size) {
  (void)name, (void)path, (void)size;
  return false;
}

#endif

void *gg_library_open(const char *file, const char **why) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  *why = library ? NULL : dlerror();
  if (!library && !*why) *why = "no reason is known";
  return library;
}

void *gg_library_symbol(void *library, const char *name) { return dlsym(library, name); }

void gg_library_close(void *library) { dlclose(library); }

bool gg_library_of(const void *address, char *path, size_t size) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname) return false;
  const int length = snprintf(path, size, "%s", info.dli_fname);
  return length >= 0 && (size_t)length < size;
}

#if defined(__linux__) && __SIZEOF_POINTER__ == 8
/* True if the file begins as a 64-bit shared object and has all bytes of its segments. */
bool gg_library_complete(FILE *file, int64_t bytes) {
  Elf64_Ehdr header;
  if (fread(&header, sizeof header, 1, file) != 1) return false;
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_DYN) return false;
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > (uint64_t)bytes ||
      fseek(file, (long)header.e_phoff, SEEK_SET))
    return false;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (fread(&segment, sizeof segment, 1, file) != 1) return false;
    if (segment.p_offset > (uint64_t)bytes || segment.p_filesz > (uint64_t)bytes - segment.p_offset)
      return false;
  }
  return header.e_phnum > 0;
}

/* An ELF file that is read without being loaded. */
typedef struct elf {
  FILE *file;
  uint64_t bytes;
  Elf64_Ehdr header;
} elf;

/* Reads bytes at an offset. Returns false if the file does not have all of them. */
static bool read_at(const elf *f, uint64_t offset, void *out, uint64_t size) {
  if (offset > f->bytes || size > f->bytes - offset) return false;
  return size == 0 ||
         (!fseek(f->file, (long)offset, SEEK_SET) && fread(out, size, 1, f->file) == 1);
}

/* Reads the header of a section by its number. */
static bool read_section(const elf *f, uint32_t number, Elf64_Shdr *section) {
  const uint64_t offset = f->header.e_shoff + (uint64_t)number * sizeof *section;
  return number < f->header.e_shnum && f->header.e_shentsize == sizeof *section &&
         offset >= f->header.e_shoff && read_at(f, offset, section, sizeof *section);
}

/* Returns all bytes of a section and a 0, in memory that the caller frees; NULL if they are not all
   there. */
static char *section_bytes(const elf *f, const Elf64_Shdr *section) {
  char *all = section->sh_size < f->bytes ? malloc(section->sh_size + 1) : NULL;
  if (all && read_at(f, section->sh_offset, all, section->sh_size)) {
    all[section->sh_size] = 0;
    return all;
  }
  free(all);
  return NULL;
}

/* Finds a defined symbol of at least `size` bytes in a table of symbols and writes its address. */
static bool find_symbol(const elf *f, const Elf64_Shdr *table, const char *name, size_t size,
                        uint64_t *address) {
  Elf64_Shdr names;
  if (!read_section(f, table->sh_link, &names)) return false;
  char *symbols = section_bytes(f, table), *texts = section_bytes(f, &names);
  bool found = false;
  for (uint64_t i = 0; symbols && texts && !found && i < table->sh_size / sizeof(Elf64_Sym); ++i) {
    Elf64_Sym symbol;
    memcpy(&symbol, symbols + i * sizeof symbol, sizeof symbol);
    found = symbol.st_name < names.sh_size && strcmp(texts + symbol.st_name, name) == 0 &&
            symbol.st_shndx != SHN_UNDEF && symbol.st_size >= size;
    *address = symbol.st_value;
  }
  free(symbols);
  free(texts);
  return found;
}

/* Reads what a segment places at an address. */
static bool read_address(const elf *f, uint64_t address, void *out, size_t size) {
  for (int i = 0; i < f->header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!read_at(f, f->header.e_phoff + (uint64_t)i * sizeof segment, &segment, sizeof segment))
      return false;
    const uint64_t within = address - segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && within <= segment.p_filesz &&
        size <= segment.p_filesz - within)
      return segment.p_offset <= f->bytes && within <= f->bytes - segment.p_offset &&
             read_at(f, segment.p_offset + within, out, size);
  }
  return false;
}

gg_library_read gg_library_constant(FILE *file, int64_t bytes, const char *name, void *constant,
                                    size_t size) {
  elf f = {.file = file, .bytes = (uint64_t)bytes};
  if (!read_at(&f, 0, &f.header, sizeof f.header)) return GG_LIBRARY_LACKS;
  Elf64_Shdr section;
  for (uint32_t i = 0; read_section(&f, i, &section); ++i) {
    uint64_t address;
    if (section.sh_type == SHT_DYNSYM && find_symbol(&f, &section, name, size, &address) &&
        read_address(&f, address, constant, size))
      return GG_LIBRARY_READ;
  }
  return GG_LIBRARY_LACKS;
}
#else
gg_library_read gg_library_constant(FILE *file, int64_t bytes, const char *name, void *constant,
                                    size_t size) {
  (void)file, (void)bytes, (void)name, (void)constant, (void)size;
  return GG_LIBRARY_UNREADABLE;
}

bool gg_library_complete(FILE *file, int64_t bytes) {
  (void)file;
  return bytes > 0;
}
#endif

bool gg_user_cache(char *path, size_t size) {
  const char *home = getenv("HOME");
  return home && *home && snprintf(path, size, "%s/.cache", home) < (int)size;
}

#endif
