// The kinds of numbers that flow through the core, one type each, so that a position in a sentence
// cannot be taken for a word id.
//
// Glossary, for readers of word2vec.c and gensim: input = syn0 / wv.vectors, negative-sampling
// output = syn1neg, hierarchical-softmax output = syn1, hidden = neu1, hidden_grad = neu1e,
// lr = alpha, dim = layer1_size, count = cn.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pyw2v {

// A word in the vocabulary, and so a row of the input and the negative-sampling matrix. Signed 32
// bits because encoded corpora cross to NumPy as int32; negative never names a row.
using WordId = std::int32_t;

// A row of any matrix: a word, or an inner node of the Huffman tree.
enum class RowId : std::uint32_t {};
constexpr RowId row_of(WordId word) { return static_cast<RowId>(word); }

// An offset into the encoded corpus, counted in tokens.
using TokenPos = std::int64_t;

// Two neighbouring centres at most are trained together; an input is in the context of one or both.
constexpr int kMaxCentres = 2;
enum Owner : std::uint8_t { kFirst, kSecond, kBoth };
constexpr int kOwners = 3;

}  // namespace pyw2v
