"""METHOD §5: a lineage on GPU qualifies once it has ended and all of its work is known."""

from __future__ import annotations

from decimal import Decimal

import pytest

from models.contract.rules.work.lineage_qualifies import qualifies, unknown_work
from tests.support.marts.hand_written_tables import rows, table

BOOLEANS = (
    *("on_gpu", "ended", "reports", "reports_progress"),
    *("reported_late", "partly_reported"),
)
WHOLE = dict.fromkeys(BOOLEANS[:4], True) | dict.fromkeys(BOOLEANS[4:], False)


@pytest.mark.parametrize(
    ("lineage", "counts", "words"),
    [
        ({}, True, None),
        ({"work": Decimal("0.9")}, True, None),
        ({"work": Decimal("0.899999999")}, False, None),
        ({"on_gpu": False}, False, None),
        ({"ended": False}, False, None),
        ({"reports": False}, False, "that never reported"),
        ({"reports_progress": False}, False, "that reported no progress"),
        ({"reported_late": True}, False, "whose reporting began late"),
        ({"partly_reported": True}, False, "with a part that never reported"),
        ({"reported_late": True, "reports": False}, False, "that never reported"),
        ({"reported_late": True, "partly_reported": True}, False, "whose reporting began late"),
    ],
)
def test_a_lineage_counts_or_the_gravest_reason_is_given(
    lineage: dict[str, object], counts: bool, words: str | None
) -> None:
    given = table(
        dict.fromkeys(("work", "least"), "decimal(38, 9)") | dict.fromkeys(BOOLEANS, "boolean"),
        {"work": 3, "least": Decimal("0.9"), **WHOLE, **lineage},
    )
    found = given.select(
        counts=qualifies(given, given.work, given.least), words=unknown_work(given)
    )
    assert rows(found, "counts", "words") == [(counts, words)]
