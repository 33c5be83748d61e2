#include "formats/fasttext.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "base/errors.h"
#include "words/word_table.h"

namespace pyw2v {
namespace {

constexpr std::int32_t kMagic = 793712314;
constexpr std::int32_t kUnsigned = 0;  // our number for files before there were any
constexpr std::int32_t kOldVersion = 11;
constexpr std::int32_t kVersion = 12;
constexpr std::int32_t kMaxLoss = 4;
constexpr std::int32_t kSupervised = 3;
constexpr std::uint64_t kCentroids = 256;
constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
constexpr std::uint64_t kPairBytes = 2 * sizeof(std::int32_t);
// An entry has at least the zero that ends its word, its count and its type.
constexpr std::uint64_t kMinEntryBytes = 1 + sizeof(std::int64_t) + 1;

// Whether a file without a magic number may be one of fastText before 2017, which begins with the
// settings: the codes of loss and model are in their range, and the sizes are not absurd.
bool looks_unsigned(std::string_view bytes) {
  std::int32_t settings[8];  // dim, ws, epoch, min_count, neg, word_ngrams, loss, model
  if (bytes.size() < sizeof settings) return false;
  std::memcpy(settings, bytes.data(), sizeof settings);
  const auto among = [&](int i, std::int32_t least, std::int32_t most) {
    return settings[i] >= least && settings[i] <= most;
  };
  return among(0, 1, 1 << 16) && among(1, 0, 1 << 16) && among(6, 1, 3) && among(7, 1, 3);
}

}  // namespace

// Walks the bytes from the front; every step is checked against what is left. Those of a file are
// read in blocks.
class FastTextFile::Cursor {
 public:
  Cursor(std::string_view bytes, const std::string& name)
      : size_(bytes.size()), window_(bytes), name_(name) {}
  explicit Cursor(const InputFile& file) : file_(&file), size_(file.size()), name_(file.path()) {}

  std::uint64_t offset() const { return at_; }
  std::uint64_t left() const { return size_ - at_; }

  // The bytes from here on: at least n_bytes, or all that are left.
  std::string_view look(std::uint64_t n_bytes) {
    n_bytes = std::min(n_bytes, left());
    if (at_ + n_bytes > window_begin_ + window_.size()) {
      block_.resize(static_cast<std::size_t>(
          std::min(left(), std::max<std::uint64_t>(n_bytes, kBlockBytes))));
      file_->read(at_, block_.data(), block_.size());
      window_ = {block_.data(), block_.size()};
      window_begin_ = at_;
    }
    return window_.substr(
        static_cast<std::size_t>(std::min<std::uint64_t>(at_ - window_begin_, window_.size())));
  }

  [[noreturn]] void fail(std::uint64_t byte_offset, const std::string& what) const {
    throw FormatError(name_, byte_offset, what);
  }

  void need(std::uint64_t n_bytes, std::string_view what) const {
    if (n_bytes > left()) {
      throw TruncatedError(name_, size_, "the file ends within " + std::string(what));
    }
  }

  void need_items(std::uint64_t n, std::uint64_t item_bytes, std::string_view what) const {
    if (n > left() / item_bytes) need(left() + 1, what);
  }

  // Skips n items and returns where they begin.
  std::uint64_t skip(std::uint64_t n, std::uint64_t item_bytes, std::string_view what) {
    need_items(n, item_bytes, what);
    const std::uint64_t begin = at_;
    at_ += n * item_bytes;
    return begin;
  }

  template <class T>
  T take(std::string_view what) {
    need(sizeof(T), what);
    T value;
    std::memcpy(&value, look(sizeof value).data(), sizeof value);
    at_ += sizeof value;
    return value;
  }

  template <class T>
  T peek(std::string_view what) {
    const T value = take<T>(what);
    at_ -= sizeof value;
    return value;
  }

  // Appends all bytes before the next zero to text and skips them and the zero.
  void take_string(std::string& text, std::string_view what) {
    for (std::uint64_t n_bytes = 1;; n_bytes *= 2) {
      const std::string_view bytes = look(n_bytes);
      const std::size_t n = bytes.find('\0');
      if (n != std::string_view::npos) {
        text.append(bytes.substr(0, n));
        at_ += n + 1;
        return;
      }
      if (bytes.size() == left()) need(left() + 1, what);
      n_bytes = std::max<std::uint64_t>(n_bytes, bytes.size());
    }
  }

