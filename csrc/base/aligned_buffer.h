// Zeroed scratch memory, aligned as matrix rows are.
#pragma once

#include <cstring>
#include <new>

#include "base/matrix.h"

namespace pyw2v {

template <class Real>
class AlignedBuffer {
 public:
  explicit AlignedBuffer(std::size_t size)
      : data_(static_cast<Real*>(
            ::operator new(size * sizeof(Real), std::align_val_t{kRowAlignment}))) {
    std::memset(static_cast<void*>(data_), 0, size * sizeof(Real));
  }
  ~AlignedBuffer() { ::operator delete(data_, std::align_val_t{kRowAlignment}); }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;
  Real* data() const { return data_; }

 private:
  Real* data_;
};

}  // namespace pyw2v
