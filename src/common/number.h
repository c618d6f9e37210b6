/* Numbers as text: reading them, and showing them in messages. */
#ifndef GG_NUMBER_H
#define GG_NUMBER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a number at the beginning of text as strtod() does in the "C" locale: the decimal point is
   ".", whatever locale the process has. *end, unless NULL, becomes the first character after the
   number, or text where there is none. */
double gg_parse_double(const char *text, char **end);

/* A number as messages show it: "0.5", "Inf", "NaN", or "NA" for what R and Octave call so. */
typedef struct gg_number_text {
  char text[32];
} gg_number_text;
gg_number_text gg_number(double value);

#ifdef __cplusplus
}
#endif

#endif
