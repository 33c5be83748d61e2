"""The public name of `pyw2v.classifier.autotune`."""

from pyw2v.classifier.autotune import (
    MetricError,
    Outcome,
    Trial,
    autotune,
    parse_size,
)

__all__ = [
    "MetricError",
    "Outcome",
    "Trial",
    "autotune",
    "parse_size",
]
