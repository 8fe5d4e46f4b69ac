"""What a bill is compared with: an invoice, and Cost Explorer while it is configured beside it."""

from __future__ import annotations

from dataclasses import replace
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


@pytest.mark.parametrize(
    ("invoiced", "totals"),
    [
        ([(PAYER, "1000.60")], {(None, None): Decimal("1000.60")}),
        (
            [(PAYER, "1000.60"), ("999900000002", "7")],
            {(PAYER, PAYER): Decimal("1000.60"), ("999900000002",) * 2: Decimal(7)},
        ),
    ],
)
def test_the_only_invoice_of_a_month_is_of_a_bill_that_names_no_account(
    tmp_path: Path,
    invoiced: list[tuple[str, str]],
    totals: dict[tuple[str | None, str | None], Decimal],
) -> None:
    """FOCUS may lack both accounts. Which of two invoices it is of, nobody says."""
    invoices = [
        {"account": account, "month": "2026-06", "amount": amount} for account, amount in invoiced
    ]
    other = {"account": PAYER, "month": "2026-05", "amount": "900"}
    settings = validated_settings(
        {"sources": [FOCUS], "invoices": [*invoices, other]}, home=tmp_path
    )
    sums = {"BilledCost": "1000", "EffectiveCost": "1000"}
    bill = replace(BILLS[1], totals={"||2026-06": sums})
    context = BuildContext.reading(settings, cast(Any, None), [bill], [bill])
    found = {
        (row["billing_account"], row["account"]): row["total"]
        for row in bill_totals(context)
        if (row["source"], row["month"]) == ("invoice", "2026-06")
    }
    assert found == totals
