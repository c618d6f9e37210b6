#include "common/text_file.h"

#include <errno.h>
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

struct gg_byte_source {
  int handle;
  int64_t size; /* of the file */
#if defined(GPUGEO_WITH_ZLIB)
  gzFile bytes; /* owns the handle */
#endif
};
typedef struct gg_byte_source source;

/* Fills in the error of a file that cannot be read. */
static gpugeo_status fail_to_read(const gg_text_file *text, const char *why, gpugeo_error *error) {
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, text->argument, "file \"%.300s\" cannot be read: %s",
                 text->path, why);
}

#if defined(GPUGEO_WITH_ZLIB)
enum { INPUT_BYTES = 1 << 16 };

/* Prepares to read a file, compressed by gzip or not. */
static gpugeo_status start_reading(const gg_text_file *text, gpugeo_error *error) {
  source *s = text->source;
  s->bytes = gzdopen(s->handle, "rb");
  if (!s->bytes || gzbuffer(s->bytes, INPUT_BYTES)) return gg_fail_memory(error, INPUT_BYTES);
  return GPUGEO_OK;
}

/* Closes the file. */
static void stop_reading(source *s) {
  if (s->bytes)
    gzclose(s->bytes);
  else
    close(s->handle);
}

/* Returns the number of bytes of the file that were read. */
static int64_t bytes_taken(source *s) { return gzoffset(s->bytes); }

/* Fills in the error of the last read. zlib names the file by its handle, before a colon. */
static gpugeo_status fail_to_inflate(const gg_text_file *text, gpugeo_error *error) {
  int code = Z_OK;
  const char *why = gzerror(text->source->bytes, &code), *reason = strstr(why, ": ");
  if (code == Z_MEM_ERROR) return gg_fail_memory(error, INPUT_BYTES);
  if (code == Z_ERRNO) return fail_to_read(text, strerror(errno), error);
  return fail_to_read(text, reason ? reason + 2 : why, error);
}

/* Fills the room, unless the file ends before. */
static gpugeo_status read_bytes(const gg_text_file *text, char *to, size_t room, size_t *filled,
                                gpugeo_error *error) {
  const int count = gzread(text->source->bytes, to, (unsigned)room);
  int code = Z_OK;
  *filled = count < 0 ? 0 : (size_t)count;
  if (count >= 0 && *filled < room) gzerror(text->source->bytes, &code); /* ended too early */
  return count < 0 || code < 0 ? fail_to_inflate(text, error) : GPUGEO_OK;
}
#else
/* Prepares to read a file that is not compressed. */
static gpugeo_status start_reading(const gg_text_file *text, gpugeo_error *error) {
  unsigned char head[2];
  const ssize_t count = read(text->source->handle, head, sizeof head);
  if (count < 0) return fail_to_read(text, strerror(errno), error);
  if (count == 2 && head[0] == 0x1f && head[1] == 0x8b)
    return fail_to_read(text, "it is compressed, and gpugeo was built without zlib", error);
  if (lseek(text->source->handle, 0, SEEK_SET) < 0)
    return fail_to_read(text, strerror(errno), error);
  return GPUGEO_OK;
}

/* Closes the file. */
static void stop_reading(source *s) { close(s->handle); }

/* Returns the number of bytes of the file that were read. */
static int64_t bytes_taken(source *s) { return lseek(s->handle, 0, SEEK_CUR); }

