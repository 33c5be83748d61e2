// The outputs of SampledOutput: a word against k drawn ones, with log Q taken off their scores.
#pragma once

#include "kernels/softmax.h"
#include "models/targets.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// A target set: the centre, then the drawn words.
template <class Real>
struct SampledTargets {
  const WordId* words;
  Real* const* rows;
  const Real* shift;
  int m;
  bool differ;  // no row twice
  bool hit;     // a drawn word is the centre
};

struct SampledOutputs {
  template <class Real>
  static void begin(const Model<Real>&, Workspace<Real>& work) {
    begin_sets(work.sampled);
  }
  template <class V>
  static void end_centre(Workspace<typename V::Real>&) {}
  template <class V>
  static void end(const Workspace<typename V::Real>&) {}

  template <class Real>
  static void draw(const Model<Real>& model, int slot, Rng& rng, Workspace<Real>& work) {
    draw_bits(*model.sampled.sampler, slot, rng, work.sampled);
  }

  template <class Real>
  static void look_up(const Model<Real>& model, WordId centre, int slot, Workspace<Real>& work) {
    SampledSets<Real>& sets = work.sampled;
    if (model.sampled.per_pair) {
      sets.set_of[slot] = slot;
      return draw_pair(model.sampled, centre, slot, 0, slot, work);
    }
    sets.set_of[slot] = sets.next;
    draw_due(model.sampled, slot, work);
    set_word(model.sampled, centre, sets.next, 0, work);
    note_hit(model.sampled.negative, sets.next, sets);
    end_turn(model.sampled.negative, sets);
  }

  template <class Real>
  static void fetch_ahead(const Model<Real>&, const WordId*, int, int) {}

  // Step::step for the whole window, or for one input after the other, each with words of its own;
  // those of the next are fetched meanwhile.
  template <class V, bool kLoss, class Step, class Centre>
  static void run(const Model<typename V::Real>& model, const Centre& centre,
                  Workspace<typename V::Real>& work, LossSum<V>& loss) {
    int set = work.sampled.set_of[centre.slot];
    if (!model.sampled.per_pair || !model.skipgram)
      return Step::template step<V, kLoss>(model, centre, set_at(model, set, work), work, loss);
    const WordId word = centre.centre();
    for (int j = 0; j < centre.n; ++j) {
      const int next = kDrawAhead + j % 2;
      if (j > 0) work.n_fetches = 0;  // those of a centre to come are under way
      if (j + 1 < centre.n) draw_pair(model.sampled, word, centre.slot, j + 1, next, work);
      Centre pair = centre;
      pair.inputs += j;
      pair.n = 1;
      Step::template step<V, kLoss>(model, pair, set_at(model, set, work), work, loss);
      set = next;
    }
  }

  template <class V, bool kLoss>
  static void errors(const Model<typename V::Real>& model, Scores<typename V::Real> scores, int n,
                     const SampledTargets<typename V::Real>& targets, typename V::Real lr,
                     Workspace<typename V::Real>& work, LossSum<V>& loss) {
    using Real = typename V::Real;
    const SampledOutput<Real>& sampled = model.sampled;
    const Real* labels = work.sampled.labels.data();
    const Real* shift = targets.shift;
    const bool learns = sampled.bias != nullptr || sampled.log_z != nullptr;
    const bool removed = targets.hit && sampled.remove_hits;
    if (learns || removed)
      shift = shift_at_work(sampled, targets, removed, work.sampled.shift_at_work.data());
    if (sampled.softmax)
      shifted_softmax_errors<V, kLoss>(scores, n, targets.m, labels, shift, lr, loss);
    else
      shifted_logistic_errors<V, kLoss>(scores, n, targets.m, labels, shift, lr, loss);
    // Not quite zero by themselves, but numbers so small that computing with them takes long.
    for (int j = 1; removed && j < targets.m; ++j)
      if (targets.words[j] == targets.words[0])
        for (int i = 0; i < n; ++i) *scores.at(i, j) = 0;
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
    WordId* words = work.sampled.words.data() + set * work.sampled.columns + 1;
    if (sampled.unique != nullptr)
      sampled.unique->draw(rng, sampled.negative, work.sampled.seen, words);
    else
      for (int j = 0; j < sampled.negative; ++j) words[j] = sampled.sampler->draw(rng);
    for (int j = 0; j < sampled.negative; ++j) set_word(sampled, words[j], set, j + 1, work);
  }

  // The set of one pair of the centre in `slot`.
  template <class Real>
  static void draw_pair(const SampledOutput<Real>& sampled, WordId centre, int slot, int pair,
                        int set, Workspace<Real>& work) {
    SampledSets<Real>& sets = work.sampled;
    const std::uint64_t seed = sets.bits[static_cast<std::size_t>(slot * sets.fresh)];
    draw_words(sampled, Rng(seed, static_cast<std::uint64_t>(pair), 0), set, work);
    set_word(sampled, centre, set, 0, work);
    sets.repeats[static_cast<std::size_t>(set)] =
        sampled.unique == nullptr &&
        !all_differ(sets.rows.data() + set * sets.columns + 1, sampled.negative);
    note_hit(sampled.negative, set, sets);
  }

  template <class Real>
  static SampledTargets<Real> set_at(const Model<Real>& model, int set,
                                     const Workspace<Real>& work) {
    const SampledSets<Real>& sets = work.sampled;
    const int at = set * sets.columns;
    const auto of = static_cast<std::size_t>(set);
    return {sets.words.data() + at,
            sets.rows.data() + at,
            sets.shift.data() + at,
            model.sampled.negative + 1,
            !(sets.repeats[of] | sets.hit[of]),
            sets.hit[of] != 0};
  }

  template <class Real>
  static const Real* shift_at_work(const SampledOutput<Real>& sampled,
                                   const SampledTargets<Real>& targets, bool removed, Real* out) {
    const Real log_z = sampled.log_z != nullptr ? *sampled.log_z : Real(0);
    for (int j = 0; j < targets.m; ++j) {
      const WordId word = targets.words[j];
      out[j] = targets.shift[j] + log_z;
      if (sampled.bias != nullptr) out[j] -= sampled.bias[word];
      if (removed && j > 0 && word == targets.words[0]) out[j] = SampledSets<Real>::kNoTarget;
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
