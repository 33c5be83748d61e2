// Zeroed scratch memory, aligned as matrix rows are.
#pragma once

#include <cstring>
#include <new>

#include "base/matrix.h"
#include "base/pages.h"

namespace pyw2v {

template <class Real>
class AlignedBuffer {
 public:
  explicit AlignedBuffer(std::size_t size) : n_bytes_(size * sizeof(Real)) {
    if (is_large()) {
      data_ = static_cast<Real*>(map_pages(n_bytes_));
    } else {
      data_ = static_cast<Real*>(::operator new(n_bytes_, std::align_val_t{kRowAlignment}));
      std::memset(static_cast<void*>(data_), 0, n_bytes_);
    }
  }
  ~AlignedBuffer() {
    if (is_large())
      unmap_pages(data_, n_bytes_);
    else
      ::operator delete(data_, std::align_val_t{kRowAlignment});
  }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;
  Real* data() const { return data_; }

 private:
  // Zeroed by the system when it is used: to do so here would take long, and Ctrl-C would wait.
  bool is_large() const { return n_bytes_ >= std::size_t{1} << 22; }

  std::size_t n_bytes_;
  Real* data_;
};

}  // namespace pyw2v
