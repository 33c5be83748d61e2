#include "formats/word2vec.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/errors.h"
#include "base/parallel.h"
#include "formats/numbers.h"

namespace pyw2v {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 19;  // of text, one piece of work
constexpr std::size_t kPiecesAtOnce = 64;
constexpr std::size_t kPieceRows = 4096;  // of binary
constexpr std::size_t kMaxHeader = 256;   // bytes; two integers need 42

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

const char* find(const char* begin, const char* end, char c) {
  if (begin == end) return end;
  const void* found = std::memchr(begin, c, static_cast<std::size_t>(end - begin));
  return found == nullptr ? end : static_cast<const char*>(found);
}

const char* skip_blanks(const char* p, const char* end) {
  while (p < end && is_blank(*p)) ++p;
  return p;
}

// Reads the two integers that alone make up a first line, signs included.
bool parse_header(const char* begin, const char* end, std::int64_t& n_words, std::int64_t& dim) {
  for (std::int64_t* value : {&n_words, &dim}) {
    begin = skip_blanks(begin, end);
    const std::from_chars_result result = std::from_chars(begin, end, *value);
    if (result.ec == std::errc::invalid_argument) return false;
    // Too large for 64 bits is too large for any file.
    if (result.ec != std::errc()) *value = std::numeric_limits<std::int64_t>::max();
    begin = result.ptr;
    if (begin < end && !is_blank(*begin)) return false;
  }
  return skip_blanks(begin, end) == end;
}

// How many numbers follow the word on the line at begin; -1 when something else does.
std::int64_t count_numbers(const char* begin, const char* end) {
  end = find(begin, end, '\n');
  const char* p = skip_blanks(find(begin, end, ' '), end);
  std::int64_t n = 0;
  for (double ignored; p < end; ++n) {
    p = parse_number(p, end, ignored);
    if (p == nullptr || (p < end && !is_blank(*p))) return -1;
    p = skip_blanks(p, end);
  }
  return n;
}

std::string quoted(const char* begin, const char* end) {
  constexpr std::ptrdiff_t kMaxShown = 24;
  std::string text = "'";
  for (const char* p = begin; p < end && p - begin < kMaxShown && *p != ' '; ++p) {
    text += *p >= ' ' && *p <= '~' ? *p : '?';
  }
  return text + "'";
}

}  // namespace

void Word2VecFile::fail(std::uint64_t byte_offset, const std::string& what) const {
  throw FormatError(name_, byte_offset, what);
}

void Word2VecFile::fail_short(std::uint64_t byte_offset, const std::string& what) const {
  throw TruncatedError(name_, byte_offset, what);
}

void Word2VecFile::open(const std::string& path, const std::string& name,
                        const Word2VecOptions& options) {
  file_ = MappedFile(path);
  name_ = name;
  data_ = file_.data();
  size_ = file_.size();
  read_head(options);
  if (options.max_words >= 0 && header_) {
    n_words_ = static_cast<std::size_t>(
        std::min(n_claimed_, static_cast<std::uint64_t>(options.max_words)));
  }
  if (binary_) {
    find_binary_rows();
  } else {
    find_text_rows(options);
  }
}

void Word2VecFile::read_head(const Word2VecOptions& options) {
  const char* const end = data_ + size_;
  const char* const line_end = find(data_, data_ + std::min(size_, kMaxHeader), '\n');
  const bool has_line = line_end < end && *line_end == '\n';
  std::int64_t n_words = 0;
  std::int64_t dim = 0;
  header_ = has_line && parse_header(data_, line_end, n_words, dim);
  binary_ = options.binary == Answer::kYes;

  if (options.header == Answer::kYes && !header_) {
    if (!has_line && size_ < kMaxHeader) fail_short(0, "the file ends within its first line");
    fail(0,
         "the first line must state the number of words and of dimensions; if the file has no"
         " such line, give no_header=True");
  }
  if (options.header == Answer::kNo) header_ = false;
  if (header_) {
    if (n_words < 0 || dim < 1) {
      fail(0, "the first line states " + std::to_string(n_words) + " words of " +
                  std::to_string(dim) + " dimensions");
    }
    const std::int64_t n_numbers = n_words == 0 ? dim : count_numbers(line_end + 1, end);
    if (options.header == Answer::kDetect && !binary_ && n_numbers == 1 && dim != 1) {
      header_ = false;  // a column of numbers, its first word a number too
    } else if (options.binary == Answer::kDetect) {
      binary_ = n_numbers != dim;
    }
  }
  if (header_) {
    body_ = static_cast<std::size_t>(line_end + 1 - data_);
    n_claimed_ = static_cast<std::uint64_t>(n_words);
    n_words_ = static_cast<std::size_t>(n_words);
    dim_ = static_cast<std::size_t>(dim);
    return;
  }
  if (binary_) fail(0, "a binary file must start with its number of words and of dimensions");
  const std::int64_t n_numbers = count_numbers(data_, end);
  if (size_ == 0) fail_short(0, "the file is empty");
  if (n_numbers < 1) fail(0, "the first line must be a word and its numbers, parted by spaces");
  dim_ = static_cast<std::size_t>(n_numbers);
}

