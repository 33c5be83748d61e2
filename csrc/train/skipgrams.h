// Keras's `skipgrams`: one sequence of word ids in, couples with labels out.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interrupt.h"
#include "base/rng.h"

namespace pyw2v {

struct SkipgramSettings {
  std::int64_t vocabulary_size = 1;  // noise words are drawn from 1 .. vocabulary_size - 1
  std::int64_t window = 4;
  double negative_samples = 1;   // couples with noise for each true one
  const double* keep = nullptr;  // per word, the chance to be a centre; null keeps all
  bool shuffle = true;
};

struct Skipgrams {
  std::vector<std::int64_t> couples;  // word and context, one couple after the other
  std::vector<std::uint8_t> labels;   // 1 for true couples, 0 for noise
};

// Id 0 stands for no word: it is neither centre nor context, but takes a place in windows.
Skipgrams skipgrams(const std::int64_t* words, std::int64_t n_words, Rng rng,
                    const SkipgramSettings& settings, const Interrupt& interrupt);

}  // namespace pyw2v
