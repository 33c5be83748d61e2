// A file that is read as a whole, in pieces of any order: what another program does to it meanwhile
// is an error, not half of the one content and half of the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/file.h"

namespace pyw2v {

class InputFile {
 public:
  // Throw IoError. Of an open file's descriptor a duplicate is kept; path is for messages.
  explicit InputFile(const std::string& path) : InputFile(File(path)) {}
  InputFile(int fd, const std::string& path) : InputFile(File::duplicate(fd, path)) {}

  const std::string& path() const { return file_.path(); }
  std::uint64_t size() const { return size_; }  // bytes, when it was opened
  bool is_regular() const { return file_.is_regular(); }

  // Fills buffer with n bytes from byte_offset on; all of them must lie inside size(). Throws
  // IoError, or FormatError when the file has become shorter. Safe from any thread.
  void read(std::uint64_t byte_offset, char* buffer, std::size_t n) const;

  // Throws FormatError when the file has been written to since it was opened.
  void check_unchanged() const;

 private:
  explicit InputFile(File file)
      : file_(std::move(file)), size_(file_.size()), last_change_(file_.last_change()) {}

  File file_;
  std::uint64_t size_;
  std::int64_t last_change_;
};

}  // namespace pyw2v
