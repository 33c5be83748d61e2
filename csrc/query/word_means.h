// The vector of a word, known or not: the mean of its own row and its n-grams' rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "features/line_features.h"

namespace pyw2v {

// Rows of floats that may begin at any byte: files are mapped as they are.
struct ByteRows {
  const unsigned char* data = nullptr;
  std::size_t dim = 0;
  std::size_t stride = 0;  // in bytes
};

class WordMeans {
 public:
  // The rows of the words, then those of the buckets. Memory must outlive the object.
  WordMeans(const FeatureRules& rules, const ByteRows& rows) : features_(rules), rows_(rows) {}

  // own: the word's number, -1 for none. Zeros if nothing of the word has a row.
  void mean(std::string_view word, std::int64_t own, float* out, const Interrupt& interrupt) const;

  // Adds the word's vector divided by its length; false if it has none.
  bool add_unit(std::string_view word, std::int64_t own, float* scratch, float* sum,
                const Interrupt& interrupt) const;

 private:
  WordFeatures features_;
  ByteRows rows_;
};

}  // namespace pyw2v
