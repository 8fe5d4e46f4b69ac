"""Organizations over `members`: {"id", "name", "state"}, `member_page` a page; `payer` owns it."""

from __future__ import annotations

from typing import Any

from tests.support.aws.pages import page
from tests.support.aws.protocol import Refusal


def list_accounts(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    if world["account"] != world["payer"]:
        raise Refusal("AccessDeniedException", "not the payer")
    shown, token = page(world["members"], asked, world.get("member_page", 20), "NextToken")
    return {"Accounts": [_account(member) for member in shown], **token}


def _account(member: dict[str, str]) -> dict[str, str]:
    state = member.get("state", "ACTIVE")
    return {
        "Id": member["id"],
        "Arn": f"arn:aws:organizations::1:account/o-1/{member['id']}",
        "Name": member["name"],
        "Status": {"PENDING_ACTIVATION": "ACTIVE", "CLOSED": "SUSPENDED"}.get(state, state),
        "State": state,
    }
