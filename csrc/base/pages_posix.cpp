#if !defined(_WIN32)

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "base/errors.h"
#include "base/pages.h"

namespace pyw2v {

void* map_small_pages(std::size_t n_bytes) {
  void* const data = ::mmap(nullptr, n_bytes > 0 ? n_bytes : 1, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw OutOfMemory("one block", n_bytes);
  return data;
}

void* map_pages(std::size_t n_bytes) {
  void* const data = map_small_pages(n_bytes);
#if defined(MADV_HUGEPAGE)
  constexpr std::size_t kWorthIt = std::size_t{1} << 22;  // less would only be rounded up
  if (n_bytes >= kWorthIt) (void)::madvise(data, n_bytes, MADV_HUGEPAGE);
#endif
  return data;
}

void unmap_pages(void* data, std::size_t n_bytes) noexcept {
  ::munmap(data, n_bytes > 0 ? n_bytes : 1);
}

void* grow_pages(void* data, std::size_t old_n_bytes, std::size_t n_bytes) {
#if defined(__linux__)
  void* const at = ::mremap(data, old_n_bytes, n_bytes, MREMAP_MAYMOVE);
  if (at == MAP_FAILED) throw OutOfMemory("one block", n_bytes);
#else
  void* const at = map_small_pages(n_bytes);
  std::memcpy(at, data, old_n_bytes);
  unmap_pages(data, old_n_bytes);
#endif
  return at;
}

std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

void forget_pages(void* data, std::size_t n_bytes) noexcept {
  (void)::madvise(data, n_bytes, MADV_DONTNEED);
}

}  // namespace pyw2v

#endif
