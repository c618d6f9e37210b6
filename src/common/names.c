/* The spellings that both languages share. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/backend.h"
#include "common/error.h"

typedef struct spelling {
  const char *name;
  int value;
} spelling;

/* The first name of each metric is R's; further ones are Octave's, MATLAB's and other R packages'.
 */
/* clang-format off */
static const spelling metrics[] = {
    {"euclidean", GPUGEO_METRIC_EUCLIDEAN},
    {"sqeuclidean", GPUGEO_METRIC_SQEUCLIDEAN},
    {"manhattan", GPUGEO_METRIC_MANHATTAN},
    {"maximum", GPUGEO_METRIC_MAXIMUM},
    {"canberra", GPUGEO_METRIC_CANBERRA},
    {"binary", GPUGEO_METRIC_BINARY},
    {"minkowski", GPUGEO_METRIC_MINKOWSKI},
    {"seuclidean", GPUGEO_METRIC_SEUCLIDEAN},
    {"mahalanobis", GPUGEO_METRIC_MAHALANOBIS},
    {"cosine", GPUGEO_METRIC_COSINE},
    {"pearson", GPUGEO_METRIC_PEARSON},
    {"spearman", GPUGEO_METRIC_SPEARMAN},
    {"braycurtis", GPUGEO_METRIC_BRAYCURTIS},
    {"hamming", GPUGEO_METRIC_HAMMING},
    {"jaccard", GPUGEO_METRIC_JACCARD},
    {"gower", GPUGEO_METRIC_GOWER},
    {"great-circle", GPUGEO_METRIC_GREAT_CIRCLE},
    {"kulczynski", GPUGEO_METRIC_KULCZYNSKI},
    {"clark", GPUGEO_METRIC_CLARK},
    {"altgower", GPUGEO_METRIC_ALTGOWER},
    {"morisita", GPUGEO_METRIC_MORISITA},
    {"horn", GPUGEO_METRIC_HORN},
    {"mountford", GPUGEO_METRIC_MOUNTFORD},
    {"raup", GPUGEO_METRIC_RAUP},
    {"binomial", GPUGEO_METRIC_BINOMIAL},
    {"chao", GPUGEO_METRIC_CHAO},
    {"cao", GPUGEO_METRIC_CAO},
    {"squared-chord", GPUGEO_METRIC_SQUARED_CHORD},
    {"wave-hedges", GPUGEO_METRIC_WAVE_HEDGES},
    {"lorentzian", GPUGEO_METRIC_LORENTZIAN},
    {"soergel", GPUGEO_METRIC_SOERGEL},
    {"motyka", GPUGEO_METRIC_MOTYKA},
    {"sorensen", GPUGEO_METRIC_SORENSEN},
    {"ochiai", GPUGEO_METRIC_OCHIAI},
    {"simpson", GPUGEO_METRIC_SIMPSON},
    {"topsoe", GPUGEO_METRIC_TOPSOE},
    {"jsd", GPUGEO_METRIC_JSD},
    {"js", GPUGEO_METRIC_JS},
    {"jeffreys", GPUGEO_METRIC_JEFFREYS},
    {"bhattacharyya", GPUGEO_METRIC_BHATTACHARYYA},
    {"euclidian", GPUGEO_METRIC_EUCLIDEAN},
    {"squaredeuclidean", GPUGEO_METRIC_SQEUCLIDEAN},
    {"cityblock", GPUGEO_METRIC_MANHATTAN},
    {"chebychev", GPUGEO_METRIC_MAXIMUM},
    {"chebyshev", GPUGEO_METRIC_MAXIMUM},
    {"correlation", GPUGEO_METRIC_PEARSON},
    {"fasteuclidean", GPUGEO_METRIC_EUCLIDEAN},
    {"fastsquaredeuclidean", GPUGEO_METRIC_SQEUCLIDEAN},
    {"ruzicka", GPUGEO_METRIC_SOERGEL},
};
/* clang-format on */
static const spelling repulsions[] = {{"auto", GPUGEO_LAYOUT_REPULSION_AUTO},
                                      {"exact", GPUGEO_LAYOUT_REPULSION_EXACT},
                                      {"barnes-hut", GPUGEO_LAYOUT_REPULSION_BARNES_HUT}};
