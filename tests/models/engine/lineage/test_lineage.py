"""The way of a number: every table between the delivered rows and a mart, or one of its columns."""

from __future__ import annotations

import inspect
import json
from collections.abc import Container, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from breakeven import main
from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract import schema
from models.contract.errors import ConfigError
from models.engine.lineage.lineage import Lineage, Station, lineage
from models.engine.lineage.origins import ROOT, Origin, origins
from models.engine.lineage.shared_machines import TABLES as DIVISION
from models.engine.lineage.tables import plan
from models.engine.warehouse import connection
from models.engine.warehouse.table_columns import columns_of
from models.marts import MARTS, SPEND_REDUCED
from tests.support.divided_machines import Machines

NUMBER = "break_even.runs_to_break_even"
GROUPED = [
    "BilledCost", "BillingAccountId", "BillingPeriodStart", "CapacityReservationId",
    "CapacityReservationStatus", "ChargeCategory", "ChargeClass", "ChargeDescription",
    "ChargePeriodEnd", "ChargePeriodStart", "ClusterName", "CommitmentDiscountId",
    "CommitmentDiscountStatus", "ConsumedUnit", "EffectiveCost", "HostResourceId",
    "InstanceType", "InvoiceId", "PricingCategory", "ProviderName", "RegionId", "ResourceId",
    "ServiceCategory", "ServiceName", "SkuMeter", "SubAccountId", "run", "workload",
]  # fmt: skip
"""The columns of a bill that lines are grouped by, on the way to any sum."""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return validated_settings({}, home=tmp_path_factory.mktemp("lineage"))


@pytest.fixture(scope="module")
def number(settings: Settings) -> Lineage:
    return lineage(NUMBER, settings)


def test_a_mart_is_made_from_the_tables_that_its_parameters_name(settings: Settings) -> None:
    steps = lineage("bills", settings).document()["steps"]
    steps = [steps[0], *steps[-3:]]
    assert [(step["name"], step["kind"], step["reads"]) for step in steps] == [
        ("charges", "delivered", []),
        ("spend_reduced", "step", ["charges", "divided_lines"]),
        ("billed_days", "step", ["spend_reduced"]),
        ("bills", "step", ["billed_days"]),
    ]
    assert all(step["columns"] is None for step in steps)
    files = [step["file"] for step in steps]
    assert files[0] == "models/contract/schema/delivered.py"
    assert [Path(file).name for file in files[1:]] == [
        "spend_reduced.py",
        "billed_days.py",
        "final_spend.py",
    ]


def test_a_column_is_made_from_those_columns_alone(settings: Settings) -> None:
    steps = lineage("bills.invoiced", settings).document()["steps"]
    columns = {step["name"]: step["columns"] for step in steps}
    assert {*GROUPED} <= {*columns["charges"]}
    assert "ListCost" not in columns["charges"]
    assert {name: columns[name] for name in ("spend_reduced", "billed_days", "bills")} == {
        "spend_reduced": [
            "billed_cost",
            "billing_account",
            "billing_period",
            "category",
            "date",
            "effective_cost",
            "invoiced",
        ],
        "billed_days": ["billing_account", "billing_period", "invoiced", "used"],
        "bills": ["invoiced"],
    }


def test_the_runs_to_break_even_end_at_columns_of_the_bill(number: Lineage) -> None:
    charges = number.stations["charges"]
    assert charges.reads == ()
    assert charges.columns is not None
    assert {"EffectiveCost", "ListCost", "run", "workload", "ChargePeriodStart"} <= {
        *charges.columns
    }
    last = list(number.stations)[-1]
    assert last == "break_even"
    assert number.stations[last].columns == ("runs_to_break_even",)
    assert {"standings", "remarks", "forecasts"} <= {*number.stations[last].reads}
    assert {"cumulative_net_saving", "recent_net_saving", "recent_runs"} <= {
        *(number.stations["standings"].columns or ())
    }


def test_what_a_number_has_nothing_to_do_with_is_not_on_its_way(number: Lineage) -> None:
    assert not {"jobs", "utilisation", "freshness", "tie_out", "queries"} & number.stations.keys()
    assert "Tags" not in (number.stations["charges"].columns or ())


def test_every_table_follows_all_that_it_reads(number: Lineage) -> None:
    order = list(number.stations)
    for name, station in number.stations.items():
        assert all(order.index(read) < order.index(name) for read in station.reads), name


def test_every_step_names_a_file_of_the_repository_and_what_it_means() -> None:
    for origin in origins().values():
        assert (ROOT / origin.file).is_file(), origin
        assert origin.meaning, origin
        assert "\n" not in origin.meaning


def test_what_a_mart_means_is_the_first_line_of_its_docstring() -> None:
    known = origins()
    for mart in (SPEND_REDUCED, *MARTS):
        assert known[mart.__name__].meaning == (inspect.getdoc(mart) or "").splitlines()[0]


def test_every_table_of_the_contract_has_an_origin() -> None:
    named = {
        **schema.DELIVERED,
        **schema.CONFIG,
        **schema.BESIDE,
        **schema.MARTS,
        **schema.EXPLAINERS,
    }
    assert named.keys() - origins().keys() == {"snapshot", "queries"}  # written at the end


@pytest.mark.parametrize("name", ["machine_lines", "tagged_lines", "pod_lines"])
def test_the_lines_that_jobs_are_divided_among_come_from_the_bill(
    settings: Settings, name: str
) -> None:
    assert [*lineage(name, settings).stations] == ["charges", name]


