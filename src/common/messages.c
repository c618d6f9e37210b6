#include "common/messages.h"

#include <string.h>

#include "common/error.h"

/* Names and messages. */
static const char *const messages[][2] = {
    /* A value for each point. */
    {"values", "%s must have a value for each of the %d points, not %d values"},
    {"missing", "%s must have no missing values"},
    {"missing value", "%s must have no missing values, but value %d is missing"},
    {"two values", "%s must have at least two different values"},
    /* Points, distances and metrics. */
    {"with points", "%s must be given with points, not with distances"},
    {"like distances",
     "%s is taken for points, but has the form of distances: square, symmetric and 0 on the "
     "diagonal; %s"},
    {"as many points", "%s must have as many points as %s, %d, not %d"},
    {"tiles points", "%s must have 0 to 2^40 points, not %s"},
    {"start of missing",
     "start must be \"random\" or a matrix if %s has missing distances, not %s, which needs all of "
     "them"},
    {"between", "k must be between 1 and %.0f (%s), not %.0f"},
    {"function parameter", "%s must be %s if the metric is a function, not %s"},
    {"function in file", "%s must not be a function for points in a file"},
    {"function with", "%s must not be a function with %s"},
    {"memory with", "%s must be in memory with %s"},
    {"great circles", "what must not be \"all\" for great circles; \"ijd\" is taken"},
    /* Arguments that exclude or need each other. */
    {"same argument", "%s must not be given with %s, which is the same argument"},
    {"same meaning", "%s must not be given with %s, which means the same"},
    {"with input", "%s must not be given with input \"%s\""},
    {"only distances", "as must be \"dist\" with %s, not \"%s\""},
    {"k or radius", "one of k and radius must be given, and not both"},
    {"p-values of weights", "%s must not be asked for with weights or for cosines"},
    {"weights with k", "weights \"%s\" must be given with k"},
    /* k-means. */
    {"k-means iterations", "k-means did not converge in %.0f iterations"},
    {"k-means steps", "k-means: a quick-transfer stage took more than %.0f steps"},
    {"k-means empty", "cluster %.0f is empty: try other centers"},
    {"reference length",
     "reference must have a number for each of the %.0f points, not %.0f numbers"},
    {"different rows", "x must have at least %.0f different rows, as many as clusters, not %.0f"},
    /* Communities. `%s has` or `have`: x, points or some of their rows. */
    {"elements", "%s must be %s, but row %.0f, column %.0f is %s"},
    {"elements missing",
     "x must have no missing values, but row %.0f, column %.0f is missing; %s leaves out missing "
     "values"},
    {"without values", "%s no value other than 0; \"%s\" may have no meaning there"},
    {"negative values", "%s negative values, for which \"%s\" may have no meaning"},
    {"not whole",
     "points have values that are not whole numbers, for which \"%s\" may have no meaning"},
    {"values below 1", "x has values below 1: all values are divided by the smallest one above 0"},
    {"no results", "some results are NaN: a row or column has no value to divide by"},
    {"no distances", "some distances are missing"},
    {"multiples", "x should be observed counts, but its smallest count above 0 is %.0f"},
    {"many individuals", "sample is above the smallest number of individuals of a row, %.0f"},
    {"few individuals", "%s fewer individuals than sample and %s"},
    {"single individuals", "%s only species with one individual, for which \"fisher\" is infinite"},
    {"taxa without tips", "x must have taxa that are tips of tree, not %s"},
    {"names of taxa", "x must have names of its columns, which are tips of tree"},
    {"equal tips", "tree must have tips of different names, but \"%s\" is that of several"},
    {"without individuals", "%s no individuals"},
    {"formula of pairs", "method must be a formula of %s, not \"%s\": %s"},
    {"number of pairs", "method must give a number for each pair, not \"%s\""},
    {"block of sites", "block must divide the number of sites, %.0f, not %.0f"},
    /* Graphs. */
    {"pattern of tiles", "file must have {x} and {y} for the tiles of a picture, not \"%s\""},
    {"weights of edges", "weights are for lists of edges: an adjacency matrix has its own"},
    {"lengths of edges",
     "lengths are for lists of edges: an adjacency matrix has its own, which lengths = \"weights\" "
     "takes"},
    {"no weights", "lengths must be numbers, not \"weights\": the graph has no weights"},
    {"weights by stress", "weights must not be given with algorithm \"%s\""},
    {"format", "format is for files only"},
    {"fixed",
     "fixed must be true or false for each vertex, or numbers of vertices from 1 to %.0f%s, not "
     "%s"},
    {"header read", "the first line of \"%s\" was read as a header, not as an edge"},
    {"header not read",
     "the first line of \"%s\" was read as an edge, but may be a header \"vertices edges\": %s "
     "reads it as one"},
    {"few vertices",
     "fewer than half of the %.0f vertices of \"%s\" have an edge: %s takes only these"},
};

const char *gg_find_message(const char *name, gpugeo_error *error) {
  for (size_t m = 0; m < sizeof messages / sizeof *messages; ++m)
    if (strcmp(messages[m][0], name) == 0) return messages[m][1];
  gg_fail(error, GPUGEO_ERROR_ARGUMENT, "name", "name must be that of a message, not \"%.40s\"",
          name);
  return NULL;
}
