/* Sequences of DNA: files of them, and distances of aligned ones. Part of gpugeo.h. */
#ifndef GPUGEO_SEQUENCES_H
#define GPUGEO_SEQUENCES_H

#include "common.h"
#include "dist.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A base is a byte, as in R package ape's class DNAbin: bits 0x80, 0x40, 0x20 and 0x10 for A, G, C
 * and T, one for a known base and several for an ambiguous one, 0x08 for a known base, 0x04 for a
 * gap ("-") and 0x02 for a site without information ("?"). So A is 0x88, G 0x48, C 0x28, T 0x18, R
 * 0xC0 and N 0xF0.
 */

/* Borrowed sequences. Code k of sequence i is codes[start[i] + k], or without `start`
   codes[i + k * step]. */
typedef struct gpugeo_sequences {
  int64_t count; /* of sequences, 0 to 2^31 - 1 */
  const uint8_t *codes;
  const int64_t *start;     /* count + 1 numbers, from 0 on, none smaller than that before it; NULL:
                               all sequences have `sites` codes, `step` apart */
  int64_t sites, step;      /* without `start`: sites 0 to 2^48, step at least count */
  const char *const *names; /* of the sequences, for messages; NULL: none */
} gpugeo_sequences;

/* What the letters of sequences become. */
typedef enum gpugeo_letters {
  GPUGEO_LETTERS_DNA = 0,  /* the codes above */
  GPUGEO_LETTERS_TEXT = 1, /* any printable letters of ASCII, as they are */
} gpugeo_letters;

/* The sequences of a file. */
typedef struct gpugeo_fasta {
  int64_t count;            /* of sequences */
  uint8_t *codes;           /* of all sequences, one after the other */
  int64_t *start;           /* count + 1 numbers: of the first code of each, and of all codes */
  const char *const *names; /* what follows ">" in the file, without blanks at both ends */
} gpugeo_fasta;

/*
 * Reads a regular file in the FASTA format, also if it is compressed by gzip and gpugeo was built
 * with zlib. Lines of any length end with LF or CR LF. Empty lines, lines that begin with ";", and
 * blanks and tabs within sequences are ignored. Names may be equal or empty, and a sequence may
 * have no sites.
 *
 * letters DNA: upper and lower case are equal, U is T, X is N, and "." is "?", a site without
 *         information. Other letters are an error.
 * run     its hooks are called; work_bytes limits the memory of codes and names while they are
 *         read; 0: the memory of the machine
 * fasta   allocated by the call; the caller releases it with gpugeo_fasta_free()
 *
 * Fails with GPUGEO_ERROR_ARGUMENT, with the number of the line, if the file cannot be understood.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_fasta_read(const char *path, gpugeo_letters letters,
                                              const gpugeo_run *run, gpugeo_fasta *fasta,
                                              gpugeo_error *error);

/* Releases the memory of the sequences. */
GPUGEO_EXPORT void gpugeo_fasta_free(gpugeo_fasta *fasta);

/* Writes the codes of `length` letters, which may be in the same memory. Fails with
   GPUGEO_ERROR_ARGUMENT if one is none of those of GPUGEO_LETTERS_DNA; *wrong, unless NULL, is its
   position then. */
GPUGEO_EXPORT gpugeo_status gpugeo_dna_encode(const char *letters, int64_t length, uint8_t *codes,
                                              int64_t *wrong, gpugeo_error *error);

/* Models of substitution, and counts of differences. P, P1, P2 and Q are shares of the sites of a
   pair: of all transitions, those between purines, those between pyrimidines, and transversions. */
typedef enum gpugeo_dna_model {
  GPUGEO_DNA_MODEL_RAW = 0,         /* the share of sites that differ */
  GPUGEO_DNA_MODEL_JC69 = 1,        /* Jukes and Cantor 1969 */
  GPUGEO_DNA_MODEL_K80 = 2,         /* Kimura 1980 */
  GPUGEO_DNA_MODEL_F81 = 3,         /* Felsenstein 1981 */
  GPUGEO_DNA_MODEL_K81 = 4,         /* Kimura 1981 */
  GPUGEO_DNA_MODEL_F84 = 5,         /* Felsenstein 1984 */
  GPUGEO_DNA_MODEL_T92 = 6,         /* Tamura 1992 */
  GPUGEO_DNA_MODEL_TN93 = 7,        /* Tamura and Nei 1993 */
  GPUGEO_DNA_MODEL_GG95 = 8,        /* Galtier and Gouy 1995 */
  GPUGEO_DNA_MODEL_LOGDET = 9,      /* Lockhart et al. 1994 */
  GPUGEO_DNA_MODEL_BH87 = 10,       /* Barry and Hartigan 1987; not symmetric */
  GPUGEO_DNA_MODEL_PARALIN = 11,    /* Lake 1994 */
  GPUGEO_DNA_MODEL_N = 12,          /* the number of sites that differ */
  GPUGEO_DNA_MODEL_TS = 13,         /* the number of transitions */
  GPUGEO_DNA_MODEL_TV = 14,         /* the number of transversions */
  GPUGEO_DNA_MODEL_INDEL = 15,      /* the number of sites with a gap in one of both sequences */
  GPUGEO_DNA_MODEL_INDELBLOCK = 16, /* the number of gaps, by first site and length, in only one */
  GPUGEO_DNA_MODEL_SNP = 17,        /* N of the sites that both sequences have: snp-dists' */
  GPUGEO_DNA_MODEL_COUNT = 18
} gpugeo_dna_model;