static const spelling layout_algorithms[] = {{"fr", GPUGEO_LAYOUT_ALGORITHM_FR},
                                             {"stress", GPUGEO_LAYOUT_ALGORITHM_STRESS},
                                             {"stress-fr", GPUGEO_LAYOUT_ALGORITHM_STRESS_FR}};
static const spelling precisions[] = {{"double", GPUGEO_PRECISION_DOUBLE},
                                      {"single", GPUGEO_PRECISION_SINGLE}};
static const spelling dgp_algorithms[] = {
    {"auto", GPUGEO_DGP_ALGORITHM_AUTO},
    {"branch-and-prune", GPUGEO_DGP_ALGORITHM_BRANCH_AND_PRUNE},
    {"exhaustive", GPUGEO_DGP_ALGORITHM_EXHAUSTIVE},
    {"meet-in-the-middle", GPUGEO_DGP_ALGORITHM_MEET_IN_THE_MIDDLE},
};
static const spelling cor_methods[] = {{"pearson", GPUGEO_COR_METHOD_PEARSON},
                                       {"spearman", GPUGEO_COR_METHOD_SPEARMAN},
                                       {"kendall", GPUGEO_COR_METHOD_KENDALL},
                                       {"bicor", GPUGEO_COR_METHOD_BICOR},
                                       {"dcor", GPUGEO_COR_METHOD_DCOR}};
static const spelling fallbacks[] = {{"none", GPUGEO_PEARSON_FALLBACK_NONE},
                                     {"individual", GPUGEO_PEARSON_FALLBACK_INDIVIDUAL},
                                     {"all", GPUGEO_PEARSON_FALLBACK_ALL}};
static const spelling uses[] = {
    {"everything", GPUGEO_COR_USE_EVERYTHING},
    {"all.obs", GPUGEO_COR_USE_ALL_OBS},
    {"complete.obs", GPUGEO_COR_USE_COMPLETE_OBS},
    {"na.or.complete", GPUGEO_COR_USE_NA_OR_COMPLETE},
    {"pairwise.complete.obs", GPUGEO_COR_USE_PAIRWISE},
    {"all", GPUGEO_COR_USE_EVERYTHING},
    {"complete", GPUGEO_COR_USE_COMPLETE_OBS},
    {"pairwise", GPUGEO_COR_USE_PAIRWISE},
};
static const spelling closest_metrics[] = {{"euclidean", GPUGEO_CLOSEST_METRIC_EUCLIDEAN},
                                           {"great-circle", GPUGEO_CLOSEST_METRIC_GREAT_CIRCLE}};
static const spelling closest_algorithms[] = {
    {"auto", GPUGEO_CLOSEST_ALGORITHM_AUTO},
    {"grid", GPUGEO_CLOSEST_ALGORITHM_GRID},
    {"sweep-v0", GPUGEO_CLOSEST_ALGORITHM_SWEEP_V0},
    {"sweep-v1", GPUGEO_CLOSEST_ALGORITHM_SWEEP_V1},
    {"sweep-v2", GPUGEO_CLOSEST_ALGORITHM_SWEEP_V2},
    {"divide-conquer", GPUGEO_CLOSEST_ALGORITHM_DIVIDE_CONQUER}};
static const spelling collide_whats[] = {{"count", GPUGEO_COLLISIONS_WHAT_COUNT},
                                         {"per_point", GPUGEO_COLLISIONS_WHAT_PER_POINT},
                                         {"pairs", GPUGEO_COLLISIONS_WHAT_PAIRS},
                                         {"table", GPUGEO_COLLISIONS_WHAT_TABLE}};
static const spelling collisions_algorithms[] = {{"auto", GPUGEO_COLLISIONS_ALGORITHM_AUTO},
                                                 {"grid", GPUGEO_COLLISIONS_ALGORITHM_GRID},
                                                 {"usual", GPUGEO_COLLISIONS_ALGORITHM_USUAL},
                                                 {"cyclic", GPUGEO_COLLISIONS_ALGORITHM_CYCLIC},
                                                 {"lattice", GPUGEO_COLLISIONS_ALGORITHM_LATTICE}};

static const spelling singulars[] = {{"error", GPUGEO_SINGULAR_ERROR},
                                     {"drop", GPUGEO_SINGULAR_DROP},
                                     {"pinv", GPUGEO_SINGULAR_PINV}};

