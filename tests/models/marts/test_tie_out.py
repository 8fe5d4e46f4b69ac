"""METHOD §7: buckets and remainder are the bill."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import duckdb

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


MEMBERS = ("999900000002", "999900000003")


def family(bill: World) -> World:
    """A payer's bill of September: $2 of its own, $1 and $4 of two members; another payer's $8."""
    bill.charge("2025-09-02T00:00:00", 2)
    bill.charge("2025-09-02T00:00:00", 1, SubAccountId=MEMBERS[0])
    bill.charge("2025-09-02T00:00:00", 4, SubAccountId=MEMBERS[1])
    other = "999900000008"
    bill.charge("2025-09-02T00:00:00", 8, BillingAccountId=other, SubAccountId=other)
    return bill


def tied(marts: Marts) -> dict[str, tuple[str, Decimal, Decimal]]:
    """By account, on the billed basis: where the total is from, the total, the remainder.

    Beside them in plain SQL over the delivered lines: what each billing account was billed.
    """
    found = rows(marts, "basis = 'billed'")
    billed = dict(
        duckdb.execute(
            "SELECT BillingAccountId, sum(BilledCost::DECIMAL(38, 9)) FROM read_csv(?, "
            "all_varchar = true) GROUP BY ALL",
            [str(marts.settings.home / "bill.csv")],
        ).fetchall()
    )
    for payer, cost in billed.items():
        own = [row for row in found if row["billing_account"] == payer]
        assert sum(row["bill_total"] - row["remainder"] for row in own) == cost
    return {r["account"]: (r["total_source"], r["bill_total"], r["remainder"]) for r in found}


def test_a_payers_invoice_is_for_all_its_members(bill: World) -> None:
    """By hand: 7.30 − 1 − 4 = 2.30 for its own $2; a member with an invoice of its own is apart."""
    whole = {"account": ACCOUNT, "month": "2025-09", "amount": Decimal("7.30")}
    found = tied(family(bill).build(invoices=[whole]))
    assert found == {
        ACCOUNT: ("invoice", Decimal("2.30"), Decimal("0.30")),
        MEMBERS[0]: ("self_check", 1, 0),
        MEMBERS[1]: ("self_check", 4, 0),
        "999900000008": ("self_check", 8, 0),
    }
    own = {"account": MEMBERS[1], "month": "2025-09", "amount": Decimal("4.10")}
    rest = {**whole, "amount": Decimal("3.25")}
    found = tied(bill.build(invoices=[rest, own]))
    assert found[MEMBERS[1]] == ("invoice", Decimal("4.10"), Decimal("0.10"))
    assert found[ACCOUNT] == ("invoice", Decimal("2.25"), Decimal("0.25"))
    assert sum(total for _, total, _ in found.values()) == Decimal("3.25") + Decimal("4.10") + 8


def test_a_payer_without_a_charge_of_its_own_has_a_row_for_its_invoice(bill: World) -> None:
    bill.charge("2025-09-02T00:00:00", 1, SubAccountId=MEMBERS[0])
    bill.charge("2025-09-02T00:00:00", 4, SubAccountId=MEMBERS[1])
    whole = {"account": ACCOUNT, "month": "2025-09", "amount": Decimal("5")}
    assert tied(bill.build(invoices=[whole])) == {
        ACCOUNT: ("invoice", 0, 0),
        MEMBERS[0]: ("self_check", 1, 0),
        MEMBERS[1]: ("self_check", 4, 0),
    }
