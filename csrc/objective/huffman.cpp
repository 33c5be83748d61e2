#include "objective/huffman.h"

#include <algorithm>
#include <numeric>

namespace pyw2v {
namespace {

struct Tree {
  std::vector<std::size_t> parent;  // leaves 0 .. n - 1, inner nodes n .. 2n - 2
  std::vector<std::uint8_t> branch;
};

// Two queues, leaves by rising count and inner nodes in the order they are made (which rises too),
// so the smallest pair is always at their fronts: linear after the sort.
Tree build_tree(const std::int64_t* counts, std::size_t n) {
  std::vector<std::size_t> leaves(n);
  std::iota(leaves.begin(), leaves.end(), std::size_t{0});
  std::stable_sort(leaves.begin(), leaves.end(),
                   [counts](std::size_t a, std::size_t b) { return counts[a] < counts[b]; });
  std::vector<std::int64_t> weight(2 * n - 1);
  std::copy(counts, counts + n, weight.begin());

  Tree tree{std::vector<std::size_t>(2 * n - 1), std::vector<std::uint8_t>(2 * n - 1)};
  std::size_t next_leaf = 0, next_inner = n;
  for (std::size_t node = n; node < 2 * n - 1; ++node) {
    weight[node] = 0;
    for (std::uint8_t branch = 0; branch < 2; ++branch) {
      const bool take_leaf =
          next_inner == node || (next_leaf < n && weight[leaves[next_leaf]] <= weight[next_inner]);
      const std::size_t child = take_leaf ? leaves[next_leaf++] : next_inner++;
      tree.parent[child] = node;
      tree.branch[child] = branch;
      weight[node] += weight[child];
    }
  }
  return tree;
}

// HierarchicalSoftmaxLoss::buildTree of fastText: leaves from the last on, inner nodes first among
// equals.
Tree build_fasttext_tree(const std::int64_t* counts, std::size_t n) {
  std::vector<std::int64_t> weight(2 * n - 1, std::int64_t{1000000000000000});
  std::copy(counts, counts + n, weight.begin());
  Tree tree{std::vector<std::size_t>(2 * n - 1), std::vector<std::uint8_t>(2 * n - 1)};
  std::size_t n_leaves = n, next_inner = n;
  for (std::size_t node = n; node < 2 * n - 1; ++node) {
    std::int64_t sum = 0;
    for (std::uint8_t branch = 0; branch < 2; ++branch) {
      const bool take_leaf =
          next_inner == node || (n_leaves > 0 && weight[n_leaves - 1] < weight[next_inner]);
      const std::size_t child = take_leaf ? --n_leaves : next_inner++;
      tree.parent[child] = node;
      tree.branch[child] = branch;
      sum += weight[child];
    }
    weight[node] = sum;
  }
  return tree;
}

HuffmanPaths paths_of(Tree (*build)(const std::int64_t*, std::size_t), const std::int64_t* counts,
                      std::size_t n_words) {
  HuffmanPaths paths;
  paths.offsets.assign(n_words + 1, 0);
  if (n_words < 2) return paths;  // one word needs no decision
  const Tree tree = build(counts, n_words);
  const std::size_t root = 2 * n_words - 2;
  for (std::size_t word = 0; word < n_words; ++word) {
    std::int64_t length = 0;
    for (std::size_t node = word; node != root; node = tree.parent[node]) ++length;
    paths.offsets[word + 1] = paths.offsets[word] + length;
  }
  paths.codes.resize(static_cast<std::size_t>(paths.offsets[n_words]));
  paths.points.resize(paths.codes.size());
  for (std::size_t word = 0; word < n_words; ++word) {
    auto at = static_cast<std::size_t>(paths.offsets[word + 1]);
    for (std::size_t node = word; node != root; node = tree.parent[node]) {
      --at;
      paths.codes[at] = tree.branch[node];
      paths.points[at] = static_cast<std::int32_t>(tree.parent[node] - n_words);
    }
  }
  return paths;
}

}  // namespace

HuffmanPaths huffman_paths(const std::int64_t* counts, std::size_t n_words) {
  return paths_of(build_tree, counts, n_words);
}

HuffmanPaths fasttext_paths(const std::int64_t* counts, std::size_t n_labels) {
  return paths_of(build_fasttext_tree, counts, n_labels);
}

}  // namespace pyw2v
