"""Months and days."""

from __future__ import annotations

from datetime import date

from ingest import billing_months


def test_a_month_ends_where_the_next_begins() -> None:
    assert billing_months.bounds("2026-02") == (date(2026, 2, 1), date(2026, 3, 1))
    assert billing_months.bounds("2026-12") == (date(2026, 12, 1), date(2027, 1, 1))


def test_months_include_both_ends() -> None:
    found = billing_months.months(date(2025, 11, 30), date(2026, 2, 1))
    assert found == ["2025-11", "2025-12", "2026-01", "2026-02"]


def test_counting_months_back_crosses_years() -> None:
    assert billing_months.months_before(date(2026, 1, 31), 0) == date(2026, 1, 1)
    assert billing_months.months_before(date(2026, 1, 31), 13) == date(2024, 12, 1)


def test_days_include_both_ends() -> None:
    assert len(list(billing_months.days(date(2026, 2, 27), date(2026, 3, 1)))) == 3
    assert not list(billing_months.days(date(2026, 3, 2), date(2026, 3, 1)))
