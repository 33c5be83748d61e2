#include "text/reader.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

namespace pyw2v {

FileReader::FileReader(const std::string& path) : file_(path) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  char start[kByteOrderMark.size()];
  if (file_.size() < sizeof start) return;
  file_.read(0, start, sizeof start);
  if (std::string_view(start, sizeof start) == kByteOrderMark) n_mark_ = sizeof start;
}

void FileReader::read(std::uint64_t byte_offset, char* buffer, std::size_t n) const {
  file_.read(byte_offset, buffer, n);
  for (std::uint64_t at = byte_offset; at < n_mark_ && at - byte_offset < n; ++at)
    buffer[at - byte_offset] = ' ';
}

std::uint64_t FileReader::end_of_line(std::uint64_t n_lines) const {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<char> block(static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, size())));
  for (std::uint64_t begin = 0; begin < size() && n_lines > 0; begin += block.size()) {
    const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, size() - begin));
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
  return n_lines == 0 ? 0 : size();
}

}  // namespace pyw2v
