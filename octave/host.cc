#include "host.h"

#include <octave/interpreter.h>
#include <octave/oct.h>
#include <octave/version.h>

#include <exception>
#include <memory>
#include <utility>

static_assert(sizeof(octave_idx_type) >= sizeof(int64_t), "gpugeo needs 64-bit sizes in Octave");

#if OCTAVE_MAJOR_VERSION >= 7
template <typename T, typename A>
static Array<T, A> untouched(Array<T, A>, const dim_vector &size) {
  A allocator;
  return Array<T, A>(std::allocator_traits<A>::allocate(allocator, size.safe_numel()), size,
                     allocator);
}
static mxArray *wrap(const octave_value &value) { return new mxArray(false, value); }
#else /* Octave 6 leaves new arrays as they are */
template <typename T> static Array<T> untouched(Array<T>, const dim_vector &size) {
  return Array<T>(size);
}
static mxArray *wrap(const octave_value &value) { return new mxArray(value); }
#endif

/* What full() returns shares the memory, and belongs to the running MEX function as other arrays
 * do. */
mxArray *gg_host_untouched(bool single, mwSize rows, mwSize columns) try {
  const dim_vector size(rows, columns);
  const octave_value value = single ? octave_value(FloatNDArray(untouched(Array<float>(), size)))
                                    : octave_value(NDArray(untouched(Array<double>(), size)));
  const std::unique_ptr<mxArray> array(wrap(value));
  mxArray *argument = array.get(), *shared = nullptr;
  mexCallMATLAB(1, &shared, 1, &argument, "full");
  return shared;
} catch (const std::bad_alloc &) {
  return nullptr;
}

static std::exception_ptr trapped;

bool gg_host_trap(void (*code)(void *), void *data) try {
  code(data);
  return false;
} catch (...) {
  trapped = std::current_exception();
  return true;
}

void gg_host_rethrow() {
  if (trapped) std::rethrow_exception(std::exchange(trapped, nullptr));
}

bool gg_host_interrupted() {
  return gg_host_trap([](void *) { octave_quit(); }, nullptr);
}

bool gg_host_interactive() { return octave::interpreter::the_interpreter()->interactive(); }
