"""Losses as functions: NumPy arrays in, the loss and its gradients out.

For those who write a model of their own, or want to see what an objective of `Word2Vec` computes.
A score is s(w) = x . y(w) + b(w), x a row of `inputs`, y(w) a row of `weights`.

| function | compared with an input | input to the loss | loss |
| --- | --- | --- | --- |
| `softmax` | all classes | s | softmax |
| `logistic` | all classes | s | logistic |
| `negative_sampling` | true and drawn classes | s | logistic |
| `nce` | true and drawn classes | s - log Q | logistic |
| `sampled_logistic` | the same, hits left out | s - log Q | logistic |
| `sampled_softmax` | the same, hits left out | s - log Q | softmax |
| `hierarchical_softmax` | the nodes of a path | s | logistic at each node |
| `class_softmax` | the word classes, the words of one | s | softmaxes |

All have `reduction`: "mean" (default) or "sum" over the examples; or "none" for the loss of each
example, with the gradients of their sum. float32 is computed in float32, all else in float64;
losses are summed in float64.
"""

from pyw2v._core.huffman import HuffmanTree
from pyw2v.losses.full import logistic, softmax
from pyw2v.losses.gradients import ClassGradients, Gradients, Rows
from pyw2v.losses.sampled import nce, negative_sampling, sampled_logistic, sampled_softmax
from pyw2v.losses.trees import class_softmax, hierarchical_softmax

__all__ = [
    "ClassGradients",
    "Gradients",
    "HuffmanTree",
    "Rows",
    "class_softmax",
    "hierarchical_softmax",
    "logistic",
    "nce",
    "negative_sampling",
    "sampled_logistic",
    "sampled_softmax",
    "softmax",
]
