/* What platform.h promises on every system: files, memory, threads, shared libraries. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "common/atomic.h"
#include "common/pages.h"
#include "common/platform.h"
#include "temporary.h"

/* --- files ------------------------------------------------------------------------------------ */

static bool holds(const char *path, const char *text) {
  char found[64] = "";
  FILE *file = gg_path_read(path);
  if (!file) return false;
  const size_t size = fread(found, 1, sizeof found, file);
  fclose(file);
  return size == strlen(text) && memcmp(found, text, size) == 0;
}

/* Reads and writes at offsets, of which some do not fit into 32 bits; bytes are not translated. */
static void test_offsets(void) {
  static const char text[] = "a\r\nb\nc\x1a d";
  char *path = temporary_file("", 0), found[sizeof text] = "";
  const int handle = gg_handle_open(path, GG_FILE_UPDATE);
  const int64_t far = (int64_t)5 << 30, length = sizeof text;
  gg_file_about about;
  CHECK(handle >= 0, "%s: %s", path, strerror(errno));
  CHECK(gg_handle_write(handle, text, length, 3) == length, "%s", strerror(errno));
  CHECK(gg_handle_describe(handle, &about) && about.size == 3 + length, "%lld bytes",
        (long long)about.size);
  CHECK(gg_handle_read(handle, found, length, 3) == length && memcmp(found, text, sizeof text) == 0,
        "read something else");
  CHECK(gg_handle_read(handle, found, length, 3 + length) == 0, "bytes after the end");
  CHECK(gg_handle_write(handle, text, length, far) == length, "%s", strerror(errno));
  CHECK(gg_path_describe(path, &about) && about.size == far + length, "%lld bytes",
        (long long)about.size);
  memset(found, 0, sizeof found);
  CHECK(gg_handle_read(handle, found, length, far) == length && memcmp(found, text, 9) == 0,
        "read something else beyond 4 GiB");
  CHECK(gg_handle_sync(handle) == 0, "not on the disk");
  close(handle);
  temporary_remove(path);
}

static void test_kinds(void) {
  char *path = temporary_file("text", 4), *other = temporary_file("text", 4);
  char *folder = temporary_folder();
  gg_file_about one, two, third;
  const int handle = gg_handle_open(path, GG_FILE_READ);
  CHECK(gg_handle_describe(handle, &one) && one.kind == GG_FILE_REGULAR && one.size == 4 && one.own,
        "kind %d, %lld bytes", one.kind, (long long)one.size);
  CHECK(gg_path_describe(path, &two) && two.device == one.device && two.number == one.number,
        "a file differs from itself");
  CHECK(gg_path_describe(other, &third) &&
            (third.device != one.device || third.number != one.number),
        "two files are one");
  CHECK(gg_handle_write(handle, "x", 1, 0) < 0 && holds(path, "text"), "written to be read only");
  CHECK(gg_path_describe(folder, &third) && third.kind == GG_FILE_FOLDER, "kind %d", third.kind);
  close(handle);
  temporary_remove(folder);
  errno = 0;
  CHECK(!gg_path_describe(folder, &third) && errno == ENOENT, "%s", strerror(errno));
  CHECK(gg_handle_open(folder, GG_FILE_READ) < 0 && errno == ENOENT, "%s", strerror(errno));
  temporary_remove(path);
  temporary_remove(other);
}

static void test_locks(void) {
  char *path = temporary_file("text", 4), text[4];
  const int first = gg_handle_open(path, GG_FILE_UPDATE);
  const int second = gg_handle_open(path, GG_FILE_UPDATE_NO_LINK);
  CHECK(first >= 0 && second >= 0, "%s", strerror(errno));
  CHECK(gg_handle_lock(first, true) == 0, "no lock");
  CHECK(gg_handle_lock(second, true) == EWOULDBLOCK, "two locks alone");
  CHECK(gg_handle_lock(second, false) == EWOULDBLOCK, "a lock with another alone");
  CHECK(gg_handle_read(second, text, 4, 0) == 4, "a lock keeps others from reading");
  close(first);
  CHECK(gg_handle_lock(second, false) == 0, "a lock outlives its file");
  const int third = gg_handle_open(path, GG_FILE_READ);
  CHECK(gg_handle_lock(third, false) == 0, "two locks with others");
  close(second);
  close(third);
  temporary_remove(path);
}

/* Names that are not ASCII, and files that are replaced and removed while they are open. */
static void test_names(void) {
  char *from = temporary_file("new", 3), *folder = temporary_folder();
  char *to = temporary_path(folder, "d\xc3\xbcnn-\xe8\xb7\x9d");
  char text[3] = "";
  CHECK(!gg_path_taken(to), "%s is there", to);
  CHECK(gg_path_replace(from, to) == 0 && !gg_path_taken(from) && holds(to, "new"), "%s: %s", to,
        strerror(errno));
  temporary_write(from, "newer");
  CHECK(gg_path_replace(from, to) == 0 && holds(to, "newer"), "%s", strerror(errno));
  const int handle = gg_handle_open(to, GG_FILE_READ);
  CHECK(gg_path_remove(to) == 0, "%s", strerror(errno));
  CHECK(gg_handle_read(handle, text, 3, 0) == 3 && memcmp(text, "new", 3) == 0,
        "a file that is open is lost");
  close(handle);
  CHECK(!gg_path_taken(to) && gg_path_remove(to) != 0 && errno == ENOENT, "%s", strerror(errno));
  free(to);
  free(from);
  temporary_remove(folder);
}

