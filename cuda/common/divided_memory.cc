/* Memory at one range of addresses on several devices, by the driver's functions for virtual
   memory. The runtime finds them, so that the driver's library is not linked. */
#include "cuda/common/divided_memory.cuh"

#include <cuda.h>

#include <set>
#include <utility>

#include "cuda/common/failure.cuh"
#include "cuda/common/pairs.cuh"

namespace gpugeo {
namespace {

/* Returns a function of the driver, as CUDA 10.2 has it. */
template <class Function> Function *driver_function(const char *name) {
  void *found = nullptr;
#if CUDART_VERSION >= 12050
  GG_CUDA(cudaGetDriverEntryPointByVersion(name, &found, 10020, cudaEnableDefault));
#else
  GG_CUDA(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault));
#endif
  if (!found) check(cudaErrorSymbolNotFound, name);
  return reinterpret_cast<Function *>(found);
}

/* Calls a function of the driver, whose errors have the runtime's numbers. */
#define GG_DRIVER(function, ...)                                                                   \
  check((cudaError_t)driver_function<decltype(function)>(#function)(__VA_ARGS__), #function)

/* Returns what describes memory of a device. */
CUmemAllocationProp memory_of(int device) {
  CUmemAllocationProp of = {};
  of.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  of.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  of.location.id = device;
  return of;
}

/* Returns the bytes of which parts are multiples. */
int64_t unit_of(const std::vector<int> &devices) {
  size_t most = 1;
  for (const int device : devices) {
    const CUmemAllocationProp of = memory_of(device);
    size_t unit = 0;
    GG_DRIVER(cuMemGetAllocationGranularity, &unit, &of, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    if (unit > most) most = unit;
  }
  return (int64_t)most;
}

CUdeviceptr address(const char *memory) { return reinterpret_cast<CUdeviceptr>(memory); }

} // namespace

bool can_share(const std::vector<int> &devices) {
  for (const int reader : devices)
    for (const int owner : devices) {
      int can = 1;
      if (reader != owner) GG_CUDA(cudaDeviceCanAccessPeer(&can, reader, owner));
      if (!can ||
          !attribute((cudaDeviceAttr)CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                     owner))
        return false;
    }
  return true;
}

divided_memory::divided_memory(divided_memory &&other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_), mapped_(other.mapped_) {
}

void divided_memory::allocate(const std::vector<int> &devices, int64_t bytes) {
  const int64_t unit = unit_of(devices);
  const int64_t part = round_up(divide_up(bytes, (int64_t)devices.size()), unit);
  const int64_t all = round_up(bytes, unit);
  CUdeviceptr at = 0;
  GG_DRIVER(cuMemAddressReserve, &at, (size_t)all, (size_t)unit, 0, 0);
  memory_ = reinterpret_cast<char *>(at);
  bytes_ = all;
  map_parts(devices, part);
  const std::set<int> all_devices(devices.begin(), devices.end());
  std::vector<CUmemAccessDesc> access;
  for (const int device : all_devices)
    access.push_back({memory_of(device).location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE});
  GG_DRIVER(cuMemSetAccess, at, (size_t)all, access.data(), access.size());
}

/* Gives the range its memory, device after device. */
void divided_memory::map_parts(const std::vector<int> &devices, int64_t part) {
  for (const int device : devices) {
    const int64_t bytes = smaller(part, bytes_ - mapped_);
    if (bytes <= 0) return;
    const CUmemAllocationProp of = memory_of(device);
    CUmemGenericAllocationHandle handle = 0;
    const CUresult made =
        driver_function<decltype(cuMemCreate)>("cuMemCreate")(&handle, (size_t)bytes, &of, 0);
    if (made == CUDA_ERROR_OUT_OF_MEMORY) throw device_memory_failure{bytes, device};
    check((cudaError_t)made, "cuMemCreate");
    const CUresult mapped = driver_function<decltype(cuMemMap)>("cuMemMap")(
        address(memory_ + mapped_), (size_t)bytes, 0, handle, 0);
    GG_DRIVER(cuMemRelease, handle); /* the range keeps it */
    check((cudaError_t)mapped, "cuMemMap");
    mapped_ += bytes;
  }
}

divided_memory::~divided_memory() {
  if (!memory_) return;
  try {
    if (mapped_ > 0) GG_DRIVER(cuMemUnmap, address(memory_), (size_t)mapped_);
    GG_DRIVER(cuMemAddressFree, address(memory_), (size_t)bytes_);
  } catch (...) {
    /* the device is lost */
  }
}

} // namespace gpugeo
