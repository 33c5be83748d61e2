"""The event log of an object: when it was made, trained, saved and loaded."""

from __future__ import annotations

import logging
import platform
import sys
from copy import deepcopy
from datetime import datetime
from typing import Any

logger = logging.getLogger(__name__)

# Events that are kept.
_N_FIRST = 10
_N_LAST = 90


class Lifecycle:
    """Adds gensim's `add_lifecycle_event` to a class."""

    lifecycle_events: list[dict[str, Any]] | None

    def add_lifecycle_event(
        self, event_name: str, log_level: int | bool = logging.INFO, **event: Any
    ) -> None:
        """Add an event to `lifecycle_events` (unless that is None), and log it.

        The first 10 and the last 90 events are kept: files of a model that is saved again and again
        do not grow.

        Parameters
        ----------
        event_name : str
            What happened.
        log_level : int or bool, default logging.INFO
            Level of the log; False does not log.
        **event : object
            Details to keep.
        """
        record = deepcopy(event) | {
            "datetime": datetime.now().isoformat(),
            "python": sys.version,
            "platform": platform.platform(),
            "event": event_name,
        }
        if log_level:
            logger.log(int(log_level), "%s lifecycle event %s", type(self).__name__, record)
        events = self.__dict__.setdefault("lifecycle_events", [])
        if events is not None:
            events.append(record)
            del events[_N_FIRST:-_N_LAST]
