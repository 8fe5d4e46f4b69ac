"""Fiscal years and quarters."""

from __future__ import annotations

import pytest

from models.config.fiscal import Fiscal


@pytest.mark.parametrize(
    ("first", "named", "month", "year", "quarter", "quarters", "years"),
    [
        (1, "end", "2026-03", "FY2026", "Q1", ["2026-01", "2026-02", "2026-03"], 3),
        (1, "start", "2026-12", "FY2026", "Q4", ["2026-10", "2026-11", "2026-12"], 12),
        (2, "end", "2026-01", "FY2026", "Q4", ["2025-11", "2025-12", "2026-01"], 12),
        (2, "end", "2026-02", "FY2027", "Q1", ["2026-02"], 1),
        (7, "start", "2026-06", "FY2025", "Q4", ["2026-04", "2026-05", "2026-06"], 12),
        (10, "end", "2026-11", "FY2027", "Q1", ["2026-10", "2026-11"], 2),
    ],
)
def test_a_year_begins_where_the_config_says(
    first: int,
    named: str,
    month: str,
    year: str,
    quarter: str,
    quarters: list[str],
    years: int,
) -> None:
    fiscal = Fiscal.model_validate({"first_month": first, "named_after": named})
    assert (fiscal.year(month), fiscal.quarter(month)) == (year, quarter)
    assert fiscal.quarter_to_date(month) == quarters
    assert len(fiscal.year_to_date(month)) == years
    assert fiscal.year_to_date(month)[-1] == month
