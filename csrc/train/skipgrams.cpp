#include "train/skipgrams.h"

#include <algorithm>
#include <utility>

namespace pyw2v {
namespace {

void add_true_couples(const std::int64_t* words, std::int64_t n_words, Rng& rng,
                      const SkipgramSettings& settings, CheckedSteps& steps, Skipgrams& out) {
  for (std::int64_t i = 0; i < n_words; ++i) {
    const std::int64_t centre = words[i];
    if (centre == 0) continue;
    if (settings.keep != nullptr && settings.keep[centre] < rng.unit()) continue;
    const std::int64_t begin = std::max<std::int64_t>(0, i - settings.window);
    const std::int64_t end = std::min(n_words, i + settings.window + 1);
    steps.step(static_cast<std::size_t>(end - begin));
    for (std::int64_t j = begin; j < end; ++j) {
      if (j == i || words[j] == 0) continue;
      out.couples.push_back(centre);
      out.couples.push_back(words[j]);
    }
  }
  out.labels.assign(out.couples.size() / 2, 1);
}

// The centres of the true couples in random order, over again as often as needed.
void add_noise_couples(Rng& rng, const SkipgramSettings& settings, CheckedSteps& steps,
                       Skipgrams& out) {
  const std::size_t n_true = out.labels.size();
  const auto n_noise =
      static_cast<std::size_t>(static_cast<double>(n_true) * settings.negative_samples);
  std::vector<std::int64_t> centres(n_true);
  for (std::size_t i = 0; i < n_true; ++i) centres[i] = out.couples[2 * i];
  for (std::size_t i = n_true; i > 1; --i) {
    std::swap(centres[i - 1], centres[rng.index(i)]);
    steps.step();
  }
  const auto n_candidates = static_cast<std::size_t>(settings.vocabulary_size - 1);
  out.couples.reserve(2 * (n_true + n_noise));
  for (std::size_t i = 0; i < n_noise; ++i) {
    steps.step();
    out.couples.push_back(centres[i % n_true]);
    out.couples.push_back(1 + static_cast<std::int64_t>(rng.index(n_candidates)));
  }
  out.labels.resize(n_true + n_noise, 0);
}

void shuffle_couples(Rng& rng, CheckedSteps& steps, Skipgrams& out) {
  for (std::size_t i = out.labels.size(); i > 1; --i) {
    steps.step();
    const std::size_t j = rng.index(i);
    std::swap(out.labels[i - 1], out.labels[j]);
    std::swap(out.couples[2 * (i - 1)], out.couples[2 * j]);
    std::swap(out.couples[2 * (i - 1) + 1], out.couples[2 * j + 1]);
  }
}

}  // namespace

Skipgrams skipgrams(const std::int64_t* words, std::int64_t n_words, Rng rng,
                    const SkipgramSettings& settings, const Interrupt& interrupt) {
  CheckedSteps steps(interrupt);
  Skipgrams out;
  add_true_couples(words, n_words, rng, settings, steps, out);
  if (settings.negative_samples > 0) add_noise_couples(rng, settings, steps, out);
  if (settings.shuffle) shuffle_couples(rng, steps, out);
  return out;
}

}  // namespace pyw2v
