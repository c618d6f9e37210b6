#include "common/text_file.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(GPUGEO_WITH_ZLIB)
#include <zlib.h>
#endif

#include "common/error.h"
#include "common/file.h"
#include "common/memory.h"

/* --- bytes ------------------------------------------------------------------------------------ */

enum { INPUT_BYTES = 1 << 16 };

struct gg_byte_source {
  int handle;
  int64_t size, taken; /* bytes of the file, and of them read */
  unsigned char *next; /* what is left of the input */
  size_t left;
  bool zipped;
  bool in_member; /* of a compressed file: a member has begun and not ended */
  int members;    /* that have ended, at most 1 is counted */
#if defined(GPUGEO_WITH_ZLIB)
  z_stream stream;
#endif
  unsigned char input[INPUT_BYTES];
};
typedef struct gg_byte_source source;

/* Fills in the error of a file that cannot be read. */
static gpugeo_status fail_to_read(const gg_text_file *text, const char *why, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, text->argument, "file \"%.300s\" cannot be read: %s",
                 text->path, why);
}

/* Reads more input if the buffer is empty, which it stays at the end of the file. */
static gpugeo_status fill_input(const gg_text_file *text, gpugeo_error *error) {
  source *s = text->source;
  if (s->left) return GPUGEO_OK;
  ssize_t count;
  do {
    count = read(s->handle, s->input, INPUT_BYTES);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return fail_to_read(text, strerror(errno), error);
  s->next = s->input;
  s->left = (size_t)count;
  s->taken += count;
  return GPUGEO_OK;
}

/* Copies the rest of the input. Returns the number of bytes. */
static size_t copy_input(source *s, char *to, size_t room) {
  const size_t count = s->left < room ? s->left : room;
  memcpy(to, s->next, count);
  s->next += count;
  s->left -= count;
  return count;
}

#if defined(GPUGEO_WITH_ZLIB)
/* Prepares to read a file that is compressed by gzip. */
static gpugeo_status start_inflating(const gg_text_file *text, gpugeo_error *error) {
  source *s = text->source;
  const int gzip_only = 15 + 16;
  if (inflateInit2(&s->stream, gzip_only) != Z_OK) return gg_fail_memory(error, INPUT_BYTES);
  s->zipped = s->in_member = true;
  return GPUGEO_OK;
}

/* Frees what start_inflating() allocated. */
static void stop_inflating(source *s) {
  if (s->zipped) inflateEnd(&s->stream);
}

/* Fills in the error of a compressed file that is followed by other bytes. */
static gpugeo_status fail_junk(const gg_text_file *text, gpugeo_error *error) {
  return fail_to_read(text, "other bytes follow its compressed data", error);
}

/* Fills in the error of data that zlib cannot decompress. */
static gpugeo_status fail_to_inflate(const gg_text_file *text, int code, gpugeo_error *error) {
  const source *s = text->source;
  if (code == Z_MEM_ERROR) return gg_fail_memory(error, INPUT_BYTES);
  if (s->members > 0 && s->stream.total_out == 0) return fail_junk(text, error);
  return fail_to_read(text, s->stream.msg ? s->stream.msg : "its compressed data are damaged",
                      error);
}

/* Inflates the rest of the input, which is not empty, into the room. Sets the number of bytes
   written. Members may follow each other. */
static gpugeo_status inflate_input(const gg_text_file *text, char *to, size_t room, size_t *count,
                                   gpugeo_error *error) {
  source *s = text->source;
  if (!s->in_member) {
    if (s->next[0] != 0x1f) return fail_junk(text, error);
    inflateReset(&s->stream);
    s->in_member = true;
  }
  s->stream.next_in = s->next;
  s->stream.avail_in = (uInt)s->left;
  s->stream.next_out = (Bytef *)to;
  s->stream.avail_out = (uInt)room;
  const int code = inflate(&s->stream, Z_NO_FLUSH);
  s->next = s->stream.next_in;
  s->left = s->stream.avail_in;
  *count = room - s->stream.avail_out;
  if (code == Z_STREAM_END) {
    s->in_member = false;
    s->members = 1;
    return GPUGEO_OK;
  }
  return code == Z_OK || code == Z_BUF_ERROR ? GPUGEO_OK : fail_to_inflate(text, code, error);
}
#else
/* Fails, because this build has no zlib. */
static gpugeo_status start_inflating(const gg_text_file *text, gpugeo_error *error) {
  return fail_to_read(text, "it is compressed, and gpugeo was built without zlib", error);
}

/* Does nothing in a build without zlib. */
static void stop_inflating(source *s) { (void)s; }

/* Fails, because this build has no zlib. */
static gpugeo_status inflate_input(const gg_text_file *text, char *to, size_t room, size_t *count,
                                   gpugeo_error *error) {
  (void)to, (void)room, (void)count;
  return start_inflating(text, error);
}
#endif

/* Fills the room, unless the file ends before. */
static gpugeo_status read_bytes(const gg_text_file *text, char *to, size_t room, size_t *filled,
                                gpugeo_error *error) {
  source *s = text->source;
  for (*filled = 0; *filled < room;) {
    gpugeo_status status = fill_input(text, error);
    if (status) return status;
    if (s->left == 0)
      return s->in_member ? fail_to_read(text, "unexpected end of file", error) : GPUGEO_OK;
    size_t count = 0;
    if (s->zipped)
      status = inflate_input(text, to + *filled, room - *filled, &count, error);
    else
      count = copy_input(s, to + *filled, room - *filled);
    if (status) return status;
    *filled += count;
  }
  return GPUGEO_OK;
}

/* --- lines ------------------------------------------------------------------------------------ */

gpugeo_status gg_text_file_open(const char *argument, const char *path, gg_clock *clock,
                                gg_text_file *text, gpugeo_error *error) {
  *text = (gg_text_file){.argument = argument, .path = path, .clock = clock};
  int handle;
  int64_t size;
  gpugeo_status status = gg_file_open(argument, path, &handle, &size, error);
  if (status) return status;
  text->source = gg_allocate(1, sizeof *text->source);
  text->buffer = gg_allocate(GG_LINE_BYTES + 1, 1);
  if (!text->source || !text->buffer) {
    close(handle);
    gg_free(text->source);
    text->source = NULL;
    return gg_fail_memory(error, GG_LINE_BYTES + (int64_t)sizeof *text->source);
  }
  source *s = text->source;
  memset(s, 0, offsetof(source, input));
  s->handle = handle;
  s->size = size;
  status = fill_input(text, error);
  if (!status && s->left > 1 && s->next[0] == 0x1f && s->next[1] == 0x8b)
    status = start_inflating(text, error);
  return status;
}

void gg_text_file_close(gg_text_file *text) {
  if (text->source) {
    stop_inflating(text->source);
    close(text->source->handle);
  }
  gg_free(text->source);
  gg_free(text->buffer);
  text->source = NULL;
  text->buffer = NULL;
}

/* Returns the part of a file that was read, 1 if its size is not known. */
static double fraction_of(const source *s) {
  return s->size > 0 && s->taken < s->size ? (double)s->taken / (double)s->size : 1;
}

/* Fills the buffer after the bytes that have not been read. */
static gpugeo_status refill(gg_text_file *text, gpugeo_error *error) {
  if (gg_clock_poll(text->clock, fraction_of(text->source))) return gg_fail_interrupt(error);
  memmove(text->buffer, text->buffer + text->begin, (size_t)(text->end - text->begin));
  text->end -= text->begin;
  text->begin = 0;
  const size_t room = (size_t)(GG_LINE_BYTES - text->end);
  size_t filled;
  gpugeo_status status = read_bytes(text, text->buffer + text->end, room, &filled, error);
  text->ended = filled < room;
  text->end += (int)filled;
  static const char mark[] = "\xef\xbb\xbf";
  if (!status && text->line == 0 && text->end >= 3 && memcmp(text->buffer, mark, 3) == 0)
    text->begin = 3;
  return status;
}

gpugeo_status gg_text_file_line(gg_text_file *text, char **line, gpugeo_error *error) {
  *line = NULL;
  char *end = memchr(text->buffer + text->begin, '\n', (size_t)(text->end - text->begin));
  if (!end && !text->ended) {
    gpugeo_status status = refill(text, error);
    if (status) return status;
    end = memchr(text->buffer + text->begin, '\n', (size_t)(text->end - text->begin));
  }
  if (!end && text->begin == text->end) return GPUGEO_OK;
  ++text->line;
  if (!end && !text->ended)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, text->argument,
                   "file \"%.300s\", line %lld is longer than %d bytes", text->path, text->line,
                   GG_LINE_BYTES);
  if (!end) end = text->buffer + text->end; /* the buffer has one byte more */
  char *begin = text->buffer + text->begin;
  text->begin = (int)(end - text->buffer) + (end < text->buffer + text->end);
  if (memchr(begin, 0, (size_t)(end - begin)))
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, text->argument,
                   "file \"%.300s\", line %lld must be text, but holds a NUL byte", text->path,
                   text->line);
  *end = 0;
  *line = begin;
  return GPUGEO_OK;
}

