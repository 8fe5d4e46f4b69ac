"""Sets a flag on SIGTERM and SIGINT, so that the scheduler stops between two deliveries."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STOPS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def stop_signals(stopping: threading.Event) -> Iterator[None]:
    """Sets `stopping` on SIGTERM or SIGINT within the block; only in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        # a second signal inside `set` would wait for the lock that this one holds
        for number in STOPS:
            signal.signal(number, lambda *_: None)
        stopping.set()

    before = {number: signal.signal(number, stop) for number in STOPS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
