"""Sums of the workloads that a reader of a limited scope sees (METHOD §6.7)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from flask import Flask

from dashboard.snapshot import scope_sums
from dashboard.snapshot.context import attach_data
from models.access.acting import Actor, acting
from models.access.person import Grant, Person
from models.config.loading import validated_settings
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
    """Of the newest month, in the scope of two workloads of three."""

    def months(tables: dict[str, list[Row]]) -> None:
        named = zip(("atlas-7b", "atlas-vit", "other"), (*said, {"overhead": None}), strict=True)
        tables["monthly_summary"] = [
            {"month": "2026-09", "workload": name} | AMOUNTS | each for name, each in named
        ]

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
