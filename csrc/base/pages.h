// Large zeroed blocks of memory straight from the operating system.
#pragma once

#include <cstddef>

namespace pyw2v {

// Page-aligned and zeroed, on huge pages where the system offers them: matrices are read at random
// rows, and with 4 KiB pages nearly every row would miss the TLB. Throws std::bad_alloc.
class Pages {
 public:
  explicit Pages(std::size_t n_bytes);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  void* data() const { return data_; }
  std::size_t size() const { return n_bytes_; }

 private:
  std::size_t n_bytes_;
  void* data_;
};

}  // namespace pyw2v
