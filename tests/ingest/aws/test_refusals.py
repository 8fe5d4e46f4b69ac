"""What AWS refuses, cuts off, or has no region for: one line with a remedy, never less."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.config import Config
from botocore.exceptions import (
    ClientError,
    EndpointConnectionError,
    IncompleteReadError,
    NoCredentialsError,
    NoRegionError,
)
from botocore.parsers import ResponseParserError
from urllib3 import HTTPResponse

from ingest.aws import truncated_responses
from ingest.aws.refusals import refusals
from ingest.aws.regions import is_unknown, known_regions
from models.contract.errors import SourceError


def refused(code: str, operation: str = "GetCostAndUsage", message: str = "no") -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, operation)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            ResponseParserError("Unable to parse response, invalid XML received: b'<html>'"),
            "bill: what AWS answered cannot be read (check that no proxy answers in its place, "
            "and run again)",
        ),
        (
            refused("AccessDenied"),
            "bill was refused: AccessDenied: no (grant this action to the caller)",
        ),
        (
            refused("AccessDenied", "AssumeRole"),
            "bill was refused: AccessDenied: no "
            "(the role must exist, and its trust policy allow this caller and external_id)",
        ),
        (
            refused("SlowDown", message=""),
            "bill was refused: SlowDown (AWS throttles: run again later)",
        ),
        (
            refused("NewCode", message="two\n lines"),
            "bill was refused: NewCode: two lines (see the AWS documentation of this code)",
        ),
        (NoRegionError(), "bill: no AWS region (set `region` or AWS_DEFAULT_REGION)"),
        (
            NoCredentialsError(),
            "bill: no AWS credentials: Unable to locate credentials "
            "(set AWS_PROFILE or the usual AWS variables)",
        ),
        (
            EndpointConnectionError(endpoint_url="https://x"),
            'bill: AWS cannot be reached: Could not connect to the endpoint URL: "https://x" '
            "(check the network, run again)",
        ),
    ],
)
def test_each_failure_of_aws_is_one_line_with_a_remedy(error: Exception, line: str) -> None:
    with pytest.raises(SourceError) as caught, refusals("bill"):
        raise error
    assert str(caught.value) == line


def test_a_mistake_of_our_own_is_not_blamed_on_aws() -> None:
    with pytest.raises(KeyError), refusals("bill"):
        raise KeyError("month")


def answered(body: bytes, announced: int) -> object:
    """What a client makes of a response with this body that announces this length."""
    client = boto3.client(
        "sts",
        region_name="us-east-1",
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
        config=Config(retries={"mode": "standard", "total_max_attempts": 1}),
    )
    truncated_responses.refuse(client)
    headers = HTTPHeaders.from_dict({"Content-Length": str(announced)})
    raw = HTTPResponse(BytesIO(body), preload_content=False)
    response = AWSResponse("https://x", 200, headers, raw)
    client.meta.events.register("before-send.sts", lambda **_: response)
    return client.get_caller_identity().get("Account")


def test_a_response_that_was_cut_off_is_no_empty_answer() -> None:
    whole = (
        b"<GetCallerIdentityResponse><GetCallerIdentityResult><Account>999900000001</Account>"
        b"</GetCallerIdentityResult></GetCallerIdentityResponse>"
    )
    assert answered(whole, len(whole)) == "999900000001"
    with pytest.raises(IncompleteReadError) as caught:
        answered(whole, len(whole) + 1)
    assert f"{len(whole)} read, but total bytes expected is {len(whole) + 1}" in str(caught.value)


@pytest.mark.parametrize(
    ("status", "operation", "told"),
    [
        (200, "GetProducts", {"Error": truncated_responses.RETRYABLE}),
        (200, "HeadObject", {}),
        (304, "GetObject", {}),
    ],
)
def test_a_response_whose_whole_body_was_cut_off_is_no_empty_answer(
    status: int, operation: str, told: dict[str, Any]
) -> None:
    response: dict[str, Any] = {"headers": {"Content-Length": "9"}, "status_code": status}
    response |= {"body": b"", "context": {"operation_name": operation}}
    parsed: dict[str, Any] = {}
    truncated_responses._retry(response, parsed)
    assert parsed == told


def test_a_region_is_known_in_every_partition_and_none_is_no_mistake() -> None:
    assert {"us-east-1", "cn-north-1", "us-gov-west-1"} <= known_regions()
    named = ("us-east-1", "us-est-1", "US-EAST-1", "", None)
    assert [is_unknown(region) for region in named] == [False, True, True, False, False]
