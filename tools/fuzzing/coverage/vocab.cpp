// Text to numbers: labelled lines, corpora, phrases, and the words of the C programs.
#include <string>
#include <vector>

#include "compat/c_vocab.h"
#include "compat/word2phrase.h"
#include "corpus/corpus_scanner.h"
#include "corpus/line_encoder.h"
#include "coverage/harness.h"
#include "features/line_features.h"
#include "text/reader.h"

namespace {

void label_lines(const std::string& path, std::string_view text) {
  pyw2v::LineEncoder lines("__label__", UINT64_MAX, "/tmp");
  const pyw2v::FileReader file(path);
  for (std::uint64_t at = 0; at < file.size();) {
    const std::uint64_t next = lines.read_block(file, at);
    must(next > at && next <= file.size());
    at = next;
  }
  lines.add_row_text(text.substr(0, 100));
  lines.add_row_label("x");
  lines.end_row();
  lines.finish();
  std::vector<std::string> words, labels;
  for (std::size_t i = 0; i < lines.table().size(); ++i) {
    const std::string word(lines.table().word(static_cast<pyw2v::WordId>(i)));
    (lines.is_label()[i] != 0 ? labels : words).push_back(word);
  }
  pyw2v::FeatureRules rules;
  rules.n_words = static_cast<std::uint32_t>(words.size());
  rules.hasher = pyw2v::NgramHasher(2, 3, 50, /*word_ngrams=*/2);
  const pyw2v::LineDictionary dictionary(rules, "__label__", words, labels);
  std::string readable(text);
  readable.append(pyw2v::WordTable::kReadable, '\0');
  pyw2v::LineFeatures found;
  dictionary.add_line({readable.data(), text.size()}, found);
  for (const std::uint32_t row : found.rows) must(row < rules.n_words + rules.hasher.n_buckets());
}

void scan(std::string_view text, std::size_t piece, const pyw2v::SentenceRule& rule) {
  pyw2v::ScannerConfig config;
  config.folder = "/tmp";
  pyw2v::CorpusScanner scanner(config);
  std::string waiting;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    waiting += text.substr(at, piece);
    const bool is_last = at + piece >= text.size();
    const std::size_t used =
        scanner.add_text(waiting.data(), waiting.size(), is_last, rule, "input");
    must(used <= waiting.size() && (!is_last || used == waiting.size()));
    waiting.erase(0, used);
  }
}

void count_as_c(std::string_view text) {
  pyw2v::CWordCounter counter(4);
  counter.add(text.data(), text.size());
  counter.finish_last_line();
  pyw2v::GrowingBuffer tokens(UINT64_MAX, "/tmp"), ends(UINT64_MAX, "/tmp");
  pyw2v::CEncoder encoder(true, tokens, ends);
  std::string word;
  for (std::size_t i = 0; i < counter.words().size(); ++i) {
    word = counter.words().word(static_cast<pyw2v::WordId>(i));
    const std::size_t n = word.size();
    word.append(pyw2v::WordTable::kReadable, '\0');
    encoder.add_vocab_word(word.data(), n);
  }
  encoder.add(text.data(), text.size());
  encoder.finish(true);
  pyw2v::PhraseCounter phrases;
  phrases.add(text.data(), text.size());
  phrases.finish(1);
  pyw2v::PhraseJoiner joiner(phrases, 1, 0.1F);
  joiner.add(text.data(), text.size());
  joiner.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n) {
  static MemoryFile memory;
  Input input(data, n);
  const unsigned how = input.choice(3);
  const std::size_t piece = 1 + input.choice(64);
  pyw2v::SentenceRule rule;
  rule.at_line_feed = input.choice(2) == 0;
  rule.max_words = input.choice(3);
  const std::string_view text = input.rest();
  refusing([&] {
    if (how == 0) label_lines(memory.holding(text), text);
    if (how == 1) scan(text, piece, rule);
    if (how == 2) count_as_c(text);
  });
  return 0;
}
