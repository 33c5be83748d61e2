import os

import numpy as np
import pytest

from pyw2v._shared.checks import check_float, check_int, resolve_workers


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_integers_of_every_kind_become_int(value):
    assert type(check_int("window", value)) is int
    assert check_int("window", value) == 3


@pytest.mark.parametrize(
    "value", [True, np.True_, 3.0, np.float32(3), "3", None, [3], np.arange(2)]
)
def test_what_is_no_integer_is_a_type_error_with_name_and_value(value):
    with pytest.raises(TypeError, match="window must be an integer, got"):
        check_int("window", value)


def test_integer_out_of_range_names_the_rule_and_the_value():
    with pytest.raises(ValueError, match=r"^window must be at least 1, got 0$"):
        check_int("window", 0, minimum=1)
    with pytest.raises(ValueError, match=r"^window must be at most 9, got 10$"):
        check_int("window", 10, maximum=9)
    with pytest.raises(ValueError, match=r"^sg must be between 0 and 1, both included, got 2$"):
        check_int("sg", 2, 0, 1)


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1), np.int64(1)])
def test_numbers_of_every_kind_become_float(value):
    assert type(check_float("alpha", value)) is float


@pytest.mark.parametrize("value", [True, "0.1", None, [0.1], 1j, np.ones(1)])
def test_what_is_no_number_is_a_type_error(value):
    with pytest.raises(TypeError, match="alpha must be a number, got"):
        check_float("alpha", value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_must_be_finite(value):
    with pytest.raises(ValueError, match="alpha must be finite"):
        check_float("alpha", value)


def test_float_out_of_range_names_the_rule_and_the_value():
    assert check_float("alpha", 0, minimum=0) == 0.0
    with pytest.raises(ValueError, match=r"^alpha must be greater than 0, got 0.0$"):
        check_float("alpha", 0, minimum=0, exclusive=True)
    with pytest.raises(ValueError, match=r"^alpha must be less than 1, got 1.0$"):
        check_float("alpha", 1, maximum=1, exclusive=True)


def test_there_are_as_many_workers_as_given_but_no_more_than_usable_cores():
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert resolve_workers(1) == 1
    assert resolve_workers(cores) == resolve_workers(cores + 1) == resolve_workers(1000) == cores
    assert resolve_workers(-1) == resolve_workers(0) == resolve_workers(-7) == cores
    with pytest.raises(TypeError, match="workers must be an integer"):
        resolve_workers(None)
