"""The files of a head node become one delivery per cluster and UTC day."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from ingest.pull import Report, pull
from models.config.settings import Settings
from models.contract.errors import ConfigError
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured
from tests.support.slurm.printed import DAY, asked, at, job, printed

NEXT = date(2026, 10, 31)
NODES = "cluster,node,instance_id,instance_type,cpus,from,to\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "slurm"
    made.mkdir()
    (made / "nodes.csv").write_text(f"{NODES}atlas,p5-1,i-1,p5.48xlarge,192,{at('08:00')},\n")
    return made


def pulled(configured: Configured, **options: object) -> tuple[Settings, Report]:
    settings = configured({"kind": "slurm", "location": "slurm", **options})
    return settings, pull(settings, ["slurm"])


def days(settings: Settings) -> dict[str, list[dict[str, Any]]]:
    live = RawZone(settings.data / "raw").live("observed_allocations")
    return {
        d.key.period: [row for path in d.paths for row in pq.read_table(path).to_pylist()]
        for d in live
    }


def notices(report: Report) -> list[str]:
    return report.results[0].notices


def refusals(report: Report) -> list[str]:
    return [str(error) for error in report.results[0].errors]


def test_a_file_of_a_header_alone_is_said_to_hold_no_rows(
    configured: Configured, folder: Path
) -> None:
    (folder / "sacct.psv").write_text(printed())
    report = pulled(configured)[1]
    said = f"{folder}/sacct.psv holds no rows of jobs that held a machine"
    assert (refusals(report), notices(report)) == ([], [said])


def test_a_day_without_a_job_is_idle_if_the_file_or_the_config_names_the_cluster(
    configured: Configured, folder: Path
) -> None:
    """As `sacct` itself prints it, without the line that our script writes first."""
    (folder / f"sacct-{DAY}.psv").write_text(printed(job()))
    (folder / f"sacct-{NEXT}.psv").write_text(printed())
    settings, report = pulled(configured)
    assert list(days(settings)) == [f"{DAY}"]
    assert notices(report) == [
        f"{folder}/sacct-{NEXT}.psv holds no rows of jobs that held a machine, and names no "
        "cluster, so nothing is known of that day: begin it with a line # cluster=NAME as "
        "deploy/slurm/breakeven_slurm.py does, or set `cluster`"
    ]
    settings, report = pulled(configured, cluster="pcs_1234")
    report.raise_failures()
    live = RawZone(settings.data / "raw").live("observed_allocations")
    renamed = {each.key.period for each in live if each.key.unit == "pcs_1234"}
    assert (renamed, days(settings)[f"{NEXT}"]) == ({f"{DAY}", f"{NEXT}"}, [])


def test_a_day_is_delivered_once_and_an_idle_one_after_the_first_job_is_idle(
    configured: Configured, folder: Path
) -> None:
    before = date(2026, 10, 29)
    (folder / f"sacct-{before}.psv").write_text(printed(about=asked(before)))
    (folder / f"sacct-{DAY}.psv").write_text(printed(job(), about=asked()))
    (folder / f"sacct-{NEXT}.psv").write_text(printed(about=asked(NEXT)))
    settings, report = pulled(configured)
    report.raise_failures()
    (row,) = days(settings)[f"{DAY}"]
    assert days(settings) == {f"{DAY}": [row], f"{NEXT}": []}
    told = ("cluster", "resource", "pool", "node", "instance_type", "job", "reason")
    assert [row[name] for name in told] == [
        *("atlas", "i-1", None, "p5-1", "p5.48xlarge", "17", "run")
    ]
    assert (row["accelerators"], row["of"], row["cpus"], row["of_cpus"]) == (8, None, 96, 192)
    assert notices(report) == [
        "atlas: slurmdbd knows no job of 2026-10-29 to 2026-10-29, nor any before: these days are "
        "unknown, not idle; it may have purged them (PurgeJobAfter)"
    ]
    assert pulled(configured)[1].results[0].new == 0


def test_a_type_newer_than_the_catalogue_is_told_and_jobs_on_it_and_others_count(
    configured: Configured, folder: Path
) -> None:
    instances = "Cluster|NodeName|TimeStart|TimeEnd|InstanceId|InstanceType\n"
    new = f"atlas|p7-1|{at('08:00')}|Unknown|i-7|p7.48xlarge\n"
    (folder / "instances.psv").write_text(instances + new)
    jobs = (job(), job("18", NodeList="p7-1"), job("19", NodeList="trn3-1"))
    with (folder / "nodes.csv").open("a") as nodes:
        nodes.write(f"atlas,trn3-1,i-8,trn3.48xlarge,192,{at('08:00')},\n")
    (folder / f"sacct-{DAY}.psv").write_text(printed(*jobs, about=asked()))
    settings, report = pulled(configured)
    report.raise_failures()
    held = {row["resource"]: row["accelerators"] for row in days(settings)[f"{DAY}"]}
    assert held == {"i-1": 8, "i-7": 8, "i-8": 8}
    assert [told.partition(": how")[0] for told in notices(report)] == [
        f"atlas: this version does not know the instance type {kind} of {node} on {DAY}"
        for kind, node in (("p7.48xlarge", "p7-1"), ("trn3.48xlarge", "trn3-1"))
    ]


def test_what_a_job_waited_that_began_before_the_first_file_is_unknown(
    configured: Configured, folder: Path
) -> None:
    """`sacct -T` prints midnight for the start of a job that held its nodes before."""
    early = at("09:00", date(2026, 10, 20))
    midnight, end = at("00:00", NEXT), at("06:00", NEXT)
    first = [job(Submit=early, Start=at("00:00"), End=midnight), job("18", End=midnight)]
    second = [
        job(Submit=early, Start=midnight, End=end),
        job("18", Start=midnight, End=end),
    ]
    for day, rows in ((DAY, first), (NEXT, second)):
        (folder / f"sacct-{day}.psv").write_text(printed(*rows, about=asked(day)))
    settings, report = pulled(configured)
    report.raise_failures()
    submitted = {
        day: {row["job"]: row["queued_at"] and f"{row['queued_at']:%d %H}" for row in rows}
        for day, rows in days(settings).items()
    }
    assert submitted == {f"{DAY}": {"17": None, "18": "30 09"}, f"{NEXT}": {"17": None, "18": None}}


def test_counts_that_do_not_divide_by_the_nodes_are_delivered_to_nine_places(
    configured: Configured, folder: Path
) -> None:
    told = {"NodeList": "p5-[1-3]", "AllocTRES": "cpu=10,gres/gpu=16"}
    cores = {"NodeList": "trn-[1-3]", "AllocTRES": "cpu=8,gres/neuroncore=10"}
    text = printed(job(**told), job("18", **cores), about=asked())
    (folder / f"sacct-{DAY}.psv").write_text(text)
    settings, report = pulled(configured, instance_types={"trn-*": "trn1.32xlarge"})
    report.raise_failures()
    held = {row["node"]: row["accelerators"] for row in days(settings)[f"{DAY}"]}
    assert {held["p5-1"], held["p5-3"]} == {Decimal("5.333333333")}
    assert held["trn-2"] == Decimal("1.666666666")


def test_neuron_cores_are_logical_ones_of_their_type(configured: Configured, folder: Path) -> None:
    cores = {"NodeList": "trn-1", "AllocTRES": "cpu=192,gres/neuroncore=64"}
    half = {"NodeList": "trn-2", "AllocTRES": "cpu=96,gres/neuroncore=32"}
    text = printed(job("18", **cores), job("19", **half), about=asked())
    (folder / f"sacct-{DAY}.psv").write_text(text)
    settings, report = pulled(configured, instance_types={"trn-*": "trn2.48xlarge"})
    report.raise_failures()
    held = {row["node"]: row["accelerators"] for row in days(settings)[f"{DAY}"]}
    assert held == {"trn-1": Decimal(16), "trn-2": Decimal(8)}


def test_a_node_without_an_instance_is_named_and_never_guessed(
    configured: Configured, folder: Path
) -> None:
    (folder / f"sacct-{DAY}.psv").write_text(
        printed(job(NodeList="p5-[1-2]", AllocTRES="gres/gpu=16"), about=asked())
    )
    settings, report = pulled(configured)
    report.raise_failures()
    rows = sorted(days(settings)[f"{DAY}"], key=lambda row: row["node"])
    assert [(row["resource"], row["instance_type"]) for row in rows] == [
        ("i-1", "p5.48xlarge"),
        (None, None),
    ]
    assert notices(report) == [
        "atlas: of nodes of jobs on 2026-10-30, 1 of unknown instance and type, p5-2 for one: keep "
        "nodes.csv on the head node, or set `instance_types`"
    ]
    types = {"p5-*": "p5.48xlarge"}
    settings, report = pulled(configured, instance_types=types)
    assert notices(report) == []
    assert {(row["resource"], row["pool"]) for row in days(settings)[f"{DAY}"]} == {
        ("i-1", None),
        (None, "p5.48xlarge"),
    }


def test_a_machine_that_is_known_later_is_read_into_the_days_that_it_changes(
    configured: Configured, folder: Path
) -> None:
    for day in (DAY, NEXT):
        start, end = at("10:00", day), at("12:00", day)
        held = job(NodeList="p5-2", Start=start, End=end)
        (folder / f"sacct-{day}.psv").write_text(printed(held, about=asked(day)))
    pulled(configured)
    with (folder / "nodes.csv").open("a") as file:
        file.write(f"atlas,p5-2,i-2,p5.48xlarge,192,{at('08:00', NEXT)},\n")
    settings, report = pulled(configured)
    assert (report.results[0].new, report.results[0].unchanged) == (1, 1)
    assert [days(settings)[f"{day}"][0]["resource"] for day in (DAY, NEXT)] == [None, "i-2"]


@pytest.mark.parametrize(
    ("told_now", "cpus", "of_cpus"),
    [
        (["i-1,p5.48xlarge,96"], 48, 96),
        (["i-2,p5.48xlarge,96", "i-3,m5.xlarge,2"], 48, 96),
        (["i-2,p5.48xlarge,96"], 192, None),
        (["i-2,p5.48xlarge,96", "i-3,p5.48xlarge,192"], 48, None),
        (["i-3,m5.xlarge,2", "i-4,,64"], 48, None),
    ],
)
def test_a_machine_whose_cpus_slurm_does_not_tell_has_those_of_its_kind(
    configured: Configured, folder: Path, told_now: list[str], cpus: int, of_cpus: int | None
) -> None:
    """Of 96 CPUs with hyperthreading off, 48 are a half, not a quarter of the type's 192.

    A job that had all 192 was on a machine with hyperthreading.
    """
    header = "Cluster|NodeName|TimeStart|TimeEnd|InstanceId|InstanceType\n"
    machine = f"atlas|p5-1|{at('08:00')}|{at('20:00')}|i-1|p5.48xlarge\n"
    (folder / "instances.psv").write_text(header + machine)
    rows = [f"atlas,n{n},{one},{at('21:00')},\n" for n, one in enumerate(told_now)]
    (folder / "nodes.csv").write_text(NODES + "".join(rows))
    held = job(NCPUS=f"{cpus}", AllocTRES=f"cpu={cpus},node=1")
    (folder / f"sacct-{DAY}.psv").write_text(printed(held, about=asked()))
    (row,) = days(pulled(configured)[0])[f"{DAY}"]
    assert (row["resource"], row["cpus"], row["of_cpus"]) == ("i-1", cpus, of_cpus)


def test_a_machine_that_ends_later_changes_no_day_before(
    configured: Configured, folder: Path
) -> None:
    (folder / f"sacct-{DAY}.psv").write_text(printed(job(), about=asked()))
    pulled(configured)
    ended = f"{NODES}atlas,p5-1,i-1,p5.48xlarge,192,{at('08:00')},{at('08:00', NEXT)}\n"
    (folder / "nodes.csv").write_text(ended)
    assert pulled(configured)[1].results[0].unchanged == 1
    (folder / f"sacct-{DAY}.psv").write_text(printed(job(), about=asked(clock="23:30")))
    assert pulled(configured)[1].results[0].new == 1
    assert pulled(configured)[1].results[0].new == 0


def test_the_same_jobs_in_fewer_rows_replace_what_was_known_less_well(
    configured: Configured, folder: Path
) -> None:
    (folder / f"sacct-{DAY}.psv").write_text(printed(job(), about=asked()))
    (folder / "nodes.csv").write_text(f"{NODES}atlas,p5-1,i-1,p5.48xlarge,192,{at('11:00')},\n")
    settings, _ = pulled(configured)
    assert len(days(settings)[f"{DAY}"]) == 2
    (folder / "nodes.csv").write_text(f"{NODES}atlas,p5-1,i-1,p5.48xlarge,192,{at('08:00')},\n")
    settings, _ = pulled(configured)
    assert [row["resource"] for row in days(settings)[f"{DAY}"]] == ["i-1"]


def test_a_drained_node_is_nobodys_and_says_so(configured: Configured, folder: Path) -> None:
    (folder / f"sacct-{DAY}.psv").write_text(printed(job(), about=asked()))
    (folder / "events.psv").write_text(
        "Cluster|NodeName|TimeStart|TimeEnd|State|Reason\n"
        f"atlas|p5-1|{at('12:00')}|{at('15:00')}|DRAIN|ECC errors\n"
        f"atlas|ghost|{at('12:00')}|{at('15:00')}|DOWN|no machine\n"
    )
    settings, _ = pulled(configured)
    (drained,) = [row for row in days(settings)[f"{DAY}"] if row["reason"] != "run"]
    assert (drained["reason"], drained["resource"], drained["job"]) == ("drained", "i-1", None)


def test_a_purged_day_is_told_and_the_delivered_one_stays(
    configured: Configured, folder: Path
) -> None:
    path = folder / f"sacct-{DAY}.psv"
    path.write_text(printed(job(), job("18", Start=at("13:00"), End=at("14:00")), about=asked()))
    pulled(configured)
    path.write_text(printed(job("18", Start=at("13:00"), End=at("14:00")), about=asked()))
    settings, report = pulled(configured)
    report.raise_failures()
    assert len(days(settings)[f"{DAY}"]) == 2
    assert notices(report) == [
        f"atlas: {path} no longer has 1 job of 2026-10-30, 17 for one, which it told before: "
        "slurmdbd may have purged them (PurgeJobAfter); the delivered day stays"
    ]


def test_a_slurm_that_was_upgraded_and_prints_restarts_tells_the_same_jobs(
    configured: Configured, folder: Path
) -> None:
    """Of a requeued job both attempts must still be there."""
    path = folder / f"sacct-{DAY}.psv"
    again = job(Submit=at("12:10"), Start=at("12:20"), End=at("13:00"))
    path.write_text(printed(job(), again, about=asked(clock="14:00", after=DAY)))
    pulled(configured)
    path.write_text(printed(again | {"Restarts": "1"}, about=asked()))
    assert "no longer has 1 job" in notices(pulled(configured)[1])[0]
    both = (job(Restarts="0"), again | {"Restarts": "1"})
    path.write_text(printed(*both, about=asked()))
    settings, report = pulled(configured)
    assert (notices(report), report.results[0].new) == ([], 1)
    assert [row["attempt"] for row in days(settings)[f"{DAY}"]] == [0, 1]


def test_jobs_of_another_day_than_the_one_in_the_files_name_are_said(
    configured: Configured, folder: Path
) -> None:
    """One that ends or begins at the very midnight is printed with either day."""
    midnight, after = at("00:00", DAY), at("00:00", NEXT)
    before = job("16", Start=at("20:00", date(2026, 10, 29)), End=midnight)
    begins = job("18", Start=after, End=at("02:00", NEXT))
    later = job("19", Start=at("10:00", NEXT), End=at("12:00", NEXT))
    path = folder / f"sacct-{DAY}.psv"
    path.write_text(printed(before, job(), begins, about=asked()))
    settings, report = pulled(configured)
    assert (notices(report), [row["job"] for row in days(settings)[f"{DAY}"]]) == ([], ["17"])
    path.write_text(printed(job(), later, about=asked()))
    settings, report = pulled(configured)
    assert sorted(days(settings)) == [f"{DAY}"]
    assert notices(report) == [
        f"{path} has 1 job, 19 for one, that held nothing on the UTC day in its name: the file "
        "tells of that day alone (write each day's jobs as deploy/slurm/breakeven_slurm.py does)"
    ]


def test_a_bad_file_is_refused_and_the_others_are_read(
    configured: Configured, folder: Path
) -> None:
    (folder / f"sacct-{DAY}.psv").write_text(printed(job(), about=asked()))
    pulled(configured)
    nine = job(AllocTRES="gres/gpu=9")
    (folder / f"sacct-{DAY}.psv").write_text(printed(nine, about=asked()))
    later = job(Start=at("10:00", NEXT), End=at("11:00", NEXT))
    (folder / f"sacct-{NEXT}.psv").write_text(printed(later, about=asked(NEXT)))
    settings, report = pulled(configured)
    assert refusals(report) == [
        f"{folder}/sacct-{DAY}.psv: line 3: more accelerators are held than the machine has: 9 of 8"
        " (correct the count, or the instance type of the machine)"
    ]
    assert {day: len(rows) for day, rows in days(settings).items()} == {
        f"{DAY}": 1,
        f"{NEXT}": 1,
    }


def test_times_of_files_that_cannot_be_are_not_believed(
    configured: Configured, folder: Path
) -> None:
    """A clock of the year 2100, a day in the year 9999, and a comment that is no time."""
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    running = job(State="RUNNING", End="Unknown", Start=at("10:00", yesterday))
    ahead = folder / "sacct.psv"
    ahead.write_text(printed(running))
    os.utime(ahead, (4_102_444_800, 4_102_444_800))
    (folder / "sacct-9999-12-31.psv").write_text(printed(job("18", Cluster="other")))
    for name, asked_at in (("sacct-1.psv", "1"), ("sacct-2.psv", "99999999999")):
        (folder / name).write_text(printed(job(), about=f"# observed_at={asked_at}\n"))
    settings, report = pulled(configured)
    assert [said.partition(" (")[0] for said in refusals(report)] == [
        f"{folder}/sacct-1.psv: line 1: observed_at is not a time: 1",
        f"{folder}/sacct-2.psv: line 1: observed_at is before 2006 or more than 400 days ahead: "
        "99999999999",
    ]
    told = RawZone(settings.data / "raw").live("observed_allocations")
    last = {each.key.unit: each.key.period for each in sorted(told, key=lambda one: one.key)}
    now = datetime.now(UTC).date()
    assert last["atlas"] in {f"{day}" for day in (yesterday + timedelta(days=1), now)}
    assert last["other"] == f"{DAY}"


def test_a_cluster_bears_the_name_that_the_bill_has(configured: Configured, folder: Path) -> None:
    (folder / f"sacct-{DAY}.psv").write_text(printed(job(), about=asked()))
    settings, _ = pulled(configured, cluster="hpc-prod")
    (live,) = RawZone(settings.data / "raw").live("observed_allocations")
    assert (live.key.unit, days(settings)[f"{DAY}"][0]["cluster"]) == ("hpc-prod", "hpc-prod")


def test_two_files_of_one_day_are_refused(configured: Configured, folder: Path) -> None:
    for name in (f"sacct-{DAY}.psv", f"sacct-{DAY}-again.psv"):
        (folder / name).write_text(printed(job(), about=asked()))
    _, report = pulled(configured)
    (said,) = refusals(report)
    assert "both tell of atlas: 2026-10-30 (write one file per cluster and UTC day" in said


def test_without_a_file_of_jobs_or_with_a_wrong_type_nothing_is_asked(
    configured: Configured, folder: Path
) -> None:
    _, report = pulled(configured)
    assert refusals(report) == [
        f"slurm: no file of jobs, whose name begins with sacct: {folder} (run "
        "deploy/slurm/breakeven_slurm.py on the head node, or correct `location`)"
    ]
    with pytest.raises(ConfigError, match=r"'p5\.49xlarge' is not an instance type"):
        pulled(configured, instance_types={"*": "p5.49xlarge"})
