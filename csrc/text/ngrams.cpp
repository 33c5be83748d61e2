#include "text/ngrams.h"

#include <string>

namespace pyw2v {
namespace {

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Calls visit(n-gram, its hash). The hash grows with the n-gram: no byte is hashed again for each
// length.
template <class Visit>
void visit_ngrams(std::string_view bracketed, int min_n, int max_n, Visit visit) {
  const std::size_t size = bracketed.size();
  for (std::size_t start = 0; start < size; ++start) {
    if (continues_character(bracketed[start])) continue;
    std::uint32_t hash = kNgramHashSeed;
    std::size_t end = start;
    for (int n = 1; n <= max_n && end < size; ++n) {
      do {
        hash = ngram_hash_step(hash, bracketed[end++]);
      } while (end < size && continues_character(bracketed[end]));
      const bool is_bracket = n == 1 && (start == 0 || end == size);
      if (n >= min_n && !is_bracket) visit(bracketed.substr(start, end - start), hash);
    }
  }
}

}  // namespace

std::uint32_t ngram_hash(std::string_view text) {
  std::uint32_t hash = kNgramHashSeed;
  for (const char byte : text) hash = ngram_hash_step(hash, byte);
  return hash;
}

std::vector<std::string_view> ngrams(std::string_view bracketed_word, int min_n, int max_n) {
  std::vector<std::string_view> found;
  visit_ngrams(bracketed_word, min_n, max_n,
               [&](std::string_view ngram, std::uint32_t) { found.push_back(ngram); });
  return found;
}

void append_ngram_buckets(std::string_view word, int min_n, int max_n, std::uint32_t n_buckets,
                          std::vector<std::uint32_t>& out) {
  if (n_buckets == 0) return;
  std::string bracketed;
  bracketed.reserve(word.size() + 2);
  bracketed.append(1, '<').append(word).append(1, '>');
  visit_ngrams(bracketed, min_n, max_n,
               [&](std::string_view, std::uint32_t hash) { out.push_back(hash % n_buckets); });
}

void append_word_ngrams(const std::int32_t* hashes, std::size_t n, int word_ngrams,
                        std::uint32_t n_buckets, std::vector<std::uint32_t>& out) {
  if (n_buckets == 0 || word_ngrams < 2) return;
  const auto reach = static_cast<std::size_t>(word_ngrams);
  for (std::size_t first = 0; first < n; ++first) {
    // fastText keeps hashes as int32_t and mixes in 64 bits: the sign is extended.
    auto mixed = static_cast<std::uint64_t>(std::int64_t{hashes[first]});
    for (std::size_t last = first + 1; last < n && last - first < reach; ++last) {
      mixed = mixed * 116049371U + static_cast<std::uint64_t>(std::int64_t{hashes[last]});
      out.push_back(static_cast<std::uint32_t>(mixed % n_buckets));
    }
  }
}

std::vector<std::uint32_t> place_buckets(const std::uint32_t* ids, std::size_t n,
                                         std::uint32_t n_placed, std::uint32_t* places) {
  std::vector<std::uint32_t> placed;
  for (std::size_t i = 0; i < n; ++i) {
    if (places[ids[i]] != 0) continue;
    placed.push_back(ids[i]);
    places[ids[i]] = n_placed + static_cast<std::uint32_t>(placed.size());
  }
  return placed;
}

}  // namespace pyw2v
