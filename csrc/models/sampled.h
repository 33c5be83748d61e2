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
  int m;
  bool differ;  // no row twice
  bool hit;     // a drawn word is the centre
};

struct SampledOutputs {
  template <class Real>
  static void begin(const Model<Real>&, Rng&, Workspace<Real>&) {}

  // One seed for all that is drawn for the centre: what a window shares is drawn at its first use,
  // and later in part or not at all.
  template <class Real>
  static void draw(const Model<Real>& model, int slot, WordId, Rng& rng, Workspace<Real>& work) {
    SampledSets<Real>& sets = work.sampled;
    sets.seeds[slot] = rng.next();
    if (model.sampled.unique != nullptr || model.sampled.per_pair) return;
    Rng words = pair_rng(sets, slot, 0);
    for (int j = 0; j < sets.fresh; ++j) PYW2V_PREFETCH(model.sampled.sampler->entry(words.next()));
  }

  template <class Real>
  static void look_up(const Model<Real>& model, int i, WordId centre, int slot,
                      Workspace<Real>& work) {
    if (model.sampled.per_pair) return draw_pair(model.sampled, centre, slot, 0, slot, work);
    SampledSets<Real>& sets = work.sampled;
    const int k = model.sampled.negative;
    WordId* words = sets.words.data() + slot * sets.columns;
    const WordId* shared = shared_words(model.sampled, i, slot, work);
    for (int j = 0; j < k; ++j) words[j + 1] = shared[j];
    finish_set(model.sampled, centre, slot, sets);
    list_fetches(sets.rows.data() + slot * sets.columns, 1, work);
  }

  template <class Real>
  static void fetch_ahead(const Model<Real>&, const WordId*, int, int) {}

  // Step::step for the whole window, or for one input after the other, each with words of its own;
  // those of the next are fetched meanwhile.
  template <class V, bool kLoss, class Step, class Centre>
  static void run(const Model<typename V::Real>& model, const Centre& centre,
                  Workspace<typename V::Real>& work, LossSum<V>& loss) {
    if (!model.sampled.per_pair || !model.skipgram)
      return Step::template step<V, kLoss>(model, centre, set_at(model, centre.slot, work), work,
                                           loss);
    int slot = centre.slot;
    const WordId word = centre.centre();
    for (int j = 0; j < centre.n; ++j) {
      const int next = kDrawAhead + j % 2;
      if (j > 0) work.n_fetches = 0;  // those of a centre to come are under way
      if (j + 1 < centre.n) draw_pair(model.sampled, word, centre.slot, j + 1, next, work);
      Centre pair = centre;
      pair.inputs += j;
      pair.n = 1;
      Step::template step<V, kLoss>(model, pair, set_at(model, slot, work), work, loss);
      slot = next;
    }
  }

  template <class V, bool kLoss>
  static void errors(const Model<typename V::Real>& model, Scores<typename V::Real> scores, int n,
                     const SampledTargets<typename V::Real>& targets, typename V::Real lr,
                     Workspace<typename V::Real>& work, LossSum<V>& loss) {
    using Real = typename V::Real;
    const SampledOutput<Real>& sampled = model.sampled;
    Real* shift = work.sampled.shift.data();
    const Real* labels = work.sampled.labels.data();
    const bool removed = targets.hit && sampled.remove_hits;
    fill_shift(sampled, targets, removed, shift);
    if (sampled.softmax)
      shifted_softmax_errors<V, kLoss>(scores, n, targets.m, labels, shift, lr, loss);
    else
      shifted_logistic_errors<V, kLoss>(scores, n, targets.m, labels, shift, lr, loss);
    // Not quite zero by themselves, but numbers so small that computing with them takes long.
    for (int j = 1; removed && j < targets.m; ++j)
      if (targets.words[j] == targets.words[0])
        for (int i = 0; i < n; ++i) *scores.at(i, j) = 0;
    if (sampled.bias != nullptr || sampled.log_z != nullptr)
      learn_shift<V>(sampled, scores, n, targets, work.sampled.sums.data());
  }

 private:
  template <class Real>
  static Rng pair_rng(const SampledSets<Real>& sets, int slot, int pair) {
    return Rng(sets.seeds[slot], static_cast<std::uint64_t>(pair), 0);
  }

