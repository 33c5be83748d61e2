#include <algorithm>
#include <string>
#include <string_view>

#include "formats/charconv.h"
#include "formats/word2vec.h"

namespace pyw2v {
namespace {

// Cuts the first word and its space off words.
std::string_view take_word(std::string_view& words) {
  const std::string_view word = words.substr(0, words.find(' '));
  words.remove_prefix(std::min(words.size(), word.size() + 1));
  return word;
}

}  // namespace

template <class Real>
void append_text_rows(std::string_view words, const Real* rows, std::size_t n_rows, std::size_t dim,
                      const Interrupt& interrupt, std::string& out) {
  constexpr std::size_t kMaxNumber = 32;  // the longest of the shortest doubles has 24 characters
  CheckedSteps steps(interrupt);
  for (std::size_t row = 0; row < n_rows; ++row) {
    out.append(take_word(words));
    const std::size_t start = out.size();
    out.resize(start + dim * (1 + kMaxNumber) + 1);
    char* p = out.data() + start;
    for (std::size_t i = 0; i < dim; ++i) {
      steps.step();
      *p++ = ' ';
      p = write_shortest(p, p + kMaxNumber, rows[row * dim + i]);
    }
    *p++ = '\n';
    out.resize(static_cast<std::size_t>(p - out.data()));
  }
}

template void append_text_rows(std::string_view, const float*, std::size_t, std::size_t,
                               const Interrupt&, std::string&);
template void append_text_rows(std::string_view, const double*, std::size_t, std::size_t,
                               const Interrupt&, std::string&);

void append_binary_rows(std::string_view words, const float* rows, std::size_t n_rows,
                        std::size_t dim, std::string& out) {
  for (std::size_t row = 0; row < n_rows; ++row) {
    out.append(take_word(words)).append(1, ' ');
    out.append(reinterpret_cast<const char*>(rows + row * dim), dim * sizeof(float));
  }
}

}  // namespace pyw2v