/* --- messages --------------------------------------------------------------------------------- */

int64_t gg_text_file_most(const gpugeo_run *run, int64_t bytes) {
  const double most = run->work_bytes ? (double)run->work_bytes : gg_machine_memory();
  return most / (double)bytes < 0x1p53 ? (int64_t)(most / (double)bytes) : (int64_t)1 << 53;
}

gpugeo_status gg_text_file_fail_memory(const gg_text_file *text, const char *what, int64_t count,
                                       int64_t bytes, gpugeo_error *error) {
  const int64_t limit = text->clock->run->work_bytes;
  if (limit)
    return gg_fail(error, GPUGEO_ERROR_MEMORY, "memory_limit",
                   "memory_limit must be more than %lld bytes for file \"%.300s\", which has more "
                   "than %lld %s of %lld bytes each",
                   (long long)limit, text->path, (long long)count, what, (long long)bytes);
  return gg_fail(error, GPUGEO_ERROR_MEMORY, text->argument,
                 "file \"%.300s\" has more than %lld %s, which need %.1f MiB of memory: more than "
                 "this machine has",
                 text->path, (long long)count, what, (double)count * (double)bytes / 1048576.0);
}

/* Returns the length of the UTF-8 character at `at`, or 0 if it is not valid or cannot be
   printed. Overlong forms and surrogates are not valid. */
static int character_bytes(const unsigned char *at) {
  if (at[0] >= 0x20 && at[0] < 0x7f) return 1;
  const int length = at[0] >= 0xf0 && at[0] < 0xf5 ? 4 : at[0] >= 0xe0 ? 3 : at[0] >= 0xc2 ? 2 : 0;
  if (at[0] >= 0xf5 || length == 0) return 0;
  for (int i = 1; i < length; ++i)
    if ((at[i] & 0xc0) != 0x80) return 0;
  const int least = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80;
  const int most = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;
  const bool control = at[0] == 0xc2 && at[1] < 0xa0;
  return at[1] >= least && at[1] <= most && !control ? length : 0;
}

gg_field_text gg_show_field(const char *field, const char *separators) {
  gg_field_text shown = {""};
  const char *end = field + strcspn(field, separators);
  for (size_t used = 0; field < end;) {
    const int length = character_bytes((const unsigned char *)field);
    const size_t wanted = length ? (size_t)length : 1;
    if (used + wanted > 60) break;
    memcpy(shown.text + used, length ? field : "?", wanted);
    used += wanted;
    field += wanted;
  }
  return shown;
}
