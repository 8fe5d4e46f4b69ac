"""METHOD §2.6: who bears a shared charge, whose hardware a charge is, and what is owned at all."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path

import ibis
import ibis.expr.types as ir
import pytest

from models.config.loading import validated_settings
from models.contract import catalogue, schema
from models.marts.cost.spend_daily import daily_spend
from tests.support.marts.hand_written_tables import rows, table

MONTH, FIRST, THIRD = date(2026, 9, 1), date(2026, 9, 1), date(2026, 9, 3)
TEXTS = (
    "billing_account", "account", "region", "workload", "run", "instance_type", "component",
    "purchase_option", "attribution",
)  # fmt: skip
AMOUNTS = ("instance_hours", "accelerator_hours", *schema.COST_COLUMNS)
AMORTISED = {
    "date": "date", "billing_period": "date", **dict.fromkeys(TEXTS, "string"),
    **dict.fromkeys(AMOUNTS, schema.MONEY), "unpriced": "boolean",
    **dict.fromkeys(("cluster", "holding"), "string"),
}  # fmt: skip
BILLS = {"billing_account": "string", "billing_period": "date", "invoiced": "boolean"}
ACCOUNTS = {"billing_account": "string", "settled_through": "date"}


def charge(
    workload: str | None, run: str | None, bucket: str, hours: object, cost: int, **said: object
) -> Mapping[str, object]:
    """Accelerator-hours of trn1 on the first, at dollars on every basis."""
    size = None if hours is None else Decimal(str(hours))
    usual = {
        "date": FIRST, "billing_period": MONTH, "workload": workload, "run": run,
        "attribution": bucket, "component": "accelerator", "instance_type": "trn1.32xlarge",
        "purchase_option": "on_demand", "unpriced": False,
    }  # fmt: skip
    costs = dict.fromkeys(schema.COST_COLUMNS, Decimal(cost))
    return {**usual, "instance_hours": size, "accelerator_hours": size, **costs, **said}


GPU = {"instance_type": "p5.48xlarge"}
LOOSE = {"instance_type": None, "component": "storage"}


@pytest.fixture(scope="module")
def found() -> ir.Table:
    august = {"billing_period": date(2026, 8, 1), "date": date(2026, 8, 9)}
    charges = [
        charge("w", "t1", "direct", "0.5", 1),
        charge("w", "t2", "direct", "0.25", 2),
        charge("w", "t2", "direct", "0.25", 3, purchase_option="spot"),
        charge("w", "t2", "direct", "0.5", 4, date=THIRD),
        charge("w", "back", "direct", 5, 5),
        charge("w", "back", "direct", -5, -5),
        charge("w", "g1", "direct", 3, 6, **GPU),
        charge("v", "t1", "direct", 9, 7),
        charge("w", None, "shared", 10, 100),
        charge("w", None, "shared", 10, 100, region="us-west-2"),
        charge("w", None, "shared", 1, 8, date=date(2026, 9, 2)),
        charge("w", None, "shared", None, 90, date=date(2026, 9, 20), **LOOSE),
        charge("w", None, "shared", None, 9, date=date(2026, 10, 1), **LOOSE),
        # as many hours of one hardware as of the other
        charge("mixed", "m", "direct", 3, 10),
        charge("mixed", "m", "direct", 1, 11, **GPU),
        charge("mixed", "m", "direct", 2, 12, **GPU | {"purchase_option": "spot"}),
        charge("mixed", "m", "direct", None, 13, **LOOSE),
        charge("mixed", "other", "direct", None, 14, **LOOSE),
        charge("mixed", "other", "direct", None, 15, instance_type="inf2.48xlarge"),
        # what is owned, and by whom
        charge("owner", "r", "tax", None, 16, **LOOSE),
        charge("owner", "r", "purchase", None, 17, **LOOSE),
        charge("owner", "r", "idle_commitment", 1, 18),
        charge("owner", "r", "credit", None, -19, **LOOSE),
        charge("owner", "r", "refund", None, -20, **LOOSE),
        # what is not known
        charge("blind", "r", "direct", 1, 0, unpriced=True),
        charge("blind", "r", "direct", 2, 21, list_cost=None),
        charge("blind", "r", "direct", 4, 22),
        # what was invoiced, or closed
        charge("old", "a", "direct", 1, 23, billing_account="p"),
        charge("old", "b", "direct", 1, 24),
        charge("old", "c", "direct", 1, 25, **august),
    ]
    closed = [{"month": "2026-08", "workload": name} for name in ("old", "(portfolio)")]
    settings = validated_settings({"as_of": "2026-10-31"}, home=Path())
    known = [entry._asdict() for entry in catalogue.accelerators()]
    invoiced = {"billing_account": "p", "billing_period": MONTH, "invoiced": True}
    made = daily_spend(
        table(AMORTISED, *charges).mutate(holders_known=True, cluster_place=ibis.literal("")),
        table(schema.BESIDE["catalog"], *known),
        table(BILLS, invoiced),
        table(ACCOUNTS, {"settled_through": FIRST}),
        table(schema.BESIDE["closed_months"], *closed),
        settings,
    )
    return ibis.memtable(made.to_pyarrow())


def of(found: ir.Table, workload: str, *names: str) -> list[tuple[object, ...]]:
    return rows(found.filter(found.workload == workload), *names)


def test_runs_of_the_day_and_platform_share_by_their_hours(found: ir.Table) -> None:
    """Half an hour each of two, in either region; not hours taken back, nor another chip's."""
    shared = found.filter((found.attribution != "direct") & (found.component == "accelerator"))
    assert of(shared, "w", "date", "attribution", "run", "effective_cost", "accelerator_hours") == [
        (FIRST, "shared", "t1", 50, 5),
        (FIRST, "shared", "t1", 50, 5),
        (FIRST, "shared", "t2", 50, 5),
        (FIRST, "shared", "t2", 50, 5),
        (date(2026, 9, 2), "overhead", None, 8, 1),
    ]


