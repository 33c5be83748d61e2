#include "vocab/growing_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/errors.h"

namespace pyw2v {
namespace {

constexpr std::uint64_t kFirstCapacity = std::uint64_t{1} << 16;

char* map_memory(std::uint64_t n) {
  void* const at = ::mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(at);
}

char* grow_memory(char* data, std::uint64_t old_capacity, std::uint64_t capacity) {
#ifdef __linux__  // moves page tables, not bytes
  void* const at = ::mremap(data, old_capacity, capacity, MREMAP_MAYMOVE);
  if (at == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(at);
#else
  char* const at = map_memory(capacity);
  std::memcpy(at, data, old_capacity);
  ::munmap(data, old_capacity);
  return at;
#endif
}

int nameless_file(const std::string& folder) {
  std::string path = folder + "/pyw2v-corpus-XXXXXX";
  const int file = ::mkstemp(path.data());
  if (file < 0) throw IoError(errno, path);
  ::unlink(path.c_str());
  return file;
}

}  // namespace

GrowingBuffer::GrowingBuffer(std::uint64_t budget, std::string folder)
    : budget_(budget), folder_(std::move(folder)) {}

GrowingBuffer::~GrowingBuffer() {
  if (data_ != nullptr) ::munmap(data_, capacity_);
  if (file_ >= 0) ::close(file_);
}

void GrowingBuffer::append(const void* bytes, std::size_t n) {
  if (n == 0) return;
  if (file_ < 0 && size_ + n > budget_) spill();
  if (file_ >= 0) {
    write(static_cast<const char*>(bytes), n);
  } else {
    reserve(size_ + n);
    std::memcpy(data_ + size_, bytes, n);
  }
  size_ += n;
}

void GrowingBuffer::reserve(std::uint64_t n) {
  if (n <= capacity_) return;
  const std::uint64_t page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t capacity = std::max({n, capacity_ + capacity_ / 2, kFirstCapacity});
  capacity = (capacity + page - 1) / page * page;
  data_ = data_ == nullptr ? map_memory(capacity) : grow_memory(data_, capacity_, capacity);
  capacity_ = capacity;
}

void GrowingBuffer::spill() {
  file_ = nameless_file(folder_);
  const std::uint64_t n = std::exchange(size_, 0);
  write(data_, n);
  size_ = n;
  if (data_ != nullptr) ::munmap(data_, capacity_);
  data_ = nullptr;
  capacity_ = 0;
}

// By write() and not through a mapping: a full disk is then an error and not a dead process.
void GrowingBuffer::write(const char* bytes, std::uint64_t n) {
  std::uint64_t at = size_;
  while (n > 0) {
    const ssize_t done = ::pwrite(file_, bytes, n, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw IoError(errno, folder_);
    bytes += done;
    at += static_cast<std::uint64_t>(done);
    n -= static_cast<std::uint64_t>(done);
  }
}

void GrowingBuffer::finish() {
  if (file_ < 0 || data_ != nullptr || size_ == 0) return;
  void* const at = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (at == MAP_FAILED) throw IoError(errno, folder_);
  data_ = static_cast<char*>(at);
  capacity_ = size_;
}

void GrowingBuffer::truncate(std::uint64_t n) {
  size_ = std::min(size_, n);
  if (data_ == nullptr) return;
  const std::uint64_t page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t keep = (size_ + page - 1) / page * page;
  // The address range stays ours: views of the old length may still exist and then read zeros.
  if (keep < capacity_ && file_ < 0) ::madvise(data_ + keep, capacity_ - keep, MADV_DONTNEED);
}

}  // namespace pyw2v
