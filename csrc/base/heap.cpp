#include "base/heap.h"

#include <cstdlib>  // tells whether this is glibc

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace pyw2v {

void release_free_memory() noexcept {
#if defined(__GLIBC__)
  (void)malloc_trim(0);
#endif
}

}  // namespace pyw2v