/* Fills the room, unless the file ends before. */
static gpugeo_status read_bytes(const gg_text_file *text, char *to, size_t room, size_t *filled,
                                gpugeo_error *error) {
  for (*filled = 0; *filled < room;) {
    const ssize_t count = read(text->source->handle, to + *filled, room - *filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_to_read(text, strerror(errno), error);
    if (count == 0) break;
    *filled += (size_t)count;
  }
  return GPUGEO_OK;
}
#endif

/* --- lines ------------------------------------------------------------------------------------ */

gpugeo_status gg_text_file_open(const char *argument, const char *path, gg_text_file *text,
                                gg_call *call) {
  if (call->status) return call->status;
  *text = (gg_text_file){.argument = argument, .path = path, .clock = call->clock};
  int handle;
  int64_t size;
  GG_TRY(call, gg_file_open(argument, path, &handle, &size, call->error));
  if (call->status) return call->status;
  text->source = gg_allocate(1, sizeof *text->source);
  text->buffer = gg_allocate(GG_LINE_BYTES + GG_TEXT_AHEAD, 1);
  if (!text->source || !text->buffer) {
    close(handle);
    gg_free(text->source);
    text->source = NULL;
    return GG_TRY(call, gg_fail_memory(call->error, GG_LINE_BYTES + (int64_t)sizeof *text->source));
  }
  *text->source = (source){.handle = handle, .size = size};
  return GG_TRY(call, start_reading(text, call->error));
}

void gg_text_file_close(gg_text_file *text) {
  if (text->source) stop_reading(text->source);
  gg_free(text->source);
  gg_free(text->buffer);
  text->source = NULL;
  text->buffer = NULL;
}

/* Returns the part of a file that was read, 1 if its size is not known. */
static double fraction_of(source *s) {
  const int64_t taken = bytes_taken(s);
  return s->size > 0 && taken < s->size ? (double)taken / (double)s->size : 1;
}

/* Fills the buffer after the bytes that have not been read. */
static gpugeo_status refill_buffer(gg_text_file *text, gpugeo_error *error) {
  if (gg_clock_poll(text->clock, fraction_of(text->source))) return gg_fail_interrupt(error);
  memmove(text->buffer, text->buffer + text->begin, (size_t)(text->end - text->begin));
  text->end -= text->begin;
  text->begin = 0;
  const size_t room = (size_t)(GG_LINE_BYTES - text->end);
  size_t filled;
  gpugeo_status status = read_bytes(text, text->buffer + text->end, room, &filled, error);
  text->ended = filled < room;
  text->end += (int)filled;
  memset(text->buffer + text->end, 0, GG_TEXT_AHEAD);
  static const char mark[] = "\xef\xbb\xbf";
  if (!status && text->line == 0 && text->end >= 3 && memcmp(text->buffer, mark, 3) == 0)
    text->begin = 3;
  return status;
}

gpugeo_status gg_text_file_line(gg_text_file *text, char **line, gpugeo_error *error) {
  *line = NULL;
  char *end = memchr(text->buffer + text->begin, '\n', (size_t)(text->end - text->begin));
  if (!end && !text->ended) {
    gpugeo_status status = refill_buffer(text, error);
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

gpugeo_status gg_text_file_lines(gg_text_file *text, const char **begin, const char **end,
                                 gpugeo_error *error) {
  gpugeo_status status = GPUGEO_OK;
  const char *first = text->buffer + text->begin;
  if (!text->ended && !memchr(first, '\n', (size_t)(text->end - text->begin)))
    status = refill_buffer(text, error);
  int last = text->end;
  while (last > text->begin && text->buffer[last - 1] != '\n')
    --last;
  *begin = text->buffer + text->begin;
  *end = text->buffer + last;
  return status;
}

void gg_text_file_skip(gg_text_file *text, const char *to, int64_t lines) {
  text->begin = (int)(to - text->buffer);
  text->line += lines;
}

bool gg_text_file_before(const gg_text_file *text, const char *at) {
  return text->buffer + text->begin < at;
}

gpugeo_status gg_text_file_peek(gg_text_file *text, char *next, gpugeo_error *error) {
  gpugeo_status status =
      text->begin == text->end && !text->ended ? refill_buffer(text, error) : GPUGEO_OK;
  int at = text->begin;
  while (at < text->end && strchr(" \t\r\n", text->buffer[at]))
    ++at;
  *next = at < text->end ? text->buffer[at] : 0;
  return status;
}

gpugeo_status gg_text_file_piece(gg_text_file *text, const char **piece, int *length, bool *ends,
                                 gpugeo_error *error) {
  *piece = NULL;
  gpugeo_status status =
      text->begin == text->end && !text->ended ? refill_buffer(text, error) : GPUGEO_OK;
  if (status || (text->begin == text->end && !text->within)) return status;
  const char *begin = text->buffer + text->begin;
  const char *end = memchr(begin, '\n', (size_t)(text->end - text->begin));
  *piece = begin;
  *ends = end || text->begin == text->end;
  *length = end ? (int)(end - begin) : text->end - text->begin;
  text->begin += *length + (end != NULL);
  text->line += !text->within;
  text->within = !*ends;
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
