"""Values that all tables of the config share: UTC times, exact amounts, trimmed names."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.config.bill import CapacityBlock
from models.config.loading import validated_settings
from models.contract.errors import ConfigError

BLOCK = {"instance_type": "p5.48xlarge", "instances": 1, "end": "2030-01-01T00:00:00Z", "fee": 1}


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2025-09-02T10:30:00", 10),
        ("2025-09-02T10:30:00Z", 10),
        ("2025-09-02T10:30:00+02:00", 8),
        ("2025-09-02T10:30:00-07:00", 17),
    ],
)
def test_a_time_without_a_zone_is_utc_and_any_other_is_converted(text: str, hour: int) -> None:
    start = CapacityBlock.model_validate(BLOCK | {"start": text}).start
    assert (start, start.tzinfo) == (datetime(2025, 9, 2, hour, 30, tzinfo=UTC), UTC)


@given(
    at=st.datetimes(datetime(2000, 1, 1), datetime(2029, 12, 30)),  # noqa: DTZ001 - zones are drawn
    minutes=st.integers(-14 * 60, 14 * 60),
)
def test_a_zone_never_moves_the_instant(at: datetime, minutes: int) -> None:
    zoned = at.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    start = CapacityBlock.model_validate(BLOCK | {"start": zoned}).start
    assert start == zoned
    assert start.tzinfo == UTC


def test_a_block_that_ends_as_it_begins_is_refused() -> None:
    with pytest.raises(ConfigError) as caught:
        validated_settings(
            {"capacity_blocks": [BLOCK | {"start": "2030-01-01T01:00:00+01:00"}]}, home=Path()
        )
    assert str(caught.value).endswith(": end 2030-01-01T00:00:00+00:00 is not after start")


def test_spaces_around_a_value_are_no_part_of_it() -> None:
    given = validated_settings(
        {"workloads": [{"name": " atlas "}], "cost": {"source": "cur2 "}}, home=Path()
    )
    assert (given.workloads[0].name, given.cost.source) == ("atlas", "cur2")
    with pytest.raises(ConfigError, match="all workloads together are called so"):
        validated_settings({"workloads": [{"name": " (portfolio)"}]}, home=Path())


def test_values_of_a_refused_table_are_written_as_toml_has_them() -> None:
    entry = {"date": date(2025, 8, 15), "kind": "upkeep", "amount": Decimal("1.50")}
    with pytest.raises(ConfigError) as caught:
        validated_settings({"investments": [entry]}, home=Path(), where="ours.toml")
    assert str(caught.value) == (
        "ours.toml: [[investments]] no. 1 = {date = 2025-08-15, kind = 'upkeep', amount = 1.50}: "
        "kind 'upkeep' takes amount_per_month"
    )


def test_a_day_is_settled_some_days_before_today() -> None:
    settings = validated_settings(
        {"as_of": date(2026, 3, 2), "cost": {"settle_days": 3}}, home=Path()
    )
    assert settings.last_settled == date(2026, 2, 27)


def test_a_relative_path_starts_at_the_folder_of_the_config(tmp_path: Path) -> None:
    settings = validated_settings({"warehouse": {"path": "x/../db/w.duckdb"}}, home=tmp_path)
    assert settings.warehouse_file == tmp_path.resolve() / "db" / "w.duckdb"
    assert settings.resolve("/abs/a.csv") == Path("/abs/a.csv")
