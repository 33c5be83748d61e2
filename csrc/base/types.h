// The numbers that name things in the core: words, rows, positions in a text. Each kind is a type
// of its own, which converts neither into another kind nor into a plain number unless one says so:
// a position that is taken for a word id compiles nowhere (tests/house/test_types.py), where plain
// integers would train quietly wrong.
//
// Glossary, for readers of word2vec.c and gensim: input = syn0 / wv.vectors, negative-sampling
// output = syn1neg, hierarchical-softmax output = syn1, hidden = neu1, hidden_grad = neu1e,
// lr = alpha, dim = layer1_size, count = cn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace pyw2v {

// A word of a vocabulary, or a token of a word table. Signed 32 bits because encoded corpora cross
// to NumPy as int32.
enum class WordId : std::int32_t {};
constexpr WordId kNoWord{-1};

// A row of any matrix: of a word, an inner node of a tree, a label, a bucket of n-grams.
enum class RowId : std::uint32_t {};

// A position in an encoded corpus: the number of tokens before it.
enum class TokenPos : std::int64_t {};

// The plain number, to index arrays with.
constexpr std::int32_t raw(WordId word) { return static_cast<std::int32_t>(word); }
constexpr std::uint32_t raw(RowId row) { return static_cast<std::uint32_t>(row); }
constexpr std::int64_t raw(TokenPos position) { return static_cast<std::int64_t>(position); }

// Words have the first rows of the input and the negative-sampling matrix, in their order.
constexpr RowId row_of(WordId word) { return static_cast<RowId>(word); }
// The row of what is not a word.
template <class Integer>
constexpr RowId row_number(Integer number) {
  static_assert(std::is_integral_v<Integer>);
  return static_cast<RowId>(number);
}

constexpr bool is_word(WordId word) { return raw(word) >= 0; }
constexpr WordId operator+(WordId word, std::int32_t n) { return WordId{raw(word) + n}; }
constexpr std::int32_t operator-(WordId a, WordId b) { return raw(a) - raw(b); }
constexpr WordId& operator++(WordId& word) { return word = word + 1; }

constexpr TokenPos operator+(TokenPos at, std::int64_t n) { return TokenPos{raw(at) + n}; }
constexpr std::int64_t operator-(TokenPos a, TokenPos b) { return raw(a) - raw(b); }
constexpr TokenPos& operator+=(TokenPos& at, std::int64_t n) { return at = at + n; }
constexpr TokenPos& operator++(TokenPos& at) { return at += 1; }

// An array of ids that is NumPy's: where Python's plain numbers become ids, by the only cast of
// their pointers. Used as an Id*.
template <class Id>
class Borrowed {
  using Plain = std::underlying_type_t<std::remove_const_t<Id>>;
  using Number = std::conditional_t<std::is_const_v<Id>, const Plain, Plain>;

 public:
  constexpr Borrowed() = default;
  constexpr Borrowed(std::nullptr_t) {}
  constexpr Borrowed(Id* ids) : ids_(ids) {}
  Borrowed(Number* numbers) : ids_(reinterpret_cast<Id*>(numbers)) {}
  constexpr operator Id*() const { return ids_; }

 private:
  Id* ids_ = nullptr;
};

// Two neighbouring centres at most are trained together; an input is in the context of one or both.
constexpr int kMaxCentres = 2;
enum Owner : std::uint8_t { kFirst, kSecond, kBoth };
constexpr int kOwners = 3;

}  // namespace pyw2v
