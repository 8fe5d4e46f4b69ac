"""A month closed with an unknown investment: what the next one tells of it, on paper and published.

METHOD §8 A's baseline: an epoch costs $175.875 on GPU, so 4 epochs in 25 h at $16 save $303.50 each
month. The port run of June takes 10 h; without a price its cost is unknown, at $16 it is $160.
`silent` has no baseline, so no saving of it was ever claimed; its $500 were.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from models.closing import adjustment_causes, closing, draft
from models.closing.monthly_statement import Ask
from models.config.settings import Settings
from models.contract.schema import PORTFOLIO
from models.records.closes import Close
from tests.support.closing.derived_once import derived_once
from tests.support.world import World

D = Decimal
TRN1 = "trn1.32xlarge"
WHO = ("atlas-7b", "silent", PORTFOLIO)
PORT = {"workload": "atlas-7b", "run": "port"}
CONFIG = {
    "runs": [{"run": "port", "purpose": "port"}],
    "investments": [
        {"workload": "silent", "date": "2025-06-15", "kind": "partner", "amount": 500}
    ],
}  # fmt: skip


def delivered(folder: Path, *, rate: int) -> Settings:
    """The bill, with the port run's hours at `rate`; 0: on a Capacity Block without its fee."""
    world = World(folder)
    world.run("g1", "p4d.24xlarge", "2025-05-02T00:00:00", 100, 25, 10)
    world.run("g2", "p4d.24xlarge", "2025-05-12T00:00:00", 110, 25, 10)
    world.hours("2025-06-01T00:00:00", 10, TRN1, rate, PORT, ListCost=rate * 10)
    for run, month in (("t1", "06"), ("t2", "07"), ("t3", "08")):
        world.run(run, TRN1, f"2025-{month}-02T00:00:00", 25, 16, 4)
    world.run("s1", TRN1, "2025-06-02T00:00:00", 25, 16, 4, workload="silent")
    world.charge("2025-10-30T00:00:00", "1.00")
    return world.pulled(**CONFIG)


@pytest.fixture(scope="module")
def derivations() -> Iterator[list[Ask]]:
    with derived_once() as asked:
        yield asked


def adjusted(
    settings: Settings, month: str, derivations: list[Ask]
) -> tuple[Close, list[Decimal | None]]:
    """The close of `month` as it would be, and what it adjusts for each of `WHO`: told once.

    In the statement, and in the mart that a build of the same would publish.
    """
    made = draft.draft(settings, month).close
    summary = derivations[-1](
        f"SELECT workload, adjustments FROM monthly_summary WHERE month = '{month}'"
    )
    told = {row["workload"]: row["adjustments"] for row in summary}
    assert told == {who: made.statement.row(who)["adjustments"] for who in WHO}
    return made, [told[who] for who in WHO]


def spent(close: Close) -> list[tuple[object, ...]]:
    """What a statement says became of closed investments."""
    names = ("month", "workload", "closed", "adjusted_before", "now", "amount")
    rows = [row for row in close.statement.tables["adjustments"] if row["measure"] == "investment"]
    return [tuple(row[name] for name in names) for row in rows]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, derivations: list[Ask]) -> Path:
    """June is closed, and its investment is unknown."""
    folder = tmp_path_factory.mktemp("unknown")
    made = closing.close(delivered(folder, rate=0), "2025-06", by="C").close
    assert len(derivations) == 1
    june = [made.statement.row(who) for who in WHO]
    assert [(row["net_saving"], row["investment"], row["cumulative_net"]) for row in june] == [
        (D("303.50"), None, None), (None, 500, None), (D("303.50"), None, None),
    ]  # fmt: skip
    return folder


def test_an_investment_that_is_known_since_is_adjusted_once_and_in_full(
    folder: Path, derivations: list[Ask]
) -> None:
    still, moved = adjusted(delivered(folder, rate=0), "2025-07", derivations)
    assert moved == [None, 0, None]
    assert spent(still) == [("2025-06", who, None, 0, None, None) for who in (PORTFOLIO, WHO[0])]
    rows = still.statement.tables["adjustments"]
    assert {row["cause"] for row in rows} == {adjustment_causes.UNKNOWN}

    settings = delivered(folder, rate=16)
    known, moved = adjusted(settings, "2025-07", derivations)
    assert moved == [-160, 0, -660]
    assert spent(known) == [
        ("2025-06", PORTFOLIO, None, 0, 660, 660), ("2025-06", "atlas-7b", None, 0, 160, 160)
    ]  # fmt: skip
    assert known.statement.row("atlas-7b")["cumulative_net"] == 2 * D("303.50") - 160

    later, moved = adjusted(settings, "2025-08", derivations)
    assert (moved, later.statement.tables["adjustments"]) == ([0, 0, 0], [])
    past = [r for r in later.statement.tables["history"] if r["workload"] == "atlas-7b"]
    assert [row["adjustments"] for row in past] == [0, 0, -160, 0]

    closing.close(settings, "2025-07", by="C")
    assert adjusted(settings, "2025-08", derivations)[1] == [0, 0, 0]
    lost, moved = adjusted(delivered(folder, rate=0), "2025-08", derivations)
    assert moved == [None, 0, None]
    assert spent(lost)[1] == ("2025-06", "atlas-7b", None, 160, None, None)
