#include "formats/word2vec.h"

#include <algorithm>
#include <cerrno>
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
constexpr std::size_t kBlockBytes = std::size_t{1} << 18;  // of binary; stays in the cache
constexpr std::size_t kHeadBytes = std::size_t{1} << 14;
constexpr std::size_t kMaxHeader = 256;  // bytes; two integers need 42
// What may lie between two ends of words, or of lines: beyond it more bytes would not help.
constexpr std::size_t kMaxWord = std::size_t{1} << 20;
constexpr std::size_t kMaxNumber = 512;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

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

// How many numbers follow the word on the line at begin; -1 when something else does.
std::int64_t Word2VecFile::count_numbers(const char* begin, const char* end) const {
  end = find(begin, end, '\n');
  const char* p = skip_blanks(find(begin, end, ' '), end);
  std::int64_t n = 0;
  CheckedSteps steps(*interrupt_);
  for (double ignored; p < end; ++n) {
    steps.step();
    p = parse_number(p, end, ignored);
    if (p == nullptr || (p < end && !is_blank(*p))) return -1;
    p = skip_blanks(p, end);
  }
  return n;
}

void Word2VecFile::open(const std::string& path, const std::string& name,
                        const Word2VecOptions& options) {
  file_ = std::make_unique<InputFile>(path);
  if (!file_->is_regular()) throw IoError(ESPIPE, path);
  name_ = name;
  size_ = file_->size();
  interrupt_ = options.interrupt;
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

Word2VecFile::Stretch Word2VecFile::stretch(std::uint64_t begin, std::uint64_t end) const {
  const auto n = static_cast<std::size_t>(end - begin);
  Stretch result{std::unique_ptr<char[]>(new char[n]), begin, end};
  file_->read(begin, result.bytes.get(), n);
  return result;
}

// The first two lines, by which the kind of the file is told, and some more.
Word2VecFile::Stretch Word2VecFile::first_lines() const {
  for (std::uint64_t n = kHeadBytes;; n *= 2) {
    Stretch head = stretch(0, std::min(size_, n));
    const char* const end = head.at(head.end);
    const char* const line_end = find(head.at(0), end, '\n');
    if (head.end == size_ || (line_end < end && find(line_end + 1, end, '\n') < end)) return head;
  }
}

void Word2VecFile::read_head(const Word2VecOptions& options) {
  const Stretch head = first_lines();
  const char* const end = head.at(head.end);
  const std::string_view first(head.at(0), static_cast<std::size_t>(head.end));
  if (first.substr(0, kByteOrderMark.size()) == kByteOrderMark) body_ = kByteOrderMark.size();
  const char* const start = head.at(body_);
  const char* const line_end =
      find(start, head.at(std::min<std::uint64_t>(head.end, kMaxHeader)), '\n');
  const bool has_line = line_end < end && *line_end == '\n';
  std::int64_t n_words = 0;
  std::int64_t dim = 0;
  header_ = has_line && parse_header(start, line_end, n_words, dim);
  binary_ = options.binary == Choice::kYes;

  if (options.header == Choice::kYes && !header_) {
    if (!has_line && size_ < kMaxHeader) fail_short(0, "the file ends within its first line");
    fail(0,
         "the first line must state the number of words and of dimensions; if the file has no"
         " such line, give no_header=True");
  }
  if (options.header == Choice::kNo) header_ = false;
  if (header_) {
    if (n_words < 0 || dim < 1) {
      fail(0, "the first line states " + std::to_string(n_words) + " words of " +
                  std::to_string(dim) + " dimensions");
    }
    const std::int64_t n_numbers = n_words == 0 ? dim : count_numbers(line_end + 1, end);
    if (options.header == Choice::kDetect && !binary_ && n_numbers == 1 && dim != 1) {
      header_ = false;  // a column of numbers, its first word a number too
    } else if (options.binary == Choice::kDetect) {
      binary_ = n_numbers != dim;
    }
  }
  if (header_) {
    body_ = head.offset(line_end + 1);
    n_claimed_ = static_cast<std::uint64_t>(n_words);
    n_words_ = static_cast<std::size_t>(n_words);
    dim_ = static_cast<std::size_t>(dim);
    return;
  }
  if (binary_) fail(0, "a binary file must start with its number of words and of dimensions");
  const std::int64_t n_numbers = count_numbers(start, end);
  if (size_ == 0) fail_short(0, "the file is empty");
  if (n_numbers < 1) fail(0, "the first line must be a word and its numbers, parted by spaces");
  dim_ = static_cast<std::size_t>(n_numbers);
}

// Refuses a first line that the file is too small for. A word may be empty, its space may not.
void Word2VecFile::check_claim(std::size_t bytes_per_number) const {
  const std::uint64_t available = size_ - body_;
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
  const std::uint64_t row_bytes = std::uint64_t{dim_} * sizeof(float);
  Stretch block;
  std::uint64_t at = body_;
  // At a byte that is no line feed, and in the block; or at the end of the file.
  const auto skip_line_feeds = [&] {
    for (; at < size_; ++at) {
      if (at >= block.end) block = stretch(at, std::min(size_, at + kBlockBytes));
      if (*block.at(at) != '\n') return;
    }
  };
  begins_.reserve(n_words_);
  ends_.reserve(n_words_);
  texts_.resize(1);
  CheckedSteps steps(*interrupt_);
  for (std::size_t row = 0; row < n_words_; ++row) {
    steps.step();
    skip_line_feeds();
    const char* space = nullptr;
    for (std::uint64_t n = kBlockBytes; at < size_; n *= 2) {
      space = find(block.at(at), block.at(block.end), ' ');
      if (space < block.at(block.end) || block.end == size_) break;
      if (block.end - at > kMaxWord) fail(at, "word " + std::to_string(row + 1) + " has no end");
      block = stretch(at, std::min(size_, at + n));
    }
    if (at == size_ || block.offset(space) == size_) {
      if (size_ - at > kMaxWord) fail(at, "word " + std::to_string(row + 1) + " has no end");
      fail_short(at, "the file ends within word " + std::to_string(row + 1) + " of " +
                         std::to_string(n_words_));
    }
    if (find(block.at(at), space, '\n') != space) {
      fail(at, "word " + std::to_string(row + 1) +
                   " has a line break in it; if this is a text file, give binary=False");
    }
    begins_.push_back(at);
    ends_.push_back(block.offset(space));
    texts_[0].append(block.at(at), space);
    at = block.offset(space) + 1;
    if (size_ - at < row_bytes) {
      fail_short(at, "the file ends within the vector of word " + std::to_string(row + 1) + " of " +
                         std::to_string(n_words_));
    }
    at += row_bytes;
  }
  skip_line_feeds();
  has_more_ = n_words_ == n_claimed_ && at < size_;
  words_.resize(n_words_);
  view_words(texts_[0], 0, n_words_);
}

// Makes the file end before the last bytes that drop() is true of.
template <class Drop>
void Word2VecFile::drop_end(const Drop& drop) {
  while (size_ > body_) {
    const Stretch last = stretch(size_ - std::min<std::uint64_t>(size_ - body_, kHeadBytes), size_);
    while (size_ > last.begin && drop(*last.at(size_ - 1))) --size_;
    if (size_ > last.begin) return;
  }
}

// The first line of the body, and every line after a line break.
std::size_t Word2VecFile::count_lines(const Piece& piece) const {
  const bool is_first = piece.begin == body_;
  const Stretch text = stretch(piece.begin - (is_first ? 0 : 1), piece.end - 1);
  const char* const end = text.at(text.end);
  std::size_t n = is_first ? 1 : 0;
  for (const char* p = find(text.at(text.begin), end, '\n'); p < end; p = find(p + 1, end, '\n')) {
    ++n;
  }
  return n;
}

void Word2VecFile::find_text_rows(const Word2VecOptions& options) {
  const std::uint64_t available = size_;
  if (!options.complete) drop_end([](char c) { return c != '\n'; });
  const std::uint64_t unended = available - size_;
  drop_end([](char c) { return is_blank(c) || c == '\n'; });
  const std::size_t wanted = header_                  ? n_words_
                             : options.max_words >= 0 ? static_cast<std::size_t>(options.max_words)
                                                      : std::numeric_limits<std::size_t>::max();
  const bool endless = unended / kMaxNumber > dim_ + kMaxWord / kMaxNumber;
  if (header_ && !endless) check_claim(2);  // a space and a digit

  // How many lines start in each piece, some pieces at a time, until there are enough.
  std::size_t n_rows = 0;
  for (std::uint64_t begin = body_; begin < size_ && n_rows <= wanted;) {
    const std::size_t first = pieces_.size();
    for (; begin < size_ && pieces_.size() < first + kPiecesAtOnce; begin += kPieceBytes) {
      pieces_.push_back({begin, std::min(size_, begin + kPieceBytes), 0, 0});
    }
    parallel_for(pieces_.size() - first, options.n_threads, *interrupt_, [&](std::size_t i) {
      pieces_[first + i].n_rows = count_lines(pieces_[first + i]);
    });
    for (std::size_t i = first; i < pieces_.size(); ++i) {
      pieces_[i].first_row = n_rows;
      n_rows += pieces_[i].n_rows;
    }
  }
  if (endless &&
      (n_rows < wanted || dim_ > (size_ - body_) / 2 / std::max(n_words_, std::size_t{1})))
    fail(size_, "a line of a word and " + std::to_string(dim_) + " numbers has no end");
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
  words_.resize(n_words_);
}

template <class Out>
void Word2VecFile::read_line(const Stretch& text, const char* line, const char* line_end,
                             std::size_t row, Out* out) {
  const char* stop = line_end;
  while (stop > line && is_blank(stop[-1])) --stop;
  const char* const word_end = find(line, stop, ' ');
  begins_[row] = text.offset(line);
  ends_[row] = text.offset(word_end);

  const char* p = word_end;
  CheckedSteps steps(*interrupt_);  // a row may be long
  for (std::size_t i = 0; i < dim_; ++i) {
    steps.step();
    while (p < stop && *p == ' ') ++p;
    if (p == stop) {
      const std::string what = "row " + std::to_string(row + 1) + " has " + std::to_string(i) +
                               " numbers, not " + std::to_string(dim_);
      if (text.offset(line_end) == size_) fail_short(text.offset(p), what);
      fail(text.offset(p), what);
    }
    double value;
    const char* const next = parse_number(p, stop, value);
    if (next == nullptr || (next < stop && *next != ' ')) {
      fail(text.offset(p), quoted(p, stop) + " in row " + std::to_string(row + 1) +
                               " is not a number; a word may have no space in it, and a binary file"
                               " needs binary=True");
    }
    if (!Rounded<Out>::fits(value)) {
      fail(text.offset(p), quoted(p, stop) + " in row " + std::to_string(row + 1) +
                               " is too large for the type of the vectors");
    }
    out[i] = Rounded<Out>::of(value);
    p = next;
  }
  if (p != stop) {
    fail(text.offset(p),
         "row " + std::to_string(row + 1) + " has more than " + std::to_string(dim_) + " numbers");
  }
}

template <class Out>
void Word2VecFile::read_piece(const Piece& piece, std::string& words, Out* out) {
  // With the end of the last line, for which a guess mostly is enough.
  const std::uint64_t from = piece.begin - (piece.begin > body_ ? 1 : 0);
  Stretch text;
  for (std::uint64_t more = 16 * std::uint64_t{dim_} + 256;; more *= 2) {
    text = stretch(from, std::min(size_, piece.end + more));
    const char* const end = text.at(text.end);
    if (text.end == size_ || find(text.at(piece.end - 1), end, '\n') < end) break;
  }
  const char* const end = text.at(text.end);
  const char* line = text.at(from);
  if (piece.begin > body_) line = std::min(find(line, end, '\n') + 1, end);
  const std::size_t last = std::min(n_words_, piece.first_row + piece.n_rows);
  std::size_t row = piece.first_row;
  for (; line < text.at(piece.end) && row < last; ++row) {
    const char* const line_end = find(line, end, '\n');
    read_line(text, line, line_end, row, out + row * dim_);
    words.append(line, static_cast<std::size_t>(ends_[row] - begins_[row]));
    line = std::min(line_end + 1, end);
  }
  if (row < last) fail(text.offset(line), "the file changed while it was read");
  view_words(words, piece.first_row, last);
}

// The words of rows [first, last), which are those of text.
void Word2VecFile::view_words(const std::string& text, std::size_t first, std::size_t last) {
  const char* at = text.data();
  for (std::size_t row = first; row < last; ++row) {
    words_[row] = {at, static_cast<std::size_t>(ends_[row] - begins_[row])};
    at += words_[row].size();
  }
}

// Rows lie one behind the other, so that one read takes in all of them and the words between them.
template <class Out>
void Word2VecFile::read_binary_rows(std::size_t first, std::size_t last, Out* out) const {
  const std::size_t row_bytes = dim_ * sizeof(float);
  const Stretch block = stretch(ends_[first] + 1, ends_[last - 1] + 1 + row_bytes);
  for (std::size_t row = first; row < last; ++row) {
    const char* const source = block.at(ends_[row] + 1);
    Out* const target = out + row * dim_;
    if constexpr (std::is_same_v<Out, float>) {
      std::memcpy(target, source, row_bytes);
    } else {
      for (std::size_t i = 0; i < dim_; ++i) {
        float value;
        std::memcpy(&value, source + i * sizeof value, sizeof value);
        target[i] = Rounded<Out>::of(value);
      }
    }
  }
}

template <class Out>
void Word2VecFile::read(Out* out, std::size_t n_threads) {
  if (binary_) {
    const std::size_t step = std::max<std::size_t>(1, kBlockBytes / (dim_ * sizeof(float)));
    parallel_for((n_words_ + step - 1) / step, n_threads, *interrupt_, [&](std::size_t i) {
      read_binary_rows(i * step, std::min(n_words_, (i + 1) * step), out);
    });
  } else {
    texts_.resize(pieces_.size());
    parallel_for(pieces_.size(), n_threads, *interrupt_,
                 [&](std::size_t i) { read_piece(pieces_[i], texts_[i], out); });
  }
  file_->check_unchanged();
}

template void Word2VecFile::read(float*, std::size_t);
template void Word2VecFile::read(double*, std::size_t);
template void Word2VecFile::read(Half*, std::size_t);

}  // namespace pyw2v