def test_what_no_platform_is_told_of_is_shared_by_the_months_runs(found: ir.Table) -> None:
    """0.5, 1 and 3 hours; nothing ran in October."""
    loose = found.filter(found.component == "storage")
    assert of(loose, "w", "date", "attribution", "run", "effective_cost", "hardware") == [
        (date(2026, 10, 1), "overhead", None, 9, None),
        (date(2026, 9, 20), "shared", "g1", 60, "gpu"),
        (date(2026, 9, 20), "shared", "t1", 10, "trainium"),
        (date(2026, 9, 20), "shared", "t2", 20, "trainium"),
    ]


def test_of_equal_hours_the_first_hardware_by_name_is_the_runs(found: ir.Table) -> None:
    assert of(found, "mixed", "run", "hardware", "accelerator_hours", "effective_cost") == [
        ("m", "gpu", 1, 11),
        ("m", "gpu", 2, 12),
        ("m", "gpu", 3, 10),
        ("m", "gpu", None, 13),
        ("other", "inferentia", None, 15),
        ("other", None, None, 14),
    ]


def test_taxes_and_fees_are_nobodys_and_only_direct_charges_are_a_runs(found: ir.Table) -> None:
    assert of(found, "owner", "attribution", "run", "billed_cost") == [
        ("credit", None, -19),
        ("idle_commitment", None, 18),
        ("refund", None, -20),
    ]
    unowned = found.filter(found.workload.isnull())
    assert rows(unowned, "attribution", "run", "billed_cost") == [
        ("purchase", None, 17),
        ("tax", None, 16),
    ]


def test_hours_without_a_price_stand_apart_and_a_missing_list_cost_is_missing(
    found: ir.Table,
) -> None:
    names = ("unpriced", "instance_hours", "accelerator_hours", *schema.COST_COLUMNS)
    assert of(found, "blind", *names) == [
        (False, 6, 6, None, 43, 43, 43),
        (True, 1, 1, None, None, None, 0),
    ]


def test_a_month_is_final_once_it_is_invoiced_or_closed(found: ir.Table) -> None:
    assert of(found, "old", "run", "billing_period", "invoiced", "final") == [
        ("a", "2026-09", True, True),
        ("b", "2026-09", False, False),
        ("c", "2026-08", False, True),
    ]
