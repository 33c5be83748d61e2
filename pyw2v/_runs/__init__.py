"""One training run, whatever is trained: word vectors, fastText, GloVe or a classifier.

`training_run` is the base of them all. `epochs` runs the epochs and their callbacks, `record` knows
how far a run has come, `checkpoint` writes that to a folder and reads it again, `examples` sums up
losses, and `interrupt` hands over the model on Ctrl-C.
"""
