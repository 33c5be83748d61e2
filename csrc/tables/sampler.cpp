#include "tables/sampler.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace pyw2v {

AliasSampler::AliasSampler(const std::vector<double>& weights)
    : slots_(weights.size()), size_(static_cast<std::uint32_t>(weights.size())) {
  double total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
      throw std::invalid_argument("sampler weights must be finite and not negative, got " +
                                  std::to_string(weights[i]) + " for word " + std::to_string(i));
    total += weights[i];
  }
  if (!(total > 0) || !std::isfinite(total))
    throw std::invalid_argument("sampler weights must have a positive, finite sum, got " +
                                std::to_string(total));

  // Each slot holds an equal share; words below their share lend the rest to one above it.
  const double n = static_cast<double>(weights.size());
  std::vector<double> share(weights.size());
  std::vector<std::uint32_t> small, large;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    share[i] = weights[i] / total * n;
    (share[i] < 1 ? small : large).push_back(static_cast<std::uint32_t>(i));
  }
  const auto set = [this](std::uint32_t slot, double probability, std::uint32_t alias) {
    const double threshold = std::ldexp(probability, 32);
    slots_[slot] = {threshold >= 4294967295.0 ? 4294967295u : static_cast<std::uint32_t>(threshold),
                    alias};
  };
  while (!small.empty() && !large.empty()) {
    const std::uint32_t poor = small.back(), rich = large.back();
    small.pop_back();
    set(poor, share[poor], rich);
    share[rich] -= 1 - share[poor];
    if (share[rich] < 1) {
      large.pop_back();
      small.push_back(rich);
    }
  }
  // What rounding left over is full to within an ulp.
  for (const std::uint32_t slot : large) set(slot, 1, slot);
  for (const std::uint32_t slot : small) set(slot, 1, slot);
}

std::vector<double> AliasSampler::probabilities() const {
  std::vector<double> found(size_);
  // Slot i has the high halves of the bits from ceil(i * 2^32 / size) on.
  const auto begin = [this](std::uint64_t slot) { return ((slot << 32) + size_ - 1) / size_; };
  for (std::uint32_t slot = 0; slot < size_; ++slot) {
    const double share =
        std::ldexp(static_cast<double>(begin(slot + std::uint64_t{1}) - begin(slot)), -32);
    const double stay = std::ldexp(static_cast<double>(slots_[slot].threshold), -32);
    found[slot] += share * stay;
    found[slots_[slot].alias] += share * (1 - stay);
  }
  return found;
}

void SeenWords::begin_draw() {
  if (++draw_ != 0) return;
  std::fill(draws_.begin(), draws_.end(), 0u);  // the counter has come round
  draw_ = 1;
}

void UniqueSampler::draw(Rng& rng, int n, SeenWords& seen, Borrowed<WordId> out) const {
  seen.begin_draw();
  for (int j = 0; j < n; ++j) {
    out[j] = draw_unseen(rng, seen);
    seen.add(static_cast<std::size_t>(out[j]));
  }
}

std::size_t UniqueSampler::n_drawable() const {
  return weights_.size() -
         static_cast<std::size_t>(std::count(weights_.begin(), weights_.end(), 0.0));
}

// By rejection, unless the words seen weigh so much that it does not end; then by a look at all.
WordId UniqueSampler::draw_unseen(Rng& rng, const SeenWords& seen) const {
  constexpr int kMaxTries = 64;
  for (int i = 0; i < kMaxTries; ++i) {
    const WordId word = alias_.draw(rng);
    if (!seen.has(static_cast<std::size_t>(word))) return word;
  }
  double rest = 0;
  for (std::size_t word = 0; word < weights_.size(); ++word)
    if (!seen.has(word)) rest += weights_[word];
  double at = std::ldexp(static_cast<double>(rng.next() >> 11), -53) * rest;
  std::size_t last = 0;  // with a positive weight, for what rounding may leave over
  for (std::size_t word = 0; word < weights_.size(); ++word) {
    if (seen.has(word) || weights_[word] == 0) continue;
    last = word;
    at -= weights_[word];
    if (at < 0) break;
  }
  return static_cast<WordId>(last);
}

std::vector<double> unigram_weights(const std::int64_t* counts, std::size_t n_words, double power) {
  std::vector<double> weights(n_words);
  for (std::size_t i = 0; i < n_words; ++i)
    weights[i] = std::pow(static_cast<double>(counts[i]), power);
  return weights;
}

}  // namespace pyw2v
