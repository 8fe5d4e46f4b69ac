"""The build with its reduction on Spark, against DuckDB: the same numbers; and what may go wrong.

One Spark serves the whole file. It is a cluster of two worker processes on this machine.
"""

from __future__ import annotations

import gc
import random
import shutil
import socket
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from breakeven import main
from ingest import pull
from models.config.settings import Settings
from models.contract.errors import EngineError
from models.engine import build, publication
from models.engine.spark import cluster as spark
from models.engine.spark.cluster import Cluster
from models.formats.bill import cur2
from models.formats.bill.cur2 import columns as cur2_columns
from tests.support.world import Marts, World, write

pytestmark = pytest.mark.slow
SAMPLE = Path(__file__).parents[4] / "data" / "sample"
MONTHS = {
    "release-1-0": SAMPLE / "focus-1-0/data/BILLING_PERIOD=2025-08",
    "release-1-2": SAMPLE / "focus-1-2/data/BILLING_PERIOD=2026-01",
}

JAVA = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
QUICK = f"""
spark.sql.shuffle.partitions 2
spark.sql.adaptive.enabled false
spark.sql.constraintPropagation.enabled false
spark.sql.codegen.wholeStage false
spark.sql.codegen.factoryMode NO_CODEGEN
spark.driver.extraJavaOptions {JAVA}
spark.executor.extraJavaOptions {JAVA}
"""
"""For a minute of little work: no time spent on making Java fast, on writing or verifying it, or on
planning twice (the simulator's Spark writes and plans as a user's does, for eighteen months)."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pytest.importorskip("pyspark")
    folder = tmp_path_factory.mktemp("spark")
    (folder / "spark-defaults.conf").write_text(QUICK)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("SPARK_CONF_DIR", str(folder))
        with spark.cluster("local-cluster[2,1,1024]", folder) as found:
            yield found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """METHOD §8 A as CSV, a month of each FOCUS release, and doubles between two billionths.

    Two hours of t1 are refunded without its tag, by resource and by usage type. Built on DuckDB.
    """
    world = World(tmp_path_factory.mktemp("world"))
    for name, day in (("g1", "2025-05-02"), ("g2", "2025-05-12")):
        world.run(name, "p4d.24xlarge", f"{day}T00:00:00", 100, 25, 10)
    world.run("t1", "trn1.32xlarge", "2025-09-02T00:00:00", 25, 16, 4)
    for hours, told in ((1, {"workload": "atlas-7b", "run": "t1"}), (-1, {})):
        said = {"ResourceId": "i-1", "ChargeClass": "Correction" if hours < 0 else ""}
        world.hours("2025-09-03T01:00:00", hours, "trn1.32xlarge", 16, told, **said)
        said |= {"ResourceId": "", "SubAccountId": "999900000002"}
        world.hours("2025-09-03T02:00:00", hours, "trn1.32xlarge", 16, told, **said)
    doubles(world.folder / "doubles" / "focus.parquet")
    bills = {"csv": "bill.csv", "doubles": "doubles", **MONTHS}
    rule = {"match": {"Name": "atlas-*"}, "workload": "atlas-13b", "from": "2025-07-01"}
    return world.build(
        as_of="2026-10-31",
        sources=[
            *({"kind": "focus", "name": k, "location": str(at)} for k, at in bills.items()),
            {"kind": "progress_file", "location": "progress.csv"},
        ],
        tags={"extra": ["team"]},
        tag_rules=[rule],
    )


def doubles(path: Path) -> None:
    """A month of costs that end in half a billionth, or nearly: where engines round apart."""
    draw = random.Random(7)
    path.parent.mkdir()
    costs = [(draw.randrange(10 ** draw.randrange(1, 13)) + 0.5) / 1e9 for _ in range(3000)]
    costs += [draw.uniform(-50, 50) for _ in range(1000)]
    count = len(costs)
    hours = pa.array([f"2026-03-{1 + n % 28:02}T00:00:00Z" for n in range(count)])
    columns = {
        "BillingAccountId": ["999900000009"] * count,
        "BillingPeriodStart": ["2026-03-01T00:00:00Z"] * count,
        "ChargePeriodStart": hours,
        "BillingCurrency": ["USD"] * count,
        "ChargeCategory": ["Usage"] * count,
        "SkuMeter": [f"BoxUsage:trn1.{n}" for n in range(count)],
        "ConsumedQuantity": [cost * 1e6 for cost in costs],
        "CommitmentDiscountId": pa.nulls(count),  # as pandas writes it
        "Tags": [[{"key": "workload", "value": "listed"}]] * count,
        **dict.fromkeys(("BilledCost", "EffectiveCost", "ListCost", "ContractedCost"), costs),
    }
    pq.write_table(pa.table(columns), path)


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """The month of `report` through the ordinary path, on DuckDB."""
    world = World(tmp_path_factory.mktemp("report"))
    report(world.folder / "report" / "cur2.parquet")
    return world.build(
        as_of="2026-10-31",
        sources=[{"kind": "cur2", "location": "report"}],
        cost={"source": "cur2"},
        tags={"extra": ["team"]},
    )


def report(path: Path) -> None:
    """A month of CUR 2.0, every amount of every line item type drawn; one payer has no net."""
    draw = random.Random(11)
    path.parent.mkdir()
    kinds = ["Usage", "Fee", "Refund", "EdpDiscount", "Tax", *cur2.NEEDED, "RIFee"]
    payers = ("999900000008", "999900000009")
    lines = []
    for number, (kind, payer) in enumerate([(k, p) for k in kinds for p in payers] * 20):
        amounts: dict[str, float | None] = {
            name: draw.choice((draw.uniform(-9, 9), (draw.randrange(10**9) + 0.5) / 1e9))
            for name in cur2_columns.AMOUNTS
        }
        silent = [n for n in cur2_columns.NET_AMOUNTS if payer == payers[0] or draw.random() < 0.3]
        line = {
            **amounts,
            **dict.fromkeys(silent),
            cur2_columns.PAYER: payer,
            cur2_columns.PERIOD: datetime(2026, 3, 1, tzinfo=UTC),
            cur2_columns.TYPE: kind,
            cur2_columns.METER: draw.choice(("BoxUsage:trn1.2xlarge", "EKS-EC2-vCPU-Hours", "")),
            cur2_columns.PARENT: draw.choice(("i-1", None)),
            cur2_columns.RESERVATION: draw.choice(("arn:reserved-instances/1", None)),
            "line_item_resource_id": draw.choice(("i-1", "i-2")),
            "line_item_usage_start_date": datetime(2026, 3, 1 + number % 3, 5, tzinfo=UTC),
            "line_item_usage_end_date": datetime(2026, 3, 1 + number % 3, 6, tzinfo=UTC),
            "line_item_usage_amount": draw.uniform(0, 1),
            "line_item_currency_code": "USD",
            "resource_tags": [("user_run", draw.choice("ab")), ("user_team", "c")],
            "product": [("region_code", "us-east-1")],
        }
        lines.append(line)
    maps = dict.fromkeys(("resource_tags", "product"), pa.map_(pa.string(), pa.string()))
    held = pa.Table.from_pylist([line | dict.fromkeys(maps) for line in lines]).schema
    columns = [pa.field(field.name, maps.get(field.name, field.type)) for field in held]
    pq.write_table(pa.Table.from_pylist(lines, schema=pa.schema(columns)), path)


def contents(settings: Settings) -> dict[str, list[str]]:
    """Every row of every published table, and of the reduction."""
    marts = Marts(settings)
    found = {name: marts.rows(f'FROM "{name}"') for name in publication.published_tables()}
    with duckdb.connect(str(settings.warehouse_file), read_only=True) as warehouse:
        found["spend_reduced"] = warehouse.sql("FROM spend_reduced").fetchall()
    return {name: sorted(map(repr, rows)) for name, rows in found.items()}


def afresh(settings: Settings) -> None:
    settings.warehouse_file.unlink()
    shutil.rmtree(settings.data / "snapshots")


@pytest.mark.spark
@pytest.mark.parametrize(
    ("bills", "deliveries", "rows"), [("built", 4, 4000), ("reported", 1, 200)]
)
def test_every_number_is_the_same_on_spark(
    request: pytest.FixtureRequest, cluster: Cluster, bills: str, deliveries: int, rows: int
) -> None:
    marts: Marts = request.getfixturevalue(bills)
    settings = marts.settings
    here = contents(settings)
    identity = marts.row("SELECT snapshot_id FROM snapshot")
    afresh(settings)
    remote = build.build(settings, cluster=cluster)
    there = contents(settings)
    assert remote.reduced == deliveries
    assert len(here["spend_reduced"]) > rows
    for name, told in here.items():
        assert there[name] == told, name
    assert remote.snapshot_id == identity["snapshot_id"]


@pytest.mark.spark
def test_engines_take_turns_without_counting_or_reducing_twice(
    world: World, cluster: Cluster
) -> None:
    def spent() -> Any:  # noqa: ANN401
        return Marts(settings).row("SELECT sum(billed_cost) AS spent FROM spend_daily")["spent"]

    world.charge("2025-09-02T00:00:00", "12.34", x_UsageType="Requests-Tier1")
    settings = world.build().settings
    assert build.build(settings, cluster=cluster).reduced == 0
    world.charge("2025-09-03T00:00:00", "1.10", x_UsageType="Requests-Tier1")
    write(world.folder / "bill.csv", world.charges)
    pull.pull(settings).raise_failures()
    assert build.build(settings, cluster=cluster).reduced == 1
    assert spent() == Decimal("13.44")
    assert build.build(settings).reduced == 0
    assert spent() == Decimal("13.44")


@pytest.mark.spark
def test_times_are_read_as_duckdb_reads_them(world: World, cluster: Cluster) -> None:
    """Without seconds, and, in Parquet, in nanoseconds, of which the 500th makes the next day."""
    texts = (
        "2025-09-02T12:00Z",
        "2025-09-02 09:05",
        "2025-09-02T23:30-01:00",
        "2025-09-04T12:00:30Z",
    )
    for cents, text in enumerate(texts, start=1):
        world.charge("2025-09-01", f"0.0{cents}", x_UsageType="Requests-Tier1")
        world.charges[-1] |= {"ChargePeriodStart": text, "ChargePeriodEnd": ""}
    last = [f"2025-09-05T23:59:59.{nano}" for nano in ("999999499", "999999500")]
    line = {name: [value] * 2 for name, value in world.charges[0].items() if "Account" not in name}
    line |= {"ChargePeriodStart": pa.array(last).cast(pa.timestamp("ns")), "BilledCost": [8.0, 9.0]}
    (world.folder / "exact").mkdir()
    pq.write_table(pa.table(line), world.folder / "exact" / "focus.parquet")
    bills = [("bill.csv", "texts"), ("exact", "exact")]
    settings = world.build(
        sources=[{"kind": "focus", "name": name, "location": at} for at, name in bills],
    ).settings
    daily = "SELECT date, sum(billed_cost) AS spent FROM spend_daily GROUP BY date ORDER BY date"
    here = [tuple(row.values()) for row in Marts(settings).rows(daily)]
    spent = {2: "0.03", 3: "0.03", 4: "0.04", 5: "8", 6: "9"}
    assert here == [(date(2025, 9, day), Decimal(cost)) for day, cost in spent.items()]
    afresh(settings)
    assert build.build(settings, cluster=cluster).reduced == 2
    assert [tuple(row.values()) for row in Marts(settings).rows(daily)] == here


@pytest.mark.spark
def test_a_file_that_a_worker_does_not_find_is_named(cluster: Cluster, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"could not reduce .*spark\.log") as caught:
        cluster.reduced("SELECT 1", "nothing", [tmp_path / "none.parquet"])
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.spark
def test_files_that_spark_cannot_read_as_one_are_told_by_their_column(
    cluster: Cluster, tmp_path: Path
) -> None:
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, cost in zip(paths, (1, 1.5), strict=True):
        pq.write_table(pa.table({"Tags": ["x"], "BilledCost": [cost]}), path)
    told = r"BilledCost is int64 in a\.parquet and double in b\.parquet .*`breakeven build` does it"
    with pytest.raises(EngineError, match=told):
        cluster.reduced("SELECT 1", "nothing", paths)


def refused(world: World, *options: str) -> str:
    """The one line with which a build on Spark ends."""
    config = world.folder / "breakeven.toml"
    config.write_text('[[sources]]\nkind = "focus"\nlocation = "bill.csv"\n')
    result = CliRunner().invoke(
        main, ["build", "--config", str(config), "--engine", "spark", *options]
    )
    assert (result.exit_code, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    return line


def test_without_pyspark_it_says_what_to_install(
    bill: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    line = refused(bill)
    assert "pip install 'pyspark==4.*'" in line
    assert "Java 17" in line


def test_a_master_that_does_not_answer_is_named(bill: World) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    line = refused(bill, "--master", f"spark://127.0.0.1:{port}")
    assert f"127.0.0.1:{port}" in line
    assert "--master" in line


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_without_java_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "none"))
    with (
        spark.cluster("local[1]", tmp_path) as nowhere,
        pytest.raises(EngineError, match=r"did not start.*install Java 17") as caught,
    ):
        nowhere.reduced("SELECT 1", "nothing", [tmp_path / "none.parquet"])
    assert "\n" not in str(caught.value)
    del caught
    gc.collect()  # PySpark leaves the pipe to a Java that ended open: let it go here
