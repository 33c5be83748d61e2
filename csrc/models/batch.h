// Training where every word is a target of every input: inputs are gathered into batches, so that
// the work is products of matrices. One code for all models:
//
//     skip-gram  a word is the input, all words of its window are its targets
//     CBOW       the mean (or sum) of a window is the input, its centre the target
//
// A word's row is its own, or composed of its own and those of its n-grams. Inputs are made of the
// rows as they are when the batch begins, and the rows get the inputs' changes when it ends.
#pragma once

#include "kernels/full.h"
#include "kernels/region.h"
#include "models/class_softmax.h"
#include "models/windows.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

// hidden = scale * the sum of the rows of the lane's words.
template <class V>
inline void gather_input(const Model<typename V::Real>& model, int lane,
                         Workspace<typename V::Real>& work) {
  using Real = typename V::Real;
  BatchWork<Real>& batch = work.batch;
  const auto at = static_cast<std::size_t>(lane);
  const int dim = whole_vectors<V>(model.input.dim());
  Real* hidden = batch.hidden.data() + at * batch.stride;
  for (int c = 0; c < dim; c += V::kWidth) V::zero().store(hidden + c);
  int n_rows = 0;
  for (int i = batch.lo[at]; i < batch.hi[at]; ++i) {
    if (i == batch.skip[at]) continue;
    const int n = list_word_rows(model, work.kept.words[static_cast<std::size_t>(i)], work);
    for (int k = 0; k < n; ++k) add_to_rows<V>(&hidden, 1, Real(1), work.parts[k], dim);
    n_rows += n;
  }
  batch.n_rows[at] = n_rows;
  if (model.skipgram || model.average_context)
    scale_row<V>(hidden, dim, Real(1) / static_cast<Real>(n_rows));
}

template <class V>
inline void scatter_change(const Model<typename V::Real>& model, int lane,
                           Workspace<typename V::Real>& work) {
  using Real = typename V::Real;
  BatchWork<Real>& batch = work.batch;
  const auto at = static_cast<std::size_t>(lane);
  const Real* change = batch.change.data() + at * batch.stride;
  const bool shared = !model.skipgram && model.average_gradient;
  const Real share = shared ? Real(1) / static_cast<Real>(batch.n_rows[at]) : Real(1);
  for (int i = batch.lo[at]; i < batch.hi[at]; ++i) {
    if (i == batch.skip[at]) continue;
    const WordId word = work.kept.words[static_cast<std::size_t>(i)];
    add_to_word<V>(model, word, list_word_rows(model, word, work), share, change, work);
  }
}

template <class Real>
inline void add_pair(BatchWork<Real>& batch, int lane, WordId word) {
  const auto p = static_cast<std::size_t>(batch.n_pairs++);
  batch.pair_lane[p] = lane;
  batch.pair_word[p] = word;
}

// Adds what position i trains, if anything, to the batch. Of skip-gram's targets, `turn` takes
// those at distances past turn * kBatchReach.
template <class Real>
inline void add_input(const Model<Real>& model, int i, const Window& window, int turn,
                      Workspace<Real>& work) {
  BatchWork<Real>& batch = work.batch;
  const auto lane = static_cast<std::size_t>(batch.n);
  const WordId* words = work.kept.words.data();
  const int before = batch.n_pairs;
  if (model.skipgram) {
    const int near = turn * kBatchReach, far = near + kBatchReach;
    for (int d = near + 1; d <= far && i - d >= window.lo; ++d)
      add_pair(batch, batch.n, words[i - d]);
    for (int d = near + 1; d <= far && i + d < window.hi; ++d)
      add_pair(batch, batch.n, words[i + d]);
    batch.lo[lane] = i;
    batch.hi[lane] = i + 1;
    batch.skip[lane] = -1;
  } else {
    batch.lo[lane] = window.lo;
    batch.hi[lane] = window.hi;
    batch.skip[lane] = i;
    if (window.hi - window.lo > 1) add_pair(batch, batch.n, words[i]);
  }
  if (batch.n_pairs == before) return;
  batch.n_targets[lane] = batch.n_pairs - before;
  ++batch.n;
}

