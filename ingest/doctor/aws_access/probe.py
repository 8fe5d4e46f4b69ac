"""What a probe of one AWS action is, and which errors show that the action is allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ingest.source import Source

Ask = Callable[[Any, Source], object]
PERMITTED = {
    "DryRunOperation",
    "ValidationException",
    "ValidationError",
    "InvalidParameterValue",
    "InvalidParameterCombination",
    "InvalidRange",
    "ResourceNotFound",
    "ClientException",
    "ClusterNotFoundException",
    "NoSuchKey",
}
"""Errors about the request itself, which show that the caller is allowed to make it."""


class Probe(NamedTuple):
    """A call that shows if one AWS action is allowed; `lost` says what does not work without it."""

    action: str
    service: str
    ask: Ask
    lost: str
    region: str | None = None
