// The text and binary files of word2vec: three bytes of options, then the file.
#include "formats/word2vec.h"

#include <vector>

#include "coverage/harness.h"
#include "formats/numbers.h"

namespace {

template <class Out>
void read(pyw2v::Word2VecFile& file) {
  std::vector<Out> out(file.n_words() * file.dim());
  file.read(out.data(), 1);
  std::size_t n_bytes = 0;
  for (std::size_t row = 0; row < file.n_words(); ++row) {
    for (const char c : file.word(row)) n_bytes += c != '\0';
  }
  must(n_bytes < std::size_t{1} << 40);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n) {
  static MemoryFile memory;
  Input input(data, n);
  constexpr pyw2v::Choice kChoices[] = {pyw2v::Choice::kNo, pyw2v::Choice::kYes,
                                        pyw2v::Choice::kDetect};
  pyw2v::Word2VecOptions options;
  options.binary = kChoices[input.choice(3)];
  options.header = kChoices[input.choice(3)];
  const unsigned how = input.choice(12);
  options.max_words = how % 2 == 0 ? -1 : 2;
  options.complete = how % 4 < 2;
  options.n_threads = 1;
  refusing([&] {
    pyw2v::Word2VecFile file;
    file.open(memory.holding(input.rest()), "input", options);
    if (how < 4) return read<float>(file);
    if (how < 8) return read<double>(file);
    read<pyw2v::Half>(file);
  });
  return 0;
}
