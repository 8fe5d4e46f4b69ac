"""A close holds the config that its numbers depend on, and neither people nor passwords."""

from __future__ import annotations

import json
from pathlib import Path

from models.closing.frozen_inputs import frozen, thawed
from models.config.loading import validated_settings

CONFIG = {
    "as_of": "2025-10-31",
    "cost": {"settle_days": 5},
    "sources": [{"kind": "kubernetes", "location": "https://reader:S3CRET@prometheus.example"}],
    "auth": {"mode": "oidc", "issuer": "https://id.example.com", "client_id": "breakeven"},
    "access": [{"user": "ada@example.com", "role": "admin"}],
    "serve": {"hosts": ["costs.example.com"]},
    "organization": {"role_arn": "arn:aws:iam::{account}:role/ro", "external_id": "AN-ID"},
    "accounts": [{"id": "999900000001"}],
}


def test_who_may_read_and_what_opens_a_source_is_in_no_close(tmp_path: Path) -> None:
    held = frozen(validated_settings(CONFIG, home=tmp_path))
    text = json.dumps(held, ensure_ascii=False)
    assert not {
        word
        for word in ("S3CRET", "ada@", "id.example", "costs.", "role/ro", "AN-ID")
        if word in text
    }
    assert "schedule" not in held["sources"][0]
    assert held["sources"][0]["location"] == "https://…@prometheus.example"
    assert (held["as_of"], held["cost"]["settle_days"]) == ("2025-10-31", 5)


def test_a_close_is_computed_again_whoever_may_read_it_by_now(tmp_path: Path) -> None:
    """What a config may say of people changes with versions; a close of an earlier one has it."""
    now = validated_settings({"warehouse": {"path": "w.duckdb"}}, home=tmp_path)
    then = {
        "cost": {"settle_days": 5},
        "auth": {"mode": "of an earlier version"},
        "digest": {"day": 29},
    }
    assert thawed(then, now).cost.settle_days == 5
    assert thawed(then, now).auth.mode == "none"
