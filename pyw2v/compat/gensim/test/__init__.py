"""gensim.test: the toy data, which examples and other packages use; and gensim's tests, of ours.

python -m pyw2v.compat -m pytest --pyargs gensim.test.test_word2vec
"""

from pathlib import Path

from pyw2v.compat._imports import real_folders

__path__ += [str(Path(folder, "test")) for folder in real_folders("gensim")]
