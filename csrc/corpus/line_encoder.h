// Labelled lines of text to an encoded corpus: four bytes for every token, labels and line ends
// among them, in lines. Tokens are numbered by first sight and counted; which of them are kept as
// words is decided later, so the text is read once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/growing_buffer.h"
#include "base/types.h"
#include "text/lines.h"
#include "text/reader.h"
#include "words/word_table.h"

namespace pyw2v {

class LineEncoder {
 public:
  // Tokens that begin with the prefix are labels. Past `budget` bytes the corpus goes to a file in
  // `folder`; see GrowingBuffer.
  LineEncoder(std::string label_prefix, std::uint64_t budget, const std::string& folder);

  // Reads a block of the file from byte_offset on, cut between tokens; returns where the next one
  // begins. A line feed, or the token `</s>`, ends a line.
  std::uint64_t read_block(const FileReader& file, std::uint64_t byte_offset);

  // One line: its tokens, then (begin_row to end_row) labels given apart. Line feeds inside are
  // blanks like any other; at its end stands `</s>`, as after a line of a file.
  void add_row_text(std::string_view text);
  void add_row_label(std::string_view label);  // without the prefix
  void end_row();

  // A last line without its line feed ends here, without `</s>`. Of the table, only words and
  // size remain: its slots would take a large part of all memory but the matrices.
  void finish();

  const WordTable& table() const { return table_; }
  const std::vector<std::uint8_t>& is_label() const { return is_label_; }  // by number
  const std::vector<std::int64_t>& counts() const { return counts_; }      // after finish()
  std::int64_t n_tokens() const { return n_tokens_; }
  std::int64_t n_lines() const { return n_lines_; }
  std::unique_ptr<GrowingBuffer> take_tokens() { return std::move(tokens_); }  // WordId
  std::unique_ptr<GrowingBuffer> take_ends() { return std::move(ends_); }      // TokenPos

 private:
  static constexpr std::size_t kAhead = WordTable::kAhead;
  static constexpr std::size_t kIds = 1 << 14;  // handed on at a time
  enum class Source { kFile, kRows };

  void add_text(std::string_view text, Source source);  // WordTable::kReadable bytes follow it
  void add_token(std::string_view token, Source source);
  void resolve(Source source);
  void resolve_all(Source source);
  void end_line();
  void hand_on();

  std::string label_prefix_;
  WordTable table_;
  std::vector<std::uint8_t> is_label_;
  std::vector<std::int64_t> counts_;
  WordId line_end_ = kNoWord;  // number of `</s>`, once it has one
  std::unique_ptr<GrowingBuffer> tokens_, ends_;
  std::vector<WordId> ids_;  // not yet in tokens_
  std::int64_t n_tokens_ = 0, n_lines_ = 0, last_end_ = 0;
  WordTable::Lookup waiting_[kAhead];
  std::size_t n_enqueued_ = 0, n_resolved_ = 0;
  std::string text_;
};

}  // namespace pyw2v