// Refuses a first line that the file is too small for. A word may be empty, its space may not.
void Word2VecFile::check_claim(std::size_t bytes_per_number) const {
  const std::size_t available = size_ - body_;
  if (n_words_ == 0) {
    // Nothing is allocated, but NumPy cannot represent every width.
    if (dim_ > std::numeric_limits<std::int32_t>::max()) fail(0, "too many dimensions");
    return;
  }
  if (dim_ > available / bytes_per_number || n_words_ > available / (bytes_per_number * dim_)) {
    fail_short(size_, "the first line states " + std::to_string(n_claimed_) + " words of " +
                          std::to_string(dim_) + " dimensions, which takes more than the " +
                          std::to_string(available) + " bytes that follow it");
  }
}

void Word2VecFile::find_binary_rows() {
  check_claim(sizeof(float));
  const std::size_t row_bytes = dim_ * sizeof(float);
  const char* const end = data_ + size_;
  const char* p = data_ + body_;
  begins_.reserve(n_words_);
  ends_.reserve(n_words_);
  for (std::size_t row = 0; row < n_words_; ++row) {
    while (p < end && *p == '\n') ++p;
    const char* const space = find(p, end, ' ');
    if (space == end) {
      fail_short(offset(p), "the file ends within word " + std::to_string(row + 1) + " of " +
                                std::to_string(n_words_));
    }
    if (find(p, space, '\n') != space) {
      fail(offset(p), "word " + std::to_string(row + 1) +
                          " has a line break in it; if this is a text file, give binary=False");
    }
    begins_.push_back(offset(p));
    ends_.push_back(offset(space));
    p = space + 1;
    if (static_cast<std::size_t>(end - p) < row_bytes) {
      fail_short(offset(p), "the file ends within the vector of word " + std::to_string(row + 1) +
                                " of " + std::to_string(n_words_));
    }
    p += row_bytes;
  }
  while (p < end && *p == '\n') ++p;
  has_more_ = n_words_ == n_claimed_ && p < end;
}

// The first line of the body, and every line after a line break.
std::size_t Word2VecFile::count_lines(const Piece& piece) const {
  const bool is_first = piece.begin == body_;
  const char* const end = data_ + piece.end - 1;
  const char* p = data_ + piece.begin - (is_first ? 0 : 1);
  std::size_t n = is_first ? 1 : 0;
  for (p = find(p, end, '\n'); p < end; p = find(p + 1, end, '\n')) ++n;
  return n;
}

