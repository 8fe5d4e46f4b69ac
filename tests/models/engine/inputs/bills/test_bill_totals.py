"""Cost Explorer gives way to an export: what it said last of a month is no total of that month."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest

from models.config.loading import validated_settings
from models.engine.context import BuildContext
from models.engine.inputs.bills.bill_totals import bill_totals
from models.raw.delivery import Delivery
from models.raw.delivery_key import Key

FOCUS = {"kind": "focus", "location": "exp"}
CHECK = {"kind": "cost_explorer"}
PAYER = "999900000001"


def told(source: str, month: str, amount: str, pulled: str) -> Delivery:
    """What a source said of the payer's month, on the day on which it was pulled."""
    sums = {"BilledCost": amount, "EffectiveCost": amount}
    at = datetime.fromisoformat(pulled).replace(tzinfo=UTC)
    key = Key(source, PAYER, month)
    return Delivery(key, source, source, at, (), totals={f"{PAYER}|{PAYER}|{month}": sums})


BILLS = [
    told("focus", "2026-05", "900", "2026-07-01"), told("focus", "2026-06", "1000", "2026-07-01")
]  # fmt: skip
FORMER = [
    told("cost_explorer", "2026-05", "880", "2026-06-20"),
    told("cost_explorer", "2026-06", "640", "2026-06-20"),
]
"""Of June two thirds were on the bill, and of May what AWS restated later was not."""


@pytest.mark.parametrize(
    ("sources", "compared"),
    [([FOCUS], {}), ([FOCUS, CHECK], {"2026-05": Decimal(880), "2026-06": Decimal(640)})],
)
def test_a_bill_is_compared_with_cost_explorer_while_both_are_configured(
    tmp_path: Path, sources: list[dict[str, str]], compared: dict[str, Decimal]
) -> None:
    settings = validated_settings({"sources": sources}, home=tmp_path)
    context = BuildContext.reading(settings, cast(Any, None), BILLS, [*BILLS, *FORMER])
    found = {
        row["month"]: row["total"]
        for row in bill_totals(context)
        if (row["source"], row["basis"]) == ("cost_explorer", "billed")
    }
    assert found == compared
