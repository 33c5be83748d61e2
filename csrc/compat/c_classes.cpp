#include <algorithm>
#include <cmath>

#include "compat/word2vec_c.h"

namespace pyw2v {
namespace {

class CKMeans {
 public:
  CKMeans(const MatrixView<float>& rows, int n_classes, const Interrupt& interrupt)
      : rows_(rows),
        interrupt_(interrupt),
        n_classes_(static_cast<std::size_t>(n_classes)),
        dim_(rows.dim()),
        centroids_(n_classes_ * dim_),
        classes_(rows.n_rows()) {
    for (std::size_t r = 0; r < classes_.size(); ++r)
      classes_[r] = static_cast<std::int32_t>(r % n_classes_);
  }

  std::vector<std::int32_t> run() {
    constexpr int kRounds = 10;
    for (int round = 0; round < kRounds; ++round) {
      move_centroids();
      CheckedSteps steps(interrupt_);
      for (std::size_t r = 0; r < classes_.size(); ++r) {
        classes_[r] = nearest(row(r));
        steps.step(n_classes_);
      }
    }
    return classes_;
  }

 private:
  const float* row(std::size_t r) const { return rows_.row(static_cast<RowId>(r)); }

  // Unit vectors along the means; a class without rows gets NaN, and so never a row again.
  void move_centroids() {
    std::fill(centroids_.begin(), centroids_.end(), 0.0f);
    std::vector<int> sizes(n_classes_, 1);  // the C program counts one too many
    for (std::size_t r = 0; r < classes_.size(); ++r) {
      const auto of = static_cast<std::size_t>(classes_[r]);
      for (std::size_t c = 0; c < dim_; ++c) centroids_[of * dim_ + c] += row(r)[c];
      ++sizes[of];
    }
    for (std::size_t k = 0; k < n_classes_; ++k)
      normalize(&centroids_[k * dim_], static_cast<float>(sizes[k]));
  }

  void normalize(float* centroid, float size) const {
    float square = 0;
    for (std::size_t c = 0; c < dim_; ++c) {
      centroid[c] /= size;
      square += centroid[c] * centroid[c];
    }
    const auto length = static_cast<float>(std::sqrt(static_cast<double>(square)));
    for (std::size_t c = 0; c < dim_; ++c) centroid[c] /= length;
  }

  // By the largest dot product with the row as it is; the first of equals.
  std::int32_t nearest(const float* row) const {
    float best = -10;
    std::size_t at = 0;
    for (std::size_t k = 0; k < n_classes_; ++k) {
      float sum = 0;
      for (std::size_t c = 0; c < dim_; ++c) sum += centroids_[k * dim_ + c] * row[c];
      if (sum > best) {
        best = sum;
        at = k;
      }
    }
    return static_cast<std::int32_t>(at);
  }

  MatrixView<float> rows_;
  const Interrupt& interrupt_;
  std::size_t n_classes_, dim_;
  std::vector<float> centroids_;
  std::vector<std::int32_t> classes_;
};

}  // namespace

std::vector<std::int32_t> c_classes(const MatrixView<float>& syn0, int n_classes,
                                    const Interrupt& interrupt) {
  return CKMeans(syn0, n_classes, interrupt).run();
}

}  // namespace pyw2v
