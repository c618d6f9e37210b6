/* Values as messages show them, and messages that are cut. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "common/error.h"
#include "common/messages.h"
#include "common/settings.h"
#include "system.h"

static void expect(const gg_given *given, const char *text) {
  const gg_given_text shown = gg_show(given);
  CHECK(strcmp(shown.text, text) == 0, "\"%s\", expected \"%s\"", shown.text, text);
}

static gg_item number(double value) { return (gg_item){.kind = GG_ITEM_NUMBER, .number = value}; }
static gg_item flag(double value) { return (gg_item){.kind = GG_ITEM_FLAG, .number = value}; }
static gg_item text(const char *value) {
  gg_item item = {.kind = GG_ITEM_TEXT};
  gg_item_text(&item, value);
  return item;
}
static const gg_item missing = {.kind = GG_ITEM_MISSING};

static void test_languages(void) {
  gg_given r = {.language = GG_R, .length = 3, .items = {number(1), missing, number(-INFINITY)}};
  expect(&r, "c(1, NA, -Inf)");
  r = (gg_given){.language = GG_R, .length = 2, .items = {flag(1), flag(0)}};
  expect(&r, "c(TRUE, FALSE)");
  gg_given octave = {.language = GG_OCTAVE, .length = 2, .items = {number(0.5), number(NAN)}};
  expect(&octave, "[0.5 NaN]");
  octave.column = true;
  expect(&octave, "[0.5; NaN]");
  octave = (gg_given){.language = GG_OCTAVE, .length = 1, .items = {flag(1)}};
  expect(&octave, "true");
  gg_given many = {.language = GG_R, .length = 1000};
  for (int i = 0; i < GG_ITEMS; ++i)
    many.items[i] = number(i);
  expect(&many, "c(0, 1, 2, 3, 4, ...)");
  gg_given words = {.language = GG_R, .words = "an environment"};
  expect(&words, "an environment");
  expect(&(gg_given){.length = 1, .items = {text("3")}}, "\"3\"");
}

static void test_reading(void) {
  gg_given given = gg_given_number(7);
  CHECK(gg_number_given(&given) == 7 && !gg_text_given(&given), "a number");
  given.items[0] = flag(1);
  CHECK(isnan(gg_number_given(&given)), "a truth value is no number");
  given.items[0] = text("all");
  CHECK(isnan(gg_number_given(&given)) && strcmp(gg_text_given(&given), "all") == 0, "a text");
  given.length = 2;
  CHECK(isnan(gg_number_given(&given)) && !gg_text_given(&given), "a vector");
  int64_t number = -1;
  gpugeo_error error;
  given = gg_given_number(3);
  CHECK(!gg_number_from_one("tile", "tiles", &given, 3, &number, &error) && number == 2,
        "tile 3 is %lld", (long long)number);
  given = gg_given_number(4);
  CHECK(gg_number_from_one("tile", "tiles", &given, 3, &number, &error) &&
            strcmp(error.message, "tile must be between 1 and 3 (the tiles there are), not 4") == 0,
        "\"%s\"", error.message);
}

/* Expects the number of the name that a value chooses, or the message. */
static void chooses(gg_given given, int32_t number, const char *message) {
  static const char *const names[] = {"edges", "igraph", "isolated", "i"};
  gpugeo_error error = {.message = ""};
  int32_t which = -1;
  const gpugeo_status status = gg_choose("as", &given, names, 4, &which, &error);
  CHECK(which == number && (status == GPUGEO_OK) == (number >= 0) &&
            strcmp(error.message, message) == 0,
        "%d, \"%s\"", (int)which, error.message);
}

static void test_choices(void) {
  gg_given given = {.language = GG_R, .length = 1, .items = {text("edges")}};
  chooses(given, 0, "");
  given.items[0] = text("ED"); /* the beginning, in any case */
  chooses(given, 0, "");
  given.items[0] = text("I"); /* a name, though it begins others */
  chooses(given, 3, "");
  given.items[0] = text("is");
  chooses(given, 2, "");
  given.items[0] = text("");
  chooses(given, -1, "as must be one of \"edges\", \"igraph\", \"isolated\", \"i\", not \"\"");
  given.items[0] = text("edgesx");
  chooses(given, -1,
          "as must be one of \"edges\", \"igraph\", \"isolated\", \"i\", not \"edgesx\"");
  chooses(gg_given_number(1), -1, "as must be a single string, not 1");
}

