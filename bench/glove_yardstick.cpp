// GloVe's two loops in plain scalar double precision: what pyw2v's are measured against. Built and
// called by bench/glove.py, one thread, no vector code.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

struct Pair {
  std::int32_t word, context;
  double count;
};

bool before(const Pair& a, const Pair& b) {
  return a.word != b.word ? a.word < b.word : a.context < b.context;
}

// Pairs of frequent words in a table, where the product of their ranks is small; all others in a
// list that is sorted and added up whenever it is full. The result is what both hold in the end.
class PairTable {
 public:
  PairTable(std::int64_t n_words, std::int64_t max_product) : max_product_(max_product) {
    starts_.push_back(0);
    for (std::int64_t rank = 1; rank <= n_words; ++rank)
      starts_.push_back(starts_.back() + std::min(n_words, max_product / rank));
    table_.resize(static_cast<std::size_t>(starts_.back()));
  }

  void add(std::int32_t word, std::int32_t context, double weight) {
    if (context < max_product_ / (word + 1) - 1) {
      table_[static_cast<std::size_t>(starts_[word] + context)] += weight;
      return;
    }
    rest_.push_back({word, context, weight});
    if (rest_.size() >= limit_) {
      merge();
      limit_ = std::max(limit_, 2 * rest_.size());
    }
  }

  std::int64_t finish() {
    merge();
    return static_cast<std::int64_t>(rest_.size()) +
           (static_cast<std::int64_t>(table_.size()) -
            std::count(table_.begin(), table_.end(), 0.0));
  }

 private:
  void merge() {
    std::sort(rest_.begin(), rest_.end(), before);
    std::size_t n = 0;
    for (const Pair& pair : rest_) {
      if (n > 0 && !before(rest_[n - 1], pair))
        rest_[n - 1].count += pair.count;
      else
        rest_[n++] = pair;
    }
    rest_.resize(n);
  }

  std::int64_t max_product_;
  std::vector<std::int64_t> starts_;
  std::vector<double> table_;
  std::vector<Pair> rest_;
  std::size_t limit_ = std::size_t{1} << 25;
};

}  // namespace

// Returns the number of distinct pairs.
extern "C" std::int64_t yardstick_count(const std::int32_t* tokens, const std::int64_t* ends,
                                        std::int64_t n_sentences, std::int64_t n_words,
                                        std::int64_t window) {
  PairTable pairs(n_words, 10'000'000);
  std::int64_t begin = 0;
  for (std::int64_t s = 0; s < n_sentences; begin = ends[s++]) {
    for (std::int64_t at = begin; at < ends[s]; ++at) {
      for (std::int64_t left = std::max(begin, at - window); left < at; ++left) {
        const double weight = 1.0 / static_cast<double>(at - left);
        pairs.add(tokens[left], tokens[at], weight);
        pairs.add(tokens[at], tokens[left], weight);
      }
    }
  }
  return pairs.finish();
}

// Rows of dim + 1 numbers, biases last; words, then contexts. Returns the mean cost.
extern "C" double yardstick_train(const std::int32_t* words, const std::int32_t* contexts,
                                  const double* counts, std::int64_t n, std::int64_t n_words,
                                  std::int64_t dim, double* values, double* squares) {
  constexpr double kRate = 0.05, kMost = 100, kExponent = 0.75, kClip = 100;
  double cost = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const std::int64_t word = words[k] * (dim + 1), context = (n_words + contexts[k]) * (dim + 1);
    double* const w = values + word;
    double* const c = values + context;
    double* const w_squares = squares + word;
    double* const c_squares = squares + context;
    double diff = 0;
    for (std::int64_t i = 0; i < dim; ++i) diff += w[i] * c[i];
    diff += w[dim] + c[dim] - std::log(counts[k]);
    const double error = counts[k] > kMost ? diff : std::pow(counts[k] / kMost, kExponent) * diff;
    cost += 0.5 * error * diff;
    for (std::int64_t i = 0; i < dim; ++i) {
      const double dw = std::fmin(std::fmax(error * c[i], -kClip), kClip) * kRate;
      const double dc = std::fmin(std::fmax(error * w[i], -kClip), kClip) * kRate;
      w[i] -= dw / std::sqrt(w_squares[i]);
      c[i] -= dc / std::sqrt(c_squares[i]);
      w_squares[i] += dw * dw;
      c_squares[i] += dc * dc;
    }
    w[dim] -= error / std::sqrt(w_squares[dim]);
    c[dim] -= error / std::sqrt(c_squares[dim]);
    w_squares[dim] += error * error;
    c_squares[dim] += error * error;
  }
  return cost / static_cast<double>(n);
}