// Some inputs of a batch, with their pairs.
struct Part {
  int first;
  int n;
  int first_pair;
  int n_pairs;
};

template <class Real>
inline Part next_part(const Part& before, int lanes, const BatchWork<Real>& batch) {
  Part part{before.first + before.n, 0, before.first_pair + before.n_pairs, 0};
  while (part.n < lanes && part.first + part.n < batch.n)
    part.n_pairs += batch.n_targets[static_cast<std::size_t>(part.first + part.n++)];
  return part;
}

template <class Real>
inline FullBatch<Real> full_batch(const Model<Real>& model, const Part& part, Real lr,
                                  const std::atomic<bool>* stop, BatchWork<Real>& batch) {
  const FullOutput<Real>& full = model.full;
  const bool classes = full.loss == FullLoss::kClasses;
  const MatrixView<Real>& rows = classes ? full.nodes : full.words;
  FullBatch<Real> made{};
  made.rows = rows.row(row_number(0));
  made.stride = static_cast<std::ptrdiff_t>(rows.stride());
  made.n_rows = static_cast<int>(full.n_all());
  made.dim = static_cast<int>(model.input.dim());
  made.bias = classes ? full.node_bias : full.word_bias;
  made.bands = full.bands;
  made.n = part.n;
  made.hidden = batch.hidden.data() + static_cast<std::size_t>(part.first) * batch.stride;
  made.hidden_t = batch.hidden_t.data();
  made.change_t = batch.change_t.data();
  made.weight = batch.weight.data();
  made.pair_row = batch.pair_row.data() + part.first_pair;
  made.pair_lane = batch.pair_lane.data() + part.first_pair;
  made.first_lane = part.first;
  made.n_pairs = part.n_pairs;
  made.scores = batch.scores.data();
  made.block_max = batch.block_max.data();
  made.max = batch.max.data();
  made.sum = batch.sum.data();
  made.lr = lr;
  made.self_norm = static_cast<Real>(full.self_norm);
  made.stop = stop;
  return made;
}

// The target rows among those that all inputs are compared with: words, or children of the tree's
// root.
template <class Real>
inline void find_target_rows(const FullOutput<Real>& full, BatchWork<Real>& batch) {
  const bool classes = full.loss == FullLoss::kClasses;
  for (std::size_t p = 0; p < static_cast<std::size_t>(batch.n_pairs); ++p) {
    const WordId word = batch.pair_word[p];
    batch.pair_row[p] = classes ? full.tree.path_places[full.tree.path_at(word, 0)] : raw(word);
  }
}

// hidden_t = hidden transposed, zero in the columns of no input; change_t = 0.
template <class Real>
inline void transpose_inputs(const Part& part, int dim, BatchWork<Real>& batch) {
  const auto first = static_cast<std::size_t>(part.first);
  for (int l = 0; l < kBatchInputs; ++l)
    batch.weight.data()[l] =
        l < part.n ? static_cast<Real>(batch.n_targets[first + static_cast<std::size_t>(l)]) : 0;
  const Real* hidden = batch.hidden.data() + first * batch.stride;
  for (int c = 0; c < dim; ++c) {
    Real* row = batch.hidden_t.data() + c * kBatchInputs;
    Real* change = batch.change_t.data() + c * kBatchInputs;
    for (int l = 0; l < kBatchInputs; ++l) {
      change[l] = 0;
      row[l] =
          l < part.n
              ? hidden[static_cast<std::size_t>(l) * batch.stride + static_cast<std::size_t>(c)]
              : 0;
    }
  }
}

// Rows of inputs += their change, which lies transposed.
template <class Real>
inline void add_change(const Part& part, int dim, const BatchWork<Real>& batch, Real* rows) {
  rows += static_cast<std::size_t>(part.first) * batch.stride;
  for (int l = 0; l < part.n; ++l, rows += batch.stride)
    for (int c = 0; c < dim; ++c) rows[c] += batch.change_t.data()[c * kBatchInputs + l];
}

template <class V, bool kUpdate>
inline double run_part(FullLoss loss, const FullBatch<typename V::Real>& all) {
  if (loss != FullLoss::kLogistic) return full_softmax<V, kUpdate>(all);
  return kUpdate ? full_logistic<V>(all) : logistic_negative_log_likelihood<V>(all);
}

