#include "corpus/corpus_scanner.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "base/errors.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace pyw2v {
namespace {

static_assert(kTextPadding >= WordTable::kReadable);

constexpr std::size_t kAhead = WordTable::kAhead;
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::string not_utf8(const char* text, std::size_t n) {
  std::string bytes;
  for (std::size_t i = 0; i < std::min<std::size_t>(n, 4); ++i) {
    char hex[8];
    std::snprintf(hex, sizeof hex, "%s0x%02x", i == 0 ? "" : " ",
                  static_cast<unsigned>(static_cast<unsigned char>(text[i])));
    bytes += hex;
  }
  return "not valid UTF-8 (" + bytes +
         "); convert the file, for instance with `iconv -f latin1 -t utf-8`, or pass "
         "LineSentence(open(path, encoding=...)) with the encoding it is written in";
}

void check_utf8(const char* word, std::size_t n, std::uint64_t byte_offset,
                const std::string& name) {
  const std::size_t valid = utf8_valid_prefix(word, n);
  if (valid < n) throw FormatError(name, byte_offset + valid, not_utf8(word + valid, n - valid));
}

// Sizes text for n bytes and puts blanks after them.
void resize_padded(PageVector<char>& text, std::size_t n) {
  text.resize(n + kTextPadding);
  std::memset(text.data() + n, ' ', kTextPadding);
}

}  // namespace

CorpusScanner::CorpusScanner(ScannerConfig config) : config_(std::move(config)) {
  for (int i = 0; i < config_.n_workers; ++i) tables_.push_back(std::make_unique<WordTable>());
  tokens_ = std::make_unique<GrowingBuffer>(config_.budget, config_.folder);
  ends_ = std::make_unique<GrowingBuffer>(kNoLimit, config_.folder);
}

void CorpusScanner::start_file(const std::string& path, const SentenceRule& rule) {
  file_ = std::make_unique<FileReader>(path);
  rule_ = rule;
  file_end_ = rule.max_lines < 0 ? file_->size()
                                 : file_->end_of_line(static_cast<std::uint64_t>(rule.max_lines));
  n_chunks_ = (file_end_ + config_.chunk_bytes - 1) / config_.chunk_bytes;
  next_chunk_ = 0;
  next_to_join_ = 0;
  bytes_done_ = 0;
  const auto n = std::min<std::uint64_t>(n_chunks_, static_cast<std::uint64_t>(config_.n_workers));
  team_.start(static_cast<int>(n), [this](int worker) { work(worker); });
}

void CorpusScanner::end_work() {
  team_.finish();
  if (file_ == nullptr) return;
  file_.reset();
  waiting_.clear();
  const auto first =
      std::min_element(errors_.begin(), errors_.end(),
                       [](const auto& a, const auto& b) { return a.chunk < b.chunk; });
  if (first != errors_.end()) std::rethrow_exception(first->what);
  end_text();
}

void CorpusScanner::work(int worker) {
  while (!team_.stopping()) {
    const std::uint64_t number = next_chunk_.fetch_add(1);
    if (number >= n_chunks_) return;
    try {
      wait_for_slower_threads(number);
      std::unique_ptr<Chunk> chunk = fresh_chunk();
      chunk->n_ids = 0;
      chunk->ends.clear();
      if (read_chunk(number, *chunk)) {
        encode(*chunk, worker, file_->path());
      } else {
        chunk->worker = worker;
        chunk->new_words_begin = chunk->new_words_end = WordId{0};
      }
      join(number, std::move(chunk));
    } catch (...) {
      // No new chunks, but those already taken are finished: the first error of the file, the one
      // a single thread would meet, is then among the errors.
      next_chunk_ = n_chunks_;
      std::lock_guard<std::mutex> lock(mutex_);
      errors_.push_back({number, std::current_exception()});
      return;
    }
  }
}

// A thread that gets no processor time keeps all later chunks from being joined; without a limit
// they would pile up by the hundred. The thread of the next chunk to join never waits.
void CorpusScanner::wait_for_slower_threads(std::uint64_t number) {
  const auto most = 2 * static_cast<std::uint64_t>(config_.n_workers) + 2;
  std::unique_lock<std::mutex> lock(mutex_);
  while (number >= next_to_join_ + most && errors_.empty() && !team_.stopping()) {
    joined_.wait_for(lock, std::chrono::milliseconds(20));  // stop() does not notify
  }
}

