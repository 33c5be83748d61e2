// What Python says of a model of word vectors: settings, and arrays that it lends. make_model()
// checks that they fit together and makes the Model that the kernels see, for training and for the
// probes of the tests alike.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel_data/model.h"
#include "train/corpus.h"

namespace pyw2v {

template <class Real>
struct WordSettings {
  MatrixView<Real> input;
  const float* input_lock = nullptr;
  const std::uint32_t* keep = nullptr;

  // n-grams: only with offsets, one more than there are words.
  MatrixView<Real> ngrams;
  const std::int64_t* ngram_offsets = nullptr;
  const std::uint32_t* ngram_ids = nullptr;
  std::size_t n_ngram_ids = 0;
  const float* ngram_lock = nullptr;

  // Words against drawn ones: only if negative > 0 and there are rows. `drawn` has all settings of
  // an objective but these; null is classic negative sampling.
  MatrixView<Real> word_output;
  const AliasSampler* sampler = nullptr;
  int negative = 0;
  const SampledOutput<Real>* drawn = nullptr;

  // Paths to words: only with rows of nodes.
  MatrixView<Real> node_output;
  HuffmanView tree;

  FullOutput<Real> full;

  bool skipgram = true;
  int window = 5;
  bool shrink_windows = true;
  bool average_context = true;
  bool average_gradient = true;
  bool track_loss = true;
};

// There is at least one word. Throws std::invalid_argument where something does not fit: kernels
// index without further checks.
template <class Real>
Model<Real> make_model(const WordSettings<Real>& given);

// Throws unless every token names one of n_words words and the ends of sentences rise to the number
// of tokens.
void check_corpus(const Corpus& corpus, std::size_t n_tokens, std::size_t n_words);

// Throws unless a tree, whose paths are sound, has one for each of n_words words, and n_rows rows
// are enough for its inner nodes.
void check_tree(const HuffmanView& tree, std::size_t n_words, std::size_t n_rows);

}  // namespace pyw2v
