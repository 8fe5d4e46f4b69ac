"""METHOD §7: buckets and remainder are the bill."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from tests.world import ACCOUNT, Marts, World

BUCKETS = (
    "direct + shared + overhead + idle_commitment + untagged + purchase + credit + refund + tax "
    "+ support + other"
)


def rows(marts: Marts, where: str = "true") -> list[dict[str, Any]]:
    return marts.rows(
        f"SELECT *, {BUCKETS} AS held FROM tie_out WHERE {where} ORDER BY month, basis"
    )


def test_a_bill_checked_against_itself_leaves_no_remainder(atlas: World) -> None:
    found = rows(atlas.build())
    assert [(row["month"], row["basis"]) for row in found] == [
        (month, basis)
        for month in ("2025-05", "2025-09", "2025-10")
        for basis in ("billed", "effective")
    ]
    for row in found:
        assert row["total_source"] == "self_check", row
        assert row["bill_total"] == row["held"]
        assert row["remainder"] == 0


def test_an_invoice_that_the_bill_has_no_line_of_is_all_remainder(atlas: World) -> None:
    lost = {"account": "999900000009", "month": "2025-09", "amount": Decimal("70.50")}
    marts = atlas.build(invoices=[lost])
    row = marts.row("SELECT * FROM tie_out WHERE account = ?", lost["account"])
    assert (row["basis"], row["bill_total"], row["remainder"]) == (
        "billed",
        *[Decimal("70.50")] * 2,
    )
    assert (row["direct"], row["total_source"]) == (0, "invoice")


def test_an_invoice_is_the_better_total_and_the_difference_is_named(atlas: World) -> None:
    invoice = {"account": ACCOUNT, "month": "2025-09", "amount": Decimal("1500.10")}
    billed, effective = rows(atlas.build(invoices=[invoice]), "month = '2025-09'")
    assert (billed["bill_total"], billed["total_source"]) == (Decimal("1500.10"), "invoice")
    assert billed["remainder"] == Decimal("0.10")
    assert effective["total_source"] == "self_check"


def test_the_bridge_is_amortisation_in_and_prepayment_out(bill: World) -> None:
    bill.charge("2025-09-02T00:00:00", 100, ChargeCategory="Purchase", EffectiveCost=0)
    bill.charge("2025-09-03T00:00:00", 0, EffectiveCost=30, x_UsageType="BoxUsage:trn1.32xlarge")
    billed, effective = rows(bill.build())
    assert (billed["held"], billed["bridge"]) == (Decimal(100), 0)
    assert (effective["held"], effective["bridge"]) == (Decimal(30), Decimal(-70))


def test_accounts_stand_apart(bill: World) -> None:
    bill.charge("2025-09-02T00:00:00", 1, SubAccountId="999900000002")
    bill.charge("2025-09-02T00:00:00", 2)
    bill.charge("2025-09-02T00:00:00", 4, BillingAccountId="x", SubAccountId="")
    found = rows(bill.build(), "basis = 'billed'")
    assert {(r["billing_account"], r["account"]): r["held"] for r in found} == {
        (ACCOUNT, "999900000002"): 1,
        (ACCOUNT, ACCOUNT): 2,
        ("x", "x"): 4,
    }
    assert all(row["remainder"] == 0 for row in found)
