#include "base/growing_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/pages.h"

namespace pyw2v {
namespace {

constexpr std::uint64_t kFirstCapacity = std::uint64_t{1} << 16;

std::uint64_t whole_pages(std::uint64_t n) {
  const std::uint64_t page = page_size();
  return (n + page - 1) / page * page;
}

}  // namespace

GrowingBuffer::GrowingBuffer(std::uint64_t budget, std::string folder)
    : budget_(budget), folder_(std::move(folder)) {}

GrowingBuffer::~GrowingBuffer() { unmap(); }

void GrowingBuffer::unmap() {
  if (data_ == nullptr) return;
  if (spilled()) {
    File::unmap(data_, capacity_);
  } else {
    unmap_pages(data_, capacity_);
  }
  data_ = nullptr;
  capacity_ = 0;
}

void GrowingBuffer::append(const void* bytes, std::size_t n) {
  if (n == 0) return;
  if (!spilled() && size_ + n > budget_) spill();
  if (spilled()) {
    // Not through a mapping: a full disk is then an error and not a dead process.
    file_.write_at(size_, static_cast<const char*>(bytes), n);
  } else {
    reserve(size_ + n);
    std::memcpy(data_ + size_, bytes, n);
  }
  size_ += n;
}

void GrowingBuffer::reserve(std::uint64_t n) {
  if (n <= capacity_) return;
  const std::uint64_t capacity =
      whole_pages(std::max({n, capacity_ + capacity_ / 2, kFirstCapacity}));
  data_ = static_cast<char*>(data_ == nullptr ? map_small_pages(capacity)
                                              : grow_pages(data_, capacity_, capacity));
  capacity_ = capacity;
}

void GrowingBuffer::spill() {
  File file = File::nameless(folder_);
  if (size_ > 0) file.write_at(0, data_, size_);
  unmap();
  file_ = std::move(file);
}

void GrowingBuffer::finish() {
  if (!spilled() || data_ != nullptr || size_ == 0) return;
  data_ = static_cast<char*>(file_.map_for_writing(size_));
  capacity_ = size_;
}

void GrowingBuffer::truncate(std::uint64_t n) {
  size_ = std::min(size_, n);
  if (data_ == nullptr) return;
  const std::uint64_t keep = whole_pages(size_);
  // The address range stays ours: views of the old length may still exist.
  if (keep < capacity_ && !spilled()) forget_pages(data_ + keep, capacity_ - keep);
}

}  // namespace pyw2v
