// New ids for an encoded corpus, in place.
#pragma once

#include <cstdint>

#include "base/interrupt.h"
#include "base/types.h"

namespace pyw2v {

// Replaces every token t by new_ids[t], drops those that become negative, and moves the sentence
// ends accordingly (a sentence may become empty). Every t must be in [0, n_ids), ends must rise to
// n_tokens at most: std::invalid_argument otherwise, with the corpus partly changed. Returns the
// number of tokens left.
std::int64_t remap_tokens(Borrowed<WordId> tokens, std::int64_t n_tokens, Borrowed<TokenPos> ends,
                          std::int64_t n_sentences, Borrowed<const WordId> new_ids,
                          std::int64_t n_ids, int n_workers, const Interrupt& interrupt);

}  // namespace pyw2v
