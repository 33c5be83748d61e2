// Text to tokens as fastText cuts it (Dictionary::readWord): at ASCII white space and zero bytes,
// and nowhere else.
#pragma once

#include <cstddef>
#include <string_view>

namespace pyw2v {

constexpr std::string_view kLineEnd = "</s>";  // the token that a line feed is

constexpr bool is_separator(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';  // \t \n \v \f \r
}

// Calls on_token(std::string_view) and on_line_feed() in the order of the text; stops early when
// on_line_feed returns false.
template <class OnToken, class OnLineFeed>
void split_lines(std::string_view text, OnToken&& on_token, OnLineFeed&& on_line_feed) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_separator(text[at])) {
      if (text[at++] == '\n' && !on_line_feed()) return;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && !is_separator(text[at])) ++at;
    on_token(text.substr(begin, at - begin));
  }
}

inline bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

}  // namespace pyw2v
