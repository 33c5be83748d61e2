// The matrices and settings of a model, and a chunk of the corpus to train it on. Plain data, which
// the trainer fills and the code of every instruction set reads. All of kernel_data/ is like this:
// plain data, and plain functions on it, compiled once for every processor. What is compiled once
// per instruction set is in kernels/ and models/.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/matrix.h"
#include "base/types.h"
#include "kernel_data/full_model.h"
#include "tables/huffman_view.h"
#include "tables/sampler.h"

namespace pyw2v {

template <class Real>
struct NegativeSampling {
  MatrixView<Real> output;
  const AliasSampler* sampler = nullptr;
  int negative = 0;  // noise words per centre, shared by its whole window

  bool on() const { return negative > 0; }
  int max_targets() const { return negative + 1; }
};

// A word against k drawn ones, beyond classic negative sampling: noise contrastive estimation,
// sampled logistic, sampled softmax; words drawn without replacement, or for each pair; biases.
template <class Real>
struct SampledOutput {
  MatrixView<Real> output;
  const AliasSampler* sampler = nullptr;
  const UniqueSampler* unique = nullptr;  // if not null, draws instead of `sampler`
  const Real* shift = nullptr;            // per word, subtracted from its scores; null is 0
  Real* bias = nullptr;                   // per word, added to its scores and learnt; null is 0
  Real* log_z = nullptr;    // one number, subtracted from all scores and learnt; null is 0
  int negative = 0;         // words drawn
  bool softmax = false;     // else logistic
  bool remove_hits = true;  // a drawn word that is the centre counts for nothing
  bool per_pair = false;    // draw for each input, not for a whole window

  bool on() const { return negative > 0; }
  int max_targets() const { return negative + 1; }
};

template <class Real>
struct HierarchicalSoftmax {
  MatrixView<Real> output;  // a row for each inner node
  HuffmanView tree;

  bool on() const { return tree.offsets != nullptr; }
  int max_targets() const { return tree.max_length; }
};

// n-grams of words: each word's input row is composed of its own and theirs.
template <class Real>
struct Subwords {
  MatrixView<Real> rows;                  // one for each bucket of n-grams
  const std::int64_t* offsets = nullptr;  // word w has ids offsets[w] .. offsets[w + 1]
  const std::uint32_t* ids = nullptr;     // buckets
  int max_ids = 0;                        // of one word
  const float* lock = nullptr;            // per bucket, factor on changes of its row; null is 1

  bool on() const { return offsets != nullptr; }
};

template <class Real>
struct Model {
  MatrixView<Real> input;
  Subwords<Real> subwords;
  NegativeSampling<Real> ns;
  HierarchicalSoftmax<Real> hs;
  SampledOutput<Real> sampled;  // if on, the two above are not
  FullOutput<Real> full;
  const std::uint32_t* keep = nullptr;  // per word, of 2^32: subsampling; null keeps every token
  const float* input_lock = nullptr;    // per word, factor on changes of its input row; null is 1
  bool skipgram = true;
  int window = 5;
  bool shrink_windows = true;    // each centre draws its window from 1 .. window
  bool average_context = true;   // CBOW: hidden is the mean of the context rows, else their sum
  bool average_gradient = true;  // CBOW: context rows share the gradient, else each gets all of it
  bool track_loss = true;

  // Skip-gram can train two neighbouring centres as one group: their contexts, nearly the same
  // words, are compared with both centres and one set of noise words, in a fifth less time. It then
  // sees fewer noise words, which costs 1.3 points of analogies (39.4 % after 40.7 %; 23.5M words,
  // 3 epochs, d = 100, three seeds). Words composed of n-grams would lose more (rare words 0.396
  // after 0.414), so their groups have one centre.
  int max_centres() const {
    const bool shares_noise = sampled.on() ? !sampled.per_pair : ns.on() && !hs.on();
    return skipgram && shares_noise && !subwords.on() ? kMaxCentres : 1;
  }
};

// Consecutive tokens of the corpus, cut at sentence ends where possible.
struct Stretch {
  TokenPos begin{};
  TokenPos end{};
  Borrowed<const TokenPos> ends;  // ends[0] is the end of the sentence that holds `begin`

  std::int64_t size() const { return end - begin; }
};

// What a worker takes at once: stretches from all over the corpus.
struct Chunk {
  Borrowed<const WordId> tokens;  // the whole corpus
  const Stretch* stretches = nullptr;
  std::size_t n_stretches = 0;
  double lr_begin = 0;  // the learning rate falls linearly over the chunk
  double lr_end = 0;
  Rng rng{0};  // this chunk's own stream
  const std::atomic<bool>* stop = nullptr;
};

struct ChunkResult {
  double loss = 0;              // sum over examples, in nats
  std::int64_t n_examples = 0;  // (input row, target set) pairs
  std::int64_t n_words = 0;     // tokens left after subsampling

  ChunkResult& operator+=(const ChunkResult& other) {
    loss += other.loss;
    n_examples += other.n_examples;
    n_words += other.n_words;
    return *this;
  }
};

}  // namespace pyw2v
