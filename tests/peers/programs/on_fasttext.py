"""fastText's own tests, which its module makes when asked to."""

import random

from fasttext.tests import gen_unit_tests

random.seed(1)  # the tests draw their words

TestFastText = gen_unit_tests(verbose=0)
