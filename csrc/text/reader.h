// Bytes of a file by position, for several threads at once.
//
// Positioned reads into a buffer of the caller rather than one mapping of the whole file. Both take
// the same time (140 MB of English, tokenized: 0.19 s each), and
//  - a mapped file that another program truncates kills the process (SIGBUS); a read can say so;
//  - mapped pages count as memory of the process, read ones do not;
//  - the tokenizer may read past the end of a buffer that is its own (see tokenizer.h);
//  - threads do not meet in the kernel's page-fault lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/input_file.h"

namespace pyw2v {

class FileReader {
 public:
  explicit FileReader(const std::string& path);  // throws IoError

  const std::string& path() const { return file_.path(); }
  std::uint64_t size() const { return file_.size(); }  // bytes, when it was opened

  // Fills buffer with n bytes from byte_offset on; all of them must lie inside size(). A byte-order
  // mark that the file begins with reads as blanks: it is no part of the first word. Throws
  // IoError, or FormatError when the file has become shorter. Safe from any thread.
  void read(std::uint64_t byte_offset, char* buffer, std::size_t n) const;

  // The position after the n_lines-th line feed, or size() when there are fewer.
  std::uint64_t end_of_line(std::uint64_t n_lines) const;

 private:
  InputFile file_;
  std::uint64_t n_mark_ = 0;  // bytes of the byte-order mark
};

}  // namespace pyw2v
