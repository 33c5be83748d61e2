#include "train/glove_trainer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/rng.h"

namespace pyw2v {
namespace {

constexpr std::size_t kMostRecords = std::size_t{1} << 14;  // between two polls of `stop`

std::vector<std::size_t> permutation(std::size_t n, Rng& rng) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (; n > 1; --n)
    std::swap(
        order[n - 1],
        order[Rng::below(static_cast<std::uint32_t>(rng.next()), static_cast<std::uint32_t>(n))]);
  return order;
}

}  // namespace

template <class Real>
GloveTrainer<Real>::GloveTrainer(const GloveKernels<Real>& kernels, const GloveModel<Real>& model,
                                 const GloveCorpus<Real>& corpus, std::uint64_t seed, int n_workers)
    : kernels_(kernels),
      model_(model),
      corpus_(corpus),
      seed_(seed),
      n_workers_(static_cast<std::size_t>(std::max(1, n_workers))) {}

template <class Real>
std::size_t GloveTrainer<Real>::open(int epoch) {
  passes_.clear();
  for (std::uint64_t p = 0; p < kGlovePasses && corpus_.n_bands > 0; ++p) {
    Rng rng(seed_, static_cast<std::uint64_t>(epoch), p);
    Pass pass;
    for (std::vector<std::size_t>* order : {&pass.words, &pass.contexts, &pass.shifts})
      *order = permutation(corpus_.n_bands, rng);
    passes_.push_back(std::move(pass));
  }
  return corpus_.n_tiles * (corpus_.n_bands > 0 ? kGlovePasses : 1);
}

// Along diagonals of the square, with bands in random order, neighbours in the queue share neither
// words nor contexts: workers that train them at the same time do not fight for rows (Gemulla et
// al. 2011).
template <class Real>
typename GloveTrainer<Real>::Range GloveTrainer<Real>::range(std::size_t piece) const {
  std::size_t tile = piece, part = 0, n_parts = 1;
  if (const std::size_t n = corpus_.n_bands; n > 0) {
    part = piece / (n * n);
    n_parts = kGlovePasses;
    const Pass& pass = passes_[part];
    const std::size_t shift = pass.shifts[piece / n % n], i = piece % n;
    tile = pass.words[i] * n + pass.contexts[(i + shift) % n];
  }
  const auto begin = static_cast<std::size_t>(tile == 0 ? 0 : corpus_.ends[tile - 1]);
  const std::size_t size = static_cast<std::size_t>(corpus_.ends[tile]) - begin;
  return {begin + size * part / n_parts, begin + size * (part + 1) / n_parts};
}

template <class Real>
ChunkResult GloveTrainer<Real>::train(std::size_t, const Piece& piece) {
  ChunkResult sum;
  for (Range left = range(piece.number); left.begin < left.end;) {
    if (piece.stop.load(std::memory_order_relaxed)) break;
    const std::size_t n = std::min(kMostRecords, left.end - left.begin);
    ChunkResult result;
    result.loss = kernels_.train_records(model_, corpus_.records + left.begin, n);
    result.n_examples = static_cast<std::int64_t>(n);
    require_finite(result, piece.epoch);
    sum += result;
    left.begin += n;
    piece.n_done.fetch_add(static_cast<std::int64_t>(n), std::memory_order_relaxed);
  }
  return sum;
}

template class GloveTrainer<float>;
template class GloveTrainer<double>;

}  // namespace pyw2v