static const spelling linkages[] = {
    {"single", GPUGEO_LINKAGE_SINGLE},     {"complete", GPUGEO_LINKAGE_COMPLETE},
    {"average", GPUGEO_LINKAGE_AVERAGE},   {"mcquitty", GPUGEO_LINKAGE_MCQUITTY},
    {"ward.D", GPUGEO_LINKAGE_WARD_D},     {"ward.D2", GPUGEO_LINKAGE_WARD_D2},
    {"centroid", GPUGEO_LINKAGE_CENTROID}, {"median", GPUGEO_LINKAGE_MEDIAN},
    {"weighted", GPUGEO_LINKAGE_MCQUITTY}, {"ward", GPUGEO_LINKAGE_WARD_D2}};

static const spelling corrections[] = {{"none", GPUGEO_PCOA_CORRECTION_NONE},
                                       {"lingoes", GPUGEO_PCOA_CORRECTION_LINGOES},
                                       {"cailliez", GPUGEO_PCOA_CORRECTION_CAILLIEZ}};

static const spelling graph_formats[] = {{"auto", GPUGEO_GRAPH_FORMAT_AUTO},
                                         {"graphml", GPUGEO_GRAPH_FORMAT_GRAPHML},
                                         {"cx2", GPUGEO_GRAPH_FORMAT_CX2},
                                         {"csr", GPUGEO_GRAPH_FORMAT_CSR}};

static const spelling mds_types[] = {{"ratio", GPUGEO_MDS_TYPE_RATIO},
                                     {"ordinal", GPUGEO_MDS_TYPE_ORDINAL}};

/* Further names are those of MATLAB's seqpdist. */
static const spelling dna_models[] = {
    {"RAW", GPUGEO_DNA_MODEL_RAW},
    {"JC69", GPUGEO_DNA_MODEL_JC69},
    {"K80", GPUGEO_DNA_MODEL_K80},
    {"F81", GPUGEO_DNA_MODEL_F81},
    {"K81", GPUGEO_DNA_MODEL_K81},
    {"F84", GPUGEO_DNA_MODEL_F84},
    {"T92", GPUGEO_DNA_MODEL_T92},
    {"TN93", GPUGEO_DNA_MODEL_TN93},
    {"GG95", GPUGEO_DNA_MODEL_GG95},
    {"LOGDET", GPUGEO_DNA_MODEL_LOGDET},
    {"BH87", GPUGEO_DNA_MODEL_BH87},
    {"PARALIN", GPUGEO_DNA_MODEL_PARALIN},
    {"N", GPUGEO_DNA_MODEL_N},
    {"TS", GPUGEO_DNA_MODEL_TS},
    {"TV", GPUGEO_DNA_MODEL_TV},
    {"INDEL", GPUGEO_DNA_MODEL_INDEL},
    {"INDELBLOCK", GPUGEO_DNA_MODEL_INDELBLOCK},
    {"SNP", GPUGEO_DNA_MODEL_SNP},
    {"p-distance", GPUGEO_DNA_MODEL_RAW},
    {"Jukes-Cantor", GPUGEO_DNA_MODEL_JC69},
    {"Kimura", GPUGEO_DNA_MODEL_K80},
    {"Tamura", GPUGEO_DNA_MODEL_T92},
    {"Nei-Tamura", GPUGEO_DNA_MODEL_TN93},
};

static const spelling edit_methods[] = {
    {"lv", GPUGEO_EDIT_METHOD_LV},
    {"osa", GPUGEO_EDIT_METHOD_OSA},
    {"hamming", GPUGEO_EDIT_METHOD_HAMMING},
};
static const spelling unifrac_types[] = {
    {"unweighted", GPUGEO_UNIFRAC_TYPE_UNWEIGHTED},
    {"weighted", GPUGEO_UNIFRAC_TYPE_WEIGHTED},
    {"normalized", GPUGEO_UNIFRAC_TYPE_NORMALIZED},
    {"generalized", GPUGEO_UNIFRAC_TYPE_GENERALIZED},
    {"variance", GPUGEO_UNIFRAC_TYPE_VARIANCE},
};

