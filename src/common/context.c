#include "common/context.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "common/error.h"
#include "common/platform.h"
#include "common/simd.h"
#include "common/test_hooks.h"

static const char *const simd_names[] = {GG_SIMD_NAMES};

static gg_context context;

/* Returns the widest instruction set of the processor, or that of GPUGEO_SIMD if it is narrower. */
static gg_simd machine_simd(void) {
  gg_simd simd = GG_SIMD_GENERIC;
#if defined(GG_SIMD_HAS_128)
  simd = GG_SIMD_128;
#endif
#if defined(GG_SIMD_X86) && !defined(GG_NO_AVX)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) simd = GG_SIMD_AVX2;
  if (simd == GG_SIMD_AVX2 && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw"))
    simd = GG_SIMD_AVX512;
#endif
  const char *most = getenv("GPUGEO_SIMD");
  for (int level = 0; most && level < (int)simd; ++level)
    if (strcmp(most, simd_names[level]) == 0) return (gg_simd)level;
  return simd;
}

/* Fills in the context of this process. */
static void make_context(void) {
  context.process = (long)getpid();
  context.simd = machine_simd();
}

gg_context *gg_context_get(void) {
  static pthread_once_t made = PTHREAD_ONCE_INIT;
  pthread_once(&made, make_context);
  return &context;
}

bool gg_forked(void) { return gg_context_get()->process != (long)getpid(); }

void gg_set_simd(gg_simd simd) {
  const gg_simd most = machine_simd();
  gg_context_get()->simd = simd < most ? simd : most;
}

const char *gpugeo_simd(void) { return simd_names[gg_context_get()->simd]; }

/* Returns the positive whole number that an environment variable begins with, at most
   GPUGEO_THREADS_MAX, or 0 if there is none. OMP_NUM_THREADS may be a list. */
static int32_t environment_number(const char *name) {
  const char *text = getenv(name);
  const long value = text ? strtol(text, NULL, 10) : 0;
  if (value <= 0) return 0;
  return value < GPUGEO_THREADS_MAX ? (int32_t)value : GPUGEO_THREADS_MAX;
}

static const char *const thread_variable = "GPUGEO_THREADS";

/* True if GPUGEO_THREADS is not set, is empty, or is a number of threads that is allowed. */
static bool thread_variable_valid(void) {
  const char *text = getenv(thread_variable);
  if (!text || !*text) return true;
  char *end;
  errno = 0;
  const long value = strtol(text, &end, 10);
  return end != text && *end == 0 && errno == 0 && value >= 1 && value <= GPUGEO_THREADS_MAX;
}

gpugeo_status gg_check_thread_variable(gpugeo_error *error) {
  if (thread_variable_valid()) return GPUGEO_OK;
  return gg_fail(error, GPUGEO_ERROR_ARGUMENT, "threads",
                 "GPUGEO_THREADS must be a whole number between 1 and %d, not \"%.100s\"",
                 GPUGEO_THREADS_MAX, getenv(thread_variable));
}

int32_t gg_processors(void) {
  const int32_t allowed = gg_system_processors(), quota = gg_cgroup_processors();
  const int32_t most = allowed < GPUGEO_THREADS_MAX ? allowed : GPUGEO_THREADS_MAX;
  return quota > 0 && quota < most ? quota : most;
}

/* True if the variable is set by which R CMD check limits packages to two cores. */
static bool under_r_check(void) {
  const char *text = getenv("_R_CHECK_LIMIT_CORES_");
  return text && *text && !gg_same_text(text, "false", SIZE_MAX);
}

int32_t gpugeo_default_threads(void) {
  if (gg_forked()) return 1;
  int32_t threads = thread_variable_valid() ? environment_number(thread_variable) : 0;
  if (!threads && under_r_check()) threads = gg_processors() < 2 ? gg_processors() : 2;
  if (!threads) threads = environment_number("OMP_NUM_THREADS");
  if (!threads) threads = gg_processors();
  int32_t limit = environment_number("OMP_THREAD_LIMIT");
  return limit && threads > limit ? limit : threads;
}

int32_t gg_threads(int32_t asked) {
  if (gg_forked()) return 1;
  return asked > 0 ? asked : gpugeo_default_threads();
}

/* Work for each thread, in units of 0.1 ns: below 0.1 ms a thread takes longer to start than it
   saves. */
static const double work_of_a_thread = 1e6;

int32_t gg_threads_for(int32_t asked, double work) {
  if (asked == 0 && work < work_of_a_thread) return 1; /* without a call of the system */
  const int32_t threads = gg_threads(asked);
  return asked == 0 && work < work_of_a_thread * threads ? 1 + (int32_t)(work / work_of_a_thread)
                                                         : threads;
}

int32_t gg_copying_threads(int32_t threads) {
  const int32_t enough = 24;
  return threads < enough ? threads : enough;
}
