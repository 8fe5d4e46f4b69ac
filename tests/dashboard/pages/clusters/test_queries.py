"""Clusters over a node that was really divided, against the hours of its allocations."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
from flask import Flask

from dashboard.address.view import View
from dashboard.pages.clusters import queries
from dashboard.pages.clusters.wording import clusters_sentence
from dashboard.server.downloads import add_downloads
from dashboard.server.identity.gate import add_identity
from dashboard.snapshot.context import attach_data
from dashboard.snapshot.rows import range_of, read_rows
from tests.support.shared_node import shared_node
from tests.support.some_marts import published
from tests.support.world import Marts

POOL = "hpc/trn1.32xlarge"
FIRST_DAY = View(start=date(2025, 9, 1), end=date(2025, 9, 1))


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    return published(shared_node(tmp_path_factory.mktemp("node")), "pool_use", "run_jobs", "runs")


@pytest.fixture
def server(node: Marts) -> Iterator[Flask]:
    server = Flask("clusters")
    attach_data(server, node.settings)
    add_identity(server, node.settings)
    add_downloads(server)
    with server.app_context():
        yield server


def test_a_pool_is_what_was_held_what_nobody_known_held_and_what_stood_idle(server: Flask) -> None:
    (pool,) = queries.pools(View())
    hours = [pool[f"{name}hours"] for name in ("", "held_", "unknown_", "idle_")]
    assert hours == [48 * 16, 12 * 16, 6 * 16, 30 * 16]
    assert [pool[name] for name in ("cost", "idle_cost")] == [768, 480]
    assert pool["unsettled_hours"] == 0
    assert queries.missing_allocations(View()) == {"cost": 0, "days": 0, "early_days": 0}
    assert [(row["holding"], row["cost"]) for row in queries.idle_reasons(View())] == [
        ("idle", 384),
        ("drained", 96),
    ]


def test_a_reason_of_days_that_have_not_settled_is_no_reason_yet(server: Flask) -> None:
    of = "(SELECT * REPLACE (settled AND holding <> 'drained' AS settled) FROM pool_use)"
    pools, reasons = (
        read_rows(sql.replace("pool_use", of), **range_of(View()))
        for sql in (queries.POOLS, queries.REASONS)
    )
    assert [row["holding"] for row in reasons] == ["idle"]
    said = clusters_sentence(pools, reasons, whole=True)
    assert said.endswith("stood idle (57\u00a0%), because no job held them.")


def test_a_range_counts_its_own_days(server: Flask) -> None:
    (pool,) = queries.pools(FIRST_DAY)
    assert (pool["hours"], pool["held_hours"], pool["idle_cost"]) == (384, 192, 192)
    assert {row["begins"] for row in queries.use(FIRST_DAY, POOL, "day")} == {date(2025, 9, 1)}
    assert queries.pools(View(start=date(2025, 11, 1))) == []


def test_who_held_it_adds_up_to_the_pool(server: Flask) -> None:
    rows = queries.holders(View(), POOL)
    assert [(row["holding"], row["workload"], row["hours"]) for row in rows] == [
        ("held", "atlas-7b", 192),
        ("unknown", None, 96),
        ("idle", None, 384),
        ("drained", None, 96),
    ]
    assert sum(row["cost"] for row in rows) == 768


def test_a_run_of_a_pool_has_its_jobs_and_their_wait(server: Flask) -> None:
    (run,) = queries.runs(View(), POOL)
    assert (run["run"], run["jobs"], run["names"], run["waited"]) == ("a1", 2, ["1", "2"], 3)
    assert (run["hours"], run["cost"], run["found"]) == (192, 192, 1)
    assert queries.runs(View(workload="nobody"), POOL) == []
    (chip,) = queries.waits(View())
    assert (chip["hardware"], chip["jobs"], chip["timed"]) == ("trainium", 2, 1)
    assert chip["waited"] == [3, 3]
    (month,) = queries.waits_by_month(View()).items()
    assert (month[0], month[1]["median"]) == (("2025-09", "hpc", "trn1"), 3)
    assert queries.names() == [{"cluster": "hpc", "instance_type": "trn1.32xlarge"}]


def test_a_pool_lists_jobs_on_its_own_machines_only(server: Flask) -> None:
    elsewhere = "CASE WHEN job = '2' THEN 'p4d.24xlarge' ELSE instance_type END AS instance_type"
    sql = queries.RUNS.replace("run_jobs", f"(SELECT * REPLACE ({elsewhere}) FROM run_jobs)")
    cluster, instance_type = POOL.split("/")
    pool = {"cluster": cluster, "instance_type": instance_type, "workload": ""}
    (run,) = read_rows(sql, **pool, **range_of(View()))
    assert (run["jobs"], run["names"], run["hours"]) == (1, ["1"], 192)


def test_what_has_no_price_is_unknown_and_not_nothing(server: Flask) -> None:
    sql = queries.POOLS.replace("pool_use", "(SELECT * REPLACE (NULL AS cost) FROM pool_use)")
    (pool,) = read_rows(sql, **range_of(View()))
    assert (pool["cost"], pool["idle_cost"], pool["hours"]) == (None, None, 768)


def test_the_csv_has_a_line_for_each_pool_and_month(server: Flask) -> None:
    client = server.test_client()
    lines = client.get("/csv/pools").get_data(as_text=True).splitlines()
    assert not any("0E-" in line for line in lines), "0 is written with an exponent"
    assert lines[0].startswith("month,cluster,instance_type,hardware,platform,hours,held_hours")
    assert lines[1].startswith("2025-09,hpc,trn1.32xlarge,trainium,trn1,768.000000000,192.0")
    assert len(lines) == 2
    empty = client.get("/csv/pools?from=1999-01-01&to=1999-01-01").get_data(as_text=True)
    assert empty.splitlines() == lines[:1]
