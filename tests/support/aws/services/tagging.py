"""Resource Groups Tagging over `tag_keys`: the keys on any resource of the region."""

from __future__ import annotations

from typing import Any

from tests.support.aws.pages import page


def get_tag_keys(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    shown, token = page(world.get("tag_keys", []), asked, 2, "PaginationToken")
    return {"TagKeys": shown, **token}
