// A file's bytes as memory: read only, shared with every other process that maps the same file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace pyw2v {

// Owns one mapping of a regular file. The size is fixed when it is opened; should another process
// cut the file short later, touching the missing pages ends the process (SIGBUS), as with any
// mapping. Reading from several threads at once is fine.
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const std::string& path);  // IoError; an empty file is an empty view
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  const char* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace pyw2v
