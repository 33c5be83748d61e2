// What can go wrong in the core, one type per kind of failure. pyw2v/_errors.h maps each to its
// Python exception; std::invalid_argument and std::bad_alloc are used as they are.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace pyw2v {

// A system call on a file failed. Becomes OSError with errno and file name.
class IoError : public std::runtime_error {
 public:
  IoError(int code, std::string path)
      : std::runtime_error("cannot use " + path), code_(code), path_(std::move(path)) {}
  int code() const { return code_; }
  const std::string& path() const { return path_; }

 private:
  int code_;
  std::string path_;
};

// A file's bytes break its format's rules. Becomes ValueError naming file and byte offset.
class FormatError : public std::runtime_error {
 public:
  FormatError(const std::string& path, std::uint64_t byte_offset, const std::string& what)
      : std::runtime_error(path + ", byte " + std::to_string(byte_offset) + ": " + what) {}
};

// A file ends before what it promises. Becomes EOFError, which pyw2v.io turns into
// TruncatedFileError: both a ValueError and an EOFError.
class TruncatedError : public FormatError {
 public:
  using FormatError::FormatError;
};

// Training left the range of finite numbers. Becomes FloatingPointError.
class DivergenceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pyw2v