  bool take_flag(std::string_view what) {
    const auto value = take<std::uint8_t>(what);
    if (value > 1)
      fail(at_ - 1, std::string(what) + " must be 0 or 1, not " + std::to_string(value));
    return value == 1;
  }

  template <class T>
  T take_between(T least, T most, std::string_view what) {
    const T value = take<T>(what);
    if (value < least || value > most) {
      fail(at_ - sizeof(T), std::string(what) + " cannot be " + std::to_string(value));
    }
    return value;
  }

  template <class T>
  void expect(T expected, std::string_view what) {
    const T value = take<T>(what);
    if (value == expected) return;
    fail(at_ - sizeof(T),
         std::string(what) + " is " + std::to_string(value) + ", not " + std::to_string(expected));
  }

 private:
  const InputFile* file_ = nullptr;  // of bytes in memory, which are the window
  std::uint64_t size_;
  std::string_view window_;
  std::uint64_t window_begin_ = 0;
  std::vector<char> block_;
  const std::string& name_;
  std::uint64_t at_ = 0;
};

void FastTextFile::parse(std::string_view bytes, const std::string& name) {
  Cursor in(bytes, name);
  parse(in);
}

void FastTextFile::parse(const InputFile& file) {
  Cursor in(file);
  parse(in);
}

void FastTextFile::parse(Cursor& in) {
  read_header(in);
  read_dictionary(in);
  read_pruned(in);

  const bool has_flags = header_.version != kUnsigned;
  const bool quantized = has_flags && in.take_flag("the flag of a quantised input matrix");
  if (!quantized && n_pruned_ >= 0) {
    in.fail(in.offset() - 1, "a pruned dictionary needs a quantised input matrix");
  }
  const auto n_buckets = static_cast<std::uint64_t>(n_pruned_ >= 0 ? n_pruned_ : header_.bucket);
  const std::uint64_t input_rows = words_.size() + n_buckets;
  const std::uint64_t output_rows = header_.model == kSupervised ? labels_.size() : words_.size();
  if (quantized) {
    read_quantized(in, "the input matrix", input_rows, input_);
  } else {
    read_dense(in, "the input matrix", input_rows, input_);
  }
  // fastText leaves the second flag as its command line set it, also when nothing is quantised.
  const bool flag = has_flags && in.take_flag("the flag of a quantised output matrix");
  if (flag && quantized) {
    read_quantized(in, "the output matrix", output_rows, output_);
  } else {
    read_dense(in, "the output matrix", output_rows, output_);
  }
  if (in.left() > 0) in.fail(in.offset(), "bytes after the output matrix belong to nothing");
}

void FastTextFile::read_header(Cursor& in) {
  constexpr std::int32_t kMax = INT32_MAX;
  const char* const what = "the settings";
  if (in.peek<std::int32_t>("the magic number") == kMagic) {
    in.take<std::int32_t>("the magic number");
    header_.version = in.take<std::int32_t>("the version");
    if (header_.version != kOldVersion && header_.version != kVersion) {
      in.fail(4, "wrong file format: version " + std::to_string(header_.version) +
                     ", this pyw2v reads 11 and 12");
    }
  } else if (looks_unsigned(in.look(8 * sizeof(std::int32_t)))) {
    header_.version = kUnsigned;
  } else {
    in.fail(0, "wrong file format: this is no fastText model");
  }
  header_.dim = in.take_between(1, kMax, "dim");
  header_.ws = in.take<std::int32_t>(what);
  header_.epoch = in.take<std::int32_t>(what);
  header_.min_count = in.take<std::int32_t>(what);
  header_.neg = in.take<std::int32_t>(what);
  header_.word_ngrams = in.take<std::int32_t>(what);
  header_.loss = in.take_between(1, kMaxLoss, "the code of the loss");
  header_.model = in.take_between(1, kSupervised, "the code of the model");
  header_.bucket = in.take_between(0, kMax, "bucket");
  header_.minn = in.take<std::int32_t>(what);
  header_.maxn = in.take<std::int32_t>(what);
  header_.lr_update_rate = in.take<std::int32_t>(what);
  header_.t = in.take<double>(what);
  // fastText compares lengths with these as unsigned numbers: no n-gram reaches a negative minn,
  // none exceeds a negative maxn. In lines, though, such a maxn means 0.
  const bool supervised = header_.model == kSupervised;
  if (header_.maxn < 0) header_.maxn = supervised ? 0 : kMax;
  if (header_.minn < 0) header_.minn = header_.maxn = 0;
  // Classifiers of version 11 stored settings of n-grams that they did not use.
  if (header_.version == kOldVersion && supervised) header_.maxn = 0;
}

void FastTextFile::read_dictionary(Cursor& in) {
  const char* const what = "the sizes of the dictionary";
  const std::uint64_t begin = in.offset();
  const auto n_entries = in.take_between(0, INT32_MAX, what);
  const auto n_words = in.take_between(0, n_entries, what);
  const auto n_labels = in.take_between(0, n_entries, what);
  if (std::int64_t{n_words} + n_labels != n_entries) {
    in.fail(begin, "a dictionary of " + std::to_string(n_entries) + " entries cannot have " +
                       std::to_string(n_words) + " words and " + std::to_string(n_labels) +
                       " labels");
  }
  n_tokens_ = in.take_between(std::int64_t{0}, INT64_MAX, "the number of tokens");
  if (header_.version != kUnsigned) {
    n_pruned_ = in.take_between(std::int64_t{-1}, INT64_MAX, "the number of kept buckets");
  }
  in.need_items(static_cast<std::uint64_t>(n_entries), kMinEntryBytes,
                "a dictionary of " + std::to_string(n_entries) + " entries");
  words_.reserve(static_cast<std::size_t>(n_words));
  labels_.reserve(static_cast<std::size_t>(n_labels));
  for (std::int32_t i = 0; i < n_entries; ++i) {
    const std::size_t word = texts_.size();
    in.take_string(texts_, "a word of the dictionary");
    const auto count = in.take_between(std::int64_t{0}, INT64_MAX, "the count of a word");
    const bool is_label = in.take_flag("the flag of a label");
    if (is_label != (i >= n_words)) {
      in.fail(in.offset() - 1,
              "the " + std::to_string(n_words) + " words must come before the labels, but entry " +
                  std::to_string(i + 1) + " is a " + (is_label ? "label" : "word"));
    }
    (is_label ? labels_ : words_).push_back({word, texts_.size() - word, count});
  }
  check_tokens(in, begin);
}

// A token is found by its text, so two that are alike would share a row that only one of them has.
void FastTextFile::check_tokens(const Cursor& in, std::uint64_t begin) {
  const std::size_t n_words = words_.size(), n_tokens = n_words + labels_.size();
  const std::size_t n_bytes = texts_.size();
  texts_.resize(n_bytes + WordTable::kReadable);
  WordTable table;
  table.reserve(n_tokens);
  std::array<WordTable::Lookup, WordTable::kAhead> lookups;
  for (std::size_t i = 0; i < n_tokens + lookups.size(); ++i) {
    WordTable::Lookup& lookup = lookups[i % lookups.size()];
    if (i >= lookups.size()) {
      const std::size_t entry = i - lookups.size();
      const auto first = static_cast<std::size_t>(table.end(lookup));
      if (first != entry) {  // by numbers: the text may be no UTF-8
        in.fail(begin, "the dictionary has a token twice, as entries " + std::to_string(first + 1) +
                           " and " + std::to_string(entry + 1));
      }
    }
    if (i >= n_tokens) continue;
    const FastTextEntry& entry = i < n_words ? words_[i] : labels_[i - n_words];
    lookup = table.begin(texts_.data() + entry.begin, entry.n_bytes);
  }
  texts_.resize(n_bytes);
}

void FastTextFile::read_pruned(Cursor& in) {
  if (n_pruned_ < 0) return;
  const auto n_pairs = static_cast<std::uint64_t>(n_pruned_);
  const char* const what = "the map of kept buckets";
  pruned_offset_ = in.offset();
  in.need_items(n_pairs, kPairBytes, what);
  for (std::uint64_t i = 0; i < n_pairs; ++i) {
    const auto bucket = in.take<std::int32_t>(what);
    const auto row = in.take<std::int32_t>(what);
    if (bucket < 0 || bucket >= header_.bucket || row < 0 || row >= n_pruned_) {
      in.fail(pruned_offset_ + i * kPairBytes, "bucket " + std::to_string(bucket) + " of " +
                                                   std::to_string(header_.bucket) +
                                                   " cannot be kept as row " + std::to_string(row) +
                                                   " of " + std::to_string(n_pruned_));
    }
  }
}

void FastTextFile::read_shape(Cursor& in, const std::string& what, std::uint64_t rows) {
  in.expect(static_cast<std::int64_t>(rows), "the number of rows of " + what);
  in.expect(std::int64_t{header_.dim}, "the number of columns of " + what);
}

void FastTextFile::read_dense(Cursor& in, const std::string& what, std::uint64_t rows,
                              FastTextMatrix& out) {
  read_shape(in, what, rows);
  out.rows = rows;
  const auto row_bytes = static_cast<std::uint64_t>(header_.dim) * sizeof(float);
  out.data = in.skip(rows, row_bytes, what);
}

void FastTextFile::read_quantized(Cursor& in, const std::string& what, std::uint64_t rows,
                                  FastTextMatrix& out) {
  out.quantized = true;
  out.rows = rows;
  out.has_norms = in.take_flag("the flag of quantised norms of " + what);
  read_shape(in, what, rows);
  const std::uint64_t size_offset = in.offset();
  const auto n_codes = in.take_between(0, INT32_MAX, "the number of codes of " + what);
  out.data = in.skip(static_cast<std::uint64_t>(n_codes), 1, "the codes of " + what);

  const std::string quantizer = "the quantiser of " + what;
  in.expect(header_.dim, "the dimension of " + quantizer);
  out.n_subvectors = in.take_between(1, header_.dim, "the number of parts of " + quantizer);
  out.dsub = in.take_between(1, INT32_MAX, "the size of the parts of " + quantizer);
  const std::int64_t before_last = (std::int64_t{out.n_subvectors} - 1) * out.dsub;
  const std::int64_t last = header_.dim - before_last;
  if (last < 1 || last > out.dsub) {
    in.fail(in.offset() - kPairBytes, std::to_string(out.n_subvectors) + " parts of " +
                                          std::to_string(out.dsub) + " cannot make up " +
                                          std::to_string(header_.dim) + " dimensions");
  }
  in.expect(static_cast<std::int32_t>(last), "the size of the last part of " + quantizer);
  if (static_cast<std::uint64_t>(n_codes) != rows * static_cast<std::uint64_t>(out.n_subvectors)) {
    in.fail(size_offset, "the number of codes of " + what + " is " + std::to_string(n_codes) +
                             ", not rows x parts");
  }
  const auto dim = static_cast<std::uint64_t>(header_.dim);
  out.centroids = in.skip(dim, kCentroids * sizeof(float), "the centroids of " + what);
  if (!out.has_norms) return;
  out.norm_codes = in.skip(rows, 1, "the codes of the norms of " + what);
  for (const char* field : {"dimension", "number of parts", "part", "last part"}) {
    in.expect(std::int32_t{1}, "the " + std::string(field) + " of the quantiser of norms");
  }
  out.norm_centroids = in.skip(kCentroids, sizeof(float), "the centroids of the norms of " + what);
}

void append_fasttext_entry(std::string_view word, std::int64_t count, bool is_label,
                           std::string& out) {
  if (word.find('\0') != std::string_view::npos) {
    throw std::invalid_argument("a word with a zero byte in it cannot be stored: '" +
                                std::string(word.substr(0, word.find('\0'))) + "\\0...'");
  }
  char bytes[sizeof count];
  std::memcpy(bytes, &count, sizeof count);
  out.append(word).push_back('\0');
  out.append(bytes, sizeof bytes).push_back(is_label ? '\1' : '\0');
}

}  // namespace pyw2v
