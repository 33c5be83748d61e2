// The input row of every word in the text: the word's own row, or one composed of that row and
// those of its n-grams.
#pragma once

#include "kernels/region.h"
#include "models/targets.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Lists the rows of a word in work.parts, its own first; returns their number.
template <class Real>
inline int list_word_rows(const Model<Real>& model, WordId word, Workspace<Real>& work) {
  Real** parts = work.parts.data();
  parts[0] = model.input.row(row_of(word));
  if (!model.subwords.on()) return 1;
  const std::int64_t begin = model.subwords.offsets[raw(word)];
  const int n = static_cast<int>(model.subwords.offsets[raw(word) + 1] - begin);
  for (int k = 0; k < n; ++k)
    parts[k + 1] = model.subwords.rows.row(row_number(model.subwords.ids[begin + k]));
  return n + 1;
}

// All rows of a word, which stand in work.parts, += share * change, as far as locks let them.
template <class V>
inline void add_to_word(const Model<typename V::Real>& model, WordId word, int n_rows,
                        typename V::Real share, const typename V::Real* change,
                        Workspace<typename V::Real>& work) {
  using Real = typename V::Real;
  const int dim = whole_vectors<V>(model.input.dim());
  if (model.input_lock == nullptr && model.subwords.lock == nullptr) {
    constexpr int kStep = 1 << 14;  // rows between two checks of `stop`
    for (int first = 0; first < n_rows; first += kStep) {
      if (first > 0 && work.stopped()) return;
      const int n = n_rows - first < kStep ? n_rows - first : kStep;
      add_to_rows<V>(work.parts.data() + first, n, share, change, dim);
    }
    return;
  }
  const std::int64_t begin = model.subwords.on() ? model.subwords.offsets[raw(word)] : 0;
  for (int k = 0; k < n_rows; ++k) {
    const float* lock = k == 0 ? model.input_lock : model.subwords.lock;
    const std::int64_t at = k == 0 ? raw(word) : std::int64_t{model.subwords.ids[begin + k - 1]};
    const Real factor = lock == nullptr ? Real(1) : static_cast<Real>(lock[at]);
    add_to_rows<V>(work.parts.data() + k, 1, share * factor, change, dim);
  }
}

// A word's row in the input matrix, which steps change in place.
struct PlainInputs {
  static constexpr bool kComposed = false;

  template <class V>
  static void open(const Model<typename V::Real>& model, int i, int,
                   Workspace<typename V::Real>& work) {
    const auto at = static_cast<std::size_t>(i);
    work.rows[at] = model.input.row(row_of(work.kept.words[at]));
    prefetch_row(work.rows[at], static_cast<int>(model.input.dim() * sizeof(typename V::Real)));
  }
  template <class V>
  static void close(const Model<typename V::Real>&, int, Workspace<typename V::Real>&) {}
};

// fastText's words: a word's own row and those of its n-grams make one row (their mean for
// skip-gram; for CBOW, which takes one mean over all rows of a context, their sum). The row is
// composed once, when a window first reaches the word, and kept in a small ring, where steps change
// it in place. When no window reaches the word any more, all of its rows get the change that, made
// before composing, moves the composed row by as much. So rows are read and written once for each
// word of the text, not once for each pair of words. This is the same descent, except that rows
// that words in reach of each other share see each other's changes late.
struct ComposedInputs {
  static constexpr bool kComposed = true;

  // Rows arrive while other words are computed with. How many words before their use the offsets of
  // a word's n-grams, their ids and their rows are prefetched.
  static constexpr int kOffsetsAhead = 6, kIdsAhead = 4, kRowsAhead = 2;

  template <class V>
  static void open(const Model<typename V::Real>& model, int i, int n,
                   Workspace<typename V::Real>& work) {
    using Real = typename V::Real;
    const Subwords<Real>& subwords = model.subwords;
    const WordId* words = work.kept.words.data();
    if (i + kOffsetsAhead < n)
      PYW2V_PREFETCH_READ(subwords.offsets + raw(words[i + kOffsetsAhead]));
    if (i + kIdsAhead < n)
      PYW2V_PREFETCH_READ(subwords.ids + subwords.offsets[raw(words[i + kIdsAhead])]);
    if (i + kRowsAhead < n) {
      const int n_ahead = list_word_rows(model, words[i + kRowsAhead], work);
      for (int k = 0; k < n_ahead; ++k)
        list_prefetch(work.parts[static_cast<std::size_t>(k)], work);
    }
    const int n_rows = list_word_rows(model, words[i], work);
    Real* row = local_row(model, i, work);
    // The same sum as that of all rows at once: of every piece but the first, the row itself is the
    // first to be added.
    Real** parts = work.parts.data();
    for (int left = n_rows;;) {
      const int n = left < kMaxGathered ? left : kMaxGathered;
      gather_sum<V>(parts, n, n == left ? composed_scale(model, n_rows) : Real(1),
                    whole_vectors<V>(model.input.dim()), row);
      left -= n;
      if (left == 0 || work.stopped()) break;
      parts += n - 1;
      *parts = row;
      ++left;
    }
    std::memcpy(row + model.input.stride(), row, model.input.stride() * sizeof(Real));
    work.rows[static_cast<std::size_t>(i)] = row;
    work.n_parts[static_cast<std::size_t>(i)] = n_rows;
  }

  template <class V>
  static void close(const Model<typename V::Real>& model, int i,
                    Workspace<typename V::Real>& work) {
    using Real = typename V::Real;
    const WordId word = work.kept.words[static_cast<std::size_t>(i)];
    if (work.n_parts[static_cast<std::size_t>(i)] > kMaxGathered && work.stopped()) return;
    const int n_rows = list_word_rows(model, word, work);
    const int dim = whole_vectors<V>(model.input.dim());
    const Real* row = local_row(model, i, work);
    Real* change = work.delta.data();
    subtract<V>(row, row + model.input.stride(), dim, change);
    // Adding one change to every row adds it to their mean, and n times to their sum.
    const Real share = Real(1) / (composed_scale(model, n_rows) * static_cast<Real>(n_rows));
    add_to_word<V>(model, word, n_rows, share, change, work);
  }

 private:
  // Rows of one word between two checks of `stop`: a word of a megabyte has millions.
  static constexpr int kMaxGathered = 4096;

  template <class Real>
  static Real composed_scale(const Model<Real>& model, int n_rows) {
    return model.skipgram ? Real(1) / static_cast<Real>(n_rows) : Real(1);
  }

  // Followed by the row as it was composed.
  template <class Real>
  static Real* local_row(const Model<Real>& model, int i, Workspace<Real>& work) {
    return work.local.data() +
           static_cast<std::size_t>(i & (work.local_rows - 1)) * 2 * model.input.stride();
  }
};

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
