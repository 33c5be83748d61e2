"""The public name of `pyw2v.objectives.samplers`."""

from pyw2v.objectives.samplers import (
    FixedUnigram,
    LogUniform,
    Sampler,
    Uniform,
    Unigram,
    check_all_drawn,
    check_draws,
    check_sampler,
    described,
)

__all__ = [
    "FixedUnigram",
    "LogUniform",
    "Sampler",
    "Uniform",
    "Unigram",
    "check_all_drawn",
    "check_draws",
    "check_sampler",
    "described",
]
