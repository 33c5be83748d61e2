#include "train/classifier_trainer.h"

#include <algorithm>

namespace pyw2v {
namespace {

// Features may take so much of the memory of the rows that they stand for.
constexpr std::size_t kShareForFeatures = 8;

std::int64_t chunk_count(const LineCorpus& corpus, std::int64_t chunk_lines) {
  return (corpus.n_lines + chunk_lines - 1) / chunk_lines;
}

std::size_t worker_count(const LineCorpus& corpus, std::int64_t chunk_lines, int wanted) {
  return static_cast<std::size_t>(
      std::max<std::int64_t>(1, std::min<std::int64_t>(wanted, chunk_count(corpus, chunk_lines))));
}

template <class Value>
std::size_t n_bytes(const std::vector<Value>& values) {
  return values.size() * sizeof(Value);
}

}  // namespace

std::int64_t classifier_chunk_lines(std::int64_t n_lines, std::int64_t n_tokens) {
  if (n_tokens == 0) return std::max<std::int64_t>(1, n_lines);
  return std::max<std::int64_t>(1, kClassifierChunkTokens * n_lines / n_tokens);
}

ClassifierTrainer::ClassifierTrainer(const KernelTable& kernels,
                                     const ClassifierModel<float>& model,
                                     const TokenFeatures& features, const LineCorpus& corpus,
                                     const ClassifierSchedule& schedule)
    : kernels_(kernels),
      model_(model),
      features_(features),
      corpus_(corpus),
      schedule_(schedule),
      chunk_lines_(classifier_chunk_lines(
          corpus.n_lines, corpus.n_lines > 0 ? corpus.ends[corpus.n_lines - 1] : 0)),
      kept_(
          static_cast<std::size_t>(schedule.n_epochs > 1 ? chunk_count(corpus, chunk_lines_) : 0)),
      room_(model.input.n_rows() * model.input.stride() * sizeof(float) / kShareForFeatures),
      threads_(worker_count(corpus, chunk_lines_, schedule.n_workers),
               [this](std::size_t worker, const std::atomic<bool>& stop) {
                 return run_chunks(*workers_[worker], stop);
               }) {
  const std::size_t n_workers = worker_count(corpus, chunk_lines_, schedule.n_workers);
  for (std::size_t w = 0; w < n_workers; ++w) workers_.push_back(std::make_unique<Worker>(model_));
}

void ClassifierTrainer::start(int epoch) {
  stop();
  epoch_ = epoch;
  next_chunk_ = 0;
  lines_done_ = 0;
  threads_.start();
}

ChunkResult ClassifierTrainer::run_chunks(Worker& worker, const std::atomic<bool>& stop) {
  ChunkResult sum;
  while (!stop.load(std::memory_order_relaxed)) {
    const std::int64_t index = next_chunk_.fetch_add(1, std::memory_order_relaxed);
    const std::int64_t begin = index * chunk_lines_;
    if (begin >= corpus_.n_lines) break;
    const std::int64_t end = std::min(begin + chunk_lines_, corpus_.n_lines);
    const LineFeatures& features =
        features_of(static_cast<std::size_t>(index), begin, end, worker.lines);
    set_rates(begin, end, worker.lr);
    LabelledLines lines;
    lines.n_lines = static_cast<int>(end - begin);
    lines.rows = features.rows.data();
    lines.row_ends = features.row_ends.data();
    lines.labels = features.labels.data();
    lines.label_ends = features.label_ends.data();
    lines.lr = worker.lr.data();
    lines.rng =
        Rng(schedule_.seed, static_cast<std::uint64_t>(epoch_), static_cast<std::uint64_t>(index));
    lines.stop = &stop;
    const ChunkResult result = kernels_.classifier.train_lines(model_, lines, worker.scratch);
    require_finite(result, epoch_);
    sum += result;
    lines_done_.fetch_add(end - begin, std::memory_order_relaxed);
  }
  return sum;
}

std::int64_t ClassifierTrainer::line_at(std::int64_t i) const {
  return corpus_.order != nullptr ? corpus_.order[i] : i;
}

// A chunk has one worker in an epoch, and epochs are separated by joins: nobody else is at its
// place in `kept_` meanwhile.
const LineFeatures& ClassifierTrainer::features_of(std::size_t chunk, std::int64_t begin,
                                                   std::int64_t end, LineFeatures& scratch) {
  if (!kept_.empty() && !kept_[chunk].row_ends.empty()) return kept_[chunk];
  scratch.clear();
  expand(begin, end, scratch);
  if (epoch_ + 1 < schedule_.n_epochs) keep(chunk, scratch);
  return scratch;
}

void ClassifierTrainer::expand(std::int64_t begin, std::int64_t end, LineFeatures& out) const {
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t line = line_at(i);
    for (TokenPos at = line == 0 ? 0 : corpus_.ends[line - 1]; at < corpus_.ends[line]; ++at)
      features_.add_token(corpus_.tokens[at], out);
    features_.add_word_ngrams(out);
    out.end_line();
  }
}

void ClassifierTrainer::keep(std::size_t chunk, const LineFeatures& lines) {
  const std::size_t size = n_bytes(lines.rows) + n_bytes(lines.row_ends) + n_bytes(lines.labels) +
                           n_bytes(lines.label_ends);
  if (n_kept_bytes_.fetch_add(size, std::memory_order_relaxed) + size > room_) {
    n_kept_bytes_.fetch_sub(size, std::memory_order_relaxed);
    return;
  }
  LineFeatures& kept = kept_[chunk];
  kept.rows = lines.rows;
  kept.row_ends = lines.row_ends;
  kept.labels = lines.labels;
  kept.label_ends = lines.label_ends;
}

void ClassifierTrainer::set_rates(std::int64_t begin, std::int64_t end,
                                  std::vector<double>& rates) const {
  rates.clear();
  const auto n_lines = static_cast<double>(corpus_.n_lines);
  for (std::int64_t i = begin; i < end; ++i) {
    const double progress = (epoch_ + static_cast<double>(i) / n_lines) / schedule_.n_epochs;
    const double weight =
        corpus_.weights != nullptr ? static_cast<double>(corpus_.weights[line_at(i)]) : 1.0;
    rates.push_back(schedule_.lr * (1 - progress) * weight);
  }
}

}  // namespace pyw2v
