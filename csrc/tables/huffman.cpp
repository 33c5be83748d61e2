#include "tables/huffman.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace pyw2v {
namespace {

// Leaves are nodes 0 .. n - 1, inner nodes n .. 2n - 2, the root the last.
struct Links {
  explicit Links(std::size_t n_leaves) : parent(2 * n_leaves - 1), branch(2 * n_leaves - 1) {}
  std::vector<std::size_t> parent;
  std::vector<std::uint8_t> branch;
};

// Two queues, leaves by rising count and inner nodes in the order they are made (which rises too),
// so the smallest pair is always at their fronts: linear after the sort.
Links link_by_count(const std::int64_t* counts, std::size_t n) {
  std::vector<std::size_t> leaves(n);
  std::iota(leaves.begin(), leaves.end(), std::size_t{0});
  std::stable_sort(leaves.begin(), leaves.end(),
                   [counts](std::size_t a, std::size_t b) { return counts[a] < counts[b]; });
  std::vector<std::int64_t> weight(2 * n - 1);
  std::copy(counts, counts + n, weight.begin());

  Links links(n);
  std::size_t next_leaf = 0, next_inner = n;
  for (std::size_t node = n; node < 2 * n - 1; ++node) {
    weight[node] = 0;
    for (std::uint8_t branch = 0; branch < 2; ++branch) {
      const bool take_leaf =
          next_inner == node || (next_leaf < n && weight[leaves[next_leaf]] <= weight[next_inner]);
      const std::size_t child = take_leaf ? leaves[next_leaf++] : next_inner++;
      links.parent[child] = node;
      links.branch[child] = branch;
      weight[node] += weight[child];
    }
  }
  return links;
}

// Leaves from the last on; inner nodes that are not made yet weigh more than any leaf, by the
// reference programs' number.
Links link_as_fasttext(const std::int64_t* counts, std::size_t n) {
  std::vector<std::int64_t> weight(2 * n - 1, std::int64_t{1000000000000000});
  std::copy(counts, counts + n, weight.begin());
  Links links(n);
  std::size_t n_leaves = n, next_inner = n;
  for (std::size_t node = n; node < 2 * n - 1; ++node) {
    std::int64_t sum = 0;
    for (std::uint8_t branch = 0; branch < 2; ++branch) {
      const bool take_leaf =
          next_inner == node || (n_leaves > 0 && weight[n_leaves - 1] < weight[next_inner]);
      const std::size_t child = take_leaf ? --n_leaves : next_inner++;
      links.parent[child] = node;
      links.branch[child] = branch;
      sum += weight[child];
    }
    weight[node] = sum;
  }
  return links;
}

// The paths from the root to all leaves, read off their ends.
HuffmanTree walk(const Links& links, std::size_t n_words) {
  const std::size_t root = 2 * n_words - 2;
  std::vector<std::int64_t> offsets(n_words + 1);
  for (std::size_t word = 0; word < n_words; ++word) {
    std::int64_t length = 0;
    for (std::size_t node = word; node != root; node = links.parent[node]) ++length;
    offsets[word + 1] = offsets[word] + length;
  }
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(offsets[n_words]));
  std::vector<std::int32_t> points(codes.size());
  for (std::size_t word = 0; word < n_words; ++word) {
    auto at = static_cast<std::size_t>(offsets[word + 1]);
    for (std::size_t node = word; node != root; node = links.parent[node]) {
      --at;
      codes[at] = links.branch[node];
      points[at] = static_cast<std::int32_t>(links.parent[node] - n_words);
    }
  }
  return {std::move(offsets), std::move(codes), std::move(points)};
}

}  // namespace

HuffmanTree::HuffmanTree(std::vector<std::int64_t> offsets, std::vector<std::uint8_t> codes,
                         std::vector<std::int32_t> points)
    : offsets_(std::move(offsets)), codes_(std::move(codes)), points_(std::move(points)) {
  check();
  for (std::size_t word = 0; word < n_words(); ++word)
    max_length_ = std::max(max_length_, static_cast<int>(offsets_[word + 1] - offsets_[word]));
}

void HuffmanTree::check() const {
  const auto n_entries = static_cast<std::int64_t>(codes_.size());
  if (points_.size() != codes_.size())
    throw std::invalid_argument("paths must have as many points as codes, got " +
                                std::to_string(points_.size()) + " and " +
                                std::to_string(codes_.size()));
  if (offsets_.empty() || offsets_.front() != 0 || offsets_.back() != n_entries ||
      !std::is_sorted(offsets_.begin(), offsets_.end()))
    throw std::invalid_argument("offsets of paths must rise from 0 to " +
                                std::to_string(n_entries) + ", the number of codes");
  for (const std::uint8_t code : codes_)
    if (code > 1)
      throw std::invalid_argument("codes of paths must be 0 or 1, got " + std::to_string(code));
  const std::int64_t n_nodes = static_cast<std::int64_t>(n_words()) - 1;
  for (const std::int32_t point : points_)
    if (point < 0 || point >= n_nodes)
      throw std::invalid_argument("points of paths must be below " + std::to_string(n_nodes) +
                                  ", the number of inner nodes, got " + std::to_string(point));
}

HuffmanTree HuffmanTree::from_counts(const std::int64_t* counts, std::size_t n_words) {
  if (n_words < 2) return {std::vector<std::int64_t>(n_words + 1), {}, {}};
  return walk(link_by_count(counts, n_words), n_words);
}

HuffmanTree HuffmanTree::fasttext(const std::int64_t* counts, std::size_t n_words) {
  if (n_words < 2) return {std::vector<std::int64_t>(n_words + 1), {}, {}};
  return walk(link_as_fasttext(counts, n_words), n_words);
}

}  // namespace pyw2v
