"""What a drop-down list holds of an address that names something unknown."""

from __future__ import annotations

from dashboard.widgets.controls import one_of


def test_a_value_nobody_knows_stays_chosen() -> None:
    pick = one_of({"choice": "month"}, "Month", {"2025-06": "Jun 2025"}, "2031-01").children[-1]
    assert pick.value == "2031-01"
    assert [option["value"] for option in pick.options] == ["2031-01", "2025-06"]


def test_known_values_keep_their_order() -> None:
    labels = {"2025-06": "Jun 2025", "2025-05": "May 2025"}
    pick = one_of({"choice": "month"}, "Month", labels, "2025-05").children[-1]
    assert [option["label"] for option in pick.options] == ["Jun 2025", "May 2025"]
