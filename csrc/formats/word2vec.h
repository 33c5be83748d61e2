// The files of the word2vec C program, read in pieces.
//
// Text:   "<n_words> <dim>\n", then per word "<word> <number> ... <number>\n"; GloVe leaves the
// first
//         line out. A word ends at the first space; spaces before the end of a line do not count.
// Binary: the same first line, then per word "<word> " and dim little-endian floats, followed by
//         "\n" in the C program's own files and by nothing in gensim's. Both are read.
//
// Whatever the first line claims is checked against the size of the file before memory is asked
// for: a row takes at least 2 bytes a number as text and 4 as binary. Pieces are read, not mapped
// (see text/reader.h), twice: once to find the rows, once for their numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_file.h"
#include "base/interrupt.h"

namespace pyw2v {

enum class Choice { kNo, kYes, kDetect };

struct Word2VecOptions {
  Choice binary = Choice::kNo;
  Choice header = Choice::kYes;
  std::int64_t max_words = -1;  // negative: all
  bool complete = true;         // false: more bytes would follow, so an unended line is no row
  std::size_t n_threads = 0;    // 0: as many as the machine runs at once
  const Interrupt* interrupt = &kNoInterrupt;  // must outlive the file
};

// One file. open() finds the rows, read() converts the numbers and keeps the words.
// Faults of the content are FormatError or TruncatedError; system calls throw IoError.
class Word2VecFile {
 public:
  // name is what messages call the file; UTF-8.
  void open(const std::string& path, const std::string& name, const Word2VecOptions& options);

  bool binary() const { return binary_; }
  std::size_t n_words() const { return n_words_; }
  std::size_t dim() const { return dim_; }
  // Whether the file goes on after the number of rows that its own first line states.
  bool has_more() const { return has_more_; }

  // Fills n_words() x dim() numbers, rows without gaps. Out is float, double or Half.
  template <class Out>
  void read(Out* out, std::size_t n_threads);

  // Valid after read().
  std::string_view word(std::size_t row) const { return words_[row]; }
  std::uint64_t word_offset(std::size_t row) const { return begins_[row]; }

 private:
  struct Piece {
    std::uint64_t begin, end;  // bytes; the piece has the lines that start in it
    std::size_t first_row, n_rows;
  };
  // Bytes of the file from `begin` on, in memory.
  struct Stretch {
    std::unique_ptr<char[]> bytes;
    std::uint64_t begin = 0, end = 0;
    const char* at(std::uint64_t byte_offset) const { return bytes.get() + (byte_offset - begin); }
    std::uint64_t offset(const char* p) const {
      return begin + static_cast<std::uint64_t>(p - bytes.get());
    }
  };

  Stretch stretch(std::uint64_t begin, std::uint64_t end) const;
  Stretch first_lines() const;
  void read_head(const Word2VecOptions& options);
  void check_claim(std::size_t bytes_per_number) const;
  void find_text_rows(const Word2VecOptions& options);
  void find_binary_rows();
  template <class Drop>
  void drop_end(const Drop& drop);
  std::size_t count_lines(const Piece& piece) const;
  template <class Out>
  void read_piece(const Piece& piece, std::string& words, Out* out);
  template <class Out>
  void read_line(const Stretch& text, const char* line, const char* line_end, std::size_t row,
                 Out* out);
  void view_words(const std::string& text, std::size_t first, std::size_t last);
  template <class Out>
  void read_binary_rows(std::size_t first, std::size_t last, Out* out) const;

  std::int64_t count_numbers(const char* begin, const char* end) const;
  [[noreturn]] void fail(std::uint64_t byte_offset, const std::string& what) const;
  [[noreturn]] void fail_short(std::uint64_t byte_offset, const std::string& what) const;

  std::unique_ptr<InputFile> file_;
  const Interrupt* interrupt_ = &kNoInterrupt;
  std::string name_;
  std::uint64_t size_ = 0;  // bytes that count: without white space at the end of a text
  std::uint64_t body_ = 0;  // where the rows start
  bool binary_ = false;
  bool header_ = false;
  bool has_more_ = false;
  std::uint64_t n_claimed_ = 0;  // by the first line
  std::size_t n_words_ = 0;
  std::size_t dim_ = 0;
  std::vector<Piece> pieces_;                 // of a text
  std::vector<std::uint64_t> begins_, ends_;  // of each word
  std::vector<std::string> texts_;            // the words of each piece, one behind the other
  std::vector<std::string_view> words_;       // in texts_
};

// Appends rows to out, as the formats above have them. words holds n_rows words, each ended by a
// space. Numbers are the shortest decimals that read back as the same value.
template <class Real>
void append_text_rows(std::string_view words, const Real* rows, std::size_t n_rows, std::size_t dim,
                      const Interrupt& interrupt, std::string& out);
void append_binary_rows(std::string_view words, const float* rows, std::size_t n_rows,
                        std::size_t dim, std::string& out);

}  // namespace pyw2v
