"""The flags of a row are the names of the conditions that hold."""

from __future__ import annotations

from models.contract.rules.flag_list import flag_list
from tests.support.marts.hand_written_tables import table


def test_flags_keep_their_order_and_an_unknown_condition_does_not_hold() -> None:
    given = table(
        {"odd": "boolean", "late": "boolean"},
        {"odd": True, "late": True},
        {"odd": False, "late": None},
    )
    found = given.select(flags=flag_list({"odd": given.odd, "late": given.late}))
    assert found.to_pyarrow().to_pylist() == [{"flags": ["odd", "late"]}, {"flags": []}]
