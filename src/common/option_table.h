/* The options of each family, described once. A family's table has a row for each option that a
   user gives by name: its name, kind, offset in the option struct and limits. Each wrapper reads
   all options of a family by one loop over its table. Defaults are those of
   gpugeo_x_options_init(). */
#ifndef GG_OPTION_TABLE_H
#define GG_OPTION_TABLE_H

#include <stddef.h>

#include "common/given.h"
#include "gpugeo.h"

/* What a value must be, and the type of the field. */
typedef enum gg_option_kind {
  GG_OPTION_FLAG,         /* true or false: int32_t */
  GG_OPTION_FLAG_OR_AUTO, /* likewise, or "auto", which leaves the default: int32_t */
  GG_OPTION_WHOLE,        /* a whole number: int32_t, int64_t or uint64_t */
  GG_OPTION_NUMBER,       /* a number: double */
  GG_OPTION_CHOICE,       /* the name of a constant of an enum: an enum or int64_t */
  GG_OPTION_DEVICE,       /* a number or "all": int32_t */
  /* Those of several numbers, which a wrapper borrows or converts: */
  GG_OPTION_DOUBLES, /* const double * and int64_t */
  GG_OPTION_INT32S,  /* const int32_t * and int64_t */
  GG_OPTION_MATRIX   /* gpugeo_matrix */
} gg_option_kind;

typedef struct gg_option {
  const char *name;   /* in R */
  const char *octave; /* in Octave; NULL: the same */
  gg_option_kind kind;
  size_t offset, width; /* of the field in the struct of options, in bytes */
  size_t length_offset; /* DOUBLES, INT32S: of the field for the number of elements */
  bool may_be_null;     /* R's NULL stands for the default, as it always does for several numbers.
                           Octave's [] does unless is_argument. */
  bool is_argument;    /* in Octave the option is an argument of its own, which must have a value */
  int64_t least, most; /* WHOLE: limits; both 0: the family checks the number */
  const char *allowed; /* NUMBER: describes its limits, which the family checks */
  gpugeo_enum choices; /* CHOICE */
  const char *const *names; /* CHOICE without a public enum: of 0, 1, ..., and NULL at the end */
} gg_option;

typedef struct gg_option_table {
  const gg_option *options;
  int32_t count;
  size_t size;                  /* of the struct of options */
  void (*fill)(void *defaults); /* fills such a struct with the defaults */
} gg_option_table;

/* All tables: gg_layout_options is that of gpugeo_layout_options. Families without a table have no
   options but a metric and settings. */
#define GG_OPTION_TABLES(X)                                                                        \
  X(run)                                                                                           \
  X(metric)                                                                                        \
  X(knn)                                                                                           \
  X(cor)                                                                                           \
  X(bicor)                                                                                         \
  X(closest)                                                                                       \
  X(collisions)                                                                                    \
  X(dgp)                                                                                           \
  X(dgp_graph)                                                                                     \
  X(dist_dna)                                                                                      \
  X(layout)                                                                                        \
  X(layout_quality)                                                                                \
  X(layout_raster)                                                                                 \
  X(graph_distances)                                                                               \
  X(hclust)                                                                                        \
  X(leaf_order)                                                                                    \
  X(dbscan)                                                                                        \
  X(optics)                                                                                        \
  X(lof)                                                                                           \
  X(hdbscan)                                                                                       \
  X(pam)                                                                                           \
  X(kmeans)                                                                                        \
  X(validity)                                                                                      \
  X(permanova)                                                                                     \
  X(mrpp)                                                                                          \
  X(mantel)                                                                                        \
  X(pcoa)                                                                                          \
  X(mds)                                                                                           \
  X(nj)                                                                                            \
  X(boot_phylo)                                                                                    \
  X(dist_edit)                                                                                     \
  X(dist_aa)                                                                                       \
  X(unifrac)                                                                                       \
  X(decostand)                                                                                     \
  X(diversity)                                                                                     \
  X(betadiver)                                                                                     \
  X(adjacency)                                                                                     \
  X(overlap)                                                                                       \
  X(proportionality)                                                                               \
  X(soft_threshold)

#define GG_DECLARE_OPTIONS(family) extern const gg_option_table gg_##family##_options;
GG_OPTION_TABLES(GG_DECLARE_OPTIONS)

/* The beginning of a row: {GG_OPTION("dim", WHOLE, gpugeo_layout_options, dim), .least = 2}. */
#define GG_OPTION(its_name, its_kind, type, field)                                                 \
  .name = (its_name), .kind = GG_OPTION_##its_kind, .offset = offsetof(type, field),               \
  .width = sizeof(((type *)0)->field)

/* The beginning of a row of several numbers: {GG_OPTION_ARRAY("init", DOUBLES,
   gpugeo_layout_options, init, init_length)}. */
#define GG_OPTION_ARRAY(its_name, its_kind, type, field, length)                                   \
  GG_OPTION(its_name, its_kind, type, field), .length_offset = offsetof(type, length)

/* The value of a table of rows of a struct. */
#define GG_OPTION_TABLE(rows, type, fill)                                                          \
  { (rows), (int32_t)(sizeof(rows) / sizeof *(rows)), sizeof(type), fill }

/* Defines the table of a family by its rows: GG_DEFINE_OPTIONS(layout, layout_rows). */
#define GG_DEFINE_OPTIONS(family, rows)                                                            \
  static void fill_defaults(void *defaults) {                                                      \
    gpugeo_##family##_options_init(defaults, sizeof(gpugeo_##family##_options));                   \
  }                                                                                                \
  const gg_option_table gg_##family##_options =                                                    \
      GG_OPTION_TABLE(rows, gpugeo_##family##_options, fill_defaults)

/* Returns the name of an option in a language. */
const char *gg_option_name(const gg_option *option, gg_language language);

/* True if an option is several numbers, which gg_option_take() does not take. */
bool gg_option_is_array(const gg_option *option);

/* Returns the name of a value of a CHOICE, "" if there is no such value. */
const char *gg_option_choice(const gg_option *option, int32_t value);

/* Returns the field of an option in a struct of options. */
void *gg_option_field(const gg_option *option, void *options);

/* Checks the value of an option that is a single one and writes it into the struct of options, or
   fails with "<name> must be <what is allowed>, not <given>". */
gpugeo_status gg_option_take(const gg_option *option, const gg_given *given, void *options,
                             gpugeo_error *error);

/* Writes DOUBLES or INT32S, which the options borrow, into the struct of options. */
void gg_option_take_array(const gg_option *option, const void *data, int64_t length, void *options);

#endif
