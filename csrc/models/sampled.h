// The outputs of SampledOutput: a word against k drawn ones, with log Q taken off their scores.
#pragma once

#include "kernels/sampled_softmax.h"
#include "models/targets.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// With what its words learn, too.
template <class Real>
struct SampledTargets : Targets<Real> {
  const WordId* words;
};

struct SampledOutputs {
  template <class Real>
  static void begin(const Model<Real>&, Workspace<Real>& work) {
    begin_sets(work.sampled);
  }
  template <class V>
  static void end_group(Workspace<typename V::Real>&) {}
  template <class V>
  static void end(const Workspace<typename V::Real>&) {}

  template <class Real>
  static void draw(const Model<Real>& model, int slot, Rng& rng, Workspace<Real>& work) {
    draw_bits(*model.sampled.sampler, slot, rng, work.sampled);
  }

  template <class Real>
  static void look_up(const Model<Real>& model, const WordId* centres, int n, int slot,
                      Workspace<Real>& work) {
    SampledSets<Real>& sets = work.sampled;
    if (model.sampled.per_pair) {
      sets.set_of[slot] = slot;
      return draw_pair(model.sampled, centres[0], slot, 0, slot, work);
    }
    sets.set_of[slot] = sets.next;
    draw_due(model.sampled, slot, work);
    set_centres<SampledOutputs>(model.sampled, centres, n, sets.next, sets, work);
    end_turn(sets);
  }

  template <class Real>
  static void fetch_ahead(const Model<Real>&, const WordId*, int, int) {}

  // Step::step for the whole window, or for one input after the other, each with words of its own;
  // those of the next are fetched meanwhile.
  template <class V, bool kLoss, class Step, class Context>
  static void run(const Model<typename V::Real>& model, const Context& context,
                  Workspace<typename V::Real>& work, LossSum<V>& loss) {
    int set = work.sampled.set_of[context.slot];
    if (!model.sampled.per_pair || !model.skipgram)
      return Step::template step<V, kLoss>(model, context, set_at(model, set, context, work), work,
                                           loss);
    const WordId word = context.centre();
    for (int j = 0; j < context.n; ++j) {
      const int next = kDrawAhead + j % 2;
      if (j > 0) work.n_fetches = 0;  // those of a group to come are under way
      if (j + 1 < context.n) draw_pair(model.sampled, word, context.slot, j + 1, next, work);
      Context pair = context;
      pair.inputs += j;
      pair.n = 1;
      Step::template step<V, kLoss>(model, pair, set_at(model, set, pair, work), work, loss);
      set = next;
    }
  }

  template <class V, bool kLoss, class Step>
  static void errors(const Model<typename V::Real>& model, Scores<typename V::Real> scores, int n,
                     SampledTargets<typename V::Real> targets, typename V::Real lr,
                     Workspace<typename V::Real>& work, LossSum<V>& loss) {
    using Real = typename V::Real;
    const SampledOutput<Real>& sampled = model.sampled;
    const bool learns = sampled.bias != nullptr || sampled.log_z != nullptr;
    if (learns) targets.shift = shift_at_work(sampled, targets, work.sampled.shift_at_work.data());
    if (sampled.softmax)
      shifted_softmax_errors<V, kLoss>(scores, n, targets, lr, work.sampled.exponentials.data(),
                                       loss);
    else
      logistic_errors<V, kLoss, (Step::kMostCentres > 1), true>(scores, n, targets, lr, loss);
    if (learns) learn_shift<V>(sampled, scores, n, targets, work.sampled.sums.data());
  }

  // A word, or the centre, into a column of a target set.
  template <class Real>
  static void set_word(const SampledOutput<Real>& sampled, WordId word, int set, int column,
                       Workspace<Real>& work) {
    SampledSets<Real>& sets = work.sampled;
    const auto at = static_cast<std::size_t>(set * sets.columns + column);
    sets.words[at] = word;
    sets.rows[at] = sampled.output.row(row_of(word));
    sets.shift.data()[at] = sampled.shift != nullptr ? sampled.shift[word] : Real(0);
    list_fetch(sets.rows[at], work);
    if (sampled.bias != nullptr) PYW2V_PREFETCH(sampled.bias + word);
  }