void Word2VecFile::find_text_rows(const Word2VecOptions& options) {
  if (options.complete) {
    while (size_ > body_ && (is_blank(data_[size_ - 1]) || data_[size_ - 1] == '\n')) --size_;
  } else {
    while (size_ > body_ && data_[size_ - 1] != '\n') --size_;
    if (size_ > body_) --size_;
  }
  const std::size_t wanted = header_                  ? n_words_
                             : options.max_words >= 0 ? static_cast<std::size_t>(options.max_words)
                                                      : std::numeric_limits<std::size_t>::max();
  if (header_) check_claim(2);  // a space and a digit

  // How many lines start in each piece, some pieces at a time, until there are enough.
  std::size_t n_rows = 0;
  for (std::size_t begin = body_; begin < size_ && n_rows <= wanted;) {
    const std::size_t first = pieces_.size();
    for (; begin < size_ && pieces_.size() < first + kPiecesAtOnce; begin += kPieceBytes) {
      pieces_.push_back({begin, std::min(size_, begin + kPieceBytes), 0});
    }
    std::vector<std::size_t> n_lines(pieces_.size() - first);
    parallel_for(n_lines.size(), options.n_threads,
                 [&](std::size_t i) { n_lines[i] = count_lines(pieces_[first + i]); });
    for (std::size_t i = 0; i < n_lines.size(); ++i) {
      pieces_[first + i].first_row = n_rows;
      n_rows += n_lines[i];
    }
  }
  if (header_ && n_rows < wanted) {
    fail_short(size_, "the file ends after " + std::to_string(n_rows) + " of " +
                          std::to_string(wanted) + " rows");
  }
  if (!options.complete && n_rows < wanted) fail_short(size_, "the file goes on");
  has_more_ = header_ && n_words_ == n_claimed_ && n_rows > wanted;
  n_words_ = std::min(n_rows, wanted);
  if (!header_ && n_words_ > 0 && n_words_ > size_ / (2 * dim_)) {
    fail(0, "the lines differ in their number of numbers");
  }
  begins_.resize(n_words_);
  ends_.resize(n_words_);
}

template <class Out>
void Word2VecFile::read_line(std::size_t begin, std::size_t end, std::size_t row, Out* out) {
  const char* const line = data_ + begin;
  const char* stop = data_ + end;
  while (stop > line && is_blank(stop[-1])) --stop;
  const char* const word_end = find(line, stop, ' ');
  begins_[row] = begin;
  ends_[row] = offset(word_end);

  const char* p = word_end;
  for (std::size_t i = 0; i < dim_; ++i) {
    while (p < stop && *p == ' ') ++p;
    if (p == stop) {
      const std::string what = "row " + std::to_string(row + 1) + " has " + std::to_string(i) +
                               " numbers, not " + std::to_string(dim_);
      if (end == size_) fail_short(offset(p), what);
      fail(offset(p), what);
    }
    double value;
    const char* const next = parse_number(p, stop, value);
    if (next == nullptr || (next < stop && *next != ' ')) {
      fail(offset(p), quoted(p, stop) + " in row " + std::to_string(row + 1) +
                          " is not a number; a word may have no space in it, and a binary file"
                          " needs binary=True");
    }
    if (!Rounded<Out>::fits(value)) {
      fail(offset(p), quoted(p, stop) + " in row " + std::to_string(row + 1) +
                          " is too large for the type of the vectors");
    }
    out[i] = Rounded<Out>::of(value);
    p = next;
  }
  if (p != stop) {
    fail(offset(p),
         "row " + std::to_string(row + 1) + " has more than " + std::to_string(dim_) + " numbers");
  }
}

template <class Out>
void Word2VecFile::read_piece(const Piece& piece, Out* out) {
  const char* const end = data_ + size_;
  const char* line = data_ + piece.begin;
  if (piece.begin > body_) line = std::min(find(line - 1, end, '\n') + 1, end);
  for (std::size_t row = piece.first_row; line < data_ + piece.end && row < n_words_; ++row) {
    const char* const line_end = find(line, end, '\n');
    read_line(offset(line), offset(line_end), row, out + row * dim_);
    line = std::min(line_end + 1, end);
  }
}

template <class Out>
void Word2VecFile::read(Out* out, std::size_t n_threads) {
  if (!binary_) {
    parallel_for(pieces_.size(), n_threads, [&](std::size_t i) { read_piece(pieces_[i], out); });
    return;
  }
  parallel_for((n_words_ + kPieceRows - 1) / kPieceRows, n_threads, [&](std::size_t piece) {
    const std::size_t last = std::min(n_words_, (piece + 1) * kPieceRows);
    for (std::size_t row = piece * kPieceRows; row < last; ++row) {
      const char* const source = data_ + ends_[row] + 1;
      Out* const target = out + row * dim_;
      if constexpr (std::is_same_v<Out, float>) {
        std::memcpy(target, source, dim_ * sizeof(float));
      } else {
        for (std::size_t i = 0; i < dim_; ++i) {
          float value;
          std::memcpy(&value, source + i * sizeof value, sizeof value);
          target[i] = Rounded<Out>::of(value);
        }
      }
    }
  });
}

template void Word2VecFile::read(float*, std::size_t);
template void Word2VecFile::read(double*, std::size_t);
template void Word2VecFile::read(Half*, std::size_t);

}  // namespace pyw2v
