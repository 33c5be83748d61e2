#include "train/corpus.h"

#include <algorithm>
#include <utility>

namespace pyw2v {

namespace {

// A piece of 128 stretches is a few hundred kilobytes, 64 of them fit every cache of files.
constexpr std::size_t kPieceStretches = 128, kMixedPieces = 64;

template <class Value>
void shuffle_all(Value* values, std::size_t n, Rng& rng) {
  for (std::size_t i = n; i > 1; --i) std::swap(values[i - 1], values[rng.index(i)]);
}

}  // namespace

std::vector<Stretch> cut_corpus(const Corpus& corpus, std::int64_t least) {
  std::vector<Stretch> stretches;
  TokenPos begin{0};
  const TokenPos* first = corpus.ends;
  for (std::size_t s = 0; s < corpus.n_sentences; ++s) {
    const TokenPos end = corpus.ends[s];
    for (; end - begin > kMaxChunkTokens; begin += kChunkTokens, first = corpus.ends + s)
      stretches.push_back({begin, begin + kChunkTokens, first});
    if (end - begin >= least || (s + 1 == corpus.n_sentences && end > begin)) {
      stretches.push_back({begin, end, first});
      begin = end;
      first = corpus.ends + s + 1;
    }
  }
  return stretches;
}

std::vector<Stretch> shuffled_corpus(const Corpus& corpus, std::int64_t least, std::uint64_t seed,
                                     std::uint64_t epoch) {
  Rng rng(seed, epoch, kOrderStream);
  const std::vector<Stretch> stretches = cut_corpus(corpus, least);
  const std::size_t n = stretches.size();
  std::vector<std::size_t> pieces;  // where they begin
  for (std::size_t begin = 0; begin < n; begin += kPieceStretches) pieces.push_back(begin);
  shuffle_all(pieces.data(), pieces.size(), rng);
  std::vector<Stretch> shuffled;
  shuffled.reserve(n);
  for (const std::size_t begin : pieces)
    for (std::size_t i = begin; i < std::min(n, begin + kPieceStretches); ++i)
      shuffled.push_back(stretches[i]);
  constexpr std::size_t kMixed = kPieceStretches * kMixedPieces;
  for (std::size_t begin = 0; begin < n; begin += kMixed)
    shuffle_all(shuffled.data() + begin, std::min(kMixed, n - begin), rng);
  return shuffled;
}

}  // namespace pyw2v
