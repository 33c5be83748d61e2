// The three policies that the training of word vectors is put together from, and who calls whom.
//
//   Inputs   which row stands for a word of the text        PlainInputs, ComposedInputs
//   Outputs  which rows an input is compared with, and      ClassicOutputs, SampledOutputs
//            how scores become errors
//   Step     which inputs meet which targets in a block     Skipgram<Outputs>, Cbow<Outputs>
//
// All are structs of static functions, chosen once per chunk (train_chunk, below), so that every
// call is inlined. An output that compares with all words has a loop of its own, models/batch.h.
//
// for_each_group (models/windows.h) drives. A group is one centre, or two neighbours. Groups go
// through three stages: drawn, looked up kLookUpAhead groups before use, trained.
//
//   Outputs::begin                 once per chunk
//   for each group:
//     Outputs::prefetch_ahead      prefetches what look_up will read
//     Inputs::open                 for words that come into reach of a window
//     Step::run                    trains the group, if it has a context:
//       Outputs::TargetSets          yields the group's target sets, one after the other
//       for each set:
//         score                      kernels/block.h
//         Outputs::errors            scores -> lr * (label - probability), in place
//         update                     kernels/block.h
//     Outputs::end_group
//     Inputs::close                for words that are out of reach
//     Outputs::draw                all that is random about a later group's targets
//   Outputs::end                   once per chunk
//
// In between, where the step would wait for memory, it calls look_up_next (models/windows.h): that
// calls Outputs::look_up for a later group and lists its rows, which prefetch_part then prefetches
// in parts.
//
// That the step drives costs CBOW with negative sampling 1 % more instructions than callbacks from
// Outputs did, and the others nothing (callgrind, d = 100, AVX2).
//
// Inputs offers
//   kComposed                      whether a word's row is composed of several
//   open<V>(model, i, n, work)     sets work.rows[i], the row of kept token i of n
//   close<V>(model, i, work)       the row is no longer used; its change goes to the matrix
//
// Outputs offers
//   begin(model, work)
//   draw(model, slot, rng, work)   random bits for the group in `slot` of the rings
//   prefetch_ahead(model, words, i, n)
//   look_up(model, centres, n, slot, work)   the rows of the group's targets
//   TargetSet<Real>                Targets (kernels/logistic.h), or a struct derived from it
//   TargetSets<Real>(model, context, work)   yields them:
//     next(model, context, work, set)        false when there are no more
//     first_input, n_inputs                  the inputs of the context that the set is for
//   errors<V, kLoss, kMayBeOwned>(model, scores, n, set, lr, work, loss)
//   end_group<V>(work), end<V>(work)
//   set_word(output, word, set, column, work), if it uses models/noise.h, which calls it
//
// Step offers
//   Outputs
//   kMostCentres                   centres of a group that it can train together
//   run<V, kLoss>(model, context, work, loss)   trains a group; returns its number of examples
//
// To add an objective that compares a centre with some rows, write an Outputs; for another
// architecture (which words predict which), a Step; and name it below.
#pragma once

#include "kernels/region.h"
#include "models/batch.h"
#include "models/cbow.h"
#include "models/inputs.h"
#include "models/sampled.h"
#include "models/skipgram.h"
#include "models/targets.h"
#include "models/windows.h"

namespace pyw2v {
namespace PYW2V_ISA_NS {
namespace {

template <class V, class Step, class Inputs>
ChunkResult train_groups(const Model<typename V::Real>& model, const Chunk& chunk,
                         Workspace<typename V::Real>& work) {
  return model.track_loss ? for_each_group<V, true, Step, Inputs>(model, chunk, work)
                          : for_each_group<V, false, Step, Inputs>(model, chunk, work);
}

template <class V, class Outputs>
ChunkResult train_with_outputs(const Model<typename V::Real>& model, const Chunk& chunk,
                               Workspace<typename V::Real>& work) {
  if (model.subwords.on())
    return model.skipgram ? train_groups<V, Skipgram<Outputs>, ComposedInputs>(model, chunk, work)
                          : train_groups<V, Cbow<Outputs>, ComposedInputs>(model, chunk, work);
  return model.skipgram ? train_groups<V, Skipgram<Outputs>, PlainInputs>(model, chunk, work)
                        : train_groups<V, Cbow<Outputs>, PlainInputs>(model, chunk, work);
}

template <class V>
ChunkResult train_chunk(const Model<typename V::Real>& model, const Chunk& chunk,
                        Workspace<typename V::Real>& work) {
  if (model.full.on())
    return model.full.update ? for_each_batch<V, true>(model, chunk, work)
                             : for_each_batch<V, false>(model, chunk, work);
  return model.sampled.on() ? train_with_outputs<V, SampledOutputs>(model, chunk, work)
                            : train_with_outputs<V, ClassicOutputs>(model, chunk, work);
}

}  // namespace
}  // namespace PYW2V_ISA_NS
}  // namespace pyw2v
