"""Groups of a comparison by their values, as a test asks for them."""

from __future__ import annotations

from dashboard.address.view import View
from dashboard.pages.compare import queries as compare_queries
from tests.support.dashboard.days import Row

Key = tuple[str | None, str | None]


def groups(**asked: object) -> dict[Key, Row]:
    return {(row["by"], row["then"]): row for row in compare_queries.comparison(View.parse(asked))}