def test_a_shared_table_is_drawn_once_and_referred_to_after_that() -> None:
    def station(name: str, *reads: str, columns: tuple[str, ...] = ()) -> Station:
        return Station(Origin(name, "step", f"{name}.py", f"Makes {name}.", "§2"), columns, reads)

    stations = {
        "a": station("a", columns=("x", "y")),
        "b": station("b", "a"),
        "c": station("c", "a", "b", columns=("z",)),
    }
    assert Lineage("c.z", stations).lines() == [
        "c: z",
        "│  c.py (METHOD §2)",
        "│  Makes c.",
        "├─ a: x, y",
        "│     a.py (METHOD §2)",
        "│     Makes a.",
        "└─ b",
        "   │  b.py (METHOD §2)",
        "   │  Makes b.",
        "   └─ a (above)",
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("brake_even", "no table of this name: brake_even (did you mean break_even?)"),
        ("bills.invoyced", "bills has no column of this name: invoyced (did you mean invoiced?)"),
    ],
)
def test_a_name_that_is_none_gets_the_nearest_one(settings: Settings, name: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        lineage(name, settings)
    assert "\n" not in str(caught.value)
    assert said.split(":")[0] in str(caught.value)
    assert said.rsplit("did you mean ")[1].rstrip("?)") in str(caught.value)


@pytest.mark.parametrize("name", [".roi", "tie_out.", "tie_out.month.x", "a.b.c"])
def test_what_is_neither_a_mart_nor_a_column_is_refused_in_one_short_line(
    settings: Settings, name: str
) -> None:
    with pytest.raises(ConfigError, match="of this name") as caught:
        lineage(name, settings)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_the_verb_prints_a_tree_or_json(tmp_path: Path) -> None:
    (tmp_path / "breakeven.toml").write_text("as_of = 2025-10-31\n")
    asked = ["lineage", "restatements", "--config", str(tmp_path / "breakeven.toml")]
    told = CliRunner().invoke(main, asked)
    assert told.exit_code == 0, told.output
    assert [line.strip("│├└─ ") for line in told.output.splitlines()][0::3] == [
        "restatements",
        "restated_totals",
    ]
    document = json.loads(CliRunner().invoke(main, [*asked, "--json"]).output)
    assert document["name"] == "restatements"
    assert [step["name"] for step in document["steps"]] == ["restated_totals", "restatements"]


def test_the_verb_refuses_an_unknown_name_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "breakeven.toml").write_text("as_of = 2025-10-31\n")
    asked = ["lineage", "brake_even", "--config", str(tmp_path / "breakeven.toml")]
    refused = CliRunner().invoke(main, asked)
    assert refused.exit_code == 1
    assert refused.stdout == ""
    assert len(refused.stderr.splitlines()) == 1
    assert "break_even" in refused.stderr


def test_the_longest_way_of_a_published_number_is_as_docs_say(settings: Settings) -> None:
    """Twenty tables to the sums of the bill by day, three more where jobs divide its lines."""
    found = {name: lineage(name, settings).stations for name in schema.MARTS}
    assert max(way(name, stations, DIVISION) for name, stations in found.items()) == 20
    assert max(way(name, stations) for name, stations in found.items()) == 23


def way(name: str, stations: Mapping[str, Station], given: Container[str] = ()) -> int:
    """The most tables on the way from a published one, counted in, to delivered or given ones."""
    length: dict[str, int] = {}
    for table, station in stations.items():  # a table stands behind those that it reads
        stored = station.origin.kind == "delivered" or table in given
        behind = max((length[read] for read in station.reads), default=0)
        length[table] = 0 if stored else behind + 1
    return length[name]


HELD = ["pools", "runs", "spend_daily", "allocation_coverage", "over_allocated_periods", "run_jobs"]


@pytest.mark.parametrize("name", HELD)
def test_held_hours_lead_to_the_allocations_that_were_delivered(
    settings: Settings, name: str
) -> None:
    lines = lineage(name, settings).lines()
    leaf = next(number for number, line in enumerate(lines) if line.endswith("─ allocations"))
    assert lines[leaf + 1].endswith("models/contract/schema/delivered.py")
    said = "Delivered rows, read by the formats allocations, observed_allocations."
    assert lines[leaf + 2].endswith(said)


def test_the_hours_of_a_pool_that_jobs_held_come_from_columns_of_the_allocations(
    settings: Settings,
) -> None:
    stations = lineage("pools.held_hours", settings).stations
    told = {"cluster", "resource", "held_from", "held_to", "accelerators", "of", "share", "run"}
    assert told <= {*(stations["allocations"].columns or ())}
    assert "labels" not in (stations["allocations"].columns or ())
    held = stations["held_intervals"]
    assert (held.origin.file, held.reads) == (
        "models/engine/allocations/held_intervals.py",
        ("allocations", "progress"),
    )


STORED_BY = {"delivery", "source", "mark", "given_workload", "given_run"}
"""Columns of stored tables by which a build finds what changed."""


def test_the_tables_of_the_division_have_the_columns_that_lineage_names(tmp_path: Path) -> None:
    with connection.in_memory() as backend:
        machines = Machines(backend, tmp_path, tags={"extra": ["team"]})
        machines.divide([], [])
        expressions = plan(machines.settings, DIVISION)
        for name in DIVISION.keys() - {"held_jobs", "held_times", "allocation_days"}:
            stored = columns_of(backend, name).keys() - STORED_BY
            assert {*expressions[name].columns} == stored, name
    for name in ("held_jobs", "held_times", "allocation_days"):
        assert {*expressions[name].columns} == {*schema.BESIDE[name]}
