// The encoded corpus as it is borrowed from Python, its division into stretches, and the order in
// which an epoch visits them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel_data/workspace.h"

namespace pyw2v {

struct Corpus {
  Borrowed<const WordId> tokens;
  Borrowed<const TokenPos> ends;  // of every sentence, rising, the last one the number of tokens
  std::size_t n_sentences = 0;
};

// Cut at the first sentence end past `least` tokens; sentences longer than kMaxChunkTokens are cut
// inside, since no chunk may be longer.
std::vector<Stretch> cut_corpus(const Corpus& corpus, std::int64_t least);

// Neighbours are about the same thing: steps that follow each other should not all be of one topic,
// nor the same part of the text always come last, when the rate is low. So stretches are put in
// random order, in two steps that read a corpus on disk in long pieces: pieces in random order,
// then the stretches of several pieces among each other.
// The order depends on seed and epoch alone, not on epochs before it.
std::vector<Stretch> shuffled_corpus(const Corpus& corpus, std::int64_t least, std::uint64_t seed,
                                     std::uint64_t epoch);

// The stream of random numbers behind it; no chunk's.
constexpr std::uint64_t kOrderStream = ~std::uint64_t{0};

}  // namespace pyw2v
