"""fasttext.FastText: the module itself, so that a name set in it counts."""

import sys

from pyw2v.fasttext import FastText

sys.modules[__name__] = FastText
