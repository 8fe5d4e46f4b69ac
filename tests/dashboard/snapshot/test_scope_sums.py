"""Sums of the workloads that a reader of a limited scope sees (METHOD §6.7)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from flask import Flask

from dashboard.address.view import View
from dashboard.snapshot import break_even, scope_sums, unsettled
from dashboard.snapshot.context import attach_data
from models.access.acting import Actor, acting
from models.access.person import Grant, Person
from models.config.loading import validated_settings
from models.contract.portfolio import PORTFOLIO
from tests.support.dashboard import world
from tests.support.dashboard.days import Row

ADA = Actor(Person("ada", (Grant("viewer", ("atlas-*",)),)), "")
AMOUNTS = {
    "gross_saving": Decimal(20),
    "overhead": Decimal(3),
    "settled_through": date(2026, 9, 30),
}
UNSETTLED = dict.fromkeys(AMOUNTS)


def saved(folder: Path, *said: Mapping[str, object]) -> Decimal | None:
    """Of the newest month with a settled day, in the scope of two workloads of three."""

    def months(tables: dict[str, list[Row]]) -> None:
        named = zip(("atlas-7b", "atlas-vit", "other"), (*said, {"overhead": None}), strict=True)
        tables["monthly_summary"] = [
            {"month": "2026-09", "workload": name} | AMOUNTS | each for name, each in named
        ]
        tables["monthly_summary"] += [{"month": "2026-10", "workload": "atlas-7b"} | UNSETTLED]

    world.publish(folder, (), edit=months)
    app = Flask("scope")
    attach_data(app, validated_settings({"warehouse": {"path": str(folder / "w")}}, home=folder))
    with app.app_context(), acting(ADA):
        (newest,) = scope_sums.months()
    net: Decimal | None = newest["net_saving"]
    return net


@pytest.mark.parametrize(
    ("said", "net"),
    [
        ({}, 34),
        ({"gross_saving": None}, 14),
        ({"overhead": None}, None),
        ({"gross_saving": None, "overhead": None}, None),
        (UNSETTLED, 17),
    ],
)
def test_a_month_of_unknown_overhead_has_no_net_saving(
    said: Mapping[str, object], net: int | None, tmp_path: Path
) -> None:
    """As of the portfolio: an unknown saving counts nothing, but its overhead is deducted."""
    assert saved(tmp_path, {}, said) == net


def test_a_month_without_a_known_saving_has_no_net_saving(tmp_path: Path) -> None:
    assert saved(tmp_path, {"gross_saving": None}, UNSETTLED) is None


@pytest.mark.parametrize(
    ("status", "saved"), [("insufficient_baseline", None), ("recovering", Decimal(-6))]
)
def test_without_a_judged_workload_there_is_no_saving_and_no_return(
    status: str, saved: Decimal | None, tmp_path: Path
) -> None:
    """As of the portfolio (METHOD §6.7): one that is judged bears the overhead of the others."""
    days = (date(2026, 9, 1), date(2026, 9, 2), date(2026, 9, 3))
    gross = {"atlas-7b": None, "atlas-vit": None if saved is None else Decimal(0)}

    def unknown(tables: dict[str, list[Row]]) -> None:
        tables["break_even"] = [
            {"workload": "atlas-7b", "status": "insufficient_baseline"},
            {"workload": "atlas-vit", "status": status},
            {"workload": "other", "status": "broke_even"},
        ]
        tables["savings_daily"] = [
            {"date": day, "workload": name, "settled": True, "investment": Decimal(100),
             "gross_saving": gross[name] if day > days[0] else Decimal(0),
             "overhead": Decimal(day > days[1]) * 3}
            for name in gross for day in days
        ]  # fmt: skip

    world.publish(tmp_path, (), edit=unknown)
    app = Flask("scope")
    home = {"warehouse": {"path": str(tmp_path / "w")}}
    attach_data(app, validated_settings(home, home=tmp_path))
    with app.app_context(), acting(ADA):
        standing, by_day = scope_sums.standing(), scope_sums.daily_totals(View())
    assert standing["cumulative_net_saving"] == saved
    assert (standing["roi"] is None) == (saved is None)
    assert standing["cumulative_investment"] == 600
    assert by_day[0]["roi"] == -1


def test_a_month_of_some_workloads_is_incomplete_by_their_days(tmp_path: Path) -> None:
    """Two of the scope wait on one day together, and one on another; a third is not of it."""

    def days(tables: dict[str, list[Row]]) -> None:
        tables["savings_daily"] = [
            {"workload": name, "date": date(2026, 10, day), "settled": settled}
            for name, day, settled in (
                ("atlas-7b", 28, True),
                ("atlas-7b", 29, False),
                ("atlas-vit", 29, False),
                ("atlas-vit", 30, False),
                ("other", 20, False),
            )
        ]
        tables["unsettled_spend"] = [
            {"date": date(2026, 10, 30), "waits_for": "bill", "cost": Decimal(700)}
        ]

    world.publish(tmp_path, (), edit=days)
    app = Flask("scope")
    settings = validated_settings({"warehouse": {"path": str(tmp_path / "w")}}, home=tmp_path)
    attach_data(app, settings)
    with app.app_context(), acting(ADA):
        found = unsettled.waiting_of_month("2026-10")
    assert (found.text, found.days[PORTFOLIO]) == ("", 2)


def test_a_month_without_a_settled_day_is_not_yet_the_newest(tmp_path: Path) -> None:
    """On 2 November the last settled day is 30 October: the tile is of October."""

    def begun(tables: dict[str, list[Row]]) -> None:
        tables["monthly_summary"] += [{"month": "2026-11", "workload": PORTFOLIO} | UNSETTLED]

    world.publish(tmp_path, edit=begun)
    app = Flask("begun")
    home = {"warehouse": {"path": str(tmp_path / "w")}}
    attach_data(app, validated_settings(home, home=tmp_path))
    with app.app_context():
        months = break_even.months()
    assert [row["month"] for row in months] == ["2026-10", "2026-09"]
