"""fastText's own tests, which its module makes on request."""

import random

from fasttext.tests import gen_unit_tests

random.seed(1)  # the tests draw their words

TestFastText = gen_unit_tests(verbose=0)
