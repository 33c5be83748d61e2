#include "train/trainer.h"

#include <algorithm>

namespace pyw2v {

namespace {

// Short enough for a chunk to be of many places in the text. Measured on 23.5M words against the
// order of the text: skip-gram with n-grams, 5 epochs, WordSim353 0.654 -> 0.694, MEN 0.691 ->
// 0.701, RW 0.388 -> 0.421; hierarchical softmax, 3 epochs, analogies 40.1 -> 41.5 % (skip-gram),
// 30.2 -> 32.4 % (CBOW). Shorter ones bring no more.
constexpr TokenPos kStretchTokens = 256;

}  // namespace

double Schedule::lr_at(int epoch, TokenPos position) const {
  const double in_epoch =
      tokens_per_epoch > 0 ? static_cast<double>(position) / tokens_per_epoch : 0;
  const double progress = std::min(1.0, (epoch + in_epoch) / n_epochs);
  return lr_start - (lr_start - lr_end) * progress;
}

Trainer::Trainer(const KernelTable& kernels, const Model<float>& model, const Corpus& corpus,
                 const Schedule& schedule)
    : kernels_(kernels),
      model_(model),
      corpus_(corpus),
      schedule_(schedule),
      threads_(n_workers(), [this](std::size_t worker, const std::atomic<bool>& stop) {
        return run_chunks(*workspaces_[worker], stop);
      }) {
  for (std::size_t w = 0; w < n_workers(); ++w)
    workspaces_.push_back(std::make_unique<Workspace<float>>(model_, static_cast<int>(w),
                                                             static_cast<int>(n_workers())));
}

// As many as there are chunks for.
std::size_t Trainer::n_workers() const {
  const TokenPos n_tokens = corpus_.n_sentences > 0 ? corpus_.ends[corpus_.n_sentences - 1] : 0;
  const auto n_chunks = static_cast<std::size_t>(1 + n_tokens / kChunkTokens);
  return std::min(static_cast<std::size_t>(schedule_.n_workers), n_chunks);
}

void Trainer::start(int epoch) {
  stop();
  epoch_ = epoch;
  order_chunks();
  next_chunk_ = 0;
  tokens_done_ = 0;
  threads_.start();
}

void Trainer::order_chunks() {
  stretches_ =
      shuffled_corpus(corpus_, kStretchTokens, schedule_.seed, static_cast<std::uint64_t>(epoch_));
  chunks_.assign(1, {0, 0});
  TokenPos position = 0;
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    const TokenPos before = position - chunks_.back().position;
    if (before >= kChunkTokens || before + stretches_[i].size() > kMaxChunkTokens)
      chunks_.push_back({i, position});
    position += stretches_[i].size();
  }
  if (position > 0) chunks_.push_back({stretches_.size(), position});
}

ChunkResult Trainer::run_chunks(Workspace<float>& workspace, const std::atomic<bool>& stop) {
  ChunkResult sum;
  while (!stop.load(std::memory_order_relaxed)) {
    const std::size_t index = next_chunk_.fetch_add(1, std::memory_order_relaxed);
    if (index + 1 >= chunks_.size()) break;
    const ChunkStart &here = chunks_[index], &next = chunks_[index + 1];
    Chunk chunk;
    chunk.tokens = corpus_.tokens;
    chunk.stretches = stretches_.data() + here.first;
    chunk.n_stretches = next.first - here.first;
    chunk.lr_begin = schedule_.lr_at(epoch_, here.position);
    chunk.lr_end = schedule_.lr_at(epoch_, next.position);
    chunk.rng = Rng(schedule_.seed, static_cast<std::uint64_t>(epoch_), index);
    chunk.stop = &stop;
    const ChunkResult result = kernels_.training.train_chunk(model_, chunk, workspace);
    require_finite(result, epoch_);
    sum += result;
    tokens_done_.fetch_add(next.position - here.position, std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace pyw2v
