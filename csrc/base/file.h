// An open file: positioned reads and writes, and mappings. The only place that asks the operating
// system for files; file_posix.cpp and file_windows.cpp say how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace pyw2v {

class File {
 public:
  File() = default;
  // For reading. Throws IoError, also for a folder. Paths are UTF-8 on Windows, bytes elsewhere.
  explicit File(const std::string& path);
  // A descriptor of its own of what is open already; path is for messages.
  static File duplicate(int fd, const std::string& path);
  // For writing and reading, in a folder; it goes when it is closed, however the process ends.
  static File nameless(const std::string& folder);
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
  File& operator=(File&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(path_, other.path_);
    return *this;
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  bool is_open() const { return fd_ >= 0; }
  const std::string& path() const { return path_; }
  std::uint64_t size() const;
  std::int64_t last_change() const;  // of the contents: a time in units of the system's
  bool is_regular() const;           // neither a pipe nor a device

  // Safe from any thread; throw IoError. Less than n are read only at the end of the file.
  std::size_t read_at(std::uint64_t byte_offset, char* buffer, std::size_t n) const;
  void write_at(std::uint64_t byte_offset, const char* bytes, std::size_t n) const;

  // The first n > 0 bytes as memory, shared with all who map the file; outlives the File. Only for
  // files that nobody else can cut short: touching a page that is gone ends the process (SIGBUS).
  void* map_for_writing(std::size_t n) const;
  static void unmap(const void* data, std::size_t n) noexcept;

 private:
  int fd_ = -1;
  std::string path_;
};

}  // namespace pyw2v
