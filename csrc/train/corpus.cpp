#include "train/corpus.h"

namespace pyw2v {

std::vector<CorpusRange> cut_corpus(const Corpus& corpus, TokenPos least) {
  std::vector<CorpusRange> ranges;
  TokenPos begin = 0;
  std::size_t first = 0;
  for (std::size_t s = 0; s < corpus.n_sentences; ++s) {
    const TokenPos end = corpus.ends[s];
    for (; end - begin > kMaxChunkTokens; begin += kChunkTokens, first = s)
      ranges.push_back({begin, begin + kChunkTokens, first});
    if (end - begin >= least || (s + 1 == corpus.n_sentences && end > begin)) {
      ranges.push_back({begin, end, first});
      begin = end;
      first = s + 1;
    }
  }
  return ranges;
}

Chunk chunk_of(const Corpus& corpus, const CorpusRange& range, const Rng& rng) {
  Chunk chunk;
  chunk.tokens = corpus.tokens;
  chunk.ends = corpus.ends + range.first_sentence;
  chunk.begin = range.begin;
  chunk.end = range.end;
  chunk.rng = rng;
  return chunk;
}

}  // namespace pyw2v
