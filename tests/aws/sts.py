"""STS: who asks, and another's role where the external id is the agreed one."""

from __future__ import annotations

from typing import Any

from tests.aws.protocol import Refusal


def get_caller_identity(_: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    return {"Account": world["account"], "UserId": "AIDA", "Arn": "arn:aws:iam::1:user/u"}


def assume_role(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    if asked.get("ExternalId") != world.get("external_id"):
        raise Refusal("AccessDenied", "not authorized to perform: sts:AssumeRole")
    keys = {"AccessKeyId": "ASIA", "SecretAccessKey": "s", "SessionToken": "t"}
    return {"Credentials": {**keys, "Expiration": "2099-01-01T00:00:00Z"}}
