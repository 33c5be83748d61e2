// Huffman coding of the vocabulary: frequent words get short paths.
#pragma once

#include <cstdint>
#include <vector>

namespace pyw2v {

// The path of word w, from the root down, is entries offsets[w] .. offsets[w + 1]: the inner nodes
// met (0 .. n_words - 2, the root being n_words - 2, as in word2vec.c) and the branch taken at
// each (0 or 1).
struct HuffmanPaths {
  std::vector<std::int64_t> offsets;
  std::vector<std::uint8_t> codes;
  std::vector<std::int32_t> points;
};

HuffmanPaths huffman_paths(const std::int64_t* counts, std::size_t n_words);

// The tree of fastText's classifiers, which a file does not hold: it is made again from the counts,
// so it must be the same to the last tie. Meant for falling counts; others give a tree too.
HuffmanPaths fasttext_paths(const std::int64_t* counts, std::size_t n_labels);

}  // namespace pyw2v
