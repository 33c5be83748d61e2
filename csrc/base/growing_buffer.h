// Memory that grows without ever being held twice, and that moves to a file when it grows too
// large: where encoded corpora live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/file.h"

namespace pyw2v {

// Bytes in pages of their own. Unwritten capacity costs address space, not memory. Past `budget`
// bytes the contents move to a temporary file in `folder` that has no name (so nothing is left
// behind, however the process ends) and are mapped again by finish().
class GrowingBuffer {
 public:
  GrowingBuffer(std::uint64_t budget, std::string folder);
  ~GrowingBuffer();
  GrowingBuffer(const GrowingBuffer&) = delete;
  GrowingBuffer& operator=(const GrowingBuffer&) = delete;

  void append(const void* bytes, std::size_t n);  // throws bad_alloc, IoError
  void finish();                                  // after the last append, before data()
  // Forgets all bytes from n on and gives whole pages back.
  void truncate(std::uint64_t n);

  char* data() const { return data_; }
  std::uint64_t size() const { return size_; }
  bool spilled() const { return file_.is_open(); }

 private:
  void reserve(std::uint64_t n);
  void spill();
  void unmap();

  std::uint64_t budget_;
  std::string folder_;
  char* data_ = nullptr;
  std::uint64_t capacity_ = 0;  // bytes mapped at data_
  std::uint64_t size_ = 0;
  File file_;
};

}  // namespace pyw2v
