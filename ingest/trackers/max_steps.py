"""Tells real epochs of Hugging Face's trainer from the share of `max_steps` that it logs instead.

Of data without a length, such as a stream, the trainer knows no epochs: its `epoch` is the share of
`max_steps` that is done. Its arguments stand as a text in the event file, before any value, and in
the config of a W&B run.
"""

from __future__ import annotations

import json
import math

ARGUMENTS, EPOCH = b"args/text_summary", b"train/epoch"
"""The tags of the trainer's arguments and of its epochs."""
PRECISION = 1e-6
"""Epochs are logged in single precision."""


def max_steps_of(arguments: bytes) -> int:
    """Returns a trainer's `max_steps` from its arguments (JSON); 0 where none is set."""
    try:
        document = json.loads(arguments)
        return max(int(document["max_steps"]), 0)
    except (ValueError, KeyError, TypeError):
        return 0


def is_share(epoch: float, step: int, max_steps: int) -> bool:
    """Whether a logged epoch is really `step / max_steps`: the share of steps done."""
    if not max_steps or not step:
        return False
    return math.isclose(epoch, step / max_steps, rel_tol=PRECISION)
