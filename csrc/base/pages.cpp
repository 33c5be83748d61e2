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

Pages::Pages(std::size_t n_bytes)
    : n_bytes_(n_bytes), data_(_aligned_malloc(n_bytes > 0 ? n_bytes : 1, 4096)) {
  if (data_ == nullptr) throw std::bad_alloc();
  std::memset(data_, 0, n_bytes);
}

Pages::~Pages() { _aligned_free(data_); }

#else

Pages::Pages(std::size_t n_bytes)
    : n_bytes_(n_bytes > 0 ? n_bytes : 1),
      data_(mmap(nullptr, n_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
  if (data_ == MAP_FAILED) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  constexpr std::size_t kWorthIt = std::size_t{1} << 22;  // less would only be rounded up
  if (n_bytes_ >= kWorthIt) (void)madvise(data_, n_bytes_, MADV_HUGEPAGE);
#endif
}

Pages::~Pages() { munmap(data_, n_bytes_); }

#endif

}  // namespace pyw2v
