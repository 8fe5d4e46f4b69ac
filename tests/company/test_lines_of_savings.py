"""What cumulative net savings deduct stands on the company's bill, to the cent."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal

import duckdb
import pytest

from models.config.settings import Settings
from models.engine.source_lines.bill_lines import bill_lines
from models.engine.source_lines.first_lines import FirstLines
from models.engine.warehouse.snapshots import Snapshots
from tests.support.company import built

D = Decimal
STATED = ("engineering", "partner", "tooling", "dual_run", "funding")
BLOCK = D("858.2592")
"""The part of a Capacity Block's fee in the number: its hours cost $0 on the bill."""
RAN = D("97.269376")
"""What of it ran; the rest is idle commitment."""


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return built(tmp_path_factory)


def deducted(settings: Settings, workload: str = "") -> Decimal:
    """The bill's part of a number: what GPU would have cost, less what is left and is stated."""
    published = Snapshots(settings.data / "snapshots").current()
    with duckdb.connect(f"{published}", read_only=True) as connection:
        ((amount,),) = connection.execute(
            """SELECT (SELECT sum(counterfactual) FROM savings_daily
                       WHERE settled AND $of IN ('', workload))
                 - (SELECT cumulative_net FROM break_even
                    WHERE workload = coalesce(nullif($of, ''), '(portfolio)'))
                 - (SELECT sum(upkeep) FROM savings_daily WHERE $of IN ('', workload))
                 - (SELECT sum(amount) FROM investments
                    WHERE date <= (FROM (SELECT settled_through FROM snapshot))
                      AND list_contains($stated, kind) AND $of IN ('', workload))""",
            {"of": workload, "stated": STATED},
        ).fetchall()
    return Decimal(amount)


def read(settings: Settings, where: str) -> tuple[FirstLines, dict[str, Decimal], set[str]]:
    """The sums of the lines behind some counted costs, those of each bucket, and whose they are."""
    with bill_lines(settings, where, {}, "effective", counted=True) as lines:
        found = lines.first()
        table = lines.batches().read_all()
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    columns = (table.column(name).to_pylist() for name in ("attribution", "effective_cost"))
    for bucket, cost in zip(*columns, strict=True):
        sums[bucket] += cost
    return found, dict(sums), set(table.column("workload").to_pylist())


def test_the_lines_behind_cumulative_net_savings_are_what_they_deduct(company: Settings) -> None:
    """All idle of the plan falls on Trainium; a volume of a month has GPU runs, too."""
    found, sums, workloads = read(company, "true")
    assert found.lines == sum(sums.values())
    assert (found.idle, found.spread) == (0, BLOCK)
    assert found.lines + found.elsewhere + BLOCK == found.number == deducted(company)
    assert sums["idle_commitment"] == D("3839.562720")
    assert sums["cluster_idle"] == D("1282.240000008")
    assert workloads & {"cinder-3b", "harbor-70b"} == set()


def test_of_idle_machines_and_plans_a_workload_has_its_part(company: Settings) -> None:
    found, sums, workloads = read(company, "workload = 'atlas-13b'")
    assert workloads == {"atlas-13b", None}
    borne = D("2568.276601998") - BLOCK + RAN + D("652.324338922")
    assert found.idle == borne - sums["idle_commitment"] - sums["cluster_idle"]
    assert found.lines is not None
    assert found.lines + found.elsewhere + found.idle + BLOCK == deducted(company, "atlas-13b")
