/* A function of the caller as an argument. */
#ifndef GG_CUDA_CALLBACK_CUH
#define GG_CUDA_CALLBACK_CUH

namespace gpugeo {

/* A reference to a function object, which must exist for as long as the reference is used: the
   argument of a function that is not a template. std::function would keep a copy, and its header
   takes the compiler half a second for each file that includes it. */
template <class... Arguments> class callback {
public:
  template <class Function>
  callback(const Function &function)
      : function_(&function), call_([](const void *called, Arguments... arguments) {
          (*static_cast<const Function *>(called))(arguments...);
        }) {}

  void operator()(Arguments... arguments) const { call_(function_, arguments...); }

private:
  const void *function_;
  void (*call_)(const void *, Arguments...);
};

} // namespace gpugeo

#endif
