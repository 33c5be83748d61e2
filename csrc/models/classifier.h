// The text classifier of fastText: the mean of a line's feature rows predicts its label. One block
// step with one input for every line (Joulin, Grave, Bojanowski, Mikolov 2016).
#pragma once

#include "kernel_data/classifier_model.h"
#include "kernels/logistic.h"
#include "kernels/region.h"
#include "kernels/rows.h"
#include "kernels/softmax.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// Feature rows in flight. Rows of buckets are nearly always cache misses, but their order is known.
// Waiting for them one at a time is what fastText spends most of its time on.
constexpr std::int64_t kFeaturesAhead = 8;

// The rows of a line's features, in turn.
template <class Real>
struct FeatureRows {
  const MatrixView<Real>& input;
  const std::uint32_t* ids;
  std::int64_t n;
  std::int64_t n_known;  // including those of later lines, which may be prefetched already
  Real* operator[](std::int64_t i) const { return input.row(RowId{ids[i]}); }
  void fetch(std::int64_t i, int dim) const {
    if (i < n_known) prefetch_row((*this)[i], dim * static_cast<int>(sizeof(Real)));
  }
};

// Rows between two checks of `stop`: one text may have millions.
constexpr std::int64_t kFeaturesAtOnce = 1 << 14;

// out = the mean of the rows. A few rows at a time, not column by column: a line may have more rows
// than the cache holds. kMany: there are more than kFeaturesAtOnce.
template <class V, bool kMany>
inline void gather_features(const FeatureRows<typename V::Real>& rows, int dim,
                            const std::atomic<bool>& stop, typename V::Real* out) {
  using Real = typename V::Real;
  for (int c = 0; c < dim; c += V::kWidth) V::zero().store(out + c);
  std::int64_t i = 0;
  for (; i + 4 <= rows.n; i += 4) {
    if (kMany && i % kFeaturesAtOnce == 0 && stop.load(std::memory_order_relaxed)) return;
    for (int k = 0; k < 4; ++k) rows.fetch(i + kFeaturesAhead + k, dim);
    const Real *a = rows[i], *b = rows[i + 1], *d = rows[i + 2], *e = rows[i + 3];
    for (int c = 0; c < dim; c += V::kWidth)
      ((V::load(out + c) + V::load(a + c)) + (V::load(b + c) + (V::load(d + c) + V::load(e + c))))
          .store(out + c);
  }
  for (; i < rows.n; ++i) {
    rows.fetch(i + kFeaturesAhead, dim);
    const Real* row = rows[i];
    for (int c = 0; c < dim; c += V::kWidth) (V::load(out + c) + V::load(row + c)).store(out + c);
  }
  scale_row<V>(out, dim, Real(1) / static_cast<Real>(rows.n));
}

// Each row += change. The rows of a long line have left the nearest cache by now.
template <class V, bool kMany>
inline void add_to_features(const FeatureRows<typename V::Real>& rows, int dim,
                            const std::atomic<bool>& stop, const typename V::Real* change) {
  for (std::int64_t i = 0; i < rows.n; ++i) {
    if (kMany && i % kFeaturesAtOnce == 0 && stop.load(std::memory_order_relaxed)) return;
    if (i + kFeaturesAhead < rows.n) rows.fetch(i + kFeaturesAhead, dim);
    typename V::Real* row = rows[i];
    for (int c = 0; c < dim; c += V::kWidth)
      (V::load(row + c) + V::load(change + c)).store(row + c);
  }
}

template <class Real>
inline int path_targets(const ClassifierModel<Real>& model, int label, ClassifierWork<Real>& work) {
  const std::int64_t begin = model.hs.tree.offsets[label];
  const int m = static_cast<int>(model.hs.tree.offsets[label + 1] - begin);
  Real* labels = work.labels.data();
  Real* mask = work.mask.data();
  for (int j = 0; j < m; ++j) {
    work.rows[static_cast<std::size_t>(j)] =
        model.output.row(row_number(model.hs.tree.points[begin + j]));
    labels[j] = static_cast<Real>(model.hs.tree.codes[begin + j]);
    mask[j] = 1;
  }
  for (int j = m; j < padded_columns(m); ++j) labels[j] = mask[j] = 0;
  return m;
}

