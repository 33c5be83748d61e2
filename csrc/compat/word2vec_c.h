// The scalar, bit-exact twin of word2vec.c (tmikolov/word2vec at 20c129a) with one thread.
//
// In: a corpus encoded by CEncoder with its sentence breaks, the counts of the words, and matrices
// to train in place. Out: the same bits as the C program's, quirks included. What the quirks are is
// said where they are; the names are its own: syn0, syn1, syn1neg, neu1, neu1e, alpha.
//
// Every float operation stands in the C program's order and is rounded by itself: this folder is
// built without contraction to fused multiply-adds (see setup.py).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/interrupt.h"
#include "base/matrix.h"
#include "base/types.h"
#include "compat/sigmoid_table.h"
#include "tables/huffman.h"
#include "train/trainer.h"

namespace pyw2v {

// The generator of word2vec.c: 64 bits of state, of which the draws use the low or middle ones.
class CRandom {
 public:
  explicit CRandom(std::uint64_t state) : state_(state) {}
  std::uint64_t next() { return state_ = state_ * 25214903917u + 11u; }
  float next_unit() { return static_cast<float>(next() & 0xFFFF) / 65536.0f; }  // in [0, 1)

 private:
  std::uint64_t state_;
};

// Slot -> word of word2vec.c's table of 1e8 slots, without its 400 MB: the slots of a word follow
// each other, so where each word's begin is enough.
class CUnigramTable {
 public:
  static constexpr std::int64_t kSlots = 100000000;

  CUnigramTable(const std::int64_t* counts, std::size_t n_words);
  WordId at(std::int64_t slot) const {
    auto word = static_cast<std::size_t>(first_word_[static_cast<std::size_t>(slot / kStep)]);
    while (word + 1 < starts_.size() && starts_[word + 1] <= slot) ++word;
    return static_cast<WordId>(word);
  }

 private:
  static constexpr std::int64_t kStep = 128;

  std::vector<std::int64_t> starts_;  // of the words that have slots
  std::vector<WordId> first_word_;    // at every kStep-th slot
};

struct CSettings {
  bool cbow = true;
  bool hs = false;
  int negative = 5;
  int window = 5;
  int iter = 5;
  float alpha = 0.05f;
  float sample = 1e-3f;  // 0: keep all
};

struct CModel {
  MatrixView<float> syn0;
  MatrixView<float> syn1;     // empty without hs
  MatrixView<float> syn1neg;  // empty without negative sampling
};

// One worker, and one piece an epoch. Its random numbers are one stream through all epochs, which
// therefore must come one after the other.
class CTrainer final : public Trainer {
 public:
  // Borrows the tokens, counts and matrices.
  CTrainer(const CSettings& settings, const CModel& model, Borrowed<const WordId> tokens,
           std::int64_t n_tokens, const std::int64_t* counts);

  std::size_t n_workers() const override { return 1; }
  std::size_t open(int) override { return 1; }
  std::int64_t done_before(std::size_t, const ChunkResult&) const override { return 0; }
  ChunkResult train(std::size_t, const Piece& epoch) override;

  float alpha() const { return alpha_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kMaxSentence = 1000;

  void update_alpha(std::int64_t word_count, const Piece& epoch);
  void read_sentence();
  void train_position(std::size_t position);
  void skipgram(std::size_t position, std::int64_t shrink);
  void cbow(std::size_t position, std::int64_t shrink);
  void learn(WordId word, const float* hidden);
  void learn_path(WordId word, const float* hidden);
  void learn_negatives(WordId word, const float* hidden);
  void learn_row(float* output, const float* hidden, float gradient);
  float dot(const float* a, const float* b) const;
  float sigmoid(float f) const;

  CSettings settings_;
  CModel model_;
  const WordId* tokens_;
  std::int64_t n_tokens_;
  std::int64_t n_words_;      // in the vocabulary
  std::int64_t train_words_;  // in the text, by the counts
  std::vector<float> keep_;   // the chance of each word to survive sub-sampling
  HuffmanTree tree_;
  HuffmanView paths_;  // of tree_
  CUnigramTable table_;
  SigmoidTable sigmoid_table_;

  const std::atomic<bool>* stop_ = nullptr;  // of the epoch
  CRandom random_{0};                        // one stream through all epochs
  float rate_;                               // alpha, as the training thread sees it
  std::int64_t word_count_actual_ = 0;
  bool eof_ = false;
  std::int64_t next_token_ = 0;
  std::int64_t word_count_ = 0;
  std::vector<WordId> sentence_;
  std::vector<float> neu1_, neu1e_;
  std::atomic<float> alpha_;
};

// Fills syn0 as InitNet does: uniform in ±0.5 / dim, from a stream of its own.
void fill_initial(const MatrixView<float>& syn0);

// The k-means of -classes: the class of each row.
std::vector<std::int32_t> c_classes(const MatrixView<float>& syn0, int n_classes,
                                    const Interrupt& interrupt);

}  // namespace pyw2v