std::unique_ptr<CorpusScanner::Chunk> CorpusScanner::fresh_chunk() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (spare_.empty()) return std::make_unique<Chunk>();
  std::unique_ptr<Chunk> chunk = std::move(spare_.back());
  spare_.pop_back();
  return chunk;
}

// The chunk's share of the file is [begin, end); its text starts after the first blank at or after
// begin - 1 and ends with the first one at or after end - 1. False when it holds no blank: its
// bytes then belong to a word of an earlier chunk.
bool CorpusScanner::read_chunk(std::uint64_t number, Chunk& chunk) const {
  const std::uint64_t begin = number * config_.chunk_bytes;
  const std::uint64_t end = std::min(file_end_, begin + config_.chunk_bytes);
  const std::uint64_t from = begin == 0 ? 0 : begin - 1;
  std::size_t n = static_cast<std::size_t>(end - from);
  resize_padded(chunk.text, n);
  file_->read(from, chunk.text.data(), n);

  std::size_t skip = 0;
  if (begin > 0) {
    const auto last = chunk.text.begin() + static_cast<std::ptrdiff_t>(n);
    const auto blank = std::find_if(chunk.text.begin(), last, is_ascii_blank);
    if (blank == last) return false;
    skip = static_cast<std::size_t>(blank - chunk.text.begin()) + 1;
    if (skip == n) return false;  // the next chunk starts at the same place
  }
  std::size_t step = 256;  // doubled, so that a word of any size costs a constant number of passes
  while (from + n < file_end_ && !is_ascii_blank(chunk.text[n - 1])) {
    const auto more = static_cast<std::size_t>(std::min<std::uint64_t>(step, file_end_ - from - n));
    resize_padded(chunk.text, n + more);
    file_->read(from + n, chunk.text.data() + n, more);
    const auto first = chunk.text.begin() + static_cast<std::ptrdiff_t>(n);
    const auto last = first + static_cast<std::ptrdiff_t>(more);
    const auto blank = std::find_if(first, last, is_ascii_blank);
    n = static_cast<std::size_t>((blank == last ? last : blank + 1) - chunk.text.begin());
    step *= 2;
  }
  resize_padded(chunk.text, n);
  std::memset(chunk.text.data(), ' ', skip);
  chunk.byte_offset = from;
  return true;
}

void CorpusScanner::encode(Chunk& chunk, int worker, const std::string& name) {
  const std::size_t n_bytes = chunk.text.size() - kTextPadding;
  // One-letter words with a blank after each are the most there can be.
  const std::size_t id_bytes = (n_bytes / 2 + 1) * sizeof(WordId);
  if (chunk.ids == nullptr || chunk.ids->size() < id_bytes) {
    chunk.ids = std::make_unique<Pages>(id_bytes);
  }
  WordTable& table = *tables_[static_cast<std::size_t>(worker)];
  chunk.worker = worker;
  chunk.new_words_begin = static_cast<WordId>(table.size());
  WordId known = chunk.new_words_begin;
  auto* next = static_cast<WordId*>(chunk.ids->data());
  const char* const text = chunk.text.data();

  WordTable::Lookup ahead[kAhead];
  std::size_t n_seen = 0;
  const auto resolve = [&](const WordTable::Lookup& lookup) {
    const WordId id = table.end(lookup);
    if (id == known) {
      const auto offset = static_cast<std::uint64_t>(lookup.word - text);
      check_utf8(lookup.word, lookup.n, chunk.byte_offset + offset, name);
      ++known;
    }
    *next++ = id;
  };
  tokenize(
      text, n_bytes,
      [&](const char* word, std::size_t n) {
        WordTable::Lookup& lookup = ahead[n_seen % kAhead];
        if (n_seen >= kAhead) resolve(lookup);
        lookup = table.begin(word, n);
        ++n_seen;
      },
      [&] { chunk.ends.push_back(n_seen); });
  for (std::size_t i = n_seen - std::min(n_seen, kAhead); i < n_seen; ++i) {
    resolve(ahead[i % kAhead]);
  }
  chunk.n_ids = n_seen;
  chunk.new_words_end = known;
}

void CorpusScanner::join(std::uint64_t number, std::unique_ptr<Chunk> chunk) {
  std::lock_guard<std::mutex> lock(mutex_);
  waiting_.emplace(number, std::move(chunk));
  for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_to_join_;
       first = waiting_.erase(first)) {
    append(*first->second);
    spare_.push_back(std::move(first->second));
    ++next_to_join_;
    bytes_done_ = std::min(file_end_, next_to_join_ * config_.chunk_bytes);
  }
  joined_.notify_all();
}

