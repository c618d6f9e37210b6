/* Memory at one range of addresses, parts of which are on several devices. */
#ifndef GG_CUDA_DIVIDED_MEMORY_CUH
#define GG_CUDA_DIVIDED_MEMORY_CUH

#include <cstdint>
#include <vector>

namespace gpugeo {

/* True if each of these devices can read and write the memory of the others. */
bool can_share(const std::vector<int> &devices);

/* Memory whose parts, of equal size but for the last, are on the devices in their order, one
   of which may be there twice. All of them read and write all of it, over the link between them
   where it is on another one. */
class divided_memory {
public:
  divided_memory() = default;
  divided_memory(divided_memory &&other) noexcept;
  ~divided_memory();
  divided_memory(const divided_memory &) = delete;
  divided_memory &operator=(const divided_memory &) = delete;

  /* Throws device_memory_failure. To be called once. */
  void allocate(const std::vector<int> &devices, int64_t bytes);

  void *get() const { return memory_; }

private:
  void map_parts(const std::vector<int> &devices, int64_t part);

  char *memory_ = nullptr;
  int64_t bytes_ = 0, mapped_ = 0; /* of the range; from its beginning on, those that have memory */
};

} // namespace gpugeo

#endif
