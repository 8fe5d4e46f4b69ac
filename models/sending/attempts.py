"""Sends one letter to one recipient, with retries where they may help, and logs the result."""

from __future__ import annotations

import time
from collections.abc import Mapping

from models.config.sending import Recipient
from models.config.settings import Settings
from models.contract.errors import BreakevenError
from models.sending.channels import CHANNELS, Letter, Refused
from models.sending.sent_log import FILE, record

PAUSES = (2.0, 10.0)
"""Seconds before each further try."""


def send_with_retries(
    settings: Settings, recipient: Recipient, letter: Letter, about: Mapping[str, object]
) -> str | None:
    """Sends a letter, with retries, and logs the result; returns the last error, None if sent."""
    tries, error = 0, None
    for pause in (*PAUSES, None):
        tries += 1
        error, again = _tried(settings, recipient, letter)
        if error is None or not again or pause is None:
            break
        time.sleep(pause)
    ended = {"tries": tries, "error": error}
    record(settings.data / FILE, recipient, {**about, **ended})
    return error


def _tried(settings: Settings, recipient: Recipient, letter: Letter) -> tuple[str | None, bool]:
    """Sends a letter to a recipient once; returns the error, and whether to try again."""
    try:
        CHANNELS[recipient.kind](settings, recipient, letter)
    except Refused as refused:
        return str(refused), False
    except (OSError, BreakevenError) as failed:
        return " ".join(str(failed).split()) or type(failed).__name__, True
    return None, False
