// Huffman coding of a vocabulary: frequent words get short paths (Huffman 1952; for word vectors
// Morin and Bengio 2005, Mikolov et al. 2013).
//
// In: the counts of the words, or paths made elsewhere. Out: for every word its path through the
// tree, as HuffmanView describes it. A word under hierarchical softmax is the row of logistic
// decisions on its path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tables/huffman_view.h"

namespace pyw2v {

// Owns the paths; they never change. A tree of one word has one empty path: there is nothing to
// decide.
class HuffmanTree {
 public:
  HuffmanTree() : HuffmanTree({0}, {}, {}) {}  // of no words

  // Takes paths as they are. Throws std::invalid_argument unless offsets rise from 0 to the number
  // of codes, which is that of points, codes are 0 or 1, and points are inner nodes: readers index
  // by them without a further check.
  HuffmanTree(std::vector<std::int64_t> offsets, std::vector<std::uint8_t> codes,
              std::vector<std::int32_t> points);

  // From counts in any order. Among equals a word comes before an inner node, which keeps the
  // longest path as short as it can be.
  static HuffmanTree from_counts(const std::int64_t* counts, std::size_t n_words);

  // As word2vec.c (CreateBinaryTree) and fastText (HierarchicalSoftmaxLoss::buildTree) do: words
  // from the last on, inner nodes first among equals. Neither stores its tree in a file: it is made
  // again from the counts, so it must be the same to the last tie. Meant for falling counts; others
  // give a tree, too.
  static HuffmanTree fasttext(const std::int64_t* counts, std::size_t n_words);

  std::size_t n_words() const { return offsets_.size() - 1; }
  int max_length() const { return max_length_; }
  const std::vector<std::int64_t>& offsets() const { return offsets_; }
  const std::vector<std::uint8_t>& codes() const { return codes_; }
  const std::vector<std::int32_t>& points() const { return points_; }

  // Valid as long as the tree.
  HuffmanView view() const {
    return {offsets_.data(),
            codes_.data(),
            points_.data(),
            static_cast<std::int64_t>(n_words()),
            static_cast<std::int64_t>(codes_.size()),
            max_length_};
  }

 private:
  void check() const;

  std::vector<std::int64_t> offsets_;
  std::vector<std::uint8_t> codes_;
  std::vector<std::int32_t> points_;
  int max_length_ = 0;
};

}  // namespace pyw2v
