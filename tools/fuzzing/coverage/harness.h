// What the harnesses share: a file in memory with the bytes of the input, and which exceptions are
// refusals. Any other one, and every broken `must`, ends the process: libFuzzer keeps the input.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/errors.h"

inline void must(bool holds) {
  if (!holds) std::abort();
}

class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("input", 0)), path_("/proc/self/fd/" + std::to_string(fd_)) {}
  const std::string& holding(std::string_view bytes) {
    must(ftruncate(fd_, 0) == 0);
    must(pwrite(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    return path_;
  }

 private:
  int fd_;
  std::string path_;
};

template <class Work>
void refusing(Work&& work) {
  try {
    work();
  } catch (const pyw2v::FormatError&) {
  } catch (const std::invalid_argument&) {
  }
}

// The input: some bytes of choices, then the text.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t n) : bytes_(reinterpret_cast<const char*>(data), n) {}
  unsigned choice(unsigned n) {
    if (bytes_.empty()) return 0;
    const auto value = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return value % n;
  }
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};
