#include "base/mapped_file.h"

#include <cerrno>

#include "base/errors.h"
#include "base/file.h"

namespace pyw2v {

MappedFile::MappedFile(const std::string& path) {
  const File file(path);
  if (!file.is_regular()) throw IoError(ESPIPE, path);
  const auto size = static_cast<std::size_t>(file.size());
  if (size == 0) return;
  data_ = static_cast<const char*>(file.map_for_reading(size));
  size_ = size;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) File::unmap(data_, size_);
}

}  // namespace pyw2v