static double from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* R and Octave each have a NaN that they show as NA. */
static void test_missing(void) {
  CHECK(strcmp(gg_number(from_bits(0x7FF00000000007A2u)).text, "NA") == 0, "R's NA");
  CHECK(strcmp(gg_number(from_bits(0x7FF80000000007A2u)).text, "NA") == 0, "R's NA, quiet");
  CHECK(strcmp(gg_number(from_bits(0x7FF840F440000000u)).text, "NA") == 0, "Octave's NA");
  CHECK(strcmp(gg_number(NAN).text, "NaN") == 0, "NaN");
  CHECK(strcmp(gg_number(-NAN).text, "NaN") == 0, "-NaN");
}

static void repair(const char *from, const char *want) {
  char text[64];
  snprintf(text, sizeof text, "%s", from);
  gg_repair_utf8(text);
  CHECK(strcmp(text, want) == 0, "\"%s\", expected \"%s\"", text, want);
}

static void test_utf8(void) {
  repair("caf\xC3\xA9", "caf\xC3\xA9");
  repair("caf\xC3", "caf");
  repair("\xE2\x82\xAC \xE2\x82", "\xE2\x82\xAC ");
  repair("\xF0\x9F\x98\x80\xF0\x9F\x98", "\xF0\x9F\x98\x80");
  repair("\"\xE2\x82\", rest", "\"\", rest");
  repair("a\x80"
         "b\xFF",
         "a?b?");
  repair("\xC0\xAF", "??");     /* an overlong form */
  repair("\xED\xA0\x80", "??"); /* a surrogate */
}

/* A message that is too long, and an argument. */
static void test_cut(void) {
  char long_text[2000];
  for (int start = 0; start < 4; ++start) {
    gpugeo_error error;
    memset(long_text, 'a', (size_t)start);
    for (int i = start; i + 4 < (int)sizeof long_text; i += 4)
      memcpy(long_text + i, "\xF0\x9F\x98\x80", 5);
    gg_fail(&error, GPUGEO_ERROR_ARGUMENT, long_text, "%s", long_text);
    char repaired[sizeof error.message];
    memcpy(repaired, error.message, sizeof repaired);
    gg_repair_utf8(repaired);
    const size_t length = strlen(error.message), argument = strlen(error.argument);
    CHECK(strcmp(repaired, error.message) == 0 && length % 4 == (size_t)start && length > 500,
          "a message of %d bytes", (int)length);
    CHECK(argument % 4 == (size_t)start && argument > 24, "an argument of %d bytes", (int)argument);
    const gg_item item = text(long_text);
    CHECK(strlen(item.text) % 4 == (size_t)(start + 3) % 4, "a text of %d bytes",
          (int)strlen(item.text));
  }
}

static void test_settings(void) {
  gg_setting_text warning;
  set_variable("GPUGEO_HOME", "/opt");
  set_variable("GPUGEO_THREADS", "1");
  CHECK(!gg_unknown_setting(&warning), "no setting is near: \"%s\"", warning.text);
  set_variable("GPUGEO_THREAD", "2");
  CHECK(gg_unknown_setting(&warning) &&
            strcmp(warning.text, "environment variable GPUGEO_THREAD is not known; the setting is "
                                 "GPUGEO_THREADS") == 0,
        "\"%s\"", warning.text);
  set_variable("GPUGEO_THREAD", NULL);
}

static void test_messages(void) {
  gpugeo_error error = {0};
  const char *found = gg_find_message("two values", &error);
  CHECK(found && strcmp(found, "%s must have at least two different values") == 0, "\"%s\"", found);
  CHECK(!gg_find_message("two", &error) && error.code == GPUGEO_ERROR_ARGUMENT &&
            strcmp(error.message, "name must be that of a message, not \"two\"") == 0,
        "\"%s\"", error.message);
}

int main(void) {
  test_languages();
  test_reading();
  test_choices();
  test_missing();
  test_utf8();
  test_cut();
  test_settings();
  test_messages();
  return check_end();
}
