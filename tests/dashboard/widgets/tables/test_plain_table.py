from __future__ import annotations

from decimal import Decimal

from dashboard.widgets.serialisation import to_plain
from dashboard.widgets.tables.plain_table import WORDY, listing
from tests.support.dashboard.text import text


def test_only_long_text_breaks_on_a_phone() -> None:
    row = ["run", "n" * WORDY, "n" * (WORDY + 1), Decimal("1234.5")]
    table = listing("Runs", ["Run", "Short", "Long", "Cost, $"], [row], words=3)
    body = to_plain(table)["props"]["children"]["props"]["children"][1]["props"]["children"]
    cells = [cell["props"].get("className") for cell in body[0]["props"]["children"]]
    assert cells == [None, "", "wordy", "number"]
    assert text(table).endswith("1,234.50")
