/* Text from a file, plain or compressed by gzip, line by line through one buffer. */
#ifndef GG_TEXT_FILE_H
#define GG_TEXT_FILE_H

#include <stdbool.h>

#include "common/call.h"
#include "gpugeo.h"

enum {
  GG_LINE_BYTES = 1 << 20, /* no line is longer */
  GG_TEXT_AHEAD = 8        /* bytes after lines of gg_text_file_lines(), which may be read */
};

typedef struct gg_text_file {
  const char *argument; /* that errors name */
  const char *path;
  gg_clock *clock;
  struct gg_byte_source *source;
  char *buffer;
  int begin, end; /* the part of the buffer that is not yet read */
  bool ended;     /* nothing comes after it */
  long long line; /* number of the one read last, from 1 */
  bool within;    /* a part of it was read by gg_text_file_piece(), not its end */
} gg_text_file;

/* Opens a regular file. A UTF-8 byte order mark at its beginning is left out. To be closed also
   after a failure. */
gpugeo_status gg_text_file_open(const char *argument, const char *path, gg_text_file *text,
                                gg_call *call);
void gg_text_file_close(gg_text_file *text);

/* Reads the next line, with a 0 instead of what ended it; NULL after the last. Fails with
   GPUGEO_ERROR_INTERRUPT if the clock's hook asks to stop. */
gpugeo_status gg_text_file_line(gg_text_file *text, char **line, gpugeo_error *error);

/* Finds the lines that are whole in the buffer, each of which ends with '\n', and fills the buffer
   if there are none. They may hold NUL bytes. begin == end at the end of the file, and if the next
   line is too long or does not end with '\n'. Lines stay to be read until gg_text_file_skip(). */
gpugeo_status gg_text_file_lines(gg_text_file *text, const char **begin, const char **end,
                                 gpugeo_error *error);

/* Goes on in the buffer with the line at `to`, after so many lines. */
void gg_text_file_skip(gg_text_file *text, const char *to, int64_t lines);

/* True if the next line in the buffer begins before `at`. */
bool gg_text_file_before(const gg_text_file *text, const char *at);

/* Finds the next character that is not blank among those of the buffer, 0 if there is none. What is
   read next does not change. */
gpugeo_status gg_text_file_peek(gg_text_file *text, char *next, gpugeo_error *error);

/* Reads the next piece of a line of any length, without what ends the line; NULL after the last.
 *ends is true if the line ends with it. A file is read by lines or by pieces, not by both. */
gpugeo_status gg_text_file_piece(gg_text_file *text, const char **piece, int *length, bool *ends,
                                 gpugeo_error *error);

/* Fails because the file has more than `count` of something ("edges"), each of which takes so many
   bytes, and that is all the memory that the call may use. */
gpugeo_status gg_text_file_fail_memory(const gg_text_file *text, const char *what, int64_t count,
                                       int64_t bytes, gpugeo_error *error);

/* Returns the number of items of so many bytes each that a call may keep in memory:
   run.work_bytes, or all memory of the machine where that is 0. */
int64_t gg_text_file_most(const gpugeo_run *run, int64_t bytes);

/* Formats the beginning of a field for a message: up to a separator, at most 60 bytes of whole
   UTF-8 characters, "?" for other bytes. */
typedef struct gg_field_text {
  char text[64];
} gg_field_text;
gg_field_text gg_show_field(const char *field, const char *separators);

#endif
