#include "train/word_settings.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace pyw2v {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

bool rise(const std::int64_t* offsets, std::size_t n, std::size_t last) {
  return offsets[0] == 0 && offsets[n] == static_cast<std::int64_t>(last) &&
         std::is_sorted(offsets, offsets + n + 1);
}

int longest(const std::int64_t* offsets, std::size_t n) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, offsets[i + 1] - offsets[i]);
  return static_cast<int>(most);
}

template <class Real>
Subwords<Real> subwords(const WordSettings<Real>& given, std::size_t n_words) {
  Subwords<Real> made;
  if (given.ngram_offsets == nullptr) return made;
  const std::size_t n_buckets = given.ngrams.n_rows();
  if (!rise(given.ngram_offsets, n_words, given.n_ngram_ids))
    refuse("subwords must have " + std::to_string(n_words + 1) + " offsets that rise to " +
           std::to_string(given.n_ngram_ids));
  for (std::size_t i = 0; i < given.n_ngram_ids; ++i)
    if (given.ngram_ids[i] >= n_buckets)
      refuse("ids of subwords must be below " + std::to_string(n_buckets) + ", got " +
             std::to_string(given.ngram_ids[i]));
  made.rows = given.ngrams;
  made.offsets = given.ngram_offsets;
  made.ids = given.ngram_ids;
  made.max_ids = longest(given.ngram_offsets, n_words);
  made.lock = given.ngram_lock;
  return made;
}

template <class Real>
void set_drawn(const WordSettings<Real>& given, Model<Real>& model) {
  if (given.word_output.empty() || given.negative == 0) return;
  if (given.drawn == nullptr) {
    model.ns.output = given.word_output;
    model.ns.sampler = given.sampler;
    model.ns.negative = given.negative;
    return;
  }
  const std::size_t n_words = given.input.n_rows();
  model.sampled = *given.drawn;
  model.sampled.output = given.word_output;
  model.sampled.sampler = given.sampler;
  model.sampled.negative = given.negative;
  if (model.sampled.unique != nullptr && static_cast<std::size_t>(given.negative) >= n_words)
    refuse("at most " + std::to_string(n_words - 1) + " unique words can be drawn, got " +
           std::to_string(given.negative));
}

template <class Real>
void set_paths(const WordSettings<Real>& given, Model<Real>& model) {
  if (given.node_output.empty()) return;
  check_tree(given.tree, given.input.n_rows(), given.node_output.n_rows());
  model.hs.output = given.node_output;
  model.hs.tree = given.tree;
}

}  // namespace

void check_tree(const HuffmanView& tree, std::size_t n_words, std::size_t n_rows) {
  // A tree has one inner node less than words.
  if (tree.n_words != static_cast<std::int64_t>(n_words) || n_rows + 1 < n_words)
    refuse("huffman paths do not fit: they are of " + std::to_string(tree.n_words) +
           " words, the vocabulary has " + std::to_string(n_words) + " and the output matrix " +
           std::to_string(n_rows) + " rows");
}

void check_corpus(const Corpus& corpus, std::size_t n_tokens, std::size_t n_words) {
  std::int32_t least = 0, most = 0;  // without a branch, so that it is done in vectors
  for (std::size_t i = 0; i < n_tokens; ++i) {
    least = std::min(least, raw(corpus.tokens[i]));
    most = std::max(most, raw(corpus.tokens[i]));
  }
  if (least < 0 || static_cast<std::size_t>(most) >= n_words)
    refuse("token ids must be from 0 to " + std::to_string(n_words - 1));
  const std::size_t n = corpus.n_sentences;
  const TokenPos* const ends = corpus.ends;
  if (n > 0 && (ends[0] < TokenPos{0} || ends[n - 1] != static_cast<TokenPos>(n_tokens) ||
                !std::is_sorted(ends, ends + n)))
    refuse("sentence ends must rise to " + std::to_string(n_tokens) + ", the number of tokens");
}

template <class Real>
Model<Real> make_model(const WordSettings<Real>& given) {
  if (given.window < 1 || given.negative < 0)
    refuse("window must be at least 1 and negative at least 0, got " +
           std::to_string(given.window) + " and " + std::to_string(given.negative));
  Model<Real> model;
  model.input = given.input;
  model.input_lock = given.input_lock;
  model.keep = given.keep;
  model.subwords = subwords(given, given.input.n_rows());
  set_drawn(given, model);
  set_paths(given, model);
  model.full = given.full;
  if (!model.ns.on() && !model.sampled.on() && !model.hs.on() && model.full.loss == FullLoss::kNone)
    refuse("training needs negative sampling or hierarchical softmax, got none");
  model.skipgram = given.skipgram;
  model.window = given.window;
  model.shrink_windows = given.shrink_windows;
  model.average_context = given.average_context;
  model.average_gradient = given.average_gradient;
  model.track_loss = given.track_loss;
  return model;
}

template Model<float> make_model(const WordSettings<float>& given);
template Model<double> make_model(const WordSettings<double>& given);

}  // namespace pyw2v
