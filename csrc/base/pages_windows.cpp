#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <cstring>

#include "base/errors.h"
#include "base/pages.h"

namespace pyw2v {

// Committed at once, but no page takes memory before it is touched. Large pages would need a right
// that users do not have.
void* map_small_pages(std::size_t n_bytes) {
  void* const data =
      ::VirtualAlloc(nullptr, n_bytes > 0 ? n_bytes : 1, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (data == nullptr) throw OutOfMemory("one block", n_bytes);
  return data;
}

void* map_pages(std::size_t n_bytes) { return map_small_pages(n_bytes); }

void unmap_pages(void* data, std::size_t) noexcept {
  if (data != nullptr) ::VirtualFree(data, 0, MEM_RELEASE);
}

void* grow_pages(void* data, std::size_t old_n_bytes, std::size_t n_bytes) {
  void* const at = map_small_pages(n_bytes);
  std::memcpy(at, data, old_n_bytes);
  unmap_pages(data, old_n_bytes);
  return at;
}

std::size_t page_size() {
  SYSTEM_INFO info;
  ::GetSystemInfo(&info);
  return info.dwPageSize;
}

void forget_pages(void* data, std::size_t n_bytes) noexcept {
  (void)::VirtualAlloc(data, n_bytes, MEM_RESET, PAGE_READWRITE);
}

}  // namespace pyw2v

#endif
