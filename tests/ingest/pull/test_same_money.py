"""A delivery that would count a bill twice, or lose a month of it, is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingest.pull.double_counting import refuse_double_counting
from ingest.pull.lost_months import refuse_lost_months
from models.contract.errors import InputError
from models.raw.delivery_key import Key
from models.raw.staging import Staging
from models.raw.zone import RawZone

AUGUST, SEPTEMBER = "9|1|2026-08", "9|2|2026-09"
SUMS = {"BilledCost": "1"}


def totals(*names: str) -> dict[str, dict[str, str]]:
    return dict.fromkeys(names, SUMS)


@pytest.fixture
def zone(tmp_path: Path) -> RawZone:
    """One live delivery of a folder's bill: `focus`, unit `old`, of both months."""
    zone = RawZone(tmp_path / "raw")
    with zone.staging(Key("focus", "old", "all")) as staging:
        staging.seal("focus", totals=totals(AUGUST, SEPTEMBER))
    return zone


@contextmanager
def arriving(zone: RawZone, source: str, unit: str, period: str = "all") -> Iterator[Staging]:
    with zone.staging(Key(source, unit, period)) as staging:
        yield staging


@pytest.mark.parametrize(
    ("source", "unit", "format_name", "cost_source"),
    [
        ("focus", "new", "focus", "focus"),  # one source, another folder
        ("other", "new", "focus", "focus"),  # both are counted, by their format
        ("focus", "new", "focus", "elsewhere"),  # not counted now, but under one source name
    ],
)
def test_an_account_and_month_that_another_delivery_holds_is_refused(
    zone: RawZone, source: str, unit: str, format_name: str, cost_source: str
) -> None:
    with arriving(zone, source, unit) as staging, pytest.raises(InputError) as refused:
        refuse_double_counting(zone, staging, totals(SEPTEMBER), format_name, cost_source)
    assert str(refused.value).startswith(
        f"{source}: new and old hold the same bill: account {SEPTEMBER} (deliver only one, "
    )


@pytest.mark.parametrize(
    ("source", "unit", "holds", "cost_source"),
    [
        ("focus", "old", SEPTEMBER, "focus"),  # the same key: it replaces
        ("focus", "new", "9|1|2026-09", "focus"),  # the same months, but another pair
        ("other", "new", SEPTEMBER, "other"),  # only one of them is counted
    ],
)
def test_what_replaces_adds_or_is_not_counted_is_accepted(
    zone: RawZone, source: str, unit: str, holds: str, cost_source: str
) -> None:
    with arriving(zone, source, unit) as staging:
        refuse_double_counting(zone, staging, totals(holds), "focus", cost_source)


def test_progress_holds_no_money(zone: RawZone) -> None:
    with arriving(zone, "focus", "new") as staging:
        refuse_double_counting(zone, staging, totals(SEPTEMBER), "progress", "focus")


def test_a_folder_that_lost_a_month_is_refused_with_the_month(zone: RawZone) -> None:
    with arriving(zone, "focus", "old") as staging, pytest.raises(InputError) as refused:
        refuse_lost_months(zone, staging, totals(SEPTEMBER), "focus")
    assert str(refused.value).startswith(
        "focus: old no longer has any line of 2026-08, but a bill never loses a month: "
        "the same files hold fewer months (put the file back: "
    )


def test_a_month_stays_while_one_account_has_a_line_of_it(zone: RawZone) -> None:
    with arriving(zone, "focus", "old") as staging:
        refuse_lost_months(zone, staging, totals("9|7|2026-08", SEPTEMBER), "focus")


def test_a_first_delivery_and_one_of_a_single_month_lose_nothing(zone: RawZone) -> None:
    with zone.staging(Key("focus", "x", "2026-09")) as staging:
        staging.seal("focus", totals=totals(AUGUST, SEPTEMBER))
    for unit, period in (("new", "all"), ("x", "2026-09")):
        with arriving(zone, "focus", unit, period) as staging:
            refuse_lost_months(zone, staging, totals(SEPTEMBER), "focus")
