"""Config values that look like a typing error are told, each with what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ingest.doctor.config.suspicious_values import check_suspicious_values
from ingest.doctor.examination import Examination
from models.config.loading import validated_settings

QUOTE = {"name": "atlas", "fixed_cost_per_epoch": 100}
FIXED = {"method": "fixed"}


def told(**config: Any) -> list[str]:  # noqa: ANN401 - tables of a config
    base = {"as_of": "2026-10-31", "sources": [{"kind": "focus", "location": "bill.csv"}]}
    settings = validated_settings({**base, **config}, home=Path())
    found = list(check_suspicious_values(Examination(settings)))
    assert {(each.check, each.state) for each in found} <= {("config", "warning")}
    return [f"{each.about}: {each.found} ({each.remedy})" for each in found]


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (
            {"as_of": "2099-10-31"},
            "as_of: 2099-10-31 is still to come: days that AWS still bills count as settled "
            "(correct the day, or remove it: without it the real date counts)",
        ),
        (
            {"workloads": [QUOTE]},
            "[[workloads]] fixed_cost_per_epoch: it is given for atlas, and method = "
            "'conservative' does not read it (set method = 'fixed' in [baseline], or remove it)",
        ),
        (
            {"baseline": FIXED},
            "[baseline] method: it is 'fixed', and no workload has a fixed_cost_per_epoch: no "
            "saving is known (give each workload its fixed_cost_per_epoch in [[workloads]], or "
            "choose another method)",
        ),
        (
            {"baseline": {"window_days": 55}},
            "[baseline] window_days: 55 days are too few for the pace before the move, which needs "
            "56: savings at the old volume stay unknown (set window_days to 56 or more)",
        ),
        (
            {"investments": [{"date": "2062-10-01", "kind": "tooling", "amount": 5}]},
            "[[investments]]: tooling is dated 2062-10-01, more than two years ahead: until then "
            "it counts nowhere (correct its date)",
        ),
    ],
)
def test_what_looks_like_a_typing_error_is_told(config: dict[str, Any], said: str) -> None:
    assert told(**config) == [said]


def test_what_has_an_effect_is_not_told() -> None:
    spent = {"date": "2028-10-30", "kind": "tooling", "amount": 5}
    assert told() == told(investments=[spent], baseline={"window_days": 56}) == []
    assert told(baseline=FIXED, workloads=[QUOTE]) == []