static void test_paths(void) {
  CHECK(strcmp(gg_path_name("/a/b.c"), "b.c") == 0, "%s", gg_path_name("/a/b.c"));
  CHECK(strcmp(gg_path_name("b.c"), "b.c") == 0, "%s", gg_path_name("b.c"));
  CHECK(strcmp(gg_path_name("a/"), "") == 0, "%s", gg_path_name("a/"));
  CHECK(gg_path_absolute("/a") && !gg_path_absolute("a/b") && !gg_path_absolute(""), "absolute");
}

/* --- memory ----------------------------------------------------------------------------------- */

static void test_memory(void) {
  for (size_t alignment = 64; alignment <= 4096; alignment *= 8) {
    char *memory = gg_aligned_allocate(alignment, 3 * alignment);
    CHECK(memory && (uintptr_t)memory % alignment == 0, "not at a multiple of %d", (int)alignment);
    memset(memory, 7, 3 * alignment);
    memory = gg_aligned_reallocate(memory, alignment, 100 * alignment);
    CHECK(memory && memory[0] == 7 && memory[3 * alignment - 1] == 7, "lost when it grew");
    gg_aligned_free(memory);
  }
  gg_aligned_free(NULL);
  const size_t bytes = (size_t)4 << 20;
  char *pages = gg_pages_take(bytes);
  bool zero = pages;
  for (size_t i = 0; zero && i < bytes; ++i)
    zero = pages[i] == 0;
  CHECK(zero, "pages that are not fresh");
  memset(pages, 1, bytes);
  gg_pages_give(pages, bytes);
  CHECK(!gg_pages_take((size_t)1 << 60), "2^60 bytes");
  CHECK(gg_installed_memory() > 1e8 && gg_installed_memory() < 1e18, "%g bytes",
        gg_installed_memory());
}

/* --- threads ---------------------------------------------------------------------------------- */

static uint32_t word;

static void *sleep_until_changed(void *unused) {
  while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0)
    gg_sleep_while(&word, 0);
  return unused;
}

static void test_threads(void) {
  enum { THREADS = 4 };
  pthread_t ids[THREADS];
  gg_sleep_while(&word, 1); /* which it is not: returns */
  for (int t = 0; t < THREADS; ++t)
    CHECK(gg_thread_start(&ids[t], t % 2 ? (size_t)2 << 20 : 0, sleep_until_changed, NULL) == 0,
          "no thread");
  __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  gg_wake(&word, THREADS);
  for (int t = 0; t < THREADS; ++t)
    pthread_join(ids[t], NULL);
  CHECK(gg_system_processors() >= 1, "%d processors", (int)gg_system_processors());
}

/* Bytes are moved, of any number and alignment, and those around them stay as they are. */
static void test_pages(void) {
  enum { AROUND = 5000, MOST = 2 * GG_PAGES_STEP + 12345 };
  static const int64_t sizes[] = {0, 1, 4096, GG_PAGES_STEP, GG_PAGES_STEP + 1, MOST};
  uint8_t *from = malloc(MOST + 2 * AROUND), *to = malloc(MOST + 2 * AROUND);
  for (size_t k = 0; k < 2 * sizeof sizes / sizeof *sizes; ++k) {
    const int64_t size = sizes[k / 2], first = k % 2 ? AROUND : 13;
    memset(to, 1, MOST + 2 * AROUND);
    for (int64_t i = 0; i < MOST + 2 * AROUND; ++i)
      from[i] = (uint8_t)(i % 251 + 2);
    gg_pages_move(to + first, from + first, size);
    int64_t wrong = 0;
    for (int64_t i = 0; i < MOST + 2 * AROUND; ++i) {
      const bool moved = i >= first && i < first + size;
      const uint8_t wanted = (uint8_t)(i % 251 + 2);
      wrong += to[i] != (moved ? wanted : 1) || (!moved && from[i] != wanted);
    }
    CHECK(wrong == 0, "%lld bytes from %lld: %lld wrong", (long long)size, (long long)first,
          (long long)wrong);
  }
  free(from);
  free(to);
}

/* --- shared libraries ------------------------------------------------------------------------- */

static void test_libraries(void) {
  char own[4096];
  gg_file_about about;
  CHECK(!gg_library_of(&word, own, 1), "a path in one byte");
  CHECK(gg_library_of(&word, own, sizeof own) && gg_path_describe(own, &about),
        "the program's path");
  const char *why = NULL;
  CHECK(!gg_library_open("no-such-library.so", &why) && why && why[0], "opened");
}

int main(void) {
  test_offsets();
  test_kinds();
  test_locks();
  test_names();
  test_paths();
  test_memory();
  test_pages();
  test_threads();
  test_libraries();
  return check_end();
}
