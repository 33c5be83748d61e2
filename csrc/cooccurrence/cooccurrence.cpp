#include "cooccurrence/cooccurrence.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "base/prefetch.h"

namespace pyw2v {
namespace {

constexpr std::int64_t kMaxExactWindow = 22;
constexpr std::int64_t kMaxStretch = std::int64_t{1} << 31;
constexpr std::size_t kPrefetch = 8;  // occurrences ahead

// Weights 1 / d in units of 1 / lcm(1 .. window) are whole numbers, and sums of them exact in any
// order up to 2^53. Beyond a window of 22 the unit is so small that this would be reached soon;
// then the weights are fractions and sums rounded as usual.
double exact_units(std::int64_t window) {
  if (window > kMaxExactWindow) return 1;
  std::int64_t units = 1;
  for (std::int64_t d = 2; d <= window; ++d) units = std::lcm(units, d);
  return static_cast<double>(units);
}

}  // namespace

CooccurrenceCounter::CooccurrenceCounter(const TokenCorpus& corpus, const CooccurrenceRule& rule,
                                         const CooccurrenceConfig& config)
    : corpus_(corpus),
      rule_(rule),
      config_(config),
      writer_(corpus.n_words, static_cast<std::size_t>(config.n_workers)),
      result_(config.budget - config.budget / 2, config.folder) {
  if (rule.window < 1 || rule.window > kMaxReach)
    throw std::invalid_argument("window must be from 1 to " + std::to_string(kMaxReach) + ", got " +
                                std::to_string(rule.window));
  const TokenPos* const ends = corpus.ends;
  if ((corpus.n_sentences > 0 ? raw(ends[corpus.n_sentences - 1]) : 0) != corpus.n_tokens)
    throw std::invalid_argument("the last sentence must end with the last token");
  if (!std::is_sorted(ends, ends + corpus.n_sentences))
    throw std::invalid_argument("sentence ends must not fall");
  if (rule.distance_weighting) units_ = exact_units(rule.window);
  weights_.resize(static_cast<std::size_t>(rule.window) + 1, units_);
  for (std::size_t d = 1; d < weights_.size() && rule.distance_weighting; ++d)
    weights_[d] = units_ / static_cast<double>(d);
}

void CooccurrenceCounter::start() {
  team_.start(1, [this](int) { run(); });
}

void CooccurrenceCounter::finish() {
  team_.finish();
  result_.finish();
}

// Half of the budget is for the places, half for the result. A stretch shorter than the vocabulary
// would spend more on the ends of its rows than on what is in them.
std::int64_t CooccurrenceCounter::stretch_tokens() const {
  constexpr std::int64_t kMinStretch = 64;
  const auto fitting = static_cast<std::int64_t>(
      std::min<std::uint64_t>(config_.budget / 2 / sizeof(Occurrence), kMaxStretch));
  return std::max({fitting, kMinStretch, static_cast<std::int64_t>(corpus_.n_words)});
}

void CooccurrenceCounter::run() {
  const std::int64_t n_tokens = corpus_.n_tokens;
  const TokenPos end{n_tokens};
  const std::int64_t stretch = std::min(stretch_tokens(), kMaxStretch);
  if (n_tokens <= stretch) {
    n_runs_ = 1;
    count(TokenPos{0}, end, units_, result_);
    return;
  }
  SparseRows runs(0, config_.folder);
  for (TokenPos begin{0}; begin < end && !team_.stopping(); begin += stretch) {
    count(begin, std::min(begin + stretch, end), 1, runs);
    ++n_runs_;
  }
  occurrences_ = Occurrences();
  if (team_.stopping()) return;
  runs.finish();
  merge(runs);
}

void CooccurrenceCounter::count(TokenPos begin, TokenPos end, double divisor, SparseRows& out) {
  const Interrupt interrupt(team_.stop_flag());
  occurrences_.index(corpus_, begin, end, rule_.window, static_cast<std::size_t>(config_.n_workers),
                     interrupt);
  const auto window = static_cast<std::uint64_t>(rule_.window);
  writer_.write(
      corpus_.n_words, [&](std::size_t word) { return 1 + occurrences_.count(word) * window; },
      [&](std::size_t word, RowSums& sums) { add_neighbours(word, begin, sums, interrupt); },
      divisor, team_.stop_flag(), out);
}

void CooccurrenceCounter::add_neighbours(std::size_t word, TokenPos begin, RowSums& sums,
                                         const Interrupt& interrupt) {
  const Occurrence* const places = occurrences_.of(word);
  const std::size_t n = occurrences_.count(word);
  const std::size_t n_left = occurrences_.n_from(word);
  const WordId* const tokens = corpus_.tokens + raw(begin);
  const double* const weights = weights_.data();
  const bool symmetric = rule_.symmetric;
  const RowSums::Adder add = sums.adder();
  CheckedSteps steps(interrupt);
  for (std::size_t i = 0; i < n; ++i) {
    steps.step();
    if (i + kPrefetch < n_left) {
      const WordId* const soon = tokens + places[i + kPrefetch].offset;
      prefetch(soon - places[i + kPrefetch].left);
      prefetch(soon + places[i + kPrefetch].right);
    }
    const WordId* const at = tokens + places[i].offset;
    const std::ptrdiff_t left = places[i].left, right = places[i].right;
    for (std::ptrdiff_t d = 1; d <= right; ++d) add(at[d], weights[d]);
    if (!symmetric) continue;
    for (std::ptrdiff_t d = 1; d <= left; ++d) add(at[-d], weights[d]);
  }
  tokens_done_.fetch_add(static_cast<std::int64_t>(n), std::memory_order_relaxed);
}

void CooccurrenceCounter::merge(const SparseRows& runs) {
  const auto* const row_ends = reinterpret_cast<const std::int64_t*>(runs.row_ends->data());
  const auto* const columns = reinterpret_cast<const WordId*>(runs.columns->data());
  const auto* const values = reinterpret_cast<const double*>(runs.values->data());
  const auto n_runs = static_cast<std::size_t>(n_runs_);
  // The runs follow each other, so a row begins where the one before it ends.
  const auto begin_of = [&](std::size_t run, std::size_t row) {
    const std::size_t place = run * corpus_.n_words + row;
    return place == 0 ? 0 : row_ends[place - 1];
  };
  const auto end_of = [&](std::size_t run, std::size_t row) {
    return row_ends[run * corpus_.n_words + row];
  };
  const auto work = [&](std::size_t row) {
    std::uint64_t sum = 1;
    for (std::size_t run = 0; run < n_runs; ++run)
      sum += static_cast<std::uint64_t>(end_of(run, row) - begin_of(run, row));
    return sum;
  };
  const auto fill = [&](std::size_t row, RowSums& sums) {
    const RowSums::Adder add = sums.adder();
    for (std::size_t run = 0; run < n_runs; ++run)
      for (std::int64_t i = begin_of(run, row); i < end_of(run, row); ++i)
        add(columns[i], values[i]);
  };
  writer_.write(corpus_.n_words, work, fill, units_, team_.stop_flag(), result_);
}

}  // namespace pyw2v