  // The words of centre i's window. Sets are used in turn, and again after `gap` centres (see
  // kNoiseUses): with repetition, the oldest `fresh` words are drawn anew each time; else all of
  // them at every kNoiseUses-th use, since words drawn one by one to differ from those at hand
  // would follow another law.
  template <class Real>
  static const WordId* shared_words(const SampledOutput<Real>& sampled, int i, int slot,
                                    Workspace<Real>& work) {
    SampledSets<Real>& sets = work.sampled;
    const int k = sampled.negative, place = i % sets.gap, use = i / sets.gap;
    WordId* words = sets.noise.data() + static_cast<std::ptrdiff_t>(place) * k;
    Rng rng = pair_rng(sets, slot, 0);
    if (use == 0 || (sampled.unique != nullptr && (use + place) % kNoiseUses == 0)) {
      draw_words(sampled, rng, sets.seen, words);
      for (int j = 0; j < k; ++j) fetch_word(sampled, words[j], work);
    } else if (sampled.unique == nullptr) {
      int at = (use - 1) * sets.fresh % k;
      for (int j = 0; j < sets.fresh; ++j) {
        words[at] = sampled.sampler->draw(rng);
        fetch_word(sampled, words[at], work);
        if (++at == k) at = 0;
      }
    }
    return words;
  }

  template <class Real>
  static void draw_words(const SampledOutput<Real>& sampled, Rng& rng, SeenWords& seen,
                         WordId* words) {
    if (sampled.unique != nullptr) return sampled.unique->draw(rng, sampled.negative, seen, words);
    for (int j = 0; j < sampled.negative; ++j) words[j] = sampled.sampler->draw(rng);
  }

  template <class Real>
  static void fetch_word(const SampledOutput<Real>& sampled, WordId word, Workspace<Real>& work) {
    Real* const row = sampled.output.row(row_of(word));
    list_fetches(&row, 1, work);
    if (sampled.shift != nullptr) PYW2V_PREFETCH_READ(sampled.shift + word);
    if (sampled.bias != nullptr) PYW2V_PREFETCH(sampled.bias + word);
  }

  // The set of one pair, into `slot`.
  template <class Real>
  static void draw_pair(const SampledOutput<Real>& sampled, WordId centre, int seed_slot, int pair,
                        int slot, Workspace<Real>& work) {
    SampledSets<Real>& sets = work.sampled;
    Rng rng = pair_rng(sets, seed_slot, pair);
    WordId* words = sets.words.data() + slot * sets.columns;
    draw_words(sampled, rng, sets.seen, words + 1);
    finish_set(sampled, centre, slot, sets);
    list_fetches(sets.rows.data() + slot * sets.columns, sampled.negative + 1, work);
  }

  // Rows and what is known of them, for the words drawn into `slot`.
  template <class Real>
  static void finish_set(const SampledOutput<Real>& sampled, WordId centre, int slot,
                         SampledSets<Real>& sets) {
    const int m = sampled.negative + 1;
    WordId* words = sets.words.data() + slot * sets.columns;
    Real** rows = sets.rows.data() + slot * sets.columns;
    words[0] = centre;
    bool hit = false;
    for (int j = 0; j < m; ++j) {
      rows[j] = sampled.output.row(row_of(words[j]));
      hit |= j > 0 && words[j] == centre;
    }
    sets.hit[slot] = hit;
    sets.differ[slot] = sampled.unique != nullptr ? !hit : all_differ(rows, m);
  }

  template <class Real>
  static SampledTargets<Real> set_at(const Model<Real>& model, int slot,
                                     const Workspace<Real>& work) {
    const SampledSets<Real>& sets = work.sampled;
    const int at = slot * sets.columns;
    return {sets.words.data() + at, sets.rows.data() + at, model.sampled.negative + 1,
            sets.differ[slot], sets.hit[slot]};
  }

  template <class Real>
  static void fill_shift(const SampledOutput<Real>& sampled, const SampledTargets<Real>& targets,
                         bool removed, Real* shift) {
    const Real log_z = sampled.log_z != nullptr ? *sampled.log_z : Real(0);
    for (int j = 0; j < targets.m; ++j) {
      const WordId word = targets.words[j];
      shift[j] = log_z;
      if (sampled.shift != nullptr) shift[j] += sampled.shift[word];
      if (sampled.bias != nullptr) shift[j] -= sampled.bias[word];
      if (removed && j > 0 && word == targets.words[0]) shift[j] = SampledSets<Real>::kNoTarget;
    }
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