 private:
  // Words without repetition are drawn together, at every kNoiseUses-th use of a set: drawn one by
  // one to differ from those at hand they would follow another law.
  template <class Real>
  static void draw_due(const SampledOutput<Real>& sampled, int slot, Workspace<Real>& work) {
    SampledSets<Real>& sets = work.sampled;
    if (sampled.unique == nullptr) return renew_words<SampledOutputs>(sampled, slot, sets, work);
    if (sets.use > 0 && (sets.use + sets.next) % kNoiseUses != 0) return;
    const std::uint64_t seed = sets.bits[static_cast<std::size_t>(slot * sets.fresh)];
    draw_words(sampled, Rng(seed, 0, 0), sets.next, work);
  }

  template <class Real>
  static void draw_words(const SampledOutput<Real>& sampled, Rng rng, int set,
                         Workspace<Real>& work) {
    WordId* words = work.sampled.words.data() + set * work.sampled.columns + kMaxCentres;
    if (sampled.unique != nullptr)
      sampled.unique->draw(rng, sampled.negative, work.sampled.seen, words);
    else
      for (int j = 0; j < sampled.negative; ++j) words[j] = sampled.sampler->draw(rng);
    for (int j = 0; j < sampled.negative; ++j)
      set_word(sampled, words[j], set, kMaxCentres + j, work);
  }

  // The set of one pair of the centre in `slot`.
  template <class Real>
  static void draw_pair(const SampledOutput<Real>& sampled, WordId centre, int slot, int pair,
                        int set, Workspace<Real>& work) {
    SampledSets<Real>& sets = work.sampled;
    const std::uint64_t seed = sets.bits[static_cast<std::size_t>(slot * sets.fresh)];
    draw_words(sampled, Rng(seed, static_cast<std::uint64_t>(pair), 0), set, work);
    sets.repeats[static_cast<std::size_t>(set)] =
        sampled.unique == nullptr &&
        !all_differ(sets.rows.data() + set * sets.columns + kMaxCentres, sampled.negative);
    set_centres<SampledOutputs>(sampled, &centre, 1, set, sets, work);
  }

  template <class Real, class Context>
  static SampledTargets<Real> set_at(const Model<Real>& model, int set, const Context& context,
                                     const Workspace<Real>& work) {
    const SampledSets<Real>& sets = work.sampled;
    const int at = set * sets.columns + kMaxCentres - context.n_centres;
    SampledTargets<Real> targets{
        targets_of(sets, set, context.n_centres, model.sampled.remove_hits, context.owners),
        sets.words.data() + at};
    targets.shift = sets.shift.data() + at;
    return targets;
  }

  template <class Real>
  static const Real* shift_at_work(const SampledOutput<Real>& sampled,
                                   const SampledTargets<Real>& targets, Real* out) {
    const Real log_z = sampled.log_z != nullptr ? *sampled.log_z : Real(0);
    for (int j = 0; j < targets.m; ++j) {
      out[j] = targets.shift[j] + log_z;
      if (sampled.bias != nullptr) out[j] -= sampled.bias[targets.words[j]];
    }
    return out;
  }

  // A bias is added to the scores of its column, log Z taken off all: so go their changes.
  template <class V>
  static void learn_shift(const SampledOutput<typename V::Real>& sampled,
                          Scores<typename V::Real> errors, int n,
                          const SampledTargets<typename V::Real>& targets, typename V::Real* sums) {
    typename V::Real total = 0;
    for (int j = 0; j < targets.m; j += V::kWidth) {
      V sum = V::load(errors.at(0, j));
      for (int i = 1; i < n; ++i) sum = sum + V::load(errors.at(i, j));
      sum.store(sums + j);
    }
    for (int j = 0; j < targets.m; ++j) {
      total += sums[j];
      if (sampled.bias != nullptr) sampled.bias[targets.words[j]] += sums[j];
    }
    if (sampled.log_z != nullptr) *sampled.log_z -= total;
  }
};

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
