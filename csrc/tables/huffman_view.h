// The paths of a Huffman tree as kernels, classifiers and the exact engine read them. Plain data:
// HuffmanTree (huffman.h) owns the memory and has checked it.
#pragma once

#include <cstdint>

namespace pyw2v {

// The path of word w, from the root down, is entries offsets[w] .. offsets[w + 1]: the inner nodes
// met (0 .. n_words - 2, the root being n_words - 2, as in word2vec.c) and the branch taken at
// each (0 or 1).
struct HuffmanView {
  const std::int64_t* offsets = nullptr;  // null: no tree
  const std::uint8_t* codes = nullptr;
  const std::int32_t* points = nullptr;
  std::int64_t n_words = 0;
  std::int64_t n_entries = 0;  // of all paths together
  int max_length = 0;          // of a path
};

}  // namespace pyw2v
