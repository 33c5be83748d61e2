"""The public name of `pyw2v.objectives.samplers`."""

from pyw2v.objectives.samplers import (
    Draw,
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
    "Draw",
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
