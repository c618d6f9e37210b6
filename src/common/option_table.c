#include "common/option_table.h"

#include <string.h>

#include "common/error.h"

const char *gg_option_name(const gg_option *option, gg_language language) {
  return language == GG_OCTAVE && option->octave ? option->octave : option->name;
}

bool gg_option_is_array(const gg_option *option) { return option->kind >= GG_OPTION_DOUBLES; }

/* Returns how many names a CHOICE without a public enum has. */
static int count_names(const gg_option *option) {
  int count = 0;
  while (option->names[count])
    ++count;
  return count;
}

const char *gg_option_choice(const gg_option *option, int32_t value) {
  if (!option->names) return gpugeo_name(option->choices, value);
  return value >= 0 && value < count_names(option) ? option->names[value] : "";
}

void *gg_option_field(const gg_option *option, void *options) {
  return (char *)options + option->offset;
}

/* Writes a whole number into a field of 32 or 64 bits. */
static void write_whole(const gg_option *option, int64_t number, void *field) {
  const int32_t small = (int32_t)number;
  if (option->width == sizeof small)
    memcpy(field, &small, sizeof small);
  else
    memcpy(field, &number, sizeof number);
}

/* Reads true, false, or "auto", which leaves the flag. */
static gpugeo_status read_flag_or_auto(const char *name, const gg_given *given, int32_t *flag,
                                       gpugeo_error *error) {
  const char *text = gg_text_given(given);
  if (text && strcmp(text, "auto") == 0) return GPUGEO_OK;
  if (!gg_flag_given(name, given, flag, NULL)) return GPUGEO_OK;
  return gg_fail_given(error, name, GG_FLAG_OR_AUTO, given);
}

/* Reads a whole number within the limits of the option. */
static gpugeo_status read_whole(const gg_option *option, const char *name, const gg_given *given,
                                void *field, gpugeo_error *error) {
  int64_t number = 0;
  const bool limited = option->least != option->most, small = option->width == sizeof(int32_t);
  if (small && !limited) return gg_any_small_number(name, given, field, error);
  const gpugeo_status status =
      limited ? gg_whole_number(name, given, option->least, option->most, &number, error)
              : gg_any_whole_number(name, given, &number, error);
  if (!status) write_whole(option, number, field);
  return status;
}

/* Reads the name of a value of a CHOICE. */
static gpugeo_status read_choice(const gg_option *option, const char *name, const gg_given *given,
                                 void *field, gpugeo_error *error) {
  const char *text = gg_text_given(given);
  if (!text) return gg_fail_string(error, name, given);
  int32_t value = 0;
  const gpugeo_status status =
      option->names ? gg_choose(name, given, option->names, count_names(option), &value, error)
                    : gpugeo_find(option->choices, text, &value, error);
  if (!status) write_whole(option, value, field);
  return status;
}

gpugeo_status gg_option_take(const gg_option *option, const gg_given *given, void *options,
                             gpugeo_error *error) {
  const char *name = gg_option_name(option, given->language);
  void *field = gg_option_field(option, options);
  switch (option->kind) {
  case GG_OPTION_FLAG:
    return gg_flag_given(name, given, field, error);
  case GG_OPTION_FLAG_OR_AUTO:
    return read_flag_or_auto(name, given, field, error);
  case GG_OPTION_WHOLE:
    return read_whole(option, name, given, field, error);
  case GG_OPTION_NUMBER:
    return gg_any_number(name, option->allowed, given, field, error);
  case GG_OPTION_CHOICE:
    return read_choice(option, name, given, field, error);
  default:
    return gg_device_number(given, field, error);
  }
}

void gg_option_take_array(const gg_option *option, const void *data, int64_t length,
                          void *options) {
  memcpy(gg_option_field(option, options), &data, sizeof data);
  memcpy((char *)options + option->length_offset, &length, sizeof length);
}