// The label, then `negative` other labels: a draw of the label itself is repeated.
template <class Real>
inline int noise_targets(const ClassifierModel<Real>& model, int label, Rng& rng,
                         ClassifierWork<Real>& work) {
  work.rows[0] = model.output.row(row_number(label));
  work.labels.data()[0] = 1;
  for (int j = 1; j <= model.ns.negative; ++j) {
    int noise = raw(model.ns.sampler->draw(rng));
    while (noise == label) noise = raw(model.ns.sampler->draw(rng));
    work.rows[static_cast<std::size_t>(j)] = model.output.row(row_number(noise));
  }
  return model.ns.negative + 1;
}

template <class Real>
struct LineTargets {
  int m;
  int label;  // the one of this step
  Real lr;
};

// A random one of the line's labels and the targets it is compared with. Under one-vs-all every
// label is a target, and all labels of the line are positive.
template <class Real>
inline LineTargets<Real> choose_targets(const ClassifierModel<Real>& model,
                                        const std::int32_t* labels, std::int64_t n, double lr,
                                        Rng& rng, ClassifierWork<Real>& work) {
  if (model.loss == ClassifierLoss::kOneVsAll) {
    double weight = model.class_weights == nullptr || n == 0 ? 1 : 0;
    for (std::int64_t j = 0; j < n; ++j) {
      work.labels.data()[labels[j]] = 1;
      if (model.class_weights != nullptr)
        weight += static_cast<double>(model.class_weights[labels[j]]) / static_cast<double>(n);
    }
    return {model.n_labels, 0, static_cast<Real>(lr * weight)};  // no single label is chosen
  }
  std::uint32_t chosen = 0;
  if (n > 1)
    chosen =
        Rng::below(static_cast<std::uint32_t>(rng.next() >> 32), static_cast<std::uint32_t>(n));
  const int label = labels[chosen];
  if (model.class_weights != nullptr) lr *= static_cast<double>(model.class_weights[label]);
  int m = model.n_labels;
  if (model.loss == ClassifierLoss::kHierarchical) m = path_targets(model, label, work);
  if (model.loss == ClassifierLoss::kNegative) m = noise_targets(model, label, rng, work);
  return {m, label, static_cast<Real>(lr)};
}

template <class V>
ChunkResult train_lines(const ClassifierModel<typename V::Real>& model, const LabelledLines& lines,
                        ClassifierWork<typename V::Real>& work) {
  using Real = typename V::Real;
  const int dim = whole_vectors<V>(model.input.dim());
  Rng rng = lines.rng;
  ChunkResult result;
  LossSum<V> loss;
  double softmax_loss = 0;
  Real* hidden = work.hidden.data();
  Real* hidden_grad = work.hidden_grad.data();
  const std::int64_t n_rows = lines.n_lines > 0 ? lines.row_ends[lines.n_lines - 1] : 0;
  std::int64_t first_row = 0, first_label = 0;
  for (int i = 0; i < lines.n_lines; ++i) {
    if (lines.stop->load(std::memory_order_relaxed)) break;
    const std::uint32_t* rows = lines.rows + first_row;
    const std::int32_t* labels = lines.labels + first_label;
    const std::int64_t n = lines.row_ends[i] - first_row;
    const std::int64_t n_labels = lines.label_ends[i] - first_label;
    const std::int64_t n_known = n_rows - first_row;
    first_row = lines.row_ends[i];
    first_label = lines.label_ends[i];
    if (n == 0 || (n_labels == 0 && !model.learns_from_unlabelled)) continue;
    const FeatureRows<Real> features{model.input, rows, n, n_known};
    const bool many = n > kFeaturesAtOnce;
    if (many)
      gather_features<V, true>(features, dim, *lines.stop, hidden);
    else
      gather_features<V, false>(features, dim, *lines.stop, hidden);
    if (many && lines.stop->load(std::memory_order_relaxed)) break;
    const LineTargets<Real> targets =
        choose_targets(model, labels, n_labels, lines.lr[i], rng, work);
    const Block<Real> block{&hidden, 1, work.rows.data(), targets.m, dim, false, hidden_grad};
    const Scores<Real> scores{work.scores.data(), 0};
    score<V>(block, scores);
    if (model.loss == ClassifierLoss::kSoftmax)
      softmax_loss += softmax_errors<V>(scores.data, targets.m, targets.label, targets.lr);
    else
      logistic_errors<V, true>(
          scores, 1, {work.rows.data(), work.labels.data(), work.mask.data(), targets.m, false},
          targets.lr, loss);
    if (model.loss == ClassifierLoss::kOneVsAll)
      for (std::int64_t j = 0; j < n_labels; ++j) work.labels.data()[labels[j]] = 0;
    update_targets<V>(block, scores);
    const Real share = Real(1) / static_cast<Real>(n);
    scale_row<V>(hidden_grad, dim, share);
    if (many)
      add_to_features<V, true>(features, dim, *lines.stop, hidden_grad);
    else
      add_to_features<V, false>(features, dim, *lines.stop, hidden_grad);
    ++result.n_examples;
    result.n_words += n;
  }
  result.loss = loss.total() + softmax_loss;
  return result;
}

