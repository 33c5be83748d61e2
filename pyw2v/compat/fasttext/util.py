"""fasttext.util: the module itself."""

import sys

from pyw2v.fasttext import util

sys.modules[__name__] = util
