#include "corpus/line_encoder.h"

#include <algorithm>
#include <utility>

namespace pyw2v {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr char kLineEndText[WordTable::kReadable] = "</s>";

}  // namespace

LineEncoder::LineEncoder(std::string label_prefix, std::uint64_t budget, const std::string& folder)
    : label_prefix_(std::move(label_prefix)),
      tokens_(std::make_unique<GrowingBuffer>(budget, folder)),
      ends_(std::make_unique<GrowingBuffer>(budget, folder)) {
  ids_.reserve(kIds);
}

std::uint64_t LineEncoder::read_block(const FileReader& file, std::uint64_t byte_offset) {
  const std::uint64_t left = file.size() - byte_offset;
  for (std::uint64_t size = kBlockBytes;; size *= 2) {
    const auto n = static_cast<std::size_t>(std::min(size, left));
    text_.resize(n + WordTable::kReadable);
    file.read(byte_offset, text_.data(), n);
    std::size_t end = n;
    if (n < left)
      while (end > 0 && !is_separator(text_[end - 1])) --end;
    if (end == 0 && n < left) continue;  // a token longer than the block
    add_text({text_.data(), end}, Source::kFile);
    return byte_offset + end;
  }
}

void LineEncoder::add_row_text(std::string_view text) {
  text_.assign(text);
  text_.resize(text.size() + WordTable::kReadable);
  add_text({text_.data(), text.size()}, Source::kRows);
}

void LineEncoder::add_row_label(std::string_view label) {
  text_.assign(label_prefix_).append(label);
  const std::size_t n = text_.size();
  text_.resize(n + WordTable::kReadable);
  add_token({text_.data(), n}, Source::kRows);
  resolve_all(Source::kRows);
}

void LineEncoder::end_row() {
  add_token({kLineEndText, kLineEnd.size()}, Source::kRows);
  resolve_all(Source::kRows);
  end_line();
}

void LineEncoder::finish() {
  if (n_tokens_ > last_end_) end_line();
  hand_on();
  counts_ = table_.counts();
  table_.freeze();
  tokens_->finish();
  ends_->finish();
}

void LineEncoder::add_text(std::string_view text, Source source) {
  split_lines(
      text, [&](std::string_view token) { add_token(token, source); },
      [&] {
        if (source == Source::kFile) add_token({kLineEndText, kLineEnd.size()}, source);
        return true;
      });
  resolve_all(source);
}

// Words wait in a queue while their slots of the table arrive.
void LineEncoder::add_token(std::string_view token, Source source) {
  if (n_enqueued_ - n_resolved_ == kAhead) resolve(source);
  waiting_[n_enqueued_++ % kAhead] = table_.begin(token.data(), token.size());
}

void LineEncoder::resolve(Source source) {
  const WordTable::Lookup& lookup = waiting_[n_resolved_++ % kAhead];
  const WordId id = table_.end(lookup);
  if (static_cast<std::size_t>(id) == is_label_.size()) {
    const std::string_view token(lookup.word, lookup.n);
    is_label_.push_back(starts_with(token, label_prefix_));
    if (token == kLineEnd) line_end_ = id;
  }
  ids_.push_back(id);
  ++n_tokens_;
  if (ids_.size() == kIds) hand_on();
  if (id == line_end_ && source == Source::kFile) end_line();
}

void LineEncoder::resolve_all(Source source) {
  while (n_resolved_ < n_enqueued_) resolve(source);
}

void LineEncoder::end_line() {
  ends_->append(&n_tokens_, sizeof n_tokens_);
  last_end_ = n_tokens_;
  ++n_lines_;
}

void LineEncoder::hand_on() {
  tokens_->append(ids_.data(), ids_.size() * sizeof(WordId));
  ids_.clear();
}

}  // namespace pyw2v
