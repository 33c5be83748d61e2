#include "text/reader.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/errors.h"

namespace pyw2v {

FileReader::FileReader(const std::string& path) : file_(path), size_(file_.size()) {}

void FileReader::read(std::uint64_t byte_offset, char* buffer, std::size_t n) const {
  const std::size_t got = file_.read_at(byte_offset, buffer, n);
  if (got < n)
    throw FormatError(path(), byte_offset + got, "the file became shorter while it was read");
}

std::uint64_t FileReader::end_of_line(std::uint64_t n_lines) const {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<char> block(static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, size_)));
  for (std::uint64_t begin = 0; begin < size_ && n_lines > 0; begin += block.size()) {
    const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, size_ - begin));
    read(begin, block.data(), n);
    const char* at = block.data();
    const char* const end = at + n;
    while ((at = static_cast<const char*>(
                std::memchr(at, '\n', static_cast<std::size_t>(end - at)))) != nullptr) {
      ++at;
      if (--n_lines == 0) return begin + static_cast<std::uint64_t>(at - block.data());
      if (at == end) break;
    }
  }
  return n_lines == 0 ? 0 : size_;
}

}  // namespace pyw2v
