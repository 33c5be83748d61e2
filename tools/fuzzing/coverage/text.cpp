// Tokens, lines, UTF-8, n-grams and numbers, each of any bytes.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "coverage/harness.h"
#include "formats/numbers.h"
#include "text/lines.h"
#include "text/ngrams.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace {

void split(std::string_view text) {
  std::string padded(text);
  padded.append(pyw2v::kTextPadding, ' ');
  const char* last = padded.data();
  std::size_t n_lines = 0;
  pyw2v::tokenize(
      padded.data(), text.size(),
      [&](const char* begin, std::size_t n) {
        must(n > 0 && begin >= last && begin + n <= padded.data() + text.size());
        last = begin + n;
      },
      [&] { ++n_lines; });
  std::size_t n_feeds = 0;
  for (const char c : text) n_feeds += c == '\n';
  must(n_lines == n_feeds);
  pyw2v::split_lines(
      text, [&](std::string_view token) { must(!token.empty()); }, [] { return true; });
}

void make_ngrams(std::string_view word, int min_n, int max_n) {
  const pyw2v::NgramHasher hasher(min_n, max_n, 97, /*word_ngrams=*/max_n);
  const std::vector<std::string_view> found = hasher.ngrams(word);
  std::size_t n_bytes = 0;
  for (const std::string_view ngram : found) n_bytes += ngram.size();
  must(found.empty() || n_bytes > 0);
  std::vector<std::uint32_t> buckets;
  hasher.append_buckets(word, buckets);
  for (const std::uint32_t bucket : buckets) must(bucket < 97);
  std::vector<std::int32_t> hashes(word.size() / 4);
  if (!hashes.empty()) std::memcpy(hashes.data(), word.data(), hashes.size() * 4);
  buckets.clear();
  hasher.append_word_buckets(hashes.data(), hashes.size(), 0, hashes.size(), buckets);
  for (const std::uint32_t bucket : buckets) must(bucket < 97);
}

void read_number(std::string_view text) {
  double value = 0;
  const std::string copy(text);  // strtod needs an end
  const char* const end = pyw2v::parse_number(copy.data(), copy.data() + copy.size(), value);
  if (end == nullptr) return;
  must(end > copy.data() && end <= copy.data() + copy.size());
  const double expected = std::strtod(std::string(copy.data(), end).c_str(), nullptr);
  must(value == expected || std::fabs(value - expected) <= std::fabs(expected) * 1e-15);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n) {
  Input input(data, n);
  const auto min_n = static_cast<int>(input.choice(6));
  const auto max_n = static_cast<int>(input.choice(6));
  const std::string_view text = input.rest();
  split(text);
  const std::size_t valid = pyw2v::utf8_valid_prefix(text.data(), text.size());
  must(valid <= text.size());
  make_ngrams(text.substr(0, 400), min_n, max_n);
  read_number(text.substr(0, 2000));
  return 0;
}