static const spelling standards[] = {
    {"total", GPUGEO_STANDARD_TOTAL},
    {"max", GPUGEO_STANDARD_MAX},
    {"frequency", GPUGEO_STANDARD_FREQUENCY},
    {"normalize", GPUGEO_STANDARD_NORMALIZE},
    {"range", GPUGEO_STANDARD_RANGE},
    {"rank", GPUGEO_STANDARD_RANK},
    {"rrank", GPUGEO_STANDARD_RRANK},
    {"standardize", GPUGEO_STANDARD_STANDARDIZE},
    {"pa", GPUGEO_STANDARD_PA},
    {"chi.square", GPUGEO_STANDARD_CHI_SQUARE},
    {"hellinger", GPUGEO_STANDARD_HELLINGER},
    {"log", GPUGEO_STANDARD_LOG},
    {"clr", GPUGEO_STANDARD_CLR},
    {"rclr", GPUGEO_STANDARD_RCLR},
    {"alr", GPUGEO_STANDARD_ALR},
};
static const spelling diversity_indices[] = {
    {"shannon", GPUGEO_DIVERSITY_SHANNON},
    {"simpson", GPUGEO_DIVERSITY_SIMPSON},
    {"invsimpson", GPUGEO_DIVERSITY_INVSIMPSON},
    {"fisher", GPUGEO_DIVERSITY_FISHER},
};
static const spelling beta_indices[] = {
    {"w", GPUGEO_BETA_W},       {"-1", GPUGEO_BETA_MINUS1}, {"c", GPUGEO_BETA_C},
    {"wb", GPUGEO_BETA_WB},     {"r", GPUGEO_BETA_R},       {"I", GPUGEO_BETA_I},
    {"e", GPUGEO_BETA_E},       {"t", GPUGEO_BETA_T},       {"me", GPUGEO_BETA_ME},
    {"j", GPUGEO_BETA_J},       {"sor", GPUGEO_BETA_SOR},   {"m", GPUGEO_BETA_M},
    {"-2", GPUGEO_BETA_MINUS2}, {"co", GPUGEO_BETA_CO},     {"cc", GPUGEO_BETA_CC},
    {"g", GPUGEO_BETA_G},       {"-3", GPUGEO_BETA_MINUS3}, {"l", GPUGEO_BETA_L},
    {"19", GPUGEO_BETA_19},     {"hk", GPUGEO_BETA_HK},     {"rlb", GPUGEO_BETA_RLB},
    {"sim", GPUGEO_BETA_SIM},   {"gl", GPUGEO_BETA_GL},     {"z", GPUGEO_BETA_Z},
};
static const spelling aa_models[] = {
    {"hamming", GPUGEO_AA_MODEL_HAMMING}, {"p", GPUGEO_AA_MODEL_P},
    {"poisson", GPUGEO_AA_MODEL_POISSON}, {"kimura", GPUGEO_AA_MODEL_KIMURA},
    {"JTT", GPUGEO_AA_MODEL_JTT},         {"WAG", GPUGEO_AA_MODEL_WAG},
    {"LG", GPUGEO_AA_MODEL_LG},           {"Dayhoff", GPUGEO_AA_MODEL_DAYHOFF},
    {"p-distance", GPUGEO_AA_MODEL_P},
};
static const spelling aa_excludes[] = {
    {"none", GPUGEO_AA_EXCLUDE_NONE},
    {"all", GPUGEO_AA_EXCLUDE_ALL},
    {"pairwise", GPUGEO_AA_EXCLUDE_PAIRWISE},
};
static const spelling kmeans_algorithms[] = {
    {"Hartigan-Wong", GPUGEO_KMEANS_ALGORITHM_HARTIGAN_WONG},
    {"Lloyd", GPUGEO_KMEANS_ALGORITHM_LLOYD},
    {"Forgy", GPUGEO_KMEANS_ALGORITHM_FORGY},
    {"MacQueen", GPUGEO_KMEANS_ALGORITHM_MACQUEEN},
};
static const spelling tree_methods[] = {
    {"nj", GPUGEO_TREE_METHOD_NJ},
    {"bionj", GPUGEO_TREE_METHOD_BIONJ},
    {"upgma", GPUGEO_TREE_METHOD_UPGMA},
};
static const spelling leaf_criteria[] = {
    {"adjacent", GPUGEO_LEAF_CRITERION_ADJACENT},
    {"group", GPUGEO_LEAF_CRITERION_GROUP},
};

