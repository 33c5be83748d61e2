// fastText's model files, `.bin` and `.ftz`: bytes in, the place of each part out. No length that
// the file states is believed before it is compared with the bytes that are there. All but the
// matrices is read here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_file.h"

namespace pyw2v {

// The settings in the order of the file, where they are 12 int32 and a double.
struct FastTextHeader {
  std::int32_t version = 0;
  std::int32_t dim = 0;
  std::int32_t ws = 0;
  std::int32_t epoch = 0;
  std::int32_t min_count = 0;
  std::int32_t neg = 0;
  std::int32_t word_ngrams = 0;
  std::int32_t loss = 0;   // hs 1, ns 2, softmax 3, ova 4
  std::int32_t model = 0;  // cbow 1, skip-gram 2, supervised 3
  std::int32_t bucket = 0;
  std::int32_t minn = 0;
  std::int32_t maxn = 0;
  std::int32_t lr_update_rate = 0;
  double t = 0;
};

// A word or a label: where its bytes are in texts(), and how often it was seen.
struct FastTextEntry {
  std::uint64_t begin;
  std::uint64_t n_bytes;
  std::int64_t count;
};

// Where a matrix lies, in bytes from the start of the file. A dense one only has rows and data;
// what a product quantiser has: pyw2v/quantize.py.
struct FastTextMatrix {
  bool quantized = false;
  bool has_norms = false;
  std::uint64_t rows = 0;
  std::uint64_t data = 0;  // float32, or the codes: bytes
  std::int32_t n_subvectors = 0;
  std::int32_t dsub = 0;
  std::uint64_t centroids = 0;
  std::uint64_t norm_codes = 0;
  std::uint64_t norm_centroids = 0;
};

class FastTextFile {
 public:
  // FormatError or TruncatedError, which call the file `name`. Nothing points into `bytes` later.
  void parse(std::string_view bytes, const std::string& name);
  void parse(const InputFile& file);

  const FastTextHeader& header() const { return header_; }
  std::int64_t n_tokens() const { return n_tokens_; }
  const std::string& texts() const { return texts_; }
  const std::vector<FastTextEntry>& words() const { return words_; }
  const std::vector<FastTextEntry>& labels() const { return labels_; }
  std::int64_t n_pruned() const { return n_pruned_; }  // -1: never pruned
  std::uint64_t pruned_offset() const { return pruned_offset_; }
  const FastTextMatrix& input() const { return input_; }
  const FastTextMatrix& output() const { return output_; }

 private:
  class Cursor;

  void parse(Cursor& in);
  void read_header(Cursor& in);
  void read_dictionary(Cursor& in);
  void check_tokens(const Cursor& in, std::uint64_t begin);
  void read_pruned(Cursor& in);
  void read_dense(Cursor& in, const std::string& what, std::uint64_t rows, FastTextMatrix& out);
  void read_quantized(Cursor& in, const std::string& what, std::uint64_t rows, FastTextMatrix& out);
  void read_shape(Cursor& in, const std::string& what, std::uint64_t rows);

  FastTextHeader header_;
  std::int64_t n_tokens_ = 0;
  std::string texts_;
  std::vector<FastTextEntry> words_;
  std::vector<FastTextEntry> labels_;
  std::int64_t n_pruned_ = -1;
  std::uint64_t pruned_offset_ = 0;
  FastTextMatrix input_;
  FastTextMatrix output_;
};

// Adds a dictionary entry to out. A word must have no zero byte, which would end it.
void append_fasttext_entry(std::string_view word, std::int64_t count, bool is_label,
                           std::string& out);

}  // namespace pyw2v
