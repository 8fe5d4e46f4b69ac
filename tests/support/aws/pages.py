"""Pages of an answer, with tokens that only the very request they were given for may use."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from tests.support.aws.protocol import Refusal


def page(
    every: list[Any],
    asked: dict[str, Any],
    size: int,
    name: str,
    refused: str = "RequestChangedException",
) -> tuple[list[Any], dict[str, str]]:
    """A page of `every`, and the token of the next under its `name`, or nothing."""
    rest = {key: value for key, value in asked.items() if key != name}
    mark = hashlib.sha256(json.dumps(rest, sort_keys=True, default=str).encode()).hexdigest()
    start, _, given = asked.get(name, f"0:{mark}").partition(":")
    if given != mark:
        raise Refusal(refused, "parameters differ between pages")
    after = int(start) + size
    return every[int(start) : after], {name: f"{after}:{mark}"} if after < len(every) else {}
