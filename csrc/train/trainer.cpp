#include "train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "base/errors.h"

namespace pyw2v {

double Schedule::lr_at(int epoch, TokenPos position) const {
  const double in_epoch =
      tokens_per_epoch > 0 ? static_cast<double>(position) / tokens_per_epoch : 0;
  const double progress = std::min(1.0, (epoch + in_epoch) / n_epochs);
  return lr_start - (lr_start - lr_end) * progress;
}

Trainer::Trainer(const KernelTable& kernels, const Model<float>& model, const Corpus& corpus,
                 const Schedule& schedule)
    : kernels_(kernels), model_(model), corpus_(corpus), schedule_(schedule) {
  TokenPos begin = 0;
  std::size_t first = 0;
  for (std::size_t s = 0; s < corpus.n_sentences; ++s) {
    const TokenPos end = corpus.ends[s];
    for (; end - begin > kMaxChunkTokens; begin += kChunkTokens, first = s)
      chunks_.push_back({begin, begin + kChunkTokens, first});
    if (end - begin >= kChunkTokens || (s + 1 == corpus.n_sentences && end > begin)) {
      chunks_.push_back({begin, end, first});
      begin = end;
      first = s + 1;
    }
  }
  const std::size_t n_workers = std::max<std::size_t>(
      1, std::min(static_cast<std::size_t>(schedule.n_workers), chunks_.size()));
  for (std::size_t w = 0; w < n_workers; ++w)
    workspaces_.push_back(std::make_unique<Workspace<float>>(model_));
}

Trainer::~Trainer() { stop(); }

void Trainer::start(int epoch) {
  stop();
  epoch_ = epoch;
  next_chunk_ = 0;
  tokens_done_ = 0;
  stop_ = false;
  result_ = {};
  error_ = nullptr;
  n_running_ = workspaces_.size();
  try {
    for (auto& workspace : workspaces_)
      threads_.emplace_back(&Trainer::work, this, std::ref(*workspace));
  } catch (...) {  // no more threads to be had: those that did start finish first
    stop();
    n_running_ = 0;
    throw;
  }
}

bool Trainer::wait(double seconds) {
  constexpr double kLongest = 1e6;  // the clock's nanoseconds would overflow far beyond it
  std::unique_lock<std::mutex> lock(mutex_);
  return all_done_.wait_for(lock, std::chrono::duration<double>(std::min(seconds, kLongest)),
                            [this] { return n_running_ == 0; });
}

void Trainer::stop() noexcept {
  stop_ = true;
  join();
}

void Trainer::join() noexcept {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

ChunkResult Trainer::finish() {
  join();
  if (error_) std::rethrow_exception(error_);
  return result_;
}

void Trainer::work(Workspace<float>& workspace) {
  ChunkResult sum;
  std::exception_ptr error;
  try {
    run_chunks(workspace, sum);
  } catch (...) {
    error = std::current_exception();
    stop_ = true;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (error && !error_) error_ = error;
  result_.loss += sum.loss;
  result_.n_examples += sum.n_examples;
  result_.n_words += sum.n_words;
  if (--n_running_ == 0) all_done_.notify_all();
}

void Trainer::run_chunks(Workspace<float>& workspace, ChunkResult& sum) {
  while (!stop_.load(std::memory_order_relaxed)) {
    const std::size_t index = next_chunk_.fetch_add(1, std::memory_order_relaxed);
    if (index >= chunks_.size()) return;
    const Range& range = chunks_[index];
    Chunk chunk;
    chunk.tokens = corpus_.tokens;
    chunk.ends = corpus_.ends + range.first_sentence;
    chunk.begin = range.begin;
    chunk.end = range.end;
    chunk.lr_begin = schedule_.lr_at(epoch_, range.begin);
    chunk.lr_end = schedule_.lr_at(epoch_, range.end);
    chunk.rng = Rng(schedule_.seed, static_cast<std::uint64_t>(epoch_), index);
    chunk.stop = &stop_;
    const ChunkResult result = kernels_.training.train_chunk(model_, chunk, workspace);
    if (!std::isfinite(result.loss))
      throw DivergenceError("training diverged in epoch " + std::to_string(epoch_ + 1) +
                            ": the loss is no longer a finite number");
    sum.loss += result.loss;
    sum.n_examples += result.n_examples;
    sum.n_words += result.n_words;
    tokens_done_.fetch_add(range.end - range.begin, std::memory_order_relaxed);
  }
}

}  // namespace pyw2v
