#include "train/word_trainer.h"

#include <algorithm>

namespace pyw2v {

namespace {

// Short enough for a chunk to be of many places in the text. Measured on 23.5M words against the
// order of the text: skip-gram with n-grams, 5 epochs, WordSim353 0.654 -> 0.694, MEN 0.691 ->
// 0.701, RW 0.388 -> 0.421; hierarchical softmax, 3 epochs, analogies 40.1 -> 41.5 % (skip-gram),
// 30.2 -> 32.4 % (CBOW). Shorter ones bring no more.
constexpr std::int64_t kStretchTokens = 256;

}  // namespace

double Schedule::lr_at(int epoch, std::int64_t position) const {
  const double in_epoch =
      tokens_per_epoch > 0 ? static_cast<double>(position) / tokens_per_epoch : 0;
  const double progress = std::min(1.0, (epoch + in_epoch) / n_epochs);
  return lr_start - (lr_start - lr_end) * progress;
}

WordTrainer::WordTrainer(const KernelTable& kernels, const Model<float>& model,
                         const Corpus& corpus, const Schedule& schedule)
    : kernels_(kernels), model_(model), corpus_(corpus), schedule_(schedule) {
  // As many as there are chunks for.
  const std::int64_t n_tokens =
      corpus_.n_sentences > 0 ? raw(corpus_.ends[corpus_.n_sentences - 1]) : 0;
  const auto n_chunks = static_cast<std::size_t>(1 + n_tokens / kChunkTokens);
  const std::size_t n_workers = std::min(static_cast<std::size_t>(schedule_.n_workers), n_chunks);
  for (std::size_t w = 0; w < n_workers; ++w)
    workspaces_.push_back(std::make_unique<Workspace<float>>(model_, static_cast<int>(w),
                                                             static_cast<int>(n_workers)));
}

std::size_t WordTrainer::open(int epoch) {
  if (epoch == epoch_) return chunks_.size() - 1;
  epoch_ = epoch;
  stretches_ =
      shuffled_corpus(corpus_, kStretchTokens, schedule_.seed, static_cast<std::uint64_t>(epoch));
  chunks_.assign(1, {0, 0});
  std::int64_t position = 0;
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    const std::int64_t before = position - chunks_.back().position;
    if (before >= kChunkTokens || before + stretches_[i].size() > kMaxChunkTokens)
      chunks_.push_back({i, position});
    position += stretches_[i].size();
  }
  if (position > 0) chunks_.push_back({stretches_.size(), position});
  return chunks_.size() - 1;
}

ChunkResult WordTrainer::train(std::size_t worker, const Piece& piece) {
  const ChunkStart &here = chunks_[piece.number], &next = chunks_[piece.number + 1];
  Chunk chunk;
  chunk.tokens = corpus_.tokens;
  chunk.stretches = stretches_.data() + here.first;
  chunk.n_stretches = next.first - here.first;
  chunk.lr_begin = schedule_.lr_at(piece.epoch, here.position);
  chunk.lr_end = schedule_.lr_at(piece.epoch, next.position);
  chunk.rng = Rng(schedule_.seed, static_cast<std::uint64_t>(piece.epoch), piece.number);
  chunk.stop = &piece.stop;
  const ChunkResult result = kernels_.training.train_chunk(model_, chunk, *workspaces_[worker]);
  require_finite(result, piece.epoch);
  piece.n_done.fetch_add(next.position - here.position, std::memory_order_relaxed);
  return result;
}

}  // namespace pyw2v
