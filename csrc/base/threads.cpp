#include "base/threads.h"

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include "base/errors.h"
#include "base/pages.h"

namespace pyw2v {
namespace {

std::size_t stack_bytes() {
  std::size_t n_bytes = std::size_t{1} << 20;
#if !defined(_WIN32)
  pthread_attr_t usual;
  if (pthread_attr_init(&usual) == 0) {
    (void)pthread_attr_getstacksize(&usual, &n_bytes);
    pthread_attr_destroy(&usual);
  }
#endif
  return n_bytes;
}

}  // namespace

void throw_no_thread() {
  // The system has one error number for both; what a thread needs memory for is its stack.
  const std::size_t n_bytes = stack_bytes();
  try {
    unmap_pages(map_small_pages(n_bytes), n_bytes);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("the stack of a thread", n_bytes);
  }
  throw ThreadError(
      "no thread can be started: the limit of threads or processes (ulimit -u, pids.max) is "
      "reached");
}

}  // namespace pyw2v
