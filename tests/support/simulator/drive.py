"""From a company's facts to its published marts, the ordinary way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from ingest import pull
from models.config.loading import validated_settings
from models.config.settings import Settings
from models.engine import build
from tests.support.simulator import export
from tests.support.simulator.company import AS_OF, Charge, Company
from tests.support.some_marts import some_marts
from tests.support.world import Marts

UNTIL = "2025-12"
"""The first month that the early export did not hold yet."""
LATE = timedelta(days=9)
"""How far the logs were behind then."""
Build = Callable[[Settings], object]
SOURCES = [
    {"kind": "focus", "location": "bill"},
    {"kind": "progress_file", "location": "logs"},
    {"kind": "prices", "location": "prices.csv"},
]


def settings(folder: Path, company: Company) -> Settings:
    """The company's config, in a folder of its own."""
    return validated_settings({"as_of": AS_OF, "sources": SOURCES, **company.config}, home=folder)


def early(company: Company) -> Company:
    """What AWS and the logs said at first: a discount too few, lines and newest samples missing."""
    known = before(company, UNTIL).charges
    charges = [_wrong(c) for number, c in enumerate(known) if number % 17]
    samples = [s for s in company.samples if f"{s.at + LATE:%Y-%m}" < UNTIL]
    return replace(company, charges=charges, samples=samples)


def before(company: Company, month: str) -> Company:
    """The company without what was billed in a month or later."""
    return replace(company, charges=[c for c in company.charges if c.period < month])


def _wrong(charge: Charge) -> Charge:
    if charge.run is None or charge.day.month % 2:
        return charge
    return replace(charge, effective=charge.effective + Decimal("1.11"), billed=charge.listed)


def delivered(folder: Path, company: Company, *, parts: int = 1) -> None:
    """Bill, logs and prices, as their sources find them; months that are there are restated."""
    export.exports(folder / "bill", company.charges, parts=parts)
    export.progress(folder / "logs", company.samples)
    export.price_list(folder / "prices.csv", company)


def reduced(asked: Settings) -> None:
    """Reduces what was ingested, as a build does, and makes no mart: of these none is kept."""
    some_marts(asked)


def derived(asked: Settings, made: Build | None = None) -> Marts:
    """Ingests and builds."""
    pull.pull(asked).raise_failures()
    (made or build.build)(asked)
    return Marts(asked)
