// The targets of SampledOutput: a word against k drawn ones, with log Q subtracted from the scores.
#pragma once

#include "kernels/region.h"
#include "kernels/sampled_softmax.h"
#include "models/targets.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// With the words, whose biases are learnt.
template <class Real>
struct SampledTargets : Targets<Real> {
  const WordId* words;
};

struct SampledOutputs {
  template <class Real>
  using TargetSet = SampledTargets<Real>;

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
      sets.set_in_slot[slot] = slot;
      return draw_pair(model.sampled, centres[0], slot, 0, slot, work);
    }
    sets.set_in_slot[slot] = sets.next;
    draw_due(model.sampled, slot, work);
    set_centres<SampledOutputs>(model.sampled, centres, n, sets.next, sets, work);
    end_turn(sets);
  }

  template <class Real>
  static void prefetch_ahead(const Model<Real>&, const WordId*, int, int) {}

  // One set for the whole window; or one for each input, with words of its own, while those of the
  // next input's set are prefetched.
  template <class Real>
  class TargetSets {
   public:
    template <class Context>
    TargetSets(const Model<Real>& model, const Context& context, Workspace<Real>& work)
        : set_(work.sampled.set_in_slot[context.slot]),
          pairs_(model.sampled.per_pair && model.skipgram),
          n_left_(pairs_ ? context.n : 1) {
      n_inputs = pairs_ ? 1 : context.n;
    }

    template <class Context>
    bool next(const Model<Real>& model, const Context& context, Workspace<Real>& work,
              SampledTargets<Real>& targets) {
      if (n_left_ == 0) return false;
      targets = set_at(model, set_, context, work);
      --n_left_;
      if (pairs_) {
        first_input = n_yielded_++;
        draw_next(model, context, work);
      }
      return true;
    }

    int first_input = 0, n_inputs;

   private:
    template <class Context>
    void draw_next(const Model<Real>& model, const Context& context, Workspace<Real>& work) {
      if (first_input > 0) work.n_prefetches = 0;  // the next group's rows are in flight
      set_ = kDrawAhead + first_input % 2;
      if (n_left_ > 0)
        draw_pair(model.sampled, context.centre(), context.slot, first_input + 1, set_, work);
    }

    int set_;     // the next one to yield
    bool pairs_;  // each input has a set of its own
    int n_left_, n_yielded_ = 0;
  };

  template <class V, bool kLoss, bool kMayBeOwned>
  static void errors(const Model<typename V::Real>& model, Scores<typename V::Real> scores, int n,
                     SampledTargets<typename V::Real> targets, typename V::Real lr,
                     Workspace<typename V::Real>& work, LossSum<V>& loss) {
    using Real = typename V::Real;
    const SampledOutput<Real>& sampled = model.sampled;
    const bool learns = sampled.bias != nullptr || sampled.log_z != nullptr;
    if (learns) targets.shift = current_shift(sampled, targets, work.sampled.current_shift.data());
    if (sampled.softmax)
      shifted_softmax_errors<V, kLoss>(scores, n, targets, lr, work.sampled.exponentials.data(),
                                       loss);
    else
      logistic_errors<V, kLoss, kMayBeOwned, true>(scores, n, targets, lr, loss);
    if (learns) learn_shift<V>(sampled, scores, n, targets, work.sampled.sums.data());
  }

  // Puts a noise word, or a centre, into a column of a target set.
  template <class Real>
  static void set_word(const SampledOutput<Real>& sampled, WordId word, int set, int column,
                       Workspace<Real>& work) {
    SampledSets<Real>& sets = work.sampled;
    const auto at = static_cast<std::size_t>(set * sets.columns + column);
    sets.words[at] = word;
    sets.rows[at] = sampled.output.row(row_of(word));
    sets.shift.data()[at] = sampled.shift != nullptr ? sampled.shift[raw(word)] : Real(0);
    list_prefetch(sets.rows[at], work);
    if (sampled.bias != nullptr) PYW2V_PREFETCH(sampled.bias + raw(word));
  }

 private:
  // Draws the noise words that are due. Words without replacement are drawn together, at every
  // kNoiseUses-th use of a set: replaced one at a time, each different from those that remain, they
  // would have another distribution.
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
        targets_in_set(sets, set, context.n_centres, model.sampled.remove_hits, context.owners),
        sets.words.data() + at};
    targets.shift = sets.shift.data() + at;
    return targets;
  }

  template <class Real>
  static const Real* current_shift(const SampledOutput<Real>& sampled,
                                   const SampledTargets<Real>& targets, Real* out) {
    const Real log_z = sampled.log_z != nullptr ? *sampled.log_z : Real(0);
    for (int j = 0; j < targets.m; ++j) {
      out[j] = targets.shift[j] + log_z;
      if (sampled.bias != nullptr) out[j] -= sampled.bias[raw(targets.words[j])];
    }
    return out;
  }

  // A bias is added to its column's scores, so it changes by the column's sum of errors; log Z is
  // subtracted from all scores, so it changes by minus the sum of all.
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
      if (sampled.bias != nullptr) sampled.bias[raw(targets.words[j])] += sums[j];
    }
    if (sampled.log_z != nullptr) *sampled.log_z -= total;
  }
};

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
