/* The functions of the core under their own names, each of which calls the one in the table that
   the core has handed over. */
#include "cuda/core.h"

#include <atomic>

namespace {

std::atomic<const gg_core *> user{nullptr};

const gg_core &core() { return *user.load(std::memory_order_relaxed); }

} // namespace

namespace gpugeo {

bool use_core(const gg_core *core) {
  const gg_core *none = nullptr;
  return user.compare_exchange_strong(none, core) || none == core;
}

void leave_core(const gg_core *core) { user.compare_exchange_strong(core, nullptr); }

} // namespace gpugeo

extern "C" {

#define FUNCTION(type, name, parameters, arguments)                                                \
  type name parameters { return core().name arguments; }
#define PROCEDURE(name, parameters, arguments)                                                     \
  void name parameters { core().name arguments; }
GG_CORE_FUNCTIONS(FUNCTION, PROCEDURE)

gpugeo_status gg_fail(gpugeo_error *error, gpugeo_status code, const char *argument,
                      const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  gg_fail_list(error, code, argument, format, arguments);
  va_end(arguments);
  return code;
}
}
