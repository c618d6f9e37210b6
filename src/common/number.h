/* Reading numbers from text. */
#ifndef GG_NUMBER_H
#define GG_NUMBER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a number at the beginning of text as strtod() does in the "C" locale: the decimal point is
   ".", whatever locale the process has. *end, unless NULL, becomes the first character after the
   number, or text where there is none. */
double gg_parse_double(const char *text, char **end);

#ifdef __cplusplus
}
#endif

#endif
