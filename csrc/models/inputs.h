// The input row of every word in the text: its own row, or one composed of its n-grams' rows, too.
#pragma once

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
  const std::int64_t begin = model.subwords.offsets[word];
  const int n = static_cast<int>(model.subwords.offsets[word + 1] - begin);
  for (int k = 0; k < n; ++k)
    parts[k + 1] =
        model.subwords.rows.row(row_of(static_cast<WordId>(model.subwords.ids[begin + k])));
  return n + 1;
}

// All rows of a word, which stand in work.parts, += share * change, as far as locks let them.
template <class V>
inline void add_to_word(const Model<typename V::Real>& model, WordId word, int n_rows,
                        typename V::Real share, const typename V::Real* change,
                        Workspace<typename V::Real>& work) {
  using Real = typename V::Real;
  const int dim = whole_vectors<V>(model.input.dim());
  if (model.input_lock == nullptr && model.subwords.lock == nullptr)
    return add_to_rows<V>(work.parts.data(), n_rows, share, change, dim);
  const std::int64_t begin = model.subwords.on() ? model.subwords.offsets[word] : 0;
  for (int k = 0; k < n_rows; ++k) {
    const float* lock = k == 0 ? model.input_lock : model.subwords.lock;
    const std::int64_t at = k == 0 ? word : model.subwords.ids[begin + k - 1];
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
// skip-gram; for CBOW, which takes one mean over all rows of a context, their sum). It is composed
// once, when the word comes into reach, kept in a small ring where steps change it in place, and
// when the word is out of reach all rows of the word get the change that moves the composed one as
// it was moved. So rows are read and written once for each word of the text, not once for each pair
// of words. This is the same descent, except that rows common to words in reach of each other see
// each other's changes late.
struct ComposedInputs {
  static constexpr bool kComposed = true;

  // Rows arrive while other words are computed with: their ids are asked for this many words before
  // they are used, and the rows so many.
  static constexpr int kOffsetsAhead = 6, kIdsAhead = 4, kRowsAhead = 2;

  template <class V>
  static void open(const Model<typename V::Real>& model, int i, int n,
                   Workspace<typename V::Real>& work) {
    using Real = typename V::Real;
    const Subwords<Real>& subwords = model.subwords;
    const WordId* words = work.kept.words.data();
    if (i + kOffsetsAhead < n) PYW2V_PREFETCH_READ(subwords.offsets + words[i + kOffsetsAhead]);
    if (i + kIdsAhead < n)
      PYW2V_PREFETCH_READ(subwords.ids + subwords.offsets[words[i + kIdsAhead]]);
    if (i + kRowsAhead < n) {
      const int n_ahead = list_word_rows(model, words[i + kRowsAhead], work);
      for (int k = 0; k < n_ahead; ++k) list_fetch(work.parts[static_cast<std::size_t>(k)], work);
    }
    const int n_rows = list_word_rows(model, words[i], work);
    Real* row = local_row(model, i, work);
    gather_sum<V>(work.parts.data(), n_rows, scale_of(model, n_rows),
                  whole_vectors<V>(model.input.dim()), row);
    std::memcpy(row + model.input.stride(), row, model.input.stride() * sizeof(Real));
    work.rows[static_cast<std::size_t>(i)] = row;
    work.n_parts[static_cast<std::size_t>(i)] = n_rows;
  }

  template <class V>
  static void close(const Model<typename V::Real>& model, int i,
                    Workspace<typename V::Real>& work) {
    using Real = typename V::Real;
    const WordId word = work.kept.words[static_cast<std::size_t>(i)];
    const int n_rows = list_word_rows(model, word, work);
    const int dim = whole_vectors<V>(model.input.dim());
    const Real* row = local_row(model, i, work);
    Real* change = work.delta.data();
    subtract<V>(row, row + model.input.stride(), dim, change);
    // Adding one change to every row adds it to their mean, and n times to their sum.
    const Real share = Real(1) / (scale_of(model, n_rows) * static_cast<Real>(n_rows));
    add_to_word<V>(model, word, n_rows, share, change, work);
  }

 private:
  template <class Real>
  static Real scale_of(const Model<Real>& model, int n_rows) {
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
