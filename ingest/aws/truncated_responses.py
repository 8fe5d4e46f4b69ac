"""Refuses AWS responses whose body was cut off; botocore would read such a body as empty.

An empty answer would mean "no charge" or "no price". So the body's length is compared with the
`Content-Length` that AWS announced: a shorter body is retried like a response that never came, and
is refused when the retries are used up.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from botocore.exceptions import IncompleteReadError

RETRYABLE = {"Code": "RequestTimeout", "Message": "the answer was cut off"}
"""An error that botocore's standard retry mode retries, whatever the HTTP status is."""


def refuse(client: Any) -> None:  # noqa: ANN401 - boto3 makes its clients at run time
    """Makes a boto3 client retry truncated responses, and finally raise `IncompleteReadError`."""
    client.meta.events.register("response-received", _retry)
    client.meta.events.register("after-call", _raise)


def _retry(response_dict: dict[str, Any] | None, parsed_response: Any, **_: object) -> None:  # noqa: ANN401
    if response_dict and _is_truncated(response_dict):
        parsed_response["Error"] = RETRYABLE


def _raise(http_response: Any, parsed: Mapping[str, Any], **_: object) -> None:  # noqa: ANN401
    if parsed.get("Error") is RETRYABLE:
        announced = int(http_response.headers["Content-Length"])
        raise IncompleteReadError(actual_bytes=len(http_response.content), expected_bytes=announced)


def _is_truncated(response: Mapping[str, Any]) -> bool:
    """Whether a response's body is shorter than announced.

    Of a HEAD, or where something is unchanged (304), the length of what is not sent is announced.
    """
    body = response.get("body")
    if not isinstance(body, bytes):
        return False
    is_head = response["context"]["operation_name"].startswith("Head")
    due = bool(body) or (response["status_code"] == HTTPStatus.OK and not is_head)
    return due and len(body) < int(response["headers"].get("Content-Length", "0"))
