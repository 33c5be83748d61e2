#include "query/line_classifier.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>

#include "base/parallel.h"

namespace pyw2v {
namespace {

constexpr std::size_t kLines = 64;  // scored as one block
// From this many lines on it pays to sum the rows of each frequent word once, before the first
// line; for a few lines the sums would take longer than the lines.
constexpr std::size_t kManyLines = 2000;
constexpr std::int32_t kSummedWords = 8192;
constexpr std::int64_t kSummedRows = 1 << 16;  // of a long line, which are summed as they come
constexpr double kFastTextExtra = 1e-5;  // fastText's std_log adds it, and never takes it away

// fastText's sigmoid: 512 steps over +-8, values at their lower ends.
float table_sigmoid(float x) {
  constexpr float kReach = 8, kSteps = 512;
  if (x < -kReach) return 0;
  if (x > kReach) return 1;
  const auto step = static_cast<int>((x + kReach) * kSteps / kReach / 2);
  const float at = static_cast<float>(step) * 2 * kReach / kSteps - kReach;
  return 1.0f / (1.0f + std::exp(-at));
}

// fastText keeps logarithms of probabilities and returns their exponentials.
float through_logarithm(float p) {
  const double logarithm = std::log(static_cast<double>(p) + kFastTextExtra);
  return std::exp(static_cast<float>(logarithm));
}

// Calls add(rows, ends, n_lines, out), which adds the rows of each line to the line's row of `out`.
// Many rows are added in parts, with a check for an interrupt between them; the sums are the same.
template <class Add>
void add_checked(const std::uint32_t* rows, const std::int64_t* ends, std::size_t n_lines,
                 float* out, std::size_t stride, const Interrupt& interrupt, const Add& add) {
  constexpr std::int64_t kMany = 1 << 24, kPart = 1 << 22;  // numbers
  const auto width = static_cast<std::int64_t>(stride);
  if (ends[n_lines - 1] <= kMany / width) return add(rows, ends, n_lines, out);
  std::int64_t at = 0;
  for (std::size_t i = 0; i < n_lines; ++i, out += stride) {
    for (std::int64_t n; at < ends[i]; at += n) {
      interrupt.check();
      n = std::min(ends[i] - at, std::max<std::int64_t>(1, kPart / width));
      add(rows + at, &n, std::size_t{1}, out);
    }
  }
}

}  // namespace

struct LineClassifier::Scratch {
  Scratch(std::size_t n_lines, std::size_t stride, int n_columns)
      : stride(stride),
        hidden(n_lines * stride),
        scores(n_lines * static_cast<std::size_t>(score_columns(n_columns))),
        hidden_rows(n_lines),
        n_features(n_lines) {
    for (std::size_t i = 0; i < n_lines; ++i) hidden_rows[i] = hidden.data() + i * stride;
  }
  std::size_t stride;
  LineFeatures lines;
  AlignedBuffer<float> hidden;
  AlignedBuffer<float> scores;
  std::vector<float*> hidden_rows;
  std::vector<std::int64_t> n_features;  // of each line
  std::vector<Found> found;
};

void DenseInput::add(const KernelTable& kernels, const std::uint32_t* rows,
                     const std::int64_t* row_ends, int n_lines, float* out,
                     std::size_t stride) const {
  kernels.prediction.add_rows(rows_, rows, row_ends, n_lines, out, stride);
}

void QuantizedInput::add(const KernelTable&, const std::uint32_t* rows,
                         const std::int64_t* row_ends, int n_lines, float* out,
                         std::size_t stride) const {
  const std::size_t dim = rows_.shape.dim(), n_pieces = rows_.shape.n_pieces();
  std::vector<float> row(dim);
  std::int64_t at = 0;
  for (int i = 0; i < n_lines; ++i, out += stride) {
    for (; at < row_ends[i]; ++at) {
      const std::size_t id = rows[at];
      const float norm = rows_.norms != nullptr ? rows_.norms[rows_.norm_codes[id]] : 1.0f;
      decode_row(rows_.shape, rows_.codes + id * n_pieces, rows_.centroids, norm, row.data());
      for (std::size_t c = 0; c < dim; ++c) out[c] += row[c];
    }
  }
}

LineClassifier::LineClassifier(const KernelTable& kernels, const LineDictionary& dictionary,
                               const InputRows& input, const MatrixView<float>& output,
                               ClassifierLoss loss, int n_labels, const HuffmanView& tree)
    : kernels_(kernels),
      dictionary_(dictionary),
      input_(input),
      output_(output),
      loss_(loss),
      n_labels_(n_labels) {
  for (int i = 0; i < n_labels; ++i) rows_.push_back(output.row(row_number(i)));
  if (loss != ClassifierLoss::kHierarchical) return;
  children_.assign(2 * static_cast<std::size_t>(n_labels), -1);
  for (std::int32_t label = 0; label < n_labels; ++label) {
    const std::int64_t end = tree.offsets[label + 1];
    for (std::int64_t j = tree.offsets[label]; j < end; ++j) {
      const auto at = static_cast<std::size_t>(2 * tree.points[j] + tree.codes[j]);
      children_[at] = j + 1 < end ? tree.points[j + 1] : -1 - label;
    }
  }
}

void LineClassifier::predict(const char* text, const std::int64_t* line_begins, std::size_t n_lines,
                             const PredictOptions& options, const Predictions& out,
                             const Interrupt& interrupt) const {
  constexpr std::size_t kBlocks = 4;  // for one scratch
  const bool flat = loss_ != ClassifierLoss::kHierarchical;
  const bool sums = n_lines >= kManyLines && dictionary_.has_ngrams();
  if (sums) std::call_once(summed_, [this] { sum_words(); });
  const auto n_whole = static_cast<std::int32_t>(sums ? word_sizes_.size() : 0);
  parallel_for((n_lines + kBlocks * kLines - 1) / (kBlocks * kLines), options.n_threads, interrupt,
               [&](std::size_t part) {
                 Scratch scratch(std::min(n_lines, kLines), output_.stride(), flat ? n_labels_ : 1);
                 const std::size_t end = std::min(n_lines, (part + 1) * kBlocks * kLines);
                 for (std::size_t at = part * kBlocks * kLines; at < end; at += kLines) {
                   const std::size_t last = std::min(end, at + kLines);
                   fill_hidden(text, line_begins, at, last, n_whole, scratch, interrupt);
                   predict_block(at, last, options, scratch, out);
                 }
               });
}

void LineClassifier::hidden(const char* text, const std::int64_t* line_begins, std::size_t n_lines,
                            std::size_t n_threads, float* out, const Interrupt& interrupt) const {
  parallel_for((n_lines + kLines - 1) / kLines, n_threads, interrupt, [&](std::size_t block) {
    Scratch scratch(std::min(n_lines, kLines), output_.stride(), 1);
    const std::size_t first = block * kLines, last = std::min(n_lines, first + kLines);
    fill_hidden(text, line_begins, first, last, 0, scratch, interrupt);
    for (std::size_t i = first; i < last; ++i)
      std::copy_n(scratch.hidden_rows[i - first], output_.dim(), out + i * output_.dim());
  });
}

void LineClassifier::sum_words() const {
  const std::int32_t n = std::min(kSummedWords, dictionary_.n_words());
  LineFeatures words;
  for (std::int32_t word = 0; word < n; ++word) dictionary_.add_word(WordId{word}, words);
  word_sums_.resize(static_cast<std::size_t>(n) * output_.stride());
  input_.add(kernels_, words.rows.data(), words.row_ends.data(), n, word_sums_.data(),
             output_.stride());
  std::adjacent_difference(words.row_ends.begin(), words.row_ends.end(),
                           std::back_inserter(word_sizes_));
}

void LineClassifier::fill_hidden(const char* text, const std::int64_t* line_begins,
                                 std::size_t first, std::size_t last, std::int32_t n_whole,
                                 Scratch& scratch, const Interrupt& interrupt) const {
  LineFeatures& lines = scratch.lines;
  lines.clear();
  const std::size_t n_lines = last - first, stride = scratch.stride;
  std::fill_n(scratch.hidden.data(), n_lines * stride, 0.0f);
  std::fill_n(scratch.n_features.begin(), n_lines, 0);
  const auto add_rows = [&](const std::uint32_t* rows, const std::int64_t* ends, std::size_t n,
                            float* out) {
    input_.add(kernels_, rows, ends, static_cast<int>(n), out, stride);
  };
  for (std::size_t i = first; i < last; ++i) {
    const auto n = static_cast<std::size_t>(line_begins[i + 1] - line_begins[i]);
    const std::size_t begin = lines.rows.size();
    // The rows of a long line are summed as they come: all of them would fill the memory.
    const auto sum_some = [&] {
      interrupt.check();
      const auto n_rows = static_cast<std::int64_t>(lines.rows.size() - begin);
      if (n_rows < kSummedRows) return;
      add_checked(lines.rows.data() + begin, &n_rows, 1, scratch.hidden_rows[i - first], stride,
                  interrupt, add_rows);
      scratch.n_features[i - first] += n_rows;
      lines.rows.resize(begin);
    };
    dictionary_.add_line({text + line_begins[i], n}, lines, n_whole, interrupt, std::ref(sum_some));
  }
  add_checked(lines.rows.data(), lines.row_ends.data(), n_lines, scratch.hidden.data(), stride,
              interrupt, add_rows);
  if (!lines.words.empty())
    add_checked(
        lines.words.data(), lines.word_ends.data(), n_lines, scratch.hidden.data(), stride,
        interrupt,
        [&](const std::uint32_t* rows, const std::int64_t* ends, std::size_t n, float* out) {
          kernels_.prediction.add_rows({word_sums_.data(), output_.dim(), output_.stride()}, rows,
                                       ends, static_cast<int>(n), out, stride);
        });
  std::int64_t at = 0, word = 0;
  for (std::size_t i = 0; i < n_lines; ++i) {
    std::int64_t n = scratch.n_features[i] + lines.row_ends[i] - at;
    for (; word < lines.word_ends[i]; ++word)
      n += word_sizes_[lines.words[static_cast<std::size_t>(word)]];
    at = lines.row_ends[i];
    scratch.n_features[i] = n;
    if (n == 0) continue;
    for (std::size_t c = 0; c < output_.dim(); ++c)
      scratch.hidden_rows[i][c] *= 1.0f / static_cast<float>(n);
  }
}

void LineClassifier::predict_block(std::size_t first, std::size_t last,
                                   const PredictOptions& options, Scratch& scratch,
                                   const Predictions& out) const {
  const bool flat = loss_ != ClassifierLoss::kHierarchical;
  if (flat) {
    const Activation activation = loss_ == ClassifierLoss::kSoftmax ? Activation::kSoftmax
                                  : options.as_fasttext             ? Activation::kScores
                                                                    : Activation::kSigmoid;
    kernels_.prediction.predict(scratch.hidden_rows.data(), static_cast<int>(last - first),
                                rows_.data(), n_labels_, static_cast<int>(output_.dim()),
                                activation, scratch.scores.data());
  }
  const auto k = static_cast<std::size_t>(options.k);
  for (std::size_t i = first; i < last; ++i) {
    scratch.found.clear();
    const std::size_t at = i - first;
    const auto columns = static_cast<std::size_t>(score_columns(n_labels_));
    const bool empty = scratch.n_features[at] == 0;
    if (!empty && flat) find_flat(scratch.scores.data() + at * columns, options, scratch.found);
    if (!empty && !flat) find_in_tree(scratch.hidden_rows[at], options, scratch.found);
    const std::size_t n = std::min(k, scratch.found.size());
    out.n_found[i] = static_cast<std::int32_t>(n);
    for (std::size_t j = 0; j < n; ++j) {
      out.labels[i * k + j] = scratch.found[j].label;
      out.probabilities[i * k + j] = scratch.found[j].probability;
    }
  }
}

void LineClassifier::find_flat(const float* scores, const PredictOptions& options,
                               std::vector<Found>& found) const {
  const bool table = options.as_fasttext && loss_ != ClassifierLoss::kSoftmax;
  const bool by_label = !options.as_fasttext;
  const auto better = [by_label](const Found& a, const Found& b) {
    if (by_label && a.probability == b.probability) return a.label < b.label;
    return a.probability > b.probability;
  };
  // A heap with the worst on top. Which of several equal labels fastText returns depends on the
  // steps of its heap; these are the same. Under one-vs-all several labels often have a probability
  // of 1 in its table.
  for (std::int32_t label = 0; label < n_labels_; ++label) {
    const float p = table ? table_sigmoid(scores[label]) : scores[label];
    const bool full = found.size() == static_cast<std::size_t>(options.k);
    if (p < options.threshold || (full && p < found.front().probability)) continue;
    found.push_back({p, label});
    std::push_heap(found.begin(), found.end(), better);
    if (!full) continue;
    std::pop_heap(found.begin(), found.end(), better);
    found.pop_back();
  }
  std::sort_heap(found.begin(), found.end(), better);
  if (options.as_fasttext)
    for (Found& f : found) f.probability = through_logarithm(f.probability);
}

// Depth first, the likelier branch first; what cannot be among the k best any more is left out.
void LineClassifier::find_in_tree(float* hidden, const PredictOptions& options,
                                  std::vector<Found>& found) const {
  const float extra = options.as_fasttext ? static_cast<float>(kFastTextExtra) : 0;
  const float threshold = options.threshold + extra;
  const auto k = static_cast<std::size_t>(options.k);
  const auto better = [](const Found& a, const Found& b) { return a.probability > b.probability; };
  std::vector<Found> open;  // `label`: an inner node, or -1 - label
  open.push_back({1, n_labels_ > 1 ? n_labels_ - 2 : -1});
  AlignedBuffer<float> score(static_cast<std::size_t>(score_columns(1)));
  while (!open.empty()) {
    const Found at = open.back();
    open.pop_back();
    if (at.probability < threshold) continue;
    if (found.size() == k && at.probability <= found.front().probability) continue;
    if (at.label < 0) {  // `found` is a heap with its worst on top
      if (found.size() == k) {
        std::pop_heap(found.begin(), found.end(), better);
        found.pop_back();
      }
      found.push_back({at.probability, -1 - at.label});
      std::push_heap(found.begin(), found.end(), better);
      continue;
    }
    const auto node = static_cast<std::size_t>(at.label);
    kernels_.prediction.predict(&hidden, 1, rows_.data() + node, 1, static_cast<int>(output_.dim()),
                                Activation::kSigmoid, score.data());
    const float p = score.data()[0];
    const Found branches[2] = {{at.probability * (1 - p + extra), children_[2 * node]},
                               {at.probability * (p + extra), children_[2 * node + 1]}};
    const int likelier = p >= 0.5f ? 1 : 0;
    open.push_back(branches[1 - likelier]);
    open.push_back(branches[likelier]);
  }
  std::sort_heap(found.begin(), found.end(), better);
}

}  // namespace pyw2v
