// The encoded corpus as it is borrowed from Python, and its division into chunks.
#pragma once

#include <cstddef>
#include <vector>

#include "models/workspace.h"

namespace pyw2v {

struct Corpus {
  const WordId* tokens = nullptr;
  const TokenPos* ends = nullptr;  // of every sentence, rising, the last one the number of tokens
  std::size_t n_sentences = 0;
};

struct CorpusRange {
  TokenPos begin, end;
  std::size_t first_sentence;  // the one that holds `begin`
};

// Cut at the first sentence end past `least` tokens; sentences longer than kMaxChunkTokens are cut
// inside, since no chunk may be longer.
std::vector<CorpusRange> cut_corpus(const Corpus& corpus, TokenPos least = kChunkTokens);

// What the chunk functions read; rates and stop flag are the trainer's to set.
Chunk chunk_of(const Corpus& corpus, const CorpusRange& range, const Rng& rng);

}  // namespace pyw2v
