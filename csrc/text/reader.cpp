#include "text/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/errors.h"

namespace pyw2v {

FileReader::FileReader(std::string path) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) throw IoError(errno, path_);
  struct stat status;
  int error = ::fstat(file_, &status) == 0 ? 0 : errno;
  if (error == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
  if (error != 0) {
    ::close(file_);
    throw IoError(error, path_);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

FileReader::~FileReader() { ::close(file_); }

void FileReader::read(std::uint64_t byte_offset, char* buffer, std::size_t n) const {
  while (n > 0) {
    const ssize_t got = ::pread(file_, buffer, n, static_cast<off_t>(byte_offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw IoError(errno, path_);
    if (got == 0)
      throw FormatError(path_, byte_offset, "the file became shorter while it was read");
    byte_offset += static_cast<std::uint64_t>(got);
    buffer += got;
    n -= static_cast<std::size_t>(got);
  }
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
