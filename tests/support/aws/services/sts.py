"""STS: who asks, and another's role where the external id is the agreed one.

`roles` maps the ARNs that can be assumed to their external ids (null: none is asked for); without
it every role can, with the one `external_id`. A role's key says whose account it is; it is told to
end in five minutes, and ends indeed after `session_requests` requests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.support.aws.protocol import Call, Refusal

KEY = re.compile(r"ASIA(\d{12})")


def get_caller_identity(_: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    return {"Account": world["account"], "UserId": "AIDA", "Arn": "arn:aws:iam::1:user/u"}


def assume_role(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    roles = world.get("roles", {asked["RoleArn"]: world.get("external_id")})
    if asked["RoleArn"] not in roles or asked.get("ExternalId") != roles[asked["RoleArn"]]:
        raise Refusal("AccessDenied", "not authorized to perform: sts:AssumeRole")
    key = f"ASIA{asked['RoleArn'].split(':')[4]}{world['serial']:04}"
    ends = datetime.now(UTC) + timedelta(minutes=5)
    keys = {"AccessKeyId": key, "SecretAccessKey": "s", "SessionToken": "t"}
    return {"Credentials": {**keys, "Expiration": f"{ends:%Y-%m-%dT%H:%M:%SZ}"}}


def shown(call: Call, world: Mapping[str, Any], used: int) -> dict[str, Any]:
    """The world as the caller's account and region know it. `used`: requests with its key."""
    role = KEY.match(call.access_key)
    if role and used > world.get("session_requests", used):
        expired = "ExpiredToken" if call.service == "sts" else "ExpiredTokenException"
        raise Refusal(expired, "The security token included in the request is expired")
    account = role[1] if role else world["account"]
    own = world.get("accounts", {}).get(account, {})
    if call.region in own.get("opted_out", []):
        unknown = "InvalidClientTokenId" if call.service == "sts" else "UnrecognizedClientException"
        raise Refusal(unknown, "The security token included in the request is invalid")
    return {**world, "account": account, **own, **own.get(call.region, {})}