/* The spellings of the constants of an enum: the first ones are their names, in the order of their
   values. Messages list all names, or `listed` ones and what the others are. */
typedef struct enum_names {
  const char *argument; /* that messages name */
  const spelling *spellings;
  int length, values, listed;
  const char *others;
} enum_names;

#define LENGTH(table) ((int)(sizeof(table) / sizeof *(table)))
#define NAMES(argument, table, values)                                                             \
  { argument, table, LENGTH(table), values, values, "" }
static const enum_names all_names[GPUGEO_ENUM_COUNT] = {
    [GPUGEO_ENUM_PRECISION] = NAMES("precision", precisions, LENGTH(precisions)),
    [GPUGEO_ENUM_METRIC] = {"method", metrics, LENGTH(metrics), GPUGEO_METRIC_COUNT,
                            GPUGEO_METRIC_GREAT_CIRCLE + 1, " or a measure of communities"},
    [GPUGEO_ENUM_COR_METHOD] = NAMES("method", cor_methods, LENGTH(cor_methods)),
    [GPUGEO_ENUM_MANTEL_METHOD] = {"method", cor_methods, GPUGEO_COR_METHOD_KENDALL + 1,
                                   GPUGEO_COR_METHOD_KENDALL + 1, GPUGEO_COR_METHOD_KENDALL + 1,
                                   ""},
    [GPUGEO_ENUM_PEARSON_FALLBACK] = NAMES("pearsonFallback", fallbacks, LENGTH(fallbacks)),
    [GPUGEO_ENUM_COR_USE] = NAMES("use", uses, GPUGEO_COR_USE_PAIRWISE + 1),
    [GPUGEO_ENUM_CLOSEST_METRIC] = NAMES("metric", closest_metrics, LENGTH(closest_metrics)),
    [GPUGEO_ENUM_CLOSEST_ALGORITHM] =
        NAMES("algorithm", closest_algorithms, LENGTH(closest_algorithms)),
    [GPUGEO_ENUM_COLLISIONS_WHAT] = NAMES("what", collide_whats, LENGTH(collide_whats)),
    [GPUGEO_ENUM_COLLISIONS_ALGORITHM] =
        NAMES("algorithm", collisions_algorithms, LENGTH(collisions_algorithms)),
    [GPUGEO_ENUM_DGP_ALGORITHM] = NAMES("algorithm", dgp_algorithms, LENGTH(dgp_algorithms)),
    [GPUGEO_ENUM_LAYOUT_REPULSION] = NAMES("repulsion", repulsions, LENGTH(repulsions)),
    [GPUGEO_ENUM_LAYOUT_ALGORITHM] =
        NAMES("algorithm", layout_algorithms, LENGTH(layout_algorithms)),
    [GPUGEO_ENUM_SINGULAR] = NAMES("singular", singulars, LENGTH(singulars)),
    [GPUGEO_ENUM_LINKAGE] = NAMES("method", linkages, GPUGEO_LINKAGE_COUNT),
    [GPUGEO_ENUM_PCOA_CORRECTION] = NAMES("correction", corrections, LENGTH(corrections)),
    [GPUGEO_ENUM_GRAPH_FORMAT] = NAMES("format", graph_formats, LENGTH(graph_formats)),
    [GPUGEO_ENUM_MDS_TYPE] = NAMES("type", mds_types, LENGTH(mds_types)),
    [GPUGEO_ENUM_DNA_MODEL] = NAMES("model", dna_models, GPUGEO_DNA_MODEL_COUNT),
    [GPUGEO_ENUM_EDIT_METHOD] = NAMES("method", edit_methods, LENGTH(edit_methods)),
    [GPUGEO_ENUM_AA_MODEL] = NAMES("model", aa_models, GPUGEO_AA_MODEL_COUNT),
    [GPUGEO_ENUM_AA_EXCLUDE] = NAMES("exclude", aa_excludes, LENGTH(aa_excludes)),
    [GPUGEO_ENUM_UNIFRAC_TYPE] = NAMES("type", unifrac_types, GPUGEO_UNIFRAC_TYPE_COUNT),
    [GPUGEO_ENUM_STANDARD] = NAMES("method", standards, GPUGEO_STANDARD_COUNT),
    [GPUGEO_ENUM_DIVERSITY_INDEX] = NAMES("index", diversity_indices, GPUGEO_DIVERSITY_COUNT),
    [GPUGEO_ENUM_BETA_INDEX] = NAMES("method", beta_indices, GPUGEO_BETA_COUNT),
    [GPUGEO_ENUM_KMEANS_ALGORITHM] =
        NAMES("algorithm", kmeans_algorithms, GPUGEO_KMEANS_ALGORITHM_COUNT),
    [GPUGEO_ENUM_LEAF_CRITERION] = NAMES("criterion", leaf_criteria, GPUGEO_LEAF_CRITERION_COUNT),
    [GPUGEO_ENUM_TREE_METHOD] = NAMES("tree", tree_methods, LENGTH(tree_methods)),
};

