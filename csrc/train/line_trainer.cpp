#include "train/line_trainer.h"

#include <algorithm>
#include <functional>

namespace pyw2v {
namespace {

// Features may take so much of the memory of the rows that they stand for.
constexpr std::size_t kShareForFeatures = 8;

template <class Value>
std::size_t n_bytes(const std::vector<Value>& values) {
  return values.size() * sizeof(Value);
}

}  // namespace

std::int64_t classifier_chunk_lines(std::int64_t n_lines, std::int64_t n_tokens) {
  if (n_tokens == 0) return std::max<std::int64_t>(1, n_lines);
  return std::max<std::int64_t>(1, kClassifierChunkTokens * n_lines / n_tokens);
}

LineTrainer::LineTrainer(const KernelTable& kernels, const ClassifierModel<float>& model,
                         const TokenFeatures& features, const LineCorpus& corpus,
                         const ClassifierSchedule& schedule)
    : kernels_(kernels),
      model_(model),
      features_(features),
      corpus_(corpus),
      schedule_(schedule),
      chunk_lines_(classifier_chunk_lines(
          corpus.n_lines, corpus.n_lines > 0 ? raw(corpus.ends[corpus.n_lines - 1]) : 0)),
      n_chunks_((corpus.n_lines + chunk_lines_ - 1) / chunk_lines_),
      kept_(static_cast<std::size_t>(schedule.n_epochs > 1 ? n_chunks_ : 0)),
      room_(model.input.n_rows() * model.input.stride() * sizeof(float) / kShareForFeatures) {
  const std::int64_t wanted = std::min<std::int64_t>(schedule.n_workers, n_chunks_);
  for (std::int64_t w = 0; w < std::max<std::int64_t>(1, wanted); ++w)
    workers_.push_back(std::make_unique<Worker>(model_));
}

std::int64_t LineTrainer::done_before(std::size_t piece, const ChunkResult&) const {
  return lines_in(piece).begin;
}

ChunkResult LineTrainer::train(std::size_t worker, const Piece& piece) {
  Worker& own = *workers_[worker];
  const Range range = lines_in(piece.number);
  const LineFeatures& features = features_in(piece, own.lines);
  set_rates(piece.epoch, range, own.lr);
  LabelledLines lines;
  lines.n_lines = static_cast<int>(range.end - range.begin);
  lines.rows = features.rows.data();
  lines.row_ends = features.row_ends.data();
  lines.labels = features.labels.data();
  lines.label_ends = features.label_ends.data();
  lines.lr = own.lr.data();
  lines.rng = Rng(schedule_.seed, static_cast<std::uint64_t>(piece.epoch), piece.number);
  lines.stop = &piece.stop;
  const ChunkResult result = kernels_.classifier.train_lines(model_, lines, own.scratch);
  require_finite(result, piece.epoch);
  piece.n_done.fetch_add(range.end - range.begin, std::memory_order_relaxed);
  return result;
}

LineTrainer::Range LineTrainer::lines_in(std::size_t chunk) const {
  const std::int64_t begin =
      std::min(static_cast<std::int64_t>(chunk) * chunk_lines_, corpus_.n_lines);
  return {begin, std::min(begin + chunk_lines_, corpus_.n_lines)};
}

std::int64_t LineTrainer::line_at(std::int64_t i) const {
  return corpus_.order != nullptr ? corpus_.order[i] : i;
}

// A chunk has one worker in an epoch, and epochs are separated by joins: nobody else is at its
// place in `kept_` meanwhile.
const LineFeatures& LineTrainer::features_in(const Piece& chunk, LineFeatures& scratch) {
  if (!kept_.empty() && !kept_[chunk.number].row_ends.empty()) return kept_[chunk.number];
  scratch.clear();
  expand(lines_in(chunk.number), scratch, chunk.stop);
  if (chunk.epoch + 1 < schedule_.n_epochs) keep(chunk.number, scratch);
  return scratch;
}

void LineTrainer::expand(Range lines, LineFeatures& out, const std::atomic<bool>& stop) const {
  const Interrupt interrupt(stop);
  const auto check = [&] { interrupt.check(); };
  CheckedSteps steps(interrupt);
  for (std::int64_t i = lines.begin; i < lines.end; ++i) {
    const std::int64_t line = line_at(i);
    for (TokenPos at = line == 0 ? TokenPos{0} : corpus_.ends[line - 1]; at < corpus_.ends[line];
         ++at) {
      features_.add_token(corpus_.tokens[raw(at)], out);
      steps.step();
    }
    features_.add_word_ngrams(out, std::ref(check));
    out.end_line();
  }
}

void LineTrainer::keep(std::size_t chunk, const LineFeatures& lines) {
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

void LineTrainer::set_rates(int epoch, Range lines, std::vector<double>& rates) const {
  rates.clear();
  const auto n_lines = static_cast<double>(corpus_.n_lines);
  for (std::int64_t i = lines.begin; i < lines.end; ++i) {
    const double progress = (epoch + static_cast<double>(i) / n_lines) / schedule_.n_epochs;
    const double weight =
        corpus_.weights != nullptr ? static_cast<double>(corpus_.weights[line_at(i)]) : 1.0;
    rates.push_back(schedule_.lr * (1 - progress) * weight);
  }
}

}  // namespace pyw2v
