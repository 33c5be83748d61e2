// Counts one text on a thread of its own while the caller writes the next.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/worker_team.h"
#include "phrases/phrase_table.h"
#include "phrases/phrase_text.h"

namespace pyw2v {

class PhraseCounter {
 public:
  // The texts are scratch memory. max_size: see PhraseTable::count(). n_sentences: how many
  // will be counted, or 0 if unknown; a table that need not grow is a quarter faster.
  PhraseCounter(PhraseTable& table, PhraseText& one, PhraseText& other, std::size_t max_size,
                std::size_t n_sentences)
      : table_(table),
        text_(&one),
        counted_(&other),
        max_size_(max_size),
        n_sentences_(n_sentences) {
    one.clear();
  }

  PhraseText& text() { return *text_; }  // to be written; another one after each count()

  void count() {
    team_.finish();
    if (table_.size() > 0 && n_sentences_ > 0) make_room();
    std::swap(text_, counted_);
    team_.start(1, [this](int) { count_text(*counted_); });
    text_->clear();
  }

  // Counts what is left, which for a short corpus is all of it, without starting a thread.
  void finish() {
    team_.finish();
    count_text(*text_);
  }

  std::int64_t min_reduce() const { return min_reduce_; }

 private:
  // For as many entries as the first text lets expect: Heaps' law, with the exponent of pairs of
  // English words, or a little less.
  void make_room() {
    const double texts =
        static_cast<double>(n_sentences_) / static_cast<double>(counted_->ends().size());
    const double entries = static_cast<double>(table_.size()) * std::pow(texts, 0.8);
    table_.reserve(static_cast<std::size_t>(std::min(entries, static_cast<double>(max_size_))));
    n_sentences_ = 0;
  }
  void count_text(PhraseText& text) {
    text.finish();
    table_.count(text, max_size_, min_reduce_);
  }

  PhraseTable& table_;
  PhraseText *text_, *counted_;
  std::size_t max_size_, n_sentences_;
  std::int64_t min_reduce_ = 1;
  WorkerTeam team_;  // last, so that it ends before what it uses
};

}  // namespace pyw2v
