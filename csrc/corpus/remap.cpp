#include "corpus/remap.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "base/parallel.h"

namespace pyw2v {
namespace {

// Sentences that one thread compacts towards the region's own begin.
struct Region {
  std::int64_t first_sentence, last_sentence;
  TokenPos begin, end;
  std::int64_t n_kept = 0;
};

// Ends become relative to the region's begin.
void compact(Region& region, WordId* tokens, TokenPos* ends, const WordId* new_ids,
             std::uint32_t n_ids, const Interrupt& interrupt) {
  CheckedSteps steps(interrupt);
  WordId* const first = tokens + raw(region.begin);
  WordId* next = first;
  TokenPos at = region.begin;
  for (std::int64_t sentence = region.first_sentence; sentence < region.last_sentence; ++sentence) {
    const TokenPos end = ends[sentence];
    if (end < at || end > region.end) throw std::invalid_argument("sentence ends must not fall");
    steps.step(static_cast<std::size_t>(end - at) + 1);
    for (; at < end; ++at) {
      const auto id = static_cast<std::uint32_t>(tokens[raw(at)]);
      if (id >= n_ids) throw std::invalid_argument("a token is not a word id");
      const WordId new_id = new_ids[id];
      *next = new_id;
      next += is_word(new_id);
    }
    ends[sentence] = TokenPos{next - first};
  }
  region.n_kept = next - first;
}

}  // namespace

std::int64_t remap_tokens(Borrowed<WordId> all_tokens, std::int64_t n_tokens,
                          Borrowed<TokenPos> all_ends, std::int64_t n_sentences,
                          Borrowed<const WordId> new_ids, std::int64_t n_ids, int n_workers,
                          const Interrupt& interrupt) {
  WordId* const tokens = all_tokens;
  TokenPos* const ends = all_ends;
  constexpr TokenPos kBegin{0};
  if ((n_sentences > 0 ? ends[n_sentences - 1] : kBegin) != TokenPos{n_tokens}) {
    throw std::invalid_argument("the last sentence must end with the last token");
  }
  constexpr std::int64_t kMinRegion = std::int64_t{1} << 18;  // below, a thread costs more
  const std::int64_t n_regions = std::clamp<std::int64_t>(n_tokens / kMinRegion, 1, n_workers);
  std::vector<Region> regions;
  std::int64_t sentence = 0;
  for (std::int64_t i = 0; i < n_regions; ++i) {
    const TokenPos begin = sentence > 0 ? ends[sentence - 1] : kBegin;
    const TokenPos share{n_tokens / n_regions * (i + 1)};
    const std::int64_t last =
        i + 1 == n_regions ? n_sentences : std::lower_bound(ends, ends + n_sentences, share) - ends;
    regions.push_back({sentence, std::max(sentence, last), begin, kBegin});
    sentence = regions.back().last_sentence;
    regions.back().end = sentence > 0 ? ends[sentence - 1] : kBegin;
  }
  const auto n = static_cast<std::uint32_t>(n_ids);
  parallel_for(regions.size(), regions.size(), interrupt,
               [&](std::size_t i) { compact(regions[i], tokens, ends, new_ids, n, interrupt); });
  std::int64_t next = 0;
  for (const Region& region : regions) {
    // Without tokens there need be no memory, and memmove takes no null pointer.
    if (region.n_kept > 0)
      std::memmove(tokens + next, tokens + raw(region.begin),
                   static_cast<std::size_t>(region.n_kept) * sizeof(WordId));
    for (std::int64_t i = region.first_sentence; i < region.last_sentence; ++i) ends[i] += next;
    next += region.n_kept;
  }
  return next;
}

}  // namespace pyw2v