// Adds n rows to `out`, U vectors of each at a time.
template <class V>
struct AddColumns {
  const PackedRows& input;
  const std::uint32_t* rows;
  std::int64_t n;
  float* out;

  template <int U>
  void at(int c) const {
    V sums[U];
    PYW2V_UNROLL
    for (int u = 0; u < U; ++u) sums[u] = V::load(out + c + u * V::kWidth);
    sum<U>(c, sums);
    PYW2V_UNROLL
    for (int u = 0; u < U; ++u) sums[u].store(out + c + u * V::kWidth);
  }

  template <int U>
  void sum(int c, V* sums) const {
    for (std::int64_t i = 0; i < n; ++i) {
      const float* row = input.data + rows[i] * input.stride + c;
      PYW2V_UNROLL
      for (int u = 0; u < U; ++u) sums[u] = sums[u] + V::load(row + u * V::kWidth);
    }
  }

  // No load may reach past the end of a row: its last vector overlaps the one before.
  void all() const {
    const int dim = static_cast<int>(input.dim), whole = dim / V::kWidth * V::kWidth;
    if (whole == dim) return for_each_piece<V>(dim, *this);
    if (whole == 0)
      return for_each_piece<ScalarVec<float>>(dim,
                                              AddColumns<ScalarVec<float>>{input, rows, n, out});
    V last = V::load(out + dim - V::kWidth);
    for_each_piece<V>(whole, *this);
    sum<1>(dim - V::kWidth, &last);
    last.store(out + dim - V::kWidth);
  }
};

// Adds the rows of each of n_lines lines to its row of `stride` numbers of `out`.
template <class V>
void add_rows(const PackedRows& input, const std::uint32_t* rows, const std::int64_t* row_ends,
              int n_lines, float* out, std::size_t stride) {
  constexpr std::int64_t kStep = 16;  // rows that stay in the cache while all columns are added
  const std::int64_t n_rows = n_lines > 0 ? row_ends[n_lines - 1] : 0;
  const int dim = static_cast<int>(input.dim);
  std::int64_t at = 0;
  for (int i = 0; i < n_lines; ++i, out += stride) {
    while (at < row_ends[i]) {
      const std::int64_t n = row_ends[i] - at < kStep ? row_ends[i] - at : kStep;
      for (std::int64_t next = at + kStep; next < at + kStep + n && next < n_rows; ++next) {
        const float* row = input.data + rows[next] * input.stride;
        for (int c = 0; c < dim; c += 16) PYW2V_PREFETCH_READ(row + c);
      }
      AddColumns<V>{input, rows + at, n, out}.all();
      at += n;
    }
  }
}

// Scores or probabilities of m targets for n hidden rows, in n rows of score_columns(m) numbers.
template <class V>
void predict(float* const* hidden, int n, float* const* targets, int m, int dim,
             Activation activation, float* scores) {
  const int width = whole_vectors<V>(static_cast<std::size_t>(dim));
  const Scores<float> s{scores, score_columns(m)};
  score<V>({hidden, n, targets, m, width, false, nullptr}, s);
  if (activation == Activation::kScores) return;
  for (int i = 0; i < n; ++i) {
    if (activation == Activation::kSoftmax) {
      softmax<V>(s.at(i, 0), m);
      continue;
    }
    for (int j = 0; j < m; j += V::kWidth) {
      const V score = V::load(s.at(i, j));
      sigmoid(score).of(score).store(s.at(i, j));
    }
  }
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
