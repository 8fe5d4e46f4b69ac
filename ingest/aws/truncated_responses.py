"""Half an answer is none: botocore takes a JSON body that was cut off for an empty one.

An empty answer reads as "no charge" or "no price". So the length that AWS announced is compared:
a shorter body is asked for again like any answer that did not come, and refused in the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botocore.exceptions import IncompleteReadError

AGAIN = {"Code": "RequestTimeout", "Message": "the answer was cut off"}
"""What botocore's standard mode retries, whatever the status."""


def insist(client: Any) -> None:  # noqa: ANN401 - boto3 makes its clients at run time
    """Makes a client take whole answers only. Raises botocore's `IncompleteReadError`."""
    client.meta.events.register("response-received", _again)
    client.meta.events.register("after-call", _refuse)


def _again(response_dict: dict[str, Any] | None, parsed_response: Any, **_: object) -> None:  # noqa: ANN401
    body = (response_dict or {}).get("body")
    if isinstance(body, bytes) and _missing(response_dict["headers"], body):  # type: ignore[index]
        parsed_response["Error"] = AGAIN


def _refuse(http_response: Any, parsed: Mapping[str, Any], **_: object) -> None:  # noqa: ANN401
    if parsed.get("Error") is AGAIN:
        announced = int(http_response.headers["Content-Length"])
        raise IncompleteReadError(actual_bytes=len(http_response.content), expected_bytes=announced)


def _missing(headers: Mapping[str, str], body: bytes) -> bool:
    """An answer to HEAD has no body and announces one all the same."""
    announced = headers.get("Content-Length", "0")
    return 0 < len(body) < int(announced)