/* Spellings of backends: "auto" and those of the registry. */
typedef struct backend_names {
  spelling names[16];
} backend_names;

/* Returns the names of an enum, 0 of them if there is no such enum. Those of backends are written
   to *room. */
static enum_names names_of(gpugeo_enum kind, backend_names *room) {
  if (kind < 0 || kind >= GPUGEO_ENUM_COUNT) return (enum_names){NULL, NULL, 0, 0, 0, ""};
  if (kind != GPUGEO_ENUM_BACKEND) return all_names[kind];
  int length = 1;
  room->names[0] = (spelling){"auto", GPUGEO_BACKEND_AUTO};
  for (; length <= gg_backend_count() && length < LENGTH(room->names); ++length) {
    const gg_backend *listed = gg_backend_at(length - 1);
    room->names[length] = (spelling){listed->name, (int)listed->id};
  }
  return (enum_names){"backend", room->names, length, length, length, ""};
}

/* Fails with a list of the names. */
static gpugeo_status fail_name(const enum_names *names, const char *name, bool ambiguous,
                               gpugeo_error *error) {
  char list[360] = "";
  size_t end = 0;
  for (int i = 0; i < names->listed && end < sizeof list; ++i)
    end += (size_t)snprintf(list + end, sizeof list - end, "%s\"%s\"", i ? ", " : "",
                            names->spellings[i].name);
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, names->argument,
                 "%s must be one of %s%s, not \"%.40s\"%s", names->argument, list, names->others,
                 name, ambiguous ? ", which begins several of them" : "");
}

/* Finds a name, or the only one that it begins. */
static gpugeo_status find_name(const enum_names *names, const char *name, int32_t *value,
                               gpugeo_error *error) {
  const spelling *found = NULL;
  bool ambiguous = false;
  const size_t n = strlen(name);
  for (int i = 0; i < names->length; ++i) {
    const spelling *s = &names->spellings[i];
    if (gg_same_text(s->name, name, SIZE_MAX)) {
      *value = s->value;
      return GPUGEO_OK;
    }
    if (n == 0 || !gg_same_text(s->name, name, n)) continue;
    if (found && found->value != s->value) ambiguous = true;
    found = s;
  }
  if (!found || ambiguous) return fail_name(names, name, ambiguous, error);
  *value = found->value;
  return GPUGEO_OK;
}

gpugeo_status gpugeo_find(gpugeo_enum kind, const char *name, int32_t *value, gpugeo_error *error) {
  backend_names room;
  const enum_names names = names_of(kind, &room);
  if (!names.argument)
    return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "kind", "kind must be between 0 and %d, not %d",
                   GPUGEO_ENUM_COUNT - 1, (int)kind);
  if (!name) return gg_fail_string(error, names.argument, NULL);
  return find_name(&names, name, value, error);
}

gpugeo_status gg_choose(const char *argument, const gg_given *given, const char *const *names,
                        int count, int32_t *which, gpugeo_error *error) {
  spelling spellings[32];
  const char *text = gg_text_given(given);
  if (!text) return gg_fail_string(error, argument, given);
  for (int i = 0; i < count && i < LENGTH(spellings); ++i)
    spellings[i] = (spelling){names[i], i};
  return find_name(&(enum_names){argument, spellings, count, count, count, ""}, text, which, error);
}

const char *gpugeo_name(gpugeo_enum kind, int32_t value) {
  backend_names room;
  const enum_names names = names_of(kind, &room);
  for (int i = 0; i < names.values; ++i)
    if (names.spellings[i].value == value) return names.spellings[i].name;
  return "";
}
