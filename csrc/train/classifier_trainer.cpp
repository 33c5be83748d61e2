#include "train/classifier_trainer.h"

#include <algorithm>

namespace pyw2v {
namespace {

std::size_t worker_count(const LineCorpus& corpus, std::int64_t chunk_lines, int wanted) {
  const std::int64_t n_chunks = (corpus.n_lines + chunk_lines - 1) / chunk_lines;
  return static_cast<std::size_t>(
      std::max<std::int64_t>(1, std::min<std::int64_t>(wanted, n_chunks)));
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
    expand(begin, end, worker);
    LabelledLines lines;
    lines.n_lines = static_cast<int>(end - begin);
    lines.rows = worker.lines.rows.data();
    lines.row_ends = worker.lines.row_ends.data();
    lines.labels = worker.lines.labels.data();
    lines.label_ends = worker.lines.label_ends.data();
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

void ClassifierTrainer::expand(std::int64_t begin, std::int64_t end, Worker& worker) const {
  worker.lines.clear();
  worker.lr.clear();
  const double n_lines = static_cast<double>(corpus_.n_lines);
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t line = corpus_.order != nullptr ? corpus_.order[i] : i;
    for (TokenPos at = line == 0 ? 0 : corpus_.ends[line - 1]; at < corpus_.ends[line]; ++at)
      features_.add_token(corpus_.tokens[at], worker.lines);
    features_.add_word_ngrams(worker.lines);
    worker.lines.end_line();
    const double progress = (epoch_ + static_cast<double>(i) / n_lines) / schedule_.n_epochs;
    const double weight =
        corpus_.weights != nullptr ? static_cast<double>(corpus_.weights[line]) : 1.0;
    worker.lr.push_back(schedule_.lr * (1 - progress) * weight);
  }
}

}  // namespace pyw2v
