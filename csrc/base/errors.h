// What can go wrong in the core, one type per kind of failure. pyw2v/_errors.h maps each to its
// Python exception; std::invalid_argument and std::bad_alloc are used as they are.
#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <new>
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

// Too little memory, and it is known how much was needed. Becomes MemoryError with this message; a
// plain std::bad_alloc becomes one without. The message needs no memory of its own.
class OutOfMemory : public std::bad_alloc {
 public:
  OutOfMemory(const char* purpose, std::uint64_t n_bytes) noexcept {
    std::snprintf(text_, sizeof text_, "too little memory: %" PRIu64 " bytes for %s", n_bytes,
                  purpose);
  }
  const char* what() const noexcept override { return text_; }

 private:
  char text_[96];
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

// Training diverged: a number is no longer finite. Becomes FloatingPointError.
class DivergenceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace pyw2v
