"""METHOD §7: buckets and remainder are the bill."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import duckdb
import pytest

from models.contract import schema
from models.marts.cost.tie_out import tie_out
from tests.conftest import migrated
from tests.support.marts.hand_written_tables import rows as made
from tests.support.marts.hand_written_tables import table
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import ACCOUNT, Marts, World

Case = Callable[[World], None]

BUCKETS = (
    "direct + shared + overhead + idle_commitment + untagged + purchase + credit + refund + tax "
    "+ support + other"
)


LOST = {"account": "999900000009", "month": "2025-09", "amount": Decimal("70.50")}


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> SomeMarts:
    """A payer for each case; those who have an invoice are named in `INVOICES`."""
    world = World(tmp_path_factory.mktemp("tied"))
    for case in (checked, invoiced, bridged, apart, whole, own_and_rest, ownless):
        before = len(world.charges)
        case(world)
        for line in world.charges[before:]:
            for name in ("BillingAccountId", "SubAccountId"):
                line[name] = line[name] and named(case, line[name])
    invoices = [
        {"account": named(case, account), "month": "2025-09", "amount": Decimal(amount)}
        for case, told in INVOICES.items()
        for account, amount in told.items()
    ]
    return some_marts(world.pulled(invoices=[*invoices, LOST]), "tie_out")


def named(case: Case, account: str) -> str:
    """The account as the case names it: no two cases have one in common."""
    return f"{case.__name__} {account}"


def rows(marts: Marts, case: Case, where: str = "true") -> list[dict[str, Any]]:
    """Rows of the accounts of a case, by the name that it gives them."""
    whose = ", ".join(
        f"substr({name}, {len(named(case, '')) + 1}) AS {name}"
        for name in ("billing_account", "account")
    )
    return marts.rows(
        f"SELECT * REPLACE ({whose}), {BUCKETS} AS held FROM tie_out "
        f"WHERE starts_with(account, ?) AND {where} ORDER BY month, basis",
        named(case, ""),
    )


def checked(world: World) -> None:
    migrated(world, "checked")


def test_a_bill_checked_against_itself_leaves_no_remainder(marts: SomeMarts) -> None:
    found = rows(marts, checked)
    assert [(row["month"], row["basis"]) for row in found] == [
        (month, basis)
        for month in ("2025-05", "2025-09", "2025-10")
        for basis in ("billed", "effective")
    ]
    for row in found:
        assert row["total_source"] == "self_check", row
        assert row["bill_total"] == row["held"]
        assert row["remainder"] == 0


def test_an_invoice_that_the_bill_has_no_line_of_is_all_remainder(marts: SomeMarts) -> None:
    row = marts.row("SELECT * FROM tie_out WHERE account = ?", LOST["account"])
    assert (row["basis"], row["bill_total"], row["remainder"]) == (
        "billed",
        *[Decimal("70.50")] * 2,
    )
    assert (row["direct"], row["total_source"]) == (0, "invoice")


def invoiced(world: World) -> None:
    migrated(world, "invoiced")


def test_an_invoice_is_the_better_total_and_the_difference_is_named(marts: SomeMarts) -> None:
    billed, effective = rows(marts, invoiced, "month = '2025-09'")
    assert (billed["bill_total"], billed["total_source"]) == (Decimal("1500.10"), "invoice")
    assert billed["remainder"] == Decimal("0.10")
    assert effective["total_source"] == "self_check"


def bridged(world: World) -> None:
    world.charge("2025-09-02T00:00:00", 100, ChargeCategory="Purchase", EffectiveCost=0)
    world.charge("2025-09-03T00:00:00", 0, EffectiveCost=30, x_UsageType="BoxUsage:trn1.32xlarge")


def test_the_bridge_is_amortisation_in_and_prepayment_out(marts: SomeMarts) -> None:
    billed, effective = rows(marts, bridged)
    assert (billed["held"], billed["bridge"]) == (Decimal(100), 0)
    assert (effective["held"], effective["bridge"]) == (Decimal(30), Decimal(-70))


def apart(world: World) -> None:
    world.charge("2025-09-02T00:00:00", 1, SubAccountId="999900000002")
    world.charge("2025-09-02T00:00:00", 2)
    world.charge("2025-09-02T00:00:00", 4, BillingAccountId="x", SubAccountId="")


def test_accounts_stand_apart(marts: SomeMarts) -> None:
    found = rows(marts, apart, "basis = 'billed'")
    assert {(r["billing_account"], r["account"]): r["held"] for r in found} == {
        (ACCOUNT, "999900000002"): 1,
        (ACCOUNT, ACCOUNT): 2,
        ("x", "x"): 4,
    }
    assert all(row["remainder"] == 0 for row in found)


MEMBERS = ("999900000002", "999900000003")


def family(world: World) -> None:
    """A payer's bill of September: $2 of its own, $1 and $4 of two members; another payer's $8."""
    world.charge("2025-09-02T00:00:00", 2)
    ownless(world)
    other = "999900000008"
    world.charge("2025-09-02T00:00:00", 8, BillingAccountId=other, SubAccountId=other)


def whole(world: World) -> None:
    family(world)


def own_and_rest(world: World) -> None:
    family(world)


def ownless(world: World) -> None:
    for member, cost in zip(MEMBERS, (1, 4), strict=True):
        world.charge("2025-09-02T00:00:00", cost, SubAccountId=member)


INVOICES: dict[Case, dict[str, str]] = {
    invoiced: {ACCOUNT: "1500.10"},
    whole: {ACCOUNT: "7.30"},
    own_and_rest: {ACCOUNT: "3.25", MEMBERS[1]: "4.10"},
    ownless: {ACCOUNT: "5"},
}


def tied(marts: Marts, case: Case) -> dict[str, tuple[str, Decimal, Decimal]]:
    """By account, on the billed basis: where the total is from, the total, the remainder.

    Beside them in plain SQL over the delivered lines: what each billing account was billed.
    """
    found = rows(marts, case, "basis = 'billed'")
    billed = dict(
        duckdb.execute(
            "SELECT BillingAccountId, sum(BilledCost::DECIMAL(38, 9)) FROM read_csv(?, "
            "all_varchar = true) WHERE starts_with(BillingAccountId, ?) GROUP BY ALL",
            [str(marts.settings.home / "bill.csv"), named(case, "")],
        ).fetchall()
    )
    assert billed
    for payer, cost in billed.items():
        own = [row for row in found if named(case, row["billing_account"]) == payer]
        assert sum(row["bill_total"] - row["remainder"] for row in own) == cost
    return {r["account"]: (r["total_source"], r["bill_total"], r["remainder"]) for r in found}


def test_a_payers_invoice_is_for_all_its_members(marts: SomeMarts) -> None:
    """By hand: 7.30 − 1 − 4 = 2.30 for its own $2; a member with an invoice of its own is apart."""
    assert tied(marts, whole) == {
        ACCOUNT: ("invoice", Decimal("2.30"), Decimal("0.30")),
        MEMBERS[0]: ("self_check", 1, 0),
        MEMBERS[1]: ("self_check", 4, 0),
        "999900000008": ("self_check", 8, 0),
    }
    found = tied(marts, own_and_rest)
    assert found[MEMBERS[1]] == ("invoice", Decimal("4.10"), Decimal("0.10"))
    assert found[ACCOUNT] == ("invoice", Decimal("2.25"), Decimal("0.25"))
    assert sum(total for _, total, _ in found.values()) == Decimal("3.25") + Decimal("4.10") + 8


def test_a_payer_without_a_charge_of_its_own_has_a_row_for_its_invoice(marts: SomeMarts) -> None:
    assert tied(marts, ownless) == {
        ACCOUNT: ("invoice", 0, 0),
        MEMBERS[0]: ("self_check", 1, 0),
        MEMBERS[1]: ("self_check", 4, 0),
    }


def test_every_bucket_every_total_and_what_no_bucket_holds() -> None:
    """Buckets of A are powers of two, billed, and three times as much effective.

    P's invoice of 2,100 is for its members A and C too, and B has its own; one of Q's totals is
    missing; X's invoice, what Cost Explorer tells of Y, and P's invoice of October meet no line of
    the bill.
    """
    names = BUCKETS.replace("+", " ").split()
    spent = [("2026-09", "P", "A", name, 3 * 2**n, 2**n) for n, name in enumerate(names)]
    spent += [
        ("2026-09", "P", "A", "direct", 3, 1),
        ("2026-09", "P", "B", "direct", None, 5),  # hours at no known price
        ("2026-09", "P", "C", "other", 1, 1),
        ("2026-09", "P", "P", "tax", 7, 7),
        ("2026-09", "Q", "Q", "other", 8, 8),
        ("2026-09", None, None, "other", 9, 9),
        ("2026-10", "P", "A", "direct", 100, 0),
    ]
    september, october = date(2026, 9, 1), date(2026, 10, 1)
    spread = [(september, "P", account, dollars) for account, dollars in
              (("A", 4), ("A", 5), ("B", 0), ("C", 0), ("P", 0))]  # fmt: skip
    spread += [(september, "Q", "Q", 0), (september, None, None, 0), (october, "P", "A", -9)]
    totals = [
        ("2026-09", "P", "A", "billed", "2000", "self_check"),
        ("2026-09", "P", "A", "billed", "2048.5", "cost_explorer"),
        ("2026-09", "P", "A", "effective", "6147", "self_check"),
        ("2026-09", "P", "B", "billed", "6.25", "invoice"),
        ("2026-09", "P", "B", "billed", "5", "self_check"),
        ("2026-09", "P", "C", "billed", "1", "self_check"),
        ("2026-09", "P", "C", "effective", "1", "self_check"),
        ("2026-09", "P", "P", "billed", "2100", "invoice"),
        ("2026-09", "P", "P", "billed", "7", "self_check"),
        ("2026-09", "P", "P", "effective", "7", "self_check"),
        ("2026-09", "Q", "Q", "billed", "8", "self_check"),
        ("2026-09", None, None, "billed", "9", "self_check"),
        ("2026-09", None, None, "effective", "9", "self_check"),
        ("2026-09", "X", "X", "billed", "70.5", "invoice"),
        ("2026-09", "Y", "Y", "billed", "12", "cost_explorer"),
        ("2026-09", "Y", "Y", "effective", "11", "cost_explorer"),
        ("2026-10", "P", "A", "billed", "0", "self_check"),
        ("2026-10", "P", "A", "effective", "109", "self_check"),
        ("2026-10", "P", "P", "billed", "30", "invoice"),
    ]
    ranks = {"invoice": 0, "cost_explorer": 1, "self_check": 2}
    bases = ("effective_cost", "billed_cost")
    whose = ("billing_period", "billing_account", "account")
    bill = dict.fromkeys((*whose, "attribution"), "string") | dict.fromkeys(bases, schema.MONEY)
    blocks = {
        "billing_period": "date",
        **dict.fromkeys(whose[1:], "string"),
        "spread": schema.MONEY,
    }
    found = tie_out(
        table(bill, *(dict(zip(bill, line, strict=True)) for line in spent)),
        table(blocks, *(dict(zip(blocks, line, strict=True)) for line in spread)),
        table(
            schema.BESIDE["bill_totals"],
            *(
                {"month": month, "billing_account": payer, "account": account, "basis": basis,
                 "total": Decimal(total), "source": source, "rank": ranks[source]}
                for month, payer, account, basis, total, source in totals
            ),
        ),
    )  # fmt: skip
    told = ("month", "account", "basis", "total_source", "bill_total", "bridge", "block_spread")
    assert made(found, *told, "remainder") == [
        ("2026-09", "A", "billed", "cost_explorer", Decimal("2048.5"), 0, 0, Decimal("0.5")),
        ("2026-09", "A", "effective", "self_check", 6147, 6144 - 2048, 9, 6147 + 9 - 6144),
        ("2026-09", "B", "billed", "invoice", Decimal("6.25"), 0, 0, Decimal("1.25")),
        ("2026-09", "B", "effective", "self_check", 0, -5, 0, 0),
        ("2026-09", "C", "billed", "self_check", 1, 0, 0, 0),
        ("2026-09", "C", "effective", "self_check", 1, 0, 0, 0),
        ("2026-09", "P", "billed", "invoice", Decimal("50.5"), 0, 0, Decimal("43.5")),
        ("2026-09", "P", "effective", "self_check", 7, 0, 0, 0),
        ("2026-09", "Q", "billed", "self_check", 8, 0, 0, 0),
        ("2026-09", "Q", "effective", "self_check", 0, 0, 0, -8),
        ("2026-09", "X", "billed", "invoice", Decimal("70.5"), 0, 0, Decimal("70.5")),
        ("2026-09", "Y", "billed", "cost_explorer", 12, 0, 0, 12),
        ("2026-09", "Y", "effective", "cost_explorer", 11, 0, 0, 11),
        ("2026-09", None, "billed", "self_check", 9, 0, 0, 0),
        ("2026-09", None, "effective", "self_check", 9, 0, 0, 0),
        ("2026-10", "A", "billed", "self_check", 0, 0, 0, 0),
        ("2026-10", "A", "effective", "self_check", 109, 100, -9, 0),
        ("2026-10", "P", "billed", "invoice", 30, 0, 0, 30),
    ]
    of_a = found.filter((found.account == "A") & (found.month == "2026-09"))
    assert made(of_a, *names) == [
        (2, *(2**n for n in range(1, 11))),
        (6, *(3 * 2**n for n in range(1, 11))),
    ]
