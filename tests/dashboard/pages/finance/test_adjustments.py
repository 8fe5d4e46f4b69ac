"""Why closed months changed, in plain words, and once for all figures that it moved."""

from __future__ import annotations

from typing import Any

from dashboard.pages.finance.statement_tables import adjustments
from models.contract.schema import PORTFOLIO
from tests.support.dashboard.text import text
from tests.support.documents.papers import paper


def test_a_cause_is_said_once_a_month_and_in_plain_words() -> None:
    (first, *_) = paper().statement.tables["adjustments"]
    moved: dict[str, Any] = {
        **first, "kind": "workload", "measure": "net_saving", "workload": PORTFOLIO,
        "cause": "progress_file was delivered again",
    }  # fmt: skip
    rows = [moved, moved | {"workload": "atlas"}, moved | {"month": "2020-01"}]
    said = text(adjustments(rows))
    told, _, every = said.partition("All 3 figures")
    for shown in (told, every):
        assert shown.count("progress in files was delivered again") == 2
        assert shown.count("the same") == 1
    assert "progress_file" not in said
