#include "base/pages.h"

#include <cstring>
#include <new>

#if defined(_WIN32)
#include <malloc.h>
#else
#include <sys/mman.h>
#endif

namespace pyw2v {

#if defined(_WIN32)

void* map_pages(std::size_t n_bytes) {
  void* const data = _aligned_malloc(n_bytes > 0 ? n_bytes : 1, 4096);
  if (data == nullptr) throw std::bad_alloc();
  std::memset(data, 0, n_bytes);
  return data;
}

void unmap_pages(void* data, std::size_t) noexcept { _aligned_free(data); }

#else

void* map_pages(std::size_t n_bytes) {
  if (n_bytes == 0) n_bytes = 1;
  void* const data =
      mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  constexpr std::size_t kWorthIt = std::size_t{1} << 22;  // less would only be rounded up
  if (n_bytes >= kWorthIt) (void)madvise(data, n_bytes, MADV_HUGEPAGE);
#endif
  return data;
}

void unmap_pages(void* data, std::size_t n_bytes) noexcept {
  munmap(data, n_bytes > 0 ? n_bytes : 1);
}

#endif

}  // namespace pyw2v
