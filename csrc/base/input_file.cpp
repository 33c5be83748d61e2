#include "base/input_file.h"

#include <algorithm>

#include "base/errors.h"

namespace pyw2v {

void InputFile::read(std::uint64_t byte_offset, char* buffer, std::size_t n) const {
  const std::size_t got = file_.read_at(byte_offset, buffer, n);
  if (got < n)
    throw FormatError(path(), byte_offset + got, "the file became shorter while it was read");
}

void InputFile::check_unchanged() const {
  const std::uint64_t size = file_.size();
  if (size != size_ || file_.last_change() != last_change_)
    throw FormatError(path(), std::min(size, size_), "the file changed while it was read");
}

}  // namespace pyw2v