void CorpusScanner::append(const Chunk& chunk) {
  if (config_.keep_tokens && chunk.n_ids > 0) {
    tokens_->append(chunk.ids->data(), chunk.n_ids * sizeof(WordId));
  }
  parts_.push_back(
      {chunk.worker, chunk.new_words_begin, chunk.new_words_end, n_words_, n_words_ + chunk.n_ids});
  if (rule_.at_line_feed) {
    for (const std::size_t end : chunk.ends) end_sentence(n_words_ + end);
  }
  n_words_ += chunk.n_ids;
}

void CorpusScanner::end_sentence(std::uint64_t at) {
  const auto max_words = static_cast<std::uint64_t>(rule_.max_words);
  while (last_end_ < at) {
    last_end_ = max_words == 0 ? at : std::min(at, last_end_ + max_words);
    ++n_sentences_;
    if (!config_.keep_tokens) continue;
    const auto end = static_cast<TokenPos>(last_end_);
    ends_->append(&end, sizeof end);
  }
}

void CorpusScanner::end_text() { end_sentence(n_words_); }

std::size_t CorpusScanner::add_text(const char* text, std::size_t n, bool is_last,
                                    const SentenceRule& rule, const std::string& name) {
  std::size_t used = n;
  while (!is_last && used > 0 && !is_ascii_blank(text[used - 1])) --used;
  if (used > 0) {
    rule_ = rule;
    std::unique_ptr<Chunk> chunk = fresh_chunk();
    chunk->ends.clear();
    resize_padded(chunk->text, used);
    std::memcpy(chunk->text.data(), text, used);
    chunk->byte_offset = bytes_done_;
    encode(*chunk, 0, name);
    append(*chunk);
    spare_.push_back(std::move(chunk));
  }
  bytes_done_ += used;
  if (is_last) {
    end_text();
    bytes_done_ = 0;
  }
  return used;
}

void CorpusScanner::start_merge() {
  spare_.clear();
  team_.start(1, [this](int) { merge_tables(); });
}

void CorpusScanner::merge_tables() {
  tokens_->finish();
  ends_->finish();
  if (std::all_of(parts_.begin(), parts_.end(),
                  [](const Part& part) { return part.worker == 0; })) {
    tables_.resize(1);
    parts_.clear();  // nothing to renumber
    return;
  }
  auto merged = std::make_unique<WordTable>();
  std::vector<std::vector<std::int64_t>> counts;
  std::size_t most_words = 0;
  for (const auto& table : tables_) {
    merged_ids_.emplace_back(table->size());
    counts.push_back(table->counts());
    table->freeze();
    most_words = std::max(most_words, table->size());
  }
  merged->reserve(most_words);
  for (const Part& part : parts_) {
    if (team_.stopping()) return;
    const auto worker = static_cast<std::size_t>(part.worker);
    const WordTable& table = *tables_[worker];
    for (WordId local = part.new_words_begin; local < part.new_words_end;) {
      WordTable::Lookup ahead[kAhead];
      const auto n =
          std::min<std::size_t>(kAhead, static_cast<std::size_t>(part.new_words_end - local));
      for (std::size_t i = 0; i < n; ++i) {
        const std::string_view word = table.word(local + static_cast<std::int32_t>(i));
        ahead[i] = merged->begin(word.data(), word.size());
      }
      for (std::size_t i = 0; i < n; ++i, ++local) {
        const auto at = static_cast<std::size_t>(local);
        merged_ids_[worker][at] = merged->end(ahead[i], counts[worker][at]);
      }
    }
  }
  tables_.clear();
  tables_.push_back(std::move(merged));
}

void CorpusScanner::start_renumber() {
  const auto n = static_cast<std::size_t>(config_.n_workers);
  if (!config_.keep_tokens) parts_.clear();
  team_.start(static_cast<int>(std::min(n, parts_.size())),
              [this](int worker) { renumber(static_cast<std::size_t>(worker)); });
}

void CorpusScanner::renumber(std::size_t worker) {
  auto* const tokens = reinterpret_cast<WordId*>(tokens_->data());
  const auto n_workers = static_cast<std::size_t>(config_.n_workers);
  for (std::size_t i = worker; i < parts_.size() && !team_.stopping(); i += n_workers) {
    const WordId* const ids = merged_ids_[static_cast<std::size_t>(parts_[i].worker)].data();
    for (std::uint64_t at = parts_[i].begin; at < parts_[i].end; ++at) {
      tokens[at] = ids[static_cast<std::size_t>(tokens[at])];
    }
  }
}

}  // namespace pyw2v