typedef struct gpugeo_dist_dna_options {
  size_t size; /* set by gpugeo_dist_dna_options_init() */
  gpugeo_run run;
  gpugeo_dna_model model;
  int32_t pairwise_deletion; /* 0: only sites count at which all sequences have a known base; else
                                those at which both sequences of a pair have one. Without effect on
                                INDEL, INDELBLOCK and SNP */
  double gamma;              /* shape of the gamma distribution of rates among sites, for JC69, K80,
                                F81 and TN93; 0: one rate */
  int32_t variance;          /* computes variances, too. Not for RAW, BH87, N, TS, TV, INDEL,
                                INDELBLOCK and SNP */
  const double *base_freq;   /* of A, C, G and T, for F81, F84, T92 and TN93; NULL: those of all
                                known bases of all sequences */
  int64_t base_freq_length;  /* 4 */
  int32_t pair_base_freq;    /* the shares of bases are those of both sequences of each pair, at the
                                sites that count for it; then base_freq is not used */
  int32_t count_sites;       /* gpugeo_dist_dna_size() adds the memory of site_counts */
  double *site_counts;       /* receives the number of sites that count for each distance, which are
                                all sites for INDEL, INDELBLOCK and all_letters; NULL: not
                                written */
  int32_t all_letters;       /* SNP counts all sites whose codes differ, also gaps and ambiguous
                                bases: snp-dists -a */
} gpugeo_dist_dna_options;

/* Fills *options with the defaults: K80, one rate, no variance, only sites that all sequences
   have. */
GPUGEO_EXPORT void gpugeo_dist_dna_options_init(gpugeo_dist_dna_options *options, size_t size);

/* Writes how many distances there are: n (n - 1) / 2 for n sequences, and n^2 for BH87. */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_dna_size(const gpugeo_sequences *x,
                                                 const gpugeo_dist_dna_options *options,
                                                 int64_t *size, gpugeo_error *error);

/*
 * Computes distances of aligned sequences, which must have equal lengths. Counts of sites are whole
 * numbers; a formula gives the distance of a pair. A distance that its formula does not define (a
 * logarithm of a negative number, no common site) is NaN, and Inf where a logarithm is of 0. The
 * bits are the same on any backend; the CPU only has GG95 and INDELBLOCK.
 *
 * out      in the order of a condensed matrix: (1, 0), (2, 0), ..., (n - 1, n - 2). With BH87 a
 *          column-major n by n matrix: row i and column j have the distance from i to j.
 * variance of each distance, if the options say so; else not used
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_dna(const gpugeo_sequences *x,
                                            const gpugeo_dist_dna_options *options, double *out,
                                            double *variance, gpugeo_report *report,
                                            gpugeo_error *error);

/*
 * Makes such distances a source of distances (gpugeo_distances), which computes them when they are
 * asked for. The sequences are not needed afterwards.
 *
 * made  to be freed by gpugeo_dist_lazy_free()
 *
 * BH87, which is not symmetric, and variances are refused.
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_dna_lazy(const gpugeo_sequences *x,
                                                 const gpugeo_dist_dna_options *options,
                                                 gpugeo_dist_lazy **made, gpugeo_report *report,
                                                 gpugeo_error *error);

/*
 * Computes distances of profiles of alleles (cgMLST): the number of loci at which two profiles have
 * different alleles. Loci that one of both lacks do not count.
 *
 * x   a profile in each row, a locus in each column: whole numbers from 1 to 2^32 - 1; 0 and
 *     missing values are missing alleles
 * run device and precision have no effect
 * out n (n - 1) / 2 distances of n profiles, in the order of a condensed matrix
 */
GPUGEO_EXPORT gpugeo_status gpugeo_dist_alleles(const gpugeo_matrix *x, const gpugeo_run *run,
                                                double *out, gpugeo_report *report,
                                                gpugeo_error *error);

#ifdef __cplusplus
}
#endif

#endif
