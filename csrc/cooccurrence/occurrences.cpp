#include "cooccurrence/occurrences.h"

#include <algorithm>
#include <stdexcept>

#include "base/parallel.h"

namespace pyw2v {
namespace {

// What one thread sorts, and where its words go: first how often each comes, then the next place.
struct Part {
  TokenPos begin, end;
  std::vector<std::uint64_t> next;
};

void count_words(const TokenCorpus& corpus, Part& part, const Interrupt& interrupt) {
  CheckedSteps steps(interrupt);
  part.next.assign(corpus.n_words, 0);
  for (TokenPos at = part.begin; at < part.end; ++at) {
    steps.step();
    const auto word = static_cast<std::uint32_t>(corpus.tokens[raw(at)]);
    if (word >= corpus.n_words) throw std::invalid_argument("a token is not a word id");
    ++part.next[word];
  }
}

void place_words(const TokenCorpus& corpus, Part& part, TokenPos origin, std::int64_t reach,
                 const Interrupt& interrupt, Occurrence* places) {
  CheckedSteps steps(interrupt);
  const TokenPos* const ends = corpus.ends;
  const TokenPos* end = std::upper_bound(ends, ends + corpus.n_sentences, part.begin);
  TokenPos begin = end == ends ? TokenPos{0} : end[-1];
  for (TokenPos at = part.begin; at < part.end; ++at) {
    steps.step();
    for (; *end <= at; ++end) begin = *end;
    const auto left = static_cast<std::uint16_t>(std::min(reach, at - begin));
    const auto right = static_cast<std::uint16_t>(std::min(reach, *end - at - 1));
    places[part.next[static_cast<std::size_t>(corpus.tokens[raw(at)])]++] = {
        static_cast<std::uint32_t>(at - origin), left, right};
  }
}

}  // namespace

void Occurrences::index(const TokenCorpus& corpus, TokenPos begin, TokenPos end, std::int64_t reach,
                        std::size_t n_threads, const Interrupt& interrupt) {
  // A thread's own counts take memory and time: few threads, and only for long stretches.
  constexpr std::size_t kMaxParts = 8;
  constexpr std::int64_t kMinPart = std::int64_t{1} << 18;
  const auto n_parts = static_cast<std::int64_t>(std::clamp<std::size_t>(
      static_cast<std::size_t>((end - begin) / kMinPart), 1, std::min(n_threads, kMaxParts)));
  std::vector<Part> parts;
  for (std::int64_t i = 0; i < n_parts; ++i) {
    const std::int64_t share = (end - begin) / n_parts;
    parts.push_back({begin + i * share, i + 1 == n_parts ? end : begin + (i + 1) * share, {}});
  }
  parallel_for(parts.size(), n_threads, interrupt,
               [&](std::size_t i) { count_words(corpus, parts[i], interrupt); });

  starts_.assign(corpus.n_words + 1, 0);
  std::uint64_t next = 0;
  for (std::size_t word = 0; word < corpus.n_words; ++word) {
    starts_[word] = next;
    for (Part& part : parts) {
      const std::uint64_t count = part.next[word];
      part.next[word] = next;
      next += count;
    }
  }
  starts_[corpus.n_words] = next;
  if (places_.size() < next) places_ = PageVector<Occurrence>(next);
  parallel_for(parts.size(), n_threads, interrupt, [&](std::size_t i) {
    place_words(corpus, parts[i], begin, reach, interrupt, places_.data());
  });
}

}  // namespace pyw2v