// Trains on the inputs of a batch (or only computes their loss) and empties it; returns the loss.
template <class V, bool kUpdate>
inline double run_batch(const Model<typename V::Real>& model, typename V::Real lr,
                        Workspace<typename V::Real>& work) {
  using Real = typename V::Real;
  BatchWork<Real>& batch = work.batch;
  const FullOutput<Real>& full = model.full;
  const bool classes = full.loss == FullLoss::kClasses;
  const int dim = static_cast<int>(model.input.dim()), width = whole_vectors<V>(model.input.dim());
  const std::size_t n_values = static_cast<std::size_t>(batch.n) * batch.stride;
  for (int l = 0; l < batch.n; ++l) gather_input<V>(model, l, work);
  find_target_rows(full, batch);
  // Classes move the inputs themselves, level by level; their change is what they moved by.
  if (classes)
    std::memcpy(batch.change.data(), batch.hidden.data(), n_values * sizeof(Real));
  else
    std::memset(static_cast<void*>(batch.change.data()), 0, n_values * sizeof(Real));
  double loss = 0;
  for (Part part = next_part({}, full.lanes(), batch); part.n > 0;
       part = next_part(part, full.lanes(), batch)) {
    transpose_inputs(part, dim, batch);
    loss += run_part<V, kUpdate>(full.loss, full_batch(model, part, lr, work.stop, batch));
    if (kUpdate) add_change(part, dim, batch, classes ? batch.hidden.data() : batch.change.data());
  }
  if (classes) loss += class_levels<V, kUpdate>(full, width, lr, batch);
  for (int l = 0; kUpdate && classes && l < batch.n; ++l) {
    Real* change = batch.change.data() + static_cast<std::size_t>(l) * batch.stride;
    subtract<V>(batch.hidden.data() + static_cast<std::size_t>(l) * batch.stride, change, width,
                change);
  }
  for (int l = 0; kUpdate && l < batch.n; ++l) scatter_change<V>(model, l, work);
  batch.n = batch.n_pairs = 0;
  return loss;
}

// A batch takes positions that are far apart in the chunk: neighbours share words, whose changes
// would all be computed from the same old rows.
template <class V, bool kUpdate>
inline ChunkResult for_each_batch(const Model<typename V::Real>& model, const Chunk& chunk,
                                  Workspace<typename V::Real>& work) {
  using Real = typename V::Real;
  constexpr int kStretches = 64;
  Rng rng = chunk.rng;
  ChunkResult result;
  const int n = keep_tokens(model.keep, chunk, rng, work.kept);
  const int n_turns = model.skipgram ? (model.window - 1) / kBatchReach + 1 : 1;
  const int reach_step = 2 * (model.window < n ? model.window : n) + 1;
  const int step = n / kStretches < reach_step ? reach_step : n / kStretches;
  const double lr_step = n > 0 ? (chunk.lr_end - chunk.lr_begin) / n / n_turns : 0;
  const int batch_inputs = model.full.batch_inputs();
  std::int64_t n_visited = 0;
  work.stop = chunk.stop;
  BatchWork<Real>& batch = work.batch;
  batch.n = batch.n_pairs = 0;
  for (int turn = 0; turn < n_turns; ++turn) {
    for (int offset = 0; offset < step && offset < n; ++offset) {
      for (int i = offset; i < n; i += step, ++n_visited) {
        const int radius = draw_radius(model.window, model.shrink_windows, rng);
        add_input(model, i, window_around(i, radius, work.kept), turn, work);
        if (batch.n < batch_inputs) continue;
        if (chunk.stop->load(std::memory_order_relaxed)) return result;
        result.n_examples += batch.n_pairs;
        result.loss += run_batch<V, kUpdate>(
            model, static_cast<Real>(chunk.lr_begin + lr_step * static_cast<double>(n_visited)),
            work);
      }
    }
  }
  result.n_examples += batch.n_pairs;
  if (batch.n > 0)
    result.loss += run_batch<V, kUpdate>(model, static_cast<Real>(chunk.lr_end), work);
  result.n_words = n;
  return result;
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
