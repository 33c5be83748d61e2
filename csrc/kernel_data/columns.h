// How wide rows of scores, labels and masks are.
#pragma once

namespace pyw2v {

// Scores, labels and masks are padded to this many columns: a whole number of vectors on every
// instruction set. Score rows have as much again behind them, for stores that overshoot.
constexpr int kColumnStep = 16;
constexpr int padded_columns(int m) { return (m + kColumnStep - 1) / kColumnStep * kColumnStep; }
constexpr int score_columns(int m) { return padded_columns(m) + kColumnStep; }

}  // namespace pyw2v
